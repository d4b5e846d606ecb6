import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The largest element of each window.
  public func maxPooling2D(
    withSourceTensor source: MPSGraphTensor, descriptor: MPSGraphPooling2DOpDescriptor,
    name: String?
  ) -> MPSGraphTensor {
    value(.pool2D(descriptor.spec(.maximum, #function)), [source], name: name)
  }

  /// The largest element of each window, and its int32 position; without positions when the
  /// descriptor's mode is none.
  public func maxPooling2DReturnIndices(
    _ source: MPSGraphTensor, descriptor: MPSGraphPooling2DOpDescriptor, name: String?
  ) -> [MPSGraphTensor] {
    require(
      descriptor.returnIndicesDataType == .int32,
      "MPSGraph.\(#function): indices are int32, not \(descriptor.returnIndicesDataType)")
    var spec = descriptor.spec(.maximum, #function)
    let mode = Int(descriptor.returnIndicesMode.rawValue)
    if mode > 0 {
      spec.indexRank = (mode - 1) % 4 + 1
      spec.localIndices = mode > 4
    }
    return append(.pool2D(spec), [source], name: name).outputTensors
  }

  /// The gradient of `maxPooling2D`: the incoming one at the largest element of each window.
  public func maxPooling2DGradient(
    withGradientTensor gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor,
    descriptor: MPSGraphPooling2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    value(
      .pool2DGradient(descriptor.spec(.maximum, #function)), [gradient, source], name: name)
  }

  /// The gradient of `maxPooling2DReturnIndices` for a source of the given shape.
  public func maxPooling2DGradient(
    withGradientTensor gradient: MPSGraphTensor, indicesTensor indices: MPSGraphTensor,
    outputShape: [NSNumber], descriptor: MPSGraphPooling2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    scattered(gradient, indices, outputShape.unboxed, descriptor, name, #function)
  }

  /// The gradient of `maxPooling2DReturnIndices` for a source of a constant shape.
  public func maxPooling2DGradient(
    withGradientTensor gradient: MPSGraphTensor, indicesTensor indices: MPSGraphTensor,
    outputShapeTensor: MPSGraphTensor, descriptor: MPSGraphPooling2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let shape = imageShape(outputShapeTensor, #function)
    return scattered(gradient, indices, shape, descriptor, name, #function)
  }

  /// Positions count over the trailing dimensions: flatten those, add along them, and unflatten.
  private func scattered(
    _ gradient: MPSGraphTensor, _ indices: MPSGraphTensor, _ shape: [Int],
    _ descriptor: MPSGraphPooling2DOpDescriptor, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let mode = Int(descriptor.returnIndicesMode.rawValue)
    require(
      (1...4).contains(mode),
      "MPSGraph.\(method): the mode \(descriptor.returnIndicesMode) has no positions in the source")
    let lead = 4 - mode
    let dims = dims(gradient, method: method)
    require(
      dims.count == 4 && shape.count == 4 && dims[..<lead] == shape[..<lead]
        && !dims.contains(-1) && !shape.contains(-1),
      """
      MPSGraph.\(method): a gradient of shape \(dims) does not fit shape \(shape) with indices over \
      \(mode) dimensions
      """)
    let rows = shape[..<lead].reduce(1, *)
    let flat = [rows, dims[lead...].reduce(1, *)]
    let sum = value(
      .scatterAlongAxis(axis: 1, mode: .add, hasData: false),
      [
        value(.reshape(target: flat), [gradient], name: name, method: method),
        value(.reshape(target: flat), [indices], name: name, method: method),
      ],
      declared: TensorType([rows, shape[lead...].reduce(1, *)], gradient.dataType), name: name,
      method: method)
    return value(.reshape(target: shape), [sum], name: name, method: method)
  }

  /// The mean of each window.
  public func avgPooling2D(
    withSourceTensor source: MPSGraphTensor, descriptor: MPSGraphPooling2DOpDescriptor,
    name: String?
  ) -> MPSGraphTensor {
    value(.pool2D(descriptor.spec(.average, #function)), [source], name: name)
  }

  /// The gradient of `avgPooling2D`: the incoming one spread over each window.
  public func avgPooling2DGradient(
    withGradientTensor gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor,
    descriptor: MPSGraphPooling2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    value(
      .pool2DGradient(descriptor.spec(.average, #function)), [gradient, source], name: name)
  }
}
