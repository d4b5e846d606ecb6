import Foundation
import Synchronization

/// A tensor's type with known extents. Equal types are the same object, so caches compare and hash
/// `id` instead of a shape, and what a run needs of a shape is made once.
public final class ConcreteType: @unchecked Sendable {
  /// Unique in the process; never 0.
  let id: UInt64
  public let shape: [Int]
  public let dtype: DType
  /// Stands for a number of the host language: yields in promotion.
  public let isWeak: Bool
  /// Packed row-major strides, in elements.
  let strides: [Int]
  let elementCount: Int
  let byteCount: Int
  /// The shape as MPSGraph sees it: rank 0 is [1].
  let mpsShape: [NSNumber]

  private struct Key: Hashable {
    let shape: [Int]
    let dtype: DType
    let isWeak: Bool
  }

  private struct Table {
    var types: [Key: ConcreteType] = [:]
    var lastID: UInt64 = 0
  }

  private static let table = Mutex(Table())
  /// Beyond this many the table starts anew: ids made before stay valid, equal types made later only
  /// miss caches once more.
  private static let capacity = 1 << 16

  private init(id: UInt64, _ key: Key, elementCount: Int) {
    self.id = id
    (shape, dtype, isWeak) = (key.shape, key.dtype, key.isWeak)
    strides = ViewLayout(contiguous: key.shape).strides
    self.elementCount = elementCount
    byteCount = elementCount * key.dtype.size
    mpsShape = key.shape.isEmpty ? [1] : key.shape.map { NSNumber(value: $0) }
  }

  /// The type with this shape; refuses what cannot be addressed.
  public static func of(
    _ shape: [Int], _ dtype: DType, isWeak: Bool = false
  ) throws(LucidError) -> ConcreteType {
    let key = Key(shape: shape, dtype: dtype, isWeak: isWeak)
    if let known = table.withLock({ $0.types[key] }) { return known }
    try TensorType(Shape(shape), dtype).checkSize(op: "tensor")
    // Checked above: the product of the non-zero extents fits.
    let count = shape.contains(0) ? 0 : shape.reduce(1, *)
    return table.withLock { table in
      if let known = table.types[key] { return known }
      if table.types.count >= capacity { table.types = [:] }
      table.lastID += 1
      let type = ConcreteType(id: table.lastID, key, elementCount: count)
      table.types[key] = type
      return type
    }
  }

  /// A graph type's concrete form, its batch replaced by a number.
  static func of(_ type: TensorType, batch: Int = 0) throws(LucidError) -> ConcreteType {
    try of(type.shape.evaluated(at: batch), type.dtype, isWeak: type.isWeak)
  }

  var graphType: TensorType { TensorType(Shape(shape), dtype, isWeak: isWeak) }
  var rank: Int { shape.count }
  var layout: ViewLayout { ViewLayout(offset: 0, shape: shape, strides: strides) }

  /// The same type as an ordinary tensor's.
  func strong() throws(LucidError) -> ConcreteType { isWeak ? try .of(shape, dtype) : self }

  /// `[2, 3]`, as PyTorch prints sizes in messages.
  var sizes: String { "[" + shape.map(String.init).joined(separator: ", ") + "]" }
}
