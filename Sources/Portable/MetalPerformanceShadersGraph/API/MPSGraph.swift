import Foundation
import MetalPerformanceShaders
import Synchronization

/// A graph of operations on tensors. Methods add operations; `compile` and `run` execute them.
///
/// Building is single-threaded.
public final class MPSGraph: MPSGraphObject {
  /// When results become visible to the processor.
  public var options = MPSGraphOptions.default
  /// The placeholders, in the order of creation.
  public private(set) var placeholderTensors: [MPSGraphTensor] = []

  /// All operations; each comes after the ones it reads from.
  package private(set) var operations: [MPSGraphOperation] = []
  package private(set) var tensorCount = 0
  /// What operations that are added now have to wait for.
  package var activeDependencies: [MPSGraphOperation] = []
  /// Executables behind `run(feeds:…)` and its relatives.
  package let specializations = Mutex<[RunKey: MPSGraphExecutable]>([:])

  /// An empty graph.
  public required override init() {}

  /// An empty graph.
  public class func new() -> Self { Self() }

  /// Operations are freed one by one: inputs are tensors, which do not own their operation. Only
  /// dependencies form chains, and a long chain would be freed by a deep recursion.
  deinit {
    for operation in operations where !operation.controlDependencies.isEmpty {
      operation.controlDependencies = []
    }
  }

  /// Adds an operation whose results `ShapeRules` derives. `declared` has what the kind leaves open,
  /// such as the element type of a cast.
  @discardableResult
  package func append(
    _ kind: OpKind, _ inputs: [MPSGraphTensor], declared: [TensorType] = [], name: String?,
    method: StaticString = #function
  ) -> MPSGraphOperation {
    for input in inputs where input.operation.graph !== self {
      misuse("MPSGraph.\(method): an operand belongs to another graph")
    }
    let inputTypes = inputs.map(\.type)
    let types: [TensorType]
    do {
      types = try ShapeRules.infer(kind, inputs: inputTypes, declared: declared) {
        inputs[$0].integers
      }
    } catch {
      misuse("MPSGraph.\(method): \(error.message)")
    }

    let operation: MPSGraphOperation
    if case .variable = kind {
      operation = MPSGraphVariableOp(
        graph: self, kind: kind, index: operations.count, inputs: inputs,
        controlDependencies: activeDependencies, name: name ?? "")
    } else {
      operation = MPSGraphOperation(
        graph: self, kind: kind, index: operations.count, inputs: inputs,
        controlDependencies: activeDependencies, name: name ?? "")
    }
    let integers = IntegerValues.evaluate(kind, inputs: inputTypes, outputs: types) {
      inputs[$0].integers
    }
    var outputs: [MPSGraphTensor] = []
    outputs.reserveCapacity(types.count)
    for (resultIndex, type) in types.enumerated() {
      outputs.append(
        MPSGraphTensor(
          operation: operation, index: tensorCount, resultIndex: resultIndex, type: type,
          integers: resultIndex == 0 ? integers : nil))
      tensorCount += 1
    }
    operation.setOutputs(outputs)
    operations.append(operation)
    if case .placeholder = kind { placeholderTensors.append(outputs[0]) }
    return operation
  }

  /// Adds an operation with one result.
  package func value(
    _ kind: OpKind, _ inputs: [MPSGraphTensor], declared: TensorType? = nil, name: String?,
    method: StaticString = #function
  ) -> MPSGraphTensor {
    append(
      kind, inputs, declared: declared.map { [$0] } ?? [], name: name, method: method
    ).outputTensors[0]
  }
}
