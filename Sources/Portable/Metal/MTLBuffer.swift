import Foundation

/// A block of memory that a device can use.
public protocol MTLBuffer: MTLResource {
  /// The size in bytes.
  var length: Int { get }
  /// The address of the first byte.
  func contents() -> UnsafeMutableRawPointer
  /// Tells the device which bytes of a managed buffer the processor wrote.
  func didModifyRange(_ range: Range<Int>)
}
