import CKernels
import Metal
import Synchronization

/// A packed form of some contents, or a note that the contents were seen once.
final class PackedWeights: @unchecked Sendable {
  /// The content version it was made from; versions are unique among all buffers.
  let version: UInt64
  /// Nil after the first sight: packing pays only from the second on.
  let memory: UnsafeMutableRawPointer?
  private let bytes: Int

  init(seen version: UInt64) {
    self.version = version
    memory = nil
    bytes = 0
  }

  init?(_ pack: Pack, _ source: UnsafeMutableRawPointer, version: UInt64) {
    guard let memory = ck_alloc(pack.bytes) else { return nil }
    pack.write(memory, source)
    self.version = version
    self.memory = memory
    bytes = pack.bytes
    EngineCounters.packs.wrappingAdd(1, ordering: .relaxed)
  }

  deinit {
    if let memory { ck_free(memory, bytes) }
  }
}

/// Finds the packed forms of a program's weights for each run.
///
/// Packed forms belong to the buffer they come from and are shared by all programs; here is only a
/// weak reference, so that the common case is one comparison of versions.
final class PackTable: @unchecked Sendable {
  private struct Entry {
    var version = UInt64.max
    weak var packed: PackedWeights?
  }

  private let packs: [Pack]
  private let entries: Mutex<[Entry]>
  /// Packed forms that one buffer may have.
  private static let formsPerBuffer = 4

  init(_ packs: [Pack]) {
    self.packs = packs
    entries = Mutex([Entry](repeating: Entry(), count: packs.count))
  }

  var isEmpty: Bool { packs.isEmpty }

  /// Writes the address of each packed form, or NULL, to `slots`, and keeps them alive for `body`.
  func withPacked(
    _ inputs: [MPSGraphTensorData], into slots: UnsafeMutablePointer<UnsafeMutableRawPointer?>,
    _ body: () -> Void
  ) {
    withUnsafeTemporaryAllocation(
      of: Unmanaged<PackedWeights>?.self, capacity: packs.count
    ) { held in
      entries.withLock { entries in
        for index in packs.indices {
          let packed = find(index, &entries[index], inputs)
          (slots + index).initialize(to: packed?.memory)
          held.initializeElement(at: index, to: packed.map { Unmanaged.passRetained($0) })
        }
      }
      body()
      for index in packs.indices { held[index]?.release() }
    }
  }

  private func find(
    _ index: Int, _ entry: inout Entry, _ inputs: [MPSGraphTensorData]
  ) -> PackedWeights? {
    let buffer: PortableBuffer
    var offset = 0
    switch packs[index].source {
    case .constant(let constant): buffer = constant
    case .feed(let feed):
      buffer = inputs[feed].buffer
      offset = inputs[feed].offset
    }
    guard buffer.escapes == 0 else { return nil }
    let version = buffer.version
    if offset == 0, entry.version == version, let packed = entry.packed { return packed }
    let packed = look(packs[index], buffer, offset, version)
    entry.version = offset == 0 ? version : .max
    entry.packed = packed
    return packed
  }

  /// What the buffer has; the second sight of its contents makes a packed form.
  private func look(
    _ pack: Pack, _ buffer: PortableBuffer, _ offset: Int, _ version: UInt64
  ) -> PackedWeights? {
    var key = PackKey()
    key.add([Int(truncatingIfNeeded: pack.key), offset])
    return buffer.attachments.withLock { attachments in
      if let known = attachments[key.value] as? PackedWeights, known.version == version {
        if known.memory != nil { return known }
        guard let packed = PackedWeights(pack, buffer.pointer + offset, version: version) else {
          return nil
        }
        attachments[key.value] = packed
        return packed
      }
      // Other forms of older contents are of no use any more.
      attachments = attachments.filter { ($0.value as? PackedWeights)?.version == version }
      if attachments.count < Self.formsPerBuffer {
        attachments[key.value] = PackedWeights(seen: version)
      }
      return nil
    }
  }
}
