// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The same elements in row-major order under another shape; one extent may be -1.
  public func reshape(shape: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("reshape", [self], [.dims(shape)])[0]
  }

  /// Reorders the axes.
  public func permute(dims: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("permute", [self], [.ints(dims)])[0]
  }

  /// Repeats extents of 1 without copying; -1 keeps an extent.
  public func expand(size: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("expand", [self], [.dims(size)])[0]
  }

  /// The same elements under another shape; one extent may be -1.
  public func view(shape: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("view", [self], [.dims(shape)])[0]
  }

  /// Joins the axes from start_dim to end_dim into one.
  public func flatten(startDim: Int = 0, endDim: Int = -1) throws(LucidError) -> Tensor {
    try Tensor.apply("flatten", [self], [.int(startDim), .int(endDim)])[0]
  }

  /// Splits an axis into several; one extent may be -1.
  public func unflatten(dim: Int, sizes: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("unflatten", [self], [.int(dim), .dims(sizes)])[0]
  }

  /// Drops the given axes of extent 1, or all such axes.
  public func squeeze(dim: [Int]? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply("squeeze", [self], [dim.map { Attribute.ints($0) } ?? Attribute.none])[0]
  }

  /// Inserts an axis of extent 1.
  public func unsqueeze(dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("unsqueeze", [self], [.int(dim)])[0]
  }

  /// Swaps two axes.
  public func transpose(dim0: Int, dim1: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("transpose", [self], [.int(dim0), .int(dim1)])[0]
  }

  /// The transpose of a matrix; vectors and scalars stay.
  public func t() throws(LucidError) -> Tensor {
    try Tensor.apply("t", [self])[0]
  }

  /// Moves axes to other places; the others keep their order.
  public func movedim(source: [Int], destination: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("movedim", [self], [.ints(source), .ints(destination)])[0]
  }

  /// The diagonal of two axes, as the last axis.
  public func diagonal(offset: Int = 0, dim1: Int = 0, dim2: Int = 1) throws(LucidError) -> Tensor {
    try Tensor.apply("diagonal", [self], [.int(offset), .int(dim1), .int(dim2)])[0]
  }

  /// Windows of an axis, step apart, as a new last axis.
  public func unfold(dimension: Int, size: Int, step: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("unfold", [self], [.int(dimension), .int(size), .int(step)])[0]
  }

  /// A range of every axis, as Python's start:end:step with a positive step.
  public func slice(starts: [Dim], ends: [Dim], steps: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("slice", [self], [.dims(starts), .dims(ends), .ints(steps)])[0]
  }

  /// length elements of an axis from start on.
  public func narrow(dim: Int, start: Int, length: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("narrow", [self], [.int(dim), .int(start), .int(length)])[0]
  }

  /// One index of an axis, which is dropped.
  public func select(dim: Int, index: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("select", [self], [.int(dim), .int(index)])[0]
  }

  /// length elements, step apart, of every axis.
  public func stridedSlice(
    starts: [Dim], lengths: [Dim], steps: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("strided_slice", [self], [.dims(starts), .dims(lengths), .ints(steps)])[0]
  }

  /// input with a range of every axis replaced.
  public func stridedSliceUpdate(
    _ source: Tensor, starts: [Dim], lengths: [Dim], steps: [Int]
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "strided_slice_update", [self, source],
      [
        .dims(starts), .dims(lengths), .ints(steps),
      ])[0]
  }

  /// Joins tensors along an axis. Tensors of shape (0,) are ignored.
  public static func cat(_ tensors: [Tensor], dim: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("cat", tensors, [.int(dim)])[0]
  }

  /// Joins tensors of one element type along an axis.
  public static func concat(_ tensors: [Tensor], dim: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("concat", tensors, [.int(dim)])[0]
  }

  /// Joins tensors of one shape along a new axis.
  public static func stack(_ tensors: [Tensor], dim: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("stack", tensors, [.int(dim)])[0]
  }

  /// Joins tensors along the second axis, vectors along the first.
  public static func hstack(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("hstack", tensors)[0]
  }

  /// Joins tensors along the first axis, vectors as rows.
  public static func vstack(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("vstack", tensors)[0]
  }

  /// Joins tensors along the third axis.
  public static func dstack(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("dstack", tensors)[0]
  }

  /// Joins vectors as columns, tensors along the second axis.
  public static func columnStack(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("column_stack", tensors)[0]
  }

  /// A matrix with the given ones on its diagonal.
  public static func blockDiag(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("block_diag", tensors)[0]
  }

  /// Grids of coordinates from vectors.
  public static func meshgrid(
    _ tensors: [Tensor], indexing: String = "ij"
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("meshgrid", tensors, [try .word(indexing, "indexing", ["ij", "xy"])])
  }

  /// All combinations of elements of vectors, as rows.
  public static func cartesianProd(_ tensors: [Tensor]) throws(LucidError) -> Tensor {
    try Tensor.apply("cartesian_prod", tensors)[0]
  }

  /// Copies of consecutive parts of an axis with these extents.
  public func split(sizes: [Dim], dim: Int = 0) throws(LucidError) -> [Tensor] {
    try Tensor.apply("split", [self], [.dims(sizes), .int(dim)])
  }

  /// Copies of at most this many equal parts of an axis.
  public func chunk(chunks: Int, dim: Int = 0) throws(LucidError) -> [Tensor] {
    try Tensor.apply("chunk", [self], [.int(chunks), .int(dim)])
  }

  /// Copies of the parts of an axis between these positions, or of `sections` even parts.
  public func tensorSplit(
    indices: [Int], sections: Int? = nil, dim: Int = 0
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "tensor_split", [self],
      [
        .ints(indices), sections.map { Attribute.int($0) } ?? Attribute.none, .int(dim),
      ])
  }

  /// Copies of the slices along an axis.
  public func unbind(dim: Int = 0) throws(LucidError) -> [Tensor] {
    try Tensor.apply("unbind", [self], [.int(dim)])
  }

  /// Tiles the tensor this many times along each axis; more repeats than axes add axes.
  public func `repeat`(repeats: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("repeat", [self], [.dims(repeats)])[0]
  }

  /// repeat, where missing leading repeats count as 1.
  public func tile(dims: [Dim]) throws(LucidError) -> Tensor {
    try Tensor.apply("tile", [self], [.dims(dims)])[0]
  }

  /// Repeats each element along dim, or of the flat tensor if dim is none.
  public func repeatInterleave(repeats: Int, dim: Int? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "repeat_interleave", [self],
      [
        .int(repeats), dim.map { Attribute.int($0) } ?? Attribute.none,
      ])[0]
  }

  /// The Kronecker product: blocks of other scaled by the elements of input.
  public func kron(_ other: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("kron", [self, other])[0]
  }

  /// Reverses the order along axes.
  public func flip(dims: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("flip", [self], [.ints(dims)])[0]
  }

  /// Shifts elements along axes, what leaves at one end entering at the other; the flat tensor if dims is empty.
  public func roll(shifts: [Int], dims: [Int] = []) throws(LucidError) -> Tensor {
    try Tensor.apply("roll", [self], [.ints(shifts), .ints(dims)])[0]
  }

  /// Rotates k times by 90 degrees from the first of two axes to the second.
  public func rot90(k: Int = 1, dims: [Int] = [0, 1]) throws(LucidError) -> Tensor {
    try Tensor.apply("rot90", [self], [.int(k), .ints(dims)])[0]
  }

  /// The elements on or below a diagonal, zeros elsewhere.
  public func tril(diagonal: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("tril", [self], [.int(diagonal)])[0]
  }

  /// The elements on or above a diagonal, zeros elsewhere.
  public func triu(diagonal: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("triu", [self], [.int(diagonal)])[0]
  }

  /// Matrices with the last axis as a diagonal.
  public func diagEmbed(
    offset: Int = 0, dim1: Int = -2, dim2: Int = -1
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("diag_embed", [self], [.int(offset), .int(dim1), .int(dim2)])[0]
  }

  /// A matrix with this diagonal, or the diagonal of a matrix.
  public func diag(diagonal: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("diag", [self], [.int(diagonal)])[0]
  }

  /// Differences of neighbours along an axis, n times.
  public func diff(n: Int = 1, dim: Int = -1) throws(LucidError) -> Tensor {
    try Tensor.apply("diff", [self], [.int(n), .int(dim)])[0]
  }

  /// Adds elements around the last axes; the list starts with left and right of the last axis.
  public func pad(
    pad: [Int], mode: String = "constant", value: Double = 0.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "pad", [self],
      [
        .ints(pad), try .word(mode, "mode", ["constant", "reflect", "replicate", "circular"]),
        .float(value as Double),
      ])[0]
  }

  /// Adds one value around each axis, left and right per axis; negative counts crop.
  public func padNd(pads: [Int], value: Double) throws(LucidError) -> Tensor {
    try Tensor.apply("pad_nd", [self], [.ints(pads), .float(value as Double)])[0]
  }
}
