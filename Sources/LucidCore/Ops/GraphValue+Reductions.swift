// Reductions in the language of gradient rules and composites. Axes are non-negative and checked.

extension GraphValue {
  /// How many elements lie along `axes`, as a rank-0 float32.
  func elementCount(_ axes: [Int]) throws(LucidError) -> GraphValue {
    try builder.extent(axes.map { shape[$0] }, dtype: .float32)
  }

  /// The mean with the axes kept.
  func mean(_ axes: [Int]) throws(LucidError) -> GraphValue {
    try sum(axes, keepDim: true) / elementCount(axes)
  }

  func amax(_ axes: [Int], keepDim: Bool = true) throws(LucidError) -> GraphValue {
    axes.isEmpty ? self : try call("amax", [], [.ints(axes), .bool(keepDim)])
  }

  func any(_ axes: [Int], keepDim: Bool = true) throws(LucidError) -> GraphValue {
    axes.isEmpty ? self : try call("any", [], [.ints(axes), .bool(keepDim)])
  }

  /// log(sum(exp(x))) with the axes kept. The shift by the largest element is constant to
  /// differentiation, and 0 where it is infinite.
  func logSumExp(_ axes: [Int]) throws(LucidError) -> GraphValue {
    let empty = axes.contains { builder.symbols?.equal(shape[$0], 0) ?? (shape[$0] == 0) }
    if empty { return try exp().sum(axes, keepDim: true).log() }
    let top = try amax(axes).call("detach")
    let shift = try top.selected(where: top.call("isfinite"), else: top.full(0))
    return try (self - shift).exp().sum(axes, keepDim: true).log() + shift
  }

  /// The square root whose derivative at 0 is 0 rather than infinite.
  func safeSqrt() throws(LucidError) -> GraphValue {
    let zero = try full(0)
    let isZero = try equals(zero)
    let root = try full(1).selected(where: isZero, else: self).sqrt()
    return try zero.selected(where: isZero, else: root)
  }

  /// The p-norm with the axes kept.
  func norm(_ p: Double, _ axes: [Int]) throws(LucidError) -> GraphValue {
    switch p {
    case 2: return try (self * self).sum(axes, keepDim: true).safeSqrt()
    case 1: return try abs().sum(axes, keepDim: true)
    case 0: return try cast(to: .bool).cast(to: dtype).sum(axes, keepDim: true)
    case .infinity: return try abs().amax(axes)
    case -.infinity:
      return axes.isEmpty
        ? try abs() : try abs().call("amin", [], [.ints(axes), .bool(true)])
    default:
      let sum = try abs().call("pow_scalar", [], [.float(p)]).sum(axes, keepDim: true)
      let zero = try sum.full(0)
      let isZero = try sum.equals(zero)
      let safe = try sum.full(1).selected(where: isZero, else: sum)
      return try zero.selected(where: isZero, else: safe.call("pow", [safe.full(1 / p)]))
    }
  }

  /// Without the axes of extent 1 that a reduction kept.
  func dropping(_ axes: [Int], unless keep: Bool) throws(LucidError) -> GraphValue {
    keep ? self : try reshape(shape.reduced(over: axes, keepDim: false))
  }

  func flattened() throws(LucidError) -> GraphValue { try reshape([-1], resolving: true) }

  /// Reshapes with a -1 that the operation works out.
  func reshape(_ dims: [Dim], resolving: Bool) throws(LucidError) -> GraphValue {
    if dims == [-1], rank == 1 { return self }
    return try call("reshape", [], [.dims(dims)])
  }

  /// The elements at `indices` along an axis, as `gather`.
  func gathered(_ axis: Int, _ indices: GraphValue) throws(LucidError) -> GraphValue {
    try call("gather", [indices], [.int(axis)])
  }
}

extension [GraphValue] {
  /// Each value without an axis that a reduction kept as 1.
  func droppingAxis(_ axis: Int, unless keep: Bool) throws(LucidError) -> [GraphValue] {
    var out: [GraphValue] = []
    for value in self {
      let positive = axis < 0 ? axis + value.rank : axis
      out.append(keep || value.rank == 0 ? value : try value.dropping([positive], unless: false))
    }
    return out
  }
}

extension GraphBuilder {
  /// The product of extents as a rank-0 number: a constant unless it depends on the batch.
  func extent(_ dims: [Dim], dtype: DType) throws(LucidError) -> GraphValue {
    var known = 1
    var open: [Dim] = []
    for dim in dims {
      if let value = dim.value { known = Dim.multiply(known, value) } else { open.append(dim) }
    }
    var product: GraphValue?
    for dim in open {
      let value = try apply(
        try OpCatalog.op("extent"), [], Attributes([.dims([dim]), .dtype(dtype)]))[0]
      product = try product.map { p throws(LucidError) in try p * value } ?? value
    }
    guard let product else { return try full(Double(known), shape: [], dtype: dtype) }
    return known == 1 ? product : try product * Double(known)
  }
}
