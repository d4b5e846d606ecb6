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
    if isLeaf || source.type !== type || source.view != nil {
      if !differentiates, ThreadState.current.recorder == nil, try overwriteDirectly(source) {
        return
      }
      let function = try GraphFunction.write(
        to: graphType, source: source.graphType, symbols: ThreadState.current.recorder?.symbols)
      let operand = differentiates ? source : source.withoutHistory()
      guard let made = try function.call([operand], device: device).first else { return }
      value = made
      edge = differentiates ? try made.edge() : nil
    }
    try storage.replace(with: try value.storage.shared().contents)
    if differentiates { setWrittenHistory(edge) }
  }

  /// Fills a new buffer by one copy where the engine can: no graph is needed.
  private func overwriteDirectly(_ source: Tensor) throws(LucidError) -> Bool {
    guard elementCount > 0, let from = try source.storage.buffer() else { return false }
    let layout = try source.broadcastLayout(to: type)
    try from.wait()
    let made = try Buffer.make(type)
    guard
      EngineHooks.copy(
        from.mtl, layout, source.dtype, to: made.mtl, type.layout, dtype)
    else { return false }
    try storage.replace(with: .buffer(made))
    return true
  }

  /// How this tensor's elements lie when it is broadcast to another type's shape.
  private func broadcastLayout(to target: ConcreteType) throws(LucidError) -> ViewLayout {
    let lead = target.rank - rank
    var strides = [Int](repeating: 0, count: Swift.max(lead, 0))
    for (i, stride) in self.strides.enumerated() where lead >= 0 {
      let wanted = target.shape[lead + i]
      guard shape[i] == wanted || shape[i] == 1 else { break }
      strides.append(shape[i] == wanted ? stride : 0)
    }
    guard strides.count == target.rank else {
      throw LucidError(
        .shape,
        """
        shape mismatch: value tensor of shape \(type.sizes) cannot be broadcast to indexing result \
        of shape \(target.sizes)
        """)
    }
    return ViewLayout(offset: offset, shape: target.shape, strides: strides)
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
    let operands =
      differentiates ? [base, source] : [base.withoutHistory(), source.withoutHistory()]
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
    var layout = try source.broadcastLayout(to: type)
    try from.wait()
    var fromBuffer = from
    if source.storage === storage {
      // Reading and writing the same memory could see elements that are written already.
      fromBuffer = try StridedCopy.packed(from, layout, type)
      layout = type.layout
    }
    guard EngineHooks.copy(fromBuffer.mtl, layout, source.dtype, to: own.mtl, self.layout, dtype)
    else { return false }
    storage.markWritten()
    return true
  }

  /// The history after a write: the tensor is now the result of the call that an edge leads to.
  private func setWrittenHistory(_ edge: Edge?) {
    let state = makeGradState()
    state.generation += 1
    state.isLeafRequiringGrad = false
    // Hooks stay with the value they were registered on; a kept gradient is the written tensor's.
    if state.retainsGrad { state.node?.stopRetaining(state.output) }
    if case .node(let node, let output)? = edge {
      (state.node, state.output) = (node, output)
      if state.retainsGrad { node.retainGradient(output, in: state) }
    } else {
      state.node = nil
    }
  }

  /// The same elements without history in a box of its own, which are copied when either side is
  /// written. The result is no view.
  func separated(on device: Device? = nil) throws(LucidError) -> Tensor {
    let device = device ?? self.device
    let type = try type.strong()
    if view == nil { return Tensor(try storage.shared(), type, device: device) }
    if ThreadState.current.recorder != nil {
      let function = try GraphFunction.write(
        to: graphType, source: graphType, symbols: ThreadState.current.recorder?.symbols)
      if let made = try function.call([withoutHistory()], device: device).first { return made }
    }
    guard let buffer = try storage.buffer(), elementCount > 0 else {
      return Tensor(Storage(.empty), type, device: device)
    }
    return Tensor(Storage(try StridedCopy.packed(buffer, layout, type)), type, device: device)
  }

  /// Observably a copy under another device label.
  public func to(_ device: Device) throws(LucidError) -> Tensor {
    if device == self.device { return self }
    guard device.isAvailable else {
      throw LucidError(.device, "\(device): this device is not available here")
    }
    let copy = try separated(on: device)
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
      view: detachedView)
  }

  /// Takes over the storage, shape and type of another tensor (the setter of `.data`).
  public func setData(_ source: Tensor) throws(LucidError) {
    if source.dtype != dtype, gradState?.isLeafRequiringGrad == true, !source.dtype.isFloatingPoint
    {
      throw LucidError(.dtype, "set_data: a tensor that requires grad must be floating point")
    }
    try adopt(source)
  }
}
