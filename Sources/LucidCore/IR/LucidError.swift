/// What went wrong, in words a caller can act on.
///
/// `code` is the category a caller may branch on; `message` names the operation, the offending
/// shapes or types, and what was expected.
public struct LucidError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The category of an error. Extensible: new codes may be added.
  public struct Code: Hashable, Sendable {
    enum Value: Int32, Sendable {
      case value = -1, shape = -2, dtype = -3, index = -4, memory = -5, unsupported = -6
      case runtime = -7, device = -8, stale = -9, type = -10
    }
    let value: Value
    /// The fixed number of this code in the C ABI.
    public var status: Int32 { value.rawValue }

    /// An argument has the right type but a value that is not allowed.
    public static let value = Code(value: .value)
    /// Shapes do not fit each other or the operation.
    public static let shape = Code(value: .shape)
    /// An element type is not allowed here.
    public static let dtype = Code(value: .dtype)
    /// An index or axis is out of range.
    public static let index = Code(value: .index)
    /// There is not enough memory, or a size exceeds what can be addressed.
    public static let memory = Code(value: .memory)
    /// The request is understood but not available.
    public static let unsupported = Code(value: .unsupported)
    /// The state does not allow the call, such as a second backward through a freed graph.
    public static let runtime = Code(value: .runtime)
    /// Tensors live on different devices, or the device does not exist.
    public static let device = Code(value: .device)
    /// A compiled plan's assumptions no longer hold: trace again.
    public static let stale = Code(value: .stale)
    /// An argument has the wrong type.
    public static let type = Code(value: .type)
  }

  public let code: Code
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
