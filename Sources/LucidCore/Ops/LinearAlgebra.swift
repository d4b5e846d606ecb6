import MetalPerformanceShadersGraph

/// Matrix products and what is built on them.
enum LinearAlgebra {
  static let all: [OpDef] = products + vectors + scaledSums + contractions

  private static let pair = [OperandDef("input"), OperandDef("other")]

  private static let products: [OpDef] = [
    OpDef(
      "matmul",
      OpDoc(
        "The matrix product of the last two axes, leading axes broadcasting; rank-1 operands are vectors.",
        [
          "Both operands have rank 1 or more.", "The inner extents agree.",
          "The leading axes broadcast together.", "The element type is not bool.",
        ]),
      operands: pair, promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        guard a.rank > 0, b.rank > 0 else {
          throw c.check.error(
            .shape, "operands of shapes \(a.shape) and \(b.shape), both need rank 1 or more",
            constraint: 1)
        }
        guard a.dtype != .bool else {
          throw c.check.error(.dtype, "not defined for element type bool", constraint: 4)
        }
        let left = a.rank == 1 ? try a.unsqueeze(0) : a
        let right = b.rank == 1 ? try b.unsqueeze(1) : b
        let product = try left.product(right)
        var dims = product.shape.dims
        if b.rank == 1 { dims.removeLast() }
        if a.rank == 1 { dims.remove(at: dims.count - (b.rank == 1 ? 1 : 2)) }
        return [try product.reshape(Shape(dims))]
      }),
    OpDef(
      "matmul_nd",
      OpDoc(
        "The matrix product of floating-point operands of rank 2 or more, leading axes broadcasting.",
        [
          "The inner extents agree.", "The leading axes broadcast together.",
          "The element types are one floating-point type.",
        ]),
      operands: pair,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let (a, b) = (c.shape(0), c.shape(1))
            guard a.rank >= 2, b.rank >= 2, c.equal(a[a.rank - 1], b[b.rank - 2]) else {
              throw c.error(
                .shape, "the inner extents of shapes \(a) and \(b) differ", constraint: 1)
            }
            guard c.dtype(0) == c.dtype(1), c.dtype(0).isFloatingPoint else {
              throw c.error(.dtype, "types \(c.dtype(0)) and \(c.dtype(1))", constraint: 3)
            }
            let batch = try c.broadcast(
              Shape(Array(a.dims.dropLast(2))), Shape(Array(b.dims.dropLast(2))))
            return [TensorType(Shape(batch.dims + [a[a.rank - 2], b[b.rank - 1]]), c.dtype(0))]
          },
          vjp: Pointwise.summedToOperands(
            .rule { c throws(LucidError) in
              let g = try c.cotangent()
              return [
                c.wanted[0] ? try g.product(c.inputs[1].transpose(-1, -2)) : nil,
                c.wanted[1] ? try c.inputs[0].transpose(-1, -2).product(g) : nil,
              ]
            }),
          lower: { c throws(LucidError) in
            [
              c.graph.matrixMultiplication(
                primary: c.inputs[0], secondary: c.inputs[1], name: c.name)
            ]
          }))),
    ranked("mm", "The product of two matrices.", 2, 2),
    ranked("bmm", "The products of two batches of matrices.", 3, 3),
    ranked("mv", "The product of a matrix and a vector.", 2, 1),
    ranked("dot", "The inner product of two vectors.", 1, 1),
    ranked("vdot", "The inner product of two vectors.", 1, 1),
    OpDef(
      "linear",
      OpDoc(
        "input · weightᵀ + bias.",
        ["The last extents of input and weight agree.", "weight has rank 1 or 2."]),
      operands: [OperandDef("input"), OperandDef("weight"), OperandDef("bias", .optional)],
      promotion: .common,
      .composite { c throws(LucidError) in
        let (x, weight) = (c.inputs[0], c.inputs[1])
        guard weight.rank == 1 || weight.rank == 2 else {
          throw c.check.error(.shape, "weight has shape \(weight.shape)", constraint: 2)
        }
        guard x.rank > 0, c.check.equal(x.shape[x.rank - 1], weight.shape[weight.rank - 1]) else {
          throw c.check.error(
            .shape, "input of shape \(x.shape) for a weight of \(weight.shape)", constraint: 1)
        }
        let matrix = weight.rank == 2 ? try weight.transpose(0, 1) : weight
        let product = try x.matmul(matrix)
        return [c.inputs.count > 2 ? try product + c.inputs[2] : product]
      }),
    OpDef(
      "bilinear",
      OpDoc(
        "input1 · weight · input2 for each output feature, plus bias.",
        ["The last extents fit weight of shape (out, in1, in2).", "The leading axes agree."]),
      operands: [
        OperandDef("input1"), OperandDef("input2"), OperandDef("weight"),
        OperandDef("bias", .optional),
      ], promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b, weight) = (c.inputs[0], c.inputs[1], c.inputs[2])
        guard a.rank > 0, a.rank == b.rank, weight.rank == 3,
          c.check.equal(a.shape[a.rank - 1], weight.shape[1]),
          c.check.equal(b.shape[b.rank - 1], weight.shape[2])
        else {
          throw c.check.error(
            .shape, "shapes \(a.shape), \(b.shape) and \(weight.shape)", constraint: 1)
        }
        // (…, 1, in1) times (out, in1, in2) gives (…, out, in2), weighted by input2.
        let left = try a.unsqueeze(-2).unsqueeze(-2).matmul(weight)
        let joined = try left.dropping([left.rank - 2], unless: false)
        let product = try (joined * b.unsqueeze(-2)).sum([joined.rank - 1])
        return [c.inputs.count > 3 ? try product + c.inputs[3] : product]
      }),
    OpDef(
      "chain_matmul",
      OpDoc(
        "The product of matrices, multiplied in the cheapest order.",
        ["Every rank is 2.", "The inner extents agree."]),
      operands: [OperandDef("matrices", .variadic)], promotion: .common,
      .composite { c throws(LucidError) in
        for input in c.inputs where input.rank != 2 {
          throw c.check.error(.shape, "shape \(input.shape) is no matrix", constraint: 1)
        }
        guard !c.inputs.isEmpty, c.inputs.count <= 256 else {
          throw c.check.error(.value, "\(c.inputs.count) matrices")
        }
        return [try chained(c)]
      }),
  ]

  /// The order of multiplication by dynamic programming over the extents (the batch taken as the
  /// traced one), then the products, innermost first.
  private static func chained(_ c: ExpandContext) throws(LucidError) -> GraphValue {
    let n = c.inputs.count
    let hint = c.builder.symbols?.hint ?? 1
    let extents = (c.inputs.map { $0.shape[0] } + [c.inputs[n - 1].shape[1]]).map {
      Double($0.evaluated(at: hint))
    }
    var cost = [[Double]](repeating: [Double](repeating: 0, count: n), count: n)
    var cut = [[Int]](repeating: [Int](repeating: 0, count: n), count: n)
    for length in 1..<max(n, 2) where length < n {
      for i in 0..<(n - length) {
        let j = i + length
        cost[i][j] = .infinity
        for k in i..<j {
          let total =
            cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1]
          if total < cost[i][j] { (cost[i][j], cut[i][j]) = (total, k) }
        }
      }
    }
    var results: [GraphValue] = []
    var work: [(i: Int, j: Int, ready: Bool)] = [(0, n - 1, false)]
    while let (i, j, ready) = work.popLast() {
      if i == j {
        results.append(c.inputs[i])
      } else if ready {
        let right = results.removeLast()
        results.append(try results.removeLast().matmul(right))
      } else {
        work += [(i, j, true), (cut[i][j] + 1, j, false), (i, cut[i][j], false)]
      }
    }
    return results[0]
  }

  private static func ranked(_ name: String, _ summary: String, _ a: Int, _ b: Int) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary,
        [
          "The ranks are \(a) and \(b).", "The inner extents agree, and a batch's.",
          "The element types agree.",
        ]),
      operands: pair,
      .composite { c throws(LucidError) in
        let (x, y) = (c.inputs[0], c.inputs[1])
        guard x.rank == a, y.rank == b else {
          throw c.check.error(.shape, "shapes \(x.shape) and \(y.shape)", constraint: 1)
        }
        guard a < 3 || c.check.equal(x.shape[0], y.shape[0]) else {
          throw c.check.error(.shape, "shapes \(x.shape) and \(y.shape)", constraint: 2)
        }
        guard x.dtype == y.dtype else {
          throw c.check.error(.dtype, "types \(x.dtype) and \(y.dtype)", constraint: 3)
        }
        return [try x.matmul(y)]
      })
  }

  private static let vectors: [OpDef] = [
    OpDef(
      "inner",
      OpDoc("Sums of products over the last axes.", ["The last extents agree."]),
      operands: pair, promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        if a.rank == 0 || b.rank == 0 { return [try a * b] }
        return [try a.contracted(b, [a.rank - 1], [b.rank - 1], c.check)]
      }),
    OpDef(
      "outer",
      OpDoc("All products of elements of two vectors.", ["Both operands have rank 1."]),
      operands: pair, promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        guard a.rank == 1, b.rank == 1 else {
          throw c.check.error(.shape, "shapes \(a.shape) and \(b.shape)", constraint: 1)
        }
        return [try a.unsqueeze(1) * b.unsqueeze(0)]
      }),
    OpDef(
      "cross",
      OpDoc("The cross product along an axis.", ["The axis has 3 elements in both operands."]),
      operands: pair, attributes: [AttributeDef("dim", .int, default: .int(-1))],
      promotion: .common,
      .composite { c throws(LucidError) in
        let shape = try c.check.broadcast(c.inputs[0].shape, c.inputs[1].shape)
        let axis = try c.check.axis(c.attributes.int(0), rank: shape.rank)
        let (a, b) = (try c.inputs[0].expand(shape), try c.inputs[1].expand(shape))
        guard shape.rank > 0, c.check.equal(shape[axis], 3) else {
          throw c.check.error(.shape, "axis \(axis) of \(shape)", constraint: 1)
        }
        func rolled(_ x: GraphValue, _ shift: Int) throws(LucidError) -> GraphValue {
          try x.call("roll", [], [.ints([shift]), .ints([axis])])
        }
        return [try rolled(a, -1) * rolled(b, -2) - rolled(a, -2) * rolled(b, -1)]
      }),
  ]

  private static let scaledSums: [OpDef] = [
    scaled("addmm", "beta · input + alpha · mat1 · mat2.", ["mat1", "mat2"]) {
      a, b throws(LucidError) in try a.call("mm", [b])
    },
    scaled("addmv", "beta · input + alpha · mat · vec.", ["mat", "vec"]) {
      a, b throws(LucidError) in try a.call("mv", [b])
    },
    scaled("addr", "beta · input + alpha · the outer product of vec1 and vec2.", ["vec1", "vec2"]) {
      a, b throws(LucidError) in try a.call("outer", [b])
    },
    scaled("baddbmm", "beta · input + alpha · batch1 · batch2.", ["batch1", "batch2"]) {
      a, b throws(LucidError) in try a.call("bmm", [b])
    },
    scaled(
      "addbmm", "beta · input + alpha · the sum of the products of the batches.",
      ["batch1", "batch2"]
    ) { a, b throws(LucidError) in try a.call("bmm", [b]).sum([0]) },
  ]

  private static func scaled(
    _ name: String, _ summary: String, _ operands: [String],
    _ product: @escaping @Sendable (GraphValue, GraphValue) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["input broadcasts to the product's shape."]),
      operands: [OperandDef("input")] + operands.map { OperandDef($0) },
      attributes: [
        AttributeDef("beta", .float, default: .float(1.0)),
        AttributeDef("alpha", .float, default: .float(1.0)),
      ], promotion: .common,
      .composite { c throws(LucidError) in
        let (beta, alpha) = (c.attributes.float(0), c.attributes.float(1))
        var sum = try product(c.inputs[1], c.inputs[2])
        if alpha != 1 { sum = try sum * alpha }
        _ = try c.check.expanded(c.inputs[0].shape, to: sum.shape.dims)
        // With beta 0 even a NaN in input has no effect.
        if beta == 0 { return [sum] }
        return [try (beta == 1 ? c.inputs[0] : c.inputs[0] * beta) + sum]
      })
  }

  private static let contractions: [OpDef] = [
    OpDef(
      "tensordot",
      OpDoc(
        "Sums of products over pairs of axes; the other axes of input come first.",
        ["The axes pair up with equal extents."]),
      operands: pair,
      attributes: [AttributeDef("dims_a", .ints), AttributeDef("dims_b", .ints)],
      promotion: .common,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        let (given, others) = (c.attributes.ints(0), c.attributes.ints(1))
        let left = given.isEmpty ? [] : try c.check.axes(given, rank: a.rank)
        let right = others.isEmpty ? [] : try c.check.axes(others, rank: b.rank)
        guard left.count == right.count else {
          throw c.check.error(.value, "\(given) and \(others) do not pair up", constraint: 1)
        }
        return [try a.contracted(b, left, right, c.check)]
      }),
    OpDef(
      "einsum",
      OpDoc(
        "Sums of products by Einstein's convention; the equation as the codes of its characters.",
        [
          "The equation has one term per operand, of letters and at most one ellipsis.",
          "A letter has one extent.", "The result's letters occur in the terms, each once.",
        ]),
      operands: [OperandDef("operands", .variadic)],
      attributes: [AttributeDef("equation", .ints)], promotion: .common,
      .composite { c throws(LucidError) in [try Einsum.expand(c)] }),
  ]
}

