import Foundation
import Metal
import MetalPerformanceShaders
import Synchronization

/// A compiled graph. It can run on several threads at a time, each with its own command buffer.
public final class MPSGraphExecutable: MPSGraphObject, @unchecked Sendable {
  /// When results become visible to the processor.
  public var options: MPSGraphOptions {
    get { optionsBox.withLock { $0 } }
    set { optionsBox.withLock { $0 = newValue } }
  }
  /// The placeholders, in the order of the inputs of a run.
  public let feedTensors: [MPSGraphTensor]?
  /// The results, in the order of a run's.
  public let targetTensors: [MPSGraphTensor]?

  package let program: Program
  private let optionsBox: Mutex<MPSGraphOptions>
  private let inputCount: Int
  private let resultCount: Int

  package init(
    program: Program, feeds: [MPSGraphTensor], targets: [MPSGraphTensor], options: MPSGraphOptions
  ) {
    self.program = program
    feedTensors = feeds
    targetTensors = targets
    inputCount = feeds.count
    resultCount = targets.count
    optionsBox = Mutex(options)
    super.init()
  }

  /// Gets ready for inputs of the given types.
  public func specialize(
    with device: MPSGraphDevice?, inputTypes: [MPSGraphType],
    compilationDescriptor: MPSGraphCompilationDescriptor?
  ) {
    program.specialize(for: types(inputTypes, method: #function))
    compilationDescriptor?.compiled?(self, nil)
  }

  /// The types of the results for inputs of the given types.
  public func getOutputTypes(
    with device: MPSGraphDevice?, inputTypes: [MPSGraphType],
    compilationDescriptor: MPSGraphCompilationDescriptor?
  ) -> [MPSGraphShapedType]? {
    program.outputTypes(for: types(inputTypes, method: #function)).map(MPSGraphShapedType.init)
  }

  private func types(_ given: [MPSGraphType], method: StaticString) -> [TensorType] {
    require(
      given.count == inputCount,
      "MPSGraphExecutable.\(method): \(given.count) types for \(inputCount) inputs")
    return given.map {
      guard let shaped = $0 as? MPSGraphShapedType else {
        misuse("MPSGraphExecutable.\(method): a type without a shape")
      }
      return shaped.type
    }
  }

  /// Runs and returns when the results are there.
  public func run(
    with commandQueue: any MTLCommandQueue, inputs inputsArray: [MPSGraphTensorData],
    results resultsArray: [MPSGraphTensorData]?,
    executionDescriptor: MPSGraphExecutableExecutionDescriptor?
  ) -> [MPSGraphTensorData] {
    runNow(inputsArray, resultsArray, executionDescriptor, #function)
  }

  /// Runs; the results are there when the completion handler is called. They are there at the return
  /// too, because work runs on the caller's thread.
  public func runAsync(
    with commandQueue: any MTLCommandQueue, inputs inputsArray: [MPSGraphTensorData],
    results resultsArray: [MPSGraphTensorData]?,
    executionDescriptor: MPSGraphExecutableExecutionDescriptor?
  ) -> [MPSGraphTensorData] {
    runNow(inputsArray, resultsArray, executionDescriptor, #function)
  }

  private func runNow(
    _ inputs: [MPSGraphTensorData], _ results: [MPSGraphTensorData]?,
    _ descriptor: MPSGraphExecutableExecutionDescriptor?, _ method: StaticString
  ) -> [MPSGraphTensorData] {
    checkCounts(inputs, results, method)
    descriptor?.events.wait()
    let outputs = program.execute(on: nil, inputs: inputs, results: results)
    descriptor?.scheduled?(outputs, nil)
    descriptor?.events.signal()
    descriptor?.completed?(outputs, nil)
    return outputs
  }

  /// Adds a run to a command buffer. The results are there when the command buffer is completed.
  public func encode(
    to commandBuffer: MPSCommandBuffer, inputs inputsArray: [MPSGraphTensorData],
    results resultsArray: [MPSGraphTensorData]?,
    executionDescriptor: MPSGraphExecutableExecutionDescriptor?
  ) -> [MPSGraphTensorData] {
    checkCounts(inputsArray, resultsArray, #function)
    guard let executionDescriptor else {
      return program.execute(on: commandBuffer, inputs: inputsArray, results: resultsArray)
    }
    return commandBuffer.encode(
      waitUntilCompleted: executionDescriptor.waitUntilCompleted,
      events: executionDescriptor.events, scheduled: executionDescriptor.scheduled,
      completed: executionDescriptor.completed
    ) {
      program.execute(on: commandBuffer, inputs: inputsArray, results: resultsArray)
    }
  }

  private func checkCounts(
    _ inputs: [MPSGraphTensorData], _ results: [MPSGraphTensorData]?, _ method: StaticString
  ) {
    require(
      inputs.count == inputCount,
      "MPSGraphExecutable.\(method): \(inputs.count) arrays for \(inputCount) inputs")
    if let results {
      require(
        results.count == resultCount,
        "MPSGraphExecutable.\(method): \(results.count) arrays for \(resultCount) results")
    }
  }
}
