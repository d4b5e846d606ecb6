import Foundation
import MetalPerformanceShadersGraph

/// Pooling over windows of the last one or two axes.
enum Pooling {
  static let all: [OpDef] = functions + primitives

  private static let constraints = [
    "input has the pooled axes, a channel axis and maybe a batch; its type is floating.",
    "Kernel and stride are positive; padding is at most half the kernel.",
    "The windows fit the padded input.",
  ]

  private static let window = [
    AttributeDef("kernel_size", .ints),
    AttributeDef("stride", .optional(.ints), default: Attribute.none),
    AttributeDef("padding", .ints, default: .ints([0])),
  ]
  private static let ceil = AttributeDef("ceil_mode", .bool, default: .bool(false))
  private static let dilation = AttributeDef("dilation", .ints, default: .ints([1]))

  private static let functions: [OpDef] =
    [1, 2].flatMap { axes -> [OpDef] in
      [
        maximum(axes), maximumWithIndices(axes), average(axes), powerAverage(axes),
        adaptiveAverage(axes), adaptiveMaximum(axes),
      ]
    }

  private static func maximum(_ axes: Int) -> OpDef {
    OpDef(
      "max_pool\(axes)d", OpDoc("The largest element of each window.", constraints),
      operands: [OperandDef("input")], attributes: window + [dilation, ceil],
      .composite { c throws(LucidError) in
        let w = try Windows(c, axes, dilation: c.attributes.ints(3), ceil: c.attributes.bool(4))
        return [try w.restored(w.input.call("max_pool2d_core", [], w.attributes))]
      })
  }

  private static func maximumWithIndices(_ axes: Int) -> OpDef {
    OpDef(
      "max_pool\(axes)d_with_indices",
      OpDoc(
        "The largest element of each window, and its position in the flat pooled axes.",
        constraints),
      operands: [OperandDef("input")], attributes: window + [dilation, ceil], resultCount: 2,
      .composite { c throws(LucidError) in
        let w = try Windows(c, axes, dilation: c.attributes.ints(3), ceil: c.attributes.bool(4))
        let index = try w.input.call("max_pool2d_indices", [], w.attributes)
        let values = try w.input.pickedInPlane(index)
        return [try w.restored(values), try w.restored(index)]
      })
  }

  private static func average(_ axes: Int) -> OpDef {
    OpDef(
      "avg_pool\(axes)d", OpDoc("The mean of each window.", constraints),
      operands: [OperandDef("input")],
      attributes: window + [
        ceil, AttributeDef("count_include_pad", .bool, default: .bool(true)),
        AttributeDef("divisor_override", .optional(.int), default: Attribute.none),
      ],
      .composite { c throws(LucidError) in
        let w = try Windows(c, axes, dilation: [1], ceil: c.attributes.bool(3))
        let mean = try w.input.call("avg_pool2d_core", [], w.attributes)
        if let divisor = c.attributes.optionalInt(5) {
          guard divisor != 0 else { throw c.check.error(.value, "the divisor is 0") }
          return [try w.restored(mean * (Double(w.kernel[0] * w.kernel[1]) / Double(divisor)))]
        }
        return [try w.restored(w.corrected(mean, countsPadding: c.attributes.bool(4)))]
      })
  }

