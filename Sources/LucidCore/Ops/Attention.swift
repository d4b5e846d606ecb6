import Foundation
import MetalPerformanceShadersGraph

/// Scaled dot-product attention. Masks are additive and finite where Apple's kernel sees them: an
/// infinite one gives NaN in rows that exclude everything, which are set to zero afterwards.
enum Attention {
  static let all: [OpDef] = [
    OpDef(
      "scaled_dot_product_attention",
      OpDoc(
        "softmax(query · keyᵀ · scale + mask) · value. A bool mask is true where attention is allowed; is_causal allows j <= i. Rows that allow nothing give zeros.",
        [
          "The operands have rank 2 or more and equal floating element types.",
          "query and key agree in their last extent, key and value in their next to last.",
          "The leading axes broadcast, as does the mask with the scores.",
          "A mask and is_causal exclude each other.", "dropout_p lies in [0, 1].",
        ]),
      operands: [
        OperandDef("query"), OperandDef("key"), OperandDef("value"), OperandDef("mask", .optional),
      ],
      attributes: [
        AttributeDef("dropout_p", .float, default: .float(0.0)),
        AttributeDef("is_causal", .bool, default: .bool(false)),
        AttributeDef("scale", .optional(.float), default: Attribute.none),
      ],
      draws: { c throws(LucidError) in
        guard c.attributes.float(0) > 0, c.types.count >= 3, c.shape(0).rank >= 2,
          c.shape(1).rank >= 2
        else { return 0 }
        return try RandomWords.count(c, try scores(c))
      },
      .composite { c throws(LucidError) in [try expand(c)] }),
    OpDef(
      "attention",
      OpDoc(
        "Attention of rank-4 operands, with an additive finite mask or a causal one.",
        [
          "The operands have rank 4, one type of float32 and float16, and fitting extents.",
          "query and value agree in their last extent.",
        ]),
      operands: [
        OperandDef("query"), OperandDef("key"), OperandDef("value"), OperandDef("mask", .optional),
      ],
      attributes: [AttributeDef("scale", .float), AttributeDef("is_causal", .bool)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let (q, k, v) = (c.shape(0), c.shape(1), c.shape(2))
            guard isTaken(c), c.equal(k[0], v[0]), c.equal(k[1], v[1]), c.equal(k[2], v[2])
            else { throw c.error(.shape, "operands \(c.types)", constraint: 1) }
            guard c.equal(q[3], v[3]) else {
              throw c.error(.shape, "shapes \(q) and \(v)", constraint: 2)
            }
            if c.types.count > 3 { _ = try c.broadcast(c.shape(3), [q[0], q[1], q[2], k[2]]) }
            return [TensorType(q, c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in try gradient(c) },
          lower: { c throws(LucidError) in
            var mask: MPSGraphTensor? = c.inputs.count > 3 ? c.inputs[3] : nil
            if c.attributes.bool(1) { mask = try causalMask(c) }
            return [
              c.graph.scaledDotProductAttention(
                query: c.inputs[0], key: c.inputs[1], value: c.inputs[2], mask: mask,
                scale: Float(c.attributes.float(0)), name: c.name)
            ]
          }))),
    backward,
  ]

  /// Whether Apple's kernel takes the operands' types and ranks, and query and key fit.
  private static func isTaken(_ c: InferContext) -> Bool {
    let (q, k) = (c.shape(0), c.shape(1))
    return c.types.allSatisfy { $0.rank == 4 && $0.dtype == c.dtype(0) }
      && (c.dtype(0) == .float32 || c.dtype(0) == .float16)
      && c.equal(q[0], k[0]) && c.equal(q[1], k[1]) && c.equal(q[3], k[3])
  }

  /// What stands for -infinity: finite, and after adding a score still far below any other.
  static func excluded(_ dtype: DType) -> Double { dtype == .float16 ? -6e4 : -3e38 }

