import MetalPerformanceShadersGraph
import Synchronization

/// One operand of a run: packed row-major memory from an offset on.
struct Operand {
  let buffer: Buffer
  /// In elements.
  let offset: Int
  /// The memory holds the last two axes swapped.
  let isTransposed: Bool
  /// The host may write to the memory at any time.
  let isExported: Bool

  init(_ buffer: Buffer, offset: Int = 0, isTransposed: Bool = false, isExported: Bool = false) {
    (self.buffer, self.offset) = (buffer, offset)
    (self.isTransposed, self.isExported) = (isTransposed, isExported)
  }
}

/// A graph compiled for MPSGraph. Immutable: it can run on several threads at once.
final class Executable: @unchecked Sendable {
  /// Where an output of the graph comes from.
  private enum Source {
    case empty
    case input(Int)
    case result(Int)
  }

  /// MPSGraph is not safe to build or compile on two threads at once.
  private static let compileLock = Mutex<Void>(())
  static func withCompileLock<R>(_ body: () -> sending R) -> sending R {
    compileLock.withLock { _ in body() }
  }

  private static let lastID = Atomic<UInt64>(0)
  private static let liveCount = Atomic<Int>(0)
  /// How many executables exist.
  static var live: Int { liveCount.load(ordering: .relaxed) }

  let id: UInt64
  /// How long lowering and compiling took, in seconds.
  let lowerSeconds: Double
  let compileSeconds: Double
  private let platform: Platform
  private let compiled: MPSGraphExecutable?
  /// The graph's input behind each feed, in the executable's order, and its type.
  private let feeds: [(input: Int, type: TensorType, concrete: ConcreteType?)]
  /// The types of the results, in the executable's order.
  private let results: [(type: TensorType, concrete: ConcreteType?)]
  private let sources: [Source]
  private let inputTypes: [TensorType]
  init(_ source: Graph) throws(LucidError) {
    platform = try Platform.required()
    inputTypes = source.inputs.map { source.type(of: $0) }
    let nonempty = try EmptyValues.remove(from: source)
    var plan = ResultPlan(nonempty.graph)
    var sources = [Source](repeating: .empty, count: source.outputs.count)
    for (position, planned) in zip(nonempty.outputs, plan.sources) {
      sources[position] =
        switch planned {
        case .input(let i): .input(nonempty.inputs[i])
        default: planned
        }
    }
    var kept: [Int] = []
    (plan.graph, kept) = plan.graph.pruned(keepingInputs: false)
    let graph = plan.graph
    let inputs = kept.map { nonempty.inputs[$0] }

    let made: Compiled? =
      graph.outputs.isEmpty ? nil : try Self.compile(graph, inputs, platform)
    if let made {
      let order = made.targetOrder
      sources = sources.map { source in
        guard case .result(let i) = source else { return source }
        return .result(order.firstIndex(of: i) ?? i)
      }
    }
    self.sources = sources
    compiled = made?.executable
    feeds = made?.feeds ?? []
    results = made?.results ?? []
    isSingle =
      if results.count == 1, results[0].concrete != nil, sources.count == 1,
        case .result = sources[0]
      { true } else { false }
    lowerSeconds = made?.lowerSeconds ?? 0
    compileSeconds = made?.compileSeconds ?? 0
    id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    Self.liveCount.wrappingAdd(1, ordering: .relaxed)
  }

  /// The engine's program as text; empty where the engine does not tell.
  var programDescription: String { compiled.flatMap { EngineHooks.dump($0) } ?? "" }

  deinit { Self.liveCount.wrappingSubtract(1, ordering: .relaxed) }

  private struct Compiled {
    let executable: MPSGraphExecutable
    let feeds: [(input: Int, type: TensorType, concrete: ConcreteType?)]
    let results: [(type: TensorType, concrete: ConcreteType?)]
    /// The graph's output at each place of the executable's targets.
    let targetOrder: [Int]
    let lowerSeconds: Double
    let compileSeconds: Double
  }

