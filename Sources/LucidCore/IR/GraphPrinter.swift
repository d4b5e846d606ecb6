/// Graphs as text for people and as JSON for tools.
enum GraphPrinter {
  /// One line per node: `%3: float32(2, 4) = matmul_nd(%0, %2)`.
  static func text(_ graph: Graph) -> String {
    var lines: [String] = []
    for input in graph.inputs { lines.append("%\(input.index): \(graph.type(of: input)) = input") }
    for node in graph.nodes {
      let results = node.outputs.map { "%\($0.index): \(graph.type(of: $0))" }
      let operands = node.inputs.map { "%\($0.index)" }
      let op = OpCatalog[node.op]
      let attributes = zip(op.attributes, node.attributes.values).map {
        "\($0.name)=\(word($1, $0.type))"
      }
      lines.append(
        "\(results.joined(separator: ", ")) = \(op.name)("
          + "\((operands + attributes).joined(separator: ", ")))")
    }
    lines.append("return " + graph.outputs.map { "%\($0.index)" }.joined(separator: ", "))
    return lines.joined(separator: "\n")
  }

  /// `{"inputs": […], "ops": [{"name", "inputs", "outputs", "attrs"}], "outputs": […]}`.
  static func json(_ graph: Graph) -> String {
    func ids(_ values: [Value]) -> String {
      "[" + values.map { String($0.index) }.joined(separator: ", ") + "]"
    }
    func typed(_ values: [Value]) -> String {
      let items = values.map { value -> String in
        let type = graph.type(of: value)
        let shape = type.shape.dims.map { $0.value.map(String.init) ?? quoted($0.description) }
        return "{\"id\": \(value.index), \"dtype\": \"\(type.dtype)\", "
          + "\"shape\": [\(shape.joined(separator: ", "))]}"
      }
      return "[" + items.joined(separator: ", ") + "]"
    }
    let ops = graph.nodes.map { node -> String in
      let op = OpCatalog[node.op]
      let attributes = zip(op.attributes, node.attributes.values).map {
        "\(quoted($0.name)): \(quoted(word($1, $0.type)))"
      }
      return "{\"name\": \(quoted(op.name)), \"inputs\": \(ids(node.inputs)), "
        + "\"outputs\": \(typed(node.outputs)), \"attrs\": {\(attributes.joined(separator: ", "))}}"
    }
    return "{\"next_id\": \(graph.types.count), \"inputs\": \(typed(graph.inputs)), "
      + "\"ops\": [\(ops.joined(separator: ", "))], \"outputs\": \(ids(graph.outputs))}"
  }

  private static func word(_ attribute: Attribute, _ type: AttributeType) -> String {
    switch attribute {
    case .int(let v): return String(v)
    case .float(let bits): return String(Double(bitPattern: bits))
    case .bool(let v): return String(v)
    case .dtype(let v): return v.description
    case .choice(let v):
      var inner = type
      if case .optional(let wrapped) = type { inner = wrapped }
      if case .choice(let words) = inner, words.indices.contains(v) { return words[v] }
      return String(v)
    case .ints(let list): return "[" + list.map(String.init).joined(separator: ", ") + "]"
    case .floats(let list):
      return "[" + list.map { String(Double(bitPattern: $0)) }.joined(separator: ", ") + "]"
    case .dims(let list): return "[" + list.map(\.description).joined(separator: ", ") + "]"
    case .none: return "none"
    }
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": out += "\\\(scalar)"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
