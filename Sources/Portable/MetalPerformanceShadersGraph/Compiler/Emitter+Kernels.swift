import CKernels
import Metal

/// Items with kernels of their own.
extension Emitter {
  func emitKernel(_ item: Item) {
    if let output = item.outputs.first, item.outputs.count == 1, root(output).count == 0 { return }
    switch item.kind {
    case .attention(let scale, let isCausal): emitAttention(item, scale, isCausal)
    case .attentionGradient(let scale, let isCausal, let hasMask):
      emitAttentionGradient(item, scale, isCausal, hasMask)
    case .matmul: emitPlainProduct(item)
    case .kernel(let kind): emitKernel(item, kind)
    case .none: break
    default: preconditionFailure("MPSGraph: \(item.name) is no kernel")
    }
  }

  private func emitKernel(_ item: Item, _ kind: OpKind) {
    switch kind {
    case .conv2D(let spec): emitConvolution(item, spec, item.outputs[0], Epilogue())
    case .conv2DDataGradient(let spec): emitConvolutionDataGradient(item, spec)
    case .conv2DWeightsGradient(let spec): emitConvolutionWeightsGradient(item, spec)
    case .pool2D(let spec): emitPool(item, spec)
    case .pool2DGradient(let spec): emitPoolGradient(item, spec)
    case .gather, .gatherND, .gatherAlongAxis: emitGather(item, kind)
    case .scatter, .scatterND, .scatterAlongAxis: emitScatter(item, kind)
    case .oneHot(_, _, let on, let off): emitOneHot(item, on, off)
    case .bandPart(let lower, let upper): emitBandPart(item, lower, upper)
    case .nonZeroIndices: emitNonZero(item)
    case .cumulative(let op, let axis, let exclusive, let reverse):
      emitScan(item, op, axis, exclusive, reverse)
    case .sort(let axis, let descending):
      emitSort(item, axis, item.inputs[0].view.shape[axis], descending, 0, nil)
    case .argSort(let axis, let descending):
      emitSort(item, axis, item.inputs[0].view.shape[axis], descending, nil, 0)
    case .topK(let axis, let k, let largest): emitSort(item, axis, k, largest, 0, 1)
    case .concat(let axis, let interleave): emitConcat(item, axis, interleave)
    case .pad(let mode, let left, let right, let value): emitPad(item, mode, left, right, value)
    case .sliceGradient(let spec): emitSliceGradient(item, spec)
    case .sliceUpdate(let spec): emitSliceUpdate(item, spec)
    case .assignVariable: copy(item.inputs[1], to: memory(item.inputs[0]), "assign")
    case .reinterpretCast: emitReinterpret(item)
    case .philox: emitPhilox(item)
    default: preconditionFailure("MPSGraph: no kernel for \(kind.name)")
    }
  }

  func note(_ item: Item, _ name: String) -> Note {
    let read = item.inputs.reduce(0) { $0 + bytes($1) }
    let written = item.outputs.reduce(0) { $0 + root($1).count * root($1).dtype.bytes }
    return Note(
      kernel: name, detail: item.inputs.map { "\($0.view.shape)" }.joined(separator: " "),
      bytes: read + written, flops: 0)
  }

  private func result(_ root: Int32) -> ck_operand {
    described(plan.lowering.whole(root))
  }

  // MARK: Indexing

