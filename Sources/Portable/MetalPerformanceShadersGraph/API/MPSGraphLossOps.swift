import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// -Σ labels · log(softmax(source)) along an axis, which keeps size 1; then, if asked for, the sum
  /// or mean over all other axes.
  public func softMaxCrossEntropy(
    _ sourceTensor: MPSGraphTensor, labels labelsTensor: MPSGraphTensor, axis: Int,
    reuctionType reductionType: MPSGraphLossReductionType, name: String?
  ) -> MPSGraphTensor {
    requireFloat([sourceTensor, labelsTensor], #function)
    let axis = self.axis(axis, of: sourceTensor, method: #function)
    let source = widened(sourceTensor, name: name)
    let largest = value(.reduce(.maximum, axes: [axis]), [source], name: name)
    let shifted = subtraction(source, largest, name: name)
    let total = sum(exponent(with: shifted, name: name), [axis], name)
    let logarithms = subtraction(shifted, logarithm(with: total, name: name), name: name)
    let products = multiplication(widened(labelsTensor, name: name), logarithms, name: name)
    var loss = negative(with: sum(products, [axis], name), name: name)
    let others = (0..<rank(sourceTensor, method: #function)).filter { $0 != axis }
    switch reductionType {
    case .none: break
    case .sum: loss = sum(loss, others, name)
    case .mean: loss = average(loss, others, name)
    }
    return narrowed(loss, to: sourceTensor.dataType, name: name)
  }

  /// The gradient of `softMaxCrossEntropy` for its source.
  public func softMaxCrossEntropyGradient(
    _ gradientTensor: MPSGraphTensor, source sourceTensor: MPSGraphTensor,
    labels labelsTensor: MPSGraphTensor, axis: Int,
    reuctionType reductionType: MPSGraphLossReductionType, name: String?
  ) -> MPSGraphTensor {
    requireFloat([gradientTensor, sourceTensor, labelsTensor], #function)
    let axis = self.axis(axis, of: sourceTensor, method: #function)
    let source = widened(sourceTensor, name: name)
    let labels = widened(labelsTensor, name: name)
    let shares = value(.softMax(axis: axis), [source], name: name)
    let expected = multiplication(shares, sum(labels, [axis], name), name: name)
    var gradient = subtraction(expected, labels, name: name)
    if reductionType == .mean {
      let others = (0..<rank(sourceTensor, method: #function)).filter { $0 != axis }
      gradient = division(gradient, count(source, others, name), name: name)
    }
    gradient = multiplication(gradient, widened(gradientTensor, name: name), name: name)
    return narrowed(gradient, to: sourceTensor.dataType, name: name)
  }

  private func requireFloat(_ tensors: [MPSGraphTensor], _ method: StaticString) {
    let types = tensors.map(\.dataType)
    require(
      types.allSatisfy { $0.isFloatingPoint && $0 == types[0] },
      "MPSGraph.\(method): operands must have one floating-point type, not \(types)")
  }
}