  /// The shape of the scores, checked.
  private static func scores(_ c: InferContext) throws(LucidError) -> Shape {
    let (q, k, v) = (c.shape(0), c.shape(1), c.shape(2))
    guard q.rank >= 2, k.rank >= 2, v.rank >= 2, c.dtype(0).isFloatingPoint,
      c.dtype(0) == c.dtype(1), c.dtype(1) == c.dtype(2)
    else {
      throw c.error(
        .shape, "operands \(c.types[0]), \(c.types[1]) and \(c.types[2])", constraint: 1)
    }
    guard c.equal(q[q.rank - 1], k[k.rank - 1]), c.equal(k[k.rank - 2], v[v.rank - 2]) else {
      throw c.error(.shape, "shapes \(q), \(k) and \(v)", constraint: 2)
    }
    let keys = try c.broadcast(
      Shape(Array(k.dims.dropLast(2))), Shape(Array(v.dims.dropLast(2))))
    let lead = try c.broadcast(Shape(Array(q.dims.dropLast(2))), keys)
    return Shape(lead.dims + [q[q.rank - 2], k[k.rank - 2]])
  }

  private static func expand(_ c: ExpandContext) throws(LucidError) -> GraphValue {
    let dropout = c.attributes.float(0)
    let isCausal = c.attributes.bool(1)
    guard dropout >= 0, dropout <= 1 else {
      throw c.check.error(.value, "dropout_p is \(dropout)", constraint: 5)
    }
    let drawn = dropout > 0 ? 2 : 0
    guard c.inputs.count >= 3 + drawn else { throw c.check.error(.value, "no seed was given") }
    let shape = try scores(c.check)
    let hasMask = c.inputs.count > 3 + drawn
    guard !(hasMask && isCausal) else {
      throw c.check.error(.value, "a mask together with is_causal", constraint: 4)
    }
    let lead = shape.dims.dropLast(2)
    let query = c.inputs[0]
    let width = query.shape[query.rank - 1]
    var factor = c.attributes.optionalFloat(2)
    if factor == nil {
      factor = 1 / Double(c.check.number(width, "the scale depends on the width")).squareRoot()
    }
    let scale = factor ?? 1
    var parts: [GraphValue] = []
    for operand in c.inputs[..<3] {
      // Apple's kernel takes no bfloat16.
      let typed = query.dtype == .bfloat16 ? try operand.cast(to: .float32) : operand
      parts.append(try typed.expand(Shape(lead + operand.shape.dims.suffix(2))))
    }
    var mask: GraphValue?
    var allowed: GraphValue?
    if hasMask {
      let given = c.inputs[3]
      guard try c.check.broadcast(given.shape, shape) == shape else {
        throw c.check.error(
          .shape, "a mask of shape \(given.shape) for scores \(shape)", constraint: 3)
      }
      (mask, allowed) = try additive(given, parts[0].dtype)
    }
    let result: GraphValue
    let value = parts[2]
    if drawn == 0, c.check.equal(width, value.shape[value.rank - 1]) {
      result = try fused(parts, mask, isCausal, scale, lead: Array(lead), c)
    } else {
      var weights = try parts[0].weights(parts[1], scale, mask, isCausal)
      if drawn > 0 {
        let words = Array(c.inputs.suffix(2))
        weights = try weights.call("dropout", words, [.float(dropout), .bool(true)])
      }
      result = try weights.product(value)
    }
    let clean =
      try allowed.map { allowed throws(LucidError) in
        try result.selected(where: allowed, else: result.full(0))
      } ?? result
    return try clean.cast(to: query.dtype)
  }

  /// The mask as finite numbers to add, and which rows allow anything.
  private static func additive(
    _ mask: GraphValue, _ dtype: DType
  ) throws(LucidError) -> (GraphValue, GraphValue?) {
    let wide =
      mask.rank < 2 ? try mask.reshape(Shape([1, mask.rank == 0 ? 1 : mask.shape[0]])) : mask
    let last = wide.rank - 1
    let floor = try wide.builder.full(excluded(dtype), shape: [], dtype: dtype)
    if wide.dtype == .bool {
      let zero = try floor.full(0)
      return (try zero.selected(where: wide, else: floor), try wide.any([last]))
    }
    let values = try wide.cast(to: dtype)
    let isOpen = try values.greater(values.full(-.infinity)).any([last])
    return (try values.call("clamp_min", [floor]), isOpen)
  }

