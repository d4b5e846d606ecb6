// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// input limited to [0, 6].
  public func relu6() throws(LucidError) -> Tensor {
    try Tensor.apply("relu6", [self])[0]
  }

  /// input limited to [min_val, max_val].
  public func hardtanh(minVal: Double = -1.0, maxVal: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("hardtanh", [self], [.float(minVal as Double), .float(maxVal as Double)])[0]
  }

  /// input where positive, else negative_slope · input.
  public func leakyRelu(negativeSlope: Double = 0.01) throws(LucidError) -> Tensor {
    try Tensor.apply("leaky_relu", [self], [.float(negativeSlope as Double)])[0]
  }

  /// input where positive, else weight · input, with a weight per channel (axis 1) or one for all.
  public func prelu(_ weight: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("prelu", [self, weight])[0]
  }

  /// input where positive, else alpha · (exp(input) - 1).
  public func elu(alpha: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("elu", [self], [.float(alpha as Double)])[0]
  }

  /// input where positive, else alpha · (exp(input / alpha) - 1).
  public func celu(alpha: Double = 1.0) throws(LucidError) -> Tensor {
    try Tensor.apply("celu", [self], [.float(alpha as Double)])[0]
  }

  /// The self-normalising scaled elu.
  public func selu() throws(LucidError) -> Tensor {
    try Tensor.apply("selu", [self])[0]
  }

  /// input outside [-lambd, lambd], 0 inside.
  public func hardshrink(lambd: Double = 0.5) throws(LucidError) -> Tensor {
    try Tensor.apply("hardshrink", [self], [.float(lambd as Double)])[0]
  }

  /// input moved toward 0 by lambd, and 0 within.
  public func softshrink(lambd: Double = 0.5) throws(LucidError) -> Tensor {
    try Tensor.apply("softshrink", [self], [.float(lambd as Double)])[0]
  }

  /// input above the threshold, value elsewhere.
  public func threshold(threshold: Double, value: Double) throws(LucidError) -> Tensor {
    try Tensor.apply("threshold", [self], [.float(threshold as Double), .float(value as Double)])[0]
  }

  /// input · Φ(input), exactly or by the tanh approximation.
  public func gelu(approximate: String = "none") throws(LucidError) -> Tensor {
    try Tensor.apply("gelu", [self], [try .word(approximate, "approximate", ["none", "tanh"])])[0]
  }

  /// input · sigmoid(input).
  public func silu() throws(LucidError) -> Tensor {
    try Tensor.apply("silu", [self])[0]
  }

  /// input · tanh(softplus(input)).
  public func mish() throws(LucidError) -> Tensor {
    try Tensor.apply("mish", [self])[0]
  }

  /// log(1 + exp(beta · input)) / beta, input itself where that is above threshold.
  public func softplus(beta: Double = 1.0, threshold: Double = 20.0) throws(LucidError) -> Tensor {
    try Tensor.apply("softplus", [self], [.float(beta as Double), .float(threshold as Double)])[0]
  }

  /// log(sigmoid(input)).
  public func logsigmoid() throws(LucidError) -> Tensor {
    try Tensor.apply("logsigmoid", [self])[0]
  }

  /// input / (1 + |input|).
  public func softsign() throws(LucidError) -> Tensor {
    try Tensor.apply("softsign", [self])[0]
  }

  /// input - tanh(input).
  public func tanhshrink() throws(LucidError) -> Tensor {
    try Tensor.apply("tanhshrink", [self])[0]
  }

  /// (input + 3) / 6 limited to [0, 1].
  public func hardsigmoid() throws(LucidError) -> Tensor {
    try Tensor.apply("hardsigmoid", [self])[0]
  }

  /// input · hardsigmoid(input).
  public func hardswish() throws(LucidError) -> Tensor {
    try Tensor.apply("hardswish", [self])[0]
  }

  /// The first half of an axis times the sigmoid of the second.
  public func glu(dim: Int = -1) throws(LucidError) -> Tensor {
    try Tensor.apply("glu", [self], [.int(dim)])[0]
  }

  /// exp(input) over its sum along an axis; NaN where all are -inf.
  public func softmax(dim: Int, dtype: DType? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "softmax", [self],
      [
        .int(dim), dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The logarithm of softmax, without its underflow.
  public func logSoftmax(dim: Int, dtype: DType? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "log_softmax", [self],
      [
        .int(dim), dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// softmax of the negated operand.
  public func softmin(dim: Int, dtype: DType? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "softmin", [self],
      [
        .int(dim), dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// softmax of a floating-point operand with axes.
  public func softmaxLines(dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("softmax_lines", [self], [.int(dim)])[0]
  }

  /// log_softmax of a floating-point operand with axes.
  public func logSoftmaxLines(dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("log_softmax_lines", [self], [.int(dim)])[0]
  }
}
