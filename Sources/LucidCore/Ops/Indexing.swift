import Foundation
import MetalPerformanceShadersGraph

/// Operations that read or write elements at positions given by tensors. Positions out of range
/// cannot raise inside a graph: reads give 0 there and writes are dropped.
enum Indexing {
  static let all: [OpDef] = gathers + scatters + selections + advanced + bags

  static let modes = ["set", "add", "mul", "amin", "amax"]
  static let indexConstraint = "The index is int32 or int64."

  static func mpsMode(_ mode: Int) -> MPSGraphScatterMode {
    switch mode {
    case 1: .add
    case 2: .mul
    case 3: .min
    case 4: .max
    default: .set
    }
  }

  private static let gathers: [OpDef] = [
    OpDef(
      "gather",
      OpDoc(
        "The element of input at index along dim, for every element of index.",
        [
          indexConstraint, "input and index have equal rank.",
          "index is nowhere larger than input, except along dim.",
        ]),
      operands: [OperandDef("input"), OperandDef("index")],
      attributes: [AttributeDef("dim", .int)],
      .composite { c throws(LucidError) in
        let (input, index) = (c.inputs[0], c.inputs[1])
        let axis = try c.check.alongAxis(c.attributes.int(0))
        if input.rank == 0 { return [try input.reshape(index.shape)] }
        if index.rank == 0 {
          let one = try input.call("gather_along", [index.reshape([1])], [.int(0)])
          return [try one.reshape([])]
        }
        let region = try input.slice(region(c.check, axis))
        return [try region.call("gather_along", [index], [.int(axis)])]
      }),
    OpDef(
      "gather_along",
      OpDoc(
        "gather where index and input agree except along dim.",
        [indexConstraint, "The extents agree except along dim."]),
      operands: [OperandDef("input"), OperandDef("index")],
      attributes: [AttributeDef("dim", .int)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try c.checkIndex(1, constraint: 1)
            try c.checkAlong(c.shape(0), c.shape(1), c.attributes.int(0), constraint: 2)
            return [TensorType(c.shape(1), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            let zeros = try c.builder.full(0, shape: c.inputs[0].shape, dtype: c.inputs[0].dtype)
            let attributes: [Attribute] = [.int(c.attributes.int(0)), .choice(1)]
            return [
              try zeros.call("scatter_along", [c.inputs[1], c.cotangent()], attributes), nil,
            ]
          },
          lower: { c throws(LucidError) in
            [
              c.graph.gatherAlongAxis(
                c.attributes.int(0), updates: c.inputs[0], indices: c.inputs[1], name: c.name)
            ]
          }))),
    OpDef(
      "index_gather",
      OpDoc(
        "The slices of input at index along dim; the axes of index take the place of dim.",
        [indexConstraint, "dim lies within the rank."]),
      operands: [OperandDef("input"), OperandDef("index")],
      attributes: [AttributeDef("dim", .int)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try c.checkIndex(1, constraint: 1)
            let dims = c.shape(0).dims
            let axis = c.attributes.int(0)
            guard axis >= 0, axis < dims.count else {
              throw c.error(.index, "axis \(axis) of shape \(c.shape(0))", constraint: 2)
            }
            let out = dims[..<axis] + c.shape(1).dims + dims[(axis + 1)...]
            return [TensorType(Shape(Array(out)), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            let (input, index) = (c.inputs[0], c.inputs[1])
            let axis = c.attributes.int(0)
            let flat = try index.flattened()
            let dims = input.shape.dims
            let rows = dims[..<axis] + flat.shape.dims + dims[(axis + 1)...]
            let zeros = try c.builder.full(0, shape: input.shape, dtype: input.dtype)
            let g = try c.cotangent().reshape(Shape(Array(rows)))
            return [try zeros.call("index_scatter", [flat, g], [.int(axis), .choice(1)]), nil]
          },
          lower: { c throws(LucidError) in
            let rows = c.graph.gather(
              withUpdatesTensor: c.inputs[0], indicesTensor: c.inputs[1],
              axis: c.attributes.int(0), batchDimensions: 0, name: c.name)
            return [
              c.inputTypes[1].rank == 0 ? try c.reshape(rows, to: c.outputTypes[0].shape) : rows
            ]
          }))),
    OpDef(
      "index_select",
      OpDoc(
        "The slices of input at index along dim.",
        [indexConstraint, "index has at most one axis."]),
      operands: [OperandDef("input"), OperandDef("index")],
      attributes: [AttributeDef("dim", .int)],
      .composite { c throws(LucidError) in
        let (input, index) = (c.inputs[0], c.inputs[1])
        guard index.rank <= 1 else {
          throw c.check.error(.shape, "the index has shape \(index.shape)", constraint: 2)
        }
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        if input.rank == 0 { return [try input.call("clone")] }
        return [try input.takingRows(axis, index.reshape([-1], resolving: true))]
      }),
    OpDef(
      "embedding",
      OpDoc(
        "The rows of weight at input; the row padding_idx gets no gradient.",
        [indexConstraint, "weight has rank 2.", "padding_idx is a row of weight."]),
      operands: [OperandDef("input"), OperandDef("weight")],
      attributes: [AttributeDef("padding_idx", .optional(.int), default: Attribute.none)],
      .composite { c throws(LucidError) in
        let (index, weight) = (c.inputs[0], c.inputs[1])
        guard weight.rank == 2 else {
          throw c.check.error(.shape, "weight has shape \(weight.shape)", constraint: 2)
        }
        let rows = try weight.takingRows(0, index)
        guard let padding = c.attributes.optionalInt(0) else { return [rows] }
        let row = try c.check.row(padding, of: weight.shape[0], constraint: 3)
        let isPadding = try index.equals(index.full(Double(row))).unsqueeze(-1)
        return [try rows.call("detach").selected(where: isPadding, else: rows)]
      }),
    OpDef(
      "take", OpDoc("The elements of the flat input at index.", [indexConstraint]),
      operands: [OperandDef("input"), OperandDef("index")],
      .composite { c throws(LucidError) in
        let flat = try c.inputs[0].flattened()
        return [try flat.takingRows(0, c.inputs[1].wrappingNegatives(flat.shape[0]))]
      }),
    OpDef(
      "take_along_dim",
      OpDoc(
        "gather with input and index broadcast to each other; the flat input if dim is none.",
        [indexConstraint, "input and index have equal rank."]),
      operands: [OperandDef("input"), OperandDef("indices")],
      attributes: [AttributeDef("dim", .optional(.int), default: Attribute.none)],
      .composite { c throws(LucidError) in
        let (input, index) = (c.inputs[0], c.inputs[1])
        guard let dim = c.attributes.optionalInt(0) else {
          return [try input.flattened().takingRows(0, index.flattened())]
        }
        guard input.rank == index.rank, input.rank > 0 else {
          throw c.check.error(.shape, "shapes \(input.shape) and \(index.shape)", constraint: 2)
        }
        let axis = try c.check.axis(dim, rank: input.rank)
        var (from, to) = (input.shape, index.shape)
        (from[axis], to[axis]) = (1, 1)
        var common = try c.check.broadcast(from, to)
        common[axis] = input.shape[axis]
        let wide = try input.expand(common)
        common[axis] = index.shape[axis]
        return [try wide.call("gather_along", [index.expand(common)], [.int(axis)])]
      }),
  ]

