import MetalPerformanceShadersGraph

// Indexing with a list of integer tensors: the indexed axes are joined into one, the indices into
// one position along it.

extension Indexing {
  static let advanced: [OpDef] = [
    OpDef(
      "index",
      OpDoc(
        "The elements at integer tensors, one for each axis in axes, broadcast together.",
        [
          indexConstraint, "There is one index per axis.", "The shapes of the indices broadcast.",
        ]),
      operands: [OperandDef("input"), OperandDef("indices", .variadic)],
      attributes: [AttributeDef("axes", .ints)],
      .composite { c throws(LucidError) in
        let plan = try IndexPlan(c, firstIndex: 1)
        let rows = try plan.joined(c.inputs[0]).takingRows(0, plan.position)
        return [try rows.permute(plan.placement)]
      }),
    OpDef(
      "index_put",
      OpDoc(
        "input with the elements at integer tensors replaced by values, or values added to them.",
        [
          indexConstraint, "There is one index per axis.", "The shapes of the indices broadcast.",
          "values broadcasts to the shape that index gives.",
        ]),
      operands: [
        OperandDef("input"), OperandDef("values"), OperandDef("indices", .variadic),
      ],
      attributes: [
        AttributeDef("axes", .ints), AttributeDef("accumulate", .bool, default: .bool(false)),
      ],
      .composite { c throws(LucidError) in
        let plan = try IndexPlan(c, firstIndex: 2)
        let input = c.inputs[0]
        let joined = try plan.joined(input)
        let order = plan.placement
        let rowShape = plan.position.shape.dims + joined.shape.dims.dropFirst()
        let placed = Shape(order.map { rowShape[$0] })
        let values = try c.inputs[1].cast(to: input.dtype).expand(placed)
          .permute(ShapeOps.inverse(order, rank: order.count))
        let flat = try plan.position.flattened()
        let rows = try values.reshape(
          Shape(flat.shape.dims + joined.shape.dims.dropFirst()))
        let mode = c.attributes.bool(1) ? 1 : 0
        let written = try joined.call("index_scatter", [flat, rows], [.int(0), .choice(mode)])
        return [
          try written.reshape(plan.permuted).permute(
            ShapeOps.inverse(plan.order, rank: input.rank))
        ]
      }),
  ]
}

private struct IndexPlan {
  /// The axes of input, the indexed ones first.
  let order: [Int]
  let permuted: Shape
  let joinedShape: Shape
  /// The position along the joined axis, in the broadcast shape of the indices.
  let position: GraphValue
  /// How the axes of the picked rows are arranged for the result: in place of the indexed axes if
  /// these are adjacent, else first.
  let placement: [Int]

  init(_ c: ExpandContext, firstIndex: Int) throws(LucidError) {
    let input = c.inputs[0]
    let indices = Array(c.inputs.dropFirst(firstIndex))
    let axes = try c.check.axes(c.attributes.ints(0), rank: input.rank)
    guard !c.attributes.ints(0).isEmpty, input.rank > 0, indices.count == axes.count,
      axes == axes.sorted()
    else {
      throw c.check.error(
        .index, "\(indices.count) indices for the axes \(c.attributes.ints(0)) of \(input.shape)",
        constraint: 2)
    }
    var shape: Shape = []
    for (i, index) in indices.enumerated() {
      try c.check.checkIndex(firstIndex + i, constraint: 1)
      shape = try c.check.broadcast(shape, index.shape)
    }
    var sum: GraphValue?
    for (i, (axis, index)) in zip(axes, indices).enumerated() {
      var term = try index.cast(to: .int64).wrappingNegatives(input.shape[axis])
      let inner = axes[(i + 1)...].map { input.shape[$0] }
      if !inner.isEmpty { term = try term * c.builder.extent(inner, dtype: .int64) }
      sum = try sum.map { s throws(LucidError) in try s + term } ?? term
    }
    let rest = (0..<input.rank).filter { !axes.contains($0) }
    order = axes + rest
    permuted = Shape(order.map { input.shape[$0] })
    guard let extent = Shape(axes.map { input.shape[$0] }).elementCount else {
      throw c.check.error(.unsupported, "the indexed extents have no affine product")
    }
    joinedShape = Shape([extent] + rest.map { input.shape[$0] })
    position = try (sum ?? indices[0]).expand(shape)
    let adjacent = axes[axes.count - 1] - axes[0] == axes.count - 1
    let before = adjacent ? axes[0] : 0
    let n = shape.rank
    placement =
      (0..<before).map { n + $0 } + Array(0..<n) + (before..<rest.count).map { n + $0 }
  }

  func joined(_ input: GraphValue) throws(LucidError) -> GraphValue {
    try input.permute(order).reshape(joinedShape)
  }
}
