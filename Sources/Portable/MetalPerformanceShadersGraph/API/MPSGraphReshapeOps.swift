import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The same elements in another shape; one size may be -1 and is then derived.
  public func reshape(_ tensor: MPSGraphTensor, shape: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    value(.reshape(target: shape.unboxed), [tensor], name: name)
  }

  /// The same elements in the shape that a tensor holds.
  public func reshape(_ tensor: MPSGraphTensor, shapeTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    if let target = shapeTensor.integers {
      return value(.reshape(target: target), [tensor], name: name)
    }
    return value(
      .reshapeTo, [tensor, shapeTensor], declared: TensorType(partialShape(shapeTensor), .invalid),
      name: name)
  }

  /// Swaps two dimensions.
  public func transposeTensor(
    _ tensor: MPSGraphTensor, dimension dimensionIndex: Int, withDimension dimensionIndex2: Int,
    name: String?
  ) -> MPSGraphTensor {
    let first = axis(dimensionIndex, of: tensor, method: #function)
    let second = axis(dimensionIndex2, of: tensor, method: #function)
    var permutation = Array(0..<rank(tensor, method: #function))
    permutation.swapAt(first, second)
    return value(.transpose(permutation: permutation), [tensor], name: name)
  }

  /// Reorders the dimensions: dimension `i` of the result is dimension `permutation[i]`.
  public func transpose(_ tensor: MPSGraphTensor, permutation: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    let permutation = axes(permutation.unboxed, of: tensor, method: #function)
    return value(.transpose(permutation: permutation), [tensor], name: name)
  }

  /// Repeats dimensions of size 1, and adds leading ones, up to the given shape.
  public func broadcast(_ tensor: MPSGraphTensor, shape: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    value(.broadcast(target: shape.unboxed), [tensor], name: name)
  }

  /// Repeats dimensions of size 1, and adds leading ones, up to the shape that a tensor holds.
  public func broadcast(_ tensor: MPSGraphTensor, shapeTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    if let target = shapeTensor.integers {
      return value(.broadcast(target: target), [tensor], name: name)
    }
    return value(
      .broadcastTo, [tensor, shapeTensor],
      declared: TensorType(partialShape(shapeTensor), .invalid), name: name)
  }

  /// Drops all dimensions of size 1.
  public func squeeze(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    let dims = dims(tensor, method: #function)
    let axes = dims.indices.filter { dims[$0] == 1 }
    return value(.squeeze(axes: axes), [tensor], name: name)
  }

  /// Drops a dimension of size 1.
  public func squeeze(_ tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.squeeze(axes: [axis]), [tensor], name: name)
  }

  /// Drops dimensions of size 1.
  public func squeeze(_ tensor: MPSGraphTensor, axes: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    let axes = self.axes(axes.unboxed, of: tensor, method: #function).sorted()
    return value(.squeeze(axes: axes), [tensor], name: name)
  }

  /// Drops constant dimensions of size 1.
  public func squeeze(_ tensor: MPSGraphTensor, axesTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    let given = integers(axesTensor, "axesTensor", method: #function)
    let axes = axes(given, of: tensor, method: #function).sorted()
    return value(.squeeze(axes: axes), [tensor], name: name)
  }

  /// Adds a dimension of size 1 at a position of the result.
  public func expandDims(_ tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    expandDims(tensor, [axis], name, #function)
  }

  /// Adds dimensions of size 1 at positions of the result.
  public func expandDims(_ tensor: MPSGraphTensor, axes: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    expandDims(tensor, axes.unboxed, name, #function)
  }

  /// Adds dimensions of size 1 at constant positions of the result.
  public func expandDims(_ tensor: MPSGraphTensor, axesTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    expandDims(
      tensor, integers(axesTensor, "axesTensor", method: #function), name, #function)
  }

  private func expandDims(
    _ tensor: MPSGraphTensor, _ given: [Int], _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let dims = dims(tensor, method: method)
    let count = dims.count + given.count
    let axes = given.map { wrap($0, count: count, what: "axis", dims: dims, method: method) }
    return value(.expandDims(axes: axes.sorted()), [tensor], name: name, method: method)
  }

  /// Two dimensions: the product of those before the axis, and of the rest.
  public func flatten2D(_ tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    flatten2D(tensor, axis, name, #function)
  }

  /// Two dimensions: the product of those before a constant axis, and of the rest.
  public func flatten2D(_ tensor: MPSGraphTensor, axisTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    flatten2D(tensor, integer(axisTensor, "axisTensor", method: #function), name, #function)
  }

  private func flatten2D(
    _ tensor: MPSGraphTensor, _ axis: Int, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let dims = dims(tensor, method: method)
    // The end is a position too: everything comes before it.
    let axis =
      axis == dims.count
      ? axis : wrap(axis, count: dims.count, what: "axis", dims: dims, method: method)
    return value(.flatten2D(axis: axis), [tensor], name: name, method: method)
  }

  /// Reverses the order along all dimensions.
  public func reverse(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    let axes = Array(0..<rank(tensor, method: #function))
    return value(.reverse(axes: axes), [tensor], name: name)
  }

  /// Reverses the order along dimensions.
  public func reverse(_ tensor: MPSGraphTensor, axes: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    let axes = self.axes(axes.unboxed, of: tensor, method: #function).sorted()
    return value(.reverse(axes: axes), [tensor], name: name)
  }

  /// Reverses the order along constant dimensions.
  public func reverse(_ tensor: MPSGraphTensor, axesTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    let given = integers(axesTensor, "axesTensor", method: #function)
    let axes = axes(given, of: tensor, method: #function).sorted()
    return value(.reverse(axes: axes), [tensor], name: name)
  }
}
