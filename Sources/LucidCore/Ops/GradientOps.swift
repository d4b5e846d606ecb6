import MetalPerformanceShadersGraph

/// Operations that exist for differentiation.
enum GradientOps {
  static let all: [OpDef] = [
    OpDef(
      "detach", OpDoc("The same elements, without leading back to the operand."),
      operands: [OperandDef("input")],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in [TensorType(c.shape(0), c.dtype(0))] },
          vjp: .stop,
          lower: { c throws(LucidError) in [c.inputs[0]] })))
  ]
}
