// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// Numbers in [0, 1) with 24 random bits, one word each.
  public func philoxUniform(_ offset: Tensor, size: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("philox_uniform", [self, offset], [.dims(size)])[0]
  }

  /// Integers in [0, 2^32), one word each.
  public func philoxBits(_ offset: Tensor, size: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("philox_bits", [self, offset], [.dims(size)])[0]
  }

  /// Uniform numbers in [0, 1).
  public static func rand(size: [Dim], dtype: DType = .float32) throws(LucidError) -> Tensor {
    try Tensor.apply("rand", [], [.dims(size), .dtype(dtype)])[0]
  }

  /// Normal numbers of mean 0 and variance 1.
  public static func randn(size: [Dim], dtype: DType = .float32) throws(LucidError) -> Tensor {
    try Tensor.apply("randn", [], [.dims(size), .dtype(dtype)])[0]
  }

  /// Integers in [low, high).
  public static func randint(
    size: [Dim], low: Int, high: Int, dtype: DType = .int64
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("randint", [], [.dims(size), .int(low), .int(high), .dtype(dtype)])[0]
  }

  /// The integers from 0 to n - 1 in random order; size is (n,).
  public static func randperm(size: [Dim], dtype: DType = .int64) throws(LucidError) -> Tensor {
    try Tensor.apply("randperm", [], [.dims(size), .dtype(dtype)])[0]
  }

  /// 1 with the probability that input gives, else 0.
  public func bernoulli() throws(LucidError) -> Tensor {
    try Tensor.apply("bernoulli", [self])[0]
  }

  /// Uniform numbers in [low, high) of input's shape.
  public func randLike(low: Double = 0.0, high: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("rand_like", [self], [.float(low as Double), .float(high as Double)])[0]
  }

  /// Normal numbers of input's shape.
  public func randnLike(mean: Double = 0.0, std: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("randn_like", [self], [.float(mean as Double), .float(std as Double)])[0]
  }

  /// Exponential numbers of rate lambd and of input's shape.
  public func exponential(lambd: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("exponential", [self], [.float(lambd as Double)])[0]
  }

  /// Normal numbers with the given means and deviations.
  public func normal(_ std: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("normal", [self, std])[0]
  }

  /// Zeros elements with probability p and scales the rest by 1 / (1 - p).
  public func dropout(p: Double = 0.5, training: Bool = true) throws(LucidError) -> Tensor {
    try Tensor.apply("dropout", [self], [.float(p as Double), .bool(training)])[0]
  }

  /// dropout of whole channels: one decision per (sample, channel).
  public func featureDropout(p: Double = 0.5, training: Bool = true) throws(LucidError) -> Tensor {
    try Tensor.apply("feature_dropout", [self], [.float(p as Double), .bool(training)])[0]
  }

  /// dropout that keeps the mean and variance of selu.
  public func alphaDropout(p: Double = 0.5, training: Bool = true) throws(LucidError) -> Tensor {
    try Tensor.apply("alpha_dropout", [self], [.float(p as Double), .bool(training)])[0]
  }

  /// alpha_dropout of whole channels.
  public func featureAlphaDropout(
    p: Double = 0.5, training: Bool = true
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("feature_alpha_dropout", [self], [.float(p as Double), .bool(training)])[0]
  }

  /// input where positive, else input times a slope drawn from [lower, upper] (their mean outside training).
  public func rrelu(
    lower: Double = 0.125, upper: Double = 0.3333333333333333, training: Bool = true
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "rrelu", [self],
      [
        .float(lower as Double), .float(upper as Double), .bool(training),
      ])[0]
  }

  /// Indices drawn with probabilities proportional to the last axis.
  public func multinomial(numSamples: Int, replacement: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply("multinomial", [self], [.int(numSamples), .bool(replacement)])[0]
  }
}
