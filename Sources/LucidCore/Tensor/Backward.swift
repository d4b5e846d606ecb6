/// How a backward pass treats the tape.
public struct BackwardOptions: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Keeps what the tape saved, for another pass.
  public static let retainGraph = BackwardOptions(rawValue: 1)
  /// The gradients can be differentiated in turn; implies `retainGraph`.
  public static let createGraph = BackwardOptions(rawValue: 2)
  /// An input that the outputs do not depend on gets no gradient instead of an error.
  public static let allowUnused = BackwardOptions(rawValue: 4)
}

/// One pass from outputs back to leaves or chosen inputs. Iterative throughout: tapes can be longer
/// than a stack is deep.
struct BackwardPass {
  private let options: BackwardOptions
  /// Where the gradient of each chosen input arrives; nil to accumulate into all leaves.
  private let inputs: [Edge]?
  private var indices: [ObjectIdentifier: Int] = [:]
  private var nodes: [TapeNode] = []
  /// How many uses of a node's results have not delivered their gradient yet.
  private var pending: [Int] = []
  private var gradients: [[Tensor?]] = []
  /// Whether a node's operands lead to something wanted.
  private var isNeeded: [Bool] = []
  private var leafGradients: [ObjectIdentifier: (state: GradState, gradient: Tensor)] = [:]
  private var captured: [Tensor?]

  /// Accumulates into the gradients of all leaves.
  static func backward(
    _ outputs: [Tensor], _ cotangents: [Tensor?], _ options: BackwardOptions
  ) throws(LucidError) {
    var pass = BackwardPass(options, inputs: nil)
    try pass.run(outputs, cotangents)
  }

  /// The gradients with respect to `inputs`; nil for unused ones if that is allowed.
  static func gradients(
    _ outputs: [Tensor], _ cotangents: [Tensor?], _ inputs: [Tensor], _ options: BackwardOptions
  ) throws(LucidError) -> [Tensor?] {
    var edges: [Edge] = []
    for input in inputs {
      guard let edge = try input.edge() else {
        throw LucidError(.runtime, "One of the differentiated Tensors does not require grad")
      }
      edges.append(edge)
    }
    var pass = BackwardPass(options, inputs: edges)
    try pass.run(outputs, cotangents)
    if !options.contains(.allowUnused), pass.captured.contains(where: { $0 == nil }) {
      throw LucidError(
        .runtime,
        """
        One of the differentiated Tensors appears to not have been used in the graph. Set \
        allow_unused=True if this is the desired behavior.
        """)
    }
    return pass.captured
  }

  private init(_ options: BackwardOptions, inputs: [Edge]?) {
    self.options = options
    self.inputs = inputs
    captured = Array(repeating: nil, count: inputs?.count ?? 0)
  }

  private mutating func run(
    _ outputs: [Tensor], _ cotangents: [Tensor?]
  ) throws(LucidError) {
    let thread = ThreadState.current
    let mode = thread.gradMode
    thread.gradMode = options.contains(.createGraph) ? .on : .off
    defer { thread.gradMode = mode }

    var roots: [(edge: Edge, gradient: Tensor)] = []
    for (i, output) in outputs.enumerated() {
      guard let edge = try output.edge() else {
        throw LucidError(
          .runtime,
          "element \(i) of tensors does not require grad and does not have a grad_fn")
      }
      roots.append((edge, try cotangent(of: output, cotangents[i])))
    }
    discover(roots.map(\.edge))
    markNeeded()
    for (edge, gradient) in roots { try deliver(gradient, to: edge) }
    try walk()
    try finish()
  }

  private func cotangent(of output: Tensor, _ given: Tensor?) throws(LucidError) -> Tensor {
    guard let given else {
      guard output.elementCount == 1 else {
        throw LucidError(.runtime, "grad can be implicitly created only for scalar outputs")
      }
      return try Tensor.full(output.shape, 1, dtype: output.dtype, device: output.device)
    }
    guard given.shape == output.shape else {
      throw LucidError(
        .runtime,
        """
        Mismatch in shape: grad_output has a shape of \(given.type.sizes) and output has a shape \
        of \(output.type.sizes).
        """)
    }
    return given.dtype == output.dtype ? given : try given.cast(to: output.dtype)
  }

  /// Numbers the nodes that the roots lead to and counts the uses of each.
  private mutating func discover(_ roots: [Edge]) {
    var stack: [Int] = []
    for case .node(let node, _) in roots where indices[ObjectIdentifier(node)] == nil {
      stack.append(add(node))
    }
    while let index = stack.popLast() {
      for case .node(let next, _)? in nodes[index].edges {
        let known = indices[ObjectIdentifier(next)]
        let target = known ?? add(next)
        pending[target] += 1
        if known == nil { stack.append(target) }
      }
    }
  }

  private mutating func add(_ node: TapeNode) -> Int {
    let index = nodes.count
    indices[ObjectIdentifier(node)] = index
    nodes.append(node)
    pending.append(0)
    gradients.append([])
    return index
  }

  /// Marks the nodes on a way to a chosen input; all of them without such.
  private mutating func markNeeded() {
    guard let inputs else {
      isNeeded = Array(repeating: true, count: nodes.count)
      return
    }
    isNeeded = Array(repeating: false, count: nodes.count)
    var targets = Set<ObjectIdentifier>()
    for input in inputs {
      switch input {
      case .leaf(let state): targets.insert(ObjectIdentifier(state))
      case .node(let node, _): targets.insert(ObjectIdentifier(node))
      }
    }
    // A call comes later than the calls that made its operands.
    for index in nodes.indices.sorted(by: { nodes[$0].sequence < nodes[$1].sequence }) {
      isNeeded[index] = nodes[index].edges.contains { leads($0, to: targets) }
    }
  }

