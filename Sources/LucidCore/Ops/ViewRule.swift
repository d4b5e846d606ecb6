/// How a strided tensor lies in its storage, in elements.
public struct ViewLayout: Hashable, Sendable {
  public var offset: Int
  public var shape: [Int]
  public var strides: [Int]

  public init(offset: Int, shape: [Int], strides: [Int]) {
    (self.offset, self.shape, self.strides) = (offset, shape, strides)
  }

  /// Packed row-major.
  public init(contiguous shape: [Int], offset: Int = 0) {
    var strides = [Int](repeating: 1, count: shape.count)
    for i in stride(from: shape.count - 2, through: 0, by: -1) {
      strides[i] = Dim.multiply(strides[i + 1], max(shape[i + 1], 1))
    }
    self.init(offset: offset, shape: shape, strides: strides)
  }

  public var elementCount: Int { shape.reduce(1, *) }

  /// Whether the elements lie packed in row-major order (extents of 1 have no say).
  public var isContiguous: Bool {
    var expected = 1
    for i in stride(from: shape.count - 1, through: 0, by: -1) where shape[i] != 1 {
      if shape[i] == 0 { return true }
      if strides[i] != expected { return false }
      expected *= shape[i]
    }
    return true
  }
}

/// An operation whose result aliases its first operand.
public struct ViewRule: Sendable {
  /// The layout of the result, or nil where only a copy can have the shape (as `reshape` may).
  public let layout: @Sendable (ViewLayout, Attributes, _ resultShape: [Int]) -> ViewLayout?
  /// The operand with the region that the view shows replaced by `update`: how a write through the
  /// view reaches its base in a graph.
  public let update: @Sendable (ViewUpdate) throws(LucidError) -> GraphValue

  public init(
    layout: @escaping @Sendable (ViewLayout, Attributes, _ resultShape: [Int]) -> ViewLayout?,
    update: @escaping @Sendable (ViewUpdate) throws(LucidError) -> GraphValue
  ) {
    (self.layout, self.update) = (layout, update)
  }
}

/// What a view's `update` rule sees.
public struct ViewUpdate {
  public let base: GraphValue
  public let update: GraphValue
  public let attributes: Attributes
}
