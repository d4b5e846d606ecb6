import Foundation
import MetalPerformanceShaders

// Reductions keep the reduced dimensions with size 1.
extension MPSGraph {
  /// The sum along one axis.
  public func reductionSum(with tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor
  {
    reduce(.sum, tensor, [axis], name, #function)
  }

  /// The sum along some axes, or all of them.
  public func reductionSum(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.sum, tensor, axes?.unboxed, name, #function)
  }

  /// The product along one axis.
  public func reductionProduct(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    reduce(.product, tensor, [axis], name, #function)
  }

  /// The product along some axes, or all of them.
  public func reductionProduct(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.product, tensor, axes?.unboxed, name, #function)
  }

  /// The largest element along one axis; NaNs lose.
  public func reductionMaximum(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    reduce(.maximum, tensor, [axis], name, #function)
  }

  /// The largest element along some axes, or all of them; NaNs lose.
  public func reductionMaximum(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.maximum, tensor, axes?.unboxed, name, #function)
  }

  /// The smallest element along one axis; NaNs lose.
  public func reductionMinimum(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    reduce(.minimum, tensor, [axis], name, #function)
  }

  /// The smallest element along some axes, or all of them; NaNs lose.
  public func reductionMinimum(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.minimum, tensor, axes?.unboxed, name, #function)
  }

  /// The largest element along one axis; a NaN wins.
  public func reductionMaximumPropagateNaN(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    reduce(.maximumNaN, tensor, [axis], name, #function)
  }

  /// The largest element along some axes, or all of them; a NaN wins.
  public func reductionMaximumPropagateNaN(
    with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?
  )
    -> MPSGraphTensor
  {
    reduce(.maximumNaN, tensor, axes?.unboxed, name, #function)
  }

  /// The smallest element along one axis; a NaN wins.
  public func reductionMinimumPropagateNaN(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    reduce(.minimumNaN, tensor, [axis], name, #function)
  }

  /// The smallest element along some axes, or all of them; a NaN wins.
  public func reductionMinimumPropagateNaN(
    with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?
  )
    -> MPSGraphTensor
  {
    reduce(.minimumNaN, tensor, axes?.unboxed, name, #function)
  }

  /// Whether all elements are true along one axis.
  public func reductionAnd(with tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor
  {
    reduce(.and, tensor, [axis], name, #function)
  }

  /// Whether all elements are true along some axes, or all of them.
  public func reductionAnd(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.and, tensor, axes?.unboxed, name, #function)
  }

  /// Whether an element is true along one axis.
  public func reductionOr(with tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    reduce(.or, tensor, [axis], name, #function)
  }

  /// Whether an element is true along some axes, or all of them.
  public func reductionOr(with tensor: MPSGraphTensor, axes: [NSNumber]?, name: String?)
    -> MPSGraphTensor
  {
    reduce(.or, tensor, axes?.unboxed, name, #function)
  }

  /// The int32 position of the largest element along an axis.
  public func reductionArgMaximum(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.argReduce(largest: true, axis: axis), [tensor], name: name)
  }

  /// The int32 position of the smallest element along an axis.
  public func reductionArgMinimum(with tensor: MPSGraphTensor, axis: Int, name: String?)
    -> MPSGraphTensor
  {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.argReduce(largest: false, axis: axis), [tensor], name: name)
  }

  private func reduce(
    _ operation: ReduceOp, _ tensor: MPSGraphTensor, _ given: [Int]?, _ name: String?,
    _ method: StaticString
  ) -> MPSGraphTensor {
    let all = Array(0..<rank(tensor, method: method))
    let axes = given.map { self.axes($0, of: tensor, method: method).sorted() } ?? all
    return value(.reduce(operation, axes: axes), [tensor], name: name, method: method)
  }
}
