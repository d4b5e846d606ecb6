import Metal

/// Events that a run waits for and signals.
package struct EventList {
  private var waits: [(event: any MTLSharedEvent, value: UInt64)] = []
  private var signals: [(event: any MTLSharedEvent, value: UInt64)] = []

  package mutating func addWait(_ event: any MTLSharedEvent, _ value: UInt64) {
    waits.append((event, value))
  }

  package mutating func addSignal(_ event: any MTLSharedEvent, _ value: UInt64) {
    signals.append((event, value))
  }

  package func wait() {
    for (event, value) in waits { event.wait(for: value) }
  }

  package func signal() {
    for (event, value) in signals { event.signaledValue = value }
  }
}