  /// As rank 4, for the kernel.
  private static func fused(
    _ parts: [GraphValue], _ mask: GraphValue?, _ isCausal: Bool, _ scale: Double, lead: [Dim],
    _ c: ExpandContext
  ) throws(LucidError) -> GraphValue {
    let heads: Dim = lead.last ?? 1
    guard let batch = Shape(Array(lead.dropLast())).elementCount else {
      throw c.check.error(.unsupported, "the leading extents have no affine product")
    }
    var operands: [GraphValue] = []
    for part in parts {
      operands.append(try part.reshape(Shape([batch, heads] + part.shape.dims.suffix(2))))
    }
    if let mask {
      let missing = max(lead.count + 2 - mask.rank, 0)
      var dims = [Dim](repeating: 1, count: missing) + mask.shape.dims
      if dims.count > 4, dims.dropLast(3).contains(where: { $0 != 1 }) {
        dims = lead + dims.suffix(2)
        let wide = try mask.expand(Shape(dims))
        operands.append(try wide.reshape(Shape([batch, heads] + dims.suffix(2))))
      } else {
        let ones = [Dim](repeating: 1, count: max(4 - dims.count, 0))
        operands.append(try mask.reshape(Shape(ones + dims.suffix(4))))
      }
    }
    let result = try operands[0].call(
      "attention", Array(operands.dropFirst()), [.float(scale), .bool(isCausal)])
    return try result.reshape(Shape(lead + result.shape.dims.suffix(2)))
  }

  /// Compared coordinates rather than a constant: nothing here depends on the batch.
  private static func causalMask(_ c: LowerContext) throws(LucidError) -> MPSGraphTensor {
    let (rows, columns) = (c.inputTypes[0].shape[2], c.inputTypes[1].shape[2])
    func index(_ shape: Shape, _ axis: Int) throws(LucidError) -> MPSGraphTensor {
      shape.isStatic
        ? c.graph.coordinate(alongAxis: axis, withShape: shape.mps, name: c.name)
        : c.graph.coordinate(
          alongAxis: axis, withShapeTensor: try c.shapeTensor(shape), name: c.name)
    }
    let allowed = c.graph.greaterThanOrEqualTo(
      try index([rows, 1], 0), try index([1, columns], 1), name: c.name)
    let dtype = c.inputTypes[0].dtype
    let mask = c.graph.select(
      predicate: allowed, trueTensor: c.graph.constant(0, dataType: dtype.mps),
      falseTensor: c.graph.constant(excluded(dtype), dataType: dtype.mps), name: c.name)
    return try c.reshape(mask, to: [1, 1, rows, columns])
  }

  private static func gradient(_ c: VJPContext) throws(LucidError) -> [GraphValue?] {
    let (q, k, v, g) = (c.inputs[0], c.inputs[1], c.inputs[2], try c.cotangent())
    guard c.inputs.count > 3, c.wanted[3] else {
      let operands = [k, v, g] + c.inputs.dropFirst(3)
      var out: [GraphValue?] = try q.callAll("attention_gradient", operands, c.attributes.values)
      if c.inputs.count > 3 { out.append(nil) }
      return out
    }
    let (scale, mask) = (c.attributes.float(0), c.inputs[3])
    let weights = try q.weights(k, scale, mask, c.attributes.bool(1))
    // The mean of the incoming gradient under the weights, row by row, is g · output.
    let mean = try (g * c.outputs[0]).sum([3], keepDim: true)
    let slope = try weights * (g.product(v.transpose(-1, -2)) - mean)
    return [
      c.wanted[0] ? try slope.product(k) * scale : nil,
      c.wanted[1] ? try slope.transpose(-1, -2).product(q) * scale : nil,
      c.wanted[2] ? try weights.transpose(-1, -2).product(g) : nil,
      try slope.summed(to: mask.shape),
    ]
  }

