import MetalPerformanceShaders

extension ShapeRules {
  static func reshape(_ input: TensorType, _ target: [Int]) throws(ShapeError) -> TensorType {
    try check(target.count <= 16, "\(target) has more than 16 dimensions")
    var dims = target
    let open = target.indices.filter { target[$0] == -1 }
    try check(target.allSatisfy { $0 >= -1 }, "\(target) is not a shape")
    guard let source = input.shape, let count = elementCount(source) else {
      return TensorType(dims, input.dtype)
    }
    guard let fixed = elementCount(target.filter { $0 != -1 }) else {
      return TensorType(dims, input.dtype)
    }
    switch open.count {
    case 0:
      try check(
        fixed == count, "shape \(source) with \(count) elements cannot become \(target)")
    case 1:
      try check(
        fixed > 0 && count % fixed == 0,
        "shape \(source) with \(count) elements cannot become \(target)")
      dims[open[0]] = count / fixed
    default:
      // Several sizes come from a shape tensor that is not known yet.
      break
    }
    return TensorType(dims, input.dtype)
  }

  static func expandDims(_ input: TensorType, _ axes: [Int]) throws(ShapeError) -> TensorType {
    guard var dims = input.shape else { return input }
    let count = dims.count + axes.count
    try check(
      Set(axes).count == axes.count && axes.allSatisfy { $0 >= 0 && $0 < count },
      "axes \(axes) cannot be added to shape \(dims)")
    for axis in axes.sorted() { dims.insert(1, at: axis) }
    return TensorType(dims, input.dtype)
  }

  static func squeeze(_ input: TensorType, _ axes: [Int]) throws(ShapeError) -> TensorType {
    guard var dims = input.shape else { return input }
    try checkAxes(axes, dims)
    for axis in axes.sorted(by: >) {
      try check(
        agree(dims[axis], 1), "axis \(axis) of shape \(input.shape ?? []) does not have size 1")
      dims.remove(at: axis)
    }
    return TensorType(dims, input.dtype)
  }

  static func flatten2D(_ input: TensorType, _ axis: Int) throws(ShapeError) -> TensorType {
    guard let dims = input.shape else { return TensorType([-1, -1], input.dtype) }
    try check(
      axis >= 0 && axis <= dims.count, "axis \(axis) is out of range for shape \(dims)")
    return TensorType(
      [elementCount(dims[..<axis]) ?? -1, elementCount(dims[axis...]) ?? -1], input.dtype)
  }

  static func transpose(_ input: TensorType, _ permutation: [Int]) throws(ShapeError)
    -> TensorType
  {
    try check(
      permutation.sorted() == Array(permutation.indices),
      "\(permutation) is not a permutation")
    guard let dims = input.shape else { return input }
    try check(
      permutation.count == dims.count,
      "permutation \(permutation) does not fit shape \(dims)")
    return TensorType(permutation.map { dims[$0] }, input.dtype)
  }

  /// A complete target has no -1: Apple's framework does not derive one here.
  static func broadcast(_ input: TensorType, _ target: [Int], isComplete: Bool)
    throws(ShapeError) -> TensorType
  {
    try check(
      target.count <= 16 && target.allSatisfy { $0 > 0 || ($0 == -1 && !isComplete) },
      "\(target) is not a complete shape to broadcast to")
    if let dims = input.shape {
      let lead = target.count - dims.count
      try check(
        lead >= 0
          && dims.indices.allSatisfy { dims[$0] == 1 || agree(dims[$0], target[lead + $0]) },
        "shape \(dims) does not broadcast to \(target)")
    }
    return TensorType(target, input.dtype)
  }

  static func reverse(_ input: TensorType, _ axes: [Int]) throws(ShapeError) -> TensorType {
    if let dims = input.shape { try checkAxes(axes, dims) }
    return input
  }

  static func concat(_ inputs: [TensorType], _ axis: Int, _ interleave: Bool)
    throws(ShapeError) -> TensorType
  {
    guard let first = inputs.first else { throw ShapeError("there is nothing to concatenate") }
    try checkSameType(inputs)
    var shapes: [[Int]] = []
    for input in inputs {
      guard let dims = input.shape else { return TensorType(nil, first.dtype) }
      shapes.append(dims)
    }
    var result = shapes[0]
    try checkAxis(axis, result)
    for dims in shapes.dropFirst() {
      try check(
        dims.count == result.count
          && dims.indices.allSatisfy { $0 == axis && !interleave || agree(dims[$0], result[$0]) },
        "shapes \(shapes) cannot be concatenated along axis \(axis)")
      for index in dims.indices where index != axis {
        result[index] = meet(result[index], dims[index])
      }
      result[axis] =
        result[axis] == -1 || dims[axis] == -1
        ? -1 : interleave ? result[axis] : result[axis] + dims[axis]
    }
    if interleave, result[axis] != -1 { result[axis] *= shapes.count }
    return TensorType(result, first.dtype)
  }

  static func pad(_ input: TensorType, _ mode: PadMode, _ left: [Int], _ right: [Int])
    throws(ShapeError) -> TensorType
  {
    guard let dims = input.shape else { return input }
    try check(
      !dims.isEmpty && left.count == dims.count && right.count == dims.count,
      "paddings \(left) and \(right) need one value per dimension of shape \(dims)")
    var result = dims
    for (axis, size) in dims.enumerated() where size != -1 {
      let widest = max(left[axis], right[axis])
      switch mode {
      case .reflect:
        try check(
          widest < size, "reflecting \(widest) elements needs more than \(size) along axis \(axis)")
      case .symmetric:
        try check(
          widest <= size, "mirroring \(widest) elements needs as many along axis \(axis) of \(dims)"
        )
      case .constant, .edge, .periodic:
        break
      }
      result[axis] = left[axis] + size + right[axis]
      try check(
        result[axis] >= 0, "paddings \(left) and \(right) crop more than shape \(dims) has")
    }
    return TensorType(result, input.dtype)
  }

  static func tile(_ input: TensorType, _ multipliers: [Int]) throws(ShapeError) -> TensorType {
    guard let dims = input.shape else { return input }
    try check(
      multipliers.count == dims.count && multipliers.allSatisfy { $0 > 0 },
      "multipliers \(multipliers) need one positive value per dimension of shape \(dims)")
    return TensorType(zip(dims, multipliers).map { $0 == -1 ? -1 : $0 * $1 }, input.dtype)
  }
}
