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
    try Tensor.apply("layer_norm", [self, weight, bias],
      [
        .dims(normalizedShape), .float(eps as Double)
      ])[0]
  }

  /// Divides by the root of the mean square over the last axes, then scales by weight.
  public func rmsNorm(
    _ weight: Tensor? = nil, normalizedShape: [Dim], eps: Double? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("rms_norm", [self, weight],
      [
        .dims(normalizedShape), eps.map { Attribute.float($0 as Double) } ?? Attribute.none
      ])[0]
  }

  /// Standardizes over groups of channels and all positions, then scales and shifts channels.
  public func groupNorm(
    _ weight: Tensor? = nil, bias: Tensor? = nil, numGroups: Int, eps: Double = 1e-05
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("group_norm", [self, weight, bias],
      [
        .int(numGroups), .float(eps as Double)
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
    try Tensor.apply("batch_norm", [self, runningMean, runningVar, weight, bias],
      [
        .float(eps as Double)
      ])[0]
  }

  /// Standardizes channels over the batch, then scales and shifts them; also the running statistics after the step.
  public func batchNormTraining(
    _ runningMean: Tensor, runningVar: Tensor, weight: Tensor? = nil, bias: Tensor? = nil,
    momentum: Double = 0.1, eps: Double = 1e-05
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("batch_norm_training", [self, runningMean, runningVar, weight, bias],
      [
        .float(momentum as Double), .float(eps as Double)
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
    try Tensor.apply("local_response_norm", [self],
      [
        .int(size), .float(alpha as Double), .float(beta as Double), .float(k as Double)
      ])[0]
  }

  /// Divides by the p-norm along an axis, or by eps if that is smaller.
  public func normalize(
    p: Double = 2.0, dim: [Int] = [1], eps: Double = 1e-12
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("normalize", [self],
      [
        .float(p as Double), .ints(dim), .float(eps as Double)
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
    try Tensor.apply("pairwise_distance", [self, x2],
      [
        .float(p as Double), .float(eps as Double), .bool(keepdim)
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
    try Tensor.apply("scaled_dot_product_attention", [self, key, value, mask],
      [
        .float(dropoutP as Double), .bool(isCausal),
        scale.map { Attribute.float($0 as Double) } ?? Attribute.none
      ])[0]
  }

  /// Attention of rank-4 operands, with an additive finite mask or a causal one.
  public func attention(
    _ key: Tensor, value: Tensor, mask: Tensor? = nil, scale: Double, isCausal: Bool
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("attention", [self, key, value, mask],
      [
        .float(scale as Double), .bool(isCausal)
      ])[0]
  }

  /// The gradients of attention with respect to query, key and value.
  public func attentionGradient(
    _ key: Tensor, value: Tensor, gradient: Tensor, mask: Tensor? = nil, scale: Double,
    isCausal: Bool
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("attention_gradient", [self, key, value, gradient, mask],
      [
        .float(scale as Double), .bool(isCausal)
      ])
  }

  /// The convolution over the last axis. padding is one number per axis, or before and after of each axis.
  public func conv1d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    dilation: [Int] = [1], groups: Int = 1
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv1d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups)
      ])[0]
  }

  /// The convolution over the last two axes. padding is one number per axis, or before and after of each axis.
  public func conv2d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    dilation: [Int] = [1], groups: Int = 1
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv2d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups)
      ])[0]
  }

  /// The transposed convolution over the last axis. The weight is (input channels, output channels / groups, kernel).
  public func convTranspose1d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    outputPadding: [Int] = [0], groups: Int = 1, dilation: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv_transpose1d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(outputPadding), .int(groups), .ints(dilation)
      ])[0]
  }

  /// The transposed convolution over the last two axes. The weight is (input channels, output channels / groups, kernel).
  public func convTranspose2d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    outputPadding: [Int] = [0], groups: Int = 1, dilation: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv_transpose2d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(outputPadding), .int(groups), .ints(dilation)
      ])[0]
  }

  /// The convolution of (N, C, H, W) with (O, C / groups, kH, kW); padding is top, bottom, left, right.
  public func conv2dCore(
    _ weight: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv2d_core", [self, weight],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups)
      ])[0]
  }

  /// The gradient of conv2d_core with respect to an input of shape input_size.
  public func conv2dInputGradient(
    _ weight: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int, inputSize: [Dim]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv2d_input_gradient", [self, weight],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups), .dims(inputSize)
      ])[0]
  }

  /// The gradient of conv2d_core with respect to a weight of shape weight_size.
  public func conv2dWeightGradient(
    _ input: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int, weightSize: [Dim]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("conv2d_weight_gradient", [self, input],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups), .dims(weightSize)
      ])[0]
  }

  /// The largest element of each window.
  public func maxPool1d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("max_pool1d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode)
      ])[0]
  }

  /// The largest element of each window, and its position in the flat pooled axes.
  public func maxPool1dWithIndices(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("max_pool1d_with_indices", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode)
      ])
  }

  /// The mean of each window.
  public func avgPool1d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], ceilMode: Bool = false,
    countIncludePad: Bool = true, divisorOverride: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("avg_pool1d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .bool(ceilMode), .bool(countIncludePad),
        divisorOverride.map { Attribute.int($0) } ?? Attribute.none
      ])[0]
  }

  /// The p-norm of each window.
  public func lpPool1d(
    normType: Double, kernelSize: [Int], stride: [Int]? = nil, ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("lp_pool1d", [self],
      [
        .float(normType as Double), .ints(kernelSize),
        stride.map { Attribute.ints($0) } ?? Attribute.none, .bool(ceilMode)
      ])[0]
  }

  /// The means of output_size even windows. -1 keeps an extent.
  public func adaptiveAvgPool1d(outputSize: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("adaptive_avg_pool1d", [self], [.ints(outputSize)])[0]
  }

  /// The largest elements of output_size even windows. -1 keeps an extent.
  public func adaptiveMaxPool1d(outputSize: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("adaptive_max_pool1d", [self], [.ints(outputSize)])[0]
  }

  /// The largest element of each window.
  public func maxPool2d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("max_pool2d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode)
      ])[0]
  }

  /// The largest element of each window, and its position in the flat pooled axes.
  public func maxPool2dWithIndices(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("max_pool2d_with_indices", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode)
      ])
  }

  /// The mean of each window.
  public func avgPool2d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], ceilMode: Bool = false,
    countIncludePad: Bool = true, divisorOverride: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("avg_pool2d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .bool(ceilMode), .bool(countIncludePad),
        divisorOverride.map { Attribute.int($0) } ?? Attribute.none
      ])[0]
  }

  /// The p-norm of each window.
  public func lpPool2d(
    normType: Double, kernelSize: [Int], stride: [Int]? = nil, ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("lp_pool2d", [self],
      [
        .float(normType as Double), .ints(kernelSize),
        stride.map { Attribute.ints($0) } ?? Attribute.none, .bool(ceilMode)
      ])[0]
  }

  /// The means of output_size even windows. -1 keeps an extent.
  public func adaptiveAvgPool2d(outputSize: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("adaptive_avg_pool2d", [self], [.ints(outputSize)])[0]
  }

  /// The largest elements of output_size even windows. -1 keeps an extent.
  public func adaptiveMaxPool2d(outputSize: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("adaptive_max_pool2d", [self], [.ints(outputSize)])[0]
  }

  /// The largest element of each window of (N, C, H, W).
  public func maxPool2dCore(
    kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("max_pool2d_core", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation)
      ])[0]
  }

  /// The flat position in (H, W) of the largest element of each window.
  public func maxPool2dIndices(
    kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("max_pool2d_indices", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation)
      ])[0]
  }

  /// The mean of each window of (N, C, H, W), padding counting as zeros.
  public func avgPool2dCore(
    kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("avg_pool2d_core", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation)
      ])[0]
  }

  /// The gradient of max_pool2d_core.
  public func maxPool2dGradient(
    _ input: Tensor, kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("max_pool2d_gradient", [self, input],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation)
      ])[0]
  }

  /// The gradient of avg_pool2d_core.
  public func avgPool2dGradient(
    _ input: Tensor, kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("avg_pool2d_gradient", [self, input],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation)
      ])[0]
  }

  /// Moves blocks of channels to squares of pixels.
  public func pixelShuffle(upscaleFactor: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("pixel_shuffle", [self], [.int(upscaleFactor)])[0]
  }

  /// Moves squares of pixels to blocks of channels.
  public func pixelUnshuffle(downscaleFactor: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("pixel_unshuffle", [self], [.int(downscaleFactor)])[0]
  }

  /// Interleaves groups of channels.
  public func channelShuffle(groups: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("channel_shuffle", [self], [.int(groups)])[0]
  }

  /// The windows of an image as columns: (N, C · kH · kW, windows).
  public func im2col(
    kernelSize: [Int], dilation: [Int] = [1], padding: [Int] = [0], stride: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("im2col", [self],
      [
        .ints(kernelSize), .ints(dilation), .ints(padding), .ints(stride)
      ])[0]
  }

  /// Adds columns, as im2col makes them, up to an image of output_size.
  public func col2im(
    outputSize: [Int], kernelSize: [Int], dilation: [Int] = [1], padding: [Int] = [0],
    stride: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("col2im", [self],
      [
        .ints(outputSize), .ints(kernelSize), .ints(dilation), .ints(padding), .ints(stride)
      ])[0]
  }

  /// Resamples the axes behind the channels to new extents; linear is bilinear for two axes.
  public func interpolate(
    size: [Int], mode: String = "nearest", alignCorners: Bool = false, scales: [Double]? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("interpolate", [self],
      [
        .ints(size), try .word(mode, "mode", ["nearest", "nearest-exact", "linear", "bicubic"]),
        .bool(alignCorners), scales.map { Attribute.floats($0.map(\.bitPattern)) } ?? Attribute.none
      ])[0]
  }
}
