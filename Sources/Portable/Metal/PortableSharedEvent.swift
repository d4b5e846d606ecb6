import Foundation

/// A counter under a condition variable.
package final class PortableSharedEvent: NSObject, MTLSharedEvent, @unchecked Sendable {
  private let condition = NSCondition()
  private var value: UInt64 = 0
  private var name: String?

  package var device: (any MTLDevice)? { PortableDevice.shared }
  package var label: String? {
    get { condition.withLock { name } }
    set { condition.withLock { name = newValue } }
  }

  package var signaledValue: UInt64 {
    get { condition.withLock { value } }
    set {
      condition.withLock {
        value = newValue
        condition.broadcast()
      }
    }
  }

  /// Blocks until the counter has reached the value.
  package func wait(for target: UInt64) {
    condition.withLock {
      while value < target { condition.wait() }
    }
  }
}

extension MTLSharedEvent {
  /// Blocks until the counter has reached the value.
  package func wait(for target: UInt64) {
    guard let event = self as? PortableSharedEvent else {
      misuse("a shared event must come from MTLDevice.makeSharedEvent()")
    }
    event.wait(for: target)
  }
}
