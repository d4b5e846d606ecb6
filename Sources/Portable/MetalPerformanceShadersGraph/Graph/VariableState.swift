import Foundation
import Metal
import MetalPerformanceShaders

/// The memory behind a variable: it outlives runs, and assignments write to it.
package final class VariableState: @unchecked Sendable {
  package let type: TensorType
  package let buffer: PortableBuffer

  /// Starts with a copy of the data; nil when there is none, or no memory.
  package init?(_ data: Data, type: TensorType) {
    guard let buffer = PortableBuffer(uninitialized: data.count) else { return nil }
    data.withUnsafeBytes {
      if let base = $0.baseAddress { memcpy(buffer.pointer, base, data.count) }
    }
    self.type = type
    self.buffer = buffer
  }
}