  private static func compile(
    _ graph: Graph, _ inputs: [Int], _ platform: Platform
  ) throws(LucidError) -> Compiled {
    try compileLock.withLock { _ throws(LucidError) in
      let clock = ContinuousClock()
      let start = clock.now
      let lowered = try Lowering.lower(graph)
      let middle = clock.now
      var types: [MPSGraphTensor: MPSGraphShapedType] = [:]
      for (feed, input) in zip(lowered.feeds, graph.inputs) {
        let type = graph.type(of: input)
        types[feed] = MPSGraphShapedType(shape: type.shape.mps, dataType: type.dtype.mps)
      }
      let descriptor = MPSGraphCompilationDescriptor()
      descriptor.optimizationLevel = .level0
      let executable = lowered.graph.compile(
        with: MPSGraphDevice(mtlDevice: platform.device), feeds: types,
        targetTensors: lowered.targets, targetOperations: nil, compilationDescriptor: descriptor)
      // The order of the inputs is the executable's own: feeds were given as a dictionary.
      var feeds: [(input: Int, type: TensorType, concrete: ConcreteType?)] = []
      for tensor in executable.feedTensors ?? lowered.feeds {
        guard let i = lowered.feeds.firstIndex(where: { $0 === tensor }) else {
          throw LucidError(.runtime, "compiling: the executable has a feed that was not given")
        }
        let type = graph.type(of: graph.inputs[i])
        feeds.append((inputs[i], type, type.shape.isStatic ? try ConcreteType.of(type) : nil))
      }
      var order: [Int] = []
      var results: [(type: TensorType, concrete: ConcreteType?)] = []
      for tensor in executable.targetTensors ?? lowered.targets {
        guard let i = lowered.targets.firstIndex(where: { $0 === tensor }) else {
          throw LucidError(
            .runtime, "compiling: the executable has a target that was not asked for")
        }
        let type = graph.type(of: graph.outputs[i])
        order.append(i)
        results.append(
          (
            type,
            type.shape.isStatic ? try ConcreteType.of(type.shape.evaluated(at: 0), type.dtype) : nil
          ))
      }
      return Compiled(
        executable: executable, feeds: feeds, results: results, targetOrder: order,
        lowerSeconds: (middle - start).seconds, compileSeconds: (clock.now - middle).seconds)
    }
  }

  /// The outputs that need computing, each once.
  private struct ResultPlan {
    var graph: Graph
    var sources: [Source] = []

    init(_ graph: Graph) {
      self.graph = graph
      var computed: [Value] = []
      for output in graph.outputs {
        if let input = Self.relabeledInput(of: output, in: graph) {
          sources.append(.input(input))
        } else if let known = computed.firstIndex(of: output) {
          sources.append(.result(known))
        } else {
          sources.append(.result(computed.count))
          computed.append(output)
        }
      }
      self.graph.outputs = computed
    }

    /// The input whose packed elements an output shows unchanged and in the same order, perhaps under
    /// another shape: sharing the memory is all there is to do.
    private static func relabeledInput(of output: Value, in graph: Graph) -> Int? {
      var steps: [Node] = []
      var value = output
      while let node = graph.producer(of: value) {
        guard OpCatalog[node.op].view != nil, node.inputs.count == 1 else { return nil }
        steps.append(node)
        value = node.inputs[0]
      }
      guard let input = graph.inputs.firstIndex(of: value) else { return nil }
      guard !steps.isEmpty else { return input }
      guard let shape = graph.type(of: value).shape.values else { return nil }
      var layout = ViewLayout(contiguous: shape)
      let count = layout.elementCount
      for step in steps.reversed() {
        guard let shape = graph.type(of: step.outputs[0]).shape.values,
          let next = OpCatalog[step.op].view?.layout(layout, step.attributes, shape)
        else { return nil }
        layout = next
      }
      return layout.isContiguous && layout.offset == 0 && layout.elementCount == count ? input : nil
    }
  }

