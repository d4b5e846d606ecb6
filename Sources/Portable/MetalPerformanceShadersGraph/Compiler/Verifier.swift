import CKernels

/// Checks that a mistake in the compiler would fail, run under `LUCID_CHECKS`.
extension Plan {
  /// Values that live at the same time must not overlap.
  func verify() {
    for first in intervals.indices {
      for second in intervals.indices[..<first] {
        let (a, b) = (intervals[first], intervals[second])
        guard a.first <= b.last, b.first <= a.last, a.bytes > 0, b.bytes > 0 else { continue }
        let (x, y) = (intervalOffsets[first], intervalOffsets[second])
        precondition(
          x + a.bytes <= y || y + b.bytes <= x,
          "MPSGraph: values of steps \(a.first)...\(a.last) and \(b.first)...\(b.last) overlap")
      }
    }
    for root in lowering.roots.indices where isStored[root] {
      precondition(
        places[root].slot >= 0 && Int(places[root].slot) < slots.count,
        "MPSGraph: value \(root) has no memory")
    }
  }
}

extension Emitter {
  func verify() {
    for pack in packs {
      precondition(
        pack.slot >= plan.slots.pack(0) && pack.slot < plan.slots.pack(packs.count),
        "MPSGraph: a packed weight has no slot")
    }
    precondition(!writesNotes || notes.count == steps.count, "MPSGraph: a step has no note")
  }
}
