import MetalPerformanceShaders

extension ShapeRules {
  static func unary(_ operation: UnaryOp, _ input: TensorType) throws(ShapeError) -> TensorType {
    switch operation {
    case .identity, .absolute, .sign:
      return input
    case .negative:
      try check(input.dtype != .bool, "bool cannot be negated")
      return input
    case .square:
      // Apple's library has no such kernel.
      try check(
        input.dtype != .int64 && input.dtype != .uInt64, "\(input.dtype) has no square")
      return input
    case .signbit:
      return TensorType(input.shape, .bool)
    case .not:
      return TensorType(input.shape, .bool)
    case .isInfinite, .isFinite, .isNaN:
      try checkFloat(input)
      return TensorType(input.shape, .bool)
    case .bitwiseNot, .populationCount:
      try checkInteger(input)
      return input
    case .squareRoot, .reciprocalSquareRoot, .reciprocal, .exponent, .exponentBase2,
      .exponentBase10, .logarithm, .logarithmBase2, .logarithmBase10, .sin, .cos, .tan, .sinh,
      .cosh, .tanh, .asin, .acos, .atan, .asinh, .acosh, .atanh, .erf, .ceil, .floor, .round,
      .rint, .truncate, .relu, .sigmoid:
      try checkFloat(input)
      return input
    }
  }

  static func binary(_ operation: BinaryOp, _ first: TensorType, _ second: TensorType)
    throws(ShapeError) -> TensorType
  {
    try checkSameType([first, second])
    let shape = try broadcast([first, second])
    switch operation {
    case .add, .subtract, .multiply, .divide, .divideNoNaN, .modulo, .floorModulo, .power,
      .minimum, .maximum:
      return TensorType(shape, first.dtype)
    case .minimumNaN, .maximumNaN, .atan2:
      try checkFloat(first)
      return TensorType(shape, first.dtype)
    case .equal, .notEqual, .less, .lessEqual, .greater, .greaterEqual, .and, .or, .nand, .nor,
      .xor, .xnor:
      return TensorType(shape, .bool)
    case .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight:
      try checkInteger(first)
      return TensorType(shape, first.dtype)
    }
  }

  /// Predicate, then the two values.
  static func select(_ inputs: [TensorType]) throws(ShapeError) -> TensorType {
    try check(
      inputs[0].dtype == .bool, "the predicate must be bool, not \(inputs[0].dtype)")
    try checkSameType([inputs[1], inputs[2]])
    return TensorType(try broadcast(inputs), inputs[1].dtype)
  }

  static func clamp(_ inputs: [TensorType]) throws(ShapeError) -> TensorType {
    try checkSameType(inputs)
    return TensorType(try broadcast(inputs), inputs[0].dtype)
  }

  static func cast(_ input: TensorType, _ declared: [TensorType]) throws(ShapeError) -> TensorType {
    guard let dtype = declared.first?.dtype, dtype.isSupported else {
      throw ShapeError("the type to cast to is not supported by this engine")
    }
    return TensorType(input.shape, dtype)
  }

  static func reinterpretCast(_ input: TensorType, _ declared: [TensorType]) throws(ShapeError)
    -> TensorType
  {
    let dtype = try cast(input, declared).dtype
    guard var dims = input.shape, let last = dims.last else {
      try check(
        dtype.byteSize == input.dtype.byteSize,
        "\(input.dtype) and \(dtype) differ in size, which needs a last dimension")
      return TensorType(input.shape, dtype)
    }
    if last != -1 {
      let bytes = last * input.dtype.byteSize
      try check(
        bytes % dtype.byteSize == 0,
        "a last dimension of \(last) \(input.dtype) elements is not made of \(dtype) elements")
      dims[dims.count - 1] = bytes / dtype.byteSize
    }
    return TensorType(dims, dtype)
  }
}
