import Foundation

extension Losses {
  static let sequences: [OpDef] = [
    OpDef(
      "ctc_loss",
      OpDoc(
        "The connectionist temporal classification loss: -log of the probability of a target over all its alignments.",
        [
          "log_probs is (T, N, C) of a floating type; targets (N, S), input_lengths and target_lengths (N,) are integers.",
          "blank is a class.", "The extents do not depend on the batch.",
        ], source: "Graves et al., \"Connectionist temporal classification\" (2006)"),
      operands: [
        OperandDef("log_probs"), OperandDef("targets"), OperandDef("input_lengths"),
        OperandDef("target_lengths"),
      ],
      attributes: [
        AttributeDef("blank", .int, default: .int(0)), reduction, flag("zero_infinity", false),
      ],
      .composite { c throws(LucidError) in
        let logs = try c.inputs[0].widened()
        guard logs.rank == 3, logs.dtype == .float32, c.inputs[1].rank == 2,
          c.inputs[2].rank == 1, c.inputs[3].rank == 1,
          c.inputs.dropFirst().allSatisfy({ !$0.dtype.isFloatingPoint && $0.dtype != .bool })
        else {
          throw c.check.error(
            .shape, "operands \(c.inputs.map(\.type.description).joined(separator: ", "))",
            constraint: 1)
        }
        let batch = logs.shape[1]
        guard c.inputs.dropFirst().allSatisfy({ c.check.equal($0.shape[0], batch) }) else {
          throw c.check.error(.shape, "the batch sizes differ", constraint: 1)
        }
        let blank = c.attributes.int(0)
        guard blank >= 0, c.check.lessOrEqual(Dim(blank) + 1, logs.shape[2]) else {
          throw c.check.error(.value, "blank \(blank) of \(logs.shape[2]) classes", constraint: 2)
        }
        let loss = try negativeLogLikelihood(c, logs, blank)
        let lengths = try c.inputs[3].cast(to: .float32)
        var samples = loss
        if c.attributes.bool(2) {
          samples = try loss.full(0).selected(where: loss.call("isinf"), else: loss)
        }
        if c.attributes.choice(1) == 1 {
          samples = try samples / lengths.call("clamp_min", [lengths.full(1)])
        }
        return [try samples.reduced(c.attributes.choice(1)).narrowed(like: c.inputs[0])]
      })
  ]

  /// The forward recursion over the target with blanks between, in logarithms. What is impossible
  /// has a large finite cost, so that no gradient is inf - inf; the result is made infinite again.
  private static func negativeLogLikelihood(
    _ c: ExpandContext, _ logs: GraphValue, _ blank: Int
  ) throws(LucidError) -> GraphValue {
    let impossible = -1e30
    let steps = c.check.number(logs.shape[0], "ctc_loss counts its steps")
    let length = c.check.number(c.inputs[1].shape[1], "ctc_loss counts its targets")
    let batch = logs.shape[1]
    let targets = try c.inputs[1].cast(to: .int64)
    // blank, target 0, blank, target 1, …, blank
    let blanks = try targets.fullLike(Double(blank))
    let pairs = try [blanks.unsqueeze(2), targets.unsqueeze(2)].joined(2)
    let last = try c.builder.full(Double(blank), shape: [batch, 1], dtype: .int64)
    let labels = try [pairs.reshape([batch, Dim(2 * length)]), last].joined(1)
    let states = 2 * length + 1
    let place = try c.builder.coordinate([1, Dim(states)], 1, .int64)
    // A state may be entered from two before if that is another label.
    let twoBack = try labels.pad([0, 0, 2, 0], value: -1).narrow(1, 0, Dim(states))
    let skips = try labels.call("ne", [twoBack]).and(
      labels.call("ne", [labels.full(Double(blank))]))
    let floor = try logs.full(impossible)
    func emitted(_ t: Int) throws(LucidError) -> GraphValue {
      let step = try logs.narrow(0, Dim(t), 1).reshape([batch, logs.shape[2]])
      let scores = try step.gathered(1, labels)
      return try scores.call("clamp_min", [floor])
    }
    guard steps > 0 else { throw c.check.error(.value, "there are no steps", constraint: 1) }
    let isStart = try place.less(place.full(2))
    var alpha = try emitted(0).selected(where: isStart, else: floor)
    for t in 1..<max(steps, 1) {
      let one = try alpha.pad([0, 0, 1, 0], value: impossible).narrow(1, 0, Dim(states))
      let two = try alpha.pad([0, 0, 2, 0], value: impossible).narrow(1, 0, Dim(states))
      let from = try two.selected(where: skips, else: floor)
      let stacked = try [alpha.unsqueeze(2), one.unsqueeze(2), from.unsqueeze(2)].joined(2)
      let sum = try stacked.logSumExp([2]).dropping([2], unless: false)
      let next = try (sum + emitted(t)).call("clamp_min", [floor])
      let runs = try c.inputs[2].cast(to: .int64).unsqueeze(1)
      alpha = try next.selected(where: runs.greater(runs.full(Double(t))), else: alpha)
    }
    // The path ends in the last label or the blank behind it.
    let ends = try c.inputs[3].cast(to: .int64).unsqueeze(1) * 2
    let isEnd = try place.equals(ends).or(place.equals(ends - 1))
    let final = try alpha.selected(where: isEnd, else: floor)
    let total = try final.logSumExp([1]).dropping([1], unless: false)
    let isImpossible = try total.less(total.full(impossible / 2))
    return try total.full(.infinity).selected(where: isImpossible, else: -total)
  }
}
