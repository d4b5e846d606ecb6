/// All operations, in the order of their dense numbers.
public enum OpCatalog {
  /// The families, each a list of definitions in files of its own.
  public static let families: [(name: String, ops: [OpDef])] = {
    let named: [(String, [OpDef])] = [
      ("Pointwise", Pointwise.unary + Pointwise.binary + Pointwise.logic),
      ("Activations", Activations.all + Softmax.all),
      ("Reductions", Reductions.all + Scans.all + Sorting.all),
      ("Shapes", ShapeOps.all + Joining.all),
      ("Indexing", Indexing.all),
      ("Creation", Creation.all),
      ("LinearAlgebra", LinearAlgebra.all),
      ("Neural", Normalization.all + Attention.all),
      ("Images", Convolution.all + Pooling.all + Resampling.all),
      ("Losses", Losses.all),
      ("Random", RandomOps.all),
      ("Gradients", GradientOps.all),
      ("Host", HostOps.all),
    ]
    var next = 0
    return named.map { name, ops in
      let numbered = ops.map { op in
        var op = op
        op.id = OpID(UInt16(truncatingIfNeeded: next))
        next += 1
        return op
      }
      return (name, numbered)
    }
  }()

  public static let all: [OpDef] = families.flatMap(\.ops)

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
