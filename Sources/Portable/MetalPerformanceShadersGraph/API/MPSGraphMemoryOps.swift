import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// An input of the graph. A nil shape has no known rank, and -1 is a size that is not known.
  public func placeholder(shape: [NSNumber]?, dataType: MPSDataType, name: String?)
    -> MPSGraphTensor
  {
    value(.placeholder, [], declared: TensorType(shape?.unboxed, dataType), name: name)
  }

  /// A float32 input of the graph.
  public func placeholder(shape: [NSNumber]?, name: String?) -> MPSGraphTensor {
    value(.placeholder, [], declared: TensorType(shape?.unboxed, .float32), name: name)
  }

  /// A tensor with a copy of the data.
  public func constant(_ data: Data, shape: [NSNumber], dataType: MPSDataType) -> MPSGraphTensor {
    let type = TensorType(shape.unboxed, dataType)
    guard let bytes = ConstantBytes(data) else {
      misuse("MPSGraph.constant(_:shape:dataType:): no data")
    }
    return value(.constant(bytes), [], declared: type, name: nil)
  }

  /// A tensor of shape [] with the given value.
  public func constant(_ scalar: Double, dataType: MPSDataType) -> MPSGraphTensor {
    value(.splat(scalar), [], declared: TensorType([], dataType), name: nil)
  }

  /// A tensor full of the given value.
  public func constant(_ scalar: Double, shape: [NSNumber], dataType: MPSDataType)
    -> MPSGraphTensor
  {
    value(.splat(scalar), [], declared: TensorType(shape.unboxed, dataType), name: nil)
  }

  /// State of the graph, which starts with a copy of the data.
  public func variable(with data: Data, shape: [NSNumber], dataType: MPSDataType, name: String?)
    -> MPSGraphTensor
  {
    let type = TensorType(shape.unboxed, dataType)
    guard let state = VariableState(data, type: type) else {
      misuse("MPSGraph.variable(with:shape:dataType:name:): no data")
    }
    return value(.variable(state), [], declared: type, name: name)
  }

  /// The current value of a variable.
  public func read(_ variable: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.readVariable, [variable], name: name)
  }

  /// Gives a variable a new value, when the operation is among the target operations of a run.
  public func assign(_ variable: MPSGraphTensor, tensor: MPSGraphTensor, name: String?)
    -> MPSGraphOperation
  {
    guard case .variable = variable.operation.kind else {
      misuse("MPSGraph.assign(_:tensor:name:): the first tensor is not a variable")
    }
    return append(.assignVariable, [variable, tensor], name: name)
  }
}
