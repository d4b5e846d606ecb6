import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The sizes of the tensor, as a rank 1 int32 tensor.
  public func shapeOf(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.shapeOf, [tensor], name: name)
  }

  /// The elements converted to another type.
  public func cast(_ tensor: MPSGraphTensor, to type: MPSDataType, name: String?)
    -> MPSGraphTensor
  {
    value(.cast, [tensor], declared: TensorType(nil, type), name: name)
  }

  /// The same bytes read as another type; the last size changes with the size of an element.
  public func reinterpretCast(_ tensor: MPSGraphTensor, to type: MPSDataType, name: String?)
    -> MPSGraphTensor
  {
    value(.reinterpretCast, [tensor], declared: TensorType(nil, type), name: name)
  }

  /// The int32 index along an axis, for every element of the given shape.
  public func coordinate(alongAxis axis: Int, withShape shape: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    coordinate(axis, shape.unboxed, name, #function)
  }

  /// The int32 index along a constant axis, for every element of the given shape.
  public func coordinate(
    alongAxisTensor axisTensor: MPSGraphTensor, withShape shape: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "alongAxisTensor", method: #function)
    return coordinate(axis, shape.unboxed, name, #function)
  }

  /// The int32 index along an axis, for every element of the shape in a tensor.
  public func coordinate(
    alongAxis axis: Int, withShapeTensor shapeTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    coordinate(axis, shapeTensor, name, #function)
  }

  /// The int32 index along a constant axis, for every element of the shape in a tensor.
  public func coordinate(
    alongAxisTensor axisTensor: MPSGraphTensor, withShapeTensor shapeTensor: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "alongAxisTensor", method: #function)
    return coordinate(axis, shapeTensor, name, #function)
  }

  private func coordinate(
    _ axis: Int, _ dims: [Int], _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let axis = wrap(axis, count: dims.count, what: "axis", dims: dims, method: method)
    return value(
      .coordinate(axis: axis), [], declared: TensorType(dims, .int32), name: name, method: method)
  }

  private func coordinate(
    _ axis: Int, _ shapeTensor: MPSGraphTensor, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let length = dims(shapeTensor, method: method)
    require(length.count == 1, "MPSGraph.\(method): the shape tensor must have rank 1")
    let shape = partialShape(shapeTensor) ?? [Int](repeating: -1, count: max(length[0], 0))
    let axis = wrap(axis, count: shape.count, what: "axis", dims: shape, method: method)
    return value(
      .coordinate(axis: axis), [shapeTensor], declared: TensorType(shape, .int32), name: name,
      method: method)
  }
}
