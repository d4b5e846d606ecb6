import Foundation
import Metal
import Synchronization

/// The contents of a constant, in memory that kernels can read in place.
package final class ConstantBytes: @unchecked Sendable {
  package let buffer: PortableBuffer
  package var count: Int { buffer.length }
  private let cachedHash = Atomic<UInt64>(0)

  /// Copies the data; nil when there is none, or no memory.
  package convenience init?(_ data: Data) {
    guard let buffer = PortableBuffer(uninitialized: data.count) else { return nil }
    data.withUnsafeBytes {
      if let base = $0.baseAddress { memcpy(buffer.pointer, base, data.count) }
    }
    self.init(buffer)
  }

  /// Takes the buffer over: nobody may write to it afterwards.
  package init(_ buffer: PortableBuffer) { self.buffer = buffer }

  /// Equal contents have equal hashes; computed once, when first asked for.
  package var contentHash: UInt64 {
    let cached = cachedHash.load(ordering: .relaxed)
    if cached != 0 { return cached }
    let hash = max(Self.hash(buffer.pointer, count), 1)
    cachedHash.store(hash, ordering: .relaxed)
    return hash
  }

  package func hasSameContents(as other: ConstantBytes) -> Bool {
    self === other
      || count == other.count && contentHash == other.contentHash
        && memcmp(buffer.pointer, other.buffer.pointer, count) == 0
  }

  /// Four lanes of multiply-and-fold over 64-bit words, so that the multiplications overlap.
  private static func hash(_ bytes: UnsafeMutableRawPointer, _ count: Int) -> UInt64 {
    let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ state: UInt64, _ word: UInt64) -> UInt64 {
      let product = (state ^ word).multipliedFullWidth(by: prime)
      return product.high ^ product.low &+ prime
    }
    var lanes: (UInt64, UInt64, UInt64, UInt64) = (1, 2, 3, UInt64(count))
    var at = 0
    while at + 32 <= count {
      lanes.0 = mix(lanes.0, bytes.load(fromByteOffset: at, as: UInt64.self))
      lanes.1 = mix(lanes.1, bytes.load(fromByteOffset: at + 8, as: UInt64.self))
      lanes.2 = mix(lanes.2, bytes.load(fromByteOffset: at + 16, as: UInt64.self))
      lanes.3 = mix(lanes.3, bytes.load(fromByteOffset: at + 24, as: UInt64.self))
      at += 32
    }
    while at < count {
      var word: UInt64 = 0
      memcpy(&word, bytes + at, min(8, count - at))
      lanes.0 = mix(lanes.0, word)
      at += 8
    }
    return mix(mix(lanes.0, lanes.1), mix(lanes.2, lanes.3))
  }
}
