import MetalPerformanceShadersGraph

extension Pointwise {
  static let unary: [OpDef] = [
    unary(
      "neg", "Negates each element.", promotion: .none,
      vjp: .rule { c throws(LucidError) in [try -c.cotangent()] },
      lower: { $0.negative(with: $1, name: $2) }),
    unary(
      "exp", "The exponential of each element.",
      vjp: .rule { c throws(LucidError) in [try c.cotangent() * c.outputs[0]] },
      lower: { $0.exponent(with: $1, name: $2) }),
    unary(
      "relu", "max(input, 0), NaN staying NaN.", promotion: .none,
      vjp: .rule { c throws(LucidError) in
        let zero = try c.outputs[0].full(0)
        return [
          try c.cotangent().selected(where: try c.outputs[0].call("gt", [zero]), else: zero)
        ]
      },
      lower: { graph, x, name in
        graph.maximumWithNaNPropagation(
          x, graph.constant(0, dataType: x.dataType), name: name)
      }),
    OpDef(
      "cast",
      OpDoc(
        "Converts to another element type. Floating to integer truncates toward zero; to bool is `!= 0`."),
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
  ]
}
