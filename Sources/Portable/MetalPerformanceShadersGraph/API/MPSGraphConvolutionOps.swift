import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// A convolution of images.
  public func convolution2D(
    _ source: MPSGraphTensor, weights: MPSGraphTensor,
    descriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    value(.conv2D(descriptor.spec(#function)), [source, weights], name: name)
  }

  /// The gradient of a convolution for its source, whose shape is `outputShape`.
  public func convolution2DDataGradient(
    _ incomingGradient: MPSGraphTensor, weights: MPSGraphTensor, outputShape: [NSNumber],
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let spec = forwardConvolutionDescriptor.spec(#function, outputShape: outputShape.unboxed)
    return value(.conv2DDataGradient(spec), [incomingGradient, weights], name: name)
  }

  /// The gradient of a convolution for its source, whose shape a tensor holds.
  public func convolution2DDataGradient(
    _ gradient: MPSGraphTensor, weights: MPSGraphTensor, outputShapeTensor: MPSGraphTensor,
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let shape = imageShape(outputShapeTensor, #function)
    let spec = forwardConvolutionDescriptor.spec(#function, outputShape: shape)
    return value(.conv2DDataGradient(spec), [gradient, weights], name: name)
  }

  /// The gradient of a convolution for its weights, whose shape is `outputShape`.
  public func convolution2DWeightsGradient(
    _ incomingGradient: MPSGraphTensor, source: MPSGraphTensor, outputShape: [NSNumber],
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let spec = forwardConvolutionDescriptor.spec(#function, outputShape: outputShape.unboxed)
    return value(.conv2DWeightsGradient(spec), [incomingGradient, source], name: name)
  }

  /// The gradient of a convolution for its weights, whose shape a tensor holds.
  public func convolution2DWeightsGradient(
    _ gradient: MPSGraphTensor, source: MPSGraphTensor, outputShapeTensor: MPSGraphTensor,
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let shape = imageShape(outputShapeTensor, #function)
    let spec = forwardConvolutionDescriptor.spec(#function, outputShape: shape)
    return value(.conv2DWeightsGradient(spec), [gradient, source], name: name)
  }

  /// The shape that a shape tensor holds. A batch size may be open; the rule takes it from the
  /// gradient.
  func imageShape(_ tensor: MPSGraphTensor, _ method: StaticString) -> [Int] {
    guard let shape = partialShape(tensor) else {
      misuse("MPSGraph.\(method): outputShapeTensor must follow from constants or a shape")
    }
    return shape
  }
}