  private func emitGather(_ item: Item, _ kind: OpKind) {
    let (source, indices) = (item.inputs[0], item.inputs[1])
    let shape = root(item.outputs[0]).shape
    switch kind {
    case .gather:
      let params = arena.allocate(ck_gather_params.self)
      params.pointee.batch = Int64(shape[0])
      params.pointee.outer = Int64(shape[1])
      params.pointee.count = Int64(shape[2])
      params.pointee.inner = Int64(shape[3])
      params.pointee.extent = Int64(source.view.shape[2])
      params.pointee.source = described(source)
      params.pointee.indices = indexOperand(indices)
      params.pointee.result = result(item.outputs[0])
      step(ck_gather, UnsafeRawPointer(params), note(item, "gather"))
    case .gatherND:
      let params = arena.allocate(ck_gather_nd_params.self)
      let depth = indices.view.shape[2]
      params.pointee.batch = Int64(shape[0])
      params.pointee.count = Int64(shape[1])
      params.pointee.inner = Int64(shape[2])
      params.pointee.depth = Int32(depth)
      setArray(&params.pointee.extent, Array(source.view.shape[1...depth]))
      params.pointee.source = described(source)
      params.pointee.indices = described(indices)
      params.pointee.result = result(item.outputs[0])
      step(ck_gather_nd, UnsafeRawPointer(params), note(item, "gather-nd"))
    case .gatherAlongAxis(let axis):
      let params = arena.allocate(ck_gather_along_params.self)
      params.pointee.rank = Int32(shape.count)
      params.pointee.axis = Int32(axis)
      setArray(&params.pointee.shape, shape)
      params.pointee.extent = Int64(source.view.shape[axis])
      params.pointee.source = described(source)
      params.pointee.indices = described(indices)
      params.pointee.result = result(item.outputs[0])
      step(ck_gather_along, UnsafeRawPointer(params), note(item, "gather-along-axis"))
    default: break
    }
  }

  /// {batch, -, count} from [batch, count].
  private func indexOperand(_ operand: Operand) -> ck_operand {
    let (ref, view) = memory(operand)
    return described(ref, operand.dtype, [view.strides[0], 0, view.strides[1]])
  }

  /// Inputs: updates, indices, and the data if there is any.
  private func emitScatter(_ item: Item, _ kind: OpKind) {
    let shape = root(item.outputs[0]).shape
    let target = result(item.outputs[0])
    switch kind {
    case .scatter(_, let mode, let hasData):
      let (updates, indices) = (item.inputs[0], item.inputs[1])
      let params = arena.allocate(ck_scatter_params.self)
      params.pointee.batch = Int64(shape[0])
      params.pointee.outer = Int64(shape[1])
      params.pointee.count = Int64(updates.view.shape[2])
      params.pointee.inner = Int64(shape[3])
      params.pointee.extent = Int64(shape[2])
      params.pointee.mode = ck_scatter_mode(UInt32(mode.rawValue))
      params.pointee.start = hasData ? CK_SCATTER_DATA : CK_SCATTER_NEUTRAL
      if hasData { params.pointee.data = described(item.inputs[2]) }
      params.pointee.updates = described(updates)
      params.pointee.indices = indexOperand(indices)
      params.pointee.result = target
      step(ck_scatter, UnsafeRawPointer(params), note(item, "scatter-\(mode)"))
    case .scatterND(_, let mode, let hasData):
      let (updates, indices) = (item.inputs[0], item.inputs[1])
      let params = arena.allocate(ck_scatter_nd_params.self)
      let depth = indices.view.shape[2]
      params.pointee.batch = Int64(shape[0])
      params.pointee.count = Int64(updates.view.shape[1])
      params.pointee.inner = Int64(updates.view.shape[2])
      params.pointee.depth = Int32(depth)
      setArray(&params.pointee.extent, Array(shape[1...depth]))
      params.pointee.mode = ck_scatter_mode(UInt32(mode.rawValue))
      params.pointee.start = hasData ? CK_SCATTER_DATA : CK_SCATTER_NEUTRAL
      if hasData { params.pointee.data = described(item.inputs[2]) }
      params.pointee.updates = described(updates)
      params.pointee.indices = described(indices)
      params.pointee.result = target
      step(ck_scatter_nd, UnsafeRawPointer(params), note(item, "scatter-nd-\(mode)"))
    case .scatterAlongAxis(let axis, let mode, let hasData):
      let updates = item.inputs[hasData ? 1 : 0]
      let params = arena.allocate(ck_scatter_along_params.self)
      params.pointee.rank = Int32(shape.count)
      params.pointee.axis = Int32(axis)
      setArray(&params.pointee.shape, updates.view.shape)
      params.pointee.extent = Int64(shape[axis])
      params.pointee.mode = ck_scatter_mode(UInt32(mode.rawValue))
      params.pointee.start = hasData ? CK_SCATTER_DATA : CK_SCATTER_NEUTRAL
      if hasData { params.pointee.data = described(item.inputs[0]) }
      params.pointee.updates = described(updates)
      params.pointee.indices = described(item.inputs[hasData ? 2 : 1])
      params.pointee.result = target
      step(ck_scatter_along, UnsafeRawPointer(params), note(item, "scatter-along-axis-\(mode)"))
    default: break
    }
  }

