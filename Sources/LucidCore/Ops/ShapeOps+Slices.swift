import Foundation
import MetalPerformanceShadersGraph

extension ShapeOps {
  static let slicing: [OpDef] = [
    OpDef(
      "slice",
      OpDoc(
        "A range of every axis, as Python's start:end:step with a positive step.",
        ["There is one start, end and step per axis.", "Steps are positive."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("starts", .dims), AttributeDef("ends", .dims), AttributeDef("steps", .ints),
      ],
      view: ViewRule(
        layout: { layout, attributes, shape in
          sliced(layout, shape) { i, extent in
            guard let start = attributes.dims(0)[i].value else { return nil }
            let wrapped = start < 0 ? start + extent : start
            return (min(max(wrapped, 0), extent), attributes.ints(2)[i])
          }
        },
        update: { u throws(LucidError) in
          let r = try u.base.check("slice").ranges(
            u.base.shape, u.attributes.dims(0), u.attributes.dims(1), u.attributes.ints(2))
          return try u.base.updatingSlice(u.update, r.starts, r.lengths, u.attributes.ints(2))
        }),
      .composite { c throws(LucidError) in
        let steps = c.attributes.ints(2)
        let r = try c.check.ranges(
          c.inputs[0].shape, c.attributes.dims(0), c.attributes.dims(1), steps)
        return [try c.inputs[0].slice(r.starts, r.lengths, steps)]
      }),
    OpDef(
      "narrow",
      OpDoc("length elements of an axis from start on.", ["The range lies within the axis."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int), AttributeDef("start", .int), AttributeDef("length", .int),
      ],
      view: ViewRule(
        layout: { layout, attributes, shape in
          let axis = wrapped(attributes.int(0), layout.shape.count)
          return sliced(layout, shape) { i, extent in
            let start = attributes.int(1)
            return i == axis ? (start < 0 ? start + extent : start, 1) : (0, 1)
          }
        },
        update: { u throws(LucidError) in
          let (axis, start) = try narrowed(u.base.check("narrow"), u.base.shape, u.attributes)
          return try u.base.updatingNarrow(axis, start, u.update)
        }),
      .composite { c throws(LucidError) in
        let (axis, start) = try narrowed(c.check, c.inputs[0].shape, c.attributes)
        return [try c.inputs[0].narrow(axis, start, Dim(c.attributes.int(2)))]
      }),
    OpDef(
      "select",
      OpDoc("One index of an axis, which is dropped.", ["The index lies within the axis."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("dim", .int), AttributeDef("index", .int)],
      view: ViewRule(
        layout: { layout, attributes, shape in
          let rank = layout.shape.count
          guard rank > 0, let axis = wrapped(attributes.int(0), rank) else { return nil }
          let index = attributes.int(1)
          let wrapped = index < 0 ? index + layout.shape[axis] : index
          var strides = layout.strides
          let stride = strides.remove(at: axis)
          return ViewLayout(
            offset: layout.offset + wrapped * stride, shape: shape, strides: strides)
        },
        update: { u throws(LucidError) in
          let (axis, index) = try selected(u.base.check("select"), u.base.shape, u.attributes)
          return try u.base.updatingNarrow(axis, index, u.update.unsqueeze(axis))
        }),
      .composite { c throws(LucidError) in
        let (axis, index) = try selected(c.check, c.inputs[0].shape, c.attributes)
        let kept = try c.inputs[0].narrow(axis, index, 1)
        return [try kept.dropping([axis], unless: false)]
      }),
    OpDef(
      "strided_slice",
      OpDoc(
        "length elements, step apart, of every axis.",
        ["There is one start, length and step per axis.", "The ranges lie within the shape."]),
      operands: [OperandDef("input")], attributes: rangeAttributes,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try c.checkRanges(c.shape(0), at: 0)
            return [TensorType(Shape(c.attributes.dims(1)), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            let (starts, lengths) = (c.attributes.dims(0), c.attributes.dims(1))
            let shape = c.inputs[0].shape
            let steps = c.attributes.ints(2)
            var pads: [Int] = []
            for (i, start) in starts.enumerated() {
              guard let left = start.value, let right = (shape[i] - start - lengths[i]).value,
                steps[i] == 1
              else { break }
              pads += [left, right]
            }
            if pads.count == 2 * shape.rank { return [try c.cotangent().pad(pads)] }
            let zeros = try c.builder.full(0, shape: shape, dtype: c.inputs[0].dtype)
            return [try zeros.updatingSlice(c.cotangent(), starts, lengths, steps)]
          },
          lower: { c throws(LucidError) in
            let r = try c.ranges()
            var result = r.slice(c.inputs[0], c)
            for (axis, indices) in r.open {
              result = c.graph.gather(
                withUpdatesTensor: result, indicesTensor: indices, axis: axis, batchDimensions: 0,
                name: c.name)
            }
            return [result]
          }))),
    OpDef(
      "strided_slice_update",
      OpDoc(
        "input with a range of every axis replaced.",
        [
          "There is one start, length and step per axis.", "The ranges lie within the shape.",
          "The extents of source are the lengths.",
        ]),
      operands: [OperandDef("input"), OperandDef("source")], attributes: rangeAttributes,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try c.checkRanges(c.shape(0), at: 0)
            guard c.equal(c.shape(1), Shape(c.attributes.dims(1))), c.dtype(0) == c.dtype(1) else {
              throw c.error(
                .shape, "\(c.types[1]) cannot replace a range of \(c.types[0])", constraint: 3)
            }
            return [c.types[0]]
          },
          vjp: .rule { c throws(LucidError) in
            let (starts, lengths) = (c.attributes.dims(0), c.attributes.dims(1))
            let steps = c.attributes.ints(2)
            let g = try c.cotangent()
            let zeros = try c.inputs[1].fullLike(0)
            return [
              c.wanted[0] ? try g.updatingSlice(zeros, starts, lengths, steps) : nil,
              c.wanted[1] ? try g.slice(starts, lengths, steps) : nil,
            ]
          },
          empty: .firstOperand,
          lower: { c throws(LucidError) in
            let r = try c.ranges()
            guard r.open.count <= 1 else {
              throw LucidError(
                .unsupported, "\(c.name): more than one range depends on the batch")
            }
            guard let (axis, indices) = r.open.first else {
              return [r.update(c.inputs[0], c.inputs[1], c)]
            }
            let region = c.graph.scatterWithData(
              r.slice(c.inputs[0], c), updates: c.inputs[1], indices: indices, axis: axis,
              mode: .set, name: c.name)
            return [r.update(c.inputs[0], region, c)]
          }))),
  ]

  private static let rangeAttributes = [
    AttributeDef("starts", .dims), AttributeDef("lengths", .dims), AttributeDef("steps", .ints),
  ]

  private static func sliced(
    _ layout: ViewLayout, _ shape: [Int], _ range: (Int, Int) -> (start: Int, step: Int)?
  ) -> ViewLayout? {
    var out = ViewLayout(offset: layout.offset, shape: shape, strides: layout.strides)
    for (i, extent) in layout.shape.enumerated() {
      guard let (start, step) = range(i, extent) else { return nil }
      out.offset += start * layout.strides[i]
      out.strides[i] *= step
    }
    return out
  }

  private static func narrowed(
    _ c: InferContext, _ shape: Shape, _ attributes: Attributes
  ) throws(LucidError) -> (Int, Dim) {
    let axis = try c.axis(attributes.int(0), rank: shape.rank)
    let (start, length) = (attributes.int(1), attributes.int(2))
    guard shape.rank > 0, length >= 0 else {
      throw c.error(.value, "length \(length) of shape \(shape)", constraint: 1)
    }
    let first = start < 0 ? shape[axis] + Dim(start) : Dim(start)
    guard c.lessOrEqual(0, first), c.lessOrEqual(first + Dim(length), shape[axis]) else {
      throw c.error(
        .index, "start \(start) and length \(length) exceed the extent \(shape[axis])",
        constraint: 1)
    }
    return (axis, first)
  }

  private static func selected(
    _ c: InferContext, _ shape: Shape, _ attributes: Attributes
  ) throws(LucidError) -> (Int, Dim) {
    guard shape.rank > 0 else { throw c.error(.index, "a rank-0 operand has no axis") }
    let axis = try c.axis(attributes.int(0), rank: shape.rank)
    let given = attributes.int(1)
    let index = given < 0 ? shape[axis] + Dim(given) : Dim(given)
    guard c.lessOrEqual(0, index), c.lessOrEqual(index + 1, shape[axis]) else {
      throw c.error(
        .index, "index \(given) is out of range for the extent \(shape[axis])", constraint: 1)
    }
    return (axis, index)
  }
}

