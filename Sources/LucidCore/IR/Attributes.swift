/// The value of one attribute of an operation.
public enum Attribute: Hashable, Sendable {
  case int(Int)
  /// Compared and hashed by bits, so that NaN equals itself and 0.0 differs from -0.0.
  case float(UInt64)
  case bool(Bool)
  case dtype(DType)
  /// An index into the choices of the attribute's definition.
  case choice(Int)
  case ints([Int])
  case floats([UInt64])
  /// Extents, which may depend on the batch.
  case dims([Dim])
  /// An optional attribute that was not given.
  case none

  public static func float(_ value: Double) -> Attribute { .float(value.bitPattern) }
}

/// How an attribute is declared, encoded and checked.
public indirect enum AttributeType: Hashable, Sendable {
  case int, float, bool, dtype, ints, floats, dims
  /// One of these words.
  case choice([String])
  case optional(AttributeType)
}

/// One declared attribute of an operation, in the order of its encoding.
public struct AttributeDef: Sendable {
  public let name: String
  public let type: AttributeType
  /// The value where a caller gives none; nil means it must be given.
  public let defaultValue: Attribute?

  public init(_ name: String, _ type: AttributeType, default defaultValue: Attribute? = nil) {
    self.name = name
    self.type = type
    self.defaultValue = defaultValue
  }
}

/// The attributes of one node, in declared order.
public struct Attributes: Hashable, Sendable {
  public var values: [Attribute]
  public init(_ values: [Attribute] = []) { self.values = values }

  // Positions are those of the operation's own declaration, so a wrong kind is a defect of the
  // catalog; the neutral answers keep it from trapping, and the catalog's self-test finds it.
  public func int(_ i: Int) -> Int { if case .int(let v) = self[i] { v } else { 0 } }
  public func optionalInt(_ i: Int) -> Int? { if case .int(let v) = self[i] { v } else { nil } }
  public func float(_ i: Int) -> Double {
    if case .float(let bits) = self[i] { Double(bitPattern: bits) } else { 0 }
  }
  public func optionalFloat(_ i: Int) -> Double? {
    if case .float(let bits) = self[i] { Double(bitPattern: bits) } else { nil }
  }
  public func bool(_ i: Int) -> Bool { if case .bool(let v) = self[i] { v } else { false } }
  public func dtype(_ i: Int) -> DType? { if case .dtype(let v) = self[i] { v } else { nil } }
  public func choice(_ i: Int) -> Int { if case .choice(let v) = self[i] { v } else { 0 } }
  public func ints(_ i: Int) -> [Int] { if case .ints(let v) = self[i] { v } else { [] } }
  public func optionalInts(_ i: Int) -> [Int]? { if case .ints(let v) = self[i] { v } else { nil } }
  public func floats(_ i: Int) -> [Double] {
    if case .floats(let v) = self[i] { v.map { Double(bitPattern: $0) } } else { [] }
  }
  public func dims(_ i: Int) -> [Dim] { if case .dims(let v) = self[i] { v } else { [] } }

  private subscript(_ i: Int) -> Attribute { i < values.count ? values[i] : .none }
}
