/// What a dynamic trace knows about the symbolic batch B: the batch of the call being traced, and
/// every fact about B that a decision relied on. A later call may use the graph only if its batch
/// fulfils all of them.
public final class BatchAssumptions {
  /// A fact about B.
  public enum Constraint: Hashable, Sendable {
    /// a·B + c equals zero.
    case zero(Dim)
    /// a·B + c does not equal zero.
    case nonzero(Dim)
    /// a·B + c is at least zero.
    case nonnegative(Dim)

    public func holds(at batch: Int) -> Bool {
      switch self {
      case .zero(let d): d.evaluated(at: batch) == 0
      case .nonzero(let d): d.evaluated(at: batch) != 0
      case .nonnegative(let d): d.evaluated(at: batch) >= 0
      }
    }
  }

  /// The batch of the traced call.
  public let hint: Int
  public private(set) var constraints: [Constraint] = []
  /// Why the batch had to be fixed to `hint`, if it had to.
  public private(set) var specialization: String?

  public init(hint: Int) { self.hint = hint }

  /// Whether two extents are equal, for every batch if that is known, else for the traced one with
  /// the answer recorded.
  public func equal(_ a: Dim, _ b: Dim) -> Bool {
    let difference = a - b
    if difference.isStatic { return difference.constant == 0 }
    let answer = difference.evaluated(at: hint) == 0
    assume(answer ? .zero(difference) : .nonzero(difference))
    return answer
  }

  /// Whether a ≤ b, likewise.
  public func lessOrEqual(_ a: Dim, _ b: Dim) -> Bool {
    let difference = b - a
    if difference.isStatic { return difference.constant >= 0 }
    // With non-negative coefficients the difference is never negative for a batch of 0 or more.
    if difference.coefficient > 0, difference.constant >= 0 { return true }
    let answer = difference.evaluated(at: hint) >= 0
    assume(
      answer
        ? .nonnegative(difference)
        : .nonnegative(Dim(coefficient: 0, constant: -1) - difference))
    return answer
  }

  /// Fixes the batch to the traced one, because something needs its number.
  public func specialize(_ reason: String) -> Int {
    if specialization == nil { specialization = reason }
    assume(.zero(Dim(coefficient: 1, constant: Dim.multiply(hint, -1))))
    return hint
  }

  /// Whether the facts leave no other batch than the traced one.
  public var isFixed: Bool {
    constraints.contains { if case .zero = $0 { true } else { false } }
  }

  private func assume(_ constraint: Constraint) {
    if !constraints.contains(constraint) { constraints.append(constraint) }
  }
}
