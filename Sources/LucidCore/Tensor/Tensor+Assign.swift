extension GraphFunction {
  /// The views of a chain as a function of the base.
  static func viewChain(_ link: ViewLink, base: TensorType) throws(LucidError) -> GraphFunction {
    let symbols = ThreadState.current.recorder?.symbols
    let builder = GraphBuilder(symbols: symbols)
    var value = builder.input(base)
    for step in link.steps { value = try builder.apply(step.op, [value], step.attributes)[0] }
    builder.setOutputs([value])
    return try GraphFunction(builder.graph, name: "ViewBackward", symbols: symbols)
  }

  /// A base after a write through a view of it, as a function of base and source.
  static func viewWrite(
    _ link: ViewLink, base: TensorType, view: TensorType, source: TensorType,
    symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> GraphFunction {
    let builder = GraphBuilder(symbols: symbols)
    let root = builder.input(base)
    let input = builder.input(source)
    let steps = link.steps
    // The values that each step starts from; the update then goes back through them.
    var values = [root]
    for step in steps.dropLast() {
      values.append(try builder.apply(step.op, [values[values.count - 1]], step.attributes)[0])
    }
    var update = try input.cast(to: base.dtype).expand(view.shape)
    for (step, value) in zip(steps, values).reversed() {
      guard let rule = step.op.view else {
        throw LucidError(.runtime, "\(step.op.name): a view has no rule for writing")
      }
      update = try rule.update(
        ViewUpdate(base: value, update: update, attributes: step.attributes))
    }
    builder.setOutputs([update])
    return try GraphFunction(builder.graph.pruned().graph, name: "CopySlices", symbols: symbols)
  }

  /// A source broadcast and converted to the type it is written to.
  static func write(
    to target: TensorType, source: TensorType, symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> GraphFunction {
    let builder = GraphBuilder(symbols: symbols)
    let input = builder.input(source)
    builder.setOutputs([try input.cast(to: target.dtype).expand(target.shape)])
    return try GraphFunction(builder.graph, name: "CopyBackwards", symbols: symbols)
  }
}

extension Tensor {
  /// Writes `source`, broadcast and converted, over the elements. With grad mode on the write is
  /// differentiated.
  public func assign(_ source: Tensor) throws(LucidError) {
    let thread = ThreadState.current
    guard !type.isWeak else {
      throw LucidError(.runtime, "assign: a number cannot be written to")
    }
    if source.rank > 0, source.device != device {
      try assign(try source.to(device))
      return
    }
    let isTaped = thread.gradMode == .on && dtype.isFloatingPoint
    if isTaped { try checkWritable() }
    if let recorder = thread.recorder { try recorder.willWrite(storage) }
    let differentiates = isTaped && (requiresGrad || source.requiresGrad)
    if let view {
      try assign(source, through: view, differentiates)
    } else {
      try overwrite(source, differentiates)
    }
  }

  private func checkWritable() throws(LucidError) {
    if gradState?.isLeafRequiringGrad == true {
      throw LucidError(
        .runtime, "a leaf Variable that requires grad is being used in an in-place operation.")
    }
    if view?.base.gradState?.isLeafRequiringGrad == true, requiresGrad {
      throw LucidError(
        .runtime,
        "a view of a leaf Variable that requires grad is being used in an in-place operation.")
    }
  }

  /// Replaces all elements of a tensor that is no view.
  private func overwrite(_ source: Tensor, _ differentiates: Bool) throws(LucidError) {
    var edge = differentiates ? try source.edge() : nil
    var value = source
    var isLeaf = false
    // A leaf's gradient belongs to the leaf alone: the write needs a call of its own on the tape.
    if case .leaf? = edge { isLeaf = true }
    if isLeaf || source.type !== type || source.customStrides != nil || source.offset != 0
      || customStrides != nil
    {
      let function = try GraphFunction.write(
        to: graphType, source: source.graphType, symbols: ThreadState.current.recorder?.symbols)
      let operand = differentiates ? source : source.withoutHistory()
      guard let made = try function.call([operand], device: device).first else { return }
      value = made
      edge = differentiates ? try made.edge() : nil
    }
    if customStrides != nil, let buffer = try value.storage.buffer() {
      try writeStrided(buffer, value)
    } else {
      try storage.replace(with: try value.storage.shared().contents)
    }
    if differentiates { setWrittenHistory(edge) }
  }

  /// A tensor that is no view and yet strided was imported so, or took over such a storage.
  private func writeStrided(_ buffer: Buffer, _ value: Tensor) throws(LucidError) {
    guard let own = try storage.exclusiveBuffer() else { return }
    try buffer.wait()
    guard EngineHooks.copy(
      buffer.mtl, value.layout, value.dtype, to: own.mtl, layout, dtype)
    else {
      throw LucidError(.unsupported, "assign: a tensor with strides \(strides) cannot be written")
    }
    storage.markWritten()
  }

  private func assign(
    _ source: Tensor, through view: View, _ differentiates: Bool
  ) throws(LucidError) {
    let thread = ThreadState.current
    if strides.enumerated().contains(where: { $1 == 0 && type.shape[$0] > 1 }) {
      throw LucidError(
        .runtime,
        """
        unsupported operation: more than one element of the written-to tensor refers to a single \
        memory location. Please clone() the tensor before performing the operation.
        """)
    }
    let base = view.base
    if !differentiates, thread.recorder == nil, try writeInPlace(source) { return }
    let function = try GraphFunction.viewWrite(
      view.link, base: base.graphType, view: graphType, source: source.graphType,
      symbols: thread.recorder?.symbols)
    let operands = differentiates ? [base, source] : [base.withoutHistory(), source.withoutHistory()]
    guard let made = try function.call(operands, device: device).first else { return }
    let edge = differentiates ? try made.edge() : nil
    try storage.replace(with: try made.storage.shared().contents)
    if differentiates {
      base.setWrittenHistory(edge)
      // The next use makes this view a function of the base as it is now.
    }
  }

  /// Writes into the memory itself where the engine can, which needs no graph.
  private func writeInPlace(_ source: Tensor) throws(LucidError) -> Bool {
    guard let own = try storage.exclusiveBuffer(), let from = try source.storage.buffer() else {
      return elementCount == 0
    }
    let check = InferContext(op: try OpCatalog.op("expand"), types: [], attributes: Attributes(), symbols: nil)
    let shape = Shape(type.shape)
    guard try check.broadcast(Shape(source.shape), shape) == shape, source.rank <= rank else {
      throw LucidError(
        .shape,
        "shape mismatch: value of shape \(source.type.sizes) cannot be broadcast to \(type.sizes)")
    }
    try from.wait()
    let lead = rank - source.rank
    var strides = [Int](repeating: 0, count: lead)
    for (i, stride) in source.strides.enumerated() {
      strides.append(source.shape[i] == 1 && type.shape[lead + i] != 1 ? 0 : stride)
    }
    var fromBuffer = from
    var fromLayout = ViewLayout(offset: source.offset, shape: type.shape, strides: strides)
    if source.storage === storage {
      // Reading and writing the same memory could see elements that are written already.
      fromBuffer = try StridedCopy.packed(from, source.layout, source.type)
      for i in 0..<source.rank { strides[lead + i] = strides[lead + i] == 0 ? 0 : source.type.strides[i] }
      fromLayout = ViewLayout(offset: 0, shape: type.shape, strides: strides)
    }
    guard EngineHooks.copy(fromBuffer.mtl, fromLayout, source.dtype, to: own.mtl, layout, dtype)
    else { return false }
    storage.markWritten()
    return true
  }

  /// The history after a write: the tensor is now the result of the call that an edge leads to.
  private func setWrittenHistory(_ edge: Edge?) {
    let state = makeGradState()
    state.generation += 1
    state.isLeafRequiringGrad = false
    if case .node(let node, let output)? = edge {
      (state.node, state.output) = (node, output)
    } else {
      state.node = nil
    }
  }

  /// The same elements in a box of its own, copied when either side is written.
  func separated() throws(LucidError) -> Tensor {
    Tensor(
      try storage.shared(), type, device: device, offset: offset, strides: customStrides)
  }

  /// Observably a copy under another device label.
  public func to(_ device: Device) throws(LucidError) -> Tensor {
    if device == self.device { return self }
    guard device.isAvailable else {
      throw LucidError(.device, "\(device): this device is not available here")
    }
    let copy = Tensor(
      try storage.shared(), type, device: device, offset: offset, strides: customStrides)
    if ThreadState.current.gradMode == .on, requiresGrad {
      let function = try GraphFunction.write(to: graphType, source: graphType)
      try Tensor.record(function, [self], [copy])
    }
    return copy
  }

  /// The same storage without history.
  public func detach() -> Tensor {
    Tensor(
      storage, type, device: device, offset: offset, strides: customStrides,
      view: view.map { View(base: $0.base.withoutHistory(), link: $0.link) })
  }

  /// Takes over the storage, shape and type of another tensor (the setter of `.data`).
  public func setData(_ source: Tensor) throws(LucidError) {
    if source.dtype != dtype, gradState?.isLeafRequiringGrad == true, !source.dtype.isFloatingPoint {
      throw LucidError(.dtype, "set_data: a tensor that requires grad must be floating point")
    }
    try adopt(source)
  }
}
