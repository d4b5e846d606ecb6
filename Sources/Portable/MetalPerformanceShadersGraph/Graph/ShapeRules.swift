import MetalPerformanceShaders

/// Why operands do not go together.
package struct ShapeError: Error {
  package let message: String
  package init(_ message: String) { self.message = message }
}

/// Shapes and element types of results, and what has to hold for the operands: the one place where
/// they are derived, while a graph is built and again for the shapes that are fed.
///
/// A size of -1 is not known: rules accept it wherever some size would be right.
package enum ShapeRules {
  /// The types of an operation's results.
  ///
  /// - Parameters:
  ///   - declared: What the kind leaves open: the full types of leaves, the element type of casts
  ///     and one-hots, the shape of what is scattered into nothing. The types that an operation of
  ///     a graph already has are always right here.
  ///   - constant: The elements of an integer input, where they are known.
  package static func infer(
    _ kind: OpKind, inputs: [TensorType], declared: [TensorType], constant: (Int) -> [Int]?
  ) throws(ShapeError) -> [TensorType] {
    switch kind {
    case .placeholder, .splat, .variable, .philox:
      [try leaf(declared)]
    case .constant(let bytes):
      [try self.constant(bytes, declared)]
    case .coordinate(let axis):
      [try coordinate(axis, inputs, declared, constant)]
    case .readVariable:
      [inputs[0]]
    case .assignVariable:
      try assign(inputs)

    case .unary(let operation):
      [try unary(operation, inputs[0])]
    case .binary(let operation):
      [try binary(operation, inputs[0], inputs[1])]
    case .select:
      [try select(inputs)]
    case .clamp:
      [try clamp(inputs)]
    case .cast:
      [try cast(inputs[0], declared)]
    case .reinterpretCast:
      [try reinterpretCast(inputs[0], declared)]

    case .reduce(let operation, let axes):
      [try reduce(operation, inputs[0], axes)]
    case .argReduce(_, let axis):
      [try argReduce(inputs[0], axis)]
    case .cumulative(_, let axis, _, _):
      [try cumulative(inputs[0], axis)]
    case .softMax(let axis):
      [try softMax(inputs, axis)]
    case .softMaxGradient(let axis):
      [try softMax(inputs, axis)]
    case .sort(let axis, _):
      [try sort(inputs[0], axis)]
    case .argSort(let axis, _):
      [TensorType(try sort(inputs[0], axis).shape, .int32)]
    case .topK(let axis, let k, _):
      try topK(inputs[0], axis, k)

    case .shapeOf:
      [TensorType([inputs[0].shape?.count ?? -1], .int32)]
    case .reshape(let target):
      [try reshape(inputs[0], target)]
    case .reshapeTo:
      [try reshape(inputs[0], shapeOperand(inputs[1], declared, constant(1)))]
    case .expandDims(let axes):
      [try expandDims(inputs[0], axes)]
    case .squeeze(let axes):
      [try squeeze(inputs[0], axes)]
    case .flatten2D(let axis):
      [try flatten2D(inputs[0], axis)]
    case .transpose(let permutation):
      [try transpose(inputs[0], permutation)]
    case .broadcast(let target):
      [try broadcast(inputs[0], target, isComplete: true)]
    case .broadcastTo:
      [
        try broadcast(
          inputs[0], shapeOperand(inputs[1], declared, constant(1)), isComplete: false)
      ]
    case .reverse(let axes):
      [try reverse(inputs[0], axes)]

    case .slice(let spec):
      [try slice(inputs[0], spec)]
    case .sliceGradient(let spec):
      [try sliceGradient(inputs, spec, constant(1), declared)]
    case .sliceUpdate(let spec):
      [try sliceUpdate(inputs, spec)]
    case .concat(let axis, let interleave):
      [try concat(inputs, axis, interleave)]
    case .pad(let mode, let left, let right, _):
      [try pad(inputs[0], mode, left, right)]
    case .tile(let multipliers):
      [try tile(inputs[0], multipliers)]

    case .gather(let axis, let batchDimensions):
      [try gather(inputs, axis, batchDimensions)]
    case .gatherND(let batchDimensions):
      [try gatherND(inputs, batchDimensions)]
    case .gatherAlongAxis(let axis):
      [try gatherAlongAxis(inputs, axis)]
    case .scatter(let axis, _, let hasData):
      [try scatter(ScatterOperands(inputs, declared, hasData), axis)]
    case .scatterND(let batchDimensions, _, let hasData):
      [try scatterND(ScatterOperands(inputs, declared, hasData), batchDimensions)]
    case .scatterAlongAxis(let axis, _, let hasData):
      [try scatterAlongAxis(ScatterOperands(inputs, declared, hasData), axis)]
    case .oneHot(let axis, let depth, _, _):
      [try oneHot(inputs[0], axis, depth, declared)]
    case .bandPart(let lower, let upper):
      [try bandPart(inputs[0], lower, upper)]
    case .nonZeroIndices:
      [try nonZeroIndices(inputs[0])]

    case .matmul:
      [try matmul(inputs[0], inputs[1])]
    case .attention(_, let hasMask):
      [try attention(inputs, hasMask)]
    case .attentionGradient(_, let hasMask):
      try attentionGradient(inputs, hasMask)
    case .conv2D(let spec):
      [try conv2D(inputs[0], inputs[1], spec)]
    case .conv2DDataGradient(let spec):
      [try conv2DDataGradient(inputs[0], inputs[1], spec)]
    case .conv2DWeightsGradient(let spec):
      [try conv2DWeightsGradient(inputs[0], inputs[1], spec)]
    case .pool2D(let spec):
      try pool2D(inputs[0], spec)
    case .pool2DGradient(let spec):
      [try pool2DGradient(inputs, spec)]
    }
  }
}

