import Foundation
import Metal

/// How to run an executable.
public final class MPSGraphExecutableExecutionDescriptor: MPSGraphObject, NSCopying {
  /// Whether calls return only when the results are there.
  public var waitUntilCompleted = false
  package private(set) var scheduled: MPSGraphExecutableScheduledHandler?
  package private(set) var completed: MPSGraphExecutableCompletionHandler?
  package private(set) var events = EventList()

  /// The defaults.
  public override init() {}

  /// Called when the run is taken up. Without a handler, reading gives one that does nothing.
  public var scheduledHandler: MPSGraphExecutableScheduledHandler {
    get { scheduled ?? { _, _ in } }
    set { scheduled = newValue }
  }

  /// Called when the results are there. Without a handler, reading gives one that does nothing.
  public var completionHandler: MPSGraphExecutableCompletionHandler {
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

  /// A descriptor with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any {
    let copy = MPSGraphExecutableExecutionDescriptor()
    copy.waitUntilCompleted = waitUntilCompleted
    copy.scheduled = scheduled
    copy.completed = completed
    copy.events = events
    return copy
  }
}
