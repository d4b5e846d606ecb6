import MetalPerformanceShaders

extension ShapeRules {
  static func reduce(_ operation: ReduceOp, _ input: TensorType, _ axes: [Int])
    throws(ShapeError) -> TensorType
  {
    switch operation {
    case .and, .or: try check(input.dtype == .bool, "\(input.dtype) is not bool")
    case .minimumNaN, .maximumNaN: try checkFloat(input)
    case .sum, .product, .minimum, .maximum: break
    }
    guard var dims = input.shape else { return input }
    try checkAxes(axes, dims)
    if operation == .and || operation == .or {
      for axis in axes { try checkMinorAxis(axis, dims) }
    }
    for axis in axes { dims[axis] = 1 }
    return TensorType(dims, input.dtype)
  }

  static func argReduce(_ input: TensorType, _ axis: Int) throws(ShapeError) -> TensorType {
    guard var dims = input.shape else { return TensorType(nil, .int32) }
    try checkAxis(axis, dims)
    dims[axis] = 1
    return TensorType(dims, .int32)
  }

  static func cumulative(_ input: TensorType, _ axis: Int) throws(ShapeError) -> TensorType {
    if let dims = input.shape { try checkMinorAxis(axis, dims) }
    return input
  }

  /// The source, or the incoming gradient and the source.
  static func softMax(_ inputs: [TensorType], _ axis: Int) throws(ShapeError) -> TensorType {
    for input in inputs { try checkFloat(input) }
    try checkSameType(inputs)
    let shape = try broadcast(inputs)
    if let shape { try checkAxis(axis, shape) }
    return TensorType(shape, inputs[0].dtype)
  }

  static func sort(_ input: TensorType, _ axis: Int) throws(ShapeError) -> TensorType {
    switch input.dtype {
    case .float32, .float16, .int32, .int64: break
    default: throw ShapeError("\(input.dtype) cannot be sorted; cast it first")
    }
    if let dims = input.shape { try checkMinorAxis(axis, dims) }
    return input
  }

  static func topK(_ input: TensorType, _ axis: Int, _ k: Int) throws(ShapeError) -> [TensorType] {
    guard var dims = try sort(input, axis).shape else {
      return [input, TensorType(nil, .int32)]
    }
    try check(
      k >= 1 && (dims[axis] == -1 || k <= dims[axis]),
      "k is \(k), outside 1...\(dims[axis]) for axis \(axis) of shape \(dims)")
    dims[axis] = k
    return [TensorType(dims, input.dtype), TensorType(dims, .int32)]
  }
}
