import MetalPerformanceShadersGraph

extension Pointwise {
  static let logic: [OpDef] = [
    comparison("eq", "Whether input == other.") { $0.equal($1, $2, name: $3) },
    comparison("ne", "Whether input != other.") { $0.notEqual($1, $2, name: $3) },
    comparison("lt", "Whether input < other.") { $0.lessThan($1, $2, name: $3) },
    comparison("le", "Whether input <= other.") { $0.lessThanOrEqualTo($1, $2, name: $3) },
    comparison("gt", "Whether input > other.") { $0.greaterThan($1, $2, name: $3) },
    comparison("ge", "Whether input >= other.") { $0.greaterThanOrEqualTo($1, $2, name: $3) },
    logical("logical_and", "Whether both elements are nonzero.") {
      $0.logicalAND($1, $2, name: $3)
    },
    logical("logical_or", "Whether either element is nonzero.") { $0.logicalOR($1, $2, name: $3) },
    logical("logical_xor", "Whether exactly one element is nonzero.") {
      $0.logicalXOR($1, $2, name: $3)
    },
    bitwise("bitwise_and", "The bits set in both.", { $0.logicalAND($1, $2, name: $3) }) {
      $0.bitwiseAND($1, $2, name: $3)
    },
    bitwise("bitwise_or", "The bits set in either.", { $0.logicalOR($1, $2, name: $3) }) {
      $0.bitwiseOR($1, $2, name: $3)
    },
    bitwise("bitwise_xor", "The bits set in exactly one.", { $0.logicalXOR($1, $2, name: $3) }) {
      $0.bitwiseXOR($1, $2, name: $3)
    },
    bitwise("bitwise_left_shift", "input · 2^other.", nil) {
      $0.bitwiseLeftShift($1, $2, name: $3)
    },
    bitwise("bitwise_right_shift", "input / 2^other rounded down.", nil) {
      $0.bitwiseRightShift($1, $2, name: $3)
    },
    composite2(
      "isclose", "Whether |input - other| <= atol + rtol · |other|.",
      [
        AttributeDef("rtol", .float, default: .float(1e-5)),
        AttributeDef("atol", .float, default: .float(1e-8)),
        AttributeDef("equal_nan", .bool, default: .bool(false)),
      ], promotion: .common
    ) { a, b, attributes throws(LucidError) in
      let equal = try a.equals(b)
      let (x, y) = (try a.cast(to: .float32), try b.cast(to: .float32))
      let bound = try y.call("abs") * attributes.float(0) + attributes.float(1)
      let difference = try x - y
      let near = try difference.call("abs").call("le", [bound])
      let finite = try difference.call("isfinite").call("logical_and", [y.call("isfinite")])
      var result = try equal.call("logical_or", [near.call("logical_and", [finite])])
      if attributes.bool(2) {
        let bothNaN = try a.call("isnan").call("logical_and", [b.call("isnan")])
        result = try result.call("logical_or", [bothNaN])
      }
      return result
    },
  ]

  private static func comparison(
    _ name: String, _ summary: String, _ lower: @escaping BinaryLowering
  ) -> OpDef {
    binary(name, summary, result: .bool, vjp: .none("the result is bool"), lower: lower)
  }

  private static func logical(
    _ name: String, _ summary: String, _ lower: @escaping BinaryLowering
  ) -> OpDef {
    binary(
      name, summary, result: .bool, vjp: .none("the result is bool"),
      lower: { graph, a, b, name in
        lower(graph, graph.truth(a, name), graph.truth(b, name), name)
      })
  }

  private static func bitwise(
    _ name: String, _ summary: String, _ forBool: BinaryLowering?,
    _ lower: @escaping BinaryLowering
  ) -> OpDef {
    binary(
      name, summary, accepts: .integral, vjp: .none("the operands are integers"),
      lower: { graph, a, b, name in
        guard a.dataType == .bool else { return lower(graph, a, b, name) }
        if let forBool { return forBool(graph, a, b, name) }
        let bits = lower(
          graph, graph.cast(a, to: .int32, name: name), graph.cast(b, to: .int32, name: name), name)
        return graph.cast(bits, to: .bool, name: name)
      })
  }
}

extension MPSGraph {
  /// Whether each element differs from 0.
  func truth(_ x: MPSGraphTensor, _ name: String) -> MPSGraphTensor {
    x.dataType == .bool ? x : notEqual(x, scalar(0, like: x), name: name)
  }
}
