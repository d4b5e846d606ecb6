import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The slices that the last dimension of the indices names, by their first dimensions.
  public func gatherND(
    withUpdatesTensor updatesTensor: MPSGraphTensor, indicesTensor: MPSGraphTensor,
    batchDimensions: Int, name: String?
  ) -> MPSGraphTensor {
    value(
      .gatherND(batchDimensions: batchDimensions), [updatesTensor, indicesTensor], name: name)
  }

  /// The slices along an axis that the indices name.
  public func gather(
    withUpdatesTensor updatesTensor: MPSGraphTensor, indicesTensor: MPSGraphTensor, axis: Int,
    batchDimensions: Int, name: String?
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: updatesTensor, method: #function)
    return value(
      .gather(axis: axis, batchDimensions: batchDimensions), [updatesTensor, indicesTensor],
      name: name)
  }

  /// The element along an axis that each index names; 0 for an index out of range.
  public func gatherAlongAxis(
    _ axis: Int, updates updatesTensor: MPSGraphTensor, indices indicesTensor: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: updatesTensor, method: #function)
    return value(.gatherAlongAxis(axis: axis), [updatesTensor, indicesTensor], name: name)
  }

  /// The element along a constant axis that each index names; 0 for an index out of range.
  public func gatherAlongAxisTensor(
    _ axisTensor: MPSGraphTensor, updates updatesTensor: MPSGraphTensor,
    indices indicesTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return gatherAlongAxis(axis, updates: updatesTensor, indices: indicesTensor, name: name)
  }
}
