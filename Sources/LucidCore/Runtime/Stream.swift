import MetalPerformanceShadersGraph
import Synchronization

/// A point in a stream's work: what has to be done before a buffer's contents are there.
struct Ticket: Sendable {
  let stream: Stream
  let number: UInt64
}

/// One thread's queue of encoded work. Nothing waits until a value is needed: work is committed after
/// a number of encodes or bytes, and waiting commits what is left.
///
/// All streams share one Metal queue, whose command buffers run in the order of their commits; so
/// work that uses another stream's result needs only that stream's commit first.
final class Stream: @unchecked Sendable {
  /// Deep enough to keep a GPU busy, shallow enough to start early.
  private static let encodesPerCommit = 64
  private static let bytesPerCommit = 16 << 20

  private let lock = Mutex<Void>(())
  private var commandBuffer: MPSCommandBuffer?
  private var lastCommitted: (any MTLCommandBuffer)?
  private var encodes = 0
  private var bytes = 0
  /// Buffers in use by work that is not committed yet.
  private var retained: [Buffer] = []
  private var encodedNumber: UInt64 = 0
  private var committedNumber: UInt64 = 0
  private var completedNumber: UInt64 = 0

  init() { Streams.all.withLock { $0.append(WeakStream(stream: self)) } }

  /// The ticket of the next encode, for the buffers it fills. Only the owning thread encodes.
  var nextTicket: Ticket { Ticket(stream: self, number: encodedNumber + 1) }

  /// Encodes one run. `buffers` are kept until the work is done.
  func encode(
    _ executable: MPSGraphExecutable, inputs: [MPSGraphTensorData], results: [MPSGraphTensorData],
    buffers: [Buffer], platform: Platform
  ) {
    for buffer in buffers {
      if let ticket = buffer.ticket, ticket.stream !== self { ticket.stream.commit(ticket.number) }
    }
    lock.withLock { _ in
      let target = commandBuffer ?? MPSCommandBuffer(from: platform.queue)
      commandBuffer = target
      _ = executable.encode(to: target, inputs: inputs, results: results, executionDescriptor: nil)
      encodedNumber += 1
      retained.append(contentsOf: buffers)
      for buffer in buffers { bytes += buffer.length }
      encodes += 1
      if encodes >= Self.encodesPerCommit || bytes >= Self.bytesPerCommit { commitLocked() }
    }
  }

  /// Encodes one run on an engine whose encodes are done when they return.
  func run(
    _ executable: MPSGraphExecutable, inputs: [MPSGraphTensorData], results: [MPSGraphTensorData],
    platform: Platform
  ) {
    let target = commandBuffer ?? MPSCommandBuffer(from: platform.queue)
    commandBuffer = target
    _ = executable.encode(to: target, inputs: inputs, results: results, executionDescriptor: nil)
  }

  /// Commits everything up to a ticket, if it is not committed.
  func commit(_ number: UInt64 = .max) {
    lock.withLock { _ in if number > committedNumber { commitLocked() } }
  }

  /// Returns when the work up to a ticket is done.
  func wait(_ number: UInt64 = .max) throws(LucidError) {
    let pending: (any MTLCommandBuffer)? = lock.withLock { _ in
      if number > committedNumber { commitLocked() }
      return isComplete(number) ? nil : unsafeSend(lastCommitted)
    }
    guard let pending else { return }
    pending.waitUntilCompleted()
    if pending.status == .error {
      let reason = pending.error.map { "\($0)" } ?? "no reason given"
      throw LucidError(.runtime, "the device could not finish its work: \(reason)")
    }
  }

  private func commitLocked() {
    guard let commandBuffer, encodedNumber > committedNumber else { return }
    let root = commandBuffer.rootCommandBuffer
    let number = encodedNumber
    let buffers = retained
    root.addCompletedHandler { [weak self] _ in
      withExtendedLifetime(buffers) { self?.complete(number) }
    }
    committedNumber = encodedNumber
    lastCommitted = root
    (encodes, bytes, retained) = (0, 0, [])
    commandBuffer.commit()
    // A fresh one at the next encode: `commitAndContinue` would hold an empty buffer open.
    self.commandBuffer = nil
  }

  private func isComplete(_ number: UInt64) -> Bool {
    Streams.completed.withLock { _ in min(number, committedNumber) <= completedNumber }
  }

  private func complete(_ number: UInt64) {
    // The handler runs on another thread on a GPU, within `commit` on an engine that runs at once.
    Streams.completed.withLock { _ in completedNumber = max(completedNumber, number) }
  }
}

/// All streams, for waiting on every use of a buffer.
enum Streams {
  fileprivate static let all = Mutex<[WeakStream]>([])
  fileprivate static let completed = Mutex<Void>(())

  /// Returns when nothing that any thread has started is still running.
  static func synchronize() throws(LucidError) {
    if EngineHooks.runsAtOnce { return }
    let streams = all.withLock { list in
      list.removeAll { $0.stream == nil }
      return list.compactMap(\.stream)
    }
    for stream in streams { try stream.wait() }
  }
}

private struct WeakStream: @unchecked Sendable {
  weak var stream: Stream?
}

/// Metal's command buffers may be waited for from any thread.
private func unsafeSend<T>(_ value: T) -> sending T {
  nonisolated(unsafe) let value = value
  return value
}
