import Foundation
import Metal

/// How to run a graph.
public final class MPSGraphExecutionDescriptor: MPSGraphObject {
  /// Whether calls return only when the results are there.
  public var waitUntilCompleted = false
  /// How to compile before the run.
  @NSCopying public var compilationDescriptor: MPSGraphCompilationDescriptor?
  package private(set) var scheduled: MPSGraphScheduledHandler?
  package private(set) var completed: MPSGraphCompletionHandler?
  package private(set) var events = EventList()

  /// The defaults.
  public override init() {}

  /// Called when the run is taken up. Without a handler, reading gives one that does nothing.
  public var scheduledHandler: MPSGraphScheduledHandler {
    get { scheduled ?? { _, _ in } }
    set { scheduled = newValue }
  }

  /// Called when the results are there. Without a handler, reading gives one that does nothing.
  public var completionHandler: MPSGraphCompletionHandler {
    get { completed ?? { _, _ in } }
    set { completed = newValue }
  }

  /// Starts when the event has reached the value.
  public func wait(for event: any MTLSharedEvent, value: UInt64) { events.addWait(event, value) }

  /// Sets the event to the value when the run is done.
  public func signal(
    _ event: any MTLSharedEvent, atExecutionEvent executionStage: MPSGraphExecutionStage,
    value: UInt64
  ) {
    events.addSignal(event, value)
  }
}
