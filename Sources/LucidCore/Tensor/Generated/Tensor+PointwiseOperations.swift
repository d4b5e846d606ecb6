// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// Negates each element.
  public func neg() throws(LucidError) -> Tensor {
    try Tensor.apply("neg", [self])[0]
  }

  /// The absolute value.
  public func abs() throws(LucidError) -> Tensor {
    try Tensor.apply("abs", [self])[0]
  }

  /// -1, 0 or 1 by the sign; 0 for NaN.
  public func sign() throws(LucidError) -> Tensor {
    try Tensor.apply("sign", [self])[0]
  }

  /// The exponential of each element.
  public func exp() throws(LucidError) -> Tensor {
    try Tensor.apply("exp", [self])[0]
  }

  /// 2 to the power of each element.
  public func exp2() throws(LucidError) -> Tensor {
    try Tensor.apply("exp2", [self])[0]
  }

  /// exp(input) - 1, accurate near 0.
  public func expm1() throws(LucidError) -> Tensor {
    try Tensor.apply("expm1", [self])[0]
  }

  /// The natural logarithm.
  public func log() throws(LucidError) -> Tensor {
    try Tensor.apply("log", [self])[0]
  }

  /// The logarithm to base 2.
  public func log2() throws(LucidError) -> Tensor {
    try Tensor.apply("log2", [self])[0]
  }

  /// The logarithm to base 10.
  public func log10() throws(LucidError) -> Tensor {
    try Tensor.apply("log10", [self])[0]
  }

  /// log(1 + input), accurate near 0.
  public func log1p() throws(LucidError) -> Tensor {
    try Tensor.apply("log1p", [self])[0]
  }

  /// The square root.
  public func sqrt() throws(LucidError) -> Tensor {
    try Tensor.apply("sqrt", [self])[0]
  }

  /// 1 / sqrt(input).
  public func rsqrt() throws(LucidError) -> Tensor {
    try Tensor.apply("rsqrt", [self])[0]
  }

  /// 1 / input.
  public func reciprocal() throws(LucidError) -> Tensor {
    try Tensor.apply("reciprocal", [self])[0]
  }

  /// 1 / (1 + exp(-input)).
  public func sigmoid() throws(LucidError) -> Tensor {
    try Tensor.apply("sigmoid", [self])[0]
  }

  /// The error function.
  public func erf() throws(LucidError) -> Tensor {
    try Tensor.apply("erf", [self])[0]
  }

  /// The inverse of the error function; infinite at ±1, NaN outside.
  public func erfinv() throws(LucidError) -> Tensor {
    try Tensor.apply("erfinv", [self])[0]
  }

  /// max(input, 0), NaN staying NaN.
  public func relu() throws(LucidError) -> Tensor {
    try Tensor.apply("relu", [self])[0]
  }

  /// input * input.
  public func square() throws(LucidError) -> Tensor {
    try Tensor.apply("square", [self])[0]
  }

  /// 1 - erf(input).
  public func erfc() throws(LucidError) -> Tensor {
    try Tensor.apply("erfc", [self])[0]
  }

  /// Degrees as radians.
  public func deg2rad() throws(LucidError) -> Tensor {
    try Tensor.apply("deg2rad", [self])[0]
  }

  /// Radians as degrees.
  public func rad2deg() throws(LucidError) -> Tensor {
    try Tensor.apply("rad2deg", [self])[0]
  }

  /// The largest integer not above each element.
  public func floor() throws(LucidError) -> Tensor {
    try Tensor.apply("floor", [self])[0]
  }

  /// The smallest integer not below each element.
  public func ceil() throws(LucidError) -> Tensor {
    try Tensor.apply("ceil", [self])[0]
  }

  /// Rounds toward zero.
  public func trunc() throws(LucidError) -> Tensor {
    try Tensor.apply("trunc", [self])[0]
  }

  /// Rounds to the nearest integer, halves to even.
  public func round() throws(LucidError) -> Tensor {
    try Tensor.apply("round", [self])[0]
  }

  /// input - trunc(input).
  public func frac() throws(LucidError) -> Tensor {
    try Tensor.apply("frac", [self])[0]
  }

  /// The sine of an angle in radians.
  public func sin() throws(LucidError) -> Tensor {
    try Tensor.apply("sin", [self])[0]
  }

  /// The cosine of an angle in radians.
  public func cos() throws(LucidError) -> Tensor {
    try Tensor.apply("cos", [self])[0]
  }

  /// The tangent of an angle in radians.
  public func tan() throws(LucidError) -> Tensor {
    try Tensor.apply("tan", [self])[0]
  }

  /// The angle whose sine is given.
  public func asin() throws(LucidError) -> Tensor {
    try Tensor.apply("asin", [self])[0]
  }

  /// The angle whose cosine is given.
  public func acos() throws(LucidError) -> Tensor {
    try Tensor.apply("acos", [self])[0]
  }

  /// The angle whose tangent is given.
  public func atan() throws(LucidError) -> Tensor {
    try Tensor.apply("atan", [self])[0]
  }

  /// The hyperbolic sine.
  public func sinh() throws(LucidError) -> Tensor {
    try Tensor.apply("sinh", [self])[0]
  }

  /// The hyperbolic cosine.
  public func cosh() throws(LucidError) -> Tensor {
    try Tensor.apply("cosh", [self])[0]
  }

  /// The hyperbolic tangent.
  public func tanh() throws(LucidError) -> Tensor {
    try Tensor.apply("tanh", [self])[0]
  }

  /// The inverse hyperbolic sine.
  public func asinh() throws(LucidError) -> Tensor {
    try Tensor.apply("asinh", [self])[0]
  }

  /// The inverse hyperbolic cosine.
  public func acosh() throws(LucidError) -> Tensor {
    try Tensor.apply("acosh", [self])[0]
  }

  /// The inverse hyperbolic tangent.
  public func atanh() throws(LucidError) -> Tensor {
    try Tensor.apply("atanh", [self])[0]
  }

  /// sin(πx) / (πx), 1 at 0.
  public func sinc() throws(LucidError) -> Tensor {
    try Tensor.apply("sinc", [self])[0]
  }

  /// log(x / (1 - x)), x first clamped to [eps, 1 - eps] if eps is given.
  public func logit(eps: Double? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "logit", [self],
      [
        eps.map { Attribute.float($0 as Double) } ?? Attribute.none
      ])[0]
  }

  /// Whether an element is NaN.
  public func isnan() throws(LucidError) -> Tensor {
    try Tensor.apply("isnan", [self])[0]
  }

  /// Whether an element is infinite.
  public func isinf() throws(LucidError) -> Tensor {
    try Tensor.apply("isinf", [self])[0]
  }

  /// Whether an element is neither infinite nor NaN.
  public func isfinite() throws(LucidError) -> Tensor {
    try Tensor.apply("isfinite", [self])[0]
  }

  /// Whether an element is +infinity.
  public func isposinf() throws(LucidError) -> Tensor {
    try Tensor.apply("isposinf", [self])[0]
  }

  /// Whether an element is -infinity.
  public func isneginf() throws(LucidError) -> Tensor {
    try Tensor.apply("isneginf", [self])[0]
  }

  /// Whether the sign bit is set; -0.0 has it.
  public func signbit() throws(LucidError) -> Tensor {
    try Tensor.apply("signbit", [self])[0]
  }

  /// Whether an element is 0.
  public func logicalNot() throws(LucidError) -> Tensor {
    try Tensor.apply("logical_not", [self])[0]
  }

  /// Inverts each bit; for bool, the value.
  public func bitwiseNot() throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_not", [self])[0]
  }

  /// Converts to another element type. Floating to integer truncates toward zero; to bool is `!= 0`.
  public func cast(dtype: DType) throws(LucidError) -> Tensor {
    try Tensor.apply("cast", [self], [.dtype(dtype)])[0]
  }

  /// A copy.
  public func clone() throws(LucidError) -> Tensor {
    try Tensor.apply("clone", [self])[0]
  }

  /// Replaces NaN, and infinities by the given numbers or the largest finite ones.
  public func nanToNum(
    nan: Double = 0.0, posinf: Double? = nil, neginf: Double? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "nan_to_num", [self],
      [
        .float(nan as Double), posinf.map { Attribute.float($0 as Double) } ?? Attribute.none,
        neginf.map { Attribute.float($0 as Double) } ?? Attribute.none,
      ])[0]
  }

  /// input + other; for bools, or.
  public func add(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("add", [self, other])[0]
  }

  /// input - other.
  public func sub(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("sub", [self, other])[0]
  }

  /// input * other; for bools, and.
  public func mul(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("mul", [self, other])[0]
  }

  /// input to the power of other.
  public func pow(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("pow", [self, other])[0]
  }

  /// input to the power of a constant.
  public func powScalar(exponent: Double) throws(LucidError) -> Tensor {
    try Tensor.apply("pow_scalar", [self], [.float(exponent as Double)])[0]
  }

  /// input to the power of other, in floating point.
  public func floatPower(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("float_power", [self, other])[0]
  }

  /// The angle of the point (other, input).
  public func atan2(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("atan2", [self, other])[0]
  }

  /// sqrt(input² + other²) without overflow.
  public func hypot(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("hypot", [self, other])[0]
  }

  /// The next number after input toward other; float32 only.
  public func nextafter(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("nextafter", [self, other])[0]
  }

  /// The magnitude of input with the sign of other.
  public func copysign(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("copysign", [self, other])[0]
  }

  /// input · log(other), 0 where input is 0 and other is not NaN.
  public func xlogy(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("xlogy", [self, other])[0]
  }

  /// log(exp(input) + exp(other)).
  public func logaddexp(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("logaddexp", [self, other])[0]
  }

  /// log2(2^input + 2^other).
  public func logaddexp2(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("logaddexp2", [self, other])[0]
  }

  /// 0 for negative input, 1 for positive, other at 0.
  public func heaviside(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("heaviside", [self, other])[0]
  }

  /// input / other, in floating point.
  public func div(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("div", [self, other])[0]
  }

  /// The quotient rounded down; integers stay integers.
  public func floorDivide(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("floor_divide", [self, other])[0]
  }

  /// The quotient rounded toward zero; integers stay integers.
  public func truncDivide(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("trunc_divide", [self, other])[0]
  }

  /// The remainder with the sign of input.
  public func fmod(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("fmod", [self, other])[0]
  }

  /// The remainder with the sign of other, as Python's %.
  public func remainder(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("remainder", [self, other])[0]
  }

  /// The larger of two elements; NaN if either is.
  public func maximum(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("maximum", [self, other])[0]
  }

  /// The smaller of two elements; NaN if either is.
  public func minimum(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("minimum", [self, other])[0]
  }

  /// The larger of two elements; NaN only if both are.
  public func fmax(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("fmax", [self, other])[0]
  }

  /// The smaller of two elements; NaN only if both are.
  public func fmin(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("fmin", [self, other])[0]
  }

  /// Takes input where the condition holds, else other.
  public func `where`(_ input: Tensor, other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("where", [self, input, other])[0]
  }

  /// Limits input to [min, max]; max wins where they cross. NaN stays NaN.
  public func clamp(_ min: Tensor, max: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("clamp", [self, min, max])[0]
  }

  /// The larger of input and min, all of the gradient to input on a tie.
  public func clampMin(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("clamp_min", [self, other])[0]
  }

  /// The smaller of input and max, all of the gradient to input on a tie.
  public func clampMax(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("clamp_max", [self, other])[0]
  }

  /// input with value where the mask holds.
  public func maskedFill(_ mask: Tensor, value: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("masked_fill", [self, mask, value])[0]
  }

  /// input + weight · (end - input).
  public func lerp(_ end: Tensor, weight: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("lerp", [self, end, weight])[0]
  }

  /// input + value · tensor1 · tensor2.
  public func addcmul(
    _ tensor1: Tensor, tensor2: Tensor, value: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("addcmul", [self, tensor1, tensor2], [.float(value as Double)])[0]
  }

  /// input + value · tensor1 / tensor2.
  public func addcdiv(
    _ tensor1: Tensor, tensor2: Tensor, value: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("addcdiv", [self, tensor1, tensor2], [.float(value as Double)])[0]
  }

  /// Whether input == other.
  public func eq(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("eq", [self, other])[0]
  }

  /// Whether input != other.
  public func ne(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("ne", [self, other])[0]
  }

  /// Whether input < other.
  public func lt(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("lt", [self, other])[0]
  }

  /// Whether input <= other.
  public func le(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("le", [self, other])[0]
  }

  /// Whether input > other.
  public func gt(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("gt", [self, other])[0]
  }

  /// Whether input >= other.
  public func ge(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("ge", [self, other])[0]
  }

  /// Whether both elements are nonzero.
  public func logicalAnd(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("logical_and", [self, other])[0]
  }

  /// Whether either element is nonzero.
  public func logicalOr(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("logical_or", [self, other])[0]
  }

  /// Whether exactly one element is nonzero.
  public func logicalXor(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("logical_xor", [self, other])[0]
  }

  /// The bits set in both.
  public func bitwiseAnd(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_and", [self, other])[0]
  }

  /// The bits set in either.
  public func bitwiseOr(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_or", [self, other])[0]
  }

  /// The bits set in exactly one.
  public func bitwiseXor(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_xor", [self, other])[0]
  }

  /// input · 2^other.
  public func bitwiseLeftShift(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_left_shift", [self, other])[0]
  }

  /// input / 2^other rounded down.
  public func bitwiseRightShift(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bitwise_right_shift", [self, other])[0]
  }

  /// Whether |input - other| <= atol + rtol · |other|.
  public func isclose(
    _ other: Tensor, rtol: Double = 1e-05, atol: Double = 1e-08, equalNan: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "isclose", [self, other],
      [
        .float(rtol as Double), .float(atol as Double), .bool(equalNan),
      ])[0]
  }
}
