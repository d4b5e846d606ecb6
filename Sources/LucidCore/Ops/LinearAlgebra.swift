import MetalPerformanceShadersGraph

/// Matrix products and what is built on them.
enum LinearAlgebra {
  static let all: [OpDef] = [
    OpDef(
      "matmul",
      OpDoc(
        "The matrix product of the last two axes, leading axes broadcasting; rank-1 operands are vectors.",
        [
          "Both operands have rank 1 or more.", "The inner extents agree.",
          "The leading axes broadcast together.",
        ]),
      operands: [OperandDef("input"), OperandDef("other")], promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        guard a.rank > 0, b.rank > 0 else {
          throw c.check.error(
            .shape, "operands of shapes \(a.shape) and \(b.shape), both need rank 1 or more",
            constraint: 1)
        }
        let left = a.rank == 1 ? try a.unsqueeze(0) : a
        let right = b.rank == 1 ? try b.unsqueeze(1) : b
        let product = try left.call("matmul_nd", [right])
        var dims = product.shape.dims
        if b.rank == 1 { dims.removeLast() }
        if a.rank == 1 { dims.remove(at: dims.count - (b.rank == 1 ? 1 : 2)) }
        return [try product.reshape(Shape(dims))]
      }),
    OpDef(
      "matmul_nd",
      OpDoc(
        "The matrix product of operands of rank 2 or more, leading axes broadcasting.",
        ["The inner extents agree.", "The leading axes broadcast together."]),
      operands: [OperandDef("input"), OperandDef("other")],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let (a, b) = (c.shape(0), c.shape(1))
            guard a.rank >= 2, b.rank >= 2, c.equal(a[a.rank - 1], b[b.rank - 2]) else {
              throw c.error(
                .shape, "the inner extents of shapes \(a) and \(b) differ", constraint: 1)
            }
            let batch = try c.broadcast(Shape(Array(a.dims.dropLast(2))), Shape(Array(b.dims.dropLast(2))))
            return [TensorType(Shape(batch.dims + [a[a.rank - 2], b[b.rank - 1]]), c.dtype(0))]
          },
          vjp: Pointwise.summedToOperands(
            .rule { c throws(LucidError) in
              let g = try c.cotangent()
              return [
                c.wanted[0] ? try g.matmulND(c.inputs[1].transpose(-1, -2)) : nil,
                c.wanted[1] ? try c.inputs[0].transpose(-1, -2).matmulND(g) : nil,
              ]
            }),
          lower: { c throws(LucidError) in
            [
              c.graph.matrixMultiplication(
                primary: c.inputs[0], secondary: c.inputs[1], name: c.name)
            ]
          }))),
  ]
}

extension GraphValue {
  fileprivate func matmulND(_ other: GraphValue) throws(LucidError) -> GraphValue {
    try call("matmul_nd", [other])
  }
}
