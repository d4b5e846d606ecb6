import CKernels

/// Convolutions and pools.
extension Emitter {
  /// Dimensions {n, c, y, x} of an image.
  private static func imageAxes(_ channelsLast: Bool) -> [Int] {
    channelsLast ? [0, 3, 1, 2] : [0, 1, 2, 3]
  }

  /// Dimensions {o, i, ky, kx} of weights.
  private static func weightAxes(_ hwio: Bool) -> [Int] { hwio ? [3, 2, 0, 1] : [0, 1, 2, 3] }

  private func operand4(_ operand: Operand, _ axes: [Int]) -> ck_operand {
    let (ref, view) = memory(operand)
    return described(ref, operand.dtype, axes.map { view.strides[$0] })
  }

  private func operand4(_ root: Int32, _ axes: [Int]) -> ck_operand {
    operand4(plan.lowering.whole(root), axes)
  }

  /// Shapes are those of the forward convolution.
  private func geometry(
    _ spec: Conv2DSpec, source: [Int], weights: [Int], result: [Int]
  ) -> ck_conv2d_shape {
    let image = Self.imageAxes(spec.channelsLast)
    let kernel = Self.weightAxes(spec.weightsHWIO)
    let (height, width) = (source[image[2]], source[image[3]])
    let y = spec.windowY(kernel: weights[kernel[2]])
    let x = spec.windowX(kernel: weights[kernel[3]])
    let top = y.padding(spec.padding, isVertical: true, size: height)?.before ?? 0
    let left = x.padding(spec.padding, isVertical: false, size: width)?.before ?? 0
    return ck_conv2d_shape(
      batch: Int64(source[0]), channels_in: Int64(source[image[1]]),
      channels_out: Int64(result[image[1]]), groups: Int64(spec.groups),
      source_height: Int64(height), source_width: Int64(width),
      result_height: Int64(result[image[2]]), result_width: Int64(result[image[3]]),
      kernel_y: Int64(y.kernel), kernel_x: Int64(x.kernel), stride_y: Int64(y.stride),
      stride_x: Int64(x.stride), dilation_y: Int64(y.dilation), dilation_x: Int64(x.dilation),
      pad_top: Int64(top), pad_left: Int64(left))
  }

  private static func flops(_ shape: ck_conv2d_shape) -> Int {
    2 * Int(shape.batch * shape.channels_out * shape.result_height * shape.result_width)
      * Int(shape.kernel_y * shape.kernel_x * shape.channels_in / shape.groups)
  }

  func emitConvolution(
    _ item: Item, _ spec: Conv2DSpec, _ primary: Int32, _ epilogue: Epilogue
  ) {
    let image = Self.imageAxes(spec.channelsLast)
    let kernel = Self.weightAxes(spec.weightsHWIO)
    let (source, weights) = (item.inputs[0], item.inputs[1])
    let params = arena.allocate(ck_conv2d_params.self)
    params.pointee.shape = geometry(
      spec, source: source.view.shape, weights: weights.view.shape,
      result: root(item.outputs[0]).shape)
    params.pointee.source = operand4(source, image)
    params.pointee.weights = operand4(weights, kernel)
    params.pointee.result = operand4(primary, image)
    params.pointee.bias.ref.slot = -1
    params.pointee.packed.slot = -1
    if let bias = epilogue.bias {
      params.pointee.bias = described(bias.ref, bias.dtype, [arrayValue(bias.stride, 2)])
    }
    params.pointee.relu = epilogue.relu
    if let program = epilogue.program {
      params.pointee.epilogue = ck_map_epilogue
      params.pointee.epilogue_params = UnsafeRawPointer(program)
    }
    addPack(params, weights)
    step(
      ck_conv2d, UnsafeRawPointer(params),
      Note(
        kernel: "conv2d",
        detail: "\(source.view.shape) * \(weights.view.shape) "
          + epilogue.names.joined(separator: " "),
        bytes: bytes(source) + bytes(weights) + root(primary).count * root(primary).dtype.bytes,
        flops: Self.flops(params.pointee.shape)))
  }

