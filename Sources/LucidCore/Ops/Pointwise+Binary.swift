import Foundation
import MetalPerformanceShadersGraph

extension Pointwise {
  static let binary: [OpDef] = arithmetic + division + selection + scaled

  private static let arithmetic: [OpDef] = [
    binary(
      "add", "input + other; for bools, or.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent(), try c.cotangent()] },
      lower: { graph, a, b, name in
        a.dataType == .bool
          ? graph.logicalOR(a, b, name: name) : graph.addition(a, b, name: name)
      }),
    binary(
      "sub", "input - other.", accepts: .numeric,
      vjp: .rule { c throws(LucidError) in [try c.cotangent(), try -c.cotangent()] },
      lower: { $0.subtraction($1, $2, name: $3) }),
    binary(
      "mul", "input * other; for bools, and.",
      vjp: .rule { c throws(LucidError) in
        let g = try c.cotangent()
        return [
          c.wanted[0] ? try g * c.inputs[1] : nil, c.wanted[1] ? try g * c.inputs[0] : nil,
        ]
      },
      lower: { graph, a, b, name in
        a.dataType == .bool
          ? graph.logicalAND(a, b, name: name) : graph.multiplication(a, b, name: name)
      }),
    binary(
      "pow", "input to the power of other.", accepts: .numeric,
      vjp: .rule { c throws(LucidError) in
        let (x, e, g) = (c.inputs[0], c.inputs[1], try c.cotangent())
        let zero = try g.full(0)
        var toBase: GraphValue?
        if c.wanted[0] {
          let slope = try g * (e * x.call("pow", [e - 1]))
          toBase = try zero.selected(where: e.equals(zero), else: slope)
        }
        var toExponent: GraphValue?
        if c.wanted[1] {
          // 0 to a non-negative power stays 0 (or 1) when the exponent moves.
          let flat = try x.equals(zero).call("logical_and", [e.call("ge", [zero])])
          let slope = try g * (c.outputs[0] * x.log())
          toExponent = try zero.selected(where: flat, else: slope)
        }
        return [toBase, toExponent]
      },
      lower: { graph, a, b, name in
        a.dataType.isFloat ? graph.power(a, b, name: name) : graph.integerPower(a, b, name)
      }),
    composite(
      "pow_scalar", "input to the power of a constant.", [AttributeDef("exponent", .float)],
      promotion: .none, wide: false
    ) { x, attributes throws(LucidError) in
      let exponent = attributes.float(0)
      switch exponent {
      case 0: return try x.fullLike(1)
      case 1: return try x.call("clone")
      case 2: return try x * x
      case 3: return try x * x * x
      default: break
      }
      let isWhole = exponent.rounded() == exponent
      let base = !x.dtype.isFloatingPoint && !isWhole ? try x.cast(to: .float32) : x
      switch exponent {
      case 0.5: return try base.sqrt()
      case -1 where base.dtype.isFloatingPoint: return try base.call("reciprocal")
      case -0.5: return try base.call("rsqrt")
      default: return try base.call("pow", [base.full(exponent)])
      }
    },
    composite2("float_power", "input to the power of other, in floating point.") {
      x, e, _ throws(LucidError) in try x.call("pow", [e])
    },
    binary(
      "atan2", "The angle of the point (other, input).", promotion: .floating,
      vjp: .rule { c throws(LucidError) in
        let (y, x) = (c.inputs[0], c.inputs[1])
        let scaled = try c.cotangent() / (y * y + x * x)
        return [try scaled * x, try -(scaled * y)]
      },
      lower: { $0.atan2(withPrimaryTensor: $1, secondaryTensor: $2, name: $3) }),
    binary(
      "hypot", "sqrt(input² + other²) without overflow.", promotion: .floating,
      vjp: .rule { c throws(LucidError) in
        let (a, b, g) = (c.inputs[0], c.inputs[1], try c.cotangent())
        return [try g * (a / c.outputs[0]), try g * (b / c.outputs[0])]
      },
      lower: { $0.hypotenuse($1, $2, $3) }),
    binary(
      "nextafter", "The next number after input toward other; float32 only.",
      accepts: .floating, vjp: .none("the result is a step function of the operands"),
      lower: { graph, a, b, name in
        graph.inFloat32(a, name) { x in
          graph.nextAfter(x, graph.cast(b, to: .float32, name: name), name)
        }
      }),
    composite2("copysign", "The magnitude of input with the sign of other.", wide: false) {
      a, b, _ throws(LucidError) in
      let magnitude = try a.call("abs")
      return try (-magnitude).selected(where: b.call("signbit"), else: magnitude)
    },
    composite2("xlogy", "input · log(other), 0 where input is 0 and other is not NaN.") {
      x, y, _ throws(LucidError) in
      let (zero, one) = (try x.full(0), try x.full(1))
      let drops = try x.equals(zero).call(
        "logical_and", [y.call("isnan").call("logical_not")])
      let product = try x * one.selected(where: drops, else: y).log()
      return try zero.selected(where: drops, else: product)
    },
    composite2("logaddexp", "log(exp(input) + exp(other)).") { a, b, _ throws(LucidError) in
      try logAddExp(a, b, scale: 1)
    },
    composite2("logaddexp2", "log2(2^input + 2^other).") { a, b, _ throws(LucidError) in
      try logAddExp(a, b, scale: M_LN2)
    },
    composite2("heaviside", "0 for negative input, 1 for positive, other at 0.", promotion: .common)
    { x, values, _ throws(LucidError) in
      let zero = try x.full(0)
      let step = try x.greater(zero).cast(to: x.dtype)
      return try values.selected(where: x.equals(zero), else: step)
    },
  ]

