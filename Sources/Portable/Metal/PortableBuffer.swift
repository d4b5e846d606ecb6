import CKernels
import Foundation
import Synchronization

/// Memory of the engine's allocator, or borrowed from its owner.
package final class PortableBuffer: NSObject, MTLBuffer, @unchecked Sendable {
  package typealias Deallocator = @Sendable (UnsafeMutableRawPointer, Int) -> Void
  /// What the runtime keeps with a buffer, such as its contents packed for a kernel.
  package typealias Attachments = [UInt64: any AnyObject & Sendable]

  /// The address, for the engine: taking it does not count as an escape.
  package let pointer: UnsafeMutableRawPointer
  package let length: Int
  /// Runs once when the buffer dies; nil for memory that stays the caller's.
  private let deallocator: Deallocator?
  private let isOwned: Bool

  /// Goes with the contents: whatever was derived from them is stale when it changed. No two buffers
  /// ever have the same version, so that it also tells buffers apart.
  private let contentVersion = Atomic<UInt64>(PortableBuffer.freshVersion())
  private static let versions = Atomic<UInt64>(0)
  private static func freshVersion() -> UInt64 {
    versions.wrappingAdd(1, ordering: .relaxed).newValue
  }
  private let escapeCount = Atomic<Int>(0)
  private let name = Mutex<String?>(nil)
  package let attachments = Mutex<Attachments>([:])

  /// Nil when the length is not positive or the system has no memory.
  package init?(uninitialized length: Int) {
    guard length > 0, length <= PortableDevice.shared.maxBufferLength,
      let memory = ck_alloc(length)
    else { return nil }
    pointer = memory
    self.length = length
    deallocator = nil
    isOwned = true
  }

  /// A buffer over foreign memory of at least the engine's alignment.
  package init?(
    wrapping pointer: UnsafeMutableRawPointer, length: Int, deallocator: Deallocator?
  ) {
    guard length > 0, Int(bitPattern: pointer) % Int(CK_ALIGNMENT) == 0 else { return nil }
    self.pointer = pointer
    self.length = length
    self.deallocator = deallocator
    isOwned = false
  }

  deinit {
    if isOwned { ck_free(pointer, length) }
    deallocator?(pointer, length)
  }

  package var device: any MTLDevice { PortableDevice.shared }
  package var storageMode: MTLStorageMode { .shared }
  package var label: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  package func didModifyRange(_ range: Range<Int>) {
    require(
      range.lowerBound >= 0 && range.upperBound <= length,
      "MTLBuffer.didModifyRange(_:): \(range) is outside a buffer of \(length) bytes")
    didWrite()
  }

  /// The caller may write through the address whenever it likes, so from here on nothing derived
  /// from the contents can be trusted, until `endEscape()`.
  package func contents() -> UnsafeMutableRawPointer {
    beginEscape()
    return pointer
  }

  package var version: UInt64 { contentVersion.load(ordering: .acquiring) }
  package func didWrite() { contentVersion.store(Self.freshVersion(), ordering: .releasing) }

  /// How many holders of the raw address there may be.
  package var escapes: Int { escapeCount.load(ordering: .acquiring) }
  package func beginEscape() { escapeCount.wrappingAdd(1, ordering: .acquiringAndReleasing) }
  /// One holder is done, and may have written.
  package func endEscape() {
    didWrite()
    escapeCount.wrappingSubtract(1, ordering: .acquiringAndReleasing)
  }
}

extension MTLBuffer {
  /// The engine's own buffer: there is no other kind. An exact type test is a pointer comparison,
  /// where a conditional cast walks the class hierarchy.
  package var portable: PortableBuffer {
    let object: AnyObject = self
    require(
      type(of: object) == PortableBuffer.self, "a buffer must come from MTLDevice.makeBuffer")
    return unsafeDowncast(object, to: PortableBuffer.self)
  }
}
