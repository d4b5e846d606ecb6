import Foundation

/// What makes buffers and queues. A protocol cannot hold default arguments: the extension below has
/// the shorter forms.
public protocol MTLDevice: NSObjectProtocol, Sendable {
  /// The name for people.
  var name: String { get }
  /// Whether processor and device share one memory.
  var hasUnifiedMemory: Bool { get }
  /// The largest buffer, in bytes.
  var maxBufferLength: Int { get }
  /// How many bytes can be in use without slowing down.
  var recommendedMaxWorkingSetSize: UInt64 { get }
  /// How many bytes are in use.
  var currentAllocatedSize: Int { get }

  /// A queue that accepts up to 64 command buffers at a time.
  func makeCommandQueue() -> (any MTLCommandQueue)?
  /// A queue that accepts up to the given number of command buffers at a time.
  func makeCommandQueue(maxCommandBufferCount: Int) -> (any MTLCommandQueue)?
  /// An event that starts at value zero.
  func makeSharedEvent() -> (any MTLSharedEvent)?

  /// A buffer filled with zeros; nil when the length is not possible.
  func makeBuffer(length: Int, options: MTLResourceOptions) -> (any MTLBuffer)?
  /// A buffer with a copy of the bytes.
  func makeBuffer(bytes: UnsafeRawPointer, length: Int, options: MTLResourceOptions)
    -> (any MTLBuffer)?
  /// A buffer over whole pages of the caller's memory, which the deallocator gives back; nil when
  /// address or length are not multiples of the page size.
  func makeBuffer(
    bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int, options: MTLResourceOptions,
    deallocator: (@Sendable (UnsafeMutableRawPointer, Int) -> Void)?
  ) -> (any MTLBuffer)?
}

extension MTLDevice {
  /// A buffer filled with zeros; nil when the length is not possible.
  public func makeBuffer(length: Int) -> (any MTLBuffer)? {
    makeBuffer(length: length, options: [])
  }

  /// A buffer with a copy of the bytes.
  public func makeBuffer(bytes: UnsafeRawPointer, length: Int) -> (any MTLBuffer)? {
    makeBuffer(bytes: bytes, length: length, options: [])
  }

  /// A buffer over whole pages of the caller's memory, which stays the caller's.
  public func makeBuffer(bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int)
    -> (any MTLBuffer)?
  {
    makeBuffer(bytesNoCopy: pointer, length: length, options: [], deallocator: nil)
  }

  /// A buffer over whole pages of the caller's memory, which stays the caller's.
  public func makeBuffer(
    bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int, options: MTLResourceOptions
  ) -> (any MTLBuffer)? {
    makeBuffer(bytesNoCopy: pointer, length: length, options: options, deallocator: nil)
  }

  /// A buffer over whole pages of the caller's memory, which the deallocator gives back.
  public func makeBuffer(
    bytesNoCopy pointer: UnsafeMutableRawPointer, length: Int,
    deallocator: (@Sendable (UnsafeMutableRawPointer, Int) -> Void)?
  ) -> (any MTLBuffer)? {
    makeBuffer(bytesNoCopy: pointer, length: length, options: [], deallocator: deallocator)
  }
}

/// The device that Apple's systems would choose; here, the one there is.
public func MTLCreateSystemDefaultDevice() -> (any MTLDevice)? { PortableDevice.shared }

/// All devices; here, the one there is.
public func MTLCopyAllDevices() -> [any MTLDevice] { [PortableDevice.shared] }
