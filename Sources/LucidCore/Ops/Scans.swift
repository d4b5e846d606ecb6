import MetalPerformanceShadersGraph

/// Running sums, products and extrema along an axis.
enum Scans {
  static let all: [OpDef] = [
    OpDef(
      "scan",
      OpDoc(
        "The running sum, product, maximum or minimum along an axis, from the end if reverse.",
        ["The axis lies within the rank."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int), AttributeDef("kind", .choice(["sum", "prod", "max", "min"])),
        AttributeDef("reverse", .bool, default: .bool(false)),
      ],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            _ = try c.axis(c.attributes.int(0), rank: c.shape(0).rank)
            return [TensorType(c.shape(0), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            switch c.attributes.choice(1) {
            case 0:
              return [try c.cotangent().scan(c.attributes.int(0), 0, !c.attributes.bool(2))]
            case 1: return [try productGradient(c)]
            default:
              throw LucidError(.unsupported, "scan: an extremum's gradient needs its position")
            }
          },
          lower: { c throws(LucidError) in
            let (kind, reverse) = (c.attributes.choice(1), c.attributes.bool(2))
            return c.alongAxis(c.inputs[0], c.attributes.int(0)) { graph, x, axis, name in
              switch kind {
              case 0:
                [
                  graph.cumulativeSum(
                    x, axis: axis, exclusive: false, reverse: reverse, name: name)
                ]
              case 1:
                [
                  graph.cumulativeProduct(
                    x, axis: axis, exclusive: false, reverse: reverse, name: name)
                ]
              case 2:
                [
                  graph.cumulativeMaximum(
                    x, axis: axis, exclusive: false, reverse: reverse, name: name)
                ]
              default:
                [
                  graph.cumulativeMinimum(
                    x, axis: axis, exclusive: false, reverse: reverse, name: name)
                ]
              }
            }
          }))),
    running("cumsum", "The running sum along an axis; integers and bools add up in int64.", 0),
    running("cumprod", "The running product along an axis; integers multiply in int64.", 1),
    extremum("cummax", "The running maximum along an axis, and its last position.", true),
    extremum("cummin", "The running minimum along an axis, and its last position.", false),
    OpDef(
      "logcumsumexp",
      OpDoc(
        "The logarithm of the running sum of exponentials; its cost is quadratic in the extent.",
        ["The axis lies within the rank."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dim", .int)],
      promotion: .floating,
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        if input.rank == 0 { return [try input.call("clone")] }
        let last = input.rank - 1
        let x = try input.widened().transpose(axis, last)
        let n = x.shape[last]
        // Row i sees the elements up to i.
        let rows = try c.builder.coordinate([n, 1], 0, .int32)
        let columns = try c.builder.coordinate([1, n], 1, .int32)
        let visible = try columns.call("le", [rows])
        let wide = try x.unsqueeze(-2)
        let masked = try wide.selected(where: visible, else: wide.full(-.infinity))
        let result = try masked.logSumExp([masked.rank - 1]).dropping(
          [masked.rank - 1], unless: false)
        return [try result.transpose(axis, last).narrowed(like: input)]
      }),
  ]

  private static func running(_ name: String, _ summary: String, _ kind: Int) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The axis lies within the rank."]), operands: [OperandDef("input")],
      attributes: [AttributeDef("dim", .int), Reductions.dtypeAttribute],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        let dtype = c.attributes.dtype(1) ?? (x.dtype.isFloatingPoint ? x.dtype : .int64)
        // Half types would round at each step.
        let wide = try x.cast(to: dtype).widened()
        let result = try wide.scan(c.attributes.int(0), kind, false)
        return [try result.cast(to: dtype)]
      })
  }

  private static func extremum(_ name: String, _ summary: String, _ largest: Bool) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The axis lies within the rank."]), operands: [OperandDef("input")],
      attributes: [AttributeDef("dim", .int)], resultCount: 2,
      .composite { c throws(LucidError) in
        let x = c.inputs[0].rank == 0 ? try c.inputs[0].reshape([1]) : c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(0), rank: c.inputs[0].rank)
        let kind = largest ? 2 : 3
        let values = try x.call("detach")
        let isNaN = try values.call("isnan")
        let floor = values.dtype.isFloatingPoint ? Double.infinity : values.dtype.largestInteger
        let clean = try values.full(largest ? -floor : floor).selected(where: isNaN, else: values)
        let best = try clean.scan(axis, kind, false)
        // A NaN wins over all that come after it.
        let seenNaN = try isNaN.cast(to: .int32).scan(axis, 2, false).cast(to: .bool)
        let attains = try clean.equals(best).and(seenNaN.not()).or(isNaN)
        let index = try c.builder.coordinate(x.shape.dims, axis, .int32)
        let position = try index.selected(where: attains, else: index.full(0))
          .scan(axis, 2, false).cast(to: .int64)
        let picked = try x.gathered(axis, position)
        return [try picked.reshape(c.inputs[0].shape), try position.reshape(c.inputs[0].shape)]
      })
  }

  /// The gradient of a running product, also through zeros: before the first zero it divides; at
  /// that zero it is the running product without it; behind it nothing changes any result.
  private static func productGradient(_ c: VJPContext) throws(LucidError) -> GraphValue {
    let (x, y, g) = (c.inputs[0], c.outputs[0], try c.cotangent())
    let (dim, reverse) = (c.attributes.int(0), c.attributes.bool(2))
    let (zero, one) = (try x.full(0), try x.full(1))
    let isZero = try x.equals(zero)
    let zerosSoFar = try isZero.cast(to: .int32).scan(dim, 0, reverse)
    let none = try zerosSoFar.equals(zerosSoFar.full(0))
    let isFirst = try isZero.and(zerosSoFar.equals(zerosSoFar.full(1)))
    let before = try (g * y).scan(dim, 0, !reverse) / one.selected(where: isZero, else: x)
    let without = try one.selected(where: isFirst, else: x).scan(dim, 1, reverse)
    let atFirst = try (g * without).scan(dim, 0, !reverse)
    let rest = try atFirst.selected(where: isFirst, else: zero)
    return try before.selected(where: none, else: rest)
  }
}

extension GraphValue {
  /// The running sum (0), product (1), maximum (2) or minimum (3) along an axis.
  func scan(_ dim: Int, _ kind: Int, _ reverse: Bool) throws(LucidError) -> GraphValue {
    try call("scan", [], [.int(dim), .choice(kind), .bool(reverse)])
  }
}
