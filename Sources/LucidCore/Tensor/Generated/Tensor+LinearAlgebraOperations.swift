// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The matrix product of the last two axes, leading axes broadcasting; rank-1 operands are vectors.
  public func matmul(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("matmul", [self, other])[0]
  }

  /// The matrix product of floating-point operands of rank 2 or more, leading axes broadcasting.
  public func matmulNd(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("matmul_nd", [self, other])[0]
  }

  /// The product of two matrices.
  public func mm(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("mm", [self, other])[0]
  }

  /// The products of two batches of matrices.
  public func bmm(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("bmm", [self, other])[0]
  }

  /// The product of a matrix and a vector.
  public func mv(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("mv", [self, other])[0]
  }

  /// The inner product of two vectors.
  public func dot(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("dot", [self, other])[0]
  }

  /// The inner product of two vectors.
  public func vdot(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("vdot", [self, other])[0]
  }

  /// input · weightᵀ + bias.
  public func linear(_ weight: Tensor, bias: Tensor? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply("linear", [self, weight, bias])[0]
  }

  /// input1 · weight · input2 for each output feature, plus bias.
  public func bilinear(
    _ input2: Tensor, weight: Tensor, bias: Tensor? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("bilinear", [self, input2, weight, bias])[0]
  }

  /// The product of matrices, multiplied in the cheapest order.
  public static func chainMatmul(_ matrices: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("chain_matmul", matrices)[0]
  }

  /// Sums of products over the last axes.
  public func inner(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("inner", [self, other])[0]
  }

  /// All products of elements of two vectors.
  public func outer(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("outer", [self, other])[0]
  }

  /// The cross product along an axis.
  public func cross(_ other: Tensor, dim: Int = -1) throws(LucidError) -> Tensor {
    try Tensor.apply("cross", [self, other], [.int(dim)])[0]
  }

  /// beta · input + alpha · mat1 · mat2.
  public func addmm(
    _ mat1: Tensor, mat2: Tensor, beta: Double = 1.0, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "addmm", [self, mat1, mat2],
      [
        .float(beta as Double), .float(alpha as Double),
      ])[0]
  }

  /// beta · input + alpha · mat · vec.
  public func addmv(
    _ mat: Tensor, vec: Tensor, beta: Double = 1.0, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "addmv", [self, mat, vec],
      [
        .float(beta as Double), .float(alpha as Double),
      ])[0]
  }

  /// beta · input + alpha · the outer product of vec1 and vec2.
  public func addr(
    _ vec1: Tensor, vec2: Tensor, beta: Double = 1.0, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "addr", [self, vec1, vec2],
      [
        .float(beta as Double), .float(alpha as Double),
      ])[0]
  }

  /// beta · input + alpha · batch1 · batch2.
  public func baddbmm(
    _ batch1: Tensor, batch2: Tensor, beta: Double = 1.0, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "baddbmm", [self, batch1, batch2],
      [
        .float(beta as Double), .float(alpha as Double),
      ])[0]
  }

  /// beta · input + alpha · the sum of the products of the batches.
  public func addbmm(
    _ batch1: Tensor, batch2: Tensor, beta: Double = 1.0, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "addbmm", [self, batch1, batch2],
      [
        .float(beta as Double), .float(alpha as Double),
      ])[0]
  }

  /// Sums of products over pairs of axes; the other axes of input come first.
  public func tensordot(_ other: Tensor, dimsA: [Int], dimsB: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("tensordot", [self, other], [.ints(dimsA), .ints(dimsB)])[0]
  }

  /// Sums of products by Einstein's convention; the equation as the codes of its characters.
  public static func einsum(_ operands: [Tensor], equation: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("einsum", operands, [.ints(equation)])[0]
  }
}