  /// The part of input that an index of a smaller shape can reach.
  static func region(_ c: InferContext, _ axis: Int) -> [Dim] {
    var lengths = c.shape(1).dims
    lengths[axis] = c.shape(0)[axis]
    return lengths
  }

  private static let selections: [OpDef] = [
    OpDef(
      "masked_scatter",
      OpDoc(
        "input with the elements where the mask holds replaced by those of source, in order.",
        ["mask is bool and broadcasts with input.", "input and source have one element type."]),
      operands: [OperandDef("input"), OperandDef("mask"), OperandDef("source")],
      .composite { c throws(LucidError) in
        let (input, source) = (c.inputs[0], c.inputs[2])
        guard c.inputs[1].dtype == .bool else {
          throw c.check.error(.dtype, "the mask has type \(c.inputs[1].dtype)", constraint: 1)
        }
        guard input.dtype == source.dtype else {
          throw c.check.error(.dtype, "types \(input.dtype) and \(source.dtype)", constraint: 2)
        }
        let shape = try c.check.broadcast(input.shape, c.inputs[1].shape)
        let mask = try c.inputs[1].expand(shape).flattened()
        let order = try mask.call("cumsum", [], [.int(0), .none]) - 1
        let position = try order.call("clamp_min", [order.full(0)])
        let values = try source.flattened().takingRows(0, position)
        let flat = try input.expand(shape).flattened()
        return [try values.selected(where: mask, else: flat).reshape(shape)]
      }),
    OpDef(
      "one_hot",
      OpDoc("1 at the position of each class along a new last axis.", ["num_classes > 0."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("num_classes", .int)],
      .composite { c throws(LucidError) in
        guard c.attributes.int(0) > 0, !c.inputs[0].dtype.isFloatingPoint else {
          throw c.check.error(.value, "num_classes is \(c.attributes.int(0))", constraint: 1)
        }
        let classes = try c.builder.coordinate([Dim(c.attributes.int(0))], 0, .int64)
        let index = try c.inputs[0].cast(to: .int64).unsqueeze(-1)
        return [try index.equals(classes).cast(to: .int64)]
      }),
    OpDef(
      "isin", OpDoc("Whether each element occurs among test_elements."),
      operands: [OperandDef("elements"), OperandDef("test_elements")],
      attributes: [AttributeDef("invert", .bool, default: .bool(false))], promotion: .common,
      .composite { c throws(LucidError) in
        let tests = try c.inputs[1].flattened()
        let hits = try c.inputs[0].unsqueeze(-1).equals(tests)
        let found = try hits.any([hits.rank - 1], keepDim: false)
        return [c.attributes.bool(0) ? try found.not() : found]
      }),
    search("searchsorted", "Where values would be inserted into the sorted last axis.", false),
    search("bucketize", "The bucket of each element between sorted boundaries.", true),
  ]

  /// The count of smaller (or, if right, not larger) elements is the place of insertion.
  private static func search(_ name: String, _ summary: String, _ valuesFirst: Bool) -> OpDef {
    let names = valuesFirst ? ["input", "boundaries"] : ["sorted_sequence", "input"]
    return OpDef(
      name, OpDoc(summary, ["The leading axes agree, or the sequence has one axis."]),
      operands: names.map { OperandDef($0) },
      attributes: [
        AttributeDef("right", .bool, default: .bool(false)),
        AttributeDef("out_int32", .bool, default: .bool(false)),
      ], promotion: .common,
      .composite { c throws(LucidError) in
        let (sequence, values) = (c.inputs[valuesFirst ? 1 : 0], c.inputs[valuesFirst ? 0 : 1])
        guard
          sequence.rank == 1 || (sequence.rank > 1 && sequence.rank == values.rank && !valuesFirst)
        else {
          throw c.check.error(
            .shape, "shapes \(sequence.shape) and \(values.shape)", constraint: 1)
        }
        let rows = sequence.rank == 1 ? sequence : try sequence.unsqueeze(-2)
        let below = try rows.call(c.attributes.bool(0) ? "le" : "lt", [values.unsqueeze(-1)])
        let count = try below.call("sum", [], [.ints([below.rank - 1]), .bool(false), .none])
        return [try count.cast(to: c.attributes.bool(1) ? .int32 : .int64)]
      })
  }
}

extension InferContext {
  func checkIndex(_ operand: Int, constraint: Int) throws(LucidError) {
    guard dtype(operand) == .int64 || dtype(operand) == .int32 else {
      throw error(
        .dtype, "the index has type \(dtype(operand)), expected int32 or int64",
        constraint: constraint)
    }
  }