// What several families use.
extension ShapeRules {
  static func check(_ condition: Bool, _ message: @autoclosure () -> String) throws(ShapeError) {
    if !condition { throw ShapeError(message()) }
  }

  /// Sizes that may be one: equal, or one of them unknown.
  static func agree(_ a: Int, _ b: Int) -> Bool { a == b || a == -1 || b == -1 }

  /// What is known of a size that both describe.
  static func meet(_ a: Int, _ b: Int) -> Int { a == -1 ? b : a }

  static func agree(_ a: [Int], _ b: [Int]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { agree($0, $1) }
  }

  /// Nil where a size is unknown.
  static func elementCount(_ dims: some Sequence<Int>) -> Int? {
    var count = 1
    for size in dims {
      if size == -1 { return nil }
      count *= size
    }
    return count
  }

  static func checkAxis(_ axis: Int, _ dims: [Int]) throws(ShapeError) {
    try check(dims.indices.contains(axis), "axis \(axis) is out of range for shape \(dims)")
  }

  static func checkAxes(_ axes: [Int], _ dims: [Int]) throws(ShapeError) {
    for axis in axes { try checkAxis(axis, dims) }
    try check(Set(axes).count == axes.count, "axes \(axes) name a dimension twice")
  }

  /// Scans and sorts on Apple's devices reach the last four dimensions only.
  static func checkMinorAxis(_ axis: Int, _ dims: [Int]) throws(ShapeError) {
    try checkAxis(axis, dims)
    try check(
      axis >= dims.count - 4, "axis \(axis) is not among the last four dimensions of \(dims)")
  }

  static func checkFloat(_ type: TensorType) throws(ShapeError) {
    try check(type.dtype.isFloatingPoint, "\(type.dtype) is not a floating-point type")
  }

  static func checkInteger(_ type: TensorType) throws(ShapeError) {
    try check(type.dtype.isInteger, "\(type.dtype) is not an integer type")
  }

  static func checkSameType(_ types: [TensorType]) throws(ShapeError) {
    for type in types.dropFirst() {
      try check(
        type.dtype == types[0].dtype,
        "operands must have one data type, not \(types[0].dtype) and \(type.dtype)")
    }
  }

  /// NumPy's rule, from the last dimension on. Nil where a rank is unknown.
  static func broadcast(_ types: [TensorType]) throws(ShapeError) -> [Int]? {
    var result: [Int] = []
    for type in types {
      guard let dims = type.shape else { return nil }
      if result.count < dims.count {
        result.insert(
          contentsOf: repeatElement(1, count: dims.count - result.count), at: 0)
      }
      let shift = result.count - dims.count
      for (axis, size) in dims.enumerated() {
        guard let joint = broadcast(result[shift + axis], size) else {
          let shapes = types.map { $0.shape.map { "\($0)" } ?? "unknown" }
          throw ShapeError("shapes \(shapes.joined(separator: ", ")) do not broadcast")
        }
        result[shift + axis] = joint
      }
    }
    return result
  }

  static func broadcast(_ a: Int, _ b: Int) -> Int? {
    if a == b { return a }
    if a == 1 { return b }
    if b == 1 { return a }
    if a == -1 { return b }
    if b == -1 { return a }
    return nil
  }

  /// The target that a shape operand holds: its elements where they are known, else what was known
  /// while the graph was built, else its length.
  static func shapeOperand(
    _ operand: TensorType, _ declared: [TensorType], _ elements: [Int]?
  ) throws(ShapeError) -> [Int] {
    try checkInteger(operand)
    try check(
      operand.shape.map { $0.count == 1 && $0[0] >= 0 } ?? false,
      "a shape tensor must have rank 1 and a known length")
    return elements ?? declared.first?.shape
      ?? [Int](repeating: -1, count: operand.shape?[0] ?? 0)
  }
}
