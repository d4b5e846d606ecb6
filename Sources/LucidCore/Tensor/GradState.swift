import Synchronization

/// A function on a gradient when it is known: gives a replacement or nil.
public typealias GradientHook = @Sendable (Tensor) throws(LucidError) -> Tensor?

/// What differentiation keeps about one tensor. It outlives the tensor while a tape leads to it.
final class GradState: @unchecked Sendable {
  private struct State {
    var gradient: Tensor?
    var hooks: [(id: Int64, hook: GradientHook)] = []
  }

  /// For a leaf: whether gradients are accumulated here.
  var isLeafRequiringGrad = false
  /// The run that made the tensor, and which of its results it is; nil for leaves.
  var node: TapeNode?
  var output = 0
  /// Grows when an in-place operation gives the tensor another history: views then renew theirs.
  var generation = 0
  /// Whether a tensor that is no leaf keeps its gradient.
  var retainsGrad = false

  private let state = Mutex(State())
  private let accumulation = Mutex<Void>(())
  private static let lastHook = Atomic<Int64>(0)

  var gradient: Tensor? {
    get {
      let current = currentGradient
      ThreadState.current.recorder?.willTouchGradient(of: self, current: current, isRead: true)
      return current
    }
    set {
      if let recorder = ThreadState.current.recorder {
        recorder.willTouchGradient(of: self, current: currentGradient, isRead: false)
      }
      restore(newValue)
    }
  }

  /// Adds to the gradient. Two threads may do so at once, each at the end of a backward pass.
  func accumulate(_ addition: Tensor, keepsHistory: Bool) throws(LucidError) {
    try accumulation.withLock { _ throws(LucidError) in
      if let old = gradient {
        gradient = try Tensor.sum(old, addition)
      } else {
        // The caller may write to a gradient in place: it must share no box with another tensor.
        gradient = keepsHistory ? addition : try addition.separated()
      }
    }
  }

  /// The gradient as it is, without a recorder noticing.
  var currentGradient: Tensor? { state.withLock { $0.gradient } }
  func restore(_ gradient: Tensor?) { state.withLock { $0.gradient = gradient } }

  var hooks: [GradientHook] { state.withLock { $0.hooks.map(\.hook) } }

  func addHook(_ hook: @escaping GradientHook) -> Int64 {
    let id = Self.lastHook.wrappingAdd(1, ordering: .relaxed).newValue
    state.withLock { $0.hooks.append((id, hook)) }
    return id
  }

  func removeHook(_ id: Int64) { state.withLock { $0.hooks.removeAll { $0.id == id } } }
}

/// Where a tensor's gradient goes.
enum Edge {
  /// To result `output` of a run.
  case node(TapeNode, output: Int)
  /// To a leaf, which accumulates it.
  case leaf(GradState)
}

extension Tensor {
  /// Whether operations on this tensor are differentiated.
  public var requiresGrad: Bool {
    if gradState?.hasHistory == true { return true }
    guard view != nil, isStaleView, dtype.isFloatingPoint else { return false }
    return view?.base.gradState?.hasHistory == true
  }

  /// Whether the tensor was made by the user, as far as gradients are concerned.
  public var isLeaf: Bool { !requiresGrad || gradState?.isLeafRequiringGrad ?? false }

  /// A view whose base got another history since.
  private var isStaleView: Bool {
    guard let view else { return false }
    return view.generation != view.base.gradState?.generation ?? 0
  }

  func makeGradState() -> GradState {
    if let gradState { return gradState }
    let state = GradState()
    gradState = state
    return state
  }

  /// Where the gradient goes; nil if none is wanted.
  func edge() throws(LucidError) -> Edge? {
    if isStaleView { try renewViewHistory() }
    guard let state = gradState else { return nil }
    if let node = state.node { return .node(node, output: state.output) }
    return state.isLeafRequiringGrad ? .leaf(state) : nil
  }

  /// After an in-place operation on the base, a view is a function of the base as it is now.
  private func renewViewHistory() throws(LucidError) {
    guard var view else { return }
    view.generation = view.base.gradState?.generation ?? 0
    self.view = view
    guard dtype.isFloatingPoint, let edge = try view.base.edge() else { return }
    let function = try GraphFunction.viewChain(view.link, base: view.base.graphType)
    let state = makeGradState()
    state.isLeafRequiringGrad = false
    state.node = try TapeNode(
      function, wanted: Mask(all: 1), edges: [edge], operands: [view.base], results: [self])
    state.output = 0
  }
}

extension GradState {
  var hasHistory: Bool { node != nil || isLeafRequiringGrad }
}