  private func emitOneHot(_ item: Item, _ on: Double, _ off: Double) {
    let params = arena.allocate(ck_one_hot_params.self)
    let shape = root(item.outputs[0]).shape
    params.pointee.outer = Int64(shape[0])
    params.pointee.depth = Int64(shape[1])
    params.pointee.inner = Int64(shape[2])
    params.pointee.on = on
    params.pointee.off = off
    let (ref, view) = memory(item.inputs[0])
    params.pointee.indices = described(
      ref, item.inputs[0].dtype, [view.strides[0], 0, view.strides[1]])
    params.pointee.result = result(item.outputs[0])
    step(ck_one_hot, UnsafeRawPointer(params), note(item, "one-hot"))
  }

  private func emitBandPart(_ item: Item, _ lower: Int, _ upper: Int) {
    let params = arena.allocate(ck_band_part_params.self)
    let shape = root(item.outputs[0]).shape
    params.pointee.rank = Int32(shape.count)
    setArray(&params.pointee.shape, shape)
    params.pointee.lower = Int64(lower)
    params.pointee.upper = Int64(upper)
    params.pointee.source = described(item.inputs[0])
    params.pointee.result = result(item.outputs[0])
    step(ck_band_part, UnsafeRawPointer(params), note(item, "band-part"))
  }

  private func emitNonZero(_ item: Item) {
    let fill = arena.allocate(ck_fill_params.self)
    let shape = root(item.outputs[0]).shape
    fill.pointee.rank = Int32(shape.count)
    setArray(&fill.pointee.shape, shape)
    fill.pointee.value = -1
    fill.pointee.result = result(item.outputs[0])
    step(ck_fill, UnsafeRawPointer(fill), note(item, "fill"))
    let params = arena.allocate(ck_nonzero_params.self)
    let source = item.inputs[0]
    params.pointee.rank = Int32(source.view.shape.count)
    setArray(&params.pointee.shape, source.view.shape)
    params.pointee.capacity = Int64(root(item.outputs[0]).shape[0])
    params.pointee.source = described(source)
    params.pointee.result = memory(item.outputs[0]).ref
    step(ck_nonzero_fill, UnsafeRawPointer(params), note(item, "non-zero"))
  }

  // MARK: Scans and sorts

  private func emitScan(
    _ item: Item, _ op: CumulativeOp, _ axis: Int, _ exclusive: Bool, _ reverse: Bool
  ) {
    let params = arena.allocate(ck_scan_params.self)
    let shape = root(item.outputs[0]).shape
    params.pointee.rank = Int32(shape.count)
    params.pointee.axis = Int32(axis)
    setArray(&params.pointee.shape, shape)
    switch op {
    case .sum: params.pointee.op = CK_SCAN_SUM
    case .product: params.pointee.op = CK_SCAN_PRODUCT
    case .minimum: params.pointee.op = CK_SCAN_MIN
    case .maximum: params.pointee.op = CK_SCAN_MAX
    }
    params.pointee.exclusive = exclusive
    params.pointee.reverse = reverse
    params.pointee.source = described(item.inputs[0])
    params.pointee.result = result(item.outputs[0])
    step(ck_scan, UnsafeRawPointer(params), note(item, "scan-\(op)"))
  }

  private func emitSort(
    _ item: Item, _ axis: Int, _ k: Int, _ descending: Bool, _ values: Int?, _ indices: Int?
  ) {
    let params = arena.allocate(ck_sort_params.self)
    let source = item.inputs[0]
    params.pointee.rank = Int32(source.view.shape.count)
    params.pointee.axis = Int32(axis)
    setArray(&params.pointee.shape, source.view.shape)
    params.pointee.k = Int64(k)
    params.pointee.descending = descending
    params.pointee.source = described(source)
    params.pointee.values.ref.slot = -1
    params.pointee.indices.ref.slot = -1
    if let values { params.pointee.values = result(item.outputs[values]) }
    if let indices { params.pointee.indices = result(item.outputs[indices]) }
    step(ck_sort, UnsafeRawPointer(params), note(item, "sort"))
  }

