import Dispatch
import Synchronization

/// A recorded call, ready to be repeated with other arguments. Immutable but for the tensors it is
/// bound to, so several threads may run it.
public final class Plan: @unchecked Sendable {
  /// Where a result of the call comes from.
  enum Result {
    case argument(Int)
    /// No link: the same elements, detached.
    case argumentView(Int, ViewLink?, isDetached: Bool)
    /// The very tensor that the function returned: one that it did not compute.
    case constant(Tensor)
    case output(Int)
    case outputView(Int, ViewLink)
  }

  /// Memory that the call writes.
  enum Write {
    case argument(Int, Int)
    /// `captured` is the position among the captured tensors, nil for memory that is only written.
    case storage(Storage, captured: Int?, Int)
  }

  /// What the call does to a tensor's accumulated gradient.
  struct Gradient {
    enum Effect {
      case none
      case cleared
      case output(Int)
      case constant(Tensor)
    }
    let state: GradState
    let hadGradient: Bool
    let isRead: Bool
    let effect: Effect
  }

  /// What feeds an input of the graph.
  enum Input {
    case argument(Int)
    case captured(Int)
    case seed(Int)
    case offset(Int)
  }

  struct Argument {
    let type: TensorType
    /// The type if it does not depend on the batch.
    let concrete: ConcreteType?
    let device: Device
    let requiresGrad: Bool
    let duplicateOf: Int?
  }

  let function: GraphFunction
  let inputs: [Input]
  let arguments: [Argument]
  let results: [Result]
  let writes: [Write]
  let gradients: [Gradient]
  let draws: [(generator: Generator, count: Dim)]
  /// The outputs that gradients flow through.
  let differentiable: [Bool]
  let gradMode: GradMode
  let device: Device
  /// Whether one executable serves every batch.
  public let isDynamic: Bool
  /// Why the batch is fixed although it was asked to be open.
  public let fixedReason: String?
  /// The batch where it is fixed: draws and views recorded before that still depend on it.
  private let fixedBatch: Int
  private let writesArguments: Bool
  /// Whether the call only computes: nothing is written, drawn or differentiated, and every result is
  /// an output of its own.
  private let isPlain: Bool
  private let constraints: [BatchAssumptions.Constraint]
  /// Results that eager code would have freed the history of.
  private var freedResults: Set<Int> = []
  let traceSeconds: Double

  private struct Bindings: @unchecked Sendable {
    var captured: [Trace.Captured]
    var runs = 0
    var lastRunNanoseconds: UInt64 = 0
  }

  private let bindings: Mutex<Bindings>

  init(
    _ trace: Trace, targets: [GraphValue], results: [Result], writes: [Write],
    gradients: [Gradient]
  ) throws(LucidError) {
    trace.builder.setOutputs(targets)
    var graph = trace.builder.graph.pruned().graph
    var isDynamic = trace.symbols != nil && graph.isSymbolic
    var reason = trace.symbols?.specialization
    if isDynamic, reason == nil { reason = graph.symbolicObstacle }
    if isDynamic, reason == nil, trace.symbols?.isFixed == true {
      reason = "the function compares the batch with a number"
    }
    if reason != nil, isDynamic {
      graph = graph.specialized(at: trace.hint)
      isDynamic = false
    }
    self.isDynamic = isDynamic
    fixedReason = reason
    fixedBatch = isDynamic ? 0 : trace.hint
    constraints = isDynamic ? trace.symbols?.constraints ?? [] : []
    function = try GraphFunction(
      graph, name: "CompiledFunctionBackward", sharing: .process,
      symbols: isDynamic ? trace.symbols : nil)
    inputs = Self.inputs(of: trace)
    var arguments: [Argument] = []
    for (i, argument) in trace.arguments.enumerated() {
      var type = argument.value.type
      if !isDynamic { type.shape = Shape(type.shape.evaluated(at: trace.hint)) }
      let concrete = type.shape.isStatic ? trace.arguments[i].original.type : nil
      arguments.append(
        Argument(
          type: type, concrete: concrete, device: argument.original.device,
          requiresGrad: argument.requiresGrad, duplicateOf: argument.duplicateOf))
    }
    self.arguments = arguments
    self.results = results
    self.writes = writes
    writesArguments = writes.contains { if case .argument = $0 { true } else { false } }
    self.gradients = gradients
    draws = trace.draws.map { ($0.generator, $0.count) }
    differentiable = targets.map { trace.requiresGrad($0.value) }
    gradMode = trace.gradMode
    device = trace.deviceOfResults
    traceSeconds = trace.seconds
    let outputs = Set(results.compactMap { if case .output(let i) = $0 { i } else { nil } })
    isPlain =
      writes.isEmpty && gradients.isEmpty && trace.draws.isEmpty
      && outputs.count == results.count && outputs.count == targets.count
      && (trace.gradMode != .on || !differentiable.contains(true))
    bindings = Mutex(Bindings(captured: trace.captured))
  }

