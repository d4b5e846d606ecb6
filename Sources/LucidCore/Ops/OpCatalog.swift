/// All operations, in the order of their dense numbers.
public enum OpCatalog {
  /// The families, each a list of definitions in a file of its own.
  private static let families: [[OpDef]] = [
    Pointwise.unary, Pointwise.binary, Pointwise.logic, Reductions.all, ShapeOps.all, LinearAlgebra.all,
    Creation.all, Indexing.all, Joining.all, Scans.all, Sorting.all,
    Softmax.all, Activations.all,
  ]

  public static let all: [OpDef] = families.joined().enumerated().map { index, op in
    var op = op
    op.id = OpID(UInt16(truncatingIfNeeded: index))
    return op
  }

  private static let byName: [String: OpID] = Dictionary(
    all.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })

  public static subscript(id: OpID) -> OpDef { all[Int(id.index)] }

  public static func find(_ name: String) -> OpDef? { byName[name].map { all[Int($0.index)] } }

  /// The operation a rule refers to by name; the catalog's self-test resolves every reference.
  static func op(_ name: StaticString) throws(LucidError) -> OpDef {
    guard let op = find(name.description) else {
      throw LucidError(.unsupported, "\(name): no operation has this name")
    }
    return op
  }
}
