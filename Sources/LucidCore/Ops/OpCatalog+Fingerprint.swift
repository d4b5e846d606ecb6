extension OpCatalog {
  /// A hash of what generated bindings rely on: the operations' numbers, names, operands and
  /// attributes. Stable between processes of the same build.
  public static let fingerprint: UInt64 = {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3  // no text contains this byte: a separator
    }
    for op in all {
      add(op.name)
      for operand in op.operands { add("\(operand.name) \(operand.kind)") }
      for attribute in op.attributes { add("\(attribute.name) \(attribute.type)") }
    }
    return hash
  }()
}