  private static func inputs(of trace: Trace) -> [Input] {
    var byValue: [Value: Input] = [:]
    for (i, argument) in trace.arguments.enumerated() where argument.duplicateOf == nil {
      byValue[argument.value.value] = .argument(i)
    }
    for (i, captured) in trace.captured.enumerated() {
      byValue[captured.value.value] = .captured(i)
    }
    for (i, draw) in trace.draws.enumerated() {
      byValue[draw.seed.value] = .seed(i)
      byValue[draw.offset.value] = .offset(i)
    }
    return trace.builder.graph.inputs.compactMap { byValue[$0] }
  }

  // Running

  /// Repeats the call. Arguments must have the traced types, but for the batch.
  public func run(_ given: [Tensor]) throws(LucidError) -> [Tensor] {
    let start = DispatchTime.now().uptimeNanoseconds
    let batch = try check(given)
    let captured = bindings.withLock { $0.captured }
    if isPlain { return try runPlain(given, captured, batch, start) }
    let operands = try operands(given, captured) { i throws(LucidError) in
      let draw = draws[i]
      return draw.generator.draw(draw.count.evaluated(at: batch))
    }
    var runOperands: [Operand?] = []
    runOperands.reserveCapacity(operands.count)
    for operand in operands { runOperands.append(try operand.operand()) }
    let contents = try function.run(runOperands, batch: batch)
    noteRun(since: start)
    return try deliver(contents, operands, given, captured, batch)
  }

  /// The run of a plan that only computes: no writes, draws, gradients or views.
  private func runPlain(
    _ given: [Tensor], _ captured: [Trace.Captured], _ batch: Int, _ start: UInt64
  ) throws(LucidError) -> [Tensor] {
    var operands: [Operand?] = []
    operands.reserveCapacity(inputs.count)
    for input in inputs {
      switch input {
      case .argument(let i): operands.append(try given[i].operand())
      case .captured(let i): operands.append(try tensor(captured[i]).operand())
      case .seed, .offset: break  // a plain plan draws nothing
      }
    }
    let contents = try function.run(operands, batch: batch)
    noteRun(since: start)
    let types = try function.resultTypes(batch: batch)
    var out: [Tensor] = []
    out.reserveCapacity(results.count)
    for result in results {
      guard case .output(let i) = result else { continue }
      out.append(Tensor(Storage(contents[i]), types[i], device: device))
    }
    return out
  }

  private func noteRun(since start: UInt64) {
    let nanoseconds = DispatchTime.now().uptimeNanoseconds &- start
    bindings.withLock {
      $0.runs &+= 1
      $0.lastRunNanoseconds = nanoseconds
    }
  }

