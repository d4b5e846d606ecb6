// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// (input - mean) / sqrt(variance + eps) over axes, with the mean and the population variance.
  public func standardize(dims: [Int], eps: Double) throws(LucidError) -> [Tensor] {
    try Tensor.apply("standardize", [self], [.ints(dims), .float(eps as Double)])
  }

  /// Standardizes over the last axes, then scales by weight and adds bias.
  public func layerNorm(
    _ weight: Tensor? = nil, bias: Tensor? = nil, normalizedShape: [Dim], eps: Double = 1e-05
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "layer_norm", [self, weight, bias],
      [
        .dims(normalizedShape), .float(eps as Double),
      ])[0]
  }

  /// Divides by the root of the mean square over the last axes, then scales by weight.
  public func rmsNorm(
    _ weight: Tensor? = nil, normalizedShape: [Dim], eps: Double? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "rms_norm", [self, weight],
      [
        .dims(normalizedShape), eps.map { Attribute.float($0 as Double) } ?? Attribute.none,
      ])[0]
  }

  /// Standardizes over groups of channels and all positions, then scales and shifts channels.
  public func groupNorm(
    _ weight: Tensor? = nil, bias: Tensor? = nil, numGroups: Int, eps: Double = 1e-05
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "group_norm", [self, weight, bias],
      [
        .int(numGroups), .float(eps as Double),
      ])[0]
  }

  /// Standardizes each channel over its positions, then scales and shifts channels.
  public func instanceNorm(
    _ weight: Tensor? = nil, bias: Tensor? = nil, eps: Double = 1e-05
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("instance_norm", [self, weight, bias], [.float(eps as Double)])[0]
  }

  /// Normalizes channels by running statistics, then scales and shifts them.
  public func batchNorm(
    _ runningMean: Tensor, runningVar: Tensor, weight: Tensor? = nil, bias: Tensor? = nil,
    eps: Double = 1e-05
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "batch_norm", [self, runningMean, runningVar, weight, bias],
      [
        .float(eps as Double)
      ])[0]
  }

  /// Standardizes channels over the batch, then scales and shifts them; also the running statistics after the step.
  public func batchNormTraining(
    _ runningMean: Tensor, runningVar: Tensor, weight: Tensor? = nil, bias: Tensor? = nil,
    momentum: Double = 0.1, eps: Double = 1e-05
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "batch_norm_training", [self, runningMean, runningVar, weight, bias],
      [
        .float(momentum as Double), .float(eps as Double),
      ])
  }

  /// batch_norm_training without running statistics: also the batch's mean and unbiased variance.
  public func batchNormBatch(
    _ weight: Tensor? = nil, bias: Tensor? = nil, eps: Double = 1e-05
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("batch_norm_batch", [self, weight, bias], [.float(eps as Double)])
  }

  /// Divides by (k + alpha · the mean square of neighbouring channels)^beta.
  public func localResponseNorm(
    size: Int, alpha: Double = 0.0001, beta: Double = 0.75, k: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "local_response_norm", [self],
      [
        .int(size), .float(alpha as Double), .float(beta as Double), .float(k as Double),
      ])[0]
  }

  /// Divides by the p-norm along an axis, or by eps if that is smaller.
  public func normalize(
    p: Double = 2.0, dim: [Int] = [1], eps: Double = 1e-12
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "normalize", [self],
      [
        .float(p as Double), .ints(dim), .float(eps as Double),
      ])[0]
  }

  /// The cosine of the angle between vectors along an axis.
  public func cosineSimilarity(
    _ x2: Tensor, dim: Int = 1, eps: Double = 1e-08
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("cosine_similarity", [self, x2], [.int(dim), .float(eps as Double)])[0]
  }

  /// The p-norm of x1 - x2 + eps along the last axis.
  public func pairwiseDistance(
    _ x2: Tensor, p: Double = 2.0, eps: Double = 1e-06, keepdim: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "pairwise_distance", [self, x2],
      [
        .float(p as Double), .float(eps as Double), .bool(keepdim),
      ])[0]
  }

  /// The p-norm distance of each row of x1 to each row of x2.
  public func cdist(_ x2: Tensor, p: Double = 2.0) throws(LucidError) -> Tensor {
    try Tensor.apply("cdist", [self, x2], [.float(p as Double)])[0]
  }

  /// softmax(query · keyᵀ · scale + mask) · value. A bool mask is true where attention is allowed; is_causal allows j <= i. Rows that allow nothing give zeros.
  public func scaledDotProductAttention(
    _ key: Tensor, value: Tensor, mask: Tensor? = nil, dropoutP: Double = 0.0,
    isCausal: Bool = false, scale: Double? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "scaled_dot_product_attention", [self, key, value, mask],
      [
        .float(dropoutP as Double), .bool(isCausal),
        scale.map { Attribute.float($0 as Double) } ?? Attribute.none,
      ])[0]
  }

  /// Attention of rank-4 operands, with an additive finite mask or a causal one.
  public func attention(
    _ key: Tensor, value: Tensor, mask: Tensor? = nil, scale: Double, isCausal: Bool
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "attention", [self, key, value, mask],
      [
        .float(scale as Double), .bool(isCausal),
      ])[0]
  }

  /// The gradients of attention with respect to query, key and value.
  public func attentionGradient(
    _ key: Tensor, value: Tensor, gradient: Tensor, mask: Tensor? = nil, scale: Double,
    isCausal: Bool
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "attention_gradient", [self, key, value, gradient, mask],
      [
        .float(scale as Double), .bool(isCausal),
      ])
  }
}