  /// Whether the only output is computed and of a plain type: the case of nearly every operation.
  let isSingle: Bool

  /// `run` for such an executable, without the arrays.
  func runSingle(_ operands: [Operand?]) throws(LucidError) -> Buffer {
    guard let compiled, let type = results[0].concrete else {
      throw LucidError(.runtime, "running: the executable has no single result")
    }
    let inputs = try inputs(operands, batch: 0)
    let stream = ThreadState.current.stream
    if EngineHooks.runsAtOnce {
      let buffer = try Buffer.make(type)
      stream.run(compiled, inputs: inputs, results: [buffer.data], platform: platform)
      return buffer
    }
    let buffer = try Buffer.make(type, ticket: stream.nextTicket)
    let used = feeds.compactMap { operands[$0.input]?.buffer }
    stream.encode(
      compiled, inputs: inputs, results: [buffer.data], buffers: used + [buffer],
      platform: platform)
    return buffer
  }

  private func inputs(
    _ operands: [Operand?], batch: Int
  ) throws(LucidError) -> [MPSGraphTensorData] {
    var inputs: [MPSGraphTensorData] = []
    inputs.reserveCapacity(feeds.count)
    for feed in feeds {
      guard let operand = operands[feed.input] else {
        throw LucidError(.runtime, "running: operand \(feed.input) has no elements")
      }
      let type: ConcreteType
      if let concrete = feed.concrete {
        type = concrete
      } else {
        type = try .of(feed.type, batch: batch)
      }
      inputs.append(operand.buffer.data(as: type, offset: operand.offset))
    }
    return inputs
  }

  /// Runs with one operand per input of the graph, nil for those without elements, and gives the
  /// outputs' contents. Operand types are the caller's promise; `batch` is needed by a graph whose
  /// shapes depend on it.
  func run(_ operands: [Operand?], batch: Int = 0) throws(LucidError) -> [Storage.Contents] {
    guard let compiled else { return try outputs(operands, [], batch: batch) }
    let inputs = try inputs(operands, batch: batch)
    let stream = ThreadState.current.stream
    let ticket = EngineHooks.runsAtOnce ? nil : stream.nextTicket
    var buffers: [Buffer] = []
    buffers.reserveCapacity(results.count)
    var targets: [MPSGraphTensorData] = []
    targets.reserveCapacity(results.count)
    for result in results {
      let type: ConcreteType
      if let concrete = result.concrete {
        type = concrete
      } else {
        type = try .of(result.type, batch: batch)
      }
      let buffer = try Buffer.make(type, ticket: ticket)
      buffers.append(buffer)
      targets.append(buffer.data)
    }
    if EngineHooks.runsAtOnce {
      stream.run(compiled, inputs: inputs, results: targets, platform: platform)
    } else {
      let used = feeds.compactMap { operands[$0.input]?.buffer }
      stream.encode(
        compiled, inputs: inputs, results: targets, buffers: used + buffers, platform: platform)
    }
    return try outputs(operands, buffers, batch: batch)
  }

  private func outputs(
    _ operands: [Operand?], _ buffers: [Buffer], batch: Int
  ) throws(LucidError) -> [Storage.Contents] {
    var out: [Storage.Contents] = []
    out.reserveCapacity(sources.count)
    for source in sources {
      switch source {
      case .empty: out.append(.empty)
      case .result(let i): out.append(.buffer(buffers[i]))
      case .input(let i):
        guard let operand = operands[i] else {
          out.append(.empty)
          continue
        }
        // Sharing the memory serves as the copy, if it is all of it and stays as it is.
        if operand.offset == 0, !operand.isExported {
          out.append(.buffer(operand.buffer))
        } else {
          let type = try ConcreteType.of(inputTypes[i], batch: batch)
          let layout = ViewLayout(contiguous: type.shape, offset: operand.offset)
          out.append(.buffer(try StridedCopy.packed(operand.buffer, layout, type)))
        }
      }
    }
    return out
  }
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