  // MARK: Moving

  /// A part of a root, as memory of the part's shape.
  private func memory(_ root: Int32, _ ranges: [SliceRange]) -> (
    ref: ck_ref, view: StridedView
  ) {
    var operand = plan.lowering.whole(root)
    operand.view = operand.view.sliced(ranges)
    return memory(operand)
  }

  private func emitConcat(_ item: Item, _ axis: Int, _ interleave: Bool) {
    let result = item.outputs[0]
    let count = item.inputs.count
    var position = 0
    for (index, input) in item.inputs.enumerated() {
      var ranges = input.view.shape.map { SliceRange(start: 0, length: $0, stride: 1) }
      ranges[axis].start = interleave ? index : position
      ranges[axis].stride = interleave ? count : 1
      position += input.view.shape[axis]
      let target = memory(result, ranges)
      let place = plan.places[Int(input.root)]
      if place.slot == target.ref.slot, place.offset == Int(target.ref.offset),
        plan.isStored[Int(input.root)]
      {
        continue
      }
      copy(input, to: target, "concat")
    }
  }

  private func emitPad(
    _ item: Item, _ mode: PadMode, _ left: [Int], _ right: [Int], _ value: Double
  ) {
    let params = arena.allocate(ck_pad_params.self)
    let source = item.inputs[0]
    params.pointee.rank = Int32(source.view.shape.count)
    setArray(&params.pointee.shape, source.view.shape)
    setArray(&params.pointee.left, left)
    setArray(&params.pointee.right, right)
    params.pointee.mode = ck_pad_mode(UInt32(mode.rawValue))
    params.pointee.value = value
    params.pointee.source = described(source)
    params.pointee.result = result(item.outputs[0])
    step(ck_pad, UnsafeRawPointer(params), note(item, "pad"))
  }

  private func emitSliceGradient(_ item: Item, _ spec: SliceSpec) {
    let shape = root(item.outputs[0]).shape
    let ranges = (try? spec.ranges(of: shape)) ?? []
    if ranges.allSatisfy({ $0.stride == 1 }) {
      let right = zip(shape, ranges).map { $0 - $1.start - $1.length }
      emitPad(item, .constant, ranges.map(\.start), right, 0)
      return
    }
    let params = arena.allocate(ck_fill_params.self)
    params.pointee.rank = Int32(shape.count)
    setArray(&params.pointee.shape, shape)
    params.pointee.result = result(item.outputs[0])
    step(ck_fill, UnsafeRawPointer(params), note(item, "fill"))
    copy(item.inputs[0], to: memory(item.outputs[0], ranges), "slice-gradient")
  }

  private func emitSliceUpdate(_ item: Item, _ spec: SliceSpec) {
    let shape = root(item.outputs[0]).shape
    copy(item.inputs[0], to: memory(item.outputs[0]), "copy")
    let ranges = (try? spec.ranges(of: shape)) ?? []
    copy(item.inputs[1], to: memory(item.outputs[0], ranges), "slice-update")
  }

  /// The bytes of the input, row-major, as elements of the result.
  private func emitReinterpret(_ item: Item) {
    let source = item.inputs[0]
    let target = memory(item.outputs[0])
    copy(source, to: (target.ref, StridedView(whole: source.view.shape)), "reinterpret")
  }

  private func emitPhilox(_ item: Item) {
    let params = arena.allocate(ck_philox_params.self)
    params.pointee.count = Int64(root(item.outputs[0]).count)
    params.pointee.seed = memory(item.inputs[0]).ref
    params.pointee.offset = memory(item.inputs[1]).ref
    params.pointee.result = memory(item.outputs[0]).ref
    step(ck_philox, UnsafeRawPointer(params), note(item, "philox"))
  }
}