  /// log(exp(a - m) + exp(b - m)) + m with m the larger, whose gradient is the soft-max weight
  /// everywhere. An infinite m is not subtracted: it would give inf - inf.
  private static func logAddExp(
    _ a: GraphValue, _ b: GraphValue, scale: Double
  ) throws(LucidError) -> GraphValue {
    let top = try a.call("maximum", [b]).call("detach")
    let infinite = try top.call("isinf")
    let shift = try top.full(0).selected(where: infinite, else: top)
    let sum = try ((a - shift) * scale).exp() + ((b - shift) * scale).exp()
    return try sum.log() / scale + shift
  }

  private static let division: [OpDef] = [
    binary(
      "div", "input / other, in floating point.", promotion: .floating,
      vjp: .rule { c throws(LucidError) in
        let g = try c.cotangent() / c.inputs[1]
        return [g, c.wanted[1] ? try -(g * c.outputs[0]) : nil]
      },
      lower: { $0.division($1, $2, name: $3) }),
    binary(
      "floor_divide", "The quotient rounded down; integers stay integers.", accepts: .numeric,
      vjp: .zero, lower: { $0.floorDivision($1, $2, $3) }),
    binary(
      "trunc_divide", "The quotient rounded toward zero; integers stay integers.",
      accepts: .numeric, vjp: .zero, lower: { $0.truncatedDivision($1, $2, $3) }),
    binary(
      "fmod", "The remainder with the sign of input.", accepts: .numeric,
      vjp: .rule { c throws(LucidError) in
        let g = try c.cotangent()
        let quotient = try c.inputs[0].call("trunc_divide", [c.inputs[1]])
        return [g, try -(g * quotient)]
      },
      lower: { $0.modulo($1, $2, name: $3) }),
    binary(
      "remainder", "The remainder with the sign of other, as Python's %.", accepts: .numeric,
      vjp: .rule { c throws(LucidError) in
        let g = try c.cotangent()
        let quotient = try c.inputs[0].call("floor_divide", [c.inputs[1]])
        return [g, try -(g * quotient)]
      },
      lower: { $0.pythonRemainder($1, $2, $3) }),
  ]

