extension Attribute {
  /// The choice that a word names.
  static func word(
    _ word: String, _ name: String, _ words: [String]
  ) throws(LucidError) -> Attribute {
    guard let index = words.firstIndex(of: word) else {
      throw LucidError(
        .value, "\(name) must be one of \(words.joined(separator: ", ")), got \(word)")
    }
    return .choice(index)
  }
}
