extension Specialization {
  /// One line per step: kernel, what it computes, bytes moved and floating-point operations.
  var dump: String {
    var lines = [
      "\(notes.count) steps, \(arenaBytes) bytes of intermediate values, results "
        + resultTypes.map { "\($0.shape ?? [])" }.joined(separator: " ")
    ]
    for (index, note) in notes.enumerated() {
      lines.append("\(index): \(note.kernel) \(note.detail) \(note.bytes) B \(note.flops) flop")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
