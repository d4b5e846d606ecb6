import Foundation

/// A point in the order of the work of one device.
public protocol MTLEvent: NSObjectProtocol {
  /// The device that made the event; nil for one that is shared between processes.
  var device: (any MTLDevice)? { get }
  /// A name for people.
  var label: String? { get set }
}

/// A counter that orders work between queues and the processor.
public protocol MTLSharedEvent: MTLEvent {
  /// The current value; setting it wakes whoever waits for it.
  var signaledValue: UInt64 { get set }
}
