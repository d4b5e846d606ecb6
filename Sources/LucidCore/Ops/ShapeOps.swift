import MetalPerformanceShadersGraph

/// Operations that rearrange elements without computing.
enum ShapeOps {
  static let all: [OpDef] = primitives + views + slicing

  private static let primitives: [OpDef] = [
    OpDef(
      "reshape",
      OpDoc(
        "The same elements in row-major order under another shape; one extent may be -1.",
        ["The element counts agree.", "At most one extent is -1."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("shape", .dims)],
      view: ViewRule(
        layout: { layout, _, shape in layout.reshaped(shape) },
        update: { u throws(LucidError) in try u.update.reshape(u.base.shape) }),
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(try c.reshaped(c.shape(0), to: c.attributes.dims(0)), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in [try c.cotangent().reshape(c.inputs[0].shape)] },
          lower: { c throws(LucidError) in [try c.reshape(c.inputs[0], to: c.outputTypes[0].shape)]
          }
        ))),
    OpDef(
      "permute",
      OpDoc("Reorders the axes.", ["dims names every axis once."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dims", .ints)],
      view: ViewRule(
        layout: { layout, attributes, shape in
          let rank = layout.shape.count
          let axes = attributes.ints(0).map { $0 < 0 ? $0 + rank : $0 }
          return ViewLayout(
            offset: layout.offset, shape: shape, strides: axes.map { layout.strides[$0] })
        },
        update: { u throws(LucidError) in
          try u.update.permute(inverse(u.attributes.ints(0), rank: u.base.rank))
        }),
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let given = c.attributes.ints(0)
            let axes = given.isEmpty ? [] : try c.axes(given, rank: c.shape(0).rank)
            guard axes.count == c.shape(0).rank, given.count == axes.count else {
              throw c.error(
                .value, "dims \(given) do not name each axis of shape \(c.shape(0))", constraint: 1)
            }
            return [TensorType(Shape(axes.map { c.shape(0)[$0] }), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            [try c.cotangent().permute(inverse(c.attributes.ints(0), rank: c.inputs[0].rank))]
          },
          lower: { c throws(LucidError) in
            let rank = c.inputTypes[0].rank
            guard rank > 0 else { return [c.inputs[0]] }
            let axes = c.attributes.ints(0).map { ($0 < 0 ? $0 + rank : $0) as NSNumber }
            return [c.graph.transpose(c.inputs[0], permutation: axes, name: c.name)]
          }))),
    OpDef(
      "expand",
      OpDoc(
        "Repeats extents of 1 without copying; -1 keeps an extent.",
        ["Each extent equals the wanted one or is 1."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("size", .dims)],
      view: ViewRule(
        layout: { layout, _, shape in
          let lead = shape.count - layout.shape.count
          var strides = [Int](repeating: 0, count: lead)
          for (i, extent) in layout.shape.enumerated() {
            strides.append(extent == 1 && shape[lead + i] != 1 ? 0 : layout.strides[i])
          }
          return ViewLayout(offset: layout.offset, shape: shape, strides: strides)
        },
        update: { u throws(LucidError) in
          throw LucidError(
            .runtime,
            "expand: elements of an expanded tensor share memory and cannot be written; clone it first"
          )
        }),
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(try c.expanded(c.shape(0), to: c.attributes.dims(0)), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in [try c.cotangent().summed(to: c.inputs[0].shape)] },
          lower: { c throws(LucidError) in
            [try c.broadcast(c.inputs[0], c.inputTypes[0].shape, to: c.outputTypes[0].shape)]
          }))),
  ]

  static func inverse(_ permutation: [Int], rank: Int) -> [Int] {
    var out = Array(0..<rank)
    for (i, axis) in permutation.enumerated() { out[axis < 0 ? axis + rank : axis] = i }
    return out
  }
}
