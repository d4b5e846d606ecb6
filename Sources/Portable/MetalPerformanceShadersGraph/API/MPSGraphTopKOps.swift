import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The `k` largest elements along the last axis in descending order, and their int32 positions.
  public func topK(_ source: MPSGraphTensor, k: Int, name: String?) -> [MPSGraphTensor] {
    select(source, -1, k, largest: true, name, #function)
  }

  /// The largest elements along the last axis, as many as a constant says.
  public func topK(_ source: MPSGraphTensor, kTensor: MPSGraphTensor, name: String?)
    -> [MPSGraphTensor]
  {
    let k = integer(kTensor, "kTensor", method: #function)
    return select(source, -1, k, largest: true, name, #function)
  }

  /// The `k` largest elements along an axis in descending order, and their int32 positions.
  public func topK(_ source: MPSGraphTensor, axis: Int, k: Int, name: String?) -> [MPSGraphTensor] {
    select(source, axis, k, largest: true, name, #function)
  }

  /// The `k` smallest elements along an axis in ascending order, and their int32 positions.
  public func bottomK(_ source: MPSGraphTensor, axis: Int, k: Int, name: String?)
    -> [MPSGraphTensor]
  {
    select(source, axis, k, largest: false, name, #function)
  }

  /// The largest elements along a constant axis, as many as a constant says.
  public func topK(
    _ source: MPSGraphTensor, axisTensor: MPSGraphTensor, kTensor: MPSGraphTensor, name: String?
  ) -> [MPSGraphTensor] {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    let k = integer(kTensor, "kTensor", method: #function)
    return select(source, axis, k, largest: true, name, #function)
  }

  /// The smallest elements along a constant axis, as many as a constant says.
  public func bottomK(
    _ source: MPSGraphTensor, axisTensor: MPSGraphTensor, kTensor: MPSGraphTensor, name: String?
  ) -> [MPSGraphTensor] {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    let k = integer(kTensor, "kTensor", method: #function)
    return select(source, axis, k, largest: false, name, #function)
  }

  private func select(
    _ source: MPSGraphTensor, _ axis: Int, _ k: Int, largest: Bool, _ name: String?,
    _ method: StaticString
  ) -> [MPSGraphTensor] {
    let axis = self.axis(axis, of: source, method: method)
    return append(
      .topK(axis: axis, k: k, largest: largest), [source], name: name, method: method
    ).outputTensors
  }
}
