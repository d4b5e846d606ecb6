/// Which operands are brought to a common element type before an operation sees them.
public enum Promotion: Sendable {
  /// Types are taken as they are.
  case none
  /// Operands from this position on get PyTorch's common type.
  case common(from: Int)
  /// The same, and integers and bools become float32 (division, `sin`, `mean` of `linspace`, …).
  case floating(from: Int)

  public static let common = Promotion.common(from: 0)
  public static let floating = Promotion.floating(from: 0)

  func apply(to operands: [GraphValue], op: OpDef) throws(LucidError) -> [GraphValue] {
    guard let first = start, first < operands.count else { return operands }
    guard let target = resultType(of: operands.map(\.type)) else { return operands }
    var out = operands
    for i in first..<operands.count { out[i] = try operands[i].cast(to: target) }
    return out
  }

  private var start: Int? {
    switch self {
    case .none: nil
    case .common(let from), .floating(let from): from
    }
  }

  /// The common element type: tensors with dimensions decide before rank-0 tensors, and these before
  /// plain numbers, unless the later ones are of a higher category (bool < integer < floating).
  public func resultType(of types: [TensorType]) -> DType? {
    guard let start, start < types.count else { return nil }
    var result = Promotion.common(types[start...])
    if case .floating = self, !result.isFloatingPoint { result = .float32 }
    return result
  }

  /// PyTorch's common type of at least one type.
  public static func common(_ types: some Sequence<TensorType>) -> DType {
    var byPriority: [DType?] = [nil, nil, nil]  // with dimensions, rank 0, plain numbers
    for type in types {
      let priority = type.isWeak ? 2 : type.rank == 0 ? 1 : 0
      byPriority[priority] = byPriority[priority].map { .promote($0, type.dtype) } ?? type.dtype
    }
    var result: DType?
    for candidate in byPriority {
      guard let candidate else { continue }
      guard let current = result else {
        result = candidate
        continue
      }
      if candidate.category > current.category { result = candidate }
    }
    return result ?? .float32
  }
}
