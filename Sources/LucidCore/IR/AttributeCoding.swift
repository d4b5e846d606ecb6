/// The byte form of attributes: what crosses the C ABI and what keys hash.
///
/// Little-endian 64-bit words in declared order: int as is; float bit-cast; bool 0 or 1; dtype and
/// choice their raw number; lists a count, then the words; a dim its constant, then its coefficient;
/// an optional a presence word (0 or 1), then the value if present.
enum AttributeCoding {
  static func decode(
    _ bytes: UnsafeRawBufferPointer, _ defs: [AttributeDef], op: String
  ) throws(LucidError) -> Attributes {
    var reader = WordReader(bytes: bytes, op: op)
    var values: [Attribute] = []
    values.reserveCapacity(defs.count)
    for def in defs { values.append(try reader.read(def.type)) }
    guard reader.atEnd else {
      throw LucidError(.value, "\(op): attribute bytes are longer than the declaration")
    }
    return Attributes(values)
  }

  static func encode(_ attributes: Attributes, _ defs: [AttributeDef]) -> [Int64] {
    var words: [Int64] = []
    for (value, def) in zip(attributes.values, defs) { append(value, def.type, &words) }
    return words
  }

  private static func append(_ value: Attribute, _ type: AttributeType, _ words: inout [Int64]) {
    if case .optional(let inner) = type {
      words.append(value == .none ? 0 : 1)
      if value != .none { append(value, inner, &words) }
      return
    }
    switch value {
    case .int(let v): words.append(Int64(v))
    case .float(let bits): words.append(Int64(bitPattern: bits))
    case .bool(let v): words.append(v ? 1 : 0)
    case .dtype(let v): words.append(Int64(v.rawValue))
    case .choice(let v): words.append(Int64(v))
    case .ints(let list):
      words.append(Int64(list.count))
      for v in list { words.append(Int64(v)) }
    case .floats(let list):
      words.append(Int64(list.count))
      for bits in list { words.append(Int64(bitPattern: bits)) }
    case .dims(let list):
      words.append(Int64(list.count))
      for dim in list {
        words.append(Int64(dim.constant))
        words.append(Int64(dim.coefficient))
      }
    case .none: break
    }
  }
}

private struct WordReader {
  let bytes: UnsafeRawBufferPointer
  let op: String
  var offset = 0

  init(bytes: UnsafeRawBufferPointer, op: String) {
    self.bytes = bytes
    self.op = op
  }

  var atEnd: Bool { offset == bytes.count }

  mutating func word() throws(LucidError) -> Int64 {
    guard offset + 8 <= bytes.count else {
      throw LucidError(.value, "\(op): attribute bytes end early")
    }
    defer { offset += 8 }
    return Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int64.self))
  }

  mutating func count(wordsEach: Int) throws(LucidError) -> Int {
    let n = try word()
    guard n >= 0, n <= Int64((bytes.count - offset) / (8 * wordsEach)) else {
      throw LucidError(.value, "\(op): an attribute list of length \(n) does not fit its bytes")
    }
    return Int(n)
  }

  mutating func read(_ type: AttributeType) throws(LucidError) -> Attribute {
    switch type {
    case .int: return .int(Int(try word()))
    case .float: return .float(UInt64(bitPattern: try word()))
    case .bool: return .bool(try word() != 0)
    case .dtype:
      let raw = try word()
      guard let small = UInt8(exactly: raw), let dtype = DType(rawValue: small) else {
        throw LucidError(.dtype, "\(op): \(raw) is not the number of a dtype")
      }
      return .dtype(dtype)
    case .choice(let words):
      let raw = try word()
      guard raw >= 0, raw < Int64(words.count) else {
        throw LucidError(.value, "\(op): choice \(raw) is none of \(words.joined(separator: ", "))")
      }
      return .choice(Int(raw))
    case .ints:
      var list: [Int] = []
      for _ in 0..<(try count(wordsEach: 1)) { list.append(Int(try word())) }
      return .ints(list)
    case .floats:
      var list: [UInt64] = []
      for _ in 0..<(try count(wordsEach: 1)) { list.append(UInt64(bitPattern: try word())) }
      return .floats(list)
    case .dims:
      var list: [Dim] = []
      for _ in 0..<(try count(wordsEach: 2)) {
        let constant = Int(try word())
        list.append(Dim(coefficient: Int(try word()), constant: constant))
      }
      return .dims(list)
    case .optional(let inner):
      return try word() == 0 ? .none : try read(inner)
    }
  }
}
