import MetalPerformanceShadersGraph

/// Soft-max and its relatives.
enum Softmax {
  static let all: [OpDef] = [
    along("softmax", "exp(input) over its sum along an axis; NaN where all are -inf.") {
      x, axis throws(LucidError) in try x.softmax(axis)
    },
    along("log_softmax", "The logarithm of softmax, without its underflow.") {
      x, axis throws(LucidError) in try x.logSoftmax(axis)
    },
    along("softmin", "softmax of the negated operand.") {
      x, axis throws(LucidError) in try (-x).softmax(axis)
    },
    lines(
      "softmax_lines", "softmax of a floating-point operand with axes.",
      vjp: { y, g, axis throws(LucidError) in
        let gy = try g * y
        return try gy - y * gy.sum([axis], keepDim: true)
      },
      lower: { graph, x, axis, name in graph.softMax(with: x, axis: axis, name: name) }),
    lines(
      "log_softmax_lines", "log_softmax of a floating-point operand with axes.",
      vjp: { y, g, axis throws(LucidError) in
        try g - y.exp() * g.sum([axis], keepDim: true)
      },
      lower: { graph, x, axis, name in
        let top = graph.reductionMaximumPropagateNaN(with: x, axis: axis, name: name)
        let shifted = graph.subtraction(x, top, name: name)
        let sum = graph.reductionSum(
          with: graph.exponent(with: shifted, name: name), axis: axis, name: name)
        return graph.subtraction(shifted, graph.logarithm(with: sum, name: name), name: name)
      }),
  ]

  private static func along(
    _ name: String, _ summary: String,
    _ body: @escaping @Sendable (GraphValue, Int) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary,
        ["The axis lies within the rank.", "The element type, or dtype if given, is floating."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("dim", .int), Reductions.dtypeAttribute],
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let dtype = c.attributes.dtype(1) ?? input.dtype
        guard dtype.isFloatingPoint else {
          throw c.check.error(.dtype, "not defined for element type \(dtype)", constraint: 2)
        }
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        let line = input.rank == 0 ? try input.reshape([1]) : input
        let result = try body(line.cast(to: .float32), axis)
        return [try result.cast(to: dtype).reshape(input.shape)]
      })
  }

  private static func lines(
    _ name: String, _ summary: String,
    vjp:
      @escaping @Sendable (_ y: GraphValue, _ g: GraphValue, Int) throws(LucidError)
      -> GraphValue,
    lower: @escaping @Sendable (MPSGraph, MPSGraphTensor, Int, String) -> MPSGraphTensor
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["dim is an axis of input.", "The element type is floating."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dim", .int)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard c.attributes.int(0) >= 0, c.attributes.int(0) < c.shape(0).rank else {
              throw c.error(.index, "axis \(c.attributes.int(0)) of \(c.shape(0))", constraint: 1)
            }
            try ElementKinds.floating.check(c, operand: 0, constraint: 2)
            return [TensorType(c.shape(0), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            [try vjp(c.outputs[0], c.cotangent(), c.attributes.int(0))]
          },
          lower: { c throws(LucidError) in
            c.alongAxis(c.inputs[0], c.attributes.int(0)) { graph, x, axis, name in
              [lower(graph, x, axis, name)]
            }
          })))
  }
}

extension GraphValue {
  func softmax(_ axis: Int) throws(LucidError) -> GraphValue {
    try call("softmax_lines", [], [.int(axis)])
  }

  func logSoftmax(_ axis: Int) throws(LucidError) -> GraphValue {
    try call("log_softmax_lines", [], [.int(axis)])
  }
}
