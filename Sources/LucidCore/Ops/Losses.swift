import Foundation

/// Loss functions. Their pieces are computed in float32 and rounded to the operands' type once.
enum Losses {
  static let all: [OpDef] = distances + classification + margins + likelihoods + sequences

  static let reduction = AttributeDef(
    "reduction", .choice(["none", "mean", "sum"]), default: .choice(1))

  typealias LossBody =
    @Sendable (ExpandContext, GraphValue, GraphValue) throws(LucidError) -> GraphValue

  /// A loss of two operands of one shape; its last attribute is the reduction.
  static func loss(
    _ name: String, _ summary: String, _ attributes: [AttributeDef] = [],
    operands: [String] = ["input", "target"], _ body: @escaping LossBody
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The shapes broadcast together."]),
      operands: operands.map { OperandDef($0) }, attributes: attributes + [reduction],
      promotion: .floating,
      .composite { c throws(LucidError) in
        let loss = try body(c, c.inputs[0].widened(), c.inputs[1].widened())
        let reduced = try loss.reduced(c.attributes.choice(attributes.count))
        return [try reduced.narrowed(like: c.inputs[0])]
      })
  }

  static func number(_ name: String, _ value: Double) -> AttributeDef {
    AttributeDef(name, .float, default: .float(value))
  }
  static func flag(_ name: String, _ value: Bool) -> AttributeDef {
    AttributeDef(name, .bool, default: .bool(value))
  }

  private static let distances: [OpDef] = [
    loss("mse_loss", "The squared difference.") { _, x, y throws(LucidError) in
      let d = try x - y
      return try d * d
    },
    loss("l1_loss", "The absolute difference.") { _, x, y throws(LucidError) in
      try (x - y).abs()
    },
    loss(
      "smooth_l1_loss", "The squared difference over 2 · beta below beta, else linear.",
      [number("beta", 1)]
    ) { c, x, y throws(LucidError) in
      let (d, beta) = (try (x - y).abs(), c.attributes.float(0))
      guard beta > 0 else { return d }
      let near = try d * d * (0.5 / beta)
      return try near.selected(where: d.less(d.full(beta)), else: d - 0.5 * beta)
    },
    loss(
      "huber_loss", "Half the squared difference below delta, else linear.", [number("delta", 1)]
    ) { c, x, y throws(LucidError) in
      let (d, delta) = (try (x - y).abs(), c.attributes.float(0))
      let far = try (d - 0.5 * delta) * delta
      return try (d * d * 0.5).selected(where: d.call("le", [d.full(delta)]), else: far)
    },
    loss(
      "kl_div", "target · (log(target) - input), or exp(target) for a target of logarithms.",
      [flag("log_target", false)]
    ) { c, x, y throws(LucidError) in
      if c.attributes.bool(0) { return try y.exp() * (y - x) }
      return try y.call("xlogy", [y]) - y * x
    },
  ]

  private static let likelihoods: [OpDef] = [
    weighted(
      "binary_cross_entropy",
      "-(target · log(input) + (1 - target) · log(1 - input)), logarithms at least -100.",
      ["weight"]
    ) { c, x, y throws(LucidError) in
      let (low, one) = (try x.full(-100), try x.full(1))
      let first = try x.log().call("clamp_min", [low])
      let second = try (-x).log1p().call("clamp_min", [low])
      return try (y - one) * second - y * first
    },
    weighted(
      "binary_cross_entropy_with_logits",
      "binary_cross_entropy of sigmoid(input), without its overflow; pos_weight scales the positive part.",
      ["weight", "pos_weight"]
    ) { c, x, y throws(LucidError) in
      let soft = try (-x).softplus(threshold: 80)
      guard c.inputs.count > 3 else { return try (1 - y) * x + soft }
      let factor = try y * (c.inputs[3].cast(to: .float32) - 1) + 1
      return try (1 - y) * x + factor * soft
    },
    loss(
      "poisson_nll_loss", "exp(input) - target · input for a logarithmic input.",
      [flag("log_input", true), flag("full", false), number("eps", 1e-8)]
    ) { c, x, y throws(LucidError) in
      var loss =
        try c.attributes.bool(0)
        ? x.exp() - y * x : x - y * (x + c.attributes.float(2)).log()
      if c.attributes.bool(1) {
        // Stirling's approximation of log(target!), for targets above 1.
        let isLarge = try y.greater(1)
        let safe = try y.selected(where: isLarge, else: y.full(1))
        let stirling = try safe * safe.log() - safe + (safe * (2 * Double.pi)).log() * 0.5
        loss = try loss + stirling.selected(where: isLarge, else: y.full(0))
      }
      return loss
    },
    OpDef(
      "gaussian_nll_loss",
      OpDoc(
        "Half of log(var) + (input - target)² / var, var being at least eps.",
        ["The shapes broadcast together."]),
      operands: [OperandDef("input"), OperandDef("target"), OperandDef("var")],
      attributes: [flag("full", false), number("eps", 1e-6), reduction], promotion: .floating,
      .composite { c throws(LucidError) in
        let (x, y) = (try c.inputs[0].widened(), try c.inputs[1].widened())
        let given = try c.inputs[2].widened()
        let floor = try given.full(c.attributes.float(1))
        // The limit does not change the gradient, as in PyTorch.
        let lift = try (given.call("maximum", [floor]) - given).call("detach")
        let variance = try given + lift
        let d = try x - y
        var loss = try (variance.log() + d * d / variance) * 0.5
        if c.attributes.bool(0) { loss = try loss + 0.5 * Foundation.log(2 * Double.pi) }
        return [try loss.reduced(c.attributes.choice(2)).narrowed(like: c.inputs[0])]
      }),
  ]

  /// A loss whose first optional operand scales it.
  private static func weighted(
    _ name: String, _ summary: String, _ optional: [String], _ body: @escaping LossBody
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["input and target have one shape.", "The others broadcast with it."]),
      operands: [OperandDef("input"), OperandDef("target")]
        + optional.map { OperandDef($0, .optional) },
      attributes: [reduction], promotion: .floating,
      .composite { c throws(LucidError) in
        guard c.check.equal(c.inputs[0].shape, c.inputs[1].shape) else {
          throw c.check.error(
            .value,
            "input of shape \(c.inputs[0].shape) for a target of \(c.inputs[1].shape)",
            constraint: 1)
        }
        var loss = try body(c, c.inputs[0].widened(), c.inputs[1].widened())
        if c.inputs.count > 2 { loss = try loss * c.inputs[2].widened() }
        return [try loss.reduced(c.attributes.choice(0)).narrowed(like: c.inputs[0])]
      })
  }
}

extension GraphValue {
  /// All elements (0), their mean (1) or sum (2).
  func reduced(_ reduction: Int) throws(LucidError) -> GraphValue {
    switch reduction {
    case 1: try mean(Array(0..<rank)).reshape([])
    case 2: try sum(Array(0..<rank)).reshape([])
    default: self
    }
  }
}
