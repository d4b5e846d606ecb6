/// What records operations while a function is traced. The tensor code knows nothing else about
/// tracing: a recorder is asked instead of an executable.
protocol Recorder: AnyObject {
  /// What is known and assumed about the batch; nil in a static trace.
  var symbols: BatchAssumptions? { get }

  /// The function of one operation on operands as the recorded graph sees them.
  func operation(
    _ op: OpDef, _ operands: [Tensor], _ attributes: Attributes
  ) throws(LucidError) -> GraphFunction

  /// Records a call and gives the results' contents.
  func call(
    _ function: GraphFunction, _ operands: [Tensor]
  ) throws(LucidError) -> [Storage.Contents]

  /// The concrete types of a recorded call's results.
  func resultTypes(of function: GraphFunction) throws(LucidError) -> [ConcreteType]

  /// Records that a storage was written; called before its contents are replaced.
  func willWrite(_ storage: Storage) throws(LucidError)

  /// The seed and offset that a draw of `count` words uses.
  func draw(_ count: Dim) throws(LucidError) -> [Tensor]

  /// A tensor's accumulated gradient is about to be looked at, or replaced.
  func willTouchGradient(of state: GradState, current: Tensor?, isRead: Bool)
}

/// A value that a recorder promised.
protocol RecordedValue: AnyObject, Sendable {
  /// A storage waits for the value from now on.
  func attach(_ storage: Storage)

  /// Computes the value and puts it into every storage that waits for it.
  func materialize() throws(LucidError)

  /// Contents for another storage that is to get the same value.
  func shared() throws(LucidError) -> Storage.Contents

  /// The type of a tensor that shows this value, with the batch open; nil if it has no open extent.
  func type(of tensor: Tensor) -> TensorType?
}
