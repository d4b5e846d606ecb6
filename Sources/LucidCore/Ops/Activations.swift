import Foundation

/// Activation functions, built from other operations: half types are computed in float32, and
/// branches that are not taken see harmless values, so that no gradient becomes 0 · ∞.
enum Activations {
  static let all: [OpDef] = rectifiers + smooth + gates

  private static func number(_ name: String, _ value: Double) -> AttributeDef {
    AttributeDef(name, .float, default: .float(value))
  }

  private static let rectifiers: [OpDef] = [
    Pointwise.composite("relu6", "input limited to [0, 6].", promotion: .none) {
      x, _ throws(LucidError) in try x.limited(0, 6)
    },
    Pointwise.composite(
      "hardtanh", "input limited to [min_val, max_val].",
      [number("min_val", -1), number("max_val", 1)], promotion: .none
    ) { x, a throws(LucidError) in try x.limited(a.float(0), a.float(1)) },
    Pointwise.composite(
      "leaky_relu", "input where positive, else negative_slope · input.",
      [number("negative_slope", 0.01)]
    ) { x, a throws(LucidError) in try x.selected(where: x.greater(0), else: x * a.float(0)) },
    OpDef(
      "prelu",
      OpDoc(
        "input where positive, else weight · input, with a weight per channel (axis 1) or one for all.",
        ["weight has one element or one per channel."]),
      operands: [OperandDef("input"), OperandDef("weight")], promotion: .common,
      .composite { c throws(LucidError) in
        let (x, weight) = (c.inputs[0], c.inputs[1])
        var dims = [Dim](repeating: 1, count: x.rank)
        if weight.rank == 1, !c.check.equal(weight.shape[0], 1) {
          guard x.rank >= 1, c.check.equal(x.shape[x.rank == 1 ? 0 : 1], weight.shape[0]) else {
            throw c.check.error(
              .shape, "weight of shape \(weight.shape) for \(x.shape)", constraint: 1)
          }
          dims[x.rank == 1 ? 0 : 1] = weight.shape[0]
        }
        let scaled = try x * weight.reshape(Shape(dims))
        return [try x.selected(where: x.greater(0), else: scaled)]
      }),
    Pointwise.composite(
      "elu", "input where positive, else alpha · (exp(input) - 1).", [number("alpha", 1)]
    ) { x, a throws(LucidError) in
      let negative = try x.negativePart().expm1()
      return try x.selected(where: x.greater(0), else: negative * a.float(0))
    },
    Pointwise.composite(
      "celu", "input where positive, else alpha · (exp(input / alpha) - 1).", [number("alpha", 1)]
    ) { x, a throws(LucidError) in
      let alpha = a.float(0)
      let negative = try (x.negativePart() / alpha).expm1()
      return try x.selected(where: x.greater(0), else: negative * alpha)
    },
    Pointwise.composite("selu", "The self-normalising scaled elu.") { x, _ throws(LucidError) in
      // The fixed point of Klambauer et al., "Self-Normalizing Neural Networks" (2017).
      let (alpha, scale) = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)
      let negative = try x.negativePart().expm1() * alpha
      return try x.selected(where: x.greater(0), else: negative) * scale
    },
    Pointwise.composite(
      "hardshrink", "input outside [-lambd, lambd], 0 inside.", [number("lambd", 0.5)]
    ) { x, a throws(LucidError) in
      let inside = try x.call("le", [x.full(a.float(0))]).and(
        x.call("ge", [x.full(0 - a.float(0))]))
      return try x.full(0).selected(where: inside, else: x)
    },
    Pointwise.composite(
      "softshrink", "input moved toward 0 by lambd, and 0 within.", [number("lambd", 0.5)]
    ) { x, a throws(LucidError) in
      let lambd = a.float(0)
      let low = try (x + lambd).selected(where: x.less(x.full(0 - lambd)), else: x * 0)
      return try (x - lambd).selected(where: x.greater(lambd), else: low)
    },
    Pointwise.composite(
      "threshold", "input above the threshold, value elsewhere.",
      [AttributeDef("threshold", .float), AttributeDef("value", .float)], promotion: .none
    ) { x, a throws(LucidError) in
      let low = try x.call("le", [x.full(a.float(0))])
      return try x.full(a.float(1)).selected(where: low, else: x)
    },
  ]

  private static let smooth: [OpDef] = [
    Pointwise.composite(
      "gelu", "input · Φ(input), exactly or by the tanh approximation.",
      [AttributeDef("approximate", .choice(["none", "tanh"]), default: .choice(0))]
    ) { x, a throws(LucidError) in
      if a.choice(0) == 0 {
        return try x * 0.5 * ((x * 0.5.squareRoot()).erf() + 1)
      }
      let inner = try (x + x * x * x * 0.044715) * (2 / Double.pi).squareRoot()
      return try x * 0.5 * (inner.tanh() + 1)
    },
    Pointwise.composite("silu", "input · sigmoid(input).") { x, _ throws(LucidError) in
      try x * x.sigmoid()
    },
    Pointwise.composite("mish", "input · tanh(softplus(input)).") { x, _ throws(LucidError) in
      try x * x.softplus().tanh()
    },
    Pointwise.composite(
      "softplus", "log(1 + exp(beta · input)) / beta, input itself where that is above threshold.",
      [number("beta", 1), number("threshold", 20)]
    ) { x, a throws(LucidError) in
      try x.softplus(beta: a.float(0), threshold: a.float(1))
    },
    Pointwise.composite("logsigmoid", "log(sigmoid(input)).") { x, _ throws(LucidError) in
      try -(-x).softplus()
    },
    Pointwise.composite("softsign", "input / (1 + |input|).") { x, _ throws(LucidError) in
      try x / (x.abs() + 1)
    },
    Pointwise.composite("tanhshrink", "input - tanh(input).") { x, _ throws(LucidError) in
      try x - x.tanh()
    },
    Pointwise.composite("hardsigmoid", "(input + 3) / 6 limited to [0, 1].") {
      x, _ throws(LucidError) in try (x + 3).limited(0, 6) / 6
    },
    Pointwise.composite("hardswish", "input · hardsigmoid(input).") { x, _ throws(LucidError) in
      try x * ((x + 3).limited(0, 6) / 6)
    },
  ]

  private static let gates: [OpDef] = [
    OpDef(
      "glu",
      OpDoc("The first half of an axis times the sigmoid of the second.", ["The extent is even."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dim", .int, default: .int(-1))],
      promotion: .floating,
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(0), rank: x.rank)
        guard x.rank > 0, let half = Dim.quotient(x.shape[axis], 2),
          c.check.equal(half + half, x.shape[axis])
        else { throw c.check.error(.shape, "axis \(axis) of \(x.shape)", constraint: 1) }
        let value = try x.narrow(axis, 0, half).widened()
        let gate = try x.narrow(axis, half, half).widened()
        return [try (value * gate.sigmoid()).narrowed(like: x)]
      })
  ]
}

extension GraphValue {
  /// Limited to a range, with no gradient at and beyond its ends; NaN stays.
  func limited(_ low: Double, _ high: Double) throws(LucidError) -> GraphValue {
    let (bottom, top) = (try full(low), try full(high))
    let below = try top.selected(where: call("ge", [top]), else: self)
    return try bottom.selected(where: call("le", [bottom]), else: below)
  }

  /// min(x, 0), with the whole gradient at 0; NaN stays.
  func negativePart() throws(LucidError) -> GraphValue {
    try full(0).selected(where: greater(0), else: self)
  }

  /// log(1 + exp(beta · x)) / beta, linear above the threshold.
  func softplus(beta: Double = 1, threshold: Double = 20) throws(LucidError) -> GraphValue {
    let scaled = beta == 1 ? self : try self * beta
    let isLinear = try scaled.greater(threshold)
    let bounded = try scaled.full(threshold).selected(where: isLinear, else: scaled)
    let curve = try bounded.exp().log1p()
    return try selected(where: isLinear, else: beta == 1 ? curve : curve / beta)
  }
}
