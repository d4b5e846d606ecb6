import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The matrix product of the last two dimensions; the ones before broadcast.
  public func matrixMultiplication(
    primary primaryTensor: MPSGraphTensor, secondary secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.matmul, [primaryTensor, secondaryTensor], name: name)
  }

  /// softmax(scale · query · keyᵀ + mask) · value, over the last two dimensions.
  public func scaledDotProductAttention(
    query queryTensor: MPSGraphTensor, key keyTensor: MPSGraphTensor,
    value valueTensor: MPSGraphTensor, mask maskTensor: MPSGraphTensor?, scale: Float,
    name: String?
  ) -> MPSGraphTensor {
    let operands = [queryTensor, keyTensor, valueTensor] + (maskTensor.map { [$0] } ?? [])
    return value(.attention(scale: scale, hasMask: maskTensor != nil), operands, name: name)
  }

  /// softmax(scale · query · keyᵀ) · value, over the last two dimensions.
  public func scaledDotProductAttention(
    query queryTensor: MPSGraphTensor, key keyTensor: MPSGraphTensor,
    value valueTensor: MPSGraphTensor, scale: Float, name: String?
  ) -> MPSGraphTensor {
    value(
      .attention(scale: scale, hasMask: false), [queryTensor, keyTensor, valueTensor], name: name)
  }

  /// Zeros outside a band around the diagonal; -1 keeps a whole side.
  public func bandPart(_ inputTensor: MPSGraphTensor, numLower: Int, numUpper: Int, name: String?)
    -> MPSGraphTensor
  {
    value(.bandPart(lower: numLower, upper: numUpper), [inputTensor], name: name)
  }

  /// Zeros outside a band of constant widths around the diagonal; -1 keeps a whole side.
  public func bandPart(
    _ inputTensor: MPSGraphTensor, numLowerTensor: MPSGraphTensor, numUpperTensor: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let lower = integer(numLowerTensor, "numLowerTensor", method: #function)
    let upper = integer(numUpperTensor, "numUpperTensor", method: #function)
    return value(.bandPart(lower: lower, upper: upper), [inputTensor], name: name)
  }
}
