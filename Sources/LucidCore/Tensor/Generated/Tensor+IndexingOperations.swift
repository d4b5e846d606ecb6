// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The element of input at index along dim, for every element of index.
  public func gather(_ index: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("gather", [self, index], [.int(dim)])[0]
  }

  /// gather where index and input agree except along dim.
  public func gatherAlong(_ index: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("gather_along", [self, index], [.int(dim)])[0]
  }

  /// The slices of input at index along dim; the axes of index take the place of dim.
  public func indexGather(_ index: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("index_gather", [self, index], [.int(dim)])[0]
  }

  /// The slices of input at index along dim.
  public func indexSelect(_ index: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("index_select", [self, index], [.int(dim)])[0]
  }

  /// The rows of weight at input; the row padding_idx gets no gradient.
  public func embedding(_ weight: Tensor, paddingIdx: Int? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "embedding", [self, weight],
      [
        paddingIdx.map { Attribute.int($0) } ?? Attribute.none
      ])[0]
  }

  /// The elements of the flat input at index.
  public func take(_ index: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("take", [self, index])[0]
  }

  /// gather with input and index broadcast to each other; the flat input if dim is none.
  public func takeAlongDim(_ indices: Tensor, dim: Int? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "take_along_dim", [self, indices],
      [
        dim.map { Attribute.int($0) } ?? Attribute.none
      ])[0]
  }

  /// scatter where index and input agree except along dim.
  public func scatterAlong(
    _ index: Tensor, source: Tensor, dim: Int, mode: String = "set"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "scatter_along", [self, index, source],
      [
        .int(dim), try .word(mode, "mode", ["set", "add", "mul", "amin", "amax"]),
      ])[0]
  }

  /// input with its slices at index along dim combined with those of source.
  public func indexScatter(
    _ index: Tensor, source: Tensor, dim: Int, mode: String = "set"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "index_scatter", [self, index, source],
      [
        .int(dim), try .word(mode, "mode", ["set", "add", "mul", "amin", "amax"]),
      ])[0]
  }

  /// input with the elements at index along dim replaced by those of src.
  public func scatter(
    _ index: Tensor, src: Tensor, dim: Int, reduce: String = "none"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "scatter", [self, index, src],
      [
        .int(dim), try .word(reduce, "reduce", ["none", "add", "multiply"]),
      ])[0]
  }

  /// input with the elements of src added at index along dim.
  public func scatterAdd(_ index: Tensor, src: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("scatter_add", [self, index, src], [.int(dim)])[0]
  }

  /// input with the elements of src combined at index along dim.
  public func scatterReduce(
    _ index: Tensor, src: Tensor, dim: Int, reduce: String, includeSelf: Bool = true
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "scatter_reduce", [self, index, src],
      [
        .int(dim), try .word(reduce, "reduce", ["sum", "prod", "mean", "amax", "amin"]),
        .bool(includeSelf),
      ])[0]
  }

  /// input with alpha · source added at index along dim.
  public func indexAdd(
    _ index: Tensor, source: Tensor, dim: Int, alpha: Double = 1.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("index_add", [self, index, source], [.int(dim), .float(alpha as Double)])[0]
  }

  /// input with its slices at index along dim replaced by source's.
  public func indexCopy(_ index: Tensor, source: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("index_copy", [self, index, source], [.int(dim)])[0]
  }

  /// input with its slices at index along dim filled with one value.
  public func indexFill(_ index: Tensor, value: Tensor, dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("index_fill", [self, index, value], [.int(dim)])[0]
  }

  /// input with the elements where the mask holds replaced by those of source, in order.
  public func maskedScatter(_ mask: Tensor, source: Tensor) throws(LucidError) -> Tensor {
    try Tensor.apply("masked_scatter", [self, mask, source])[0]
  }

  /// 1 at the position of each class along a new last axis.
  public func oneHot(numClasses: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("one_hot", [self], [.int(numClasses)])[0]
  }

  /// Whether each element occurs among test_elements.
  public func isin(_ testElements: Tensor, invert: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply("isin", [self, testElements], [.bool(invert)])[0]
  }

  /// Where values would be inserted into the sorted last axis.
  public func searchsorted(
    _ input: Tensor, right: Bool = false, outInt32: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("searchsorted", [self, input], [.bool(right), .bool(outInt32)])[0]
  }

  /// The bucket of each element between sorted boundaries.
  public func bucketize(
    _ boundaries: Tensor, right: Bool = false, outInt32: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("bucketize", [self, boundaries], [.bool(right), .bool(outInt32)])[0]
  }

  /// The elements at integer tensors, one for each axis in axes, broadcast together.
  public func index(_ indices: [Tensor], axes: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("index", [self] + indices, [.ints(axes)])[0]
  }

  /// input with the elements at integer tensors replaced by values, or values added to them.
  public func indexPut(
    _ values: Tensor, indices: [Tensor], axes: [Int], accumulate: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("index_put", [self, values] + indices, [.ints(axes), .bool(accumulate)])[0]
  }

  /// Sums, means or maxima of rows of weight: one bag per row of input, or, for a flat input, per offset.
  public func embeddingBag(
    _ weight: Tensor, offsets: Tensor, perSampleWeights: Tensor? = nil, mode: String = "mean",
    includeLastOffset: Bool = false, paddingIdx: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "embedding_bag", [self, weight, offsets, perSampleWeights],
      [
        try .word(mode, "mode", ["sum", "mean", "max"]), .bool(includeLastOffset),
        paddingIdx.map { Attribute.int($0) } ?? Attribute.none,
      ])[0]
  }
}
