import MetalPerformanceShadersGraph

/// Operations that work element by element, with NumPy broadcasting. The families are in files of
/// their own; this one holds the factories.
enum Pointwise {
  typealias UnaryLowering =
    @Sendable (MPSGraph, MPSGraphTensor, String) -> MPSGraphTensor
  typealias BinaryLowering =
    @Sendable (MPSGraph, MPSGraphTensor, MPSGraphTensor, String) -> MPSGraphTensor
  typealias UnaryBody =
    @Sendable (GraphValue, Attributes) throws(LucidError) -> GraphValue
  typealias BinaryBody =
    @Sendable (GraphValue, GraphValue, Attributes) throws(LucidError) -> GraphValue

  /// A unary operation of one MPSGraph node. `result` is the element type of the result, nil for the
  /// operand's.
  static func unary(
    _ name: String, _ summary: String, promotion: Promotion = .floating, result: DType? = nil,
    accepts: ElementKinds = .all, vjp: OpDef.VJP, lower: @escaping UnaryLowering
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, accepts.constraints), operands: [OperandDef("input")],
      promotion: promotion,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try accepts.check(c, operand: 0)
            return [TensorType(c.shape(0), result ?? c.dtype(0))]
          },
          vjp: vjp,
          lower: { c throws(LucidError) in [lower(c.graph, c.inputs[0], c.name)] })))
  }

  /// A binary operation of one MPSGraph node. The rule gives the gradients before they are summed to
  /// the operands' shapes.
  static func binary(
    _ name: String, _ summary: String, promotion: Promotion = .common, result: DType? = nil,
    accepts: ElementKinds = .all, vjp: OpDef.VJP, lower: @escaping BinaryLowering
  ) -> OpDef {
    OpDef(
      name,
      OpDoc(summary, ["The shapes of input and other broadcast together."] + accepts.constraints),
      operands: [OperandDef("input"), OperandDef("other")], promotion: promotion,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            try accepts.check(c, operand: 0, constraint: 2)
            return [TensorType(try c.broadcast(c.shape(0), c.shape(1)), result ?? c.dtype(0))]
          },
          vjp: summedToOperands(vjp),
          lower: { c throws(LucidError) in [lower(c.graph, c.inputs[0], c.inputs[1], c.name)] })))
  }

  /// A function of one operand built from other operations. Half types are computed in float32 and
  /// rounded once, if `wide`.
  static func composite(
    _ name: String, _ summary: String, _ attributes: [AttributeDef] = [],
    promotion: Promotion = .floating, wide: Bool = true, _ body: @escaping UnaryBody
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary), operands: [OperandDef("input")], attributes: attributes,
      promotion: promotion,
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        let result = try body(wide ? input.widened() : input, c.attributes)
        return [wide ? try result.narrowed(like: input) : result]
      })
  }

  /// The same for two operands that broadcast together.
  static func composite2(
    _ name: String, _ summary: String, _ attributes: [AttributeDef] = [],
    promotion: Promotion = .floating, wide: Bool = true, _ body: @escaping BinaryBody
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The shapes of input and other broadcast together."]),
      operands: [OperandDef("input"), OperandDef("other")], attributes: attributes,
      promotion: promotion,
      .composite { c throws(LucidError) in
        let (a, b) = (c.inputs[0], c.inputs[1])
        guard wide else { return [try body(a, b, c.attributes)] }
        let result = try body(a.widened(), b.widened(), c.attributes)
        return [try result.narrowed(like: a)]
      })
  }

  /// The rule with each gradient summed over what broadcasting added.
  static func summedToOperands(_ vjp: OpDef.VJP) -> OpDef.VJP {
    guard case .rule(let rule) = vjp else { return vjp }
    return .rule { c throws(LucidError) in
      var out: [GraphValue?] = []
      for (gradient, input) in zip(try rule(c), c.inputs) {
        out.append(try gradient?.summed(to: input.shape))
      }
      return out
    }
  }

  /// The rule gradient · derivative of one operand.
  static func derivative(
    _ body:
      @escaping @Sendable (_ input: GraphValue, _ output: GraphValue) throws(LucidError)
      -> GraphValue
  ) -> OpDef.VJP {
    .rule { c throws(LucidError) in [try c.cotangent() * body(c.inputs[0], c.outputs[0])] }
  }
}

/// Which element types an operation takes.
enum ElementKinds: Sendable {
  case all
  /// All but bool.
  case numeric
  /// Integers and bool.
  case integral
  case floating

  var constraints: [String] {
    switch self {
    case .all: []
    case .numeric: ["The element type is not bool."]
    case .integral: ["The element type is an integer or bool."]
    case .floating: ["The element type is a floating-point type."]
    }
  }

  func check(_ c: InferContext, operand: Int, constraint: Int = 1) throws(LucidError) {
    let dtype = c.dtype(operand)
    let fine =
      switch self {
      case .all: true
      case .numeric: dtype != .bool
      case .integral: !dtype.isFloatingPoint
      case .floating: dtype.isFloatingPoint
      }
    guard fine else {
      throw c.error(.dtype, "not defined for element type \(dtype)", constraint: constraint)
    }
  }
}

extension GraphValue {
  /// Half types as float32, others unchanged.
  func widened() throws(LucidError) -> GraphValue {
    dtype.isFloatingPoint ? try cast(to: .float32) : self
  }

  /// Back to the half type of `original`; results of other kinds (bool, indices) stay.
  func narrowed(like original: GraphValue) throws(LucidError) -> GraphValue {
    dtype == .float32 && original.dtype.isFloatingPoint ? try cast(to: original.dtype) : self
  }
}
