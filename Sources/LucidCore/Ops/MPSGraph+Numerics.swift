import MetalPerformanceShadersGraph

// Functions that MPSGraph lacks, as nodes. Each is written so that no reassociation by a compiler
// changes its accuracy.

extension MPSGraph {
  /// A rank-0 constant of a tensor's element type.
  func scalar(_ value: Double, like tensor: MPSGraphTensor) -> MPSGraphTensor {
    constant(value, dataType: tensor.dataType)
  }

  /// Computes in float32 and rounds the result once to the operand's half type.
  func inFloat32(
    _ x: MPSGraphTensor, _ name: String, _ body: (MPSGraphTensor) -> MPSGraphTensor
  ) -> MPSGraphTensor {
    if x.dataType == .float32 { return body(x) }
    return cast(body(cast(x, to: .float32, name: name)), to: x.dataType, name: name)
  }

  /// The polynomial with these coefficients, highest power first, by Horner's rule.
  func polynomial(_ x: MPSGraphTensor, _ coefficients: [Double], _ name: String) -> MPSGraphTensor {
    var sum = scalar(coefficients.first ?? 0, like: x)
    for coefficient in coefficients.dropFirst() {
      sum = addition(
        multiplication(sum, x, name: name), scalar(coefficient, like: x), name: name)
    }
    return sum
  }

  /// exp(x) - 1: a Taylor polynomial up to x^9 near zero, where the difference would cancel.
  func expm1(_ input: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    inFloat32(input, name) { x in
      let inverseFactorials = (2...9).reversed().map { n in
        1 / (1...n).reduce(1.0) { $0 * Double($1) }
      }
      let tail = polynomial(x, inverseFactorials + [1], name)
      let near = multiplication(tail, x, name: name)
      let far = subtraction(exponent(with: x, name: name), scalar(1, like: x), name: name)
      let isNear = lessThan(absolute(with: x, name: name), scalar(0.5, like: x), name: name)
      return select(predicate: isNear, trueTensor: near, falseTensor: far, name: name)
    }
  }

  /// log(1 + x): near zero 2·artanh(s) with s = x / (2 + x), |s| < 0.18, whose series up to s^9 is
  /// exact to float32.
  func log1p(_ input: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    inFloat32(input, name) { x in
      let s = division(x, addition(x, scalar(2, like: x), name: name), name: name)
      let series = polynomial(square(with: s, name: name), [2 / 9, 2 / 7, 2 / 5, 2 / 3, 2], name)
      let near = multiplication(series, s, name: name)
      let far = logarithm(with: addition(x, scalar(1, like: x), name: name), name: name)
      let isNear = lessThan(absolute(with: x, name: name), scalar(0.3, like: x), name: name)
      return select(predicate: isNear, trueTensor: near, falseTensor: far, name: name)
    }
  }

  /// The inverse of erf. Polynomials in w = -log(1 - x²) from M. Giles, "Approximating the erfinv
  /// function" (2012), single precision.
  func erfinv(_ input: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    inFloat32(input, name) { x in
      let minusSquare = negative(with: square(with: x, name: name), name: name)
      let w = negative(with: log1p(minusSquare, name), name: name)
      let central = polynomial(
        subtraction(w, scalar(2.5, like: x), name: name),
        [
          2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
          -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
        ], name)
      let tail = polynomial(
        subtraction(squareRoot(with: w, name: name), scalar(3, like: x), name: name),
        [
          -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
          -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
        ], name)
      let isCentral = lessThan(w, scalar(5, like: x), name: name)
      let factor = select(
        predicate: isCentral, trueTensor: central, falseTensor: tail, name: name)
      // At ±1 w is infinite and so is the result; the polynomials would give NaN.
      let isEnd = equal(absolute(with: x, name: name), scalar(1, like: x), name: name)
      let end = multiplication(x, scalar(.infinity, like: x), name: name)
      return select(
        predicate: isEnd, trueTensor: end,
        falseTensor: multiplication(factor, x, name: name), name: name)
    }
  }

  /// sqrt(a² + b²) without overflow of the squares.
  func hypotenuse(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    let (x, y) = (absolute(with: a, name: name), absolute(with: b, name: name))
    let large = maximumWithNaNPropagation(x, y, name: name)
    let small = minimumWithNaNPropagation(x, y, name: name)
    // Where both are 0 or one is infinite the ratio is meaningless; infinity wins over NaN.
    let ratio = division(small, large, name: name)
    let root = squareRoot(
      with: addition(square(with: ratio, name: name), scalar(1, like: a), name: name), name: name)
    let infinity = scalar(.infinity, like: a)
    let isInfinite = logicalOR(
      equal(x, infinity, name: name), equal(y, infinity, name: name), name: name)
    let finite = select(
      predicate: equal(large, scalar(0, like: a), name: name), trueTensor: large,
      falseTensor: multiplication(large, root, name: name), name: name)
    return select(
      predicate: isInfinite, trueTensor: infinity, falseTensor: finite, name: name)
  }