  /// Equal extents off the axis, which is in range.
  func checkAlong(
    _ a: Shape, _ b: Shape, _ axis: Int, constraint: Int
  ) throws(LucidError) {
    guard a.rank == b.rank, axis >= 0, axis < a.rank else {
      throw error(.shape, "axis \(axis) of shapes \(a) and \(b)", constraint: constraint)
    }
    for i in 0..<a.rank where i != axis && !equal(a[i], b[i]) {
      throw error(
        .shape, "shapes \(a) and \(b) differ off axis \(axis)", constraint: constraint)
    }
  }

  /// The axis of gather and scatter (operands 0 and 1), whose index may be smaller off the axis.
  func alongAxis(_ dim: Int) throws(LucidError) -> Int {
    try checkIndex(1, constraint: 1)
    let axis = try self.axis(dim, rank: shape(0).rank)
    guard max(shape(0).rank, 1) == max(shape(1).rank, 1) else {
      throw error(
        .shape, "the ranks of \(shape(0)) and \(shape(1)) differ", constraint: 2)
    }
    guard shape(0).rank == shape(1).rank else { return axis }
    for i in 0..<shape(0).rank where i != axis && !lessOrEqual(shape(1)[i], shape(0)[i]) {
      throw error(
        .shape, "the index of shape \(shape(1)) exceeds \(shape(0)) on axis \(i)", constraint: 3)
    }
    return axis
  }

  /// A row number counted from the end if negative.
  func row(_ index: Int, of extent: Dim, constraint: Int) throws(LucidError) -> Int {
    let count = number(extent, "a row is counted from the end")
    guard index >= -count, index < count else {
      throw error(.value, "row \(index) of \(extent)", constraint: constraint)
    }
    return index < 0 ? index + count : index
  }
}

extension GraphValue {
  /// The leading region of these extents.
  func slice(_ lengths: [Dim]) throws(LucidError) -> GraphValue {
    try slice(
      [Dim](repeating: 0, count: rank), lengths, [Int](repeating: 1, count: rank))
  }

  /// Positions with negative ones counted from the end.
  func wrappingNegatives(_ extent: Dim) throws(LucidError) -> GraphValue {
    let shifted = try self + builder.extent([extent], dtype: dtype)
    return try shifted.selected(where: less(full(0)), else: self)
  }
}
