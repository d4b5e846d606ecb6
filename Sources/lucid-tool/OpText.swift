import LucidCore

/// One operation as text.
enum OpText {
  static func describe(_ op: OpDef) -> String {
    let operands = op.operands.map { operand in
      switch operand.kind {
      case .required: operand.name
      case .optional: operand.name + "?"
      case .variadic: operand.name + "…"
      }
    }
    var lines = ["\(op.name)(\(operands.joined(separator: ", ")))", "  \(op.doc.summary)"]
    for (i, constraint) in op.doc.constraints.enumerated() {
      lines.append("  C\(i + 1): \(constraint)")
    }
    for attribute in op.attributes {
      let value = attribute.defaultValue.map { " = \($0)" } ?? ""
      lines.append("  \(attribute.name): \(attribute.type)\(value)")
    }
    lines.append("  results: \(op.resultCount.map(String.init) ?? "as the attributes say")")
    if op.view != nil { lines.append("  the result is a view of the first operand") }
    if op.draws != nil { lines.append("  draws random numbers") }
    if let source = op.doc.source { lines.append("  source: \(source)") }
    return lines.joined(separator: "\n")
  }
}