  private func addPack(
    _ params: UnsafeMutablePointer<ck_conv2d_params>, _ weights: Operand
  ) {
    guard weights.dtype.isFloating, let source = packSource(weights) else { return }
    let bytes = Int(ck_conv2d_pack_size(params))
    guard bytes > 0 else { return }
    let slot = plan.slots.pack(packs.count)
    params.pointee.packed = ck_ref(slot: slot, offset: 0)
    let shape = params.pointee.shape
    let offset = plan.lowering.memoryView(weights).offset * weights.dtype.bytes
    let axes = (0..<4).map { arrayValue(params.pointee.weights.stride, $0) }
    var key = PackKey()
    key.add([2, offset, Int(weights.dtype.rawValue)] + axes)
    key.add([
      Int(shape.channels_in), Int(shape.channels_out), Int(shape.groups), Int(shape.kernel_y),
      Int(shape.kernel_x), Int(shape.stride_y), Int(shape.stride_x), Int(shape.dilation_y),
      Int(shape.dilation_x), Int(shape.source_height), Int(shape.source_width), Int(shape.batch),
    ])
    let description = params.pointee
    packs.append(
      Pack(source: source, slot: slot, bytes: bytes, key: key.value) { packed, memory in
        var description = description
        description.weights.ref = ck_ref(slot: 0, offset: Int64(offset))
        description.packed = ck_ref(slot: 1, offset: 0)
        let slots: [UnsafeMutableRawPointer?] = [memory, packed]
        slots.withUnsafeBufferPointer { ck_conv2d_pack(&description, $0.baseAddress) }
      })
  }

  func emitConvolutionDataGradient(_ item: Item, _ spec: Conv2DSpec) {
    let image = Self.imageAxes(spec.channelsLast)
    let (gradient, weights) = (item.inputs[0], item.inputs[1])
    let result = item.outputs[0]
    let params = arena.allocate(ck_conv2d_data_gradient_params.self)
    params.pointee.shape = geometry(
      spec, source: root(result).shape, weights: weights.view.shape, result: gradient.view.shape)
    params.pointee.gradient = operand4(gradient, image)
    params.pointee.weights = operand4(weights, Self.weightAxes(spec.weightsHWIO))
    params.pointee.source_gradient = operand4(result, image)
    params.pointee.bias.ref.slot = -1
    step(
      ck_conv2d_data_gradient, UnsafeRawPointer(params),
      Note(
        kernel: "conv2d-data-gradient", detail: "\(gradient.view.shape) * \(weights.view.shape)",
        bytes: bytes(gradient) + bytes(weights) + root(result).count * root(result).dtype.bytes,
        flops: Self.flops(params.pointee.shape)))
  }

  func emitConvolutionWeightsGradient(_ item: Item, _ spec: Conv2DSpec) {
    let image = Self.imageAxes(spec.channelsLast)
    let (gradient, source) = (item.inputs[0], item.inputs[1])
    let result = item.outputs[0]
    let params = arena.allocate(ck_conv2d_weights_gradient_params.self)
    params.pointee.shape = geometry(
      spec, source: source.view.shape, weights: root(result).shape, result: gradient.view.shape)
    params.pointee.gradient = operand4(gradient, image)
    params.pointee.source = operand4(source, image)
    params.pointee.weights_gradient = operand4(result, Self.weightAxes(spec.weightsHWIO))
    step(
      ck_conv2d_weights_gradient, UnsafeRawPointer(params),
      Note(
        kernel: "conv2d-weights-gradient",
        detail: "\(source.view.shape) * \(gradient.view.shape)",
        bytes: bytes(gradient) + bytes(source) + root(result).count * root(result).dtype.bytes,
        flops: Self.flops(params.pointee.shape)))
  }

  // MARK: Pools

