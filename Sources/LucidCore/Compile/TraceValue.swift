import Synchronization

/// A value that a trace has recorded: what a tensor's storage holds until it is computed.
final class TraceValue: RecordedValue, @unchecked Sendable {
  let trace: Trace
  /// The type of the memory that holds the value: the base's, where a view shows a part.
  let graphValue: GraphValue
  private let storages = Mutex<[WeakStorage]>([])

  private struct WeakStorage {
    weak var storage: Storage?
  }

  init(_ trace: Trace, _ graphValue: GraphValue) {
    self.trace = trace
    self.graphValue = graphValue
  }

  /// A storage now waits for this value.
  func attach(_ storage: Storage) {
    storages.withLock { list in
      if list.count > 8 { list.removeAll { $0.storage == nil } }
      list.append(WeakStorage(storage: storage))
    }
    trace.note(self)
  }

  /// The storages that still wait for it.
  var waiting: [Storage] {
    storages.withLock { list in
      list.compactMap { entry in entry.storage.flatMap { $0.recorded === self ? $0 : nil } }
    }
  }

  func shared() throws(LucidError) -> Storage.Contents {
    .recorded(TraceValue(trace, graphValue))
  }

  func materialize() throws(LucidError) {
    try trace.flush("a value was read")
  }

  func type(of tensor: Tensor) -> TensorType? {
    guard trace.symbols != nil else { return nil }
    return try? trace.value(of: tensor).type
  }
}
