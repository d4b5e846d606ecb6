extension Trace {
  /// Ends recording: compiles the record, runs it once, and gives a plan that repeats it. Nil if the
  /// call cannot be repeated; `reason` says why.
  public func end(_ outputs: [Tensor]) throws(LucidError) -> Plan? {
    guard phase == .recording else {
      finish(.ended)
      return nil
    }
    do throws(LucidError) {
      let record = try Record(self, outputs)
      finish(.ended)
      return try record.run()
    } catch {
      finish(.ended)
      restore()
      throw error
    }
  }

  /// Computes everything that was recorded and continues eagerly.
  public func flush(_ why: String) throws(LucidError) {
    guard phase == .recording else { return }
    if isFull {
      throw LucidError(.runtime, "fullgraph: \(why), so the call cannot be one graph")
    }
    deny(why)
    try computeAll()
  }

  /// Stops after an error in the traced function: what it wrote before stands, as in eager code.
  public func abort() {
    guard phase == .recording else { return finish(.ended) }
    do throws(LucidError) { try computeAll() } catch { restore() }
    finish(.ended)
  }

  private func computeAll() throws(LucidError) {
    do throws(LucidError) {
      let record = try Record(self, [])
      finish(.flushed)
      _ = try record.run()
      // What the rest of the call does to an argument, it does to the caller's tensor.
      for argument in arguments { argument.standIn.become(argument.original) }
    } catch {
      finish(.flushed)
      restore()
      throw error
    }
  }

  /// After a failed run: storages get back what they held before, the others stay empty.
  private func restore() {
    for (storage, before) in written { storage.fulfil(before) }
    for gradient in gradients { gradient.state.restore(gradient.before) }
  }
}

/// What a trace amounts to: a graph, where its inputs come from, and where its outputs go.
private struct Record {
  let trace: Trace
  let outputs: [Tensor]
  /// Outputs of the graph, each once.
  var targets: [GraphValue] = []
  var results: [Plan.Result] = []
  var writes: [Plan.Write] = []
  var gradients: [Plan.Gradient] = []
  /// Values that outlive the call although no result leads to them.
  var stray: [TraceValue] = []

  /// Results whose history a backward pass within the call has freed.
  let freed: Set<Int>

  init(_ trace: Trace, _ outputs: [Tensor]) throws(LucidError) {
    self.trace = trace
    self.outputs = outputs
    freed = Set(outputs.indices.filter { outputs[$0].gradState?.node?.isFreed == true })
    for output in outputs { results.append(try result(output)) }
    try collectWrites()
    try collectGradients()
    // Computed results get one node for the whole call; the nodes of single operations, and what
    // they saved, are not needed any more. Views of arguments keep theirs.
    for (output, result) in zip(outputs, results) {
      switch result {
      case .output, .outputView: output.forgetHistory()
      default: break
      }
    }
    collectStray()
  }

  private mutating func target(_ value: GraphValue) -> Int {
    if let known = targets.firstIndex(where: { $0.value == value.value }) { return known }
    targets.append(value)
    return targets.count - 1
  }

  private mutating func result(_ tensor: Tensor) throws(LucidError) -> Plan.Result {
    if let i = trace.arguments.firstIndex(where: { $0.standIn === tensor }) { return .argument(i) }
    guard tensor.storage.recorded != nil else { return .constant(tensor) }
    if let i = trace.arguments.firstIndex(where: { $0.standIn.storage === tensor.storage }) {
      let isDetached =
        tensor.view == nil || (trace.arguments[i].requiresGrad && !tensor.requiresGrad)
      return .argumentView(i, tensor.view?.link, isDetached: isDetached)
    }
    if trace.written.contains(where: { $0.storage === tensor.storage }) {
      // Memory that lived before the call: the result shows it as the write left it.
      return .constant(tensor)
    }
    guard let view = tensor.view else { return .output(target(try trace.value(of: tensor))) }
    let base = view.base
    let coversBase =
      tensor.isContiguous && tensor.offset == 0 && tensor.elementCount == base.elementCount
    return coversBase
      ? .output(target(try trace.value(of: tensor)))
      : .outputView(target(try trace.value(of: base)), view.link)
  }

