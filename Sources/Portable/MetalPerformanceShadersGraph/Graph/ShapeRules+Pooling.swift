import MetalPerformanceShaders

extension Pool2DSpec {
  package var windowY: Window {
    Window(kernel: kernelY, stride: strideY, dilation: dilationY)
  }
  package var windowX: Window {
    Window(kernel: kernelX, stride: strideX, dilation: dilationX)
  }
}

extension ShapeRules {
  static func pool2D(_ source: TensorType, _ spec: Pool2DSpec) throws(ShapeError) -> [TensorType] {
    try check(
      spec.kernelX > 0 && spec.kernelY > 0 && spec.strideX > 0 && spec.strideY > 0
        && spec.dilationX > 0 && spec.dilationY > 0,
      "kernel, strides and dilations must be positive")
    try checkRank4(source.shape, "the source")
    var dims = source.shape ?? [-1, -1, -1, -1]
    let at = ImageLayout(channelsLast: spec.channelsLast)
    for (axis, window, isVertical) in [
      (at.height, spec.windowY, true), (at.width, spec.windowX, false),
    ] {
      dims[axis] = window.outputSize(
        spec.padding, isVertical: isVertical, size: dims[axis], ceil: spec.ceilMode)
      try check(
        dims[axis] != 0,
        "the kernel \(spec.kernelY)x\(spec.kernelX) is larger than the padded source of shape "
          + "\(source.shape ?? [])")
    }
    let result = TensorType(dims, source.dtype)
    return spec.indexRank == nil ? [result] : [result, TensorType(dims, .int32)]
  }

  /// The incoming gradient and the source.
  static func pool2DGradient(_ inputs: [TensorType], _ spec: Pool2DSpec) throws(ShapeError)
    -> TensorType
  {
    try checkSameType(inputs)
    try checkFloat(inputs[0])
    let expected = try pool2D(inputs[1], spec)[0].shape ?? []
    if let incoming = inputs[0].shape {
      try check(
        agree(incoming, expected),
        "a gradient of shape \(incoming) is not that of a result of shape \(expected)")
    }
    return inputs[1]
  }
}
