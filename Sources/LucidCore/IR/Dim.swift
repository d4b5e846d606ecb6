/// One extent of a shape: the integer `coefficient`·B + `constant`, where B is the batch size that a
/// dynamic trace leaves open. A static extent has coefficient 0.
///
/// Arithmetic saturates instead of trapping; a saturated extent fails the size check that every
/// result type passes through.
public struct Dim: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
  public let coefficient: Int
  public let constant: Int

  /// The symbolic batch itself.
  public static let batch = Dim(coefficient: 1, constant: 0)

  public init(coefficient: Int, constant: Int) {
    self.coefficient = coefficient
    self.constant = constant
  }

  public init(_ value: Int) { self.init(coefficient: 0, constant: value) }
  public init(integerLiteral value: Int) { self.init(value) }

  public var isStatic: Bool { coefficient == 0 }

  /// The extent if it does not depend on the batch.
  public var value: Int? { coefficient == 0 ? constant : nil }

  /// The extent for a batch size.
  public func evaluated(at batch: Int) -> Int {
    Self.add(Self.multiply(coefficient, batch), constant)
  }

  public var description: String {
    if coefficient == 0 { return String(constant) }
    let head = coefficient == 1 ? "B" : "\(coefficient)B"
    return constant == 0 ? head : constant > 0 ? "\(head)+\(constant)" : "\(head)\(constant)"
  }

  public static func + (a: Dim, b: Dim) -> Dim {
    Dim(coefficient: add(a.coefficient, b.coefficient), constant: add(a.constant, b.constant))
  }

  public static func - (a: Dim, b: Dim) -> Dim {
    Dim(
      coefficient: add(a.coefficient, multiply(b.coefficient, -1)),
      constant: add(a.constant, multiply(b.constant, -1)))
  }

  /// The product, if it is affine in the batch.
  public static func product(_ a: Dim, _ b: Dim) -> Dim? {
    if let k = b.value {
      return Dim(coefficient: multiply(a.coefficient, k), constant: multiply(a.constant, k))
    }
    if a.isStatic { return product(b, a) }
    return nil
  }

  /// The quotient rounded down, if it is affine in the batch for every batch size.
  public static func quotient(_ a: Dim, _ k: Int) -> Dim? {
    guard k != 0 else { return nil }
    if let value = a.value {
      guard !(value == .min && k == -1) else { return Dim(Int.max) }
      let q = value / k
      return Dim((value % k != 0 && (value < 0) != (k < 0)) ? q - 1 : q)
    }
    guard k > 0, a.coefficient % k == 0 else { return nil }
    let rest = a.constant % k
    let floor = a.constant / k - (rest < 0 ? 1 : 0)
    return Dim(coefficient: a.coefficient / k, constant: floor)
  }

  static func add(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? (a > 0 ? .max : .min + 1) : sum
  }

  static func multiply(_ a: Int, _ b: Int) -> Int {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    return overflow ? ((a > 0) == (b > 0) ? .max : .min + 1) : product
  }
}
