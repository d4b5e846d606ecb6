import Synchronization

/// Marks a subset of a function's inputs or outputs. Up to 64 need no allocation.
struct Mask: Hashable, Sendable {
  private var low: UInt64 = 0
  private var high: [UInt64] = []

  init() {}
  init(all count: Int) { for i in 0..<count { self[i] = true } }
  init(_ flags: [Bool]) { for (i, flag) in flags.enumerated() where flag { self[i] = true } }

  var isEmpty: Bool { low == 0 && high.allSatisfy { $0 == 0 } }

  subscript(i: Int) -> Bool {
    get {
      if i < 64 { return low >> UInt64(i) & 1 == 1 }
      let word = i / 64 - 1
      return word < high.count && high[word] >> UInt64(i % 64) & 1 == 1
    }
    set {
      let bit: UInt64 = 1 << UInt64(i % 64)
      if i < 64 {
        low = newValue ? low | bit : low & ~bit
        return
      }
      let word = i / 64 - 1
      while high.count <= word { high.append(0) }
      high[word] = newValue ? high[word] | bit : high[word] & ~bit
    }
  }

  func flags(_ count: Int) -> [Bool] { (0..<count).map { self[$0] } }
}

/// A graph that can be called and differentiated: an eager operation, its gradient, the gradient's
/// gradient, and a compiled call are all of this one kind.
public final class GraphFunction: @unchecked Sendable {
  /// Where the executable is kept.
  enum Sharing {
    /// With the function, for the short graphs of single operations.
    case none
    /// In the process's cache: equal graphs compile once.
    case process
  }

  /// The gradient of a function, and which of its values a forward run has to keep for it.
  final class Gradient: Sendable {
    let function: GraphFunction
    /// What feeds each input of `function`.
    let sources: [Autodiff.Source]
    /// The primal input whose gradient each output is.
    let targets: [Int]

    init(function: GraphFunction, sources: [Autodiff.Source], targets: [Int]) {
      (self.function, self.sources, self.targets) = (function, sources, targets)
    }
  }

  private struct GradientKey: Hashable {
    let present: Mask
    let wanted: Mask
  }

  private struct State {
    var executable: Executable?
    /// The forms that take some operands with their last two axes swapped in memory.
    var transposed: [Mask: Executable] = [:]
    /// Forms for one batch.
    var fixed: [Int: Executable] = [:]
    var gradients: [GradientKey: Gradient] = [:]
    /// The gradient asked for last: usually the only one.
    var recent: (key: GradientKey, gradient: Gradient)?
  }

  public let graph: Graph
  /// Names the function in messages about gradients.
  let name: String
  let inputTypes: [TensorType]
  let outputTypes: [TensorType]
  /// The types of the results; nil if they depend on the batch.
  let concreteOutputs: [ConcreteType]?
  /// Whether no extent of an input depends on the batch.
  let isStatic: Bool
  /// Facts about the batch that building relied on.
  let symbols: BatchAssumptions?
  private let sharing: Sharing
  /// Batches with which some value has no elements, which MPSGraph cannot be given.
  private let emptyBatches: Set<Int>
  /// Whether the batch is open and no operand tells it, as in the gradient of a sum.
  private let lacksBatch: Bool
  private let state = Mutex(State())

  init(
    _ graph: Graph, name: String, sharing: Sharing = .none, symbols: BatchAssumptions? = nil
  ) throws(LucidError) {
    self.graph = graph
    self.name = name
    self.sharing = sharing
    self.symbols = symbols
    inputTypes = graph.inputs.map { graph.type(of: $0) }
    outputTypes = graph.outputs.map { graph.type(of: $0) }
    emptyBatches = graph.emptyBatches
    isStatic = !graph.isSymbolic
    lacksBatch = !graph.isSymbolic && graph.types.contains { !$0.shape.isStatic }
    if outputTypes.allSatisfy(\.shape.isStatic) {
      var types: [ConcreteType] = []
      // A result is never a number of the host language, even if it is an operand given back.
      for type in outputTypes { types.append(try .of(type.shape.evaluated(at: 0), type.dtype)) }
      concreteOutputs = types
    } else {
      concreteOutputs = nil
    }
  }

