import Foundation
import MetalPerformanceShadersGraph

extension Pointwise {
  static let unary: [OpDef] = basicUnary + roundingUnary + trigonometric + tests + conversions

  private static let basicUnary: [OpDef] = [
    unary(
      "neg", "Negates each element.", promotion: .none, accepts: .numeric,
      vjp: .rule { c throws(LucidError) in [try -c.cotangent()] },
      lower: { $0.negative(with: $1, name: $2) }),
    unary(
      "abs", "The absolute value.", promotion: .none, accepts: .numeric,
      vjp: derivative { x, _ throws(LucidError) in try x.call("sign") },
      lower: { $0.absolute(with: $1, name: $2) }),
    unary(
      "sign", "-1, 0 or 1 by the sign; 0 for NaN.", promotion: .none, vjp: .zero,
      lower: { graph, x, name in
        if x.dataType == .bool { return graph.identity(with: x, name: name) }
        let zero = graph.scalar(0, like: x)
        return graph.subtraction(
          graph.cast(graph.greaterThan(x, zero, name: name), to: x.dataType, name: name),
          graph.cast(graph.lessThan(x, zero, name: name), to: x.dataType, name: name), name: name)
      }),
    unary(
      "exp", "The exponential of each element.", vjp: derivative { _, y in y },
      lower: { $0.exponent(with: $1, name: $2) }),
    unary(
      "exp2", "2 to the power of each element.",
      vjp: derivative { _, y throws(LucidError) in try y * M_LN2 },
      lower: { $0.exponentBase2(with: $1, name: $2) }),
    unary(
      "expm1", "exp(input) - 1, accurate near 0.",
      vjp: derivative { _, y throws(LucidError) in try y + 1 },
      lower: { $0.expm1($1, $2) }),
    unary(
      "log", "The natural logarithm.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() / c.inputs[0]] },
      lower: { $0.logarithm(with: $1, name: $2) }),
    unary(
      "log2", "The logarithm to base 2.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() / (c.inputs[0] * M_LN2)] },
      lower: { $0.logarithmBase2(with: $1, name: $2) }),
    unary(
      "log10", "The logarithm to base 10.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() / (c.inputs[0] * M_LN10)] },
      lower: { $0.logarithmBase10(with: $1, name: $2) }),
    unary(
      "log1p", "log(1 + input), accurate near 0.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() / (c.inputs[0] + 1)] },
      lower: { $0.log1p($1, $2) }),
    unary(
      "sqrt", "The square root.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() / (c.outputs[0] * 2)] },
      lower: { $0.squareRoot(with: $1, name: $2) }),
    unary(
      "rsqrt", "1 / sqrt(input).",
      vjp: derivative { _, y throws(LucidError) in try (y * y) * (y * -0.5) },
      lower: { $0.reciprocalSquareRoot($1, name: $2) }),
    unary(
      "reciprocal", "1 / input.",
      vjp: derivative { _, y throws(LucidError) in try -(y * y) },
      lower: { $0.reciprocal(with: $1, name: $2) }),
    unary(
      "sigmoid", "1 / (1 + exp(-input)).",
      vjp: derivative { _, y throws(LucidError) in try y * (1 - y) },
      lower: { $0.sigmoid(with: $1, name: $2) }),
    unary(
      "erf", "The error function.",
      vjp: derivative { x, _ throws(LucidError) in try (-(x * x)).exp() * M_2_SQRTPI },
      lower: { $0.erf(with: $1, name: $2) }),
    unary(
      "erfinv", "The inverse of the error function; infinite at ±1, NaN outside.",
      vjp: derivative { _, y throws(LucidError) in try (y * y).exp() * (1 / M_2_SQRTPI) },
      lower: { $0.erfinv($1, $2) }),
    unary(
      "relu", "max(input, 0), NaN staying NaN.", promotion: .none, accepts: .numeric,
      vjp: .rule { c throws(LucidError) in
        let zero = try c.outputs[0].full(0)
        let positive = try c.outputs[0].greater(zero)
        return [try c.cotangent().selected(where: positive, else: zero)]
      },
      lower: { graph, x, name in graph.maximumOf(x, graph.scalar(0, like: x), name) }),
    composite("square", "input * input.", promotion: .none, wide: false) {
      x, _ throws(LucidError) in
      let number = x.dtype == .bool ? try x.cast(to: .int64) : x
      return try number * number
    },
    composite("erfc", "1 - erf(input).") { x, _ throws(LucidError) in
      try 1 - x.call("erf")
    },
    composite("deg2rad", "Degrees as radians.") { x, _ throws(LucidError) in
      try x * (Double.pi / 180)
    },
    composite("rad2deg", "Radians as degrees.") { x, _ throws(LucidError) in
      try x * (180 / Double.pi)
    },
  ]