  private static func powerAverage(_ axes: Int) -> OpDef {
    OpDef(
      "lp_pool\(axes)d", OpDoc("The p-norm of each window.", constraints),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("norm_type", .float), window[0], window[1], ceil,
      ],
      .composite { c throws(LucidError) in
        let p = c.attributes.float(0)
        let w = try Windows(
          c, axes, kernel: c.attributes.ints(1), stride: c.attributes.optionalInts(2),
          padding: [0], dilation: [1], ceil: c.attributes.bool(3))
        let powers = try w.input.call("pow_scalar", [], [.float(p)])
        let mean = try powers.call("avg_pool2d_core", [], w.attributes)
        let sum = try mean * Double(w.kernel[0] * w.kernel[1])
        let positive = try sum.call("sign") * sum.abs().call("relu")
        return [try w.restored(positive.call("pow_scalar", [], [.float(1 / p)]))]
      })
  }

  private static func adaptiveAverage(_ axes: Int) -> OpDef {
    adaptive("adaptive_avg_pool\(axes)d", "The means of output_size even windows.", axes) {
      x, axis, starts, ends throws(LucidError) in
      // A matrix whose rows average a window.
      let extent = ends.last ?? 0
      var matrix: [Double] = []
      for (start, end) in zip(starts, ends) {
        matrix += (0..<extent).map { $0 >= start && $0 < end ? 1 / Double(end - start) : 0 }
      }
      let rows = try x.builder.floats(matrix).reshape([Dim(starts.count), Dim(extent)])
      let weights = try rows.transpose(0, 1)
      let rank = x.rank
      let wide = try x.widened().transpose(axis, rank - 1).product(weights)
      return try wide.transpose(axis, rank - 1).narrowed(like: x)
    }
  }

  private static func adaptiveMaximum(_ axes: Int) -> OpDef {
    adaptive("adaptive_max_pool\(axes)d", "The largest elements of output_size even windows.", axes)
    { x, axis, starts, ends throws(LucidError) in
      // Every window as long as the longest, its last element repeated.
      let length = zip(starts, ends).map { $1 - $0 }.max() ?? 0
      let positions = zip(starts, ends).flatMap { start, end in
        (0..<length).map { min(start + $0, end - 1) }
      }
      let index = try x.builder.integers(positions).reshape([Dim(starts.count), Dim(length)])
      return try x.takingRows(axis, index).amax([axis + 1], keepDim: false)
    }
  }

  private static func adaptive(
    _ name: String, _ summary: String, _ axes: Int,
    _ body: @escaping @Sendable (GraphValue, Int, [Int], [Int]) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(summary + " -1 keeps an extent.", [constraints[0], "output_size is positive or -1."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("output_size", .ints)],
      .composite { c throws(LucidError) in
        var x = c.inputs[0]
        let sizes = c.attributes.ints(0)
        guard x.rank == axes + 1 || x.rank == axes + 2, x.dtype.isFloatingPoint else {
          throw c.check.error(.shape, "input is \(x.type)", constraint: 1)
        }
        guard sizes.count == axes || sizes.count == 1,
          sizes.allSatisfy({ $0 == -1 || ($0 > 0 && $0 < 1 << 16) })
        else { throw c.check.error(.value, "output_size is \(sizes)", constraint: 2) }
        for i in 0..<axes {
          let axis = x.rank - axes + i
          let extent = c.check.number(x.shape[axis], "adaptive pooling counts its positions")
          let size = sizes[sizes.count == 1 ? 0 : i]
          if size == -1 || size == extent { continue }
          guard extent > 0 else {
            throw c.check.error(.shape, "no elements in \(x.shape)", constraint: 1)
          }
          let starts = (0..<size).map { $0 * extent / size }
          let ends = (0..<size).map { (($0 + 1) * extent + size - 1) / size }
          x = try body(x, axis, starts, ends)
        }
        return [x]
      })
  }

  // MARK: Primitives

  private static let core = [
    AttributeDef("kernel", .ints), AttributeDef("stride", .ints), AttributeDef("padding", .ints),
    AttributeDef("dilation", .ints),
  ]
  private static let coreDoc = [
    "The operands have rank 4 and a floating type.", constraints[1], constraints[2],
  ]

  private static let primitives: [OpDef] = [
    primitive(
      "max_pool2d_core", "The largest element of each window of (N, C, H, W).", result: nil,
      vjp: .rule { c throws(LucidError) in
        [
          try c.cotangent().call("max_pool2d_gradient", [c.inputs[0]], c.attributes.values)
        ]
      },
      lower: { c, d in
        c.graph.maxPooling2D(withSourceTensor: c.inputs[0], descriptor: d, name: c.name)
      }),
    primitive(
      "max_pool2d_indices", "The flat position in (H, W) of the largest element of each window.",
      result: .int64, vjp: .none("the result is a position"),
      lower: { c, d in
        d.returnIndicesMode = .globalFlatten2D
        d.returnIndicesDataType = .int32
        let both = c.graph.maxPooling2DReturnIndices(c.inputs[0], descriptor: d, name: c.name)
        return c.graph.cast(both[1], to: .int64, name: c.name)
      }),
    primitive(
      "avg_pool2d_core", "The mean of each window of (N, C, H, W), padding counting as zeros.",
      result: nil,
      vjp: .rule { c throws(LucidError) in
        [
          try c.cotangent().call("avg_pool2d_gradient", [c.inputs[0]], c.attributes.values)
        ]
      },
      lower: { c, d in
        c.graph.avgPooling2D(withSourceTensor: c.inputs[0], descriptor: d, name: c.name)
      }),
    gradient(
      "max_pool2d_gradient", "The gradient of max_pool2d_core.",
      vjp: { c, ct throws(LucidError) in
        let index = try c.inputs[1].call("max_pool2d_indices", [], c.attributes.values)
        return try ct.pickedInPlane(index)
      },
      lower: { c, d in
        c.graph.maxPooling2DGradient(
          withGradientTensor: c.inputs[0], sourceTensor: c.inputs[1], descriptor: d, name: c.name)
      }),
    gradient(
      "avg_pool2d_gradient", "The gradient of avg_pool2d_core.",
      vjp: { c, ct throws(LucidError) in
        try ct.call("avg_pool2d_core", [], c.attributes.values)
      },
      lower: { c, d in
        c.graph.avgPooling2DGradient(
          withGradientTensor: c.inputs[0], sourceTensor: c.inputs[1], descriptor: d, name: c.name)
      }),
  ]

  private static func primitive(
    _ name: String, _ summary: String, result: DType?, vjp: OpDef.VJP,
    lower: @escaping @Sendable (LowerContext, MPSGraphPooling2DOpDescriptor) -> MPSGraphTensor
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, coreDoc), operands: [OperandDef("input")], attributes: core,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(try pooled(c, c.shape(0)), result ?? c.dtype(0))]
          },
          vjp: vjp,
          lower: { c throws(LucidError) in [lower(c, descriptor(c.attributes))] })))
  }

  private static func gradient(
    _ name: String, _ summary: String,
    vjp: @escaping @Sendable (VJPContext, GraphValue) throws(LucidError) -> GraphValue,
    lower: @escaping @Sendable (LowerContext, MPSGraphPooling2DOpDescriptor) -> MPSGraphTensor
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, coreDoc), operands: [OperandDef("gradient"), OperandDef("input")],
      attributes: core,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard c.equal(try pooled(c, c.shape(1)), c.shape(0)), c.dtype(0) == c.dtype(1) else {
              throw c.error(.shape, "\(c.types[0]) for an input \(c.types[1])", constraint: 1)
            }
            return [TensorType(c.shape(1), c.dtype(1))]
          },
          vjp: .rule { c throws(LucidError) in [try vjp(c, c.cotangent()), nil] },
          lower: { c throws(LucidError) in [lower(c, descriptor(c.attributes))] })))
  }

  private static func pooled(_ c: InferContext, _ x: Shape) throws(LucidError) -> Shape {
    guard x.rank == 4, c.dtype(0).isFloatingPoint else {
      throw c.error(.shape, "input is \(c.types[0])", constraint: 1)
    }
    let lists = (0..<4).map { c.attributes.ints($0) }
    guard lists[0].count == 2, lists[1].count == 2, lists[2].count == 4, lists[3].count == 2,
      (lists[0] + lists[1] + lists[3]).allSatisfy({ $0 > 0 && $0 < 1 << 24 }),
      lists[2].allSatisfy({ $0 >= 0 && $0 < 1 << 24 })
    else { throw c.error(.value, "windows \(lists)", constraint: 2) }
    var out = x
    for i in 0..<2 {
      let extent = c.number(x[2 + i], "pooling counts its positions")
      let reach = Dim.multiply(lists[3][i], lists[0][i] - 1) + 1
      let span = extent + lists[2][2 * i] + lists[2][2 * i + 1] - reach
      guard span >= 0 else {
        throw c.error(.shape, "a window of \(reach) for shape \(x)", constraint: 3)
      }
      out[2 + i] = Dim(span / lists[1][i] + 1)
    }
    return out
  }

  private static func descriptor(_ a: Attributes) -> MPSGraphPooling2DOpDescriptor {
    let (kernel, stride, padding, dilation) = (a.ints(0), a.ints(1), a.ints(2), a.ints(3))
    let d = MPSGraphPooling2DOpDescriptor()
    (d.kernelHeight, d.kernelWidth) = (kernel[0], kernel[1])
    (d.strideInY, d.strideInX) = (stride[0], stride[1])
    (d.dilationRateInY, d.dilationRateInX) = (dilation[0], dilation[1])
    (d.paddingTop, d.paddingBottom) = (padding[0], padding[1])
    (d.paddingLeft, d.paddingRight) = (padding[2], padding[3])
    d.paddingStyle = .explicit
    d.dataLayout = .NCHW
    d.ceilMode = false
    d.includeZeroPadToAverage = true
    return d
  }
}