  /// The function that applies one operation to operands of the given types.
  static func operation(
    _ op: OpDef, _ types: [TensorType], _ attributes: Attributes,
    symbols: BatchAssumptions? = nil
  ) throws(LucidError) -> GraphFunction {
    let builder = GraphBuilder(symbols: symbols)
    let inputs = types.map { builder.input($0) }
    builder.setOutputs(try builder.apply(op, inputs, attributes))
    return try GraphFunction(
      builder.graph.pruned().graph, name: backwardName(op.name), symbols: symbols)
  }

  /// `batch_norm` becomes `BatchNormBackward`.
  private static func backwardName(_ op: String) -> String {
    let words = op.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return words.joined() + "Backward"
  }

  /// The batch of a call, from the operands' shapes; 0 for a static function.
  func batch(of shape: (Int) -> [Int]) -> Int {
    for (i, type) in inputTypes.enumerated() {
      guard let axis = type.shape.dims.firstIndex(where: { !$0.isStatic }) else { continue }
      let dim = type.shape[axis]
      return (shape(i)[axis] - dim.constant) / dim.coefficient
    }
    return 0
  }

  /// Runs the function; see `Executable.run`. Operands marked as transposed select a form of the
  /// executable that reads them as they lie.
  func run(_ operands: [Operand?], batch: Int = 0) throws(LucidError) -> [Storage.Contents] {
    var swapped = Mask()
    for (i, operand) in operands.enumerated() where operand?.isTransposed == true {
      swapped[i] = true
    }
    if lacksBatch || emptyBatches.contains(batch) { return try form(for: batch).run(operands) }
    return try executable(transposed: swapped).run(operands, batch: batch)
  }

  /// The form for one batch.
  private func form(for batch: Int) throws(LucidError) -> Executable {
    if let known = state.withLock({ $0.fixed[batch] }) { return known }
    let made = try Executable(graph.specialized(at: batch))
    return state.withLock { state in
      if state.fixed.count >= 16 { state.fixed = [:] }
      state.fixed[batch] = made
      return made
    }
  }

  /// The compiled form, compiled at the first call.
  func executable(transposed: Mask = Mask()) throws(LucidError) -> Executable {
    let known = state.withLock {
      transposed.isEmpty ? $0.executable : $0.transposed[transposed]
    }
    if let known { return known }
    let form = transposed.isEmpty ? graph : try withTransposedInputs(transposed)
    let made =
      switch sharing {
      case .none: try Executable(form)
      case .process: try ExecutableCache.executable(for: form)
      }
    return state.withLock { state in
      if transposed.isEmpty {
        state.executable = state.executable ?? made
        return state.executable ?? made
      }
      state.transposed[transposed] = state.transposed[transposed] ?? made
      return state.transposed[transposed] ?? made
    }
  }

  /// How many forms are compiled.
  var executableCount: Int {
    state.withLock { ($0.executable == nil ? 0 : 1) + $0.transposed.count }
  }

  private func withTransposedInputs(_ mask: Mask) throws(LucidError) -> Graph {
    let builder = GraphBuilder(symbols: symbols)
    var inputs: [GraphValue] = []
    for (i, type) in inputTypes.enumerated() {
      guard mask[i] else {
        inputs.append(builder.input(type))
        continue
      }
      var dims = type.shape.dims
      dims.swapAt(dims.count - 1, dims.count - 2)
      inputs.append(
        try builder.input(TensorType(Shape(dims), type.dtype, isWeak: type.isWeak))
          .transpose(-1, -2))
    }
    builder.setOutputs(try builder.inline(graph, inputs))
    return builder.graph
  }

  /// The gradient with respect to the `wanted` inputs, given the gradients of the `present` outputs.
  func gradient(present: Mask, wanted: Mask) throws(LucidError) -> Gradient {
    let key = GradientKey(present: present, wanted: wanted)
    let known = state.withLock { state -> Gradient? in
      if let recent = state.recent, recent.key == key { return recent.gradient }
      return state.gradients[key]
    }
    if let known { return known }
    let built = try Autodiff.gradient(
      of: graph, present: present.flags(graph.outputs.count),
      wanted: wanted.flags(graph.inputs.count), symbols: symbols)
    let made = Gradient(
      function: try GraphFunction(built.graph, name: name, sharing: sharing, symbols: symbols),
      sources: built.sources, targets: built.targets)
    return state.withLock { state in
      let gradient = state.gradients[key] ?? made
      state.gradients[key] = gradient
      state.recent = (key, gradient)
      return gradient
    }
  }
}
