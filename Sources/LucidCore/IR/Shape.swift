/// The extents of a tensor, slowest dimension first.
public struct Shape: Hashable, Sendable, ExpressibleByArrayLiteral, CustomStringConvertible {
  public var dims: [Dim]

  public init(_ dims: [Dim]) { self.dims = dims }
  public init(_ dims: [Int]) { self.dims = dims.map { Dim($0) } }
  public init(arrayLiteral elements: Dim...) { dims = elements }

  public var rank: Int { dims.count }
  public subscript(axis: Int) -> Dim {
    get { dims[axis] }
    set { dims[axis] = newValue }
  }

  public var isStatic: Bool { dims.allSatisfy(\.isStatic) }

  /// The extents, if none depends on the batch.
  public var values: [Int]? {
    var out: [Int] = []
    out.reserveCapacity(dims.count)
    for dim in dims {
      guard let value = dim.value else { return nil }
      out.append(value)
    }
    return out
  }

  public func evaluated(at batch: Int) -> [Int] { dims.map { $0.evaluated(at: batch) } }

  /// Whether some extent is 0 for every batch size.
  public var isEmpty: Bool { dims.contains { $0.isStatic && $0.constant == 0 } }

  /// The number of elements, if it is affine in the batch.
  public var elementCount: Dim? {
    var count = Dim(1)
    for dim in dims {
      guard let next = Dim.product(count, dim) else { return nil }
      count = next
    }
    return count
  }

  /// `(2, 3)`, as error messages and printing show it.
  public var description: String {
    "(" + dims.map(\.description).joined(separator: ", ") + (rank == 1 ? ",)" : ")")
  }
}

/// The shape and element type of a graph value.
public struct TensorType: Hashable, Sendable, CustomStringConvertible {
  public var shape: Shape
  public var dtype: DType
  /// A Python or Swift number: its type yields to a tensor's in a promotion.
  public var isWeak: Bool

  public init(_ shape: Shape, _ dtype: DType, isWeak: Bool = false) {
    self.shape = shape
    self.dtype = dtype
    self.isWeak = isWeak
  }

  public var rank: Int { shape.rank }
  public var description: String { "\(dtype)\(shape)" }
}
