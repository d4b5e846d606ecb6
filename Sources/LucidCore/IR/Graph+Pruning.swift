extension Graph {
  /// The graph without nodes that no output needs. `inputs` stay where they are unless
  /// `keepingInputs` is false, which drops the unused ones; `kept` has the positions of the others.
  /// A graph that needs the symbolic batch keeps an input whose shape has it.
  func pruned(keepingInputs: Bool = true) -> (graph: Graph, kept: [Int]) {
    var live = [Bool](repeating: false, count: types.count)
    for output in outputs { live[output.position] = true }
    var liveNodes = [Bool](repeating: false, count: nodes.count)
    for (index, node) in nodes.enumerated().reversed() {
      let needed = node.outputs.contains { live[$0.position] }
      guard needed else { continue }
      liveNodes[index] = true
      for input in node.inputs { live[input.position] = true }
    }
    let isOpen = { (input: Value) in !types[input.position].shape.isStatic }
    if !keepingInputs, !inputs.contains(where: { live[$0.position] && isOpen($0) }),
      zip(nodes, liveNodes).contains(where: { $1 && dependsOnBatch($0) }),
      let source = inputs.first(where: isOpen)
    {
      live[source.position] = true
    }
    var result = Graph()
    var map = [Value](repeating: Value(0), count: types.count)
    func add(_ value: Value, producer: Int32) -> Value {
      let new = Value(result.types.count)
      result.types.append(types[value.position])
      result.producers.append(producer)
      map[value.position] = new
      return new
    }
    var kept: [Int] = []
    for (position, input) in inputs.enumerated() where keepingInputs || live[input.position] {
      kept.append(position)
      result.inputs.append(add(input, producer: -1))
    }
    for (index, node) in nodes.enumerated() where liveNodes[index] {
      let nodeIndex = Int32(truncatingIfNeeded: result.nodes.count)
      let first = Int32(truncatingIfNeeded: result.types.count)
      let nodeInputs = node.inputs.map { map[$0.position] }
      for output in node.outputs { _ = add(output, producer: nodeIndex) }
      result.nodes.append(
        Node(
          op: node.op, inputs: nodeInputs, attributes: node.attributes, firstOutput: first,
          outputCount: node.outputCount))
    }
    result.outputs = outputs.map { map[$0.position] }
    return (result, kept)
  }

  private func dependsOnBatch(_ node: Node) -> Bool {
    node.outputs.contains { !types[$0.position].shape.isStatic }
      || node.attributes.values.contains { value in
        if case .dims(let dims) = value { dims.contains { !$0.isStatic } } else { false }
      }
  }
}
