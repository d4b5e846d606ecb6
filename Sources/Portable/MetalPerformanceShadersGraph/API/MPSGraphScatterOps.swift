import Foundation
import MetalPerformanceShaders

// Without data, results start from the neutral value of the mode.
extension MPSGraph {
  /// Combines updates into a tensor of the given shape, at N-dimensional indices.
  public func scatterND(
    withUpdatesTensor updatesTensor: MPSGraphTensor, indicesTensor: MPSGraphTensor,
    shape: [NSNumber], batchDimensions: Int, mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    value(
      .scatterND(batchDimensions: batchDimensions, mode: mode.mode, hasData: false),
      [updatesTensor, indicesTensor],
      declared: TensorType(shape.unboxed, updatesTensor.dataType), name: name)
  }

  /// Adds updates into zeros of the given shape, at N-dimensional indices.
  public func scatterND(
    withUpdatesTensor updatesTensor: MPSGraphTensor, indicesTensor: MPSGraphTensor,
    shape: [NSNumber], batchDimensions: Int, name: String?
  ) -> MPSGraphTensor {
    scatterND(
      withUpdatesTensor: updatesTensor, indicesTensor: indicesTensor, shape: shape,
      batchDimensions: batchDimensions, mode: .add, name: name)
  }

  /// Combines updates into data, at N-dimensional indices.
  public func scatterNDWithData(
    _ dataTensor: MPSGraphTensor, updates updatesTensor: MPSGraphTensor,
    indices indicesTensor: MPSGraphTensor, batchDimensions: Int, mode: MPSGraphScatterMode,
    name: String?
  ) -> MPSGraphTensor {
    value(
      .scatterND(batchDimensions: batchDimensions, mode: mode.mode, hasData: true),
      [dataTensor, updatesTensor, indicesTensor], name: name)
  }

  /// Combines slices along an axis into a tensor of the given shape.
  public func scatter(
    _ updatesTensor: MPSGraphTensor, indices indicesTensor: MPSGraphTensor, shape: [NSNumber],
    axis: Int, mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    let dims = shape.unboxed
    let axis = wrap(axis, count: dims.count, what: "axis", dims: dims, method: #function)
    return value(
      .scatter(axis: axis, mode: mode.mode, hasData: false), [updatesTensor, indicesTensor],
      declared: TensorType(dims, updatesTensor.dataType), name: name)
  }

  /// Combines slices along an axis into data.
  public func scatterWithData(
    _ dataTensor: MPSGraphTensor, updates updatesTensor: MPSGraphTensor,
    indices indicesTensor: MPSGraphTensor, axis: Int, mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: dataTensor, method: #function)
    return value(
      .scatter(axis: axis, mode: mode.mode, hasData: true),
      [dataTensor, updatesTensor, indicesTensor], name: name)
  }

  /// Combines each update into a tensor of the given shape, at its index along an axis; updates out
  /// of range are dropped.
  public func scatterAlongAxis(
    _ axis: Int, updates updatesTensor: MPSGraphTensor, indices indicesTensor: MPSGraphTensor,
    shape: [NSNumber], mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    let dims = shape.unboxed
    let axis = wrap(axis, count: dims.count, what: "axis", dims: dims, method: #function)
    return value(
      .scatterAlongAxis(axis: axis, mode: mode.mode, hasData: false),
      [updatesTensor, indicesTensor], declared: TensorType(dims, updatesTensor.dataType),
      name: name)
  }

  /// As `scatterAlongAxis`, with a constant axis.
  public func scatterAlongAxisTensor(
    _ axisTensor: MPSGraphTensor, updates updatesTensor: MPSGraphTensor,
    indices indicesTensor: MPSGraphTensor, shape: [NSNumber], mode: MPSGraphScatterMode,
    name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return scatterAlongAxis(
      axis, updates: updatesTensor, indices: indicesTensor, shape: shape, mode: mode, name: name)
  }

  /// Combines each update into data, at its index along an axis; updates out of range are dropped.
  public func scatterAlongAxis(
    _ axis: Int, data dataTensor: MPSGraphTensor, updates updatesTensor: MPSGraphTensor,
    indices indicesTensor: MPSGraphTensor, mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: dataTensor, method: #function)
    return value(
      .scatterAlongAxis(axis: axis, mode: mode.mode, hasData: true),
      [dataTensor, updatesTensor, indicesTensor], name: name)
  }

  /// As `scatterAlongAxis`, with a constant axis.
  public func scatterAlongAxisTensor(
    _ axisTensor: MPSGraphTensor, data dataTensor: MPSGraphTensor,
    updates updatesTensor: MPSGraphTensor, indices indicesTensor: MPSGraphTensor,
    mode: MPSGraphScatterMode, name: String?
  ) -> MPSGraphTensor {
    let axis = integer(axisTensor, "axisTensor", method: #function)
    return scatterAlongAxis(
      axis, data: dataTensor, updates: updatesTensor, indices: indicesTensor, mode: mode,
      name: name)
  }
}

extension MPSGraphScatterMode {
  fileprivate var mode: ScatterMode {
    switch self {
    case .add: .add
    case .sub: .subtract
    case .mul: .multiply
    case .div: .divide
    case .min: .minimum
    case .max: .maximum
    case .set: .set
    }
  }
}