  private static let roundingUnary: [OpDef] = [
    rounding("floor", "The largest integer not above each element.") {
      $0.floor(with: $1, name: $2)
    },
    rounding("ceil", "The smallest integer not below each element.") {
      $0.ceil(with: $1, name: $2)
    },
    rounding("trunc", "Rounds toward zero.") { $0.truncate($1, name: $2) },
    rounding("round", "Rounds to the nearest integer, halves to even.") {
      $0.rint(with: $1, name: $2)
    },
    composite("frac", "input - trunc(input).", promotion: .none) { x, _ throws(LucidError) in
      try x - x.call("trunc")
    },
  ]

  /// Integers are already rounded, and Apple's rounding kernels do not take all of their types.
  private static func rounding(
    _ name: String, _ summary: String, _ lower: @escaping UnaryLowering
  ) -> OpDef {
    unary(
      name, summary, promotion: .none, accepts: .numeric, vjp: .zero,
      lower: { graph, x, name in
        x.dataType.isFloat ? lower(graph, x, name) : graph.identity(with: x, name: name)
      })
  }

  private static let trigonometric: [OpDef] = [
    unary(
      "sin", "The sine of an angle in radians.",
      vjp: derivative { x, _ throws(LucidError) in try x.call("cos") },
      lower: { $0.sin(with: $1, name: $2) }),
    unary(
      "cos", "The cosine of an angle in radians.",
      vjp: derivative { x, _ throws(LucidError) in try -x.call("sin") },
      lower: { $0.cos(with: $1, name: $2) }),
    unary(
      "tan", "The tangent of an angle in radians.",
      vjp: derivative { _, y throws(LucidError) in try y * y + 1 },
      lower: { $0.tan(with: $1, name: $2) }),
    unary(
      "asin", "The angle whose sine is given.",
      vjp: derivative { x, _ throws(LucidError) in try (1 - x * x).call("rsqrt") },
      lower: { $0.asin(with: $1, name: $2) }),
    unary(
      "acos", "The angle whose cosine is given.",
      vjp: derivative { x, _ throws(LucidError) in try -(1 - x * x).call("rsqrt") },
      lower: { $0.acos(with: $1, name: $2) }),
    unary(
      "atan", "The angle whose tangent is given.",
      vjp: .rule { c throws(LucidError) in
        [try c.cotangent() / (c.inputs[0] * c.inputs[0] + 1)]
      },
      lower: { $0.atan(with: $1, name: $2) }),
    unary(
      "sinh", "The hyperbolic sine.",
      vjp: derivative { x, _ throws(LucidError) in try x.call("cosh") },
      lower: { $0.sinh(with: $1, name: $2) }),
    unary(
      "cosh", "The hyperbolic cosine.",
      vjp: derivative { x, _ throws(LucidError) in try x.call("sinh") },
      lower: { $0.cosh(with: $1, name: $2) }),
    unary(
      "tanh", "The hyperbolic tangent.",
      vjp: derivative { _, y throws(LucidError) in try 1 - y * y },
      lower: { $0.tanh(with: $1, name: $2) }),
    unary(
      "asinh", "The inverse hyperbolic sine.",
      vjp: derivative { x, _ throws(LucidError) in try (x * x + 1).call("rsqrt") },
      lower: { $0.asinh(with: $1, name: $2) }),
    unary(
      "acosh", "The inverse hyperbolic cosine.",
      vjp: derivative { x, _ throws(LucidError) in try (x * x - 1).call("rsqrt") },
      lower: { $0.acosh(with: $1, name: $2) }),
    unary(
      "atanh", "The inverse hyperbolic tangent.",
      vjp: .rule { c throws(LucidError) in
        [try c.cotangent() / (1 - c.inputs[0] * c.inputs[0])]
      },
      lower: { $0.atanh(with: $1, name: $2) }),
    composite("sinc", "sin(πx) / (πx), 1 at 0.") { x, _ throws(LucidError) in
      let isZero = try x.equals(x.full(0))
      // The division never sees 0, so its gradient stays finite.
      let safe = try x.full(1).selected(where: isZero, else: x) * Double.pi
      return try x.full(1).selected(where: isZero, else: safe.call("sin") / safe)
    },
    composite(
      "logit", "log(x / (1 - x)), x first clamped to [eps, 1 - eps] if eps is given.",
      [AttributeDef("eps", .optional(.float), default: Attribute.none)]
    ) { x, attributes throws(LucidError) in
      var x = x
      if let eps = attributes.optionalFloat(0) {
        x = try x.call("clamp", [x.full(eps), x.full(1 - eps)])
      }
      return try (x / (1 - x)).log()
    },
  ]