  private mutating func collectWrites() throws(LucidError) {
    for (i, argument) in trace.arguments.enumerated() where argument.duplicateOf == nil {
      guard let now = argument.standIn.storage.recorded as? TraceValue,
        now.graphValue.value != argument.value.value
      else { continue }
      writes.append(.argument(i, target(now.graphValue)))
    }
    if !writes.isEmpty, trace.argumentsShareMemory {
      trace.deny("arguments that share memory are written")
    }
    for (storage, _) in trace.written {
      guard let now = storage.recorded as? TraceValue else { continue }
      let captured = trace.captured.firstIndex {
        if case .tensor(let tensor) = $0.origin { tensor.storage === storage } else { false }
      }
      writes.append(.storage(storage, captured: captured, target(now.graphValue)))
    }
  }

  private mutating func collectGradients() throws(LucidError) {
    for gradient in trace.gradients {
      let now = gradient.state.currentGradient
      var effect = Plan.Gradient.Effect.none
      if now !== gradient.before {
        if let now {
          effect =
            now.storage.recorded == nil
            ? .constant(now) : .output(target(try trace.value(of: now)))
        } else {
          effect = .cleared
        }
      }
      gradients.append(
        Plan.Gradient(
          state: gradient.state, hadGradient: gradient.before != nil, isRead: gradient.isRead,
          effect: effect))
    }
  }

  private mutating func collectStray() {
    var expected = Set<ObjectIdentifier>()
    for output in outputs { expected.insert(ObjectIdentifier(output.storage)) }
    for argument in trace.arguments { expected.insert(ObjectIdentifier(argument.standIn.storage)) }
    for (storage, _) in trace.written { expected.insert(ObjectIdentifier(storage)) }
    for gradient in trace.gradients {
      if let now = gradient.state.currentGradient { expected.insert(ObjectIdentifier(now.storage)) }
    }
    for value in trace.waitingValues {
      let others = value.waiting.filter { !expected.contains(ObjectIdentifier($0)) }
      if !others.isEmpty { stray.append(value) }
    }
  }

  /// Compiles and runs the graph for this call, and makes the plan for later ones.
  func run() throws(LucidError) -> Plan? {
    let waiting = trace.waitingValues.map { (value: $0, storages: $0.waiting) }
    let plan = try Plan(
      trace, targets: targets, results: results, writes: writes, gradients: gradients)
    // What only this call needs: memory behind views, and values that something else holds on to.
    var extra: [GraphValue] = []
    for (value, _) in waiting
    where !targets.contains(where: { $0.value == value.graphValue.value }) {
      extra.append(value.graphValue)
    }
    // The graph reads what memory and gradients held before the call.
    let gradientsNow = trace.gradients.map { $0.state.currentGradient }
    for (storage, before) in trace.written { storage.fulfil(before) }
    for gradient in trace.gradients { gradient.state.restore(gradient.before) }
    let contents = try plan.runFirst(trace, targets: targets, extra: extra)
    for (gradient, now) in zip(trace.gradients, gradientsNow) { gradient.state.restore(now) }
    for (value, storages) in waiting {
      guard let content = contents[value.graphValue.value] else { continue }
      for storage in storages {
        if trace.written.contains(where: { $0.storage === storage }) {
          try storage.replace(with: content)
        } else {
          storage.fulfil(content)
        }
      }
    }
    try plan.writeArguments(trace.arguments.map(\.original)) { contents[targets[$0].value] }
    try plan.adoptHistory(trace, outputs, targets, contents, freed: freed)
    for (position, (output, result)) in zip(outputs, results).enumerated() {
      // A view of an argument shows the caller's memory, not what stood for it.
      if case .argumentView(let i, let link, let isDetached) = result, !freed.contains(position) {
        let original = trace.arguments[i].original
        let base = isDetached ? original.detach() : original
        output.become(try Plan.view(base, link, trace.hint))
      }
    }
    if trace.reason == nil, !stray.isEmpty {
      trace.deny("a tensor that the call computed is kept outside of it")
    }
    return trace.reason == nil ? plan : nil
  }
}
