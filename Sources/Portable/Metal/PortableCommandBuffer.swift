import Foundation
import Synchronization

/// Encoded work runs at once, and `commit()` has only handlers to call. With `LUCID_ENGINE_DEFER=1`
/// it runs at the commit instead, as late as a client may rely on, so that a client that reads
/// too early fails here as it would on a GPU.
package final class PortableCommandBuffer: NSObject, MTLCommandBuffer, @unchecked Sendable {
  package typealias Handler = @Sendable (any MTLCommandBuffer) -> Void

  package static let defersWork = ProcessInfo.processInfo.environment["LUCID_ENGINE_DEFER"] == "1"

  private struct State {
    var status = MTLCommandBufferStatus.notEnqueued
    var label: String?
    var scheduled: [Handler] = []
    var completed: [Handler] = []
  }

  private let queue: PortableCommandQueue
  private let state = Mutex(State())
  /// Encoding is single-threaded, and after the commit nothing is added.
  private var work: [() -> Void] = []

  package init(queue: PortableCommandQueue) { self.queue = queue }

  package var device: any MTLDevice { queue.device }
  package var commandQueue: any MTLCommandQueue { queue }
  package var label: String? {
    get { state.withLock { $0.label } }
    set { state.withLock { $0.label = newValue } }
  }
  package var status: MTLCommandBufferStatus { state.withLock { $0.status } }
  package var error: (any Error)? { nil }

  package func enqueue() {
    state.withLock { if $0.status == .notEnqueued { $0.status = .enqueued } }
  }

  /// Adds work that runs at the commit; for the engine, when `defersWork`.
  package func enqueue(_ task: @escaping () -> Void) {
    requireOpen("encode")
    work.append(task)
  }

  package func commit() {
    requireOpen("commit()")
    let scheduled = state.withLock { state in
      state.status = .scheduled
      defer { state.scheduled = [] }
      return state.scheduled
    }
    for handler in scheduled { handler(self) }
    for task in work { task() }
    work = []
    let completed = state.withLock { state in
      state.status = .completed
      defer { state.completed = [] }
      return state.completed
    }
    for handler in completed { handler(self) }
  }

  package func waitUntilScheduled() { requireCommitted("waitUntilScheduled()") }
  package func waitUntilCompleted() {
    requireCommitted("waitUntilCompleted()")
    // Only while another thread is inside the commit.
    while status != .completed { sched_yield() }
  }

  package func addScheduledHandler(_ block: @escaping Handler) {
    requireOpen("addScheduledHandler(_:)")
    state.withLock { $0.scheduled.append(block) }
  }

  package func addCompletedHandler(_ block: @escaping Handler) {
    requireOpen("addCompletedHandler(_:)")
    state.withLock { $0.completed.append(block) }
  }

  private func requireOpen(_ method: StaticString) {
    require(
      status.rawValue < MTLCommandBufferStatus.committed.rawValue,
      "MTLCommandBuffer.\(method): the command buffer is committed already")
  }

  /// Waiting for what nobody committed would never end.
  private func requireCommitted(_ method: StaticString) {
    require(
      status.rawValue >= MTLCommandBufferStatus.committed.rawValue,
      "MTLCommandBuffer.\(method): the command buffer was not committed")
  }
}
