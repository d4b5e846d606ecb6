import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The elements along an axis in order.
  public func sort(_ tensor: MPSGraphTensor, axis: Int, descending: Bool, name: String?)
    -> MPSGraphTensor
  {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.sort(axis: axis, descending: descending), [tensor], name: name)
  }

  /// The elements along a constant axis in order.
  public func sort(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, descending: Bool, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return sort(tensor, axis: axis, descending: descending, name: name)
  }

  /// The elements along an axis in ascending order.
  public func sort(_ tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    sort(tensor, axis: axis, descending: false, name: name)
  }

  /// The elements along a constant axis in ascending order.
  public func sort(_ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    sort(tensor, axisTensor: axisTensor, descending: false, name: name)
  }

  /// The int32 positions that put the elements along an axis in order.
  public func argSort(_ tensor: MPSGraphTensor, axis: Int, descending: Bool, name: String?)
    -> MPSGraphTensor
  {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.argSort(axis: axis, descending: descending), [tensor], name: name)
  }

  /// The int32 positions that put the elements along a constant axis in order.
  public func argSort(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, descending: Bool, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return argSort(tensor, axis: axis, descending: descending, name: name)
  }

  /// The int32 positions that put the elements along an axis in ascending order.
  public func argSort(_ tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    argSort(tensor, axis: axis, descending: false, name: name)
  }

  /// The int32 positions that put the elements along a constant axis in ascending order.
  public func argSort(_ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    argSort(tensor, axisTensor: axisTensor, descending: false, name: name)
  }
}
