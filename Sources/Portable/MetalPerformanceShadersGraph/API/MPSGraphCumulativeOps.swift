import Foundation
import MetalPerformanceShaders

// Scans along an axis. Exclusive ones start from the neutral value, reverse ones run backwards.
extension MPSGraph {
  /// Running sums along an axis.
  public func cumulativeSum(
    _ tensor: MPSGraphTensor, axis: Int, exclusive: Bool, reverse: Bool, name: String?
  ) -> MPSGraphTensor {
    cumulate(.sum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running sums along an axis.
  public func cumulativeSum(_ tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    cumulate(.sum, tensor, axis, false, false, name, #function)
  }

  /// Running sums along a constant axis.
  public func cumulativeSum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, exclusive: Bool, reverse: Bool,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.sum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running sums along a constant axis.
  public func cumulativeSum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.sum, tensor, axis, false, false, name, #function)
  }

  /// Running products along an axis.
  public func cumulativeProduct(
    _ tensor: MPSGraphTensor, axis: Int, exclusive: Bool, reverse: Bool, name: String?
  ) -> MPSGraphTensor {
    cumulate(.product, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running products along an axis.
  public func cumulativeProduct(_ tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    cumulate(.product, tensor, axis, false, false, name, #function)
  }

  /// Running products along a constant axis.
  public func cumulativeProduct(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, exclusive: Bool, reverse: Bool,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.product, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running products along a constant axis.
  public func cumulativeProduct(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.product, tensor, axis, false, false, name, #function)
  }

  /// Running minima along an axis.
  public func cumulativeMinimum(
    _ tensor: MPSGraphTensor, axis: Int, exclusive: Bool, reverse: Bool, name: String?
  ) -> MPSGraphTensor {
    cumulate(.minimum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running minima along an axis.
  public func cumulativeMinimum(_ tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    cumulate(.minimum, tensor, axis, false, false, name, #function)
  }

  /// Running minima along a constant axis.
  public func cumulativeMinimum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, exclusive: Bool, reverse: Bool,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.minimum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running minima along a constant axis.
  public func cumulativeMinimum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.minimum, tensor, axis, false, false, name, #function)
  }

  /// Running maxima along an axis.
  public func cumulativeMaximum(
    _ tensor: MPSGraphTensor, axis: Int, exclusive: Bool, reverse: Bool, name: String?
  ) -> MPSGraphTensor {
    cumulate(.maximum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running maxima along an axis.
  public func cumulativeMaximum(_ tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    cumulate(.maximum, tensor, axis, false, false, name, #function)
  }

  /// Running maxima along a constant axis.
  public func cumulativeMaximum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, exclusive: Bool, reverse: Bool,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.maximum, tensor, axis, exclusive, reverse, name, #function)
  }

  /// Running maxima along a constant axis.
  public func cumulativeMaximum(
    _ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return cumulate(.maximum, tensor, axis, false, false, name, #function)
  }

  private func cumulate(
    _ operation: CumulativeOp, _ tensor: MPSGraphTensor, _ axis: Int, _ exclusive: Bool,
    _ reverse: Bool, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: tensor, method: method)
    return value(
      .cumulative(operation, axis: axis, exclusive: exclusive, reverse: reverse), [tensor],
      name: name, method: method)
  }
}
