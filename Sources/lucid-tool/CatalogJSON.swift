import LucidCore

/// The catalog as JSON with a stable order of keys.
enum CatalogJSON {
  static func text() -> String {
    var lines: [String] = []
    for family in OpCatalog.families {
      for op in family.ops { lines.append("    " + object(op, family: family.name)) }
    }
    let head = "\"count\": \(OpCatalog.all.count), \"hash\": \"\(OpCatalog.fingerprint)\""
    return "{\n  \(head),\n  \"ops\": [\n\(lines.joined(separator: ",\n"))\n  ]\n}"
  }

  private static func object(_ op: OpDef, family: String) -> String {
    let fields: [(String, String)] = [
      ("id", String(op.id.index)), ("name", quoted(op.name)), ("family", quoted(family)),
      ("doc", quoted(op.doc.summary)), ("constraints", list(op.doc.constraints.map(quoted))),
      ("operands", list(op.operands.map(operand))),
      ("attributes", list(op.attributes.map(attribute))),
      ("results", op.resultCount.map(String.init) ?? "null"),
      ("view", String(op.view != nil)), ("draws", String(op.draws != nil)),
      ("kind", quoted(kind(op))),
    ]
    return object(fields)
  }

  private static func kind(_ op: OpDef) -> String {
    switch op.definition {
    case .primitive: "primitive"
    case .composite: "composite"
    case .host: "host"
    }
  }

  private static func operand(_ operand: OperandDef) -> String {
    object([("name", quoted(operand.name)), ("kind", quoted("\(operand.kind)"))])
  }

  private static func attribute(_ attribute: AttributeDef) -> String {
    var fields = [("name", quoted(attribute.name)), ("type", type(attribute.type))]
    if let value = attribute.defaultValue {
      fields.append(("default", json(value, attribute.type)))
    }
    return object(fields)
  }

  private static func type(_ type: AttributeType) -> String {
    switch type {
    case .choice(let words): object([("choice", list(words.map(quoted)))])
    case .optional(let inner): object([("optional", Self.type(inner))])
    default: quoted("\(type)")
    }
  }

  private static func json(_ value: Attribute, _ type: AttributeType) -> String {
    switch value {
    case .int(let v): return String(v)
    case .float(let bits): return "\(Double(bitPattern: bits))"
    case .bool(let v): return String(v)
    case .dtype(let v): return quoted(v.description)
    case .choice(let v):
      if case .choice(let words) = type, v < words.count { return quoted(words[v]) }
      return String(v)
    case .ints(let list): return "[" + list.map(String.init).joined(separator: ", ") + "]"
    case .floats(let list):
      return "[" + list.map { "\(Double(bitPattern: $0))" }.joined(separator: ", ") + "]"
    case .dims(let list): return "[" + list.map { "\($0.constant)" }.joined(separator: ", ") + "]"
    case .none: return "null"
    }
  }

  private static func object(_ fields: [(String, String)]) -> String {
    "{" + fields.map { "\(quoted($0)): \($1)" }.joined(separator: ", ") + "}"
  }

  private static func list(_ items: [String]) -> String {
    "[" + items.joined(separator: ", ") + "]"
  }

  private static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
