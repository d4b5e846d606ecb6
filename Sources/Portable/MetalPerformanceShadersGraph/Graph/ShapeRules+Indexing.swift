import MetalPerformanceShaders

/// Operands of the scatter operations, with or without data to start from.
struct ScatterOperands {
  let result: TensorType
  let updates: TensorType
  let indices: TensorType

  init(_ inputs: [TensorType], _ declared: [TensorType], _ hasData: Bool) throws(ShapeError) {
    updates = inputs[hasData ? 1 : 0]
    indices = inputs[hasData ? 2 : 1]
    if hasData {
      result = inputs[0]
      try ShapeRules.checkSameType([result, updates])
    } else {
      let shape = declared.first?.shape
      try ShapeRules.check(
        shape.map { $0.allSatisfy { $0 > 0 } } ?? false,
        "the result needs a complete shape, not \(shape ?? [])")
      result = TensorType(shape, updates.dtype)
    }
    try ShapeRules.checkInteger(indices)
    try ShapeRules.check(
      result.shape.map { !$0.isEmpty } ?? true, "a scalar has no axis to index")
  }
}

extension ShapeRules {
  static func gather(_ inputs: [TensorType], _ axis: Int, _ batch: Int) throws(ShapeError)
    -> TensorType
  {
    try checkInteger(inputs[1])
    guard let updates = inputs[0].shape, let indices = inputs[1].shape else {
      return TensorType(nil, inputs[0].dtype)
    }
    try checkAxis(axis, updates)
    try check(
      batch >= 0 && batch <= axis && batch <= indices.count
        && agree(Array(updates[..<batch]), Array(indices[..<batch])),
      "shapes \(updates) and \(indices) do not share \(batch) batch dimensions before axis \(axis)")
    var result = Array(updates[..<axis])
    result += indices[batch...]
    result += updates[(axis + 1)...]
    return TensorType(result, inputs[0].dtype)
  }

  static func gatherND(_ inputs: [TensorType], _ batch: Int) throws(ShapeError) -> TensorType {
    try checkInteger(inputs[1])
    guard let updates = inputs[0].shape, let indices = inputs[1].shape else {
      return TensorType(nil, inputs[0].dtype)
    }
    let depth = try indexDepth(updates, indices, batch)
    return TensorType(
      Array(indices.dropLast()) + Array(updates[(batch + depth)...]), inputs[0].dtype)
  }

  /// How many dimensions one entry of N-dimensional indices selects.
  private static func indexDepth(_ data: [Int], _ indices: [Int], _ batch: Int)
    throws(ShapeError) -> Int
  {
    guard let depth = indices.last, !data.isEmpty else {
      throw ShapeError("a scalar has no axis to index")
    }
    try check(
      batch >= 0 && batch < data.count && batch < indices.count
        && agree(Array(data[..<batch]), Array(indices[..<batch])),
      "shapes \(data) and \(indices) do not share \(batch) batch dimensions")
    try check(
      depth >= 1 && depth <= data.count - batch,
      "indices of shape \(indices) do not select dimensions of shape \(data) after \(batch)")
    return depth
  }

  static func gatherAlongAxis(_ inputs: [TensorType], _ axis: Int) throws(ShapeError)
    -> TensorType
  {
    try checkInteger(inputs[1])
    guard let updates = inputs[0].shape, let indices = inputs[1].shape else {
      return TensorType(inputs[1].shape, inputs[0].dtype)
    }
    try checkAxis(axis, updates)
    try check(
      updates.count == indices.count
        && updates.indices.allSatisfy { $0 == axis || agree(updates[$0], indices[$0]) },
      "indices of shape \(indices) do not fit shape \(updates) beside axis \(axis)")
    return TensorType(
      updates.indices.map { $0 == axis ? indices[$0] : meet(indices[$0], updates[$0]) },
      inputs[0].dtype)
  }

  static func scatter(_ operands: ScatterOperands, _ axis: Int) throws(ShapeError) -> TensorType {
    guard let dims = operands.result.shape, let updates = operands.updates.shape,
      let indices = operands.indices.shape
    else { return operands.result }
    try checkAxis(axis, dims)
    try check(indices.count == 1, "indices of shape \(indices) must have rank 1")
    try check(
      updates.count == dims.count
        && dims.indices.allSatisfy { agree(updates[$0], $0 == axis ? indices[0] : dims[$0]) },
      """
      updates of shape \(updates) with \(indices[0]) indices do not fit shape \(dims) along axis \
      \(axis)
      """)
    return operands.result
  }

  static func scatterND(_ operands: ScatterOperands, _ batch: Int) throws(ShapeError)
    -> TensorType
  {
    guard let dims = operands.result.shape, let updates = operands.updates.shape,
      let indices = operands.indices.shape
    else { return operands.result }
    let depth = try indexDepth(dims, indices, batch)
    let expected = Array(indices.dropLast()) + Array(dims[(batch + depth)...])
    try check(
      agree(updates, expected),
      "updates of shape \(updates) must have shape \(expected) for indices of shape \(indices)")
    return operands.result
  }

  static func scatterAlongAxis(_ operands: ScatterOperands, _ axis: Int) throws(ShapeError)
    -> TensorType
  {
    guard let dims = operands.result.shape, let updates = operands.updates.shape,
      let indices = operands.indices.shape
    else { return operands.result }
    try checkAxis(axis, dims)
    try check(
      agree(updates, indices),
      "updates of shape \(updates) and indices of shape \(indices) must have one shape")
    try check(
      updates.count == dims.count
        && dims.indices.allSatisfy { $0 == axis || agree(updates[$0], dims[$0]) },
      "updates of shape \(updates) do not fit shape \(dims) beside axis \(axis)")
    return operands.result
  }

  static func oneHot(_ input: TensorType, _ axis: Int, _ depth: Int, _ declared: [TensorType])
    throws(ShapeError) -> TensorType
  {
    try checkInteger(input)
    try check(depth > 0, "depth \(depth) is not positive")
    let dtype = try cast(input, declared).dtype
    guard var dims = input.shape else { return TensorType(nil, dtype) }
    try check(
      axis >= 0 && axis <= dims.count, "axis \(axis) is out of range for shape \(dims)")
    dims.insert(depth, at: axis)
    return TensorType(dims, dtype)
  }

  static func bandPart(_ input: TensorType, _ lower: Int, _ upper: Int) throws(ShapeError)
    -> TensorType
  {
    try check(lower >= -1 && upper >= -1, "band widths \(lower) and \(upper) are below -1")
    try check((input.shape?.count ?? 2) >= 2, "shape \(input.shape ?? []) has no matrix")
    return input
  }

  static func nonZeroIndices(_ input: TensorType) throws(ShapeError) -> TensorType {
    try check((input.shape?.count ?? 1) >= 1, "a scalar has no index")
    return TensorType([-1, input.shape?.count ?? -1], .int32)
  }
}
