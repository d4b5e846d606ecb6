import Foundation
import MetalPerformanceShaders

// Every channel is convolved on its own with as many kernels as the weights' "O" says: a grouped
// convolution with one group per channel.
extension MPSGraph {
  /// A depthwise convolution of images.
  public func depthwiseConvolution2D(
    _ source: MPSGraphTensor, weights: MPSGraphTensor,
    descriptor: MPSGraphDepthwiseConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let form = DepthwiseWeights(weights.type.shape, descriptor, #function)
    var spec = descriptor.spec(#function)
    spec.groups = form.channels
    return value(.conv2D(spec), [source, form.grouped(self, weights, name)], name: name)
  }

  /// The gradient of a depthwise convolution for its source, whose shape is `outputShape`.
  public func depthwiseConvolution2DDataGradient(
    _ incomingGradient: MPSGraphTensor, weights: MPSGraphTensor, outputShape: [NSNumber],
    descriptor: MPSGraphDepthwiseConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let form = DepthwiseWeights(weights.type.shape, descriptor, #function)
    var spec = descriptor.spec(#function)
    spec.groups = form.channels
    spec.outputShape = outputShape.unboxed
    return value(
      .conv2DDataGradient(spec), [incomingGradient, form.grouped(self, weights, name)], name: name)
  }

  /// The gradient of a depthwise convolution for its weights, whose shape is `outputShape`.
  public func depthwiseConvolution2DWeightsGradient(
    _ incomingGradient: MPSGraphTensor, source: MPSGraphTensor, outputShape: [NSNumber],
    descriptor: MPSGraphDepthwiseConvolution2DOpDescriptor, name: String?
  ) -> MPSGraphTensor {
    let form = DepthwiseWeights(outputShape.unboxed, descriptor, #function)
    var spec = descriptor.spec(#function)
    spec.groups = form.channels
    spec.outputShape = form.groupedShape
    let gradient = value(
      .conv2DWeightsGradient(spec), [incomingGradient, source], name: name)
    return form.ungrouped(self, gradient, name)
  }
}

/// Depthwise weights and the grouped ones that do the same. The result's channels are ordered by
/// source channel first, and so are the grouped kernels.
private struct DepthwiseWeights {
  private let dims: [Int]
  private let isHWIO: Bool
  let channels: Int
  private let multiplier: Int

  init(
    _ shape: [Int]?, _ descriptor: MPSGraphDepthwiseConvolution2DOpDescriptor,
    _ method: StaticString
  ) {
    isHWIO = descriptor.weightsLayout.isHWIO(method)
    guard let shape, shape.count == 4, !shape.contains(-1) else {
      misuse("MPSGraph.\(method): weights need a complete shape of rank 4, not \(shape ?? [])")
    }
    dims = shape
    let at = WeightsLayout(hwio: isHWIO)
    (channels, multiplier) = (shape[at.inputs], shape[at.outputs])
  }

  var groupedShape: [Int] {
    isHWIO
      ? [dims[0], dims[1], 1, channels * multiplier]
      : [channels * multiplier, 1, dims[2], dims[3]]
  }

  func grouped(_ graph: MPSGraph, _ weights: MPSGraphTensor, _ name: String?) -> MPSGraphTensor {
    var weights = weights
    if !isHWIO && multiplier != 1 {
      weights = graph.value(.transpose(permutation: [1, 0, 2, 3]), [weights], name: name)
    }
    return graph.value(.reshape(target: groupedShape), [weights], name: name)
  }

  func ungrouped(_ graph: MPSGraph, _ weights: MPSGraphTensor, _ name: String?) -> MPSGraphTensor {
    if isHWIO || multiplier == 1 {
      return graph.value(.reshape(target: dims), [weights], name: name)
    }
    let apart = graph.value(
      .reshape(target: [channels, multiplier, dims[2], dims[3]]), [weights], name: name)
    return graph.value(.transpose(permutation: [1, 0, 2, 3]), [apart], name: name)
  }
}
