/// MPSGraph has no tensors without elements. This pass removes them: nodes with empty results go, and
/// a node that makes elements out of empty operands becomes what its operation says, zeros if it says
/// nothing.
enum EmptyValues {
  /// A graph whose values all have elements, and what it leaves out.
  struct Result {
    let graph: Graph
    /// The original input behind each input.
    let inputs: [Int]
    /// The original output behind each output.
    let outputs: [Int]
  }

  static func remove(from source: Graph) throws(LucidError) -> Result {
    guard source.types.contains(where: \.shape.isEmpty) else {
      return Result(
        graph: source, inputs: Array(source.inputs.indices), outputs: Array(source.outputs.indices))
    }
    let builder = GraphBuilder()
    var values = [GraphValue?](repeating: nil, count: source.types.count)
    var inputs: [Int] = []
    for (position, input) in source.inputs.enumerated() {
      let type = source.type(of: input)
      guard !type.shape.isEmpty else { continue }
      values[input.position] = builder.input(type)
      inputs.append(position)
    }
    for node in source.nodes where node.outputs.contains(where: { !source.isEmpty($0) }) {
      let results = try results(of: node, source, builder, values)
      for (output, result) in zip(node.outputs, results) where !source.isEmpty(output) {
        values[output.position] = result
      }
    }
    var outputs: [Int] = []
    var results: [GraphValue] = []
    for (position, output) in source.outputs.enumerated() {
      guard let value = values[output.position] else { continue }
      outputs.append(position)
      results.append(value)
    }
    builder.setOutputs(results)
    return Result(graph: builder.graph, inputs: inputs, outputs: outputs)
  }

  private static func results(
    of node: Node, _ source: Graph, _ builder: GraphBuilder, _ values: [GraphValue?]
  ) throws(LucidError) -> [GraphValue] {
    let op = OpCatalog[node.op]
    let operands = node.inputs.map { values[$0.position] }
    if !operands.contains(where: { $0 == nil }) {
      return try builder.apply(op, operands.compactMap { $0 }, node.attributes)
    }
    guard case .primitive(let rules) = op.definition else {
      throw LucidError(.unsupported, "\(op.name): a composite reached a pass")
    }
    var results: [GraphValue] = []
    for output in node.outputs {
      let type = source.type(of: output)
      switch rules.empty {
      case .fill(let value):
        results.append(try builder.full(value, shape: type.shape, dtype: type.dtype))
      case .firstOperand:
        guard let first = operands.first, let first else {
          throw LucidError(.unsupported, "\(op.name): the first operand has no elements")
        }
        results.append(first)
      }
    }
    return results
  }
}

extension Graph {
  fileprivate func isEmpty(_ value: Value) -> Bool { type(of: value).shape.isEmpty }
}