  private func deliver(
    _ contents: [Storage.Contents], _ operands: [Tensor], _ given: [Tensor],
    _ captured: [Trace.Captured], _ batch: Int
  ) throws(LucidError) -> [Tensor] {
    let types = try function.resultTypes(batch: batch)
    var outputs: [Tensor] = []
    for (content, type) in zip(contents, types) {
      outputs.append(Tensor(Storage(content), type, device: device))
    }
    if gradMode == .on { try tape(operands, outputs, batch) }
    try perform(outputs, given, captured)
    var out: [Tensor] = []
    out.reserveCapacity(results.count)
    for (position, result) in results.enumerated() {
      switch result {
      case .argument(let i): out.append(given[i])
      case .argumentView(let i, let link, let isDetached):
        let base = isDetached ? given[i].detach() : given[i]
        out.append(try Self.view(base, link, batch))
      case .constant(let tensor): out.append(tensor)
      case .output(let i): out.append(outputs[i])
      case .outputView(let i, let link): out.append(try Self.view(outputs[i], link, batch))
      }
      if freedResults.contains(position) { try Self.markFreed(out[position]) }
    }
    return out
  }

  /// Writes, in the order of the call, and then gradients.
  private func perform(
    _ outputs: [Tensor], _ given: [Tensor], _ captured: [Trace.Captured]
  ) throws(LucidError) {
    for write in writes {
      switch write {
      case .argument(let i, let output):
        try Self.write(outputs[output], to: given[i], isTaped: differentiable[output])
      case .storage(let storage, let index, let output):
        var target = storage
        if let index, case .tensor(let tensor) = captured[index].origin { target = tensor.storage }
        try target.replace(with: try outputs[output].storage.shared().contents)
      }
    }
    for gradient in gradients {
      switch gradient.effect {
      case .none: break
      case .cleared: gradient.state.restore(nil)
      case .constant(let tensor): gradient.state.restore(tensor)
      case .output(let i): gradient.state.restore(outputs[i].withoutHistory())
      }
    }
  }

  static func write(_ value: Tensor, to target: Tensor, isTaped: Bool) throws(LucidError) {
    let thread = ThreadState.current
    let mode = thread.gradMode
    if !isTaped { thread.gradMode = .off }
    defer { thread.gradMode = mode }
    try target.assign(value)
  }

  static func view(
    _ base: Tensor, _ link: ViewLink?, _ batch: Int
  ) throws(LucidError) -> Tensor {
    var tensor = base
    for step in link?.steps ?? [] {
      let attributes = step.attributes.specialized(at: batch)
      tensor = try Tensor.one(step.op.name, [tensor], attributes.values)
    }
    return tensor
  }

  /// The tensors behind the graph's inputs.
  func operands(
    _ given: [Tensor], _ captured: [Trace.Captured],
    draw: (Int) throws(LucidError) -> Generator.State
  ) throws(LucidError) -> [Tensor] {
    var out: [Tensor] = []
    out.reserveCapacity(inputs.count)
    var state = Generator.State(seed: 0, offset: 0)
    for input in inputs {
      switch input {
      case .argument(let i): out.append(given[i])
      case .captured(let i): out.append(try tensor(captured[i]))
      case .seed(let i):
        state = try draw(i)
        out.append(try .make([state.seed], shape: [1], dtype: .int64, device: .cpu))
      case .offset:
        out.append(try .make([state.offset], shape: [1], dtype: .int64, device: .cpu))
      }
    }
    return out
  }

  private func tensor(_ captured: Trace.Captured) throws(LucidError) -> Tensor {
    let found: Tensor? =
      switch captured.origin {
      case .tensor(let tensor): tensor
      case .gradient(let state): state.currentGradient
      }
    guard let found, found.type === captured.type, found.device == captured.device else {
      throw LucidError(
        .stale, "plan: a tensor that the function uses has another type or device now")
    }
    return found
  }

