extension Tensor {
  /// Makes a leaf accumulate gradients, or stop.
  public func setRequiresGrad(_ value: Bool) throws(LucidError) {
    if value == requiresGrad { return }
    guard isLeaf else {
      throw LucidError(
        .runtime,
        """
        you can only change requires_grad flags of leaf variables. If you want to use a computed \
        variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().
        """)
    }
    guard !value || dtype.isFloatingPoint else {
      throw LucidError(
        .runtime, "only Tensors of floating point dtype can require gradients")
    }
    makeGradState().isLeafRequiringGrad = value
  }

  /// The accumulated gradient.
  public var gradient: Tensor? { gradState?.gradient }

  public func setGradient(_ gradient: Tensor?) throws(LucidError) {
    guard let gradient else {
      gradState?.gradient = nil
      return
    }
    guard gradient.shape == shape else {
      throw LucidError(
        .shape,
        """
        assigned grad has data of a different size: the tensor has shape \(type.sizes), the \
        gradient \(gradient.type.sizes)
        """)
    }
    guard gradient.dtype == dtype else {
      throw LucidError(
        .dtype,
        "assigned grad has data of a different type: the tensor has \(dtype), the gradient "
          + "\(gradient.dtype)")
    }
    makeGradState().gradient = gradient
  }

  /// Keeps the gradient although the tensor is no leaf.
  public func retainGradient() throws(LucidError) {
    guard requiresGrad else {
      throw LucidError(.runtime, "can't retain_grad on Tensor that has requires_grad=False")
    }
    guard case .node(let node, let output)? = try edge() else { return }
    let state = makeGradState()
    state.retainsGrad = true
    node.retainGradient(output, in: state)
  }

  /// Whether `retainGradient` was called.
  public var retainsGradient: Bool { gradState?.retainsGrad ?? false }

  /// Calls `hook` when the gradient is known; the id serves `removeHook`.
  public func addHook(_ hook: @escaping GradientHook) throws(LucidError) -> Int64 {
    switch try edge() {
    case .leaf(let state)?: return state.addHook(hook)
    case .node(let node, let output)?: return node.addHook(output, hook)
    case nil:
      throw LucidError(
        .runtime, "cannot register a hook on a tensor that doesn't require gradient")
    }
  }

  public func removeHook(_ id: Int64) throws(LucidError) {
    switch try edge() {
    case .leaf(let state)?: state.removeHook(id)
    case .node(let node, let output)?: node.removeHook(output, id)
    case nil: break
    }
  }

  /// The name of the operation that made the tensor, such as `MulBackward`; nil for leaves.
  public var gradientFunctionName: String? {
    get throws(LucidError) {
      guard case .node(let node, _)? = try edge() else { return nil }
      return node.name
    }
  }

  /// Accumulates gradients into the leaves that this tensor depends on.
  public func backward(
    gradient: Tensor? = nil, options: BackwardOptions = []
  ) throws(LucidError) {
    try BackwardPass.backward([self], [gradient], options)
  }

  /// Accumulates the gradients of several outputs in one pass.
  public static func backward(
    _ outputs: [Tensor], gradients: [Tensor?], options: BackwardOptions = []
  ) throws(LucidError) {
    try BackwardPass.backward(outputs, gradients, options)
  }

  /// The gradients of `outputs` with respect to `inputs`.
  public static func gradients(
    of outputs: [Tensor], cotangents: [Tensor?], inputs: [Tensor], options: BackwardOptions = []
  ) throws(LucidError) -> [Tensor?] {
    try BackwardPass.gradients(outputs, cotangents, inputs, options)
  }
}

/// Runs `body` with a mode of differentiation on this thread.
public func withGradMode<R>(
  _ mode: GradMode, _ body: () throws(LucidError) -> R
) throws(LucidError) -> R {
  let thread = ThreadState.current
  let earlier = thread.gradMode
  thread.gradMode = mode
  defer { thread.gradMode = earlier }
  return try body()
}
