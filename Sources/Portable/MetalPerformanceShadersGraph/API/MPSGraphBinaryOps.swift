import Foundation
import MetalPerformanceShaders

// Binary functions, element by element, with broadcasting.
extension MPSGraph {
  /// The sum.
  public func addition(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.add), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first minus the second.
  public func subtraction(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.subtract), [primaryTensor, secondaryTensor], name: name)
  }

  /// The product.
  public func multiplication(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.multiply), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first over the second.
  public func division(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.divide), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first over the second, and 0 where the second is 0.
  public func divisionNoNaN(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.divideNoNaN), [primaryTensor, secondaryTensor], name: name)
  }

  /// The remainder, with the sign of the first.
  public func modulo(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.modulo), [primaryTensor, secondaryTensor], name: name)
  }

  /// The remainder, with the sign of the second, and 0 where the second is 0.
  public func floorModulo(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.floorModulo), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first to the power of the second.
  public func power(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.power), [primaryTensor, secondaryTensor], name: name)
  }

  /// The smaller one; a NaN loses.
  public func minimum(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.minimum), [primaryTensor, secondaryTensor], name: name)
  }

  /// The larger one; a NaN loses.
  public func maximum(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.maximum), [primaryTensor, secondaryTensor], name: name)
  }

  /// The smaller one; a NaN wins.
  public func minimumWithNaNPropagation(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.minimumNaN), [primaryTensor, secondaryTensor], name: name)
  }

  /// The larger one; a NaN wins.
  public func maximumWithNaNPropagation(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.maximumNaN), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether both are equal.
  public func equal(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.equal), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether both differ.
  public func notEqual(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.notEqual), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether the first is smaller.
  public func lessThan(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.less), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether the first is smaller or equal.
  public func lessThanOrEqualTo(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.lessEqual), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether the first is larger.
  public func greaterThan(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.greater), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether the first is larger or equal.
  public func greaterThanOrEqualTo(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.greaterEqual), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether both are true.
  public func logicalAND(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.and), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether one is true.
  public func logicalOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.or), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether not both are true.
  public func logicalNAND(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.nand), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether neither is true.
  public func logicalNOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.nor), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether exactly one is true.
  public func logicalXOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.xor), [primaryTensor, secondaryTensor], name: name)
  }

  /// Whether both or neither are true.
  public func logicalXNOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.xnor), [primaryTensor, secondaryTensor], name: name)
  }

  /// The bits set in both.
  public func bitwiseAND(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.bitAnd), [primaryTensor, secondaryTensor], name: name)
  }

  /// The bits set in one.
  public func bitwiseOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.bitOr), [primaryTensor, secondaryTensor], name: name)
  }

  /// The bits set in exactly one.
  public func bitwiseXOR(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.bitXor), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first shifted left by the second.
  public func bitwiseLeftShift(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.shiftLeft), [primaryTensor, secondaryTensor], name: name)
  }

  /// The first shifted right by the second, keeping its sign.
  public func bitwiseRightShift(
    _ primaryTensor: MPSGraphTensor, _ secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.shiftRight), [primaryTensor, secondaryTensor], name: name)
  }

  /// The angle of the point with the second as abscissa and the first as ordinate.
  public func atan2(
    withPrimaryTensor primaryTensor: MPSGraphTensor, secondaryTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.binary(.atan2), [primaryTensor, secondaryTensor], name: name)
  }

  /// The number of bits that differ between the binary forms of both, as an unsigned integer.
  public func HammingDistance(
    primary primaryTensor: MPSGraphTensor, secondary secondaryTensor: MPSGraphTensor,
    resultDataType: MPSDataType, name: String?
  ) -> MPSGraphTensor {
    require(
      resultDataType == .uInt32 || resultDataType == .uInt16,
      """
      MPSGraph.HammingDistance(primary:secondary:resultDataType:name:): the result cannot be \
      \(resultDataType)
      """)
    let differing = bitwiseXOR(primaryTensor, secondaryTensor, name: name)
    return cast(bitwisePopulationCount(differing, name: name), to: resultDataType, name: name)
  }

  /// The second operand where the predicate is true, else the third.
  public func select(
    predicate predicateTensor: MPSGraphTensor, trueTensor: MPSGraphTensor,
    falseTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.select, [predicateTensor, trueTensor, falseTensor], name: name)
  }

  /// The nearest value between minimum and maximum; a NaN becomes the minimum.
  public func clamp(
    _ tensor: MPSGraphTensor, min minValueTensor: MPSGraphTensor,
    max maxValueTensor: MPSGraphTensor, name: String?
  ) -> MPSGraphTensor {
    value(.clamp, [tensor, minValueTensor, maxValueTensor], name: name)
  }
}
