/// Records the operations of one call. While it is its thread's recorder, tensors are values that are
/// not computed yet; at the end the record is compiled and run once, and can be repeated as a plan.
///
/// Reading a value in between runs what was recorded so far, and the rest of the call runs eagerly.
public final class Trace {
  /// Something that the function reached by itself: an input of the graph.
  struct Captured {
    enum Origin {
      case tensor(Tensor)
      /// The gradient that a tensor had accumulated before the call.
      case gradient(GradState)
    }
    var origin: Origin
    let type: ConcreteType
    let device: Device
    let value: GraphValue
  }

  /// The gradient of a tensor that the call looked at or replaced.
  struct Gradient {
    let state: GradState
    let before: Tensor?
    /// Whether the call saw the earlier gradient, or that there was none.
    let isRead: Bool
  }

  /// An argument and the tensor that stands for it while the call is recorded.
  struct Argument {
    let original: Tensor
    let standIn: Tensor
    let value: GraphValue
    let requiresGrad: Bool
    /// The position of the same tensor earlier in the list.
    let duplicateOf: Int?
  }

  /// One use of random numbers, in program order.
  struct Draw {
    let generator: Generator
    let count: Dim
    /// What this call drew.
    let state: Generator.State
    let seed: GraphValue
    let offset: GraphValue
  }

  enum Phase {
    case recording
    /// Everything recorded was computed; the rest runs eagerly.
    case flushed
    case ended
  }

  let builder: GraphBuilder
  let symbols: BatchAssumptions?
  /// Whether a value read is an error.
  let isFull: Bool
  let gradMode: GradMode
  private(set) var phase = Phase.recording
  /// Why the call cannot be repeated from the record.
  public private(set) var reason: String?

  private(set) var arguments: [Argument] = []
  private(set) var captured: [Captured] = []
  private(set) var draws: [Draw] = []
  /// Storages that held a value before the call and are written by it, in the order of first writes.
  private(set) var written: [(storage: Storage, before: Storage.Contents)] = []
  /// The gradients that tensors had when the call first touched them.
  private(set) var gradients: [Gradient] = []

  private var capturedIndex: [ObjectIdentifier: Int] = [:]
  private var values: [ObjectIdentifier: WeakValue] = [:]
  /// Whether each graph value depends on something that requires gradients.
  private var dependsOnGrad: [Bool] = []
  private var views: [ObjectIdentifier: CachedView] = [:]

  private struct WeakValue {
    weak var value: TraceValue?
  }

  private struct CachedView {
    let link: ViewLink
    let base: Value
    let value: GraphValue
  }

  init(batch: Int?, isFull: Bool) {
    symbols = batch.map { BatchAssumptions(hint: $0) }
    builder = GraphBuilder(symbols: symbols)
    self.isFull = isFull
    gradMode = ThreadState.current.gradMode
    start = .now
  }

  var hint: Int { symbols?.hint ?? 0 }

  /// Whether different arguments look at the same memory.
  var argumentsShareMemory: Bool {
    let own = arguments.filter { $0.duplicateOf == nil }
    return Set(own.map { ObjectIdentifier($0.original.storage) }).count < own.count
  }

  /// The label of what the call computes: that of its operands.
  var deviceOfResults: Device {
    if let argument = arguments.first(where: { $0.original.rank > 0 }) ?? arguments.first {
      return argument.original.device
    }
    for captured in captured {
      if case .tensor(let tensor) = captured.origin { return tensor.device }
    }
    return .cpu
  }

  private var start: ContinuousClock.Instant
  /// How long the function has been running.
  var seconds: Double { (ContinuousClock.now - start).seconds }

  /// Starts recording on this thread.
  public static func begin(batch: Int? = nil, fullGraph: Bool = false) throws(LucidError) -> Trace {
    let thread = ThreadState.current
    guard thread.recorder == nil else {
      throw LucidError(.runtime, "trace: this thread is recording already")
    }
    if let batch, batch < 0 {
      throw LucidError(.value, "trace: a batch of \(batch) is not possible")
    }
    let trace = Trace(batch: batch, isFull: fullGraph)
    thread.recorder = trace
    return trace
  }

  /// The trace that records on this thread.
  public static var current: Trace? { ThreadState.current.recorder as? Trace }