  private static let tests: [OpDef] = [
    unary(
      "isnan", "Whether an element is NaN.", promotion: .none, result: .bool,
      vjp: .none("the result is bool"),
      lower: { graph, x, name in
        x.dataType.isFloat ? graph.isNaN(with: x, name: name) : graph.notEqual(x, x, name: name)
      }),
    unary(
      "isinf", "Whether an element is infinite.", promotion: .none, result: .bool,
      vjp: .none("the result is bool"),
      lower: { graph, x, name in
        x.dataType.isFloat
          ? graph.isInfinite(with: x, name: name) : graph.notEqual(x, x, name: name)
      }),
    unary(
      "isfinite", "Whether an element is neither infinite nor NaN.", promotion: .none,
      result: .bool, vjp: .none("the result is bool"),
      lower: { graph, x, name in
        x.dataType.isFloat ? graph.isFinite(with: x, name: name) : graph.equal(x, x, name: name)
      }),
    composite("isposinf", "Whether an element is +infinity.", promotion: .none, wide: false) {
      x, _ throws(LucidError) in
      try x.call("isinf").call("logical_and", [x.greater(x.full(0))])
    },
    composite("isneginf", "Whether an element is -infinity.", promotion: .none, wide: false) {
      x, _ throws(LucidError) in
      try x.call("isinf").call("logical_and", [x.less(x.full(0))])
    },
    unary(
      "signbit", "Whether the sign bit is set; -0.0 has it.", promotion: .none, result: .bool,
      vjp: .none("the result is bool"),
      lower: { graph, x, name in
        x.dataType.isFloat
          ? graph.signbit(with: x, name: name)
          : graph.lessThan(x, graph.scalar(0, like: x), name: name)
      }),
    unary(
      "logical_not", "Whether an element is 0.", promotion: .none, result: .bool,
      vjp: .none("the result is bool"),
      lower: { graph, x, name in
        x.dataType == .bool
          ? graph.not(with: x, name: name)
          : graph.equal(x, graph.scalar(0, like: x), name: name)
      }),
    unary(
      "bitwise_not", "Inverts each bit; for bool, the value.", promotion: .none,
      accepts: .integral, vjp: .none("the operands are integers"),
      lower: { graph, x, name in
        x.dataType == .bool ? graph.not(with: x, name: name) : graph.bitwiseNOT(x, name: name)
      }),
  ]

  private static let conversions: [OpDef] = [
    OpDef(
      "cast",
      OpDoc(
        "Converts to another element type. Floating to integer truncates toward zero; to bool is `!= 0`."
      ),
      operands: [OperandDef("input")], attributes: [AttributeDef("dtype", .dtype)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(c.shape(0), c.attributes.dtype(0) ?? c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in [try c.cotangent().cast(to: c.inputs[0].dtype)] },
          lower: { c throws(LucidError) in
            [c.graph.cast(c.inputs[0], to: c.outputTypes[0].dtype.mps, name: c.name)]
          }))),
    unary(
      "clone", "A copy.", promotion: .none,
      vjp: .rule { c throws(LucidError) in [try c.cotangent()] },
      lower: { $0.identity(with: $1, name: $2) }),
    composite(
      "nan_to_num",
      "Replaces NaN, and infinities by the given numbers or the largest finite ones.",
      [
        AttributeDef("nan", .float, default: .float(0.0)),
        AttributeDef("posinf", .optional(.float), default: Attribute.none),
        AttributeDef("neginf", .optional(.float), default: Attribute.none),
      ], promotion: .none, wide: false
    ) { x, attributes throws(LucidError) in
      guard x.dtype.isFloatingPoint else { return x }
      let largest = x.dtype.largestFinite
      let highest: Double = attributes.optionalFloat(1) ?? largest
      let lowest: Double = attributes.optionalFloat(2) ?? (0 - largest)
      let (top, bottom) = (try x.full(highest), try x.full(lowest))
      let noNaN = try x.full(attributes.float(0)).selected(where: x.call("isnan"), else: x)
      let noTop = try top.selected(where: x.call("isposinf"), else: noNaN)
      return try bottom.selected(where: x.call("isneginf"), else: noTop)
    },
  ]
}

extension DType {
  /// The largest finite value of a floating type.
  var largestFinite: Double {
    switch self {
    case .float16: 65504
    case .bfloat16: 3.3895313892515355e38
    default: Double(Float.greatestFiniteMagnitude)
    }
  }
}
