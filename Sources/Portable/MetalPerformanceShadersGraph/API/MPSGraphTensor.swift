import Foundation
import MetalPerformanceShaders

/// A value of a graph: one result of one operation.
public final class MPSGraphTensor: MPSGraphObject, NSCopying {
  /// The operation that makes the tensor. The graph owns its operations: a tensor that outlives the
  /// graph is still a key, but has no operation.
  public var operation: MPSGraphOperation { owner }
  private unowned let owner: MPSGraphOperation

  /// The position among all tensors of the graph, in the order of creation.
  package let index: Int
  /// Which result of the operation this is.
  package let resultIndex: Int
  package let type: TensorType
  /// The elements, where they are few whole numbers that follow from the graph alone, such as those
  /// of a shape tensor.
  package let integers: [Int]?

  package init(
    operation: MPSGraphOperation, index: Int, resultIndex: Int, type: TensorType, integers: [Int]?
  ) {
    owner = operation
    self.index = index
    self.resultIndex = resultIndex
    self.type = type
    self.integers = integers
    super.init()
  }

  /// Tensors come from the methods of a graph.
  @available(*, unavailable)
  public override init() { misuse("MPSGraphTensor.init(): a tensor comes from a graph") }

  /// The sizes; nil without a known rank, and -1 for one that is not known.
  public var shape: [NSNumber]? { type.shape?.boxed }
  /// The element type.
  public var dataType: MPSDataType { type.dtype }

  /// The tensor itself: tensors are compared by identity.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}
