import Synchronization

/// The functions that writes and renewed views need, by what they are made of.
private enum WriteFunctions {
  struct Key: Hashable {
    let base: TensorType
    let source: TensorType?
    let view: TensorType?
    var steps: [Step] = []
  }

  struct Step: Hashable {
    let op: OpID
    let attributes: Attributes
  }

  private static let capacity = 1024
  private static let known = Mutex<[Key: GraphFunction]>([:])

  /// Under a dynamic trace functions hold assumptions of the trace and are not kept.
  static func cached(
    _ key: Key, symbols: BatchAssumptions?, _ make: () throws(LucidError) -> GraphFunction
  ) throws(LucidError) -> GraphFunction {
    guard symbols == nil else { return try make() }
    if let function = known.withLock({ $0[key] }) { return function }
    let made = try make()
    return known.withLock { table in
      if table.count >= capacity { table = [:] }
      let function = table[key] ?? made
      table[key] = function
      return function
    }
  }
}

extension ViewLink {
  fileprivate var keySteps: [WriteFunctions.Step] {
    steps.map { WriteFunctions.Step(op: $0.op.id, attributes: $0.attributes) }
  }
}

extension GraphFunction {
  /// The views of a chain as a function of the base.
  static func viewChain(_ link: ViewLink, base: TensorType) throws(LucidError) -> GraphFunction {
    let symbols = ThreadState.current.recorder?.symbols
    let key = WriteFunctions.Key(base: base, source: nil, view: nil, steps: link.keySteps)
    return try WriteFunctions.cached(key, symbols: symbols) { () throws(LucidError) in
      let builder = GraphBuilder(symbols: symbols)
      var value = builder.input(base)
      for step in link.steps { value = try builder.apply(step.op, [value], step.attributes)[0] }
      builder.setOutputs([value])
      return try GraphFunction(builder.graph, name: "ViewBackward", symbols: symbols)
    }
  }

  /// A base after a write through a view of it, as a function of base and source.
  static func viewWrite(
    _ link: ViewLink, base: TensorType, view: TensorType, source: TensorType,
    symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> GraphFunction {
    let key = WriteFunctions.Key(base: base, source: source, view: view, steps: link.keySteps)
    return try WriteFunctions.cached(key, symbols: symbols) { () throws(LucidError) in
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
  }

  /// A source broadcast and converted to the type it is written to.
  static func write(
    to target: TensorType, source: TensorType, symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> GraphFunction {
    let key = WriteFunctions.Key(base: target, source: source, view: nil)
    return try WriteFunctions.cached(key, symbols: symbols) { () throws(LucidError) in
      let builder = GraphBuilder(symbols: symbols)
      let input = builder.input(source)
      builder.setOutputs([try input.cast(to: target.dtype).expand(target.shape)])
      return try GraphFunction(builder.graph, name: "CopyBackwards", symbols: symbols)
    }
  }
}
