import Foundation
import Synchronization

/// Work runs on the caller's thread, so a queue has nothing to hold but its name.
package final class PortableCommandQueue: NSObject, MTLCommandQueue {
  private let name = Mutex<String?>(nil)

  package var device: any MTLDevice { PortableDevice.shared }
  package var label: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  package func makeCommandBuffer() -> (any MTLCommandBuffer)? { PortableCommandBuffer(queue: self) }
}
