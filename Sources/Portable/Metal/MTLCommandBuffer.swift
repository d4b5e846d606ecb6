import Foundation

/// How far a command buffer got.
public enum MTLCommandBufferStatus: UInt, Sendable {
  case notEnqueued = 0
  case enqueued = 1
  case committed = 2
  case scheduled = 3
  case completed = 4
  case error = 5
}

/// A list of work that runs when it is committed.
public protocol MTLCommandBuffer: NSObjectProtocol {
  /// The device of the queue.
  var device: any MTLDevice { get }
  /// The queue that made the command buffer.
  var commandQueue: any MTLCommandQueue { get }
  /// A name for people.
  var label: String? { get set }
  /// How far the work got.
  var status: MTLCommandBufferStatus { get }
  /// What went wrong, if anything did.
  var error: (any Error)? { get }
  /// Takes a place in the queue without starting.
  func enqueue()
  /// Starts the work; nothing can be added afterwards.
  func commit()
  /// Returns when the device took the work up.
  func waitUntilScheduled()
  /// Returns when the work is done.
  func waitUntilCompleted()
  /// Calls the block when the device took the work up; not to be called after `commit()`.
  func addScheduledHandler(_ block: @escaping @Sendable (any MTLCommandBuffer) -> Void)
  /// Calls the block when the work is done; not to be called after `commit()`.
  func addCompletedHandler(_ block: @escaping @Sendable (any MTLCommandBuffer) -> Void)
}
