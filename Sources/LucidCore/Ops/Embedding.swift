import Foundation

extension Indexing {
  static let bags: [OpDef] = [
    OpDef(
      "embedding_bag",
      OpDoc(
        "Sums, means or maxima of rows of weight: one bag per row of input, or, for a flat input, per offset.",
        [
          "input and offsets are integers; input has rank 2, or rank 1 with offsets.",
          "weight has rank 2.", "per_sample_weights has input's shape and needs the mode sum.",
          "padding_idx is a row of weight.",
        ]),
      operands: [
        OperandDef("input"), OperandDef("weight"), OperandDef("offsets"),
        OperandDef("per_sample_weights", .optional),
      ],
      attributes: [
        AttributeDef("mode", .choice(["sum", "mean", "max"]), default: .choice(1)),
        AttributeDef("include_last_offset", .bool, default: .bool(false)),
        AttributeDef("padding_idx", .optional(.int), default: Attribute.none),
      ],
      .composite { c throws(LucidError) in
        let (index, weight) = (c.inputs[0], c.inputs[1])
        try c.check.checkIndex(0, constraint: 1)
        try c.check.checkIndex(2, constraint: 1)
        guard weight.rank == 2 else {
          throw c.check.error(.shape, "weight has shape \(weight.shape)", constraint: 2)
        }
        guard index.rank == 2 || index.rank == 1, c.inputs[2].rank == 1 else {
          throw c.check.error(
            .shape, "input of shape \(index.shape) with offsets \(c.inputs[2].shape)",
            constraint: 1)
        }
        let mode = c.attributes.choice(0)
        if c.inputs.count > 3 {
          guard mode == 0, c.check.equal(c.inputs[3].shape, index.shape) else {
            throw c.check.error(
              .value, "weights of shape \(c.inputs[3].shape) in mode \(mode)", constraint: 3)
          }
        }
        return [try bag(c, index, weight, mode)]
      })
  ]

  private static func bag(
    _ c: ExpandContext, _ index: GraphValue, _ weight: GraphValue, _ mode: Int
  ) throws(LucidError) -> GraphValue {
    let flat = try index.flattened()
    var rows = try weight.takingRows(0, flat)
    let width = weight.shape[1]
    var counts = try c.builder.full(1, shape: flat.shape, dtype: weight.dtype)
    if let padding = c.attributes.optionalInt(2) {
      let row = try c.check.row(padding, of: weight.shape[0], constraint: 4)
      let isPadding = try flat.equals(flat.full(Double(row)))
      counts = try counts.full(0).selected(where: isPadding, else: counts)
    }
    if c.inputs.count > 3 {
      rows = try rows * c.inputs[3].cast(to: weight.dtype).flattened().unsqueeze(1)
    }
    let open = try counts.unsqueeze(1).greater(0)
    let (place, bags) = try places(c, index, flat)
    let zeros = try c.builder.full(0, shape: [bags, width], dtype: weight.dtype)
    let filled = try c.builder.full(0, shape: [bags], dtype: weight.dtype)
      .call("index_scatter", [place, counts], [.int(0), .choice(1)]).unsqueeze(1)
    if mode == 2 {
      let floor = try zeros.fullLike(-.infinity)
      let candidates = try rows.selected(where: open, else: rows.full(-.infinity))
      let best = try floor.call("index_scatter", [place, candidates], [.int(0), .choice(4)])
      return try best.selected(where: filled.greater(0), else: zeros)
    }
    let kept = try rows.selected(where: open, else: rows.full(0))
    let sum = try zeros.call("index_scatter", [place, kept], [.int(0), .choice(1)])
    return mode == 0 ? sum : try sum / filled.call("clamp_min", [filled.full(1)])
  }

  /// The bag of each element of the flat input, and the number of bags.
  private static func places(
    _ c: ExpandContext, _ index: GraphValue, _ flat: GraphValue
  ) throws(LucidError) -> (GraphValue, Dim) {
    if index.rank == 2 {
      let rows = try c.builder.coordinate(index.shape.dims, 0, .int64)
      return (try rows.flattened(), index.shape[0])
    }
    let offsets = c.inputs[2]
    let bags = c.attributes.bool(1) ? offsets.shape[0] - 1 : offsets.shape[0]
    let starts = try offsets.narrow(0, 0, bags).cast(to: .int64)
    let position = try c.builder.coordinate(flat.shape.dims, 0, .int64)
    let ordinal = try starts.call("searchsorted", [position], [.bool(true), .bool(false)])
    return (try ordinal - 1, bags)
  }
}
