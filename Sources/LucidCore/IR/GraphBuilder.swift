/// Builds a graph, one operation at a time. Equal applications of an operation give the same values,
/// so common subexpressions never appear twice.
public final class GraphBuilder {
  public internal(set) var graph = Graph()
  /// What is known and assumed about the symbolic batch; nil in a static graph.
  public let symbols: BatchAssumptions?
  private var interned: [NodeKey: Int32] = [:]

  public init(symbols: BatchAssumptions? = nil) { self.symbols = symbols }

  private struct NodeKey: Hashable {
    let op: OpID
    let inputs: [Value]
    let attributes: Attributes
  }

  /// Adds an input of the function being built.
  public func input(_ type: TensorType) -> GraphValue {
    let value = newValue(type, producer: -1)
    graph.inputs.append(value)
    return GraphValue(value, self)
  }

  public func setOutputs(_ outputs: [GraphValue]) { graph.outputs = outputs.map(\.value) }

  /// Applies an operation after promoting its operands, checking them and filling in the attributes'
  /// defaults; a composite is expanded into primitives.
  public func apply(
    _ op: OpDef, _ operands: [GraphValue], _ attributes: Attributes = Attributes()
  ) throws(LucidError) -> [GraphValue] {
    let attributes = try op.completed(attributes)
    try op.checkOperandCount(operands.count)
    let promoted = try op.promotion.apply(to: operands, op: op)
    switch op.definition {
    case .composite(let expand):
      let context = ExpandContext(op: op, builder: self, inputs: promoted, attributes: attributes)
      do { return try expand(context) } catch { throw error.attributed(to: op.name) }
    case .host:
      throw LucidError(
        .unsupported, "\(op.name): the size of the result depends on values, which a graph lacks")
    case .primitive(let rules):
      let key = NodeKey(op: op.id, inputs: promoted.map(\.value), attributes: attributes)
      if let known = interned[key] { return results(of: Int(known)) }
      let context = InferContext(
        op: op, types: promoted.map(\.type), attributes: attributes, symbols: symbols)
      let types = try rules.infer(context)
      for type in types { try type.checkSize(op: op.name) }
      let nodeIndex = graph.nodes.count
      let first = graph.types.count
      for type in types { _ = newValue(type, producer: Int32(truncatingIfNeeded: nodeIndex)) }
      graph.nodes.append(
        Node(
          op: op.id, inputs: key.inputs, attributes: attributes,
          firstOutput: Int32(truncatingIfNeeded: first),
          outputCount: Int32(truncatingIfNeeded: types.count)))
      interned[key] = Int32(truncatingIfNeeded: nodeIndex)
      return results(of: nodeIndex)
    }
  }

  private func results(of node: Int) -> [GraphValue] {
    graph.nodes[node].outputs.map { GraphValue($0, self) }
  }

  private func newValue(_ type: TensorType, producer: Int32) -> Value {
    let value = Value(graph.types.count)
    graph.types.append(type)
    graph.producers.append(producer)
    return value
  }

  /// Copies another graph's nodes into this one, its inputs replaced by `inputs`; the values that
  /// stand for its outputs.
  public func inline(_ other: Graph, _ inputs: [GraphValue]) throws(LucidError) -> [GraphValue] {
    var map = [GraphValue?](repeating: nil, count: other.types.count)
    for (parameter, argument) in zip(other.inputs, inputs) { map[parameter.position] = argument }
    for node in other.nodes {
      let results = try apply(
        OpCatalog[node.op], node.inputs.compactMap { map[$0.position] }, node.attributes)
      for (output, result) in zip(node.outputs, results) { map[output.position] = result }
    }
    return other.outputs.compactMap { map[$0.position] }
  }
}

/// A value together with the builder that owns it: what gradient rules and expansions compute with.
public struct GraphValue {
  public let value: Value
  public let builder: GraphBuilder

  public init(_ value: Value, _ builder: GraphBuilder) {
    self.value = value
    self.builder = builder
  }

  public var type: TensorType { builder.graph.types[value.position] }
  public var shape: Shape { type.shape }
  public var dtype: DType { type.dtype }
  public var rank: Int { type.rank }
}

extension LucidError {
  /// The error as the composite `name` reports it: the inner operation's name is not the user's.
  func attributed(to name: String) -> LucidError {
    guard let colon = message.firstIndex(of: ":") else { return self }
    return LucidError(code, name + message[colon...])
  }
}
