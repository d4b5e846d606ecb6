import Foundation
import MetalPerformanceShaders

/// A node of a graph.
public class MPSGraphOperation: MPSGraphObject, NSCopying {
  /// What the operation reads.
  public let inputTensors: [MPSGraphTensor]
  /// What the operation makes.
  public private(set) var outputTensors: [MPSGraphTensor] = []
  /// What has to run before, beside the makers of the inputs.
  public internal(set) var controlDependencies: [MPSGraphOperation]
  /// The graph that owns the operation.
  public var graph: MPSGraph { owner }
  private unowned let owner: MPSGraph
  /// A name for people.
  public let name: String

  package let kind: OpKind
  /// The position among the operations of the graph: inputs come before.
  package let index: Int

  package init(
    graph: MPSGraph, kind: OpKind, index: Int, inputs: [MPSGraphTensor],
    controlDependencies: [MPSGraphOperation], name: String
  ) {
    owner = graph
    self.kind = kind
    self.index = index
    inputTensors = inputs
    self.controlDependencies = controlDependencies
    self.name = name
    super.init()
  }

  package func setOutputs(_ tensors: [MPSGraphTensor]) { outputTensors = tensors }

  /// Operations come from the methods of a graph.
  @available(*, unavailable)
  public override init() { misuse("MPSGraphOperation.init(): an operation comes from a graph") }

  /// The operation itself: operations are compared by identity.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The operation behind a variable.
public final class MPSGraphVariableOp: MPSGraphOperation {
  /// The sizes.
  public var shape: [NSNumber] { (outputTensors[0].type.shape ?? []).boxed }
  /// The element type.
  public var dataType: MPSDataType { outputTensors[0].type.dtype }
}