  /// Declares the next argument and gives the tensor that stands for it. With `symbolic` its leading
  /// extent is the batch.
  public func argument(_ tensor: Tensor, symbolic: Bool = false) throws(LucidError) -> Tensor {
    if let known = arguments.firstIndex(where: { $0.original === tensor }) {
      let first = arguments[known]
      arguments.append(
        Argument(
          original: tensor, standIn: first.standIn, value: first.value,
          requiresGrad: first.requiresGrad, duplicateOf: known))
      return first.standIn
    }
    var type = tensor.type.graphType
    if symbolic {
      guard symbols != nil, let leading = type.shape.dims.first, leading == Dim(hint) else {
        throw LucidError(
          .value, "trace: shape \(type.shape) does not start with the batch of \(hint)")
      }
      type.shape[0] = .batch
    }
    let edge = gradMode == .on ? try tensor.edge() : nil
    let input = builder.input(TensorType(type.shape, type.dtype))
    noteValues(edge != nil)
    let standIn = Tensor(
      Storage(.recorded(TraceValue(self, input))), try tensor.type.strong(), device: tensor.device)
    if let edge { standIn.setHistory(edge) }
    arguments.append(
      Argument(
        original: tensor, standIn: standIn, value: input, requiresGrad: edge != nil,
        duplicateOf: nil))
    return standIn
  }

  /// Remembers values made since the last call and whether they lead to something that requires
  /// gradients.
  func noteValues(_ inputRequiresGrad: Bool = false) {
    while dependsOnGrad.count < builder.graph.types.count {
      let index = dependsOnGrad.count
      let isInput = builder.graph.producers[index] < 0
      dependsOnGrad.append(isInput ? inputRequiresGrad : depends(index))
    }
  }

  private func depends(_ index: Int) -> Bool {
    guard let node = builder.graph.producer(of: Value(index)) else { return false }
    return builder.graph.types[index].dtype.isFloatingPoint
      && !OpCatalog[node.op].cutsGradients
      && node.inputs.contains { dependsOnGrad[$0.position] }
  }

  /// Whether a value follows from something that requires gradients.
  func requiresGrad(_ value: Value) -> Bool { dependsOnGrad[value.position] }

  /// The graph value that a tensor shows now.
  func value(of tensor: Tensor) throws(LucidError) -> GraphValue {
    var value = try storedValue(of: tensor)
    if gradMode == .on, dependsOnGrad[value.value.position], !tensor.requiresGrad {
      value = try value.call("detach")
      noteValues()
    }
    return value
  }

  private func storedValue(of tensor: Tensor) throws(LucidError) -> GraphValue {
    let root = tensor.view?.base ?? tensor
    var value: GraphValue
    if let recorded = tensor.storage.recorded as? TraceValue {
      guard recorded.trace === self else {
        throw LucidError(.runtime, "a value of another trace that never ended is used")
      }
      value = recorded.graphValue
    } else {
      if tensor.type.isWeak { return try number(tensor) }
      value = try capture(root)
    }
    guard let view = tensor.view else { return value }
    let key = ObjectIdentifier(view.link)
    if let cached = views[key], cached.link === view.link, cached.base == value.value {
      return cached.value
    }
    let base = value.value
    for step in view.link.steps {
      value = try builder.apply(step.op, [value], step.attributes)[0]
    }
    noteValues()
    views[key] = CachedView(link: view.link, base: base, value: value)
    return value
  }

  /// A plain number becomes a constant of the graph.
  private func number(_ tensor: Tensor) throws(LucidError) -> GraphValue {
    let bytes = try tensor.bytes()
    let (value, integer) = bytes.withUnsafeBytes { bytes -> (Double, Int?) in
      switch tensor.dtype {
      case .float32: (Double(bytes.loadUnaligned(as: Float.self)), nil)
      case .int64:
        (Double(bytes.loadUnaligned(as: Int64.self)), Int(bytes.loadUnaligned(as: Int64.self)))
      default: (bytes.first == 0 ? 0 : 1, nil)
      }
    }
    let constant = try builder.apply(
      try OpCatalog.op("full"), [],
      Attributes([
        .dims([]), .float(value), .dtype(tensor.dtype), integer.map { .int($0) } ?? .none,
      ]))[0]
    noteValues()
    return constant
  }

