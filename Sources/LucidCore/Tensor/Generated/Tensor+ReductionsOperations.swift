// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// The sum over axes (all of them if none are given). Integers and bools add up in int64.
  public func sum(
    dim: [Int]? = nil, keepdim: Bool = false, dtype: DType? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "sum", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
        dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The product over axes (all of them if none are given). Integers multiply in int64.
  public func prod(
    dim: [Int]? = nil, keepdim: Bool = false, dtype: DType? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "prod", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
        dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The largest element over axes; NaN if there is one.
  public func amax(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "amax", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// The smallest element over axes; NaN if there is one.
  public func amin(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "amin", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// Whether some element is nonzero.
  public func `any`(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "any", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// Whether every element is nonzero.
  public func all(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "all", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// The first position of the largest or smallest element along an axis; of a NaN if any.
  public func argExtremum(
    dim: Int, keepdim: Bool = false, largest: Bool = true
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("arg_extremum", [self], [.int(dim), .bool(keepdim), .bool(largest)])[0]
  }

  /// The position of the largest element, in the flat tensor if dim is none.
  public func argmax(dim: Int? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "argmax", [self],
      [
        dim.map { Attribute.int($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// The position of the smallest element, in the flat tensor if dim is none.
  public func argmin(dim: Int? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "argmin", [self],
      [
        dim.map { Attribute.int($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// The largest element of each line along dim, and its position.
  public func max(dim: Int, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply("max", [self], [.int(dim), .bool(keepdim)])
  }

  /// The smallest element of each line along dim, and its position.
  public func min(dim: Int, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply("min", [self], [.int(dim), .bool(keepdim)])
  }

  /// The smallest and the largest element.
  public func aminmax(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "aminmax", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])
  }

  /// The mean over axes (all of them if none are given); NaN over no elements.
  public func mean(
    dim: [Int]? = nil, keepdim: Bool = false, dtype: DType? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "mean", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
        dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The variance over axes: squared deviations over count - correction.
  public func `var`(
    dim: [Int]? = nil, correction: Double = 1.0, keepdim: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "var", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .float(correction as Double),
        .bool(keepdim),
      ])[0]
  }

  /// The square root of the variance over axes.
  public func std(
    dim: [Int]? = nil, correction: Double = 1.0, keepdim: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "std", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .float(correction as Double),
        .bool(keepdim),
      ])[0]
  }

  /// The variance and the mean over axes.
  public func varMean(
    dim: [Int]? = nil, correction: Double = 1.0, keepdim: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "var_mean", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .float(correction as Double),
        .bool(keepdim),
      ])
  }

  /// The standard deviation and the mean over axes.
  public func stdMean(
    dim: [Int]? = nil, correction: Double = 1.0, keepdim: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "std_mean", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .float(correction as Double),
        .bool(keepdim),
      ])
  }

  /// The sum over axes, NaN counting as 0.
  public func nansum(
    dim: [Int]? = nil, keepdim: Bool = false, dtype: DType? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "nansum", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
        dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The mean over axes of what is not NaN.
  public func nanmean(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "nanmean", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// log(sum(exp(input))) over axes; -inf where all are.
  public func logsumexp(dim: [Int]? = nil, keepdim: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "logsumexp", [self],
      [
        dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// How many elements are nonzero.
  public func countNonzero(dim: [Int]? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply("count_nonzero", [self], [dim.map { Attribute.ints($0) } ?? Attribute.none])[0]
  }

  /// The vector p-norm over axes (all of them if none are given), p any number or ±inf.
  public func norm(
    p: Double = 2.0, dim: [Int]? = nil, keepdim: Bool = false
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "norm", [self],
      [
        .float(p as Double), dim.map { Attribute.ints($0) } ?? Attribute.none, .bool(keepdim),
      ])[0]
  }

  /// The sum of the main diagonal.
  public func trace() throws(LucidError) -> Tensor {
    try Tensor.apply("trace", [self])[0]
  }

  /// The running sum, product, maximum or minimum along an axis, from the end if reverse.
  public func scan(dim: Int, kind: String, reverse: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "scan", [self],
      [
        .int(dim), try .word(kind, "kind", ["sum", "prod", "max", "min"]), .bool(reverse),
      ])[0]
  }

  /// The running sum along an axis; integers and bools add up in int64.
  public func cumsum(dim: Int, dtype: DType? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "cumsum", [self],
      [
        .int(dim), dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The running product along an axis; integers multiply in int64.
  public func cumprod(dim: Int, dtype: DType? = nil) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "cumprod", [self],
      [
        .int(dim), dtype.map { Attribute.dtype($0) } ?? Attribute.none,
      ])[0]
  }

  /// The running maximum along an axis, and its last position.
  public func cummax(dim: Int) throws(LucidError) -> [Tensor] {
    try Tensor.apply("cummax", [self], [.int(dim)])
  }

  /// The running minimum along an axis, and its last position.
  public func cummin(dim: Int) throws(LucidError) -> [Tensor] {
    try Tensor.apply("cummin", [self], [.int(dim)])
  }

  /// The logarithm of the running sum of exponentials; its cost is quadratic in the extent.
  public func logcumsumexp(dim: Int) throws(LucidError) -> Tensor {
    try Tensor.apply("logcumsumexp", [self], [.int(dim)])[0]
  }

  /// The elements of each line in order, and where they were. Equal ones keep their order.
  public func sort(dim: Int = -1, descending: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply("sort", [self], [.int(dim), .bool(descending)])
  }

  /// Where the elements of each line in order were.
  public func argsort(dim: Int = -1, descending: Bool = false) throws(LucidError) -> Tensor {
    try Tensor.apply("argsort", [self], [.int(dim), .bool(descending)])[0]
  }

  /// argsort of an operand with axes.
  public func argsortLines(dim: Int, descending: Bool) throws(LucidError) -> Tensor {
    try Tensor.apply("argsort_lines", [self], [.int(dim), .bool(descending)])[0]
  }

  /// The k largest (or smallest) elements of each line in order, and their positions.
  public func topk(k: Int, dim: Int = -1, largest: Bool = true) throws(LucidError) -> [Tensor] {
    try Tensor.apply("topk", [self], [.int(k), .int(dim), .bool(largest)])
  }

  /// The positions that topk gives.
  public func topkLines(k: Int, dim: Int, largest: Bool) throws(LucidError) -> Tensor {
    try Tensor.apply("topk_lines", [self], [.int(k), .int(dim), .bool(largest)])[0]
  }

  /// The k-th smallest element of each line, and its position.
  public func kthvalue(
    k: Int, dim: Int = -1, keepdim: Bool = false
  ) throws(LucidError) -> [Tensor] {
    try Tensor.apply("kthvalue", [self], [.int(k), .int(dim), .bool(keepdim)])
  }

  /// The lower median of each line, and its position; NaN if there is one.
  public func median(dim: Int? = nil, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "median", [self],
      [
        dim.map { Attribute.int($0) } ?? Attribute.none, .bool(keepdim),
      ])
  }

  /// The lower median of what is not NaN in each line, and its position.
  public func nanmedian(dim: Int? = nil, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply(
      "nanmedian", [self],
      [
        dim.map { Attribute.int($0) } ?? Attribute.none, .bool(keepdim),
      ])
  }

  /// The smallest of the most frequent elements of each line, and its last position.
  public func mode(dim: Int = -1, keepdim: Bool = false) throws(LucidError) -> [Tensor] {
    try Tensor.apply("mode", [self], [.int(dim), .bool(keepdim)])
  }

  /// The q-quantiles of each line (of the flat tensor if dim is none), as the first axis.
  public func quantile(
    q: [Double], dim: Int? = nil, keepdim: Bool = false, interpolation: String = "linear"
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "quantile", [self],
      [
        .floats(q.map(\.bitPattern)), dim.map { Attribute.int($0) } ?? Attribute.none,
        .bool(keepdim),
        try .word(
          interpolation, "interpolation",
          ["linear", "lower", "higher", "midpoint", "nearest"]),
      ])[0]
  }

  /// Counts of elements in equal bins from min to max, or over the range of the data if these are equal.
  public func histc(
    bins: Int = 100, min: Double = 0.0, max: Double = 0.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("histc", [self], [.int(bins), .float(min as Double), .float(max as Double)])[0]
  }
}
