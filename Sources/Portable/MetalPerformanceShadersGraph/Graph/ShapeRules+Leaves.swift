import MetalPerformanceShaders

extension ShapeRules {
  static func leaf(_ declared: [TensorType]) throws(ShapeError) -> TensorType {
    guard let type = declared.first else { throw ShapeError("a leaf needs a type") }
    try check(type.dtype.isSupported, "\(type.dtype) is not supported by this engine")
    if let dims = type.shape {
      try check(
        dims.count <= 16 && dims.allSatisfy { $0 == -1 || ($0 > 0 && $0 <= Int(Int32.max)) },
        "\(dims) is not a shape of at most 16 positive sizes")
    }
    return type
  }

  static func constant(_ bytes: ConstantBytes, _ declared: [TensorType]) throws(ShapeError)
    -> TensorType
  {
    let type = try leaf(declared)
    guard let dims = type.shape, let count = elementCount(dims) else {
      throw ShapeError("a constant needs a complete shape")
    }
    let expected = count * type.dtype.byteSize
    try check(
      bytes.count == expected,
      "\(bytes.count) bytes of data for shape \(dims) of \(type.dtype), which has \(expected)")
    return type
  }

  static func coordinate(
    _ axis: Int, _ inputs: [TensorType], _ declared: [TensorType], _ constant: (Int) -> [Int]?
  ) throws(ShapeError) -> TensorType {
    let dims: [Int]
    if let operand = inputs.first {
      dims = try shapeOperand(operand, declared, constant(0))
    } else {
      dims = declared.first?.shape ?? []
      try check(!dims.contains(-1), "\(dims) is not a complete shape")
    }
    try checkAxis(axis, dims)
    return try leaf([TensorType(dims, .int32)])
  }

  static func assign(_ inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    try checkSameType(inputs)
    let (variable, value) = (inputs[0].shape ?? [], inputs[1].shape ?? inputs[0].shape ?? [])
    try check(
      agree(variable, value), "shape \(value) does not fit a variable of shape \(variable)")
    return []
  }
}