  private static let selection: [OpDef] = [
    extremum("maximum", "The larger of two elements; NaN if either is.", "lt") {
      $0.maximumOf($1, $2, $3)
    },
    extremum("minimum", "The smaller of two elements; NaN if either is.", "gt") {
      $0.minimumOf($1, $2, $3)
    },
    composite2(
      "fmax", "The larger of two elements; NaN only if both are.", promotion: .common, wide: false
    ) { a, b, _ throws(LucidError) in try ignoringNaN(a, b, "maximum") },
    composite2(
      "fmin", "The smaller of two elements; NaN only if both are.", promotion: .common, wide: false
    ) { a, b, _ throws(LucidError) in try ignoringNaN(a, b, "minimum") },
    OpDef(
      "where",
      OpDoc(
        "Takes input where the condition holds, else other.",
        ["condition is bool.", "All three shapes broadcast together."]),
      operands: [OperandDef("condition"), OperandDef("input"), OperandDef("other")],
      promotion: .common(from: 1),
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard c.dtype(0) == .bool else {
              throw c.error(
                .dtype, "the condition has type \(c.dtype(0)), expected bool", constraint: 1)
            }
            let values = try c.broadcast(c.shape(1), c.shape(2))
            return [TensorType(try c.broadcast(c.shape(0), values), c.dtype(1))]
          },
          vjp: summedToOperands(
            .rule { c throws(LucidError) in
              let g = try c.cotangent()
              let zero = try g.full(0)
              return [
                nil, c.wanted[1] ? try g.selected(where: c.inputs[0], else: zero) : nil,
                c.wanted[2] ? try zero.selected(where: c.inputs[0], else: g) : nil,
              ]
            }),
          lower: { c throws(LucidError) in
            [
              c.graph.select(
                predicate: c.inputs[0], trueTensor: c.inputs[1], falseTensor: c.inputs[2],
                name: c.name)
            ]
          }))),
    OpDef(
      "clamp",
      OpDoc(
        "Limits input to [min, max]; max wins where they cross. NaN stays NaN.",
        ["The shapes of input, min and max broadcast together."]),
      operands: [OperandDef("input"), OperandDef("min"), OperandDef("max")], promotion: .common,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let limits = try c.broadcast(c.shape(1), c.shape(2))
            return [TensorType(try c.broadcast(c.shape(0), limits), c.dtype(0))]
          },
          vjp: summedToOperands(
            .rule { c throws(LucidError) in
              let (x, low, high) = (c.inputs[0], c.inputs[1], c.inputs[2])
              let g = try c.cotangent()
              let zero = try g.full(0)
              let below = try x.less(low)
              let above = try x.greater(high)
              let crossed = try low.greater(high)
              let inside = try zero.selected(
                where: above, else: zero.selected(where: below, else: g))
              let toLow = try zero.selected(
                where: crossed, else: g.selected(where: below, else: zero))
              let beyond = try above.call("logical_or", [below.call("logical_and", [crossed])])
              return [inside, toLow, try g.selected(where: beyond, else: zero)]
            }),
          lower: { c throws(LucidError) in
            let raised = c.graph.maximumOf(c.inputs[0], c.inputs[1], c.name)
            return [c.graph.minimumOf(raised, c.inputs[2], c.name)]
          }))),
    limit("clamp_min", "The larger of input and min, all of the gradient to input on a tie.", "lt")
    {
      $0.maximumOf($1, $2, $3)
    },
    limit("clamp_max", "The smaller of input and max, all of the gradient to input on a tie.", "gt")
    { $0.minimumOf($1, $2, $3) },
    OpDef(
      "masked_fill",
      OpDoc(
        "input with value where the mask holds.",
        ["mask is bool and broadcasts with input.", "value has one element."]),
      operands: [OperandDef("input"), OperandDef("mask"), OperandDef("value")],
      .composite { c throws(LucidError) in
        let (input, mask, value) = (c.inputs[0], c.inputs[1], c.inputs[2])
        guard mask.dtype == .bool else {
          throw c.check.error(.dtype, "the mask has type \(mask.dtype)", constraint: 1)
        }
        let filler = try value.cast(to: input.dtype).reshape([])
        return [try filler.selected(where: mask, else: input)]
      }),
  ]

  /// Gradients go to the operand that was taken, half to each on a tie, as in PyTorch.
  private static func extremum(
    _ name: String, _ summary: String, _ loses: StaticString, _ lower: @escaping BinaryLowering
  ) -> OpDef {
    binary(
      name, summary,
      vjp: .rule { c throws(LucidError) in
        let (a, b, g) = (c.inputs[0], c.inputs[1], try c.cotangent())
        let zero = try g.full(0)
        let shared = try (g * 0.5).selected(where: a.equals(b), else: g)
        return [
          c.wanted[0] ? try zero.selected(where: a.call(loses, [b]), else: shared) : nil,
          c.wanted[1] ? try zero.selected(where: b.call(loses, [a]), else: shared) : nil,
        ]
      }, lower: lower)
  }

  private static func limit(
    _ name: String, _ summary: String, _ loses: StaticString, _ lower: @escaping BinaryLowering
  ) -> OpDef {
    binary(
      name, summary,
      vjp: .rule { c throws(LucidError) in
        let (a, b, g) = (c.inputs[0], c.inputs[1], try c.cotangent())
        let zero = try g.full(0)
        let beyond = try a.call(loses, [b])
        return [
          try zero.selected(where: beyond, else: g), try g.selected(where: beyond, else: zero),
        ]
      }, lower: lower)
  }

  private static func ignoringNaN(
    _ a: GraphValue, _ b: GraphValue, _ name: StaticString
  ) throws(LucidError) -> GraphValue {
    let both = try a.call(name, [b])
    let orFirst = try a.selected(where: b.call("isnan"), else: both)
    return try b.selected(where: a.call("isnan"), else: orFirst)
  }

  private static let scaled: [OpDef] = [
    OpDef(
      "lerp", OpDoc("input + weight · (end - input).", ["All shapes broadcast together."]),
      operands: [OperandDef("input"), OperandDef("end"), OperandDef("weight")],
      promotion: .floating,
      .composite { c throws(LucidError) in
        let (a, b, w) = (c.inputs[0], c.inputs[1], c.inputs[2])
        let step = try b - a
        // Each form is exact at its end of the range.
        let nearEnd = try b - step * (1 - w)
        let isNearStart = try w.call("abs").less(w.full(0.5))
        return [try (a + w * step).selected(where: isNearStart, else: nearEnd)]
      }),
    threeWay("addcmul", "input + value · tensor1 · tensor2.") {
      a, b throws(LucidError) in try a * b
    },
    threeWay("addcdiv", "input + value · tensor1 / tensor2.") {
      a, b throws(LucidError) in try a / b
    },
  ]

  private static func threeWay(
    _ name: String, _ summary: String,
    _ combine: @escaping @Sendable (GraphValue, GraphValue) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["All shapes broadcast together."]),
      operands: [OperandDef("input"), OperandDef("tensor1"), OperandDef("tensor2")],
      attributes: [AttributeDef("value", .float, default: .float(1.0))], promotion: .common,
      .composite { c throws(LucidError) in
        let term = try combine(c.inputs[1], c.inputs[2])
        let value = c.attributes.float(0)
        return [try c.inputs[0] + (value == 1 ? term : term * value)]
      })
  }
}

extension MPSGraph {
  /// The larger element, NaN if either is. Apple's NaN-propagating form aborts on integers.
  func maximumOf(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    a.dataType.isFloat
      ? maximumWithNaNPropagation(a, b, name: name) : maximum(a, b, name: name)
  }

  /// The smaller element, NaN if either is.
  func minimumOf(_ a: MPSGraphTensor, _ b: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    a.dataType.isFloat
      ? minimumWithNaNPropagation(a, b, name: name) : minimum(a, b, name: name)
  }
}
