// The small language in which gradient rules and composites are written. Every function applies one
// catalog operation, so what they build is checked and interned like user code.

extension GraphValue {
  /// Applies the operation of this name to this value and `others`.
  func call(
    _ name: StaticString, _ others: [GraphValue] = [], _ attributes: [Attribute] = []
  ) throws(LucidError) -> GraphValue {
    try callAll(name, others, attributes)[0]
  }

  /// The same for operations with several results.
  func callAll(
    _ name: StaticString, _ others: [GraphValue] = [], _ attributes: [Attribute] = []
  ) throws(LucidError) -> [GraphValue] {
    try builder.apply(try OpCatalog.op(name), [self] + others, Attributes(attributes))
  }

  static func + (a: GraphValue, b: GraphValue) throws(LucidError) -> GraphValue {
    try a.call("add", [b])
  }
  static func - (a: GraphValue, b: GraphValue) throws(LucidError) -> GraphValue {
    try a.call("sub", [b])
  }
  static func * (a: GraphValue, b: GraphValue) throws(LucidError) -> GraphValue {
    try a.call("mul", [b])
  }
  static func / (a: GraphValue, b: GraphValue) throws(LucidError) -> GraphValue {
    try a.call("div", [b])
  }
  static prefix func - (a: GraphValue) throws(LucidError) -> GraphValue { try a.call("neg") }
  static func + (a: GraphValue, b: Double) throws(LucidError) -> GraphValue { try a + a.full(b) }
  static func + (a: Double, b: GraphValue) throws(LucidError) -> GraphValue { try b.full(a) + b }
  static func - (a: GraphValue, b: Double) throws(LucidError) -> GraphValue { try a - a.full(b) }
  static func - (a: Double, b: GraphValue) throws(LucidError) -> GraphValue { try b.full(a) - b }
  static func * (a: GraphValue, b: Double) throws(LucidError) -> GraphValue { try a * a.full(b) }
  static func * (a: Double, b: GraphValue) throws(LucidError) -> GraphValue { try b.full(a) * b }
  static func / (a: GraphValue, b: Double) throws(LucidError) -> GraphValue { try a / a.full(b) }
  static func / (a: Double, b: GraphValue) throws(LucidError) -> GraphValue { try b.full(a) / b }

  /// A rank-0 constant of this value's element type.
  func full(_ value: Double) throws(LucidError) -> GraphValue {
    try builder.full(value, shape: [], dtype: dtype)
  }

  /// A constant of this value's shape and element type.
  func fullLike(_ value: Double) throws(LucidError) -> GraphValue {
    try builder.full(value, shape: shape, dtype: dtype)
  }

  func cast(to dtype: DType) throws(LucidError) -> GraphValue {
    self.dtype == dtype ? self : try call("cast", [], [.dtype(dtype)])
  }

  func exp() throws(LucidError) -> GraphValue { try call("exp") }
  func log() throws(LucidError) -> GraphValue { try call("log") }
  func sqrt() throws(LucidError) -> GraphValue { try call("sqrt") }

  func abs() throws(LucidError) -> GraphValue { try call("abs") }
  func erf() throws(LucidError) -> GraphValue { try call("erf") }
  func tanh() throws(LucidError) -> GraphValue { try call("tanh") }
  func sigmoid() throws(LucidError) -> GraphValue { try call("sigmoid") }
  func expm1() throws(LucidError) -> GraphValue { try call("expm1") }
  func log1p() throws(LucidError) -> GraphValue { try call("log1p") }
  func rsqrt() throws(LucidError) -> GraphValue { try call("rsqrt") }

  func equals(_ other: GraphValue) throws(LucidError) -> GraphValue { try call("eq", [other]) }
  func less(_ other: GraphValue) throws(LucidError) -> GraphValue { try call("lt", [other]) }
  func greater(_ other: GraphValue) throws(LucidError) -> GraphValue { try call("gt", [other]) }
  func greater(_ other: Double) throws(LucidError) -> GraphValue { try greater(full(other)) }
  func and(_ other: GraphValue) throws(LucidError) -> GraphValue {
    try call("logical_and", [other])
  }
  func or(_ other: GraphValue) throws(LucidError) -> GraphValue {
    try call("logical_or", [other])
  }
  func not() throws(LucidError) -> GraphValue { try call("logical_not") }

  /// `predicate ? self : other`, elementwise.
  func selected(where predicate: GraphValue, else other: GraphValue) throws(LucidError)
    -> GraphValue
  {
    try predicate.call("where", [self, other])
  }

  func sum(_ axes: [Int], keepDim: Bool = false) throws(LucidError) -> GraphValue {
    axes.isEmpty
      ? self
      : try call("sum", [], [.ints(axes), .bool(keepDim), .none])
  }

  func reshape(_ shape: Shape) throws(LucidError) -> GraphValue {
    self.shape == shape ? self : try call("reshape", [], [.dims(shape.dims)])
  }

  func expand(_ shape: Shape) throws(LucidError) -> GraphValue {
    self.shape == shape ? self : try call("expand", [], [.dims(shape.dims)])
  }

  func permute(_ axes: [Int]) throws(LucidError) -> GraphValue {
    axes == Array(0..<rank) ? self : try call("permute", [], [.ints(axes)])
  }

  func transpose(_ a: Int, _ b: Int) throws(LucidError) -> GraphValue {
    var axes = Array(0..<rank)
    axes.swapAt(try position(a, rank), try position(b, rank))
    return try permute(axes)
  }

  func unsqueeze(_ axis: Int) throws(LucidError) -> GraphValue {
    var dims = shape.dims
    dims.insert(1, at: try position(axis, rank + 1))
    return try reshape(Shape(dims))
  }

  /// An axis of a rule counted from the front. Rules check what users give; this keeps a mistake in
  /// one from trapping.
  private func position(_ axis: Int, _ extent: Int) throws(LucidError) -> Int {
    guard axis >= -extent, axis < extent else {
      throw LucidError(.index, "axis: \(axis) is out of range for shape \(shape)")
    }
    return axis < 0 ? axis + extent : axis
  }

  func matmul(_ other: GraphValue) throws(LucidError) -> GraphValue { try call("matmul", [other]) }

  /// Sums away what broadcasting from `shape` to this value's shape added: the gradient of a
  /// broadcast.
  func summed(to target: Shape) throws(LucidError) -> GraphValue {
    if shape == target { return self }
    let lead = rank - target.rank
    var axes = Array(0..<lead)
    for i in 0..<target.rank where target[i] == 1 && shape[lead + i] != 1 { axes.append(lead + i) }
    return try sum(axes, keepDim: true).reshape(target)
  }
}

extension GraphBuilder {
  func full(_ value: Double, shape: Shape, dtype: DType) throws(LucidError) -> GraphValue {
    try apply(
      try OpCatalog.op("full"), [],
      Attributes([.dims(shape.dims), .float(value), .dtype(dtype), .none]))[0]
  }
}
