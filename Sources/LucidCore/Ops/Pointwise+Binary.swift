import MetalPerformanceShadersGraph

extension Pointwise {
  static let binary: [OpDef] = [
    binary(
      "add", "input + other.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent(), try c.cotangent()] },
      lower: { $0.addition($1, $2, name: $3) }),
    binary(
      "sub", "input - other.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent(), try -c.cotangent()] },
      lower: { $0.subtraction($1, $2, name: $3) }),
    binary(
      "mul", "input * other.",
      vjp: .rule { c throws(LucidError) in
        [try c.cotangent() * c.inputs[1], try c.cotangent() * c.inputs[0]]
      },
      lower: { $0.multiplication($1, $2, name: $3) }),
    binary(
      "div", "input / other, in floating point.", promotion: .floating,
      vjp: .rule { c throws(LucidError) in
        let g = try c.cotangent() / c.inputs[1]
        return [g, try -(g * c.outputs[0])]
      },
      lower: { $0.division($1, $2, name: $3) }),
    binary(
      "gt", "Whether input > other.", result: .bool, vjp: .none("the result is bool"),
      lower: { $0.greaterThan($1, $2, name: $3) }),
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
                nil, try g.selected(where: c.inputs[0], else: zero),
                try zero.selected(where: c.inputs[0], else: g),
              ]
            }),
          lower: { c throws(LucidError) in
            [
              c.graph.select(
                predicate: c.inputs[0], trueTensor: c.inputs[1], falseTensor: c.inputs[2],
                name: c.name)
            ]
          }))),
  ]
}
