import Foundation
import Metal
import MetalPerformanceShaders
import Synchronization

/// What an executable behind `run(feeds:…)` was compiled for.
package struct RunKey: Hashable {
  package let feeds: [Int]
  package let types: [TensorType]
  package let targets: [Int]
  package let operations: [Int]
}

extension MPSGraph {
  /// Runs and returns the targets' contents.
  public func run(
    feeds: [MPSGraphTensor: MPSGraphTensorData], targetTensors: [MPSGraphTensor],
    targetOperations: [MPSGraphOperation]?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    runNow(feeds, targetTensors, targetOperations, nil, #function)
  }

  /// Runs on a queue and returns the targets' contents.
  public func run(
    with commandQueue: any MTLCommandQueue, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetTensors: [MPSGraphTensor], targetOperations: [MPSGraphOperation]?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    runNow(feeds, targetTensors, targetOperations, nil, #function)
  }

  /// Runs on a queue and writes into the given results.
  public func run(
    with commandQueue: any MTLCommandQueue, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetOperations: [MPSGraphOperation]?,
    resultsDictionary: [MPSGraphTensor: MPSGraphTensorData]
  ) {
    runNow(feeds, resultsDictionary, targetOperations, nil, #function)
  }

  /// Runs; the contents are there when the completion handler is called.
  public func runAsync(
    feeds: [MPSGraphTensor: MPSGraphTensorData], targetTensors: [MPSGraphTensor],
    targetOperations: [MPSGraphOperation]?, executionDescriptor: MPSGraphExecutionDescriptor?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    runNow(feeds, targetTensors, targetOperations, executionDescriptor, #function)
  }

  /// Runs on a queue; the contents are there when the completion handler is called.
  public func runAsync(
    with commandQueue: any MTLCommandQueue, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetTensors: [MPSGraphTensor], targetOperations: [MPSGraphOperation]?,
    executionDescriptor: MPSGraphExecutionDescriptor?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    runNow(feeds, targetTensors, targetOperations, executionDescriptor, #function)
  }

  /// Runs on a queue and writes into the given results.
  public func runAsync(
    with commandQueue: any MTLCommandQueue, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetOperations: [MPSGraphOperation]?,
    resultsDictionary: [MPSGraphTensor: MPSGraphTensorData],
    executionDescriptor: MPSGraphExecutionDescriptor?
  ) {
    runNow(feeds, resultsDictionary, targetOperations, executionDescriptor, #function)
  }

  /// Adds a run to a command buffer. The contents are there when the command buffer is completed.
  public func encode(
    to commandBuffer: MPSCommandBuffer, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetTensors: [MPSGraphTensor], targetOperations: [MPSGraphOperation]?,
    executionDescriptor: MPSGraphExecutionDescriptor?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    let run = Run(self, feeds, targetTensors, targetOperations, executionDescriptor, #function)
    return encode(run, to: commandBuffer, results: nil, executionDescriptor)
  }

  /// Adds a run that writes into the given results to a command buffer.
  public func encode(
    to commandBuffer: MPSCommandBuffer, feeds: [MPSGraphTensor: MPSGraphTensorData],
    targetOperations: [MPSGraphOperation]?,
    resultsDictionary: [MPSGraphTensor: MPSGraphTensorData],
    executionDescriptor: MPSGraphExecutionDescriptor?
  ) {
    let (targets, results) = Run.ordered(resultsDictionary)
    let run = Run(self, feeds, targets, targetOperations, executionDescriptor, #function)
    _ = encode(run, to: commandBuffer, results: results, executionDescriptor)
  }

  private func encode(
    _ run: Run, to commandBuffer: MPSCommandBuffer, results: [MPSGraphTensorData]?,
    _ descriptor: MPSGraphExecutionDescriptor?
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    commandBuffer.encode(
      waitUntilCompleted: descriptor?.waitUntilCompleted ?? false,
      events: descriptor?.events ?? EventList(), scheduled: descriptor?.scheduled,
      completed: descriptor?.completed
    ) {
      run.execute(on: commandBuffer, results: results)
    }
  }

  private func runNow(
    _ feeds: [MPSGraphTensor: MPSGraphTensorData],
    _ resultsDictionary: [MPSGraphTensor: MPSGraphTensorData],
    _ operations: [MPSGraphOperation]?, _ descriptor: MPSGraphExecutionDescriptor?,
    _ method: StaticString
  ) {
    let (targets, results) = Run.ordered(resultsDictionary)
    _ = runNow(feeds, targets, operations, descriptor, method, results: results)
  }

  private func runNow(
    _ feeds: [MPSGraphTensor: MPSGraphTensorData], _ targets: [MPSGraphTensor],
    _ operations: [MPSGraphOperation]?, _ descriptor: MPSGraphExecutionDescriptor?,
    _ method: StaticString, results: [MPSGraphTensorData]? = nil
  ) -> [MPSGraphTensor: MPSGraphTensorData] {
    let run = Run(self, feeds, targets, operations, descriptor, method)
    descriptor?.events.wait()
    let outputs = run.execute(on: nil, results: results)
    descriptor?.scheduled?(outputs, nil)
    descriptor?.events.signal()
    descriptor?.completed?(outputs, nil)
    return outputs
  }
}

/// One run without an explicit executable: the graph keeps one per kind of call.
private struct Run {
  let executable: MPSGraphExecutable
  let inputs: [MPSGraphTensorData]
  let targets: [MPSGraphTensor]

  init(
    _ graph: MPSGraph, _ feeds: [MPSGraphTensor: MPSGraphTensorData],
    _ targets: [MPSGraphTensor], _ operations: [MPSGraphOperation]?,
    _ descriptor: MPSGraphExecutionDescriptor?, _ method: StaticString
  ) {
    let (tensors, inputs) = Self.ordered(feeds)
    for tensor in tensors + targets where tensor.operation.graph !== graph {
      misuse("MPSGraph.\(method): a tensor belongs to another graph")
    }
    let types = inputs.map { TensorType($0.dims, $0.dataType) }
    let key = RunKey(
      feeds: tensors.map(\.index), types: types, targets: targets.map(\.index),
      operations: operations?.map(\.index) ?? [])
    // The lock also covers the compilation: a second thread with the same call waits for it.
    executable = graph.specializations.withLock { cache in
      if let known = cache[key] { return known }
      let made = graph.compile(
        Array(zip(tensors, types)).map { (tensor: $0, type: $1) }, targets, operations ?? [],
        descriptor?.compilationDescriptor, method)
      cache[key] = made
      return made
    }
    self.inputs = inputs
    self.targets = targets
  }

  /// In the order of creation, which is that of an executable's inputs.
  static func ordered(_ contents: [MPSGraphTensor: MPSGraphTensorData]) -> (
    [MPSGraphTensor], [MPSGraphTensorData]
  ) {
    let pairs = contents.sorted { $0.key.index < $1.key.index }
    return (pairs.map(\.key), pairs.map(\.value))
  }

  func execute(on commandBuffer: MPSCommandBuffer?, results: [MPSGraphTensorData]?)
    -> [MPSGraphTensor: MPSGraphTensorData]
  {
    let outputs = executable.program.execute(
      on: commandBuffer, inputs: inputs, results: results)
    return Dictionary(zip(targets, outputs), uniquingKeysWith: { first, _ in first })
  }
}