  private func leads(_ edge: Edge?, to targets: Set<ObjectIdentifier>) -> Bool {
    switch edge {
    case .leaf(let state)?: targets.contains(ObjectIdentifier(state))
    case .node(let node, _)?:
      targets.contains(ObjectIdentifier(node))
        || indices[ObjectIdentifier(node)].map { isNeeded[$0] } ?? false
    case nil: false
    }
  }

  private mutating func deliver(_ gradient: Tensor, to edge: Edge) throws(LucidError) {
    switch edge {
    case .leaf(let state):
      let id = ObjectIdentifier(state)
      let sum = try leafGradients[id].map { old throws(LucidError) in
        try Tensor.sum(old.gradient, gradient)
      }
      leafGradients[id] = (state, sum ?? gradient)
    case .node(let node, let output):
      guard let index = indices[ObjectIdentifier(node)] else { return }
      if gradients[index].isEmpty {
        gradients[index] = Array(repeating: nil, count: node.outputCount)
      }
      gradients[index][output] =
        if let old = gradients[index][output] { try Tensor.sum(old, gradient) } else { gradient }
    }
  }

  /// Runs the nodes whose gradients are complete, the latest call first.
  private mutating func walk() throws(LucidError) {
    var ready = ReadyQueue()
    for index in nodes.indices where pending[index] == 0 {
      ready.insert(index, priority: nodes[index].sequence)
    }
    while let index = ready.popLast() {
      try process(index)
      for case .node(let next, _)? in nodes[index].edges {
        guard let target = indices[ObjectIdentifier(next)] else { continue }
        pending[target] -= 1
        if pending[target] == 0 { ready.insert(target, priority: next.sequence) }
      }
    }
  }

  private mutating func process(_ index: Int) throws(LucidError) {
    let node = nodes[index]
    var arrived = gradients[index]
    gradients[index] = []
    guard arrived.contains(where: { $0 != nil }) else { return }
    for output in arrived.indices {
      guard let gradient = arrived[output] else { continue }
      let final = try Self.apply(node.hooks(output), to: gradient)
      arrived[output] = final
      if inputs == nil, let state = node.retaining(output) { state.gradient = final }
    }
    capture(.node(node, output: 0), arrived)
    guard isNeeded[index] else { return }
    try node.checkNotFreed()
    for (edge, gradient) in try operandGradients(node, arrived) {
      try deliver(gradient, to: edge)
    }
    if options.isDisjoint(with: [.retainGraph, .createGraph]) { node.free() }
  }

  private mutating func capture(_ source: Edge, _ arrived: [Tensor?]) {
    guard let inputs, case .node(let node, _) = source else { return }
    for (i, input) in inputs.enumerated() {
      if case .node(let wanted, let output) = input, wanted === node {
        captured[i] = arrived[output]
      }
    }
  }

  private func operandGradients(
    _ node: TapeNode, _ arrived: [Tensor?]
  ) throws(LucidError) -> [(Edge, Tensor)] {
    let keepsHistory = options.contains(.createGraph)
    let gradient = try node.function.gradient(
      present: Mask(arrived.map { $0 != nil }), wanted: node.wanted)
    var operands: [Tensor] = []
    operands.reserveCapacity(gradient.sources.count)
    for source in gradient.sources {
      switch source {
      case .input(let i): operands.append(try node.input(i, withHistory: keepsHistory))
      case .output(let i): operands.append(try node.output(i, withHistory: keepsHistory))
      case .cotangent(let i):
        guard let cotangent = arrived[i] else { continue }
        operands.append(cotangent)
      }
    }
    let results = try gradient.function.call(operands, batch: node.batch, device: node.device)
    var out: [(Edge, Tensor)] = []
    for (target, result) in zip(gradient.targets, results) {
      if let edge = node.edges[target] { out.append((edge, result)) }
    }
    return out
  }

  private mutating func finish() throws(LucidError) {
    for (state, gradient) in leafGradients.values {
      let final = try Self.apply(state.hooks, to: gradient)
      if let inputs {
        for (i, input) in inputs.enumerated() {
          if case .leaf(let wanted) = input, wanted === state { captured[i] = final }
        }
      } else {
        try state.accumulate(final, keepsHistory: options.contains(.createGraph))
      }
    }
  }

  private static func apply(
    _ hooks: [GradientHook], to gradient: Tensor
  ) throws(LucidError) -> Tensor {
    var gradient = gradient
    for hook in hooks { gradient = try hook(gradient) ?? gradient }
    return gradient
  }
}

/// A binary heap: the latest call first.
private struct ReadyQueue {
  private var heap: [(priority: UInt64, index: Int)] = []

  mutating func insert(_ index: Int, priority: UInt64) {
    heap.append((priority, index))
    var child = heap.count - 1
    while child > 0, heap[(child - 1) / 2].priority < heap[child].priority {
      heap.swapAt((child - 1) / 2, child)
      child = (child - 1) / 2
    }
  }

  mutating func popLast() -> Int? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first.index }
    heap[0] = last
    var parent = 0
    while true {
      var child = parent * 2 + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].priority > heap[child].priority { child += 1 }
      guard heap[child].priority > heap[parent].priority else { break }
      heap.swapAt(child, parent)
      parent = child
    }
    return first.index
  }
}
