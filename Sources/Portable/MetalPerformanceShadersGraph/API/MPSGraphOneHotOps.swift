import Foundation
import MetalPerformanceShaders

// A new axis of length `depth`, which is on at the index and off elsewhere.
extension MPSGraph {
  /// One-hot vectors along a new axis.
  public func oneHot(
    withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, axis: Int,
    dataType: MPSDataType, onValue: Double, offValue: Double, name: String?
  ) -> MPSGraphTensor {
    oneHot(indicesTensor, depth, axis, dataType, onValue, offValue, name, #function)
  }

  /// One-hot vectors along a new last axis.
  public func oneHot(
    withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, dataType: MPSDataType,
    onValue: Double, offValue: Double, name: String?
  ) -> MPSGraphTensor {
    oneHot(indicesTensor, depth, nil, dataType, onValue, offValue, name, #function)
  }

  /// One-hot vectors of ones and zeros along a new axis.
  public func oneHot(
    withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, axis: Int,
    dataType: MPSDataType, name: String?
  ) -> MPSGraphTensor {
    oneHot(indicesTensor, depth, axis, dataType, 1, 0, name, #function)
  }

  /// One-hot float32 vectors of ones and zeros along a new axis.
  public func oneHot(
    withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, axis: Int, name: String?
  ) -> MPSGraphTensor {
    oneHot(indicesTensor, depth, axis, .float32, 1, 0, name, #function)
  }

  /// One-hot vectors of ones and zeros along a new last axis.
  public func oneHot(
    withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, dataType: MPSDataType,
    name: String?
  ) -> MPSGraphTensor {
    oneHot(indicesTensor, depth, nil, dataType, 1, 0, name, #function)
  }

  /// One-hot float32 vectors of ones and zeros along a new last axis.
  public func oneHot(withIndicesTensor indicesTensor: MPSGraphTensor, depth: Int, name: String?)
    -> MPSGraphTensor
  {
    oneHot(indicesTensor, depth, nil, .float32, 1, 0, name, #function)
  }

  private func oneHot(
    _ indices: MPSGraphTensor, _ depth: Int, _ axis: Int?, _ dataType: MPSDataType, _ on: Double,
    _ off: Double, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let axis = axis ?? rank(indices, method: method)
    return value(
      .oneHot(axis: axis, depth: depth, on: on, off: off), [indices],
      declared: TensorType(nil, dataType), name: name, method: method)
  }

  /// The int32 positions of the elements that are not zero, one row each.
  public func nonZeroIndices(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.nonZeroIndices, [tensor], name: name)
  }
}
