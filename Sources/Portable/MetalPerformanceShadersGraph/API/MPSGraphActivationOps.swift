import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The larger one of each element and zero.
  public func reLU(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.relu), [tensor], name: name)
  }

  /// The gradient of `reLU`: the incoming one where the source is positive.
  public func reLUGradient(
    withIncomingGradient gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let zero = constant(0, dataType: source.dataType)
    let isPositive = greaterThan(source, zero, name: name)
    return value(.select, [isPositive, gradient, zero], name: name)
  }

  /// 1 / (1 + exp(-x)).
  public func sigmoid(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.sigmoid), [tensor], name: name)
  }

  /// The gradient of `sigmoid`, of whose input the source is.
  public func sigmoidGradient(
    withIncomingGradient gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let result = value(.unary(.sigmoid), [source], name: name)
    let one = constant(1, dataType: source.dataType)
    let slope = multiplication(result, subtraction(one, result, name: name), name: name)
    return value(.binary(.multiply), [gradient, slope], name: name)
  }

  /// exp(x) over the sum of exp(x) along an axis.
  public func softMax(with tensor: MPSGraphTensor, axis: Int, name: String?) -> MPSGraphTensor {
    let axis = self.axis(axis, of: tensor, method: #function)
    return value(.softMax(axis: axis), [tensor], name: name)
  }

  /// The gradient of `softMax`, of whose input the source is.
  public func softMaxGradient(
    withIncomingGradient gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor, axis: Int,
    name: String?
  ) -> MPSGraphTensor {
    let axis = self.axis(axis, of: source, method: #function)
    return value(.softMaxGradient(axis: axis), [gradient, source], name: name)
  }

  /// The element, or `alpha` times it where it is negative.
  public func leakyReLU(with tensor: MPSGraphTensor, alpha: Double, name: String?)
    -> MPSGraphTensor
  {
    leaky(tensor, tensor, constant(alpha, dataType: tensor.dataType), name, #function)
  }

  /// The element, or `alphaTensor` times it where it is negative.
  public func leakyReLU(with tensor: MPSGraphTensor, alphaTensor: MPSGraphTensor, name: String?)
    -> MPSGraphTensor
  {
    leaky(tensor, tensor, alphaTensor, name, #function)
  }

  /// The gradient of `leakyReLU`, of whose input the source is.
  public func leakyReLUGradient(
    withIncomingGradient gradient: MPSGraphTensor, sourceTensor source: MPSGraphTensor,
    alphaTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    leaky(gradient, source, alphaTensor, name, #function)
  }

  /// A value, or alpha times it where the source is negative.
  private func leaky(
    _ tensor: MPSGraphTensor, _ source: MPSGraphTensor, _ alpha: MPSGraphTensor, _ name: String?,
    _ method: StaticString
  ) -> MPSGraphTensor {
    let zero = constant(0, dataType: source.dataType)
    let scaled = value(.binary(.multiply), [tensor, alpha], name: name, method: method)
    let keeps = value(.binary(.greaterEqual), [source, zero], name: name, method: method)
    return value(.select, [keeps, tensor, scaled], name: name, method: method)
  }
}
