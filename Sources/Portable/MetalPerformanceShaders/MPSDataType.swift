/// The element type of an array: kind bits above, size in bits below.
public enum MPSDataType: UInt32, Sendable {
  case invalid = 0

  case floatBit = 0x1000_0000
  case signedBit = 0x2000_0000
  case normalizedBit = 0x4000_0000
  case alternateEncodingBit = 0x8000_0000
  case complexBit = 0x0100_0000

  case float32 = 0x1000_0020
  case float16 = 0x1000_0010
  case bFloat16 = 0x9000_0010
  case complexFloat32 = 0x1100_0040
  case complexFloat16 = 0x1100_0020

  case int2 = 0x2000_0002
  case int4 = 0x2000_0004
  case int8 = 0x2000_0008
  case int16 = 0x2000_0010
  case int32 = 0x2000_0020
  case int64 = 0x2000_0040

  case uInt2 = 2
  case uInt4 = 4
  case uInt8 = 8
  case uInt16 = 16
  case uInt32 = 32
  case uInt64 = 64

  case bool = 0x8000_0008
  case unorm1 = 0x4000_0001
  case unorm8 = 0x4000_0008

  /// The old name of `signedBit`.
  @available(*, deprecated, renamed: "signedBit")
  public static var intBit: MPSDataType { .signedBit }
}

extension MPSDataType {
  /// Bytes per element; 0 for a type that the engine does not compute with.
  @inlinable package var byteSize: Int {
    switch self {
    case .float32, .int32, .uInt32: 4
    case .float16, .bFloat16, .int16, .uInt16: 2
    case .int8, .uInt8, .bool: 1
    case .int64, .uInt64: 8
    default: 0
    }
  }

  package var isSupported: Bool { byteSize > 0 }
  package var isFloatingPoint: Bool { self == .float32 || self == .float16 || self == .bFloat16 }
  /// Whether values are whole numbers; bool is not.
  package var isInteger: Bool { isSupported && !isFloatingPoint && self != .bool }
}
