import MetalPerformanceShaders
import Synchronization

/// What a graph compiles to: the compiler's and the runtime's side of `MPSGraphExecutable`.
///
/// A slice of the graph, compiled for each combination of feed shapes when it is first seen.
package final class Program: @unchecked Sendable {
  private let slice: GraphSlice
  /// Most recently used first.
  private let specializations = Mutex<[Specialization]>([])
  private static let limit = 128

  /// Compiles what `targets` and `operations` need. `feeds` are the placeholders in the order in which
  /// contents will be given, each with the type that it is compiled for; all that are needed are
  /// among them.
  package init(
    graph: MPSGraph, feeds: [(tensor: MPSGraphTensor, type: TensorType)],
    targets: [MPSGraphTensor], operations: [MPSGraphOperation],
    descriptor: MPSGraphCompilationDescriptor?
  ) {
    slice = GraphSlice(graph: graph, feeds: feeds, targets: targets, operations: operations)
    let types = feeds.map(\.type)
    if types.allSatisfy({ $0.shape.map { !$0.contains(-1) } ?? false }) { specialize(for: types) }
  }

  /// Gets ready for concrete types of the feeds.
  package func specialize(for types: [TensorType]) {
    _ = specialization(types.map { $0.shape ?? [] })
  }

  /// The types of the targets for types of the feeds.
  package func outputTypes(for types: [TensorType]) -> [TensorType] {
    specialization(types.map { $0.shape ?? [] }).resultTypes
  }

  /// Runs at once, or at the commit of the command buffer when `MPSCommandBuffer.defersWork`;
  /// without a command buffer always at once. There are as many inputs as feeds; whether their types
  /// fit is checked here, and results, where given, as well.
  package func execute(
    on commandBuffer: MPSCommandBuffer?, inputs: [MPSGraphTensorData],
    results: [MPSGraphTensorData]?
  ) -> [MPSGraphTensorData] {
    let program = specialization(for: inputs)
    let outputs: [MPSGraphTensorData]
    if let results {
      check(results, program)
      outputs = results
    } else {
      outputs = program.makeResults()
    }
    let isPlain =
      inputs.allSatisfy { $0.byteStrides == nil }
      && (results == nil || Self.isPlain(inputs, outputs))
    if let commandBuffer, MPSCommandBuffer.defersWork {
      require(
        program.listings.isEmpty,
        "MPSGraphExecutable: a result whose size depends on data needs a run at once")
      Self.poison(outputs)
      commandBuffer.enqueue { Self.run(program, inputs, outputs, isPlain, results != nil) }
    } else {
      Self.run(program, inputs, outputs, isPlain, results != nil)
    }
    return program.listings.isEmpty ? outputs : program.trimmed(outputs)
  }

  private static func run(
    _ program: Specialization, _ inputs: [MPSGraphTensorData], _ outputs: [MPSGraphTensorData],
    _ isPlain: Bool, _ wasGiven: Bool
  ) {
    if isPlain {
      program.run(inputs: inputs, results: outputs)
    } else {
      let own = program.makeResults()
      program.run(inputs: inputs.map { $0.packed() }, results: own)
      for (source, target) in zip(own, outputs) { target.copyElements(from: source) }
    }
    if wasGiven { for output in outputs { output.buffer.didWrite() } }
  }

  // MARK: Specializations

  private func specialization(for inputs: [MPSGraphTensorData]) -> Specialization {
    if let latest = specializations.withLock({ $0.first }), latest.accepts(inputs) {
      for (index, input) in inputs.enumerated()
      where input.dataType != slice.types[Int(slice.feeds[index])].dtype {
        check(inputs)
      }
      return latest
    }
    check(inputs)
    return specialization(inputs.map(\.dims))
  }

  private func specialization(_ shapes: [[Int]]) -> Specialization {
    let known = specializations.withLock { entries -> Specialization? in
      guard let index = entries.firstIndex(where: { $0.feedShapes == shapes }) else { return nil }
      let entry = entries.remove(at: index)
      entries.insert(entry, at: 0)
      return entry
    }
    if let known { return known }
    // Compiled outside the lock: two threads may both do it, and one result is dropped.
    let made = Specialization(slice, feedShapes: shapes)
    specializations.withLock { entries in
      entries.insert(made, at: 0)
      if entries.count > Self.limit { entries.removeLast() }
    }
    return made
  }

  /// A readable form of the program for shapes of the feeds.
  package func dump(shapes: [[Int]]) -> String {
    Specialization(slice, feedShapes: shapes, writesNotes: true).dump
  }

  /// A readable form of the program that ran last; nil if none did.
  package var latestDump: String? {
    specializations.withLock { $0.first }.map { dump(shapes: $0.feedShapes) }
  }

  /// The number of kernels in the program for shapes of the feeds.
  package func stepCount(shapes: [[Int]]) -> Int { specialization(shapes).stepCount }

  // MARK: Checks

  private func check(_ inputs: [MPSGraphTensorData]) {
    require(
      inputs.count == slice.feeds.count,
      "MPSGraphExecutable: \(inputs.count) inputs are given for \(slice.feeds.count) feeds")
    for (index, input) in inputs.enumerated() {
      let type = slice.types[Int(slice.feeds[index])]
      var fits = input.dataType == type.dtype
      if let shape = type.shape {
        fits =
          fits && shape.count == input.dims.count
          && zip(shape, input.dims).allSatisfy { $0 == -1 || $0 == $1 }
      }
      require(
        fits,
        """
        MPSGraphExecutable: input \(index) has shape \(input.dims) of \(input.dataType), the feed is \
        \(type.shape ?? []) of \(type.dtype)
        """)
    }
  }

  private func check(_ results: [MPSGraphTensorData], _ program: Specialization) {
    require(
      results.count == program.resultTypes.count,
      "MPSGraphExecutable: \(results.count) results are given for \(program.resultTypes.count)")
    for (index, result) in results.enumerated() {
      let type = program.resultTypes[index]
      require(
        result.dims == type.shape && result.dataType == type.dtype,
        """
        MPSGraphExecutable: result \(index) has shape \(result.dims) of \(result.dataType), the \
        target has \(type.shape ?? []) of \(type.dtype)
        """)
    }
  }

  /// Results can be written directly: packed, and apart from inputs and each other.
  private static func isPlain(
    _ inputs: [MPSGraphTensorData], _ results: [MPSGraphTensorData]
  ) -> Bool {
    for (index, result) in results.enumerated() {
      if result.byteStrides != nil { return false }
      for input in inputs where input.buffer === result.buffer { return false }
      for other in results[..<index] where other.buffer === result.buffer { return false }
    }
    return true
  }

  /// What a client that reads too early finds.
  private static func poison(_ outputs: [MPSGraphTensorData]) {
    for output in outputs where output.byteStrides == nil {
      let bytes = output.dims.reduce(output.dataType.byteSize, *)
      (output.buffer.pointer + output.offset).initializeMemory(
        as: UInt8.self, repeating: 0xff, count: bytes)
    }
  }
}

extension Specialization {
  func accepts(_ inputs: [MPSGraphTensorData]) -> Bool {
    guard inputs.count == feedShapes.count else { return false }
    for index in feedShapes.indices where inputs[index].dims != feedShapes[index] { return false }
    return true
  }
}
