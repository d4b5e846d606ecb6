import Foundation
import MetalPerformanceShadersGraph

/// Operations that order elements along an axis. NaN counts as the largest value.
enum Sorting {
  static let all: [OpDef] = sorts + orderStatistics + counts

  private static let axisConstraint = "The axis lies within the rank."

  private static let sorts: [OpDef] = [
    OpDef(
      "sort",
      OpDoc(
        "The elements of each line in order, and where they were. Equal ones keep their order.",
        [axisConstraint]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int, default: .int(-1)),
        AttributeDef("descending", .bool, default: .bool(false)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(0), rank: input.rank)
        let line = input.rank == 0 ? try input.reshape([1]) : input
        let order = try line.call(
          "argsort_lines", [], [.int(axis), .bool(c.attributes.bool(1))])
        let values = try line.gathered(axis, order)
        return [try values.reshape(input.shape), try order.reshape(input.shape)]
      }),
    OpDef(
      "argsort", OpDoc("Where the elements of each line in order were.", [axisConstraint]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int, default: .int(-1)),
        AttributeDef("descending", .bool, default: .bool(false)),
      ],
      .composite { c throws(LucidError) in
        [try c.inputs[0].callAll("sort", [], c.attributes.values)[1]]
      }),
    OpDef(
      "argsort_lines", OpDoc("argsort of an operand with axes.", ["dim is an axis of input."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("dim", .int), AttributeDef("descending", .bool)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard c.attributes.int(0) >= 0, c.attributes.int(0) < c.shape(0).rank else {
              throw c.error(.index, "axis \(c.attributes.int(0)) of \(c.shape(0))", constraint: 1)
            }
            return [TensorType(c.shape(0), .int64)]
          },
          vjp: .none("the result is a position"),
          lower: { c throws(LucidError) in
            let descending = c.attributes.bool(1)
            return c.alongAxis(c.sortable(), c.attributes.int(0)) { graph, x, axis, name in
              let order = graph.argSort(x, axis: axis, descending: descending, name: name)
              return [graph.cast(order, to: .int64, name: name)]
            }
          }))),
    OpDef(
      "topk",
      OpDoc(
        "The k largest (or smallest) elements of each line in order, and their positions.",
        [axisConstraint, "k lies between 0 and the extent of the axis."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("k", .int), AttributeDef("dim", .int, default: .int(-1)),
        AttributeDef("largest", .bool, default: .bool(true)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(1), rank: input.rank)
        let line = input.rank == 0 ? try input.reshape([1]) : input
        let attributes: [Attribute] = [
          .int(c.attributes.int(0)), .int(axis), .bool(c.attributes.bool(2)),
        ]
        let position = try line.call("topk_lines", [], attributes)
        let values = try line.gathered(axis, position)
        if input.rank > 0 { return [values, position] }
        return c.attributes.int(0) == 1
          ? [try values.reshape([]), try position.reshape([])] : [values, position]
      }),
    OpDef(
      "topk_lines",
      OpDoc(
        "The positions that topk gives.",
        ["dim is an axis of input.", "k lies between 0 and the extent of the axis."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("k", .int), AttributeDef("dim", .int), AttributeDef("largest", .bool),
      ],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let (k, axis) = (c.attributes.int(0), c.attributes.int(1))
            guard axis >= 0, axis < c.shape(0).rank else {
              throw c.error(.index, "axis \(axis) of \(c.shape(0))", constraint: 1)
            }
            guard k >= 0, c.lessOrEqual(Dim(k), c.shape(0)[axis]) else {
              throw c.error(.index, "k \(k) exceeds axis \(axis) of \(c.shape(0))", constraint: 2)
            }
            var shape = c.shape(0)
            shape[axis] = Dim(k)
            return [TensorType(shape, .int64)]
          },
          vjp: .none("the result is a position"),
          lower: { c throws(LucidError) in
            let (k, largest) = (c.attributes.int(0), c.attributes.bool(2))
            return c.alongAxis(c.sortable(), c.attributes.int(1)) { graph, x, axis, name in
              let both =
                largest
                ? graph.topK(x, axis: axis, k: k, name: name)
                : graph.bottomK(x, axis: axis, k: k, name: name)
              return [graph.cast(both[1], to: .int64, name: name)]
            }
          }))),
  ]

  private static let orderStatistics: [OpDef] = [
    OpDef(
      "kthvalue",
      OpDoc(
        "The k-th smallest element of each line, and its position.",
        [axisConstraint, "k lies between 1 and the extent of the axis."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("k", .int), AttributeDef("dim", .int, default: .int(-1)),
        AttributeDef("keepdim", .bool, default: .bool(false)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let line = try Line(c.check.axis(c.attributes.int(1), rank: c.inputs[0].rank), c)
        let k = c.attributes.int(0)
        guard k >= 1, c.check.lessOrEqual(Dim(k), line.input.shape[line.axis]) else {
          throw c.check.error(.index, "k is \(k) for \(line.input.shape)", constraint: 2)
        }
        let order = try line.order().narrow(line.axis, Dim(k - 1), 1)
        return try line.results(order, keepDim: c.attributes.bool(2))
      }),
    median(
      "median", "The lower median of each line, and its position; NaN if there is one.", false),
    median(
      "nanmedian", "The lower median of what is not NaN in each line, and its position.", true),
    OpDef(
      "mode",
      OpDoc(
        "The smallest of the most frequent elements of each line, and its last position.",
        [axisConstraint]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int, default: .int(-1)),
        AttributeDef("keepdim", .bool, default: .bool(false)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let line = try Line(c.check.axis(c.attributes.int(0), rank: c.inputs[0].rank), c)
        let last = line.input.rank - 1
        let x = try line.input.transpose(line.axis, last)
        let same = try x.unsqueeze(-1).equals(x.unsqueeze(-2))
        let count = try same.call("sum", [], [.ints([last + 1]), .bool(false), .none])
        let most = try count.amax([last])
        let top = x.dtype.isFloatingPoint ? Double.infinity : x.dtype.largestInteger
        let candidates = try x.selected(where: count.equals(most), else: x.full(top))
        let value = try candidates.call("amin", [], [.ints([last]), .bool(true)])
        let index = try c.builder.coordinate(x.shape.dims, last, .int64)
        let hits = try index.selected(where: x.equals(value), else: index.full(-1))
        let position = try hits.amax([last]).call("clamp_min", [index.full(0)])
        return try line.results(position.transpose(line.axis, last), keepDim: c.attributes.bool(1))
      }),
    OpDef(
      "quantile",
      OpDoc(
        "The q-quantiles of each line (of the flat tensor if dim is none), as the first axis.",
        ["Each q lies in [0, 1].", "The element type is float32."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("q", .floats), AttributeDef("dim", .optional(.int), default: Attribute.none),
        AttributeDef("keepdim", .bool, default: .bool(false)),
        AttributeDef(
          "interpolation", .choice(["linear", "lower", "higher", "midpoint", "nearest"]),
          default: .choice(0)),
      ],
      .composite { c throws(LucidError) in
        guard c.inputs[0].dtype == .float32 else {
          throw c.check.error(.dtype, "the element type is \(c.inputs[0].dtype)", constraint: 2)
        }
        let flat = c.attributes.optionalInt(1) == nil || c.inputs[0].rank == 0
        let x = flat ? try c.inputs[0].flattened() : c.inputs[0]
        let axis = try c.check.axis(flat ? 0 : c.attributes.optionalInt(1) ?? 0, rank: x.rank)
        let count = c.check.number(x.shape[axis], "quantile counts the batch")
        guard count > 0 else { throw c.check.error(.value, "no elements in \(x.shape)") }
        let sorted = try x.call("sort", [], [.int(axis), .bool(false)])
        let hasNaN = try x.call("isnan").any([axis])
        var out: [GraphValue] = []
        for q in c.attributes.floats(0) {
          guard q >= 0, q <= 1 else { throw c.check.error(.value, "q is \(q)", constraint: 1) }
          let place = q * Double(count - 1)
          let (below, above) = (place.rounded(.down), place.rounded(.up))
          let weight =
            switch c.attributes.choice(3) {
            case 1: 0.0
            case 2: 1.0
            case 3: 0.5
            case 4: place.rounded(.toNearestOrEven) - below
            default: place - below
            }
          let low = try sorted.narrow(axis, Dim(Int(below)), 1)
          let high = try sorted.narrow(axis, Dim(Int(above)), 1)
          let value = below == above ? low : try low + (high - low) * weight
          var result = try value.full(.nan).selected(where: hasNaN, else: value)
          if !c.attributes.bool(2) {
            result = try result.dropping([axis], unless: false)
          } else if flat {
            let ones = [Dim](repeating: 1, count: c.inputs[0].rank)
            result = try result.reshape(Shape(ones))
          }
          out.append(try result.unsqueeze(0))
        }
        return [try out.joined(0)]
      }),
  ]

  private static func median(_ name: String, _ summary: String, _ ignoresNaN: Bool) -> OpDef {
    OpDef(
      name, OpDoc(summary, [axisConstraint, "The axis has elements."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .optional(.int), default: Attribute.none),
        AttributeDef("keepdim", .bool, default: .bool(false)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let flat = c.attributes.optionalInt(0) == nil
        let input = flat ? try c.inputs[0].flattened() : c.inputs[0]
        let line = Line(
          try c.check.axis(c.attributes.optionalInt(0) ?? 0, rank: input.rank),
          input.rank == 0 ? try input.reshape([1]) : input, dropsAll: c.inputs[0].rank == 0)
        let (axis, x) = (line.axis, line.input)
        if c.check.equal(x.shape[axis], 0) {
          throw c.check.error(.index, "axis \(axis) of \(x.shape) has no elements", constraint: 2)
        }
        // NaN sorts last, so the count of numbers places the median among them.
        let isNaN = try x.call("isnan")
        let numbers = try isNaN.not().call("sum", [], [.ints([axis]), .bool(true), .none])
        let total = try c.builder.extent([x.shape[axis]], dtype: .int64)
        let middle = try (numbers - 1).call("clamp_min", [numbers.full(0)])
          .call("floor_divide", [numbers.full(2)])
        let rank =
          ignoresNaN
          ? middle : try middle.selected(where: numbers.equals(total), else: numbers)
        let order = try line.order().gathered(axis, rank)
        let keep = flat ? false : c.attributes.bool(1)
        return try line.results(order, keepDim: keep)
      })
  }

  private static let counts: [OpDef] = [
    OpDef(
      "histc",
      OpDoc(
        "Counts of elements in equal bins from min to max, or over the range of the data if these are equal.",
        ["bins is positive.", "min <= max.", "The element type is a floating-point type."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("bins", .int, default: .int(100)),
        AttributeDef("min", .float, default: .float(0.0)),
        AttributeDef("max", .float, default: .float(0.0)),
      ],
      .composite { c throws(LucidError) in
        try ElementKinds.floating.check(c.check, operand: 0, constraint: 3)
        let (bins, low, high) = (c.attributes.int(0), c.attributes.float(1), c.attributes.float(2))
        guard bins > 0, bins <= Int(Int32.max) else {
          throw c.check.error(.value, "bins is \(bins)", constraint: 1)
        }
        guard low <= high else {
          throw c.check.error(.value, "min \(low) exceeds max \(high)", constraint: 2)
        }
        let x = try c.inputs[0].widened().flattened()
        var (from, to) = (try x.full(low), try x.full(high))
        if low == high, x.shape[0] != 0 {
          (from, to) = (try x.call("amin"), try x.call("amax"))
          let isPoint = try from.equals(to)
          from = try (from - 1).selected(where: isPoint, else: from)
          to = try (to + 1).selected(where: isPoint, else: to)
        }
        let inside = try x.call("ge", [from]).and(x.call("le", [to]))
        let place = try ((x - from) / (to - from) * Double(bins)).call("floor")
        let bin = try place.call("clamp", [x.full(0), x.full(Double(bins - 1))]).cast(to: .int64)
        let zeros = try c.builder.full(0, shape: [Dim(bins)], dtype: .float32)
        let counts = try zeros.call(
          "index_scatter", [bin, inside.cast(to: .float32)], [.int(0), .choice(1)])
        return [try counts.cast(to: c.inputs[0].dtype)]
      })
  ]
}

/// Lines along an axis of an operand, rank 0 counting as one line of one.
private struct Line {
  let input: GraphValue
  let axis: Int
  let dropsAll: Bool

  init(_ axis: Int, _ input: GraphValue, dropsAll: Bool) {
    (self.axis, self.input, self.dropsAll) = (axis, input, dropsAll)
  }

  init(_ axis: Int, _ c: ExpandContext) throws(LucidError) {
    let input = c.inputs[0]
    self.init(axis, input.rank == 0 ? try input.reshape([1]) : input, dropsAll: input.rank == 0)
  }

  func order() throws(LucidError) -> GraphValue {
    try input.call("argsort_lines", [], [.int(axis), .bool(false)])
  }

  /// The elements at positions with the axis kept as 1, and the positions.
  func results(_ position: GraphValue, keepDim: Bool) throws(LucidError) -> [GraphValue] {
    let both = [try input.gathered(axis, position), position]
    return try both.droppingAxis(axis, unless: keepDim && !dropsAll)
  }
}

extension LowerContext {
  /// The first operand in a type that Apple sorts.
  fileprivate func sortable() -> MPSGraphTensor {
    switch inputTypes[0].dtype {
    case .float32, .float16, .int32, .int64: inputs[0]
    case .bfloat16: graph.cast(inputs[0], to: .float32, name: name)
    default: graph.cast(inputs[0], to: .int32, name: name)
    }
  }
}
