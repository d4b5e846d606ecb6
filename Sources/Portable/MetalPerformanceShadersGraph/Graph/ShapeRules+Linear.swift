import MetalPerformanceShaders

extension ShapeRules {
  static func matmul(_ first: TensorType, _ second: TensorType) throws(ShapeError) -> TensorType {
    try checkSameType([first, second])
    try checkFloat(first)
    guard let a = first.shape, let b = second.shape else { return TensorType(nil, first.dtype) }
    try check(!a.isEmpty && !b.isEmpty, "a scalar has no matrix")
    // Rank 1 counts as one row, on either side.
    let left = a.count == 1 ? [1] + a : a
    let right = b.count == 1 ? [1] + b : b
    try check(
      agree(left[left.count - 1], right[right.count - 2]),
      "inner sizes of shapes \(a) and \(b) differ")
    let batch = try broadcast([
      TensorType(Array(left.dropLast(2)), first.dtype),
      TensorType(Array(right.dropLast(2)), first.dtype),
    ])
    return TensorType(
      (batch ?? []) + [left[left.count - 2], right[right.count - 1]], first.dtype)
  }

  /// Query, key, value and perhaps an additive mask.
  static func attention(_ inputs: [TensorType], _ hasMask: Bool) throws(ShapeError) -> TensorType {
    try checkSameType(Array(inputs.prefix(3)))
    try check(
      inputs[0].dtype == .float32 || inputs[0].dtype == .float16,
      "\(inputs[0].dtype) is not supported: attention takes float32 and float16")
    if hasMask { try checkSameType([inputs[0], inputs[3]]) }
    guard let query = inputs[0].shape, let key = inputs[1].shape, let value = inputs[2].shape
    else { return TensorType(nil, inputs[0].dtype) }
    try check(
      query.count >= 2 && query.count == key.count && query.count == value.count,
      "query \(query), key \(key) and value \(value) must have one rank of at least 2")
    let rank = query.count
    try check(
      agree(query[rank - 1], key[rank - 1]) && agree(key[rank - 2], value[rank - 2]),
      "query \(query), key \(key) and value \(value) do not go together")
    let batch =
      try broadcast([query, key, value].map { TensorType(Array($0.dropLast(2)), .float32) }) ?? []
    if hasMask, let mask = inputs[3].shape {
      let scores = batch + [query[rank - 2], key[rank - 2]]
      let lead = scores.count - mask.count
      try check(
        lead >= 0
          && mask.indices.allSatisfy { mask[$0] == 1 || agree(mask[$0], scores[lead + $0]) },
        "a mask of shape \(mask) does not broadcast to scores of shape \(scores)")
    }
    return TensorType(batch + [query[rank - 2], value[rank - 1]], inputs[0].dtype)
  }

  /// The operands of the forward operation, then the gradient of its result.
  static func attentionGradient(_ inputs: [TensorType], _ hasMask: Bool) throws(ShapeError)
    -> [TensorType]
  {
    let result = try attention(Array(inputs.dropLast()), hasMask)
    try checkSameType([result, inputs[inputs.count - 1]])
    if let expected = result.shape, let gradient = inputs[inputs.count - 1].shape {
      try check(
        agree(expected, gradient),
        "a gradient of shape \(gradient) is not that of a result of shape \(expected)")
      for type in inputs.prefix(3) {
        try check(
          agree(Array((type.shape ?? []).dropLast(2)), Array(expected.dropLast(2))),
          "query, key and value must have the batch dimensions of the result, \(expected)")
      }
    }
    return Array(inputs.prefix(3))
  }
}
