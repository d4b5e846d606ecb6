import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The mean along axes, which keep size 1.
  public func mean(of tensor: MPSGraphTensor, axes: [NSNumber], name: String?) -> MPSGraphTensor {
    let axes = self.axes(axes.unboxed, of: tensor, method: #function).sorted()
    let result = average(widened(tensor, name: name), axes, name)
    return narrowed(result, to: tensor.dataType, name: name)
  }

  /// The mean squared distance from a mean, along axes, which keep size 1.
  public func variance(
    of tensor: MPSGraphTensor, mean meanTensor: MPSGraphTensor, axes: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    let axes = self.axes(axes.unboxed, of: tensor, method: #function).sorted()
    let distance = subtraction(
      widened(tensor, name: name), widened(meanTensor, name: name), name: name)
    return narrowed(
      average(square(with: distance, name: name), axes, name), to: tensor.dataType, name: name)
  }

  /// The mean squared distance from the mean, along axes, which keep size 1.
  public func variance(of tensor: MPSGraphTensor, axes: [NSNumber], name: String?)
    -> MPSGraphTensor
  {
    let axes = self.axes(axes.unboxed, of: tensor, method: #function).sorted()
    let wide = widened(tensor, name: name)
    let distance = subtraction(wide, average(wide, axes, name), name: name)
    return narrowed(
      average(square(with: distance, name: name), axes, name), to: tensor.dataType, name: name)
  }

  /// (x - mean) / sqrt(variance + epsilon) · gamma + beta.
  public func normalize(
    _ tensor: MPSGraphTensor, mean: MPSGraphTensor, variance: MPSGraphTensor,
    gamma: MPSGraphTensor?, beta: MPSGraphTensor?, epsilon: Float, name: String?
  ) -> MPSGraphTensor {
    requireSameFloat([tensor, mean, variance, gamma, beta], #function)
    var result = standardized(tensor, mean, variance, epsilon, name).value
    if let gamma { result = multiplication(result, widened(gamma, name: name), name: name) }
    if let beta { result = addition(result, widened(beta, name: name), name: name) }
    return narrowed(result, to: tensor.dataType, name: name)
  }

  /// The gradient of `normalize` for gamma.
  public func normalizationGammaGradient(
    withIncomingGradientTensor incomingGradientTensor: MPSGraphTensor,
    sourceTensor: MPSGraphTensor, mean meanTensor: MPSGraphTensor, varianceTensor: MPSGraphTensor,
    reductionAxes axes: [NSNumber], epsilon: Float, name: String?
  ) -> MPSGraphTensor {
    requireSameFloat(
      [incomingGradientTensor, sourceTensor, meanTensor, varianceTensor], #function)
    let axes = self.axes(axes.unboxed, of: sourceTensor, method: #function).sorted()
    let unit = standardized(sourceTensor, meanTensor, varianceTensor, epsilon, name).value
    let product = multiplication(
      widened(incomingGradientTensor, name: name), unit, name: name)
    return narrowed(sum(product, axes, name), to: sourceTensor.dataType, name: name)
  }

  /// The gradient of `normalize` for beta.
  public func normalizationBetaGradient(
    withIncomingGradientTensor incomingGradientTensor: MPSGraphTensor,
    sourceTensor: MPSGraphTensor, reductionAxes axes: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    requireSameFloat([incomingGradientTensor, sourceTensor], #function)
    let axes = self.axes(axes.unboxed, of: sourceTensor, method: #function).sorted()
    let result = sum(widened(incomingGradientTensor, name: name), axes, name)
    return narrowed(result, to: sourceTensor.dataType, name: name)
  }

  /// The gradient of `normalize` for the source, when mean and variance are those of the source along
  /// the axes. Gradients for gamma and beta, where given, are not needed: the sums they hold are
  /// taken with gamma here, so that gamma may vary along the axes too.
  public func normalizationGradient(
    withIncomingGradientTensor incomingGradientTensor: MPSGraphTensor,
    sourceTensor: MPSGraphTensor, mean meanTensor: MPSGraphTensor, varianceTensor: MPSGraphTensor,
    gammaTensor gamma: MPSGraphTensor?, gammaGradientTensor gammaGradient: MPSGraphTensor?,
    betaGradientTensor betaGradient: MPSGraphTensor?, reductionAxes axes: [NSNumber],
    epsilon: Float, name: String?
  ) -> MPSGraphTensor {
    requireSameFloat(
      [
        incomingGradientTensor, sourceTensor, meanTensor, varianceTensor, gamma, gammaGradient,
        betaGradient,
      ], #function)
    let axes = self.axes(axes.unboxed, of: sourceTensor, method: #function).sorted()
    var gradient = widened(incomingGradientTensor, name: name)
    if let gamma { gradient = multiplication(gradient, widened(gamma, name: name), name: name) }
    let unit = standardized(sourceTensor, meanTensor, varianceTensor, epsilon, name)
    // Take out what moves the mean, and what scales the deviation.
    let along = average(multiplication(gradient, unit.value, name: name), axes, name)
    let level = subtraction(gradient, average(gradient, axes, name), name: name)
    let inner = subtraction(
      level, multiplication(unit.value, along, name: name), name: name)
    return narrowed(
      multiplication(inner, unit.scale, name: name), to: sourceTensor.dataType, name: name)
  }

  /// (x - mean) / sqrt(variance + epsilon), and one over that root.
  private func standardized(
    _ tensor: MPSGraphTensor, _ mean: MPSGraphTensor, _ variance: MPSGraphTensor,
    _ epsilon: Float, _ name: String?
  ) -> (value: MPSGraphTensor, scale: MPSGraphTensor) {
    let distance = subtraction(
      widened(tensor, name: name), widened(mean, name: name), name: name)
    let spread = widened(variance, name: name)
    let shifted = addition(
      spread, constant(Double(epsilon), dataType: spread.dataType), name: name)
    let scale = value(.unary(.reciprocalSquareRoot), [shifted], name: name)
    return (multiplication(distance, scale, name: name), scale)
  }

  private func requireSameFloat(_ tensors: [MPSGraphTensor?], _ method: StaticString) {
    let types = tensors.compactMap { $0?.dataType }
    for type in types {
      require(
        type.isFloatingPoint && type == types[0],
        "MPSGraph.\(method): operands must have one floating-point type, not \(types)")
    }
  }
}
