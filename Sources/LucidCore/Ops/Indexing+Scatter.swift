import Foundation
import MetalPerformanceShadersGraph

extension Indexing {
  static let scatters: [OpDef] = [
    writing(
      "scatter_along", "scatter where index and input agree except along dim.",
      "index and source have equal shapes that agree with input's except along dim.",
      check: { c throws(LucidError) in
        try c.checkAlong(c.shape(0), c.shape(1), c.attributes.int(0), constraint: 2)
        guard c.equal(c.shape(1), c.shape(2)) else {
          throw c.error(.shape, "shapes \(c.shape(1)) and \(c.shape(2)) differ", constraint: 2)
        }
      },
      reading: { c, x throws(LucidError) in
        try x.call("gather_along", [c.inputs[1]], [.int(c.attributes.int(0))])
      },
      lower: { c, mode in
        c.graph.scatterAlongAxis(
          c.attributes.int(0), data: c.inputs[0], updates: c.inputs[2], indices: c.inputs[1],
          mode: mode, name: c.name)
      }),
    writing(
      "index_scatter", "input with its slices at index along dim combined with those of source.",
      "index is a vector; source has input's shape but for the extent of index along dim.",
      check: { c throws(LucidError) in
        let axis = c.attributes.int(0)
        try c.checkAlong(c.shape(0), c.shape(2), axis, constraint: 2)
        guard c.shape(1).rank == 1, c.equal(c.shape(1)[0], c.shape(2)[axis]) else {
          throw c.error(
            .shape, "an index of shape \(c.shape(1)) for a source of \(c.shape(2))", constraint: 2)
        }
      },
      reading: { c, x throws(LucidError) in
        try x.takingRows(c.attributes.int(0), c.inputs[1])
      },
      lower: { c, mode in
        c.graph.scatterWithData(
          c.inputs[0], updates: c.inputs[2], indices: c.inputs[1], axis: c.attributes.int(0),
          mode: mode, name: c.name)
      }),
    scatter(
      "scatter", "input with the elements at index along dim replaced by those of src.",
      [AttributeDef("reduce", .choice(["none", "add", "multiply"]), default: .choice(0))]
    ) { c, input, index, src, axis throws(LucidError) in
      try input.scattered(index, src, axis, c.attributes.choice(1))
    },
    scatter("scatter_add", "input with the elements of src added at index along dim.", []) {
      _, input, index, src, axis throws(LucidError) in
      try input.scattered(index, src, axis, 1)
    },
    scatter(
      "scatter_reduce", "input with the elements of src combined at index along dim.",
      [
        AttributeDef("reduce", .choice(["sum", "prod", "mean", "amax", "amin"])),
        AttributeDef("include_self", .bool, default: .bool(true)),
      ]
    ) { c, input, index, src, axis throws(LucidError) in
      let (reduce, mode) = (c.attributes.choice(1), [1, 2, 1, 4, 3][c.attributes.choice(1)])
      var base = input
      if !c.attributes.bool(2) {
        let top = input.dtype.isFloatingPoint ? Double.infinity : input.dtype.largestInteger
        let neutral: [Double] = [0, 1, 0, 0 - top, top]
        base = try input.scattered(index, src.fullLike(neutral[reduce]), axis, 0)
      }
      let combined = try base.scattered(index, src, axis, mode)
      guard reduce == 2 else { return combined }
      let ones = try src.fullLike(1)
      let own = try c.attributes.bool(2) ? input.fullLike(1) : input.fullLike(0)
      let count = try own.scattered(index, ones, axis, 1).call("clamp_min", [own.full(1)])
      return try combined.call(input.dtype.isFloatingPoint ? "div" : "floor_divide", [count])
    },
    indexed("index_add", "input with alpha · source added at index along dim.") {
      c, input, index, source, axis throws(LucidError) in
      let alpha = c.attributes.float(1)
      let scaled = alpha == 1 ? source : try source * alpha
      return try input.call("index_scatter", [index, scaled], [.int(axis), .choice(1)])
    },
    indexed("index_copy", "input with its slices at index along dim replaced by source's.") {
      _, input, index, source, axis throws(LucidError) in
      try input.call("index_scatter", [index, source], [.int(axis), .choice(0)])
    },
    OpDef(
      "index_fill",
      OpDoc(
        "input with its slices at index along dim filled with one value.",
        [indexConstraint, "index has at most one axis.", "value has one element."]),
      operands: [OperandDef("input"), OperandDef("index"), OperandDef("value")],
      attributes: [AttributeDef("dim", .int)],
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        let value = try c.inputs[2].cast(to: input.dtype).reshape([])
        if input.rank == 0 { return [value] }
        let index = try c.inputs[1].flattened()
        var rows = input.shape
        rows[axis] = index.shape[0]
        let source = try value.expand(rows)
        return [try input.call("index_scatter", [index, source], [.int(axis), .choice(0)])]
      }),
  ]

  /// A primitive that writes `source` at `index` into `input`; `reading` takes the elements of a
  /// tensor of input's shape at index.
  private static func writing(
    _ name: String, _ summary: String, _ shapes: String,
    check: @escaping @Sendable (InferContext) throws(LucidError) -> Void,
    reading: @escaping @Sendable (VJPContext, GraphValue) throws(LucidError) -> GraphValue,
    lower: @escaping @Sendable (LowerContext, MPSGraphScatterMode) -> MPSGraphTensor
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(summary, [indexConstraint, shapes, "input and source have one element type."]),
      operands: [OperandDef("input"), OperandDef("index"), OperandDef("source")],
      attributes: [
        AttributeDef("dim", .int), AttributeDef("mode", .choice(modes), default: .choice(0)),
      ],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try c.checkIndex(1, constraint: 1)
            try check(c)
            guard c.dtype(0) == c.dtype(2) else {
              throw c.error(
                .dtype, "types \(c.dtype(0)) and \(c.dtype(2)) differ", constraint: 3)
            }
            return [c.types[0]]
          },
          vjp: .rule { c throws(LucidError) in
            let (input, index, source) = (c.inputs[0], c.inputs[1], c.inputs[2])
            let (g, out) = (try c.cotangent(), c.outputs[0])
            let dim = Attribute.int(c.attributes.int(0))
            func write(_ base: GraphValue, _ values: GraphValue, _ mode: Int)
              throws(LucidError) -> GraphValue
            {
              try c.builder.apply(
                c.op, [base, index, values], Attributes([dim, .choice(mode)]))[0]
            }
            switch c.attributes.choice(1) {
            case 0:
              return [try write(g, source.fullLike(0), 0), nil, try reading(c, g)]
            case 1:
              return [g, nil, try reading(c, g)]
            case 2:
              return [
                try g * write(input.fullLike(1), source, 2), nil,
                try reading(c, g * out) / source,
              ]
            default:
              // Shared by all that attain the extremum, as in PyTorch.
              let own = try input.equals(out).cast(to: g.dtype)
              let theirs = try source.equals(reading(c, out)).cast(to: g.dtype)
              let share = try g / write(own, theirs, 1)
              return [try share * own, nil, try reading(c, share) * theirs]
            }
          },
          empty: .firstOperand,
          lower: { c throws(LucidError) in [lower(c, mpsMode(c.attributes.choice(1)))] })))
  }

  private static func scatter(
    _ name: String, _ summary: String, _ attributes: [AttributeDef],
    _ body:
      @escaping @Sendable (ExpandContext, GraphValue, GraphValue, GraphValue, Int)
      throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary,
        [
          indexConstraint, "input and index have equal rank.",
          "index is nowhere larger than input (except along dim) nor than src.",
        ]),
      operands: [OperandDef("input"), OperandDef("index"), OperandDef("src")],
      attributes: [AttributeDef("dim", .int)] + attributes,
      .composite { c throws(LucidError) in
        let axis = try c.check.alongAxis(c.attributes.int(0))
        var (input, index, src) = (c.inputs[0], c.inputs[1], c.inputs[2])
        // A number stands for a source full of it.
        if src.rank == 0, index.rank > 0 { src = try src.expand(index.shape) }
        src = try src.cast(to: input.dtype)
        let original = input.shape
        if input.rank == 0 { input = try input.reshape([1]) }
        if index.rank == 0 { index = try index.reshape([1]) }
        if src.rank == 0 { src = try src.reshape([1]) }
        guard src.rank == index.rank,
          zip(index.shape.dims, src.shape.dims).allSatisfy({ c.check.lessOrEqual($0, $1) })
        else {
          throw c.check.error(
            .shape, "an index of shape \(index.shape) for a src of \(src.shape)", constraint: 3)
        }
        let source = try src.slice(index.shape.dims)
        return [try body(c, input, index, source, axis).reshape(original)]
      })
  }

  private static func indexed(
    _ name: String, _ summary: String,
    _ body:
      @escaping @Sendable (ExpandContext, GraphValue, GraphValue, GraphValue, Int)
      throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary,
        [indexConstraint, "source has input's shape but for the extent of index along dim."]),
      operands: [OperandDef("input"), OperandDef("index"), OperandDef("source")],
      attributes: [AttributeDef("dim", .int)]
        + (name == "index_add" ? [AttributeDef("alpha", .float, default: .float(1.0))] : []),
      .composite { c throws(LucidError) in
        let axis = try c.check.axis(c.attributes.int(0), rank: c.inputs[0].rank)
        let index = try c.inputs[1].flattened()
        let input = c.inputs[0].rank == 0 ? try c.inputs[0].reshape([1]) : c.inputs[0]
        var source = try c.inputs[2].cast(to: input.dtype)
        if source.rank == 0 { source = try source.reshape([1]) }
        return [try body(c, input, index, source, axis).reshape(c.inputs[0].shape)]
      })
  }
}

extension DType {
  /// The largest value of an integer type, as near as a double holds it.
  var largestInteger: Double {
    switch self {
    case .int8: 127
    case .int16: 32767
    case .int32: 2_147_483_647
    case .uint8: 255
    case .bool: 1
    default: 9_223_372_036_854_774_784
    }
  }
}

extension GraphValue {
  /// Writes `source` at `index` along an axis, `index` being possibly smaller off the axis; the mode
  /// is an index into `Indexing.modes`.
  func scattered(
    _ index: GraphValue, _ source: GraphValue, _ axis: Int, _ mode: Int
  ) throws(LucidError) -> GraphValue {
    var lengths = index.shape.dims
    lengths[axis] = shape[axis]
    let attributes: [Attribute] = [.int(axis), .choice(mode)]
    if lengths == shape.dims { return try call("scatter_along", [index, source], attributes) }
    let region = try slice(lengths).call("scatter_along", [index, source], attributes)
    return try updatingSlice(
      region, [Dim](repeating: 0, count: rank), lengths, [Int](repeating: 1, count: rank))
  }
}
