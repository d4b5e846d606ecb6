import Synchronization

/// One differentiable call on the tape: the function, what its gradient needs, and where the
/// operands' gradients go.
final class TapeNode: @unchecked Sendable {
  private struct State {
    var inputs: [SavedTensor?]
    var outputs: [SavedTensor?]
    var isFreed = false
    var refusesSecondPass = false
    var hooks: [Int: [(id: Int64, hook: GradientHook)]] = [:]
    /// The tensors that keep their gradient although they are no leaves, by output.
    var retaining: [Int: WeakGradState] = [:]
  }

  private struct WeakGradState {
    weak var state: GradState?
  }

  private static let lastSequence = Atomic<UInt64>(0)
  private static let lastHook = Atomic<Int64>(1 << 32)

  let function: GraphFunction
  /// Which operands get a gradient.
  let wanted: Mask
  private(set) var edges: [Edge?]
  let outputCount: Int
  let device: Device
  /// The batch that a symbolic function ran with.
  let batch: Int
  /// Later calls have higher numbers.
  let sequence: UInt64
  /// Whether the gradient needs operands or results: else a second pass does no harm.
  private let savesSomething: Bool
  private let state: Mutex<State>

  init(
    _ function: GraphFunction, wanted: Mask, edges: [Edge?], operands: [Tensor],
    results: [Tensor], batch: Int = 0
  ) throws(LucidError) {
    self.function = function
    self.wanted = wanted
    self.edges = edges
    self.batch = batch
    outputCount = results.count
    device = results.first?.device ?? .cpu
    sequence = Self.lastSequence.wrappingAdd(1, ordering: .relaxed).newValue
    let gradient = try function.gradient(present: Mask(all: results.count), wanted: wanted)
    var inputs: [SavedTensor?] = []
    var outputs: [SavedTensor?] = []
    for source in gradient.sources {
      switch source {
      case .input(let i):
        while inputs.count <= i { inputs.append(nil) }
        inputs[i] = SavedTensor(operands[i])
      case .output(let i):
        while outputs.count <= i { outputs.append(nil) }
        outputs[i] = SavedTensor(results[i])
      case .cotangent: break
      }
    }
    savesSomething = !inputs.isEmpty || !outputs.isEmpty
    state = Mutex(State(inputs: inputs, outputs: outputs))
  }

  var name: String { function.name }
  /// Whether a backward pass went through and kept nothing for another.
  var isFreed: Bool { state.withLock { $0.isFreed } }

  /// A tape can be as long as a program runs: nodes whose last reference goes away here are released
  /// in a loop, not by recursion.
  deinit {
    let thread = ThreadState.current
    for case .node(let node, _)? in edges { thread.released.append(node) }
    edges = []
    guard !thread.isReleasing else { return }
    thread.isReleasing = true
    while let node = thread.released.popLast() { withExtendedLifetime(node) {} }
    thread.isReleasing = false
  }

  /// Forgets what was kept for the gradient. A node that needs nothing can be passed again, unless it
  /// stands for others that cannot.
  func free(refusingAnother: Bool = false) {
    if refusingAnother { state.withLock { $0.refusesSecondPass = true } }
    let (inputs, outputs) = state.withLock { state in
      defer {
        state.isFreed = true
        state.inputs = []
        state.outputs = []
      }
      return (state.inputs, state.outputs)
    }
    // Released outside the lock: the memory may be large.
    withExtendedLifetime((inputs, outputs)) {}
  }

  /// An operand as it was, with its history if `withHistory`.
  func input(_ i: Int, withHistory: Bool) throws(LucidError) -> Tensor {
    guard let saved = state.withLock({ i < $0.inputs.count ? $0.inputs[i] : nil }) else {
      throw freedError
    }
    var (maker, output): (String, Int?) = ("", nil)
    if case .node(let node, let index)? = edges[i] { (maker, output) = (node.name, index) }
    let tensor = try saved.restored(savedBy: maker, output: output)
    if withHistory, let edge = edges[i] { tensor.setHistory(edge) }
    return tensor
  }

