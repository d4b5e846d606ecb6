/// The element type of a tensor. Raw values are fixed: they cross the C ABI.
public enum DType: UInt8, CaseIterable, Hashable, Sendable, CustomStringConvertible {
  case float32 = 0, float16, bfloat16, int8, int16, int32, int64, uint8, bool

  /// Bytes per element.
  public var size: Int {
    switch self {
    case .int8, .uint8, .bool: 1
    case .float16, .bfloat16, .int16: 2
    case .float32, .int32: 4
    case .int64: 8
    }
  }

  public var isFloatingPoint: Bool {
    switch self {
    case .float32, .float16, .bfloat16: true
    default: false
    }
  }

  /// An integer type; `bool` is not one.
  public var isInteger: Bool { !isFloatingPoint && self != .bool }

  /// 0 bool, 1 integer, 2 floating point: the order in which kinds win a promotion.
  public var category: Int { self == .bool ? 0 : isFloatingPoint ? 2 : 1 }

  public var description: String {
    switch self {
    case .float32: "float32"
    case .float16: "float16"
    case .bfloat16: "bfloat16"
    case .int8: "int8"
    case .int16: "int16"
    case .int32: "int32"
    case .int64: "int64"
    case .uint8: "uint8"
    case .bool: "bool"
    }
  }

  /// The smallest type that holds both, as PyTorch promotes.
  public static func promote(_ a: DType, _ b: DType) -> DType {
    if a == b { return a }
    if a.category != b.category { return a.category > b.category ? a : b }
    if a.isFloatingPoint { return .float32 }  // unequal floating types: float16 with bfloat16 too
    if a == .uint8 || b == .uint8 {
      let other = a == .uint8 ? b : a
      return other == .int8 ? .int16 : other
    }
    return a.size > b.size ? a : b
  }
}