/// The windows of a pooling over one or two axes, as two axes. Ceil mode is padding on the right.
private struct Windows {
  let input: GraphValue
  let kernel: [Int]
  let attributes: [Attribute]
  private let original: Int
  private let axes: Int
  private let stride: [Int]
  private let padding: [Int]
  /// Padding as asked for, equal on both sides.
  private let asked: [Int]
  private let counts: [Int]

  init(
    _ c: ExpandContext, _ axes: Int, dilation: [Int], ceil: Bool
  ) throws(LucidError) {
    try self.init(
      c, axes, kernel: c.attributes.ints(0), stride: c.attributes.optionalInts(1),
      padding: c.attributes.ints(2), dilation: dilation, ceil: ceil)
  }

  init(
    _ c: ExpandContext, _ axes: Int, kernel: [Int], stride: [Int]?, padding: [Int],
    dilation: [Int], ceil: Bool
  ) throws(LucidError) {
    let x = c.inputs[0]
    guard x.rank == axes + 1 || x.rank == axes + 2, x.dtype.isFloatingPoint else {
      throw c.check.error(.shape, "input is \(x.type)", constraint: 1)
    }
    (original, self.axes) = (x.rank, axes)
    var image = x.rank == axes + 1 ? try x.unsqueeze(0) : x
    if axes == 1 { image = try image.unsqueeze(2) }
    input = image
    let given = stride.map { $0.isEmpty ? kernel : $0 } ?? kernel
    for value in kernel + given + dilation where value < 1 || value >= 1 << 24 {
      throw c.check.error(.value, "kernel \(kernel), stride \(given)", constraint: 2)
    }
    self.kernel = try Geometry.spread(kernel, axes, 1, "kernel_size", c.check)
    self.stride = try Geometry.spread(given, axes, 1, "stride", c.check)
    let dilated = try Geometry.spread(dilation, axes, 1, "dilation", c.check)
    asked = try Geometry.spread(padding, axes, 0, "padding", c.check)
    var sides: [Int] = []
    var counts: [Int] = []
    for i in 0..<2 {
      let (k, s, p) = (self.kernel[i], self.stride[i], asked[i])
      guard p >= 0, p <= k / 2 else {
        throw c.check.error(
          .value, "padding \(p) exceeds half the kernel \(k)", constraint: 2)
      }
      let extent = c.check.number(image.shape[2 + i], "pooling counts its positions")
      let reach = Dim.multiply(dilated[i], k - 1) + 1
      let span = extent + 2 * p - reach
      guard span >= 0 || (ceil && span > -s) else {
        throw c.check.error(
          .shape, "a window of \(reach) for shape \(x.shape)", constraint: 3)
      }
      var count = max(span, 0) / s + 1
      // A window more, if it starts inside the input or its left padding.
      if ceil, span > 0, span % s != 0, count * s < extent + p { count += 1 }
      let needed = (count - 1) * s + reach - extent - p
      sides += [p, ceil ? max(needed, 0) : p]
      counts.append(count)
    }
    (self.padding, self.counts) = (sides, counts)
    attributes = [
      .ints(self.kernel), .ints(self.stride), .ints(sides), .ints(dilated),
    ]
  }

