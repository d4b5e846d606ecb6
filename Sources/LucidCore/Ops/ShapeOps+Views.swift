import MetalPerformanceShadersGraph

extension ShapeOps {
  static let views: [OpDef] = [
    reshaped(
      "view", "The same elements under another shape; one extent may be -1.",
      ["The element counts agree.", "At most one extent is -1."], [AttributeDef("shape", .dims)]
    ) { c throws(LucidError) in c.attributes.dims(0) },
    reshaped(
      "flatten", "Joins the axes from start_dim to end_dim into one.",
      ["start_dim does not come after end_dim."],
      [
        AttributeDef("start_dim", .int, default: .int(0)),
        AttributeDef("end_dim", .int, default: .int(-1)),
      ]
    ) { c throws(LucidError) in
      let shape = c.shape(0)
      if shape.rank == 0 { return [1] }
      let first = try c.axis(c.attributes.int(0), rank: shape.rank)
      let last = try c.axis(c.attributes.int(1), rank: shape.rank)
      guard first <= last else {
        throw c.error(.value, "start_dim comes after end_dim", constraint: 1)
      }
      guard let joined = Shape(Array(shape.dims[first...last])).elementCount else {
        throw c.error(.unsupported, "the extents of \(shape) have no affine product")
      }
      return shape.dims[..<first] + [joined] + shape.dims[(last + 1)...]
    },
    reshaped(
      "unflatten", "Splits an axis into several; one extent may be -1.",
      ["The product of sizes is the axis's extent."],
      [AttributeDef("dim", .int), AttributeDef("sizes", .dims)]
    ) { c throws(LucidError) in
      let shape = c.shape(0)
      let axis = try c.axis(c.attributes.int(0), rank: shape.rank)
      guard shape.rank > 0 else { throw c.error(.shape, "a rank-0 operand has no axis") }
      let parts = try c.reshaped([shape[axis]], to: c.attributes.dims(1)).dims
      return shape.dims[..<axis] + parts + shape.dims[(axis + 1)...]
    },
    reshaped(
      "squeeze", "Drops the given axes of extent 1, or all such axes.", [],
      [AttributeDef("dim", .optional(.ints), default: Attribute.none)]
    ) { c throws(LucidError) in
      let shape = c.shape(0)
      var axes = Array(0..<shape.rank)
      if let given = c.attributes.optionalInts(0) {
        axes = given.isEmpty ? [] : try c.axes(given, rank: shape.rank)
      }
      return shape.dims.enumerated().filter { !axes.contains($0) || $1 != 1 }.map(\.element)
    },
    reshaped(
      "unsqueeze", "Inserts an axis of extent 1.", ["dim lies within the rank of the result."],
      [AttributeDef("dim", .int)]
    ) { c throws(LucidError) in
      var dims = c.shape(0).dims
      let axis = try c.axis(c.attributes.int(0), rank: dims.count + 1)
      dims.insert(1, at: axis)
      return dims
    },
    permuted(
      "transpose", "Swaps two axes.", [AttributeDef("dim0", .int), AttributeDef("dim1", .int)]
    ) { attributes, rank in
      guard let a = wrapped(attributes.int(0), rank), let b = wrapped(attributes.int(1), rank)
      else { return nil }
      var order = Array(0..<rank)
      if rank > 0 { order.swapAt(a, b) }
      return order
    },
    permuted("t", "The transpose of a matrix; vectors and scalars stay.", []) { _, rank in
      rank <= 2 ? Array((0..<rank).reversed()) : nil
    },
    permuted(
      "movedim", "Moves axes to other places; the others keep their order.",
      [AttributeDef("source", .ints), AttributeDef("destination", .ints)]
    ) { attributes, rank in
      let sources = attributes.ints(0).compactMap { wrapped($0, rank) }
      let targets = attributes.ints(1).compactMap { wrapped($0, rank) }
      guard sources.count == attributes.ints(0).count, targets.count == sources.count,
        Set(sources).count == sources.count, Set(targets).count == targets.count,
        attributes.ints(1).count == sources.count
      else { return nil }
      guard rank > 0 else { return [] }
      var rest = (0..<rank).filter { !sources.contains($0) }.makeIterator()
      return (0..<rank).map { place in
        targets.firstIndex(of: place).map { sources[$0] } ?? rest.next() ?? 0
      }
    },
    OpDef(
      "diagonal",
      OpDoc(
        "The diagonal of two axes, as the last axis.", ["dim1 and dim2 are different axes."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("offset", .int, default: .int(0)),
        AttributeDef("dim1", .int, default: .int(0)), AttributeDef("dim2", .int, default: .int(1)),
      ],
      view: ViewRule(
        layout: { layout, attributes, shape in
          let rank = layout.shape.count
          guard let a = wrapped(attributes.int(1), rank), let b = wrapped(attributes.int(2), rank),
            a != b, rank >= 2
          else { return nil }
          let offset = bounded(attributes.int(0))
          let kept = (0..<rank).filter { $0 != a && $0 != b }
          return ViewLayout(
            offset: layout.offset
              + (offset >= 0 ? offset * layout.strides[b] : -offset * layout.strides[a]),
            shape: shape,
            strides: kept.map { layout.strides[$0] } + [layout.strides[a] + layout.strides[b]])
        },
        update: { u throws(LucidError) in
          let d = try Diagonal(u.base.shape, u.attributes, u.base.check("diagonal"))
          let flat = try u.base.permute(d.order).reshape(d.flat)
          let updated = try flat.updatingSlice(u.update, d.starts, d.lengths, d.steps)
          let order = inverse(d.order, rank: u.base.rank)
          return try updated.reshape(d.permuted).permute(order)
        }),
      .composite { c throws(LucidError) in
        let d = try Diagonal(c.inputs[0].shape, c.attributes, c.check)
        let flat = try c.inputs[0].permute(d.order).reshape(d.flat)
        return [try flat.slice(d.starts, d.lengths, d.steps)]
      }),
    OpDef(
      "unfold",
      OpDoc(
        "Windows of an axis, step apart, as a new last axis.",
        ["size is at most the extent of the axis, step is positive."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dimension", .int), AttributeDef("size", .int), AttributeDef("step", .int),
      ],
      view: ViewRule(
        layout: { layout, attributes, shape in
          let rank = layout.shape.count
          guard let axis = wrapped(attributes.int(0), rank), rank > 0 else { return nil }
          var strides = layout.strides
          strides[axis] = Dim.multiply(strides[axis], attributes.int(2))
          return ViewLayout(
            offset: layout.offset, shape: shape, strides: strides + [layout.strides[axis]])
        },
        update: { _ throws(LucidError) in
          throw LucidError(.runtime, "unfold: windows overlap and cannot be written; clone first")
        }),
      .composite { c throws(LucidError) in
        let (input, size, step) = (c.inputs[0], c.attributes.int(1), c.attributes.int(2))
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        guard input.rank > 0, size >= 0, step > 0 else {
          throw c.check.error(.value, "size \(size) and step \(step) fit no axis", constraint: 1)
        }
        let extent = c.check.number(input.shape[axis], "unfold counts its windows")
        guard size <= extent else {
          throw c.check.error(
            .value, "size \(size) exceeds the extent \(extent) of axis \(axis)", constraint: 1)
        }
        let count = (extent - size) / step + 1
        let positions = (0..<count).flatMap { window in (0..<size).map { window * step + $0 } }
        let index = try c.builder.integers(positions).reshape([Dim(count), Dim(size)])
        let windows = try input.takingRows(axis, index)
        var order = Array(0..<windows.rank)
        order.append(order.remove(at: axis + 1))
        return [try windows.permute(order)]
      }),
  ]

  /// A view that only changes the shape.
  private static func reshaped(
    _ name: String, _ summary: String, _ constraints: [String], _ attributes: [AttributeDef],
    _ shape: @escaping @Sendable (InferContext) throws(LucidError) -> [Dim]
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, constraints), operands: [OperandDef("input")], attributes: attributes,
      view: ViewRule(
        layout: { layout, _, shape in layout.reshaped(shape) },
        update: { u throws(LucidError) in try u.update.reshape(u.base.shape) }),
      .composite { c throws(LucidError) in
        [try c.inputs[0].call("reshape", [], [.dims(shape(c.check))])]
      })
  }