  /// A result as it was, with its history if `withHistory`.
  func output(_ i: Int, withHistory: Bool) throws(LucidError) -> Tensor {
    guard let saved = state.withLock({ i < $0.outputs.count ? $0.outputs[i] : nil }) else {
      throw freedError
    }
    let tensor = try saved.restored(savedBy: name, output: i)
    if withHistory { tensor.setHistory(.node(self, output: i)) }
    return tensor
  }

  private var freedError: LucidError {
    LucidError(
      .runtime,
      """
      Trying to backward through the graph a second time (or directly access saved tensors after \
      they have already been freed). Saved intermediate values of the graph are freed when you \
      call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward \
      through the graph a second time or if you need to access saved tensors after calling backward.
      """)
  }

  func checkNotFreed() throws(LucidError) {
    if isFreed, savesSomething || refusesSecondPass { throw freedError }
  }

  /// Makes a freed node refuse a second pass for nodes that it stands for.
  private var refusesSecondPass: Bool { state.withLock { $0.refusesSecondPass } }

  // Hooks and kept gradients of results

  func addHook(_ output: Int, _ hook: @escaping GradientHook) -> Int64 {
    let id = Self.lastHook.wrappingAdd(1, ordering: .relaxed).newValue
    state.withLock { $0.hooks[output, default: []].append((id, hook)) }
    return id
  }

  func removeHook(_ output: Int, _ id: Int64) {
    state.withLock { $0.hooks[output]?.removeAll { $0.id == id } }
  }

  func hooks(_ output: Int) -> [GradientHook] {
    state.withLock { $0.hooks.isEmpty ? [] : ($0.hooks[output] ?? []).map(\.hook) }
  }

  func retainGradient(_ output: Int, in state: GradState) {
    self.state.withLock { $0.retaining[output] = WeakGradState(state: state) }
  }

  func stopRetaining(_ output: Int) { state.withLock { $0.retaining[output] = nil } }

  func retaining(_ output: Int) -> GradState? {
    state.withLock { $0.retaining.isEmpty ? nil : $0.retaining[output]?.state }
  }
}

extension Tensor {
  /// Drops the way back to the calls that made the tensor and, if it is a view, its base.
  func forgetHistory() {
    for state in [gradState, view?.base.gradState] where state?.isLeafRequiringGrad == false {
      state?.node = nil
    }
  }

  /// Makes the tensor the result that an edge leads to.
  func setHistory(_ edge: Edge) {
    switch edge {
    case .leaf(let state): gradState = state
    case .node(let node, let output):
      let state = makeGradState()
      state.isLeafRequiringGrad = false
      (state.node, state.output) = (node, output)
    }
    if let base = view?.base { view?.generation = base.gradState?.generation ?? 0 }
  }

  /// Puts a call on the tape if it is differentiated: the results lead to the operands.
  static func record(
    _ function: GraphFunction, _ operands: [Tensor], _ results: [Tensor], batch given: Int = 0
  ) throws(LucidError) {
    // What was recorded with an open batch ran with the batch that its operands show.
    let batch = given != 0 || function.isStatic ? given : function.batch { operands[$0].shape }
    guard results.contains(where: \.dtype.isFloatingPoint) else { return }
    var wanted = Mask()
    var edges: [Edge?] = []
    edges.reserveCapacity(operands.count)
    for (i, operand) in operands.enumerated() {
      let edge = operand.dtype.isFloatingPoint ? try operand.edge() : nil
      if edge != nil { wanted[i] = true }
      edges.append(edge)
    }
    guard !wanted.isEmpty else { return }
    let node = try TapeNode(
      function, wanted: wanted, edges: edges, operands: operands, results: results, batch: batch)
    for (i, result) in results.enumerated() where result.dtype.isFloatingPoint {
      result.setHistory(.node(node, output: i))
    }
  }
}
