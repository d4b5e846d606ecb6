// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The squared difference.
  public func mseLoss(_ target: Tensor, reduction: String = "mean") throws(LucidError) -> Tensor {
    try Tensor.apply(
      "mse_loss", [self, target],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// The absolute difference.
  public func l1Loss(_ target: Tensor, reduction: String = "mean") throws(LucidError) -> Tensor {
    try Tensor.apply(
      "l1_loss", [self, target],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// The squared difference over 2 · beta below beta, else linear.
  public func smoothL1Loss(
    _ target: Tensor, beta: Double = 1.0, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "smooth_l1_loss", [self, target],
      [
        .float(beta as Double), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// Half the squared difference below delta, else linear.
  public func huberLoss(
    _ target: Tensor, delta: Double = 1.0, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "huber_loss", [self, target],
      [
        .float(delta as Double), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// target · (log(target) - input), or exp(target) for a target of logarithms.
  public func klDiv(
    _ target: Tensor, logTarget: Bool = false, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "kl_div", [self, target],
      [
        .bool(logTarget), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// -log softmax over the classes (axis 1, or 0 of a vector) at target: class numbers, or probabilities of input's shape.
  public func crossEntropy(
    _ target: Tensor, weight: Tensor? = nil, reduction: String = "mean", ignoreIndex: Int = -100,
    labelSmoothing: Double = 0.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "cross_entropy", [self, target, weight],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"]), .int(ignoreIndex),
        .float(labelSmoothing as Double),
      ])[0]
  }

  /// -input at the target's class (axis 1, or 0 of a vector) for logarithms of probabilities.
  public func nllLoss(
    _ target: Tensor, weight: Tensor? = nil, reduction: String = "mean", ignoreIndex: Int = -100
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "nll_loss", [self, target, weight],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"]), .int(ignoreIndex),
      ])[0]
  }

  /// input where target is 1, max(0, margin - input) where it is -1.
  public func hingeEmbeddingLoss(
    _ target: Tensor, margin: Double = 1.0, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "hinge_embedding_loss", [self, target],
      [
        .float(margin as Double), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// log(1 + exp(-target · input)).
  public func softMarginLoss(
    _ target: Tensor, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "soft_margin_loss", [self, target],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// max(0, -target · (input1 - input2) + margin).
  public func marginRankingLoss(
    _ input2: Tensor, target: Tensor, margin: Double = 0.0, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "margin_ranking_loss", [self, input2, target],
      [
        .float(margin as Double), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// The mean over classes of max(0, margin - input[target] + input)^p.
  public func multiMarginLoss(
    _ target: Tensor, weight: Tensor? = nil, p: Int = 1, margin: Double = 1.0,
    reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "multi_margin_loss", [self, target, weight],
      [
        .int(p), .float(margin as Double),
        try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// Over classes, the sum of max(0, 1 - input[label] + input[other]) by their number; labels end at -1.
  public func multilabelMarginLoss(
    _ target: Tensor, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "multilabel_margin_loss", [self, target],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// The mean over the last axis of the binary cross entropy of sigmoid(input).
  public func multilabelSoftMarginLoss(
    _ target: Tensor, weight: Tensor? = nil, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "multilabel_soft_margin_loss", [self, target, weight],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// 1 - cosine where target is 1, max(0, cosine - margin) where it is -1.
  public func cosineEmbeddingLoss(
    _ input2: Tensor, target: Tensor, margin: Double = 0.0, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "cosine_embedding_loss", [self, input2, target],
      [
        .float(margin as Double), try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// max(0, |anchor - positive| - |anchor - negative| + margin) in the p-norm of the last axis.
  public func tripletMarginLoss(
    _ positive: Tensor, negative: Tensor, margin: Double = 1.0, p: Double = 2.0,
    eps: Double = 1e-06, swap: Bool = false, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "triplet_margin_loss", [self, positive, negative],
      [
        .float(margin as Double), .float(p as Double), .float(eps as Double), .bool(swap),
        try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// -(target · log(input) + (1 - target) · log(1 - input)), logarithms at least -100.
  public func binaryCrossEntropy(
    _ target: Tensor, weight: Tensor? = nil, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "binary_cross_entropy", [self, target, weight],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// binary_cross_entropy of sigmoid(input), without its overflow; pos_weight scales the positive part.
  public func binaryCrossEntropyWithLogits(
    _ target: Tensor, weight: Tensor? = nil, posWeight: Tensor? = nil, reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "binary_cross_entropy_with_logits", [self, target, weight, posWeight],
      [
        try .word(reduction, "reduction", ["none", "mean", "sum"])
      ])[0]
  }

  /// exp(input) - target · input for a logarithmic input.
  public func poissonNllLoss(
    _ target: Tensor, logInput: Bool = true, full: Bool = false, eps: Double = 1e-08,
    reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "poisson_nll_loss", [self, target],
      [
        .bool(logInput), .bool(full), .float(eps as Double),
        try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// Half of log(var) + (input - target)² / var, var being at least eps.
  public func gaussianNllLoss(
    _ target: Tensor, `var`: Tensor, full: Bool = false, eps: Double = 1e-06,
    reduction: String = "mean"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "gaussian_nll_loss", [self, target, `var`],
      [
        .bool(full), .float(eps as Double),
        try .word(reduction, "reduction", ["none", "mean", "sum"]),
      ])[0]
  }

  /// The connectionist temporal classification loss: -log of the probability of a target over all its alignments.
  public func ctcLoss(
    _ targets: Tensor, inputLengths: Tensor, targetLengths: Tensor, blank: Int = 0,
    reduction: String = "mean", zeroInfinity: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "ctc_loss", [self, targets, inputLengths, targetLengths],
      [
        .int(blank), try .word(reduction, "reduction", ["none", "mean", "sum"]),
        .bool(zeroInfinity),
      ])[0]
  }
}
