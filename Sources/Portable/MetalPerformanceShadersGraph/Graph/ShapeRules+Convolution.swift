import MetalPerformanceShaders

/// Where the named dimensions of images and weights are.
package struct ImageLayout: Sendable {
  package let channels: Int
  package let height: Int
  package let width: Int

  package init(channelsLast: Bool) {
    (channels, height, width) = channelsLast ? (3, 1, 2) : (1, 2, 3)
  }
}

package struct WeightsLayout: Sendable {
  package let outputs: Int
  package let inputs: Int
  package let height: Int
  package let width: Int

  package init(hwio: Bool) {
    (outputs, inputs, height, width) = hwio ? (3, 2, 0, 1) : (0, 1, 2, 3)
  }
}

/// A window that moves along one dimension.
package struct Window: Hashable, Sendable {
  package var kernel: Int
  package var stride: Int
  package var dilation: Int

  /// Positions that one placement spans.
  package var extent: Int { (kernel - 1) * dilation + 1 }

  /// Padding before and after, for a size; nil where it depends on an unknown size.
  package func padding(_ style: Padding2D, isVertical: Bool, size: Int) -> (
    before: Int, after: Int
  )? {
    switch style {
    case .explicit(let top, let bottom, let left, let right):
      return isVertical ? (top, bottom) : (left, right)
    case .valid:
      return (0, 0)
    case .same, .sameLower:
      guard size != -1 else { return nil }
      let count = (size + stride - 1) / stride
      let total = max(0, (count - 1) * stride + extent - size)
      let less = total / 2
      return style == .same ? (less, total - less) : (total - less, less)
    }
  }

  /// The number of placements; -1 for an unknown size.
  package func outputSize(_ style: Padding2D, isVertical: Bool, size: Int, ceil: Bool = false)
    -> Int
  {
    guard size != -1, let pad = padding(style, isVertical: isVertical, size: size) else {
      return -1
    }
    if style == .same || style == .sameLower { return (size + stride - 1) / stride }
    let room = pad.before + size + pad.after - extent
    guard room >= 0 else { return 0 }
    guard ceil else { return room / stride + 1 }
    let count = (room + stride - 1) / stride + 1
    // The last window must start on the image or its leading padding.
    return (count - 1) * stride >= size + pad.before ? count - 1 : count
  }
}

extension Conv2DSpec {
  package func windowY(kernel: Int) -> Window {
    Window(kernel: kernel, stride: strideY, dilation: dilationY)
  }
  package func windowX(kernel: Int) -> Window {
    Window(kernel: kernel, stride: strideX, dilation: dilationX)
  }
}

extension ShapeRules {
  static func conv2D(_ source: TensorType, _ weights: TensorType, _ spec: Conv2DSpec)
    throws(ShapeError) -> TensorType
  {
    try checkConvolution(source, weights, spec)
    guard let image = source.shape, let kernel = weights.shape else {
      return TensorType([-1, -1, -1, -1], source.dtype)
    }
    return TensorType(try forward(image, kernel, spec), source.dtype)
  }

  private static func checkConvolution(
    _ image: TensorType, _ weights: TensorType, _ spec: Conv2DSpec
  ) throws(ShapeError) {
    try checkFloat(image)
    try checkSameType([image, weights])
    try check(
      spec.strideX > 0 && spec.strideY > 0 && spec.dilationX > 0 && spec.dilationY > 0
        && spec.groups > 0, "strides, dilations and groups must be positive")
    try checkRank4(image.shape, "the source")
    try checkRank4(weights.shape, "the weights")
  }

  static func checkRank4(_ dims: [Int]?, _ what: String) throws(ShapeError) {
    if let dims { try check(dims.count == 4, "\(what) of shape \(dims) must have rank 4") }
  }

  /// The shape of the result of a forward convolution.
  private static func forward(_ image: [Int], _ kernel: [Int], _ spec: Conv2DSpec)
    throws(ShapeError) -> [Int]
  {
    let at = ImageLayout(channelsLast: spec.channelsLast)
    let weights = WeightsLayout(hwio: spec.weightsHWIO)
    let perGroup = kernel[weights.inputs]
    try check(
      agree(image[at.channels], perGroup == -1 ? -1 : perGroup * spec.groups),
      """
      source and weight input channels mismatch: shape \(image) with weights \(kernel) in \
      \(spec.groups) groups
      """)
    let outputs = kernel[weights.outputs]
    try check(
      outputs == -1 || outputs % spec.groups == 0,
      "\(outputs) output channels are not divisible by \(spec.groups) groups")
    var result = image
    result[at.channels] = outputs
    result[at.height] = spec.windowY(kernel: kernel[weights.height])
      .outputSize(spec.padding, isVertical: true, size: image[at.height])
    result[at.width] = spec.windowX(kernel: kernel[weights.width])
      .outputSize(spec.padding, isVertical: false, size: image[at.width])
    try check(
      result[at.height] != 0 && result[at.width] != 0,
      "weights of shape \(kernel) are larger than the padded source of shape \(image)")
    return result
  }

  static func conv2DDataGradient(
    _ gradient: TensorType, _ weights: TensorType, _ spec: Conv2DSpec
  ) throws(ShapeError) -> TensorType {
    try checkConvolution(gradient, weights, spec)
    try checkRank4(spec.outputShape, "outputShape")
    guard let incoming = gradient.shape, let kernel = weights.shape else {
      return TensorType(spec.outputShape, gradient.dtype)
    }
    let at = ImageLayout(channelsLast: spec.channelsLast)
    let perGroup = kernel[WeightsLayout(hwio: spec.weightsHWIO).inputs]
    var result = spec.outputShape
    result[0] = meet(result[0], incoming[0])
    result[at.channels] = meet(
      result[at.channels], perGroup == -1 ? -1 : perGroup * spec.groups)
    let expected = try forward(result, kernel, spec)
    try check(
      agree(expected, incoming),
      """
      outputShape \(result) with weights \(kernel) has a forward result of shape \(expected), not \
      \(incoming)
      """)
    return TensorType(result, gradient.dtype)
  }

  static func conv2DWeightsGradient(
    _ gradient: TensorType, _ source: TensorType, _ spec: Conv2DSpec
  ) throws(ShapeError) -> TensorType {
    try checkConvolution(gradient, source, spec)
    try checkRank4(spec.outputShape, "outputShape")
    guard let incoming = gradient.shape, let image = source.shape else {
      return TensorType(spec.outputShape, gradient.dtype)
    }
    let at = ImageLayout(channelsLast: spec.channelsLast)
    let weights = WeightsLayout(hwio: spec.weightsHWIO)
    var result = spec.outputShape
    result[weights.outputs] = meet(result[weights.outputs], incoming[at.channels])
    if image[at.channels] != -1 {
      result[weights.inputs] = meet(result[weights.inputs], image[at.channels] / spec.groups)
    }
    let expected = try forward(image, result, spec)
    try check(
      agree(expected, incoming),
      """
      a source of shape \(image) with weights \(result) has a forward result of shape \
      \(expected), not \(incoming)
      """)
    return TensorType(result, gradient.dtype)
  }
}
