import Metal
import MetalPerformanceShaders

extension MPSCommandBuffer {
  /// Encodes with what a descriptor asks for. Work may run now or at the commit, so events and
  /// handlers go with it.
  package func encode<Results>(
    waitUntilCompleted: Bool, events: EventList, scheduled: ((Results, (any Error)?) -> Void)?,
    completed: ((Results, (any Error)?) -> Void)?, _ body: () -> Results
  ) -> Results {
    perform { events.wait() }
    let results = body()
    perform {
      scheduled?(results, nil)
      events.signal()
    }
    if let completed {
      let call = UncheckedTransfer { completed(results, nil) }
      addCompletedHandler { _ in call.value() }
    }
    if waitUntilCompleted {
      let finished = rootCommandBuffer
      commitAndContinue()
      finished.waitUntilCompleted()
    }
    return results
  }

  private func perform(_ work: @escaping () -> Void) {
    if Self.defersWork { enqueue(work) } else { work() }
  }
}

/// Handlers of graphs are not declared `@Sendable`, while those of command buffers are; they are
/// called on the thread that commits.
private struct UncheckedTransfer: @unchecked Sendable {
  let value: () -> Void
  init(_ value: @escaping () -> Void) { self.value = value }
}
