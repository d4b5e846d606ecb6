// Written by tools/generate.py from the operation catalog; change that, not this.

extension Tensor {
  /// A tensor filled with one value; `integer` holds values that a double cannot.
  public static func full(
    size: [Dim], value: Double, dtype: DType, integer: Int? = nil
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "full", [],
      [
        .dims(size), .float(value as Double), .dtype(dtype),
        integer.map { Attribute.int($0) } ?? Attribute.none,
      ])[0]
  }

  /// A vector of these integers.
  public static func constantIntegers(values: [Int]) throws(LucidError) -> Tensor {
    try Tensor.apply("constant_integers", [], [.ints(values)])[0]
  }

  /// A float32 vector of these numbers.
  public static func constantFloats(values: [Double]) throws(LucidError) -> Tensor {
    try Tensor.apply("constant_floats", [], [.floats(values.map(\.bitPattern))])[0]
  }

  /// An extent that may depend on the batch, as a number.
  public static func extent(size: [Dim], dtype: DType = .int64) throws(LucidError) -> Tensor {
    try Tensor.apply("extent", [], [.dims(size), .dtype(dtype)])[0]
  }

  /// The index along one axis of a shape, for every element.
  public static func coordinate(
    size: [Dim], dim: Int, dtype: DType = .int64
  ) throws(LucidError) -> Tensor {
    try Tensor.apply("coordinate", [], [.dims(size), .int(dim), .dtype(dtype)])[0]
  }

  /// start, start + step, … up to but not including end.
  public static func arange(
    start: Double, end: Double, step: Double = 1.0, dtype: DType
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "arange", [],
      [
        .float(start as Double), .float(end as Double), .float(step as Double), .dtype(dtype),
      ])[0]
  }

  /// steps numbers evenly from start to end, both included.
  public static func linspace(
    start: Double, end: Double, steps: Int, dtype: DType = .float32
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "linspace", [],
      [
        .float(start as Double), .float(end as Double), .int(steps), .dtype(dtype),
      ])[0]
  }

  /// base to the power of evenly spaced numbers.
  public static func logspace(
    start: Double, end: Double, steps: Int, dtype: DType = .float32, base: Double = 10.0
  ) throws(LucidError) -> Tensor {
    try Tensor.apply(
      "logspace", [],
      [
        .float(start as Double), .float(end as Double), .int(steps), .dtype(dtype),
        .float(base as Double),
      ])[0]
  }

  /// Ones on the main diagonal, zeros elsewhere.
  public static func eye(n: Int, m: Int, dtype: DType = .float32) throws(LucidError) -> Tensor {
    try Tensor.apply("eye", [], [.int(n), .int(m), .dtype(dtype)])[0]
  }

  /// Row and column of each element on or below a diagonal.
  public static func trilIndices(row: Int, col: Int, offset: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("tril_indices", [], [.int(row), .int(col), .int(offset)])[0]
  }

  /// Row and column of each element on or above a diagonal.
  public static func triuIndices(row: Int, col: Int, offset: Int = 0) throws(LucidError) -> Tensor {
    try Tensor.apply("triu_indices", [], [.int(row), .int(col), .int(offset)])[0]
  }
}