extension InferContext {
  /// Python's slice rules for every axis: first indices and counts.
  func ranges(
    _ shape: Shape, _ starts: [Dim], _ ends: [Dim], _ steps: [Int]
  ) throws(LucidError) -> (starts: [Dim], lengths: [Dim]) {
    guard starts.count == shape.rank, ends.count == shape.rank, steps.count == shape.rank else {
      throw error(.value, "the ranges do not match the rank of \(shape)", constraint: 1)
    }
    var out: (starts: [Dim], lengths: [Dim]) = ([], [])
    for (i, extent) in shape.dims.enumerated() {
      guard steps[i] > 0 else {
        throw error(.value, "step \(steps[i]) is not positive", constraint: 2)
      }
      let start = clamped(starts[i], extent)
      let end = clamped(ends[i], extent)
      out.starts.append(start)
      // From 0 on the count cannot be negative: no need to assume anything about the batch.
      if start != 0, lessOrEqual(end, start) {
        out.lengths.append(0)
      } else if let count = Dim.quotient(end - start + Dim(steps[i] - 1), steps[i]) {
        out.lengths.append(count)
      } else {
        let span = number(end - start, "a strided slice of the batch counts its elements")
        out.lengths.append(Dim((span + steps[i] - 1) / steps[i]))
      }
    }
    return out
  }

