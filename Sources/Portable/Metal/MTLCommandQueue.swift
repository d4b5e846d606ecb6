import Foundation

/// A queue whose command buffers run in the order of their commits.
public protocol MTLCommandQueue: NSObjectProtocol, Sendable {
  /// The device that made the queue.
  var device: any MTLDevice { get }
  /// A name for people.
  var label: String? { get set }
  /// A command buffer of this queue.
  func makeCommandBuffer() -> (any MTLCommandBuffer)?
}
