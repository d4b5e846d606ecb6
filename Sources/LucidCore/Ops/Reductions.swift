import MetalPerformanceShadersGraph

/// Operations that combine elements along axes.
enum Reductions {
  static let all: [OpDef] = [
    OpDef(
      "sum",
      OpDoc(
        "The sum over axes (all of them if none are given). Integers and bools add up in int64.",
        ["Each axis lies within the rank and appears once."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .optional(.ints), default: Attribute.none),
        AttributeDef("keepdim", .bool, default: .bool(false)),
        AttributeDef("dtype", .optional(.dtype), default: Attribute.none),
      ],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let axes = try c.axes(c.attributes.optionalInts(0), rank: c.shape(0).rank)
            let dtype = c.attributes.dtype(2) ?? (c.dtype(0).isFloatingPoint ? c.dtype(0) : .int64)
            return [
              TensorType(c.shape(0).reduced(over: axes, keepDim: c.attributes.bool(1)), dtype)
            ]
          },
          vjp: .rule { c throws(LucidError) in
            let axes = try InferContext(
              op: c.op, types: c.inputs.map(\.type), attributes: c.attributes,
              symbols: c.builder.symbols
            ).axes(c.attributes.optionalInts(0), rank: c.inputs[0].rank)
            let kept = c.inputs[0].shape.reduced(over: axes, keepDim: true)
            return [
              try c.cotangent().reshape(kept).expand(c.inputs[0].shape).cast(to: c.inputs[0].dtype)
            ]
          },
          lower: { c throws(LucidError) in
            let source = c.graph.castIfNeeded(c.inputs[0], c.outputTypes[0].dtype, name: c.name)
            let axes = c.attributes.optionalInts(0) ?? []
            return [
              c.reduce(source, axes: axes) { graph, x, axes, name in
                graph.reductionSum(with: x, axes: axes, name: name)
              }
            ]
          })))
  ]
}

extension Shape {
  /// The shape after a reduction over `axes`.
  func reduced(over axes: [Int], keepDim: Bool) -> Shape {
    var out: [Dim] = []
    for (i, dim) in dims.enumerated() {
      if !axes.contains(i) { out.append(dim) } else if keepDim { out.append(1) }
    }
    return Shape(out)
  }
}
