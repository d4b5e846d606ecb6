import Foundation
import Metal

/// A command buffer that graph work is encoded into.
///
/// It stands for a series of underlying command buffers: `commitAndContinue()` commits the current
/// one and goes on with the next.
public class MPSCommandBuffer: NSObject, MTLCommandBuffer {
  private var current: PortableCommandBuffer

  /// Wraps a command buffer of a queue.
  public init(commandBuffer: any MTLCommandBuffer) {
    current = Self.root(of: commandBuffer)
  }

  /// A new command buffer of the queue.
  public convenience init(from commandQueue: any MTLCommandQueue) {
    guard let commandBuffer = commandQueue.makeCommandBuffer() else {
      misuse("MPSCommandBuffer.init(from:): the queue makes no command buffer")
    }
    self.init(commandBuffer: commandBuffer)
  }

  private static func root(of commandBuffer: any MTLCommandBuffer) -> PortableCommandBuffer {
    if let wrapper = commandBuffer as? MPSCommandBuffer { return wrapper.current }
    guard let root = commandBuffer as? PortableCommandBuffer else {
      misuse(
        "MPSCommandBuffer.init(commandBuffer:): not from MTLCommandQueue.makeCommandBuffer")
    }
    return root
  }

  /// The command buffer that is being encoded into.
  public var commandBuffer: any MTLCommandBuffer { current }
  /// The command buffer that is being encoded into, without wrappers.
  public var rootCommandBuffer: any MTLCommandBuffer { current }

  /// Commits what is encoded and goes on in a new command buffer of the same queue.
  public func commitAndContinue() {
    current.commit()
    guard let next = current.commandQueue.makeCommandBuffer() else {
      misuse("MPSCommandBuffer.commitAndContinue(): the queue makes no more")
    }
    current = Self.root(of: next)
  }

  /// Gets memory ready for work of the given size; the engine's allocator needs no hint.
  public func prefetchHeap(forWorkloadSize size: Int) {}

  /// Whether work is to be given to `enqueue(_:)` instead of being done at once.
  package static var defersWork: Bool { PortableCommandBuffer.defersWork }

  /// Adds work that runs at the commit; for the engine, when `defersWork`.
  package func enqueue(_ work: @escaping () -> Void) { current.enqueue(work) }

  // MTLCommandBuffer

  /// The device of the queue.
  public var device: any MTLDevice { current.device }
  /// The queue that made the command buffer.
  public var commandQueue: any MTLCommandQueue { current.commandQueue }
  /// A name for people.
  public var label: String? {
    get { current.label }
    set { current.label = newValue }
  }
  /// How far the work got.
  public var status: MTLCommandBufferStatus { current.status }
  /// What went wrong, if anything did.
  public var error: (any Error)? { current.error }
  /// Takes a place in the queue without starting.
  public func enqueue() { current.enqueue() }
  /// Starts the work; nothing can be added afterwards.
  public func commit() { current.commit() }
  /// Returns when the work was taken up.
  public func waitUntilScheduled() { current.waitUntilScheduled() }
  /// Returns when the work is done.
  public func waitUntilCompleted() { current.waitUntilCompleted() }

  /// Calls the block when the work is taken up; not to be called after `commit()`.
  public func addScheduledHandler(_ block: @escaping @Sendable (any MTLCommandBuffer) -> Void) {
    current.addScheduledHandler(block)
  }

  /// Calls the block when the work is done; not to be called after `commit()`.
  public func addCompletedHandler(_ block: @escaping @Sendable (any MTLCommandBuffer) -> Void) {
    current.addCompletedHandler(block)
  }
}
