import Foundation
import MetalPerformanceShaders

// Unary functions, element by element.
extension MPSGraph {
  /// The tensor itself.
  public func identity(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.identity), [tensor], name: name)
  }

  /// e to the power of each element.
  public func exponent(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.exponent), [tensor], name: name)
  }

  /// 2 to the power of each element.
  public func exponentBase2(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.exponentBase2), [tensor], name: name)
  }

  /// 10 to the power of each element.
  public func exponentBase10(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.exponentBase10), [tensor], name: name)
  }

  /// The natural logarithm.
  public func logarithm(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.logarithm), [tensor], name: name)
  }

  /// The logarithm to the base 2.
  public func logarithmBase2(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.logarithmBase2), [tensor], name: name)
  }

  /// The logarithm to the base 10.
  public func logarithmBase10(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.logarithmBase10), [tensor], name: name)
  }

  /// Each element times itself.
  public func square(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.square), [tensor], name: name)
  }

  /// The square root.
  public func squareRoot(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.squareRoot), [tensor], name: name)
  }

  /// One over the square root.
  public func reverseSquareRoot(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.reciprocalSquareRoot), [tensor], name: name)
  }

  /// One over each element.
  public func reciprocal(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.reciprocal), [tensor], name: name)
  }

  /// The absolute value.
  public func absolute(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.absolute), [tensor], name: name)
  }

  /// The negated value.
  public func negative(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.negative), [tensor], name: name)
  }

  /// The sign: -1, 0 with its sign, or 1.
  public func sign(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.sign), [tensor], name: name)
  }

  /// Whether the sign bit is set.
  public func signbit(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.signbit), [tensor], name: name)
  }

  /// Rounds up.
  public func ceil(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.ceil), [tensor], name: name)
  }

  /// Rounds down.
  public func floor(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.floor), [tensor], name: name)
  }

  /// Rounds to the nearest whole number, halves away from zero.
  public func round(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.round), [tensor], name: name)
  }

  /// Rounds to the nearest whole number, halves to even.
  public func rint(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.rint), [tensor], name: name)
  }

  /// The sine.
  public func sin(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.sin), [tensor], name: name)
  }

  /// The cosine.
  public func cos(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.cos), [tensor], name: name)
  }

  /// The tangent.
  public func tan(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.tan), [tensor], name: name)
  }

  /// The hyperbolic sine.
  public func sinh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.sinh), [tensor], name: name)
  }

  /// The hyperbolic cosine.
  public func cosh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.cosh), [tensor], name: name)
  }

  /// The hyperbolic tangent.
  public func tanh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.tanh), [tensor], name: name)
  }

  /// The inverse sine.
  public func asin(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.asin), [tensor], name: name)
  }

  /// The inverse cosine.
  public func acos(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.acos), [tensor], name: name)
  }

  /// The inverse tangent.
  public func atan(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.atan), [tensor], name: name)
  }

  /// The inverse hyperbolic sine.
  public func asinh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.asinh), [tensor], name: name)
  }

  /// The inverse hyperbolic cosine.
  public func acosh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.acosh), [tensor], name: name)
  }

  /// The inverse hyperbolic tangent.
  public func atanh(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.atanh), [tensor], name: name)
  }

  /// Whether each element is zero.
  public func not(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.not), [tensor], name: name)
  }

  /// Whether each element is infinite.
  public func isInfinite(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.isInfinite), [tensor], name: name)
  }

  /// Whether each element is neither infinite nor NaN.
  public func isFinite(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.isFinite), [tensor], name: name)
  }

  /// Whether each element is NaN.
  public func isNaN(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.isNaN), [tensor], name: name)
  }

  /// The error function.
  public func erf(with tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.erf), [tensor], name: name)
  }

  /// One over the square root.
  public func reciprocalSquareRoot(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.reciprocalSquareRoot), [tensor], name: name)
  }

  /// Rounds towards zero.
  public func truncate(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.truncate), [tensor], name: name)
  }

  /// Every bit flipped.
  public func bitwiseNOT(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.bitwiseNot), [tensor], name: name)
  }

  /// The number of set bits.
  public func bitwisePopulationCount(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.populationCount), [tensor], name: name)
  }

  /// The square of the absolute value.
  public func absoluteSquare(tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    value(.unary(.square), [tensor], name: name)
  }
}