  /// A tensor that the function reached by itself becomes an input.
  private func capture(_ tensor: Tensor) throws(LucidError) -> GraphValue {
    let key = ObjectIdentifier(tensor.storage)
    let requiresGrad = gradMode == .on && tensor.requiresGrad
    if let index = capturedIndex[key] {
      if case .tensor(let known) = captured[index].origin, requiresGrad, !known.requiresGrad {
        // Seen detached before: the alias that wants gradients takes its place.
        captured[index].origin = .tensor(tensor)
        markRequiringGrad(captured[index].value.value)
      }
      return captured[index].value
    }
    let type = tensor.type.graphType
    let value = builder.input(TensorType(type.shape, type.dtype))
    noteValues(requiresGrad)
    capturedIndex[key] = captured.count
    let gradient = gradients.first { $0.before?.storage === tensor.storage }
    captured.append(
      Captured(
        origin: gradient.map { .gradient($0.state) } ?? .tensor(tensor), type: tensor.type,
        device: tensor.device, value: value))
    return value
  }

  /// An input turns out to want gradients: so does what follows from it.
  private func markRequiringGrad(_ input: Value) {
    dependsOnGrad[input.position] = true
    let known = dependsOnGrad
    dependsOnGrad = []
    for index in known.indices {
      let producer = builder.graph.producer(of: Value(index))
      dependsOnGrad.append(producer == nil ? known[index] : depends(index))
    }
  }

  /// A recorded value found a storage.
  func note(_ value: TraceValue) { values[ObjectIdentifier(value)] = WeakValue(value: value) }

  /// The recorded values that some storage still waits for.
  var waitingValues: [TraceValue] {
    values.values.compactMap(\.value).filter { !$0.waiting.isEmpty }
  }

  /// Fixes the batch to this call's, because something needs its number.
  public func specialize(_ reason: String) { _ = symbols?.specialize(reason) }

  /// Remembers why the call cannot be repeated; the first reason counts.
  public func deny(_ reason: String) { self.reason = self.reason ?? reason }

  func finish(_ phase: Phase) {
    self.phase = phase
    let thread = ThreadState.current
    if thread.recorder === self { thread.recorder = nil }
  }
}

extension Trace: Recorder {
  func operation(
    _ op: OpDef, _ operands: [Tensor], _ attributes: Attributes
  ) throws(LucidError) -> GraphFunction {
    var types: [TensorType] = []
    types.reserveCapacity(operands.count)
    for operand in operands {
      types.append(operand.type.isWeak ? operand.type.graphType : try value(of: operand).type)
    }
    return try GraphFunction.operation(op, types, attributes, symbols: symbols)
  }

  func call(
    _ function: GraphFunction, _ operands: [Tensor]
  ) throws(LucidError) -> [Storage.Contents] {
    var inputs: [GraphValue] = []
    inputs.reserveCapacity(operands.count)
    for operand in operands { inputs.append(try value(of: operand)) }
    let results = try builder.inline(function.graph, inputs)
    noteValues()
    return results.map { .recorded(TraceValue(self, $0)) }
  }

  func resultTypes(of function: GraphFunction) throws(LucidError) -> [ConcreteType] {
    try function.resultTypes(batch: hint)
  }

  func willWrite(_ storage: Storage) throws(LucidError) {
    guard storage.recorded == nil, !written.contains(where: { $0.storage === storage }) else {
      return
    }
    if arguments.contains(where: { $0.original.storage === storage }) {
      // The function reached an argument by another way than the argument list.
      try flush("an argument's memory was written through another tensor")
      return
    }
    written.append((storage, storage.contents))
  }

  func draw(_ count: Dim) throws(LucidError) -> [Tensor] {
    let generator = Generator.current
    let state = generator.draw(count.evaluated(at: hint))
    let type = TensorType([1], .int64)
    let (seed, offset) = (builder.input(type), builder.input(type))
    noteValues()
    draws.append(
      Draw(generator: generator, count: count, state: state, seed: seed, offset: offset))
    var tensors: [Tensor] = []
    for value in [seed, offset] {
      tensors.append(
        Tensor(Storage(.recorded(TraceValue(self, value))), try .of([1], .int64), device: .cpu))
    }
    return tensors
  }

  func willTouchGradient(of state: GradState, current: Tensor?, isRead: Bool) {
    if gradients.contains(where: { $0.state === state }) { return }
    gradients.append(Gradient(state: state, before: current, isRead: isRead))
  }
}