  private func poolGeometry(_ spec: Pool2DSpec, source: [Int], result: [Int]) -> ck_pool_params {
    let image = Self.imageAxes(spec.channelsLast)
    let (height, width) = (source[image[2]], source[image[3]])
    let y = spec.windowY.padding(spec.padding, isVertical: true, size: height) ?? (0, 0)
    let x = spec.windowX.padding(spec.padding, isVertical: false, size: width) ?? (0, 0)
    var params = ck_pool_params()
    switch spec.mode {
    case .maximum: params.mode = CK_POOL_MAX
    case .average: params.mode = CK_POOL_AVERAGE
    case .l2: params.mode = CK_POOL_L2
    }
    params.batch = Int64(source[0])
    params.channels = Int64(source[image[1]])
    (params.source_height, params.source_width) = (Int64(height), Int64(width))
    (params.result_height, params.result_width) = (
      Int64(result[image[2]]), Int64(result[image[3]])
    )
    (params.kernel_y, params.kernel_x) = (Int64(spec.kernelY), Int64(spec.kernelX))
    (params.stride_y, params.stride_x) = (Int64(spec.strideY), Int64(spec.strideX))
    (params.dilation_y, params.dilation_x) = (Int64(spec.dilationY), Int64(spec.dilationX))
    (params.pad_top, params.pad_bottom) = (Int64(y.before), Int64(y.after))
    (params.pad_left, params.pad_right) = (Int64(x.before), Int64(x.after))
    params.counts_padding = spec.countsPadding
    params.local_indices = spec.localIndices
    params.indices.ref.slot = -1
    return params
  }

  /// Strides, over {n, c, y, x}, of the flat index over the trailing dimensions.
  private static func indexStrides(_ spec: Pool2DSpec, source: [Int]) -> [Int] {
    let image = imageAxes(spec.channelsLast)
    var sizes = source
    if spec.localIndices {
      sizes = [1, 1, 1, 1]
      sizes[image[2]] = spec.kernelY
      sizes[image[3]] = spec.kernelX
    }
    var strides = [0, 0, 0, 0]
    var step = 1
    for axis in stride(from: 3, through: 4 - (spec.indexRank ?? 0), by: -1) {
      strides[axis] = step
      step *= sizes[axis]
    }
    return image.map { strides[$0] }
  }

  func emitPool(_ item: Item, _ spec: Pool2DSpec) {
    let image = Self.imageAxes(spec.channelsLast)
    let source = item.inputs[0]
    let result = item.outputs[0]
    let params = arena.allocate(ck_pool_params.self)
    params.pointee = poolGeometry(spec, source: source.view.shape, result: root(result).shape)
    params.pointee.source = operand4(source, image)
    params.pointee.result = operand4(result, image)
    if item.outputs.count > 1 {
      params.pointee.indices = operand4(item.outputs[1], image)
      setArray(
        &params.pointee.index_stride, Self.indexStrides(spec, source: source.view.shape))
    }
    step(
      ck_pool, UnsafeRawPointer(params),
      Note(
        kernel: "pool2d-\(spec.mode)", detail: "\(source.view.shape)",
        bytes: bytes(source) + root(result).count * root(result).dtype.bytes,
        flops: root(result).count * spec.kernelX * spec.kernelY))
  }

  func emitPoolGradient(_ item: Item, _ spec: Pool2DSpec) {
    let image = Self.imageAxes(spec.channelsLast)
    let (gradient, source) = (item.inputs[0], item.inputs[1])
    let params = arena.allocate(ck_pool_gradient_params.self)
    params.pointee.pool = poolGeometry(
      spec, source: source.view.shape, result: gradient.view.shape)
    params.pointee.pool.source = operand4(source, image)
    params.pointee.gradient = operand4(gradient, image)
    params.pointee.source_gradient = operand4(item.outputs[0], image)
    step(
      ck_pool_gradient, UnsafeRawPointer(params),
      Note(
        kernel: "pool2d-\(spec.mode)-gradient", detail: "\(source.view.shape)",
        bytes: bytes(gradient) + 2 * bytes(source),
        flops: gradient.view.count * spec.kernelX * spec.kernelY))
  }
}
