import Foundation
import MetalPerformanceShaders

// A transposed convolution is the data gradient of the convolution that goes the other way, so its
// own gradients are that convolution and its weights gradient with the roles of the images swapped.
extension MPSGraph {
  /// A transposed convolution with a result of the given shape.
  public func convolutionTranspose2D(
    _ source: MPSGraphTensor, weights: MPSGraphTensor, outputShape: [NSNumber],
    descriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let spec = descriptor.spec(#function, outputShape: outputShape.unboxed)
    return value(.conv2DDataGradient(spec), [source, weights], name: name)
  }

  /// A transposed convolution with a result of the shape that a tensor holds.
  public func convolutionTranspose2D(
    _ source: MPSGraphTensor, weights: MPSGraphTensor, outputShapeTensor: MPSGraphTensor,
    descriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let spec = descriptor.spec(
      #function, outputShape: imageShape(outputShapeTensor, #function))
    return value(.conv2DDataGradient(spec), [source, weights], name: name)
  }

  /// The gradient of a transposed convolution for its source, whose shape is `outputShape`.
  public func convolutionTranspose2DDataGradient(
    _ incomingGradient: MPSGraphTensor, weights: MPSGraphTensor, outputShape: [NSNumber],
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    dataGradient(
      incomingGradient, weights, outputShape.unboxed, forwardConvolutionDescriptor, name,
      #function)
  }

  /// The gradient of a transposed convolution for its source, whose shape a tensor holds.
  public func convolutionTranspose2DDataGradient(
    _ incomingGradient: MPSGraphTensor, weights: MPSGraphTensor,
    outputShapeTensor: MPSGraphTensor,
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    dataGradient(
      incomingGradient, weights, imageShape(outputShapeTensor, #function),
      forwardConvolutionDescriptor, name, #function)
  }

  private func dataGradient(
    _ gradient: MPSGraphTensor, _ weights: MPSGraphTensor, _ shape: [Int],
    _ descriptor: MPSGraphConvolution2DOpDescriptor, _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    let result = value(
      .conv2D(descriptor.spec(method)), [gradient, weights], name: name, method: method)
    require(
      result.type.shape.map { ShapeRules.agree($0, shape) } ?? true,
      "MPSGraph.\(method): the gradient has shape \(result.type.shape ?? []), not \(shape)")
    return result
  }

  /// The gradient of a transposed convolution for its weights, whose shape is `outputShape`. The
  /// tensor that Apple labels `weights` is the source of the forward operation.
  public func convolutionTranspose2DWeightsGradient(
    _ incomingGradientTensor: MPSGraphTensor, weights source: MPSGraphTensor,
    outputShape: [NSNumber], forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor,
    name: String?
  ) -> MPSGraphTensor {
    let spec = forwardConvolutionDescriptor.spec(#function, outputShape: outputShape.unboxed)
    return value(.conv2DWeightsGradient(spec), [source, incomingGradientTensor], name: name)
  }

  /// The gradient of a transposed convolution for its weights, whose shape a tensor holds. The
  /// tensor that Apple labels `weights` is the source of the forward operation.
  public func convolutionTranspose2DWeightsGradient(
    _ incomingGradientTensor: MPSGraphTensor, weights source: MPSGraphTensor,
    outputShapeTensor: MPSGraphTensor,
    forwardConvolutionDescriptor: MPSGraphConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let spec = forwardConvolutionDescriptor.spec(
      #function, outputShape: imageShape(outputShapeTensor, #function))
    return value(.conv2DWeightsGradient(spec), [source, incomingGradientTensor], name: name)
  }
}