  /// The batch of a call whose arguments fit; an error of code `stale` if they do not.
  private func check(_ given: [Tensor]) throws(LucidError) -> Int {
    guard given.count == arguments.count, ThreadState.current.gradMode == gradMode else {
      throw LucidError(.stale, "plan: recorded under another grad mode or number of arguments")
    }
    var batch = fixedBatch
    var knowsBatch = false
    for (argument, expected) in zip(given, arguments) {
      guard argument.device == expected.device,
        gradMode != .on || argument.requiresGrad == expected.requiresGrad,
        expected.duplicateOf.map({ given[$0] === argument }) ?? true
      else { throw Self.stale(argument, expected) }
      if let concrete = expected.concrete {
        guard argument.type === concrete else { throw Self.stale(argument, expected) }
        continue
      }
      guard argument.dtype == expected.type.dtype, argument.rank == expected.type.rank,
        let leading = argument.shape.first
      else { throw Self.stale(argument, expected) }
      if !knowsBatch { (batch, knowsBatch) = (leading, true) }
      for (extent, dim) in zip(argument.shape, expected.type.shape.dims)
      where dim.evaluated(at: batch) != extent { throw Self.stale(argument, expected) }
    }
    if writesArguments { try checkAliases(given) }
    for constraint in constraints where !constraint.holds(at: batch) {
      throw LucidError(.stale, "plan: a batch of \(batch) does not fulfil what the graph assumes")
    }
    for gradient in gradients where gradient.isRead {
      guard (gradient.state.currentGradient != nil) == gradient.hadGradient else {
        throw LucidError(.stale, "plan: a gradient came or went since the function was recorded")
      }
    }
    return batch
  }

  /// A write to one argument must not be a write to another unless it was so when recorded.
  private func checkAliases(_ given: [Tensor]) throws(LucidError) {
    for (i, argument) in given.enumerated() where arguments[i].duplicateOf == nil {
      for j in 0..<i where arguments[j].duplicateOf == nil && given[j].storage === argument.storage
      {
        throw LucidError(.stale, "plan: arguments \(j) and \(i) share memory that is written")
      }
    }
  }

  private static func stale(_ argument: Tensor, _ expected: Argument) -> LucidError {
    LucidError(
      .stale,
      "plan: an argument is \(argument.type.graphType) on \(argument.device), recorded with "
        + "\(expected.type) on \(expected.device)")
  }

  // Gradients

  /// Puts the run on the tape: its differentiable outputs lead to the operands.
  private func tape(
    _ operands: [Tensor], _ outputs: [Tensor], _ batch: Int
  ) throws(LucidError) {
    let live = results.enumerated().contains { position, result in
      guard !freedResults.contains(position) else { return false }
      switch result {
      case .output(let i), .outputView(let i, _): return differentiable[i]
      default: return false
      }
    }
    let writesLive = writes.contains {
      if case .argument(_, let output) = $0 { differentiable[output] } else { false }
    }
    guard live || writesLive else { return }
    var wanted = Mask()
    var edges: [Edge?] = []
    for (i, operand) in operands.enumerated() {
      let edge = operand.dtype.isFloatingPoint ? try operand.edge() : nil
      if edge != nil { wanted[i] = true }
      edges.append(edge)
    }
    guard !wanted.isEmpty else { return }
    let node = try TapeNode(
      function, wanted: wanted, edges: edges, operands: operands, results: outputs, batch: batch)
    for (i, output) in outputs.enumerated() where differentiable[i] {
      output.setHistory(.node(node, output: i))
    }
  }

  /// Makes a result look like one whose history a backward pass within the call has freed.
  private static func markFreed(_ tensor: Tensor) throws(LucidError) {
    let function = try GraphFunction.write(to: tensor.graphType, source: tensor.graphType)
    let node = try TapeNode(
      function, wanted: Mask(), edges: [nil], operands: [tensor], results: [tensor])
    node.free(refusingAnother: true)
    tensor.setHistory(.node(node, output: 0))
  }

  // The traced call itself