  /// The remainder with the divisor's sign; NaN for a floating divisor of 0, 0 for an integer one.
  func pythonRemainder(
    _ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String
  ) -> MPSGraphTensor {
    guard a.dataType.isFloat else { return floorModulo(a, b, name: name) }
    let rest = modulo(a, b, name: name)
    let zero = scalar(0, like: a)
    let signsDiffer = logicalXOR(
      lessThan(rest, zero, name: name), lessThan(b, zero, name: name), name: name)
    let adjust = logicalAND(notEqual(rest, zero, name: name), signsDiffer, name: name)
    return select(
      predicate: adjust, trueTensor: addition(rest, b, name: name), falseTensor: rest, name: name)
  }

  /// The quotient rounded down.
  func floorDivision(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    let zero = scalar(0, like: a)
    guard a.dataType.isFloat else {
      let quotient = division(a, b, name: name)
      let rest = subtraction(a, multiplication(quotient, b, name: name), name: name)
      let signsDiffer = notEqual(
        lessThan(rest, zero, name: name), lessThan(b, zero, name: name), name: name)
      let adjust = logicalAND(notEqual(rest, zero, name: name), signsDiffer, name: name)
      let one = scalar(1, like: a)
      return select(
        predicate: adjust, trueTensor: subtraction(quotient, one, name: name),
        falseTensor: quotient, name: name)
    }
    // From the exact remainder, so that 1 // 0.1 is 9 although 1 / 0.1 rounds to 10.
    let rest = modulo(a, b, name: name)
    let whole = rint(
      with: division(subtraction(a, rest, name: name), b, name: name), name: name)
    let signsDiffer = logicalXOR(
      lessThan(rest, zero, name: name), lessThan(b, zero, name: name), name: name)
    let adjust = logicalAND(notEqual(rest, zero, name: name), signsDiffer, name: name)
    let down = subtraction(whole, scalar(1, like: a), name: name)
    let exact = select(predicate: adjust, trueTensor: down, falseTensor: whole, name: name)
    return select(
      predicate: equal(b, zero, name: name), trueTensor: division(a, b, name: name),
      falseTensor: exact, name: name)
  }

  /// The quotient rounded toward zero.
  func truncatedDivision(
    _ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String
  ) -> MPSGraphTensor {
    let quotient = division(a, b, name: name)
    return a.dataType.isFloat ? truncate(quotient, name: name) : quotient
  }

  /// a to an integer power by squaring over six bits. Beyond exponent 63 only 0, 1 and -1 have
  /// meaningful powers; for these one more factor a^64 is right however large the rest is. Negative
  /// exponents leave 0, except of 1 and -1.
  func integerPower(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    let (zero, two) = (scalar(0, like: a), scalar(2, like: a))
    var result = scalar(1, like: a)
    var factor = a
    var exponent = b
    for step in 0...6 {
      let bit = step == 6 ? exponent : modulo(exponent, two, name: name)
      result = select(
        predicate: notEqual(bit, zero, name: name),
        trueTensor: multiplication(result, factor, name: name), falseTensor: result, name: name)
      if step < 6 {
        factor = multiplication(factor, factor, name: name)
        exponent = division(exponent, two, name: name)
      }
    }
    guard a.dataType != .uInt8 else { return result }
    let isUnit = logicalOR(
      equal(a, scalar(1, like: a), name: name), equal(a, scalar(-1, like: a), name: name),
      name: name)
    return select(
      predicate: logicalOR(isUnit, greaterThanOrEqualTo(b, zero, name: name), name: name),
      trueTensor: result, falseTensor: zero, name: name)
  }

  /// The next float32 after a in the direction of b.
  func nextAfter(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    let bits = reinterpretCast(a, to: .int32, name: name)
    let one = constant(1, dataType: .int32)
    // Larger bits are further from zero, whatever the sign.
    let outward = equal(
      greaterThan(b, a, name: name), greaterThan(a, scalar(0, like: a), name: name), name: name)
    let moved = reinterpretCast(
      select(
        predicate: outward, trueTensor: addition(bits, one, name: name),
        falseTensor: subtraction(bits, one, name: name), name: name), to: .float32, name: name)
    let smallest = constant(Double(Float.leastNonzeroMagnitude), dataType: .float32)
    let fromZero = select(
      predicate: greaterThan(b, a, name: name), trueTensor: smallest,
      falseTensor: negative(with: smallest, name: name), name: name)
    let step = select(
      predicate: equal(a, scalar(0, like: a), name: name), trueTensor: fromZero,
      falseTensor: moved, name: name)
    let moves = select(
      predicate: equal(a, b, name: name), trueTensor: b, falseTensor: step, name: name)
    let toward = select(
      predicate: isNaN(with: b, name: name), trueTensor: b, falseTensor: moves, name: name)
    return select(
      predicate: isNaN(with: a, name: name), trueTensor: a, falseTensor: toward, name: name)
  }
}

extension MPSDataType {
  /// A real floating-point type.
  var isFloat: Bool { self == .float32 || self == .float16 || self == .bFloat16 }
}