  /// A bound counted from the end if negative, limited to [0, extent].
  private func clamped(_ bound: Dim, _ extent: Dim) -> Dim {
    if let value = bound.value, value >= Int(Int32.max) { return extent }
    if bound == 0 || bound == extent { return bound }
    let isNegative = bound.isStatic ? bound.constant < 0 : !lessOrEqual(0, bound)
    let wrapped = isNegative ? extent + bound : bound
    if !lessOrEqual(0, wrapped) { return 0 }
    return lessOrEqual(wrapped, extent) ? wrapped : extent
  }

  func checkRanges(_ shape: Shape, at first: Int) throws(LucidError) {
    let (starts, lengths) = (attributes.dims(first), attributes.dims(first + 1))
    let steps = attributes.ints(first + 2)
    guard starts.count == shape.rank, lengths.count == shape.rank, steps.count == shape.rank else {
      throw error(.value, "the ranges do not match the rank of \(shape)", constraint: 1)
    }
    for i in 0..<shape.rank where lengths[i] != 0 {
      guard steps[i] > 0, lessOrEqual(0, starts[i]),
        let span = Dim.product(lengths[i] - 1, Dim(steps[i])),
        lessOrEqual(starts[i] + span + 1, shape[i])
      else {
        throw error(.index, "a range exceeds axis \(i) of shape \(shape)", constraint: 2)
      }
    }
  }

  /// The number an extent has, the batch fixed if it depends on it.
  func number(_ dim: Dim, _ reason: String) -> Int {
    if let value = dim.value { return value }
    guard let symbols else { return dim.constant }
    return dim.evaluated(at: symbols.specialize(reason))
  }
}

/// The ranges of a slice as MPSGraph takes them. It wants numbers, so an axis whose range depends on
/// the batch (other than by reaching to the end) is left whole, and its positions are in `open`.
private struct MPSRanges {
  var starts: [NSNumber] = []
  var ends: [NSNumber] = []
  var steps: [NSNumber] = []
  var endMask: UInt32 = 0
  var open: [(axis: Int, indices: MPSGraphTensor)] = []

  mutating func append(_ start: Int, _ end: Int?, _ step: Int) {
    if end == nil { endMask |= 1 << UInt32(starts.count) }
    starts.append(NSNumber(value: start))
    ends.append(NSNumber(value: end ?? 0))
    steps.append(NSNumber(value: step))
  }

  func slice(_ x: MPSGraphTensor, _ c: LowerContext) -> MPSGraphTensor {
    c.graph.sliceTensor(
      x, starts: starts, ends: ends, strides: steps, startMask: 0, endMask: endMask,
      squeezeMask: 0, name: c.name)
  }

  func update(_ x: MPSGraphTensor, _ part: MPSGraphTensor, _ c: LowerContext) -> MPSGraphTensor {
    c.graph.sliceUpdateDataTensor(
      x, update: part, starts: starts, ends: ends, strides: steps, startMask: 0,
      endMask: endMask, squeezeMask: 0, name: c.name)
  }
}

