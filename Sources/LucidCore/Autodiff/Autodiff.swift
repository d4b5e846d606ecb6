/// Reverse-mode differentiation of graphs, by the operations' own rules. Knows no operation by name.
enum Autodiff {
  /// Which value of the primal function feeds an input of its gradient.
  enum Source: Hashable, Sendable {
    case input(Int)
    case output(Int)
    case cotangent(Int)
  }

  /// The gradient of a function as a function.
  struct Gradient {
    let graph: Graph
    /// What feeds each input of `graph`.
    let sources: [Source]
    /// The input of the primal function that each output of `graph` is the gradient of. An input
    /// that is not listed does not influence the outputs.
    let targets: [Int]
  }

  /// Builds the gradient of `primal` with respect to the `wanted` inputs, given gradients of the
  /// outputs marked `present`. Intermediate values are computed again from inputs and outputs.
  static func gradient(
    of primal: Graph, present: [Bool], wanted: [Bool], symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> Gradient {
    let builder = GraphBuilder(symbols: symbols)
    var values = [GraphValue?](repeating: nil, count: primal.types.count)
    var sources: [Source] = []
    for (i, input) in primal.inputs.enumerated() {
      values[input.position] = builder.input(primal.type(of: input))
      sources.append(.input(i))
    }
    // A result is at hand already: rules that use it need not compute it again.
    for (i, output) in primal.outputs.enumerated() where values[output.position] == nil {
      values[output.position] = builder.input(primal.type(of: output))
      sources.append(.output(i))
    }
    var reverse = ReverseWalk(primal: primal, builder: builder)
    for (i, output) in primal.outputs.enumerated() where present[i] {
      let type = primal.type(of: output)
      let cotangent = builder.input(TensorType(type.shape, type.dtype))
      sources.append(.cotangent(i))
      try reverse.seed(output, cotangent)
    }
    try recompute(primal, builder, &values)
    for (input, isWanted) in zip(primal.inputs, wanted) where isWanted { reverse.want(input) }
    try reverse.run(values)

    var outputs: [GraphValue] = []
    var targets: [Int] = []
    for (i, input) in primal.inputs.enumerated() where wanted[i] {
      guard let gradient = try reverse.gradient(of: input) else { continue }
      outputs.append(gradient)
      targets.append(i)
    }
    builder.setOutputs(outputs)
    let (graph, kept) = builder.graph.pruned(keepingInputs: false)
    return Gradient(graph: graph, sources: kept.map { sources[$0] }, targets: targets)
  }

  /// Adds the primal computation; what no rule uses is removed afterwards.
  private static func recompute(
    _ primal: Graph, _ builder: GraphBuilder, _ values: inout [GraphValue?]
  ) throws(LucidError) {
    for node in primal.nodes {
      guard node.outputs.contains(where: { values[$0.position] == nil }) else { continue }
      let inputs = node.inputs.compactMap { values[$0.position] }
      let results = try builder.apply(OpCatalog[node.op], inputs, node.attributes)
      for (output, result) in zip(node.outputs, results) where values[output.position] == nil {
        values[output.position] = result
      }
    }
  }
}

/// The walk from outputs to inputs that collects gradients.
private struct ReverseWalk {
  let primal: Graph
  let builder: GraphBuilder
  private var gradients: [GraphValue?]
  /// Values whose gradient is zero unless a contribution arrives: something downstream is constant
  /// wherever it is differentiable.
  private var isZero: [Bool]
  /// Values that a wanted input influences.
  private var isActive: [Bool]

  init(primal: Graph, builder: GraphBuilder) {
    self.primal = primal
    self.builder = builder
    gradients = Array(repeating: nil, count: primal.types.count)
    isZero = Array(repeating: false, count: primal.types.count)
    isActive = Array(repeating: false, count: primal.types.count)
  }

  mutating func seed(_ value: Value, _ gradient: GraphValue) throws(LucidError) {
    gradients[value.position] =
      if let sum = gradients[value.position] { try sum + gradient } else { gradient }
  }

  mutating func want(_ input: Value) {
    isActive[input.position] = primal.type(of: input).dtype.isFloatingPoint
  }

  func gradient(of input: Value) throws(LucidError) -> GraphValue? {
    guard isActive[input.position] else { return nil }
    if let gradient = gradients[input.position] { return gradient }
    guard isZero[input.position] else { return nil }
    let type = primal.type(of: input)
    return try builder.full(0, shape: type.shape, dtype: type.dtype)
  }

  mutating func run(_ values: [GraphValue?]) throws(LucidError) {
    for node in primal.nodes
    where node.inputs.contains(where: { isActive[$0.position] })
      && !OpCatalog[node.op].cutsGradients
    {
      for output in node.outputs where primal.type(of: output).dtype.isFloatingPoint {
        isActive[output.position] = true
      }
    }
    for node in primal.nodes.reversed() {
      let outputs = node.outputs.filter { isActive[$0.position] }
      let hasGradient = outputs.contains { gradients[$0.position] != nil }
      guard hasGradient || outputs.contains(where: { isZero[$0.position] }) else { continue }
      let wanted = node.inputs.map { isActive[$0.position] }
      guard wanted.contains(true) else { continue }
      try step(node, wanted, values, hasGradient: hasGradient)
    }
  }

  private mutating func step(
    _ node: Node, _ wanted: [Bool], _ values: [GraphValue?], hasGradient: Bool
  ) throws(LucidError) {
    let op = OpCatalog[node.op]
    guard case .primitive(let rules) = op.definition else { return }
    switch rules.vjp {
    case .none(let reason):
      throw LucidError(.runtime, "\(op.name): no gradient is defined: \(reason)")
    case .stop:
      return
    case .zero:
      markZero(node, wanted)
    case .rule(let rule):
      guard hasGradient else { return markZero(node, wanted) }
      let context = VJPContext(
        op: op, builder: builder, inputs: node.inputs.compactMap { values[$0.position] },
        outputs: node.outputs.compactMap { values[$0.position] },
        cotangents: node.outputs.map { gradients[$0.position] }, attributes: node.attributes,
        wanted: wanted)
      for ((input, isWanted), gradient) in zip(zip(node.inputs, wanted), try rule(context)) {
        guard isWanted, let gradient else { continue }
        let type = primal.type(of: input)
        try seed(input, try gradient.cast(to: type.dtype).reshape(type.shape))
      }
    }
  }

  private mutating func markZero(_ node: Node, _ wanted: [Bool]) {
    for (input, isWanted) in zip(node.inputs, wanted) where isWanted {
      isZero[input.position] = true
    }
  }
}