extension GraphValue {
  /// The matrix product of operands of rank 2 or more. A batch against one matrix is one product of
  /// matrices; integers, which Apple does not multiply, are products summed up.
  func product(_ other: GraphValue) throws(LucidError) -> GraphValue {
    guard dtype.isFloatingPoint else {
      let pairs = try unsqueeze(-1) * other.unsqueeze(-3)
      let sum = try pairs.call("sum", [], [.ints([pairs.rank - 2]), .bool(false), .dtype(dtype)])
      return sum
    }
    let rows = shape.dims.dropLast()
    if other.rank == 2, rank > 2, let count = Shape(Array(rows)).elementCount {
      let matrix = try reshape([count, shape[rank - 1]])
      let product = try matrix.call("matmul_nd", [other])
      return try product.reshape(Shape(rows + [product.shape[1]]))
    }
    return try call("matmul_nd", [other])
  }

  /// Sums of products over pairs of axes.
  func contracted(
    _ other: GraphValue, _ left: [Int], _ right: [Int], _ check: InferContext
  ) throws(LucidError) -> GraphValue {
    for (i, j) in zip(left, right) where !check.equal(shape[i], other.shape[j]) {
      throw check.error(
        .shape, "axis \(i) of \(shape) and axis \(j) of \(other.shape) differ", constraint: 1)
    }
    let keptLeft = (0..<rank).filter { !left.contains($0) }
    let keptRight = (0..<other.rank).filter { !right.contains($0) }
    let rows = keptLeft.map { shape[$0] }
    let columns = keptRight.map { other.shape[$0] }
    guard let m = Shape(rows).elementCount, let n = Shape(columns).elementCount,
      let k = Shape(left.map { shape[$0] }).elementCount
    else { throw check.error(.unsupported, "the extents of \(shape) have no affine product") }
    let a = try permute(keptLeft + left).reshape([m, k])
    let b = try other.permute(right + keptRight).reshape([k, n])
    return try a.product(b).reshape(Shape(rows + columns))
  }
}
