import MetalPerformanceShadersGraph

/// Operations that work element by element, with NumPy broadcasting. The families are in files of
/// their own; this one holds the factories.
enum Pointwise {
  typealias UnaryLowering =
    @Sendable (MPSGraph, MPSGraphTensor, String) -> MPSGraphTensor
  typealias BinaryLowering =
    @Sendable (MPSGraph, MPSGraphTensor, MPSGraphTensor, String) -> MPSGraphTensor

  /// A unary operation of one MPSGraph node. `result` is the element type of the result, nil for the
  /// operand's.
  static func unary(
    _ name: String, _ summary: String, promotion: Promotion = .floating, result: DType? = nil,
    vjp: OpDef.VJP, lower: @escaping UnaryLowering
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary), operands: [OperandDef("input")], promotion: promotion,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in [TensorType(c.shape(0), result ?? c.dtype(0))] },
          vjp: vjp,
          lower: { c throws(LucidError) in [lower(c.graph, c.inputs[0], c.name)] })))
  }

  /// A binary operation of one MPSGraph node. The rule gives the gradients before they are summed to
  /// the operands' shapes.
  static func binary(
    _ name: String, _ summary: String, promotion: Promotion = .common, result: DType? = nil,
    vjp: OpDef.VJP, lower: @escaping BinaryLowering
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The shapes of input and other broadcast together."]),
      operands: [OperandDef("input"), OperandDef("other")], promotion: promotion,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(try c.broadcast(c.shape(0), c.shape(1)), result ?? c.dtype(0))]
          },
          vjp: summedToOperands(vjp),
          lower: { c throws(LucidError) in [lower(c.graph, c.inputs[0], c.inputs[1], c.name)] })))
  }

  /// The rule with each gradient summed over what broadcasting added.
  static func summedToOperands(_ vjp: OpDef.VJP) -> OpDef.VJP {
    guard case .rule(let rule) = vjp else { return vjp }
    return .rule { c throws(LucidError) in
      var out: [GraphValue?] = []
      for (gradient, input) in zip(try rule(c), c.inputs) {
        out.append(try gradient?.summed(to: input.shape))
      }
      return out
    }
  }
}
