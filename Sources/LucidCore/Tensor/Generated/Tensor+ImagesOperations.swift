// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The convolution over the last axis. padding is one number per axis, or before and after of each axis.
  public func conv1d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    dilation: [Int] = [1], groups: Int = 1
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv1d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups),
      ])[0]
  }

  /// The convolution over the last two axes. padding is one number per axis, or before and after of each axis.
  public func conv2d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    dilation: [Int] = [1], groups: Int = 1
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv2d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups),
      ])[0]
  }

  /// The transposed convolution over the last axis. The weight is (input channels, output channels / groups, kernel).
  public func convTranspose1d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    outputPadding: [Int] = [0], groups: Int = 1, dilation: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv_transpose1d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(outputPadding), .int(groups), .ints(dilation),
      ])[0]
  }

  /// The transposed convolution over the last two axes. The weight is (input channels, output channels / groups, kernel).
  public func convTranspose2d(
    _ weight: Tensor, bias: Tensor? = nil, stride: [Int] = [1], padding: [Int] = [0],
    outputPadding: [Int] = [0], groups: Int = 1, dilation: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv_transpose2d", [self, weight, bias],
      [
        .ints(stride), .ints(padding), .ints(outputPadding), .int(groups), .ints(dilation),
      ])[0]
  }

  /// The convolution of (N, C, H, W) with (O, C / groups, kH, kW); padding is top, bottom, left, right.
  public func conv2dCore(
    _ weight: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv2d_core", [self, weight],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups),
      ])[0]
  }

  /// The gradient of conv2d_core with respect to an input of shape input_size.
  public func conv2dInputGradient(
    _ weight: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int, inputSize: [Dim]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv2d_input_gradient", [self, weight],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups), .dims(inputSize),
      ])[0]
  }

  /// The gradient of conv2d_core with respect to a weight of shape weight_size.
  public func conv2dWeightGradient(
    _ input: Tensor, stride: [Int], padding: [Int], dilation: [Int], groups: Int, weightSize: [Dim]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "conv2d_weight_gradient", [self, input],
      [
        .ints(stride), .ints(padding), .ints(dilation), .int(groups), .dims(weightSize),
      ])[0]
  }

  /// The largest element of each window.
  public func maxPool1d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "max_pool1d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode),
      ])[0]
  }

  /// The largest element of each window, and its position in the flat pooled axes.
  public func maxPool1dWithIndices(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "max_pool1d_with_indices", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode),
      ])
  }

  /// The mean of each window.
  public func avgPool1d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], ceilMode: Bool = false,
    countIncludePad: Bool = true, divisorOverride: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "avg_pool1d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .bool(ceilMode), .bool(countIncludePad),
        divisorOverride.map { Attribute.int($0) } ?? Attribute.none,
      ])[0]
  }

  /// The p-norm of each window.
  public func lpPool1d(
    normType: Double, kernelSize: [Int], stride: [Int]? = nil, ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "lp_pool1d", [self],
      [
        .float(normType as Double), .ints(kernelSize),
        stride.map { Attribute.ints($0) } ?? Attribute.none, .bool(ceilMode),
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
    try Tensor.apply(
      "max_pool2d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode),
      ])[0]
  }

  /// The largest element of each window, and its position in the flat pooled axes.
  public func maxPool2dWithIndices(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], dilation: [Int] = [1],
    ceilMode: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "max_pool2d_with_indices", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .ints(dilation), .bool(ceilMode),
      ])
  }

  /// The mean of each window.
  public func avgPool2d(
    kernelSize: [Int], stride: [Int]? = nil, padding: [Int] = [0], ceilMode: Bool = false,
    countIncludePad: Bool = true, divisorOverride: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "avg_pool2d", [self],
      [
        .ints(kernelSize), stride.map { Attribute.ints($0) } ?? Attribute.none, .ints(padding),
        .bool(ceilMode), .bool(countIncludePad),
        divisorOverride.map { Attribute.int($0) } ?? Attribute.none,
      ])[0]
  }

  /// The p-norm of each window.
  public func lpPool2d(
    normType: Double, kernelSize: [Int], stride: [Int]? = nil, ceilMode: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "lp_pool2d", [self],
      [
        .float(normType as Double), .ints(kernelSize),
        stride.map { Attribute.ints($0) } ?? Attribute.none, .bool(ceilMode),
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
    try Tensor.apply(
      "max_pool2d_core", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation),
      ])[0]
  }

  /// The flat position in (H, W) of the largest element of each window.
  public func maxPool2dIndices(
    kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "max_pool2d_indices", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation),
      ])[0]
  }

  /// The mean of each window of (N, C, H, W), padding counting as zeros.
  public func avgPool2dCore(
    kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "avg_pool2d_core", [self],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation),
      ])[0]
  }

  /// The gradient of max_pool2d_core.
  public func maxPool2dGradient(
    _ input: Tensor, kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "max_pool2d_gradient", [self, input],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation),
      ])[0]
  }

  /// The gradient of avg_pool2d_core.
  public func avgPool2dGradient(
    _ input: Tensor, kernel: [Int], stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "avg_pool2d_gradient", [self, input],
      [
        .ints(kernel), .ints(stride), .ints(padding), .ints(dilation),
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
    try Tensor.apply(
      "im2col", [self],
      [
        .ints(kernelSize), .ints(dilation), .ints(padding), .ints(stride),
      ])[0]
  }

  /// Adds columns, as im2col makes them, up to an image of output_size.
  public func col2im(
    outputSize: [Int], kernelSize: [Int], dilation: [Int] = [1], padding: [Int] = [0],
    stride: [Int] = [1]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "col2im", [self],
      [
        .ints(outputSize), .ints(kernelSize), .ints(dilation), .ints(padding), .ints(stride),
      ])[0]
  }

  /// Resamples the axes behind the channels to new extents; linear is bilinear for two axes.
  public func interpolate(
    size: [Int], mode: String = "nearest", alignCorners: Bool = false, scales: [Double]? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "interpolate", [self],
      [
        .ints(size), try .word(mode, "mode", ["nearest", "nearest-exact", "linear", "bicubic"]),
        .bool(alignCorners),
        scales.map { Attribute.floats($0.map(\.bitPattern)) } ?? Attribute.none,
      ])[0]
  }
}