  private static let backward = OpDef(
    "attention_gradient",
    OpDoc(
      "The gradients of attention with respect to query, key and value.",
      ["The operands are those of attention and a gradient of the result's type."]),
    operands: [
      OperandDef("query"), OperandDef("key"), OperandDef("value"), OperandDef("gradient"),
      OperandDef("mask", .optional),
    ],
    attributes: [AttributeDef("scale", .float), AttributeDef("is_causal", .bool)], resultCount: 3,
    .primitive(
      OpDef.PrimitiveRules(
        infer: { c throws(LucidError) in
          guard isTaken(c), c.equal(c.shape(0), c.shape(3)), c.equal(c.shape(1), c.shape(2))
          else { throw c.error(.shape, "operands \(c.types)", constraint: 1) }
          let (q, k) = (c.shape(0), c.shape(1))
          if c.types.count > 4 { _ = try c.broadcast(c.shape(4), [q[0], q[1], q[2], k[2]]) }
          return c.types[..<3].map { TensorType($0.shape, $0.dtype) }
        },
        vjp: .none("attention has first derivatives only"),
        lower: { c throws(LucidError) in
          var mask: MPSGraphTensor? = c.inputs.count > 4 ? c.inputs[4] : nil
          if c.attributes.bool(1) { mask = try causalMask(c) }
          let scale = c.attributes.float(0)
          return EngineHooks.attentionGradient(
            c.graph, c.inputs, mask: mask, scale: Float(scale)) ?? nodes(c, mask, scale)
        })))

  /// The gradients from nodes that every engine has.
  private static func nodes(
    _ c: LowerContext, _ mask: MPSGraphTensor?, _ scale: Double
  ) -> [MPSGraphTensor] {
    let (graph, name) = (c.graph, c.name)
    let (q, k, v, g) = (c.inputs[0], c.inputs[1], c.inputs[2], c.inputs[3])
    func transposed(_ x: MPSGraphTensor) -> MPSGraphTensor {
      graph.transpose(x, permutation: [0, 1, 3, 2], name: name)
    }
    func product(_ a: MPSGraphTensor, _ b: MPSGraphTensor) -> MPSGraphTensor {
      graph.matrixMultiplication(primary: a, secondary: b, name: name)
    }
    func scaled(_ x: MPSGraphTensor) -> MPSGraphTensor {
      graph.multiplication(x, graph.scalar(scale, like: x), name: name)
    }
    var scores = product(scaled(q), transposed(k))
    if let mask { scores = graph.addition(scores, mask, name: name) }
    let weights = graph.inFloat32(scores, name) { graph.softMax(with: $0, axis: 3, name: name) }
    let incoming = product(g, transposed(v))
    let mean = graph.reductionSum(
      with: graph.multiplication(incoming, weights, name: name), axis: 3, name: name)
    let slope = graph.multiplication(
      weights, graph.subtraction(incoming, mean, name: name), name: name)
    return [
      scaled(product(slope, k)), scaled(product(transposed(slope), q)),
      product(transposed(weights), g),
    ]
  }
}

extension GraphValue {
  /// softmax(self · keyᵀ · scale + mask), in float32 inside.
  fileprivate func weights(
    _ key: GraphValue, _ scale: Double, _ mask: GraphValue?, _ isCausal: Bool
  ) throws(LucidError) -> GraphValue {
    var scores = try (self * scale).product(key.transpose(-1, -2))
    if let mask { scores = try scores + mask }
    if isCausal {
      let rows = try builder.coordinate([scores.shape[scores.rank - 2], 1], 0, .int32)
      let columns = try builder.coordinate([1, scores.shape[scores.rank - 1]], 1, .int32)
      let floor = try scores.full(Attention.excluded(dtype))
      scores = try scores.selected(where: rows.call("ge", [columns]), else: floor)
    }
    return try scores.widened().softmax(scores.rank - 1).narrowed(like: self)
  }
}
