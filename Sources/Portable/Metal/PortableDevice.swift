import CKernels
import Foundation

/// The one device: this machine's processor.
package final class PortableDevice: NSObject, MTLDevice {
  package static let shared = PortableDevice()

  /// Zero-copy import asks for whole pages, as Apple's does.
  package static let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))

  package let name = "MPSGraph-compatible CPU engine"
  package let hasUnifiedMemory = true
  package let maxBufferLength = Int.max >> 16
  package let recommendedMaxWorkingSetSize = ProcessInfo.processInfo.physicalMemory
  package var currentAllocatedSize: Int { Int(ck_memory_read().in_use) }

  private override init() {}

  package func makeCommandQueue() -> (any MTLCommandQueue)? { PortableCommandQueue() }

  package func makeCommandQueue(maxCommandBufferCount: Int) -> (any MTLCommandQueue)? {
    maxCommandBufferCount > 0 ? PortableCommandQueue() : nil
  }

  package func makeSharedEvent() -> (any MTLSharedEvent)? { PortableSharedEvent() }

  package func makeBuffer(length: Int, options: MTLResourceOptions) -> (any MTLBuffer)? {
    guard let buffer = PortableBuffer(uninitialized: length) else { return nil }
    memset(buffer.pointer, 0, length)
    return buffer
  }

  package func makeBuffer(bytes: UnsafeRawPointer, length: Int, options: MTLResourceOptions)
    -> (any MTLBuffer)?
  {
    guard let buffer = PortableBuffer(uninitialized: length) else { return nil }
    memcpy(buffer.pointer, bytes, length)
    return buffer
  }

  package func makeBuffer(
    bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int, options: MTLResourceOptions,
    deallocator: (@Sendable (UnsafeMutableRawPointer, Int) -> Void)?
  ) -> (any MTLBuffer)? {
    let mask = Self.pageSize - 1
    guard length > 0, Int(bitPattern: pointer) & mask == 0, length & mask == 0 else { return nil }
    return PortableBuffer(wrapping: pointer, length: length, deallocator: deallocator)
  }
}
