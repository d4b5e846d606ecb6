import CKernels
import Foundation
import Metal
import MetalPerformanceShaders
import Synchronization

/// A graph slice compiled for concrete feed shapes: steps and where their operands are.
///
/// Nothing in it changes from run to run except what is known about packed weights, so it can run
/// on several threads at once.
final class Specialization: @unchecked Sendable {
  let feedShapes: [[Int]]
  let resultTypes: [TensorType]
  let notes: [Emitter.Note]
  private let resultShapes: [[Int]]
  private let resultBytes: [Int]
  private let steps: UnsafeMutablePointer<ck_step>
  let stepCount: Int
  private let slots: SlotLayout
  let arenaBytes: Int
  private let packs: PackTable
  private let variables: [VariableState]
  private let isWritten: [Bool]
  /// Results that end with rows of -1, which the caller does not get.
  let listings: [Int]

  // Kept for what the steps point into.
  private let arena: ParameterArena
  private let maps: [OpaquePointer]
  private let retained: [AnyObject]

  init(_ slice: GraphSlice, feedShapes: [[Int]], writesNotes: Bool = false) {
    self.feedShapes = feedShapes
    arena = ParameterArena()
    let plan = Plan(Lowering(slice: slice, feedShapes: feedShapes, arena: arena))
    if EngineChecks.isOn { plan.verify() }
    let emitter = Emitter(plan, arena, writesNotes: writesNotes)
    if EngineChecks.isOn { emitter.verify() }
    notes = emitter.notes
    stepCount = emitter.steps.count
    steps = .allocate(capacity: max(stepCount, 1))
    steps.initialize(from: emitter.steps, count: stepCount)
    maps = emitter.maps
    retained = plan.lowering.retained
    arenaBytes = plan.arenaBytes
    var slots = plan.slots
    slots.packs = emitter.packs.count
    self.slots = slots
    packs = PackTable(emitter.packs)
    variables = plan.slots.variables
    isWritten = variables.map { state in plan.lowering.writes(state) }
    resultTypes = plan.lowering.resultTypes
    listings = plan.lowering.slice.targets.indices.filter {
      plan.lowering.listings.contains(plan.lowering.slice.targets[$0])
    }
    resultShapes = resultTypes.map { $0.shape ?? [] }
    resultBytes = resultTypes.map { ($0.shape ?? []).reduce($0.dtype.byteSize, *) }
    EngineCounters.compiledPrograms.wrappingAdd(1, ordering: .relaxed)
  }

  deinit {
    steps.deallocate()
    for map in maps { ck_map_destroy(map) }
  }

  /// New memory for every result.
  func makeResults() -> [MPSGraphTensorData] {
    var results: [MPSGraphTensorData] = []
    results.reserveCapacity(resultTypes.count)
    for index in resultTypes.indices {
      guard let buffer = PortableBuffer(uninitialized: resultBytes[index]) else {
        misuse("MPSGraph: no memory for a result of shape \(resultShapes[index])")
      }
      results.append(
        MPSGraphTensorData(
          buffer: buffer, dims: resultShapes[index], dataType: resultTypes[index].dtype))
    }
    return results
  }

  /// Results of a run as the caller gets them.
  func trimmed(_ results: [MPSGraphTensorData]) -> [MPSGraphTensorData] {
    var results = results
    for index in listings {
      let result = results[index]
      let (rows, columns) = (result.dims[0], result.dims[1])
      let memory = (result.buffer.pointer + result.offset).assumingMemoryBound(to: Int32.self)
      let count = (0..<rows).first { memory[$0 * columns] < 0 } ?? rows
      results[index] = MPSGraphTensorData(
        buffer: result.buffer, dims: [count, columns], dataType: result.dataType,
        offset: result.offset)
    }
    return results
  }

  /// Runs all steps. Inputs and results have the shapes and types this was compiled for, and the
  /// results are packed and share no memory with the inputs.
  func run(inputs: [MPSGraphTensorData], results: [MPSGraphTensorData]) {
    let count = slots.count
    let memory = arenaBytes > 0 ? ck_alloc(arenaBytes) : nil
    guard memory != nil || arenaBytes == 0 else {
      misuse("MPSGraph: no memory for \(arenaBytes) bytes of intermediate values")
    }
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer?.self, capacity: count) { table in
      guard let base = table.baseAddress else { return }
      base.initialize(to: nil)
      (base + 1).initialize(to: memory)
      var next = base + Int(SlotLayout.firstFeed)
      for input in inputs {
        next.initialize(to: input.buffer.pointer + input.offset)
        next += 1
      }
      for result in results {
        next.initialize(to: result.buffer.pointer + result.offset)
        next += 1
      }
      for variable in variables {
        next.initialize(to: variable.buffer.pointer)
        next += 1
      }
      if packs.isEmpty {
        ck_run(steps, Int64(stepCount), base)
      } else {
        packs.withPacked(inputs, into: next) { ck_run(steps, Int64(stepCount), base) }
      }
    }
    if let memory { ck_free(memory, arenaBytes) }
    for (index, variable) in variables.enumerated() where isWritten[index] {
      variable.buffer.didWrite()
    }
    EngineCounters.launches.wrappingAdd(stepCount, ordering: .relaxed)
  }
}

extension Lowering {
  var resultTypes: [TensorType] {
    zip(slice.targets, targets).map { value, target in
      TensorType(target.view.shape, types[Int(value)].dtype)
    }
  }

  /// Whether a run assigns the variable.
  func writes(_ state: VariableState) -> Bool {
    items.contains { item in
      guard case .kernel(.assignVariable) = item.kind,
        case .variable(let other) = roots[Int(item.inputs[0].root)].source
      else { return false }
      return other === state
    }
  }
}

/// Counts of what the engine did, for the hooks.
package enum EngineCounters {
  package static let compiledPrograms = Atomic<Int>(0)
  package static let launches = Atomic<Int>(0)
  package static let packs = Atomic<Int>(0)
}

/// `LUCID_CHECKS=1` verifies every program that is compiled.
enum EngineChecks {
  static let isOn = ProcessInfo.processInfo.environment["LUCID_CHECKS"] == "1"
}
