import Foundation
import MetalPerformanceShadersGraph

/// Operations that join, split, repeat and pad tensors.
enum Joining {
  static let all: [OpDef] = joins + splits + repeats + order + pads

  private static let variadic = [OperandDef("tensors", .variadic)]
  private static let dimAttribute = AttributeDef("dim", .int, default: .int(0))

  private static let joins: [OpDef] = [
    OpDef(
      "cat",
      OpDoc(
        "Joins tensors along an axis. Tensors of shape (0,) are ignored.",
        [
          "There is a tensor.", "The ranks are equal and not 0.",
          "The extents agree except along dim.",
        ]),
      operands: variadic, attributes: [dimAttribute], promotion: .common,
      .composite { c throws(LucidError) in
        guard let first = c.inputs.first(where: { $0.shape != [0] }) ?? c.inputs.first else {
          throw c.check.error(.value, "no tensors to join", constraint: 1)
        }
        guard first.rank > 0 else {
          throw c.check.error(.shape, "rank-0 tensors cannot be joined", constraint: 2)
        }
        let axis = try c.check.axis(c.attributes.int(0), rank: first.rank)
        let parts = c.inputs.filter { $0.shape != [0] }
        for part in parts where part.rank != first.rank {
          throw c.check.error(
            .shape, "shapes \(first.shape) and \(part.shape) have different ranks", constraint: 2)
        }
        let filled = parts.filter { $0.shape[axis] != 0 }
        let chosen = filled.isEmpty ? Array(parts.prefix(1)) : filled
        guard chosen.count > 1 else { return [try (chosen.first ?? first).call("clone")] }
        return try c.builder.apply(
          try OpCatalog.op("concat"), chosen, Attributes([.int(axis)]))
      }),
    OpDef(
      "concat",
      OpDoc(
        "Joins tensors of one element type along an axis.",
        ["There is a tensor.", "The extents agree except along dim, as do the element types."]),
      operands: variadic, attributes: [dimAttribute],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard var type = c.types.first else {
              throw c.error(.value, "no tensors to join", constraint: 1)
            }
            let axis = c.attributes.int(0)
            var total = Dim(0)
            for other in c.types {
              try c.checkAlong(type.shape, other.shape, axis, constraint: 2)
              guard other.dtype == type.dtype else {
                throw c.error(.dtype, "types \(type) and \(other)", constraint: 2)
              }
              total = total + other.shape[axis]
            }
            type.shape[axis] = total
            type.isWeak = false
            return [type]
          },
          vjp: .rule { c throws(LucidError) in
            let g = try c.cotangent()
            let axis = c.attributes.int(0)
            var start = Dim(0)
            var out: [GraphValue?] = []
            for (input, wanted) in zip(c.inputs, c.wanted) {
              out.append(wanted ? try g.narrow(axis, start, input.shape[axis]) : nil)
              start = start + input.shape[axis]
            }
            return out
          },
          lower: { c throws(LucidError) in
            [c.graph.concatTensors(c.inputs, dimension: c.attributes.int(0), name: c.name)]
          }))),
    OpDef(
      "stack",
      OpDoc(
        "Joins tensors of one shape along a new axis.", ["There is a tensor.", "The shapes agree."]),
      operands: variadic, attributes: [dimAttribute], promotion: .common,
      .composite { c throws(LucidError) in
        guard let first = c.inputs.first else {
          throw c.check.error(.value, "no tensors to stack", constraint: 1)
        }
        let axis = try c.check.axis(c.attributes.int(0), rank: first.rank + 1)
        var parts: [GraphValue] = []
        for input in c.inputs {
          guard c.check.equal(input.shape, first.shape) else {
            throw c.check.error(
              .shape, "shapes \(first.shape) and \(input.shape) differ", constraint: 2)
          }
          parts.append(try input.unsqueeze(axis))
        }
        return [try parts.joined(axis)]
      }),
    stacked("hstack", "Joins tensors along the second axis, vectors along the first.") {
      x throws(LucidError) in
      let wide = x.rank == 0 ? try x.reshape([1]) : x
      return (wide, wide.rank == 1 ? 0 : 1)
    },
    stacked("vstack", "Joins tensors along the first axis, vectors as rows.") {
      x throws(LucidError) in
      (x.rank >= 2 ? x : try x.reshape([1, x.rank == 0 ? 1 : x.shape[0]]), 0)
    },
    stacked("dstack", "Joins tensors along the third axis.") { x throws(LucidError) in
      switch x.rank {
      case 0: (try x.reshape([1, 1, 1]), 2)
      case 1: (try x.reshape([1, x.shape[0], 1]), 2)
      case 2: (try x.unsqueeze(2), 2)
      default: (x, 2)
      }
    },
    stacked("column_stack", "Joins vectors as columns, tensors along the second axis.") {
      x throws(LucidError) in
      (x.rank >= 2 ? x : try x.reshape([x.rank == 0 ? 1 : x.shape[0], 1]), 1)
    },
    OpDef(
      "block_diag",
      OpDoc("A matrix with the given ones on its diagonal.", ["No rank exceeds 2."]),
      operands: variadic, promotion: .common,
      .composite { c throws(LucidError) in
        var blocks: [GraphValue] = []
        var total = Dim(0)
        for input in c.inputs {
          guard input.rank <= 2 else {
            throw c.check.error(.shape, "shape \(input.shape) is no matrix", constraint: 1)
          }
          let dims = [Dim](repeating: 1, count: 2 - input.rank) + input.shape.dims
          blocks.append(try input.reshape(Shape(dims)))
          total = total + dims[1]
        }
        var rows: [GraphValue] = []
        var start = Dim(0)
        for block in blocks {
          let base = try c.builder.full(0, shape: [block.shape[0], total], dtype: block.dtype)
          rows.append(try base.updatingNarrow(1, start, block))
          start = start + block.shape[1]
        }
        guard !rows.isEmpty else {
          throw c.check.error(.value, "no matrices were given")
        }
        return [try rows.joined(0)]
      }),
    OpDef(
      "meshgrid",
      OpDoc("Grids of coordinates from vectors.", ["Each operand has at most one axis."]),
      operands: variadic,
      attributes: [AttributeDef("indexing", .choice(["ij", "xy"]), default: .choice(0))],
      resultCount: nil,
      .composite { c throws(LucidError) in
        var order = Array(0..<c.inputs.count)
        if c.attributes.choice(0) == 1, order.count >= 2 { order.swapAt(0, 1) }
        var extents: [Dim] = []
        for input in c.inputs {
          guard input.rank <= 1 else {
            throw c.check.error(.shape, "shape \(input.shape) is no vector", constraint: 1)
          }
          extents.append(input.rank == 0 ? 1 : input.shape[0])
        }
        let shape = Shape(order.map { extents[$0] })
        var out: [GraphValue] = []
        for (i, input) in c.inputs.enumerated() {
          var dims = [Dim](repeating: 1, count: order.count)
          dims[order[i]] = extents[i]
          out.append(try input.reshape(Shape(dims)).expand(shape))
        }
        return out
      }),
    OpDef(
      "cartesian_prod",
      OpDoc("All combinations of elements of vectors, as rows.", ["Each operand has one axis."]),
      operands: variadic, promotion: .common,
      .composite { c throws(LucidError) in
        if c.inputs.count == 1 { return [try c.inputs[0].call("clone")] }
        guard let first = c.inputs.first else { throw c.check.error(.value, "no vectors") }
        let grids = try first.callAll("meshgrid", Array(c.inputs.dropFirst()), [.choice(0)])
        var columns: [GraphValue] = []
        for grid in grids { columns.append(try grid.flattened().unsqueeze(1)) }
        return [try columns.joined(1)]
      }),
  ]

  private static func stacked(
    _ name: String, _ summary: String,
    _ prepare: @escaping @Sendable (GraphValue) throws(LucidError) -> (GraphValue, Int)
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["There is a tensor.", "The other extents agree."]),
      operands: variadic, promotion: .common,
      .composite { c throws(LucidError) in
        var parts: [GraphValue] = []
        var axis = 0
        for input in c.inputs {
          let (part, along) = try prepare(input)
          parts.append(part)
          axis = along
        }
        guard !parts.isEmpty else {
          throw c.check.error(.value, "no tensors to join", constraint: 1)
        }
        return [try parts.joined(axis)]
      })
  }

  private static let splits: [OpDef] = [
    OpDef(
      "split",
      OpDoc(
        "Copies of consecutive parts of an axis with these extents.",
        ["The sizes add up to the extent of the axis."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("sizes", .dims), dimAttribute], resultCount: nil,
      .composite { c throws(LucidError) in
        let sizes = c.attributes.dims(0)
        return try parts(c, sizes, c.attributes.int(1), constraint: 1)
      }),
    OpDef(
      "chunk",
      OpDoc("Copies of at most this many equal parts of an axis.", ["chunks is positive."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("chunks", .int), dimAttribute], resultCount: nil,
      .composite { c throws(LucidError) in
        let count = c.attributes.int(0)
        let axis = try c.check.axis(c.attributes.int(1), rank: c.inputs[0].rank)
        guard count > 0, c.inputs[0].rank > 0 else {
          throw c.check.error(.value, "chunks is \(count)", constraint: 1)
        }
        let extent = c.check.number(c.inputs[0].shape[axis], "chunk divides the batch")
        let size = max(extent / count + (extent % count == 0 ? 0 : 1), 1)
        var sizes: [Dim] = []
        for start in stride(from: 0, to: max(extent, 1), by: size) {
          sizes.append(Dim(min(size, extent - start)))
        }
        return try parts(c, sizes, axis, constraint: 1)
      }),
    OpDef(
      "tensor_split",
      OpDoc(
        "Copies of the parts of an axis between these positions, or of `sections` even parts.",
        ["sections is positive."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("indices", .ints),
        AttributeDef("sections", .optional(.int), default: Attribute.none), dimAttribute,
      ], resultCount: nil,
      .composite { c throws(LucidError) in
        let axis = try c.check.axis(c.attributes.int(2), rank: c.inputs[0].rank)
        guard c.inputs[0].rank > 0 else { throw c.check.error(.shape, "rank 0 has no axis") }
        let extent = c.check.number(c.inputs[0].shape[axis], "tensor_split divides the batch")
        var cuts = c.attributes.ints(0)
        if let sections = c.attributes.optionalInt(1) {
          guard sections > 0, sections <= 1 << 20 else {
            throw c.check.error(.value, "sections is \(sections)", constraint: 1)
          }
          let (base, extra) = (extent / sections, extent % sections)
          cuts = (1..<max(sections, 1)).map { $0 * base + min($0, extra) }
        }
        var sizes: [Dim] = []
        var previous = 0
        for cut in cuts + [extent] {
          let wrapped = min(max(cut < 0 ? Dim.add(cut, extent) : cut, 0), extent)
          sizes.append(Dim(max(wrapped - previous, 0)))
          previous = wrapped
        }
        var out: [GraphValue] = []
        var start = 0
        for (size, cut) in zip(sizes, cuts + [extent]) {
          out.append(try c.inputs[0].narrow(axis, Dim(min(start, extent)), size))
          start = min(max(cut < 0 ? Dim.add(cut, extent) : cut, 0), extent)
        }
        return out
      }),
    OpDef(
      "unbind", OpDoc("Copies of the slices along an axis.", ["The rank is not 0."]),
      operands: [OperandDef("input")], attributes: [dimAttribute], resultCount: nil,
      .composite { c throws(LucidError) in
        let axis = try c.check.axis(c.attributes.int(0), rank: c.inputs[0].rank)
        guard c.inputs[0].rank > 0 else {
          throw c.check.error(.shape, "a rank-0 operand has no axis", constraint: 1)
        }
        let count = c.check.number(c.inputs[0].shape[axis], "unbind lists the batch")
        var out: [GraphValue] = []
        for i in 0..<count {
          out.append(try c.inputs[0].narrow(axis, Dim(i), 1).dropping([axis], unless: false))
        }
        return out
      }),
  ]

  private static func parts(
    _ c: ExpandContext, _ sizes: [Dim], _ dim: Int, constraint: Int
  ) throws(LucidError) -> [GraphValue] {
    let input = c.inputs[0]
    let axis = try c.check.axis(dim, rank: input.rank)
    let total = sizes.reduce(Dim(0)) { $0 + $1 }
    guard input.rank > 0, c.check.equal(total, input.shape[axis]),
      sizes.allSatisfy({ c.check.lessOrEqual(0, $0) })
    else {
      throw c.check.error(
        .value, "sizes \(Shape(sizes)) do not add up to axis \(axis) of \(input.shape)",
        constraint: constraint)
    }
    var out: [GraphValue] = []
    var start = Dim(0)
    for size in sizes {
      out.append(try input.narrow(axis, start, size))
      start = start + size
    }
    return out
  }
}

extension [GraphValue] {
  /// These values, which agree off the axis, joined along it.
  func joined(_ axis: Int) throws(LucidError) -> GraphValue {
    guard let first else { throw LucidError(.value, "cat: no tensors to join") }
    return try first.call("cat", Array(dropFirst()), [.int(axis)])
  }
}
