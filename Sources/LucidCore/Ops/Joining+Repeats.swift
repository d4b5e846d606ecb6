import Foundation
import MetalPerformanceShadersGraph

extension Joining {
  static let repeats: [OpDef] = [
    OpDef(
      "repeat",
      OpDoc(
        "Tiles the tensor this many times along each axis; more repeats than axes add axes.",
        ["There are as many repeats as axes or more, none negative."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("repeats", .dims)],
      .composite { c throws(LucidError) in
        [try tiled(c, c.inputs[0], c.attributes.dims(0))]
      }),
    OpDef(
      "tile",
      OpDoc(
        "repeat, where missing leading repeats count as 1.", ["No repeat is negative."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dims", .dims)],
      .composite { c throws(LucidError) in
        let dims = c.attributes.dims(0)
        let missing = max(c.inputs[0].rank - dims.count, 0)
        return [try tiled(c, c.inputs[0], [Dim](repeating: 1, count: missing) + dims)]
      }),
    OpDef(
      "repeat_interleave",
      OpDoc(
        "Repeats each element along dim, or of the flat tensor if dim is none.",
        ["repeats is not negative."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("repeats", .int),
        AttributeDef("dim", .optional(.int), default: Attribute.none),
      ],
      .composite { c throws(LucidError) in
        let count = c.attributes.int(0)
        guard count >= 0 else { throw c.check.error(.value, "repeats is \(count)", constraint: 1) }
        var input = c.inputs[0]
        if c.attributes.optionalInt(1) == nil || input.rank == 0 { input = try input.flattened() }
        let axis = try c.check.axis(c.attributes.optionalInt(1) ?? 0, rank: input.rank)
        var (wide, joined) = (input.shape, input.shape)
        wide.dims.insert(Dim(count), at: axis + 1)
        guard let extent = Dim.product(joined[axis], Dim(count)) else {
          throw c.check.error(.unsupported, "the result has no affine extent")
        }
        joined[axis] = extent
        return [try input.unsqueeze(axis + 1).expand(wide).reshape(joined)]
      }),
    OpDef(
      "kron", OpDoc("The Kronecker product: blocks of other scaled by the elements of input."),
      operands: [OperandDef("input"), OperandDef("other")], promotion: .common,
      .composite { c throws(LucidError) in
        let rank = max(c.inputs[0].rank, c.inputs[1].rank)
        var parts: [Shape] = []
        for input in c.inputs {
          parts.append(
            Shape([Dim](repeating: 1, count: rank - input.rank) + input.shape.dims))
        }
        var (left, right, out): ([Dim], [Dim], [Dim]) = ([], [], [])
        for i in 0..<rank {
          left += [parts[0][i], 1]
          right += [1, parts[1][i]]
          guard let extent = Dim.product(parts[0][i], parts[1][i]) else {
            throw c.check.error(.unsupported, "the result has no affine extent")
          }
          out.append(extent)
        }
        let product = try c.inputs[0].reshape(Shape(left)) * c.inputs[1].reshape(Shape(right))
        return [try product.reshape(Shape(out))]
      }),
  ]

  private static func tiled(
    _ c: ExpandContext, _ input: GraphValue, _ repeats: [Dim]
  ) throws(LucidError) -> GraphValue {
    let lead = repeats.count - input.rank
    guard lead >= 0, repeats.allSatisfy({ c.check.lessOrEqual(0, $0) }) else {
      throw c.check.error(
        .value, "repeats \(Shape(repeats)) do not fit shape \(input.shape)", constraint: 1)
    }
    var (split, wide, out): ([Dim], [Dim], [Dim]) = ([], [], [])
    for (i, count) in repeats.enumerated() {
      let extent: Dim = i < lead ? 1 : input.shape[i - lead]
      split += count == 1 ? [extent] : [1, extent]
      wide += count == 1 ? [extent] : [count, extent]
      guard let total = Dim.product(count, extent) else {
        throw c.check.error(.unsupported, "the result has no affine extent")
      }
      out.append(total)
    }
    return try input.reshape(Shape(split)).expand(Shape(wide)).reshape(Shape(out))
  }

  static let order: [OpDef] = [
    OpDef(
      "flip", OpDoc("Reverses the order along axes.", ["Each axis appears once."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("dims", .ints)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            if !c.attributes.ints(0).isEmpty {
              _ = try c.axes(c.attributes.ints(0), rank: c.shape(0).rank)
            }
            return [TensorType(c.shape(0), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            [try c.cotangent().call("flip", [], [.ints(c.attributes.ints(0))])]
          },
          lower: { c throws(LucidError) in
            let rank = max(c.inputTypes[0].rank, 1)
            let axes = c.attributes.ints(0).map { NSNumber(value: $0 < 0 ? $0 + rank : $0) }
            return [
              axes.isEmpty
                ? c.graph.identity(with: c.inputs[0], name: c.name)
                : c.graph.reverse(c.inputs[0], axes: axes, name: c.name)
            ]
          }))),
    OpDef(
      "roll",
      OpDoc(
        "Shifts elements along axes, what leaves at one end entering at the other; the flat tensor if dims is empty.",
        ["There is one shift per axis."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("shifts", .ints), AttributeDef("dims", .ints, default: .ints([])),
      ],
      .composite { c throws(LucidError) in
        let (shifts, dims) = (c.attributes.ints(0), c.attributes.ints(1))
        let input = c.inputs[0]
        if dims.isEmpty {
          guard shifts.count == 1 else {
            throw c.check.error(.value, "\(shifts.count) shifts for no axes", constraint: 1)
          }
          return [try rolled(c, input.flattened(), 0, shifts[0]).reshape(input.shape)]
        }
        guard shifts.count == dims.count else {
          throw c.check.error(
            .value, "\(shifts.count) shifts for \(dims.count) axes", constraint: 1)
        }
        var out = input
        for (shift, dim) in zip(shifts, dims) where input.rank > 0 {
          out = try rolled(c, out, c.check.axis(dim, rank: input.rank), shift)
        }
        return [out]
      }),
    OpDef(
      "rot90",
      OpDoc(
        "Rotates k times by 90 degrees from the first of two axes to the second.",
        ["dims names two different axes."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("k", .int, default: .int(1)),
        AttributeDef("dims", .ints, default: .ints([0, 1])),
      ],
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let axes = try c.check.axes(c.attributes.ints(1), rank: input.rank)
        guard axes.count == 2 else {
          throw c.check.error(.value, "dims is \(c.attributes.ints(1))", constraint: 1)
        }
        switch ((c.attributes.int(0) % 4) + 4) % 4 {
        case 1:
          return [try input.call("flip", [], [.ints([axes[1]])]).transpose(axes[0], axes[1])]
        case 2: return [try input.call("flip", [], [.ints(axes)])]
        case 3:
          return [try input.transpose(axes[0], axes[1]).call("flip", [], [.ints([axes[1]])])]
        default: return [try input.call("clone")]
        }
      }),
    triangle("tril", "The elements on or below a diagonal, zeros elsewhere.") {
      rows, columns, offset throws(LucidError) in try columns.call("le", [rows + offset])
    },
    triangle("triu", "The elements on or above a diagonal, zeros elsewhere.") {
      rows, columns, offset throws(LucidError) in try columns.call("ge", [rows + offset])
    },
    OpDef(
      "diag_embed",
      OpDoc("Matrices with the last axis as a diagonal.", ["dim1 and dim2 are different axes."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("offset", .int, default: .int(0)),
        AttributeDef("dim1", .int, default: .int(-2)),
        AttributeDef("dim2", .int, default: .int(-1)),
      ],
      .composite { c throws(LucidError) in
        [
          try embedded(
            c, c.inputs[0], c.attributes.int(0), c.attributes.int(1), c.attributes.int(2))
        ]
      }),
    OpDef(
      "diag",
      OpDoc("A matrix with this diagonal, or the diagonal of a matrix.", ["The rank is 1 or 2."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("diagonal", .int, default: .int(0))],
      .composite { c throws(LucidError) in
        let offset = c.attributes.int(0)
        switch c.inputs[0].rank {
        case 1: return [try embedded(c, c.inputs[0], offset, 0, 1)]
        case 2:
          return [try c.inputs[0].call("diagonal", [], [.int(offset), .int(0), .int(1)])]
        default:
          throw c.check.error(.shape, "shape \(c.inputs[0].shape)", constraint: 1)
        }
      }),
    OpDef(
      "diff", OpDoc("Differences of neighbours along an axis, n times.", ["n is not negative."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("n", .int, default: .int(1)), AttributeDef("dim", .int, default: .int(-1)),
      ],
      .composite { c throws(LucidError) in
        var x = c.inputs[0]
        let axis = try c.check.axis(c.attributes.int(1), rank: x.rank)
        guard c.attributes.int(0) >= 0, x.rank > 0 else {
          throw c.check.error(.value, "n is \(c.attributes.int(0))", constraint: 1)
        }
        for _ in 0..<c.attributes.int(0) {
          if x.shape[axis] == 0 { break }
          let length = x.shape[axis] - 1
          let (later, earlier) = (try x.narrow(axis, 1, length), try x.narrow(axis, 0, length))
          x = x.dtype == .bool ? try later.call("logical_xor", [earlier]) : try later - earlier
        }
        return [x]
      }),
  ]

  private static func rolled(
    _ c: ExpandContext, _ x: GraphValue, _ axis: Int, _ shift: Int
  ) throws(LucidError) -> GraphValue {
    let extent = c.check.number(x.shape[axis], "roll shifts within the batch")
    guard extent > 0 else { return x }
    let start = ((-(shift % extent)) + extent) % extent
    if start == 0 { return x }
    let head = try x.narrow(axis, 0, Dim(start))
    let tail = try x.narrow(axis, Dim(start), Dim(extent - start))
    return try [tail, head].joined(axis)
  }

  private static func triangle(
    _ name: String, _ summary: String,
    _ keeps: @escaping @Sendable (GraphValue, GraphValue, Double) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The rank is 2 or more."]), operands: [OperandDef("input")],
      attributes: [AttributeDef("diagonal", .int, default: .int(0))],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        guard x.rank >= 2 else {
          throw c.check.error(.shape, "shape \(x.shape) is no matrix", constraint: 1)
        }
        let rows = try c.builder.coordinate([x.shape[x.rank - 2], 1], 0, .int32)
        let columns = try c.builder.coordinate([1, x.shape[x.rank - 1]], 1, .int32)
        let kept = try keeps(rows, columns, Double(c.attributes.int(0)))
        return [try x.selected(where: kept, else: x.full(0))]
      })
  }

  private static func embedded(
    _ c: ExpandContext, _ x: GraphValue, _ offset: Int, _ dim1: Int, _ dim2: Int
  ) throws(LucidError) -> GraphValue {
    guard x.rank > 0 else { throw c.check.error(.shape, "a rank-0 operand has no axis") }
    let rank = x.rank + 1
    let (a, b) = (try c.check.axis(dim1, rank: rank), try c.check.axis(dim2, rank: rank))
    guard a != b else { throw c.check.error(.value, "dim1 and dim2 are both \(a)", constraint: 1) }
    guard Swift.abs(Double(offset)) < 0x1p31 else {
      throw c.check.error(.value, "offset \(offset) exceeds any extent")
    }
    let length = x.shape[x.rank - 1]
    let n = length + Dim(Swift.abs(offset))
    let rows = try c.builder.coordinate([n, 1], 0, .int32)
    let columns = try c.builder.coordinate([1, n], 1, .int32)
    let isDiagonal = try columns.equals(rows + Double(offset))
    // Rows (or columns, above the main diagonal) run through the elements.
    let missing = offset >= 0 ? 0 : -offset
    var pads = [Int](repeating: 0, count: 2 * x.rank)
    pads[2 * x.rank - 2] = missing
    pads[2 * x.rank - 1] = offset >= 0 ? offset : 0
    let column = try x.pad(pads).unsqueeze(-1)
    let matrix = try column.selected(where: isDiagonal, else: x.full(0))
    var order = Array(0..<(x.rank - 1))
    let (first, second) = a < b ? (a, b) : (b, a)
    order.insert(a < b ? x.rank - 1 : x.rank, at: first)
    order.insert(a < b ? x.rank : x.rank - 1, at: second)
    return try matrix.permute(order)
  }
}