  /// A view that only reorders axes. `order` is nil for attributes that name no permutation.
  private static func permuted(
    _ name: String, _ summary: String, _ attributes: [AttributeDef],
    _ order: @escaping @Sendable (Attributes, Int) -> [Int]?
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The axes lie within the rank."]), operands: [OperandDef("input")],
      attributes: attributes,
      view: ViewRule(
        layout: { layout, attributes, shape in
          order(attributes, layout.shape.count).map { order in
            ViewLayout(
              offset: layout.offset, shape: shape, strides: order.map { layout.strides[$0] })
          }
        },
        update: { u throws(LucidError) in
          try u.update.permute(
            inverse(order(u.attributes, u.base.rank) ?? [], rank: u.base.rank))
        }),
      .composite { c throws(LucidError) in
        guard let axes = order(c.attributes, c.inputs[0].rank) else {
          throw c.check.error(
            .index, "the axes do not fit shape \(c.inputs[0].shape)", constraint: 1)
        }
        return [try c.inputs[0].permute(axes)]
      })
  }

  /// A diagonal's offset limited to what can meet an element, so that arithmetic cannot overflow.
  static func bounded(_ offset: Int) -> Int { min(max(offset, -(1 << 31)), 1 << 31) }

  /// The axis counted from the front, nil if it is out of range. Rank 0 counts as 1.
  static func wrapped(_ axis: Int, _ rank: Int) -> Int? {
    let extent = max(rank, 1)
    guard axis >= -extent, axis < extent else { return nil }
    return axis < 0 ? axis + extent : axis
  }
}

/// Where a diagonal lies once its two axes are last and joined.
private struct Diagonal {
  let order: [Int]
  let permuted: Shape
  let flat: Shape
  let starts: [Dim]
  let lengths: [Dim]
  let steps: [Int]

  init(_ shape: Shape, _ attributes: Attributes, _ check: InferContext) throws(LucidError) {
    let rank = shape.rank
    guard rank >= 2 else {
      throw check.error(.index, "shape \(shape) has no two axes", constraint: 1)
    }
    let a = try check.axis(attributes.int(1), rank: rank)
    let b = try check.axis(attributes.int(2), rank: rank)
    guard a != b else { throw check.error(.value, "dim1 and dim2 are both \(a)", constraint: 1) }
    let kept = (0..<rank).filter { $0 != a && $0 != b }
    order = kept + [a, b]
    permuted = Shape(order.map { shape[$0] })
    let rows = check.number(shape[a], "a diagonal counts its rows")
    let columns = check.number(shape[b], "a diagonal counts its columns")
    let offset = ShapeOps.bounded(attributes.int(0))
    let (down, right) = (-min(offset, 0), max(offset, 0))
    let length = max(0, min(Dim.add(rows, -down), Dim.add(columns, -right)))
    let batch = kept.map { shape[$0] }
    flat = Shape(batch + [Dim(Dim.multiply(rows, columns))])
    let start = length == 0 ? 0 : down * columns + right
    starts = [Dim](repeating: 0, count: batch.count) + [Dim(start)]
    lengths = batch + [Dim(length)]
    steps = [Int](repeating: 1, count: batch.count) + [columns + 1]
  }
}
