import Foundation
import MetalPerformanceShadersGraph

extension Joining {
  static let pads: [OpDef] = [
    OpDef(
      "pad",
      OpDoc(
        "Adds elements around the last axes; the list starts with left and right of the last axis.",
        [
          "pad has an even number of entries, at most two per axis.",
          "reflect pads less than the extent, circular at most the extent, replicate at most 2^24.",
          "replicate and reflect need elements.",
        ]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("pad", .ints),
        AttributeDef(
          "mode", .choice(["constant", "reflect", "replicate", "circular"]), default: .choice(0)),
        AttributeDef("value", .float, default: .float(0.0)),
      ],
      .composite { c throws(LucidError) in
        let (x, given) = (c.inputs[0], c.attributes.ints(0))
        guard given.count % 2 == 0, given.count <= 2 * x.rank else {
          throw c.check.error(
            .value, "pad \(given) does not fit shape \(x.shape)", constraint: 1)
        }
        var pads = [Int](repeating: 0, count: 2 * x.rank)
        for i in 0..<(given.count / 2) {
          let axis = x.rank - 1 - i
          (pads[2 * axis], pads[2 * axis + 1]) = (given[2 * i], given[2 * i + 1])
        }
        let mode = c.attributes.choice(1)
        if mode == 0 {
          if x.shape.isEmpty { return [try padEmpty(c, pads)] }
          return [try x.pad(pads, value: c.attributes.float(2))]
        }
        var out = x
        for axis in 0..<x.rank where pads[2 * axis] != 0 || pads[2 * axis + 1] != 0 {
          out = try extended(c, out, axis, pads[2 * axis], pads[2 * axis + 1], mode)
        }
        return [out]
      }),
    OpDef(
      "pad_nd",
      OpDoc(
        "Adds one value around each axis, left and right per axis; negative counts crop.",
        ["There are two counts per axis.", "No extent becomes negative."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("pads", .ints), AttributeDef("value", .float)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let pads = c.attributes.ints(0)
            guard pads.count == 2 * c.shape(0).rank else {
              throw c.error(.value, "\(pads.count) counts for \(c.shape(0))", constraint: 1)
            }
            var dims: [Dim] = []
            for (i, extent) in c.shape(0).dims.enumerated() {
              let total = extent + Dim(pads[2 * i]) + Dim(pads[2 * i + 1])
              guard c.lessOrEqual(0, total) else {
                throw c.error(.value, "pads \(pads) crop \(c.shape(0))", constraint: 2)
              }
              dims.append(total)
            }
            return [TensorType(Shape(dims), c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            [try c.cotangent().pad(c.attributes.ints(0).map { -$0 })]
          },
          lower: { c throws(LucidError) in
            let pads = c.attributes.ints(0)
            let axes = 0..<(pads.count / 2)
            return [
              c.graph.padTensor(
                c.inputs[0], with: .constant,
                leftPadding: axes.map { NSNumber(value: pads[2 * $0]) },
                rightPadding: axes.map { NSNumber(value: pads[2 * $0 + 1]) },
                constantValue: c.attributes.float(1), name: c.name)
            ]
          }))),
  ]

  private static func padEmpty(_ c: ExpandContext, _ pads: [Int]) throws(LucidError) -> GraphValue {
    var dims: [Dim] = []
    for (i, extent) in c.inputs[0].shape.dims.enumerated() {
      dims.append(extent + Dim(pads[2 * i]) + Dim(pads[2 * i + 1]))
    }
    return try c.builder.full(
      c.attributes.float(2), shape: Shape(dims), dtype: c.inputs[0].dtype)
  }

  /// Pads one axis with elements of its own; negative counts crop.
  private static func extended(
    _ c: ExpandContext, _ x: GraphValue, _ axis: Int, _ left: Int, _ right: Int, _ mode: Int
  ) throws(LucidError) -> GraphValue {
    let extent = c.check.number(x.shape[axis], "padding counts the elements of its axis")
    let limit = [0, extent - 1, 1 << 24, extent][mode]
    guard extent > 0, max(left, right) <= limit, min(left, right) >= -extent,
      left + right + extent >= 0
    else {
      throw c.check.error(
        .value, "pads \(left) and \(right) exceed the extent \(extent)",
        constraint: extent > 0 ? 2 : 3)
    }
    let positions = (-left..<(extent + right)).map { i in
      switch mode {
      case 1: i < 0 ? -i : i >= extent ? 2 * (extent - 1) - i : i
      case 2: min(max(i, 0), extent - 1)
      default: ((i % extent) + extent) % extent
      }
    }
    return try x.takingRows(axis, c.builder.integers(positions))
  }
}