extension LowerContext {
  fileprivate func ranges() throws(LucidError) -> MPSRanges {
    let (starts, lengths) = (attributes.dims(0), attributes.dims(1))
    let steps = attributes.ints(2)
    var ranges = MPSRanges()
    for (i, extent) in inputTypes[0].shape.dims.enumerated() {
      let span = Dim.product(lengths[i] - 1, Dim(steps[i])) ?? 0
      let end = starts[i] + span + 1
      let fromEnd = end - extent
      if let start = starts[i].value, let number = end.value {
        ranges.append(start, number, steps[i])
      } else if let start = starts[i].value, fromEnd == 0 {
        ranges.append(start, nil, steps[i])
      } else if let start = starts[i].value, let number = fromEnd.value, number < 0 {
        ranges.append(start, number, steps[i])
      } else {
        ranges.append(0, nil, 1)
        ranges.open.append((i, try positions(starts[i], lengths[i], steps[i])))
      }
    }
    return ranges
  }

  /// start, start + step, … as an int32 vector.
  private func positions(
    _ start: Dim, _ length: Dim, _ step: Int
  ) throws(LucidError) -> MPSGraphTensor {
    let index =
      length.isStatic
      ? graph.coordinate(alongAxis: 0, withShape: Shape([length]).mps, name: name)
      : graph.coordinate(
        alongAxis: 0, withShapeTensor: try shapeTensor([length]), name: name)
    let scaled = graph.multiplication(
      index, graph.constant(Double(step), dataType: .int32), name: name)
    return graph.addition(scaled, try shapeTensor([start]), name: name)
  }
}

extension GraphValue {
  /// The shared checks for rules outside `infer`, reporting as the operation of this name.
  func check(_ name: StaticString) throws(LucidError) -> InferContext {
    InferContext(
      op: try OpCatalog.op(name), types: [type], attributes: Attributes(),
      symbols: builder.symbols)
  }

  func slice(_ starts: [Dim], _ lengths: [Dim], _ steps: [Int]) throws(LucidError) -> GraphValue {
    if lengths == shape.dims { return self }
    return try call("strided_slice", [], [.dims(starts), .dims(lengths), .ints(steps)])
  }

  func updatingSlice(
    _ update: GraphValue, _ starts: [Dim], _ lengths: [Dim], _ steps: [Int]
  ) throws(LucidError) -> GraphValue {
    try call(
      "strided_slice_update", [update.cast(to: dtype)],
      [.dims(starts), .dims(lengths), .ints(steps)])
  }

  /// `length` elements of an axis.
  func narrow(_ axis: Int, _ start: Dim, _ length: Dim) throws(LucidError) -> GraphValue {
    guard axis >= 0, axis < rank else {
      throw LucidError(.index, "narrow: axis \(axis) is out of range for shape \(shape)")
    }
    var starts = [Dim](repeating: 0, count: rank)
    var lengths = shape.dims
    (starts[axis], lengths[axis]) = (start, length)
    return try slice(starts, lengths, [Int](repeating: 1, count: rank))
  }

  /// This value with the elements of an axis from `start` on replaced.
  func updatingNarrow(_ axis: Int, _ start: Dim, _ update: GraphValue) throws(LucidError)
    -> GraphValue
  {
    var starts = [Dim](repeating: 0, count: rank)
    starts[axis] = start
    return try updatingSlice(
      update, starts, update.shape.dims, [Int](repeating: 1, count: rank))
  }

  /// Zeros before and after each axis, `pads` as left and right per axis; negative ones crop.
  func pad(_ pads: [Int], value: Double = 0) throws(LucidError) -> GraphValue {
    pads.allSatisfy { $0 == 0 } ? self : try call("pad_nd", [], [.ints(pads), .float(value)])
  }

  /// The rows at `index` (of any rank) along an axis.
  func takingRows(_ axis: Int, _ index: GraphValue) throws(LucidError) -> GraphValue {
    try call("index_gather", [index], [.int(axis)])
  }
}

extension GraphBuilder {
  /// A constant int64 vector.
  func integers(_ values: [Int]) throws(LucidError) -> GraphValue {
    try apply(try OpCatalog.op("constant_integers"), [], Attributes([.ints(values)]))[0]
  }

  /// A constant float32 vector.
  func floats(_ values: [Double]) throws(LucidError) -> GraphValue {
    try apply(
      try OpCatalog.op("constant_floats"), [],
      Attributes([.floats(values.map(\.bitPattern))]))[0]
  }
}