  /// Runs the graph on the traced call's own tensors; `extra` values are computed besides.
  func runFirst(
    _ trace: Trace, targets: [GraphValue], extra: [GraphValue]
  ) throws(LucidError) -> [Value: Storage.Contents] {
    let operands = try operands(trace.arguments.map(\.original), trace.captured) { i in
      trace.draws[i].state
    }
    var runOperands: [Operand?] = []
    for operand in operands { runOperands.append(try operand.operand()) }
    var contents: [Storage.Contents]
    if extra.isEmpty {
      contents = targets.isEmpty ? [] : try function.run(runOperands, batch: trace.hint)
    } else {
      trace.builder.setOutputs(targets + extra)
      let graph = trace.builder.graph.pruned().graph.specialized(at: trace.hint)
      contents = try GraphFunction(graph, name: "", sharing: .none).run(runOperands)
    }
    var out: [Value: Storage.Contents] = [:]
    for (value, content) in zip(targets + extra, contents) { out[value.value] = content }
    return out
  }

  func writeArguments(
    _ originals: [Tensor], _ content: (Int) -> Storage.Contents?
  ) throws(LucidError) {
    for case .argument(let i, let output) in writes {
      guard let content = content(output) else { continue }
      let type = try originals[i].type.strong()
      try Self.write(
        Tensor(Storage(content), type, device: device), to: originals[i], isTaped: false)
    }
  }

  /// Gives the traced call's results the history that a repeated call gives: one node for all.
  func adoptHistory(
    _ trace: Trace, _ outputs: [Tensor], _ targets: [GraphValue],
    _ contents: [Value: Storage.Contents], freed: Set<Int>
  ) throws(LucidError) {
    guard gradMode == .on else { return }
    freedResults = freed
    let types = try function.resultTypes(batch: trace.hint)
    var made: [Tensor] = []
    for (target, type) in zip(targets, types) {
      made.append(Tensor(Storage(contents[target.value] ?? .empty), type, device: device))
    }
    let operands = try operands(trace.arguments.map(\.original), trace.captured) { i in
      trace.draws[i].state
    }
    try tape(operands, made, trace.hint)
    for (position, (output, result)) in zip(outputs, results).enumerated() {
      if freedResults.contains(position) {
        try Self.markFreed(output)
        continue
      }
      var source: Tensor?
      switch result {
      case .output(let i): source = made[i]
      case .outputView(let i, let link):
        if let edge = try made[i].edge() { output.view?.base.setHistory(edge) }
        source = try Self.view(made[i], link, trace.hint)
      default: break
      }
      if let edge = try source?.edge() { output.setHistory(edge) }
    }
  }

  // Inspection and binding

  /// The tensors that the function reached by itself, in the order of `rebind`.
  public var captured: [Tensor?] {
    bindings.withLock { bindings in
      bindings.captured.map { if case .tensor(let tensor) = $0.origin { tensor } else { nil } }
    }
  }

  /// How long the last repetition took.
  var lastRunSeconds: Double { Double(bindings.withLock { $0.lastRunNanoseconds }) * 1e-9 }

  public var runs: Int { bindings.withLock { $0.runs } }

  /// Replaces a captured tensor by one of the same type.
  public func rebind(_ index: Int, to tensor: Tensor) throws(LucidError) {
    try bindings.withLock { bindings throws(LucidError) in
      guard bindings.captured.indices.contains(index) else {
        throw LucidError(
          .index, "plan: \(index) is not among the \(bindings.captured.count) captured tensors")
      }
      guard case .tensor(let old) = bindings.captured[index].origin,
        bindings.captured[index].type === tensor.type, tensor.device == old.device,
        tensor.requiresGrad == old.requiresGrad, tensor.view == nil
      else {
        throw LucidError(
          .stale, "plan: captured tensor \(index) cannot become \(tensor.type.graphType)")
      }
      bindings.captured[index].origin = .tensor(tensor)
    }
  }
}