  /// The result without the axes that were added.
  func restored(_ y: GraphValue) throws(LucidError) -> GraphValue {
    var y = y
    if axes == 1 { y = try y.dropping([2], unless: false) }
    return original == axes + 1 ? try y.dropping([0], unless: false) : y
  }

  /// Means over the whole kernel as means over the elements that count.
  func corrected(_ mean: GraphValue, countsPadding: Bool) throws(LucidError) -> GraphValue {
    var mean = mean
    for i in 0..<2 {
      guard let extent = input.shape[2 + i].value else { continue }
      let factors = (0..<counts[i]).map { window in
        let start = window * stride[i] - asked[i]
        let end = start + kernel[i]
        let counted =
          countsPadding
          ? min(end, extent + asked[i]) - start : min(end, extent) - max(start, 0)
        return Double(kernel[i]) / Double(max(counted, 1))
      }
      if factors.allSatisfy({ $0 == 1 }) { continue }
      let shape: Shape = i == 0 ? [Dim(counts[i]), 1] : [1, Dim(counts[i])]
      mean = try mean * mean.builder.floats(factors).cast(to: mean.dtype).reshape(shape)
    }
    return mean
  }
}

extension GraphValue {
  /// The elements of (N, C, H, W) at flat positions in (H, W).
  fileprivate func pickedInPlane(_ index: GraphValue) throws(LucidError) -> GraphValue {
    let plane = try joiningPlane()
    let flat = try index.joiningPlane()
    return try plane.call("gather_along", [flat], [.int(2)]).reshape(index.shape)
  }

  /// (N, C, H, W) as (N, C, H · W).
  private func joiningPlane() throws(LucidError) -> GraphValue {
    try call("flatten", [], [.int(2), .int(3)])
  }
}
