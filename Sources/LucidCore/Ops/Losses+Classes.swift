import Foundation

extension Losses {
  static let classification: [OpDef] = [
    OpDef(
      "cross_entropy",
      OpDoc(
        "-log softmax over the classes (axis 1, or 0 of a vector) at target: class numbers, or probabilities of input's shape.",
        [
          "target has input's shape without the classes and an integer type, or input's shape and a floating one.",
          "weight has one element per class.", "label_smoothing lies in [0, 1].",
        ]),
      operands: [OperandDef("input"), OperandDef("target"), OperandDef("weight", .optional)],
      attributes: [
        reduction, AttributeDef("ignore_index", .int, default: .int(-100)),
        number("label_smoothing", 0),
      ],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        try requireClasses(c, floatingTarget: true)
        let axis = x.rank == 1 ? 0 : 1
        let smoothing = c.attributes.float(2)
        guard smoothing >= 0, smoothing <= 1 else {
          throw c.check.error(.value, "label_smoothing is \(smoothing)", constraint: 3)
        }
        let logs = try x.cast(to: .float32).logSoftmax(axis)
        let weights = try classWeights(c)
        if c.inputs[1].dtype.isFloatingPoint {
          var target = try c.inputs[1].cast(to: .float32)
          if smoothing > 0 {
            let share = try smoothing / target.elementCount([axis])
            target = try target * (1 - smoothing) + share
          }
          if let weights { target = try target * weights }
          let loss = try -(logs * target).sum([axis])
          // The mean is over samples, without regard to the weights.
          return [try loss.reduced(c.attributes.choice(0)).cast(to: x.dtype)]
        }
        return [
          try classLoss(
            c, logs, axis, weights, reduction: c.attributes.choice(0),
            ignored: c.attributes.int(1), smoothing: smoothing
          ).cast(to: x.dtype)
        ]
      }),
    OpDef(
      "nll_loss",
      OpDoc(
        "-input at the target's class (axis 1, or 0 of a vector) for logarithms of probabilities.",
        [
          "target has input's shape without the classes and an integer type.",
          "weight has one element per class.",
        ]),
      operands: [OperandDef("input"), OperandDef("target"), OperandDef("weight", .optional)],
      attributes: [reduction, AttributeDef("ignore_index", .int, default: .int(-100))],
      .composite { c throws(LucidError) in
        try requireClasses(c, floatingTarget: false)
        let x = c.inputs[0]
        return [
          try classLoss(
            c, x.cast(to: .float32), x.rank == 1 ? 0 : 1, classWeights(c),
            reduction: c.attributes.choice(0), ignored: c.attributes.int(1), smoothing: 0
          ).cast(to: x.dtype)
        ]
      }),
  ]

  private static func requireClasses(
    _ c: ExpandContext, floatingTarget: Bool
  ) throws(LucidError) {
    let (x, target) = (c.inputs[0], c.inputs[1])
    try ElementKinds.floating.check(c.check, operand: 0, constraint: 1)
    var dims = x.shape.dims
    let fits: Bool
    if floatingTarget, target.dtype.isFloatingPoint {
      fits = x.rank > 0 && c.check.equal(x.shape, target.shape)
    } else {
      if x.rank > 0 { dims.remove(at: x.rank == 1 ? 0 : 1) }
      fits =
        x.rank > 0 && !target.dtype.isFloatingPoint && target.dtype != .bool
        && c.check.equal(Shape(dims), target.shape)
    }
    guard fits else {
      throw c.check.error(.shape, "input \(x.type) for a target \(target.type)", constraint: 1)
    }
    if c.inputs.count > 2 {
      let classes = x.shape[x.rank == 1 ? 0 : 1]
      guard c.inputs[2].rank == 1, c.check.equal(c.inputs[2].shape[0], classes) else {
        throw c.check.error(
          .shape, "a weight of shape \(c.inputs[2].shape) for \(classes) classes", constraint: 2)
      }
    }
  }

  /// The weights along the class axis of input.
  private static func classWeights(_ c: ExpandContext) throws(LucidError) -> GraphValue? {
    guard c.inputs.count > 2 else { return nil }
    let rank = c.inputs[0].rank
    var dims = [Dim](repeating: 1, count: rank)
    dims[rank == 1 ? 0 : 1] = c.inputs[2].shape[0]
    return try c.inputs[2].cast(to: .float32).reshape(Shape(dims))
  }

  private static func classLoss(
    _ c: ExpandContext, _ logs: GraphValue, _ axis: Int, _ weights: GraphValue?, reduction: Int,
    ignored: Int, smoothing: Double
  ) throws(LucidError) -> GraphValue {
    let target = try c.inputs[1].cast(to: .int64).unsqueeze(axis)
    let counts = try target.call("ne", [target.full(Double(ignored))])
    let safe = try target.selected(where: counts, else: target.full(0))
    var share = try counts.cast(to: .float32)
    if let weights {
      let wide = try weights.expand(logs.shape)
      share = try share * wide.call("gather_along", [safe], [.int(axis)])
    }
    let picked = try logs.call("gather_along", [safe], [.int(axis)])
    let zero = try picked.full(0)
    // An ignored sample may have an infinite logarithm: 0 · ∞ must not arise.
    var loss = try -zero.selected(where: counts.not(), else: picked) * share
    if smoothing > 0 {
      var all = try -logs
      if let weights { all = try all * weights }
      let spread = try all.sum([axis], keepDim: true) / logs.elementCount([axis])
      let open = try spread.selected(where: counts, else: zero)
      loss = try loss * (1 - smoothing) + open * smoothing
    }
    let samples = try loss.dropping([axis], unless: false)
    guard reduction == 1 else { return try samples.reduced(reduction) }
    let total = try share.sum(Array(0..<share.rank)).reshape([])
    return try samples.reduced(2) / total
  }

  static let margins: [OpDef] = [
    loss(
      "hinge_embedding_loss", "input where target is 1, max(0, margin - input) where it is -1.",
      [number("margin", 1)]
    ) { c, x, y throws(LucidError) in
      let zero = try x.full(0)
      let far = try (c.attributes.float(0) - x).call("clamp_min", [zero])
      let similar = try zero.selected(where: y.equals(y.full(-1)), else: x)
      return try zero.selected(where: y.equals(y.full(1)), else: far) + similar
    },
    loss("soft_margin_loss", "log(1 + exp(-target · input)).") { _, x, y throws(LucidError) in
      try (-(y * x)).softplus(threshold: 80)
    },
    OpDef(
      "margin_ranking_loss",
      OpDoc("max(0, -target · (input1 - input2) + margin).", ["The shapes broadcast together."]),
      operands: [OperandDef("input1"), OperandDef("input2"), OperandDef("target")],
      attributes: [number("margin", 0), reduction], promotion: .floating,
      .composite { c throws(LucidError) in
        let d = try c.inputs[0].widened() - c.inputs[1].widened()
        let margin = try -(c.inputs[2].widened() * d) + c.attributes.float(0)
        let loss = try margin.call("clamp_min", [margin.full(0)])
        return [try loss.reduced(c.attributes.choice(1)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "multi_margin_loss",
      OpDoc(
        "The mean over classes of max(0, margin - input[target] + input)^p.",
        ["input is (C,) or (N, C), target its classes.", "p is 1 or 2."]),
      operands: [OperandDef("input"), OperandDef("target"), OperandDef("weight", .optional)],
      attributes: [AttributeDef("p", .int, default: .int(1)), number("margin", 1), reduction],
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened()
        guard x.rank == 1 || x.rank == 2, c.inputs[1].rank == x.rank - 1 else {
          throw c.check.error(
            .shape, "input \(c.inputs[0].type) for a target \(c.inputs[1].type)", constraint: 1)
        }
        guard c.attributes.int(0) == 1 || c.attributes.int(0) == 2 else {
          throw c.check.error(.value, "p is \(c.attributes.int(0))", constraint: 2)
        }
        let axis = x.rank - 1
        let target = try c.inputs[1].cast(to: .int64).unsqueeze(axis)
        let chosen = try x.gathered(axis, target)
        var loss = try (x - chosen + c.attributes.float(1)).call("clamp_min", [x.full(0)])
        if c.attributes.int(0) == 2 { loss = try loss * loss }
        if c.inputs.count > 2 {
          let weight = try c.inputs[2].widened().expand(x.shape)
          loss = try loss * weight.gathered(axis, target)
        }
        let classes = try c.builder.coordinate([x.shape[axis]], 0, .int64)
        loss = try loss.full(0).selected(where: target.equals(classes), else: loss)
        let mean = try loss.mean([axis]).dropping([axis], unless: false)
        return [try mean.reduced(c.attributes.choice(2)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "multilabel_margin_loss",
      OpDoc(
        "Over classes, the sum of max(0, 1 - input[label] + input[other]) by their number; labels end at -1.",
        ["input is (C,) or (N, C) and target has its shape."]),
      operands: [OperandDef("input"), OperandDef("target")], attributes: [reduction],
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened()
        guard x.rank == 1 || x.rank == 2, c.check.equal(x.shape, c.inputs[1].shape) else {
          throw c.check.error(
            .shape, "input \(c.inputs[0].type) for a target \(c.inputs[1].type)", constraint: 1)
        }
        let axis = x.rank - 1
        let target = try c.inputs[1].cast(to: .int64)
        // Labels count up to the first negative one.
        let ended = try target.less(target.full(0)).cast(to: .int32).scan(axis, 0, false)
        let valid = try ended.equals(ended.full(0))
        let safe = try target.selected(where: valid, else: target.full(0))
        let classes = try c.builder.coordinate([x.shape[axis]], 0, .int64)
        let matches = try safe.unsqueeze(-1).equals(classes).and(valid.unsqueeze(-1))
        let isLabel = try matches.any([axis], keepDim: false)
        let chosen = try x.gathered(axis, safe)
        let gaps = try (1 - chosen.unsqueeze(-1) + x.unsqueeze(-2)).call("clamp_min", [x.full(0)])
        let counted = try valid.unsqueeze(-1).and(isLabel.not().unsqueeze(-2))
        let sum = try gaps.selected(where: counted, else: gaps.full(0)).sum([axis, axis + 1])
        let loss = try sum / x.elementCount([axis])
        return [try loss.reduced(c.attributes.choice(0)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "multilabel_soft_margin_loss",
      OpDoc(
        "The mean over the last axis of the binary cross entropy of sigmoid(input).",
        ["input and target have one shape."]),
      operands: [OperandDef("input"), OperandDef("target"), OperandDef("weight", .optional)],
      attributes: [reduction], promotion: .floating,
      .composite { c throws(LucidError) in
        let (x, y) = (try c.inputs[0].widened(), try c.inputs[1].widened())
        guard x.rank > 0, c.check.equal(x.shape, y.shape) else {
          throw c.check.error(.shape, "shapes \(x.shape) and \(y.shape)", constraint: 1)
        }
        var loss = try (1 - y) * x + (-x).softplus(threshold: 80)
        if c.inputs.count > 2 { loss = try loss * c.inputs[2].widened() }
        let mean = try loss.mean([x.rank - 1]).dropping([x.rank - 1], unless: false)
        return [try mean.reduced(c.attributes.choice(0)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "cosine_embedding_loss",
      OpDoc(
        "1 - cosine where target is 1, max(0, cosine - margin) where it is -1.",
        ["The inputs are (N, D) or (D,), the target (N,) or ()."]),
      operands: [OperandDef("input1"), OperandDef("input2"), OperandDef("target")],
      attributes: [number("margin", 0), reduction], promotion: .floating,
      .composite { c throws(LucidError) in
        let (a, b) = (try c.inputs[0].widened(), try c.inputs[1].widened())
        let y = try c.inputs[2].widened()
        guard a.rank == 1 || a.rank == 2, a.rank == b.rank, y.rank == a.rank - 1 else {
          throw c.check.error(.shape, "shapes \(a.shape), \(b.shape), \(y.shape)", constraint: 1)
        }
        let last = a.rank - 1
        let epsilon = 1e-12
        let lengths = try ((a * a).sum([last]) + epsilon) * ((b * b).sum([last]) + epsilon)
        let cosine = try (a * b).sum([last]) / lengths.sqrt()
        let zero = try cosine.full(0)
        let apart = try (cosine - c.attributes.float(0)).call("clamp_min", [zero])
        let ones = try (1 - cosine).selected(where: y.equals(y.full(1)), else: zero)
        let loss = try ones + apart.selected(where: y.equals(y.full(-1)), else: zero)
        return [try loss.reduced(c.attributes.choice(1)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "triplet_margin_loss",
      OpDoc(
        "max(0, |anchor - positive| - |anchor - negative| + margin) in the p-norm of the last axis.",
        ["The shapes broadcast together."]),
      operands: [OperandDef("anchor"), OperandDef("positive"), OperandDef("negative")],
      attributes: [
        number("margin", 1), number("p", 2), number("eps", 1e-6), flag("swap", false), reduction,
      ], promotion: .floating,
      .composite { c throws(LucidError) in
        let (p, eps) = (c.attributes.float(1), c.attributes.float(2))
        func distance(_ a: GraphValue, _ b: GraphValue) throws(LucidError) -> GraphValue {
          let d = try a.widened() - b.widened() + eps
          let axes = d.rank == 0 ? [] : [d.rank - 1]
          return try d.norm(p, axes).dropping(axes, unless: false)
        }
        let near = try distance(c.inputs[0], c.inputs[1])
        var far = try distance(c.inputs[0], c.inputs[2])
        if c.attributes.bool(3) {
          far = try far.call("minimum", [distance(c.inputs[1], c.inputs[2])])
        }
        let gap = try near - far + c.attributes.float(0)
        let loss = try gap.call("clamp_min", [gap.full(0)])
        return [try loss.reduced(c.attributes.choice(4)).narrowed(like: c.inputs[0])]
      }),
  ]
}
