import MetalPerformanceShadersGraph

/// One operation, with every rule it has. Adding an operation to Lucid means adding one such value to
/// a family in this folder, and its row to the float64 reference in `tests/reference`.
public struct OpDef: Sendable {
  /// The wire name: PyTorch's, in files, messages and generated bindings.
  public let name: String
  public let doc: OpDoc
  public let operands: [OperandDef]
  public let attributes: [AttributeDef]
  public let promotion: Promotion
  public let definition: Definition
  /// How the result aliases its first operand, for operations that PyTorch makes views.
  public let view: ViewRule?
  /// The number of results; nil where it depends on the attributes (`split`).
  public let resultCount: Int?
  /// For operations that draw: how many random words they take. Unless that is 0, two operands
  /// follow the declared ones that callers do not see: seed and offset, each int64 of shape [1].
  public let draws: (@Sendable (InferContext) throws(LucidError) -> Dim)?
  /// Assigned by the catalog.
  public internal(set) var id = OpID(0)

  /// What computes the operation.
  public enum Definition: Sendable {
    case primitive(PrimitiveRules)
    /// Built from other operations; types, gradient and lowering follow by expansion.
    case composite(@Sendable (ExpandContext) throws(LucidError) -> [GraphValue])
    /// Computed from the operands' elements outside of graphs, because the results' sizes depend on
    /// them (`nonzero`). A trace reads the operands first.
    case host(@Sendable (HostContext) throws(LucidError) -> [HostArray])
  }

  /// The three rules of a primitive operation.
  public struct PrimitiveRules: Sendable {
    /// Checks the operands and attributes and gives the result types. The only place that checks.
    public let infer: @Sendable (InferContext) throws(LucidError) -> [TensorType]
    public let vjp: VJP
    /// Builds the MPSGraph form.
    public let lower: @Sendable (LowerContext) throws(LucidError) -> [MPSGraphTensor]
    /// Whether the lowering takes a symbolic batch on Apple's framework; else the reason it does not.
    public let symbolic: SymbolicSupport
    /// What a result with elements is where an operand has none; engines never see such operands.
    public let empty: EmptyRule

    public init(
      infer: @escaping @Sendable (InferContext) throws(LucidError) -> [TensorType],
      vjp: VJP,
      symbolic: SymbolicSupport = .supported,
      empty: EmptyRule = .fill(0),
      lower: @escaping @Sendable (LowerContext) throws(LucidError) -> [MPSGraphTensor]
    ) {
      (self.infer, self.vjp, self.symbolic, self.empty) = (infer, vjp, symbolic, empty)
      self.lower = lower
    }
  }

  /// The value of a non-empty result that an empty operand leaves.
  public enum EmptyRule: Sendable {
    /// Every element has this value: a sum over nothing is 0.
    case fill(Double)
    /// The first operand: what is left when there is nothing to write into it.
    case firstOperand
  }

  public enum SymbolicSupport: Sendable {
    case supported
    case unsupported(String)
  }

  /// The reverse-mode derivative.
  public enum VJP: Sendable {
    /// One gradient per operand, nil where an operand gets none. Rules are written in graph
    /// operations, so they serve eager, compiled and higher-order gradients alike.
    case rule(@Sendable (VJPContext) throws(LucidError) -> [GraphValue?])
    /// The result is constant wherever it is differentiable: zero gradients (`floor`, `sign`).
    case zero
    /// Gradients end here by intention: `detach`.
    case stop
    /// The operation has no derivative, for this reason. Integer and bool results need nothing else.
    case none(String)
  }

  public init(
    _ name: String, _ doc: OpDoc, operands: [OperandDef], attributes: [AttributeDef] = [],
    promotion: Promotion = .none, view: ViewRule? = nil, resultCount: Int? = 1,
    draws: (@Sendable (InferContext) throws(LucidError) -> Dim)? = nil, _ definition: Definition
  ) {
    self.name = name
    self.doc = doc
    self.operands = operands
    self.attributes = attributes
    self.promotion = promotion
    self.view = view
    self.resultCount = resultCount
    self.draws = draws
    self.definition = definition
  }
}

/// What a person reads about an operation. Constraints are numbered C1, C2, … in the order given;
/// error messages and tests cite the numbers.
public struct OpDoc: Sendable {
  public let summary: String
  public let constraints: [String]
  /// Where a formula or algorithm comes from, if it is not obvious.
  public let source: String?

  public init(_ summary: String, _ constraints: [String] = [], source: String? = nil) {
    self.summary = summary
    self.constraints = constraints
    self.source = source
  }
}

/// One declared operand.
public struct OperandDef: Sendable {
  public enum Kind: Sendable { case required, optional, variadic }
  public let name: String
  public let kind: Kind

  public init(_ name: String, _ kind: Kind = .required) {
    self.name = name
    self.kind = kind
  }
}

extension OpDef {
  /// Whether gradients end here by intention.
  var cutsGradients: Bool {
    if case .primitive(let rules) = definition, case .stop = rules.vjp { true } else { false }
  }

  /// The attributes with defaults filled in.
  func completed(_ given: Attributes) throws(LucidError) -> Attributes {
    guard given.values.count < attributes.count else { return given }
    var values = given.values
    for def in attributes[values.count...] {
      guard let value = def.defaultValue else {
        throw LucidError(.value, "\(name): attribute \(def.name) must be given")
      }
      values.append(value)
    }
    return Attributes(values)
  }

  func checkOperandCount(_ count: Int) throws(LucidError) {
    let required = operands.count { $0.kind == .required }
    let variadic = operands.contains { $0.kind == .variadic }
    let most = operands.count + (draws == nil ? 0 : 2)
    guard count >= required, variadic || count <= most else {
      let expected = operands.map(\.name).joined(separator: ", ")
      throw LucidError(.value, "\(name): \(count) operands given, expected (\(expected))")
    }
  }
}
