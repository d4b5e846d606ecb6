import MetalPerformanceShadersGraph
import Synchronization

/// Memory that the engine fills once. Only a host that holds an export, or a strided write into a
/// buffer that nobody else holds, ever changes it; so tensors that are copies of each other can share
/// one until then, and the reference count tells whether it is shared.
final class Buffer: @unchecked Sendable {
  let mtl: any MTLBuffer
  /// The memory as an operand of the type it was made with.
  let data: MPSGraphTensorData
  let type: ConcreteType
  /// The work that fills it; nil if the contents are there.
  let ticket: Ticket?
  /// Gives borrowed memory back.
  private let release: (@Sendable () -> Void)?

  init(
    _ mtl: any MTLBuffer, _ type: ConcreteType, ticket: Ticket? = nil,
    release: (@Sendable () -> Void)? = nil
  ) {
    self.mtl = mtl
    self.type = type
    self.ticket = ticket
    self.release = release
    data =
      EngineHooks.data(mtl, type, offset: 0)
      ?? MPSGraphTensorData(mtl, shape: type.mpsShape, dataType: type.dtype.mps)
  }

  deinit { release?() }

  var length: Int { mtl.length }

  /// Uninitialised memory for a tensor with at least one element.
  static func make(_ type: ConcreteType, ticket: Ticket? = nil) throws(LucidError) -> Buffer {
    let platform = try Platform.required()
    let length = max(type.byteCount, 1)
    guard let mtl = EngineHooks.makeBuffer(platform.device, length: length) else {
      throw LucidError(
        .memory, "out of memory: a tensor of shape \(type.sizes) needs \(length) bytes")
    }
    return Buffer(mtl, type, ticket: ticket)
  }

  /// A copy of packed row-major bytes, zeros if `source` is nil.
  static func make(
    _ type: ConcreteType, copying source: UnsafeRawPointer?
  ) throws(LucidError) -> Buffer {
    let buffer = try make(type)
    let target = EngineHooks.address(of: buffer.mtl)
    if let source {
      target.copyMemory(from: source, byteCount: type.byteCount)
    } else {
      target.initializeMemory(as: UInt8.self, repeating: 0, count: max(type.byteCount, 1))
    }
    EngineHooks.didWrite(buffer.mtl)
    return buffer
  }

  /// Returns when the contents are there.
  func wait() throws(LucidError) {
    if let ticket { try ticket.stream.wait(ticket.number) }
  }

  /// An operand of another type or at an offset in elements.
  func data(as type: ConcreteType, offset: Int) -> MPSGraphTensorData {
    if type === self.type, offset == 0 { return data }
    if let data = EngineHooks.data(mtl, type, offset: offset) { return data }
    if offset == 0 {
      return MPSGraphTensorData(mtl, shape: type.mpsShape, dataType: type.dtype.mps)
    }
    let descriptor = MPSNDArrayDescriptor(dataType: type.dtype.mps, shape: type.mpsShape)
    descriptor.preferPackedRows = true
    return MPSGraphTensorData(
      MPSNDArray(buffer: mtl, offset: offset * type.dtype.size, descriptor: descriptor))
  }

  /// A separate copy of the contents.
  func copied() throws(LucidError) -> Buffer {
    try wait()
    let copy = try Buffer.make(type)
    EngineHooks.address(of: copy.mtl).copyMemory(
      from: EngineHooks.address(of: mtl), byteCount: min(copy.length, length))
    EngineHooks.didWrite(copy.mtl)
    return copy
  }
}

/// The box that tensors, views and plans hold. "In place" means that a result's buffer takes the place
/// of the box's, and the version grows.
public final class Storage: @unchecked Sendable {
  /// What the box holds.
  enum Contents {
    /// A tensor without elements.
    case empty
    case buffer(Buffer)
    /// A value that a recorder has not computed yet.
    case recorded(any RecordedValue)
  }

  private struct State {
    var contents: Contents
    var version: Int
    var exports = 0
  }

  private let state: Mutex<State>

  init(_ contents: Contents) {
    state = Mutex(State(contents: contents, version: 0))
    attach(contents)
  }
  convenience init(_ buffer: Buffer) { self.init(.buffer(buffer)) }

  /// How many writes there were.
  var version: Int { state.withLock { $0.version } }
  var exports: Int { state.withLock { $0.exports } }

  var contents: Contents { state.withLock { $0.contents } }

  /// The value a recorder holds for this box, if it is not computed.
  var recorded: (any RecordedValue)? {
    state.withLock { if case .recorded(let value) = $0.contents { value } else { nil } }
  }

  /// The memory, computed if it is not there; nil for a tensor without elements.
  func buffer() throws(LucidError) -> Buffer? {
    while true {
      let contents = state.withLock { $0.contents }
      switch contents {
      case .empty: return nil
      case .buffer(let buffer): return buffer
      case .recorded(let value):
        try value.materialize()
        guard recorded == nil else {
          throw LucidError(.runtime, "a recorded value could not be computed")
        }
      }
    }
  }

  /// The memory if it is there.
  var currentBuffer: Buffer? {
    state.withLock { if case .buffer(let buffer) = $0.contents { buffer } else { nil } }
  }

  /// A separate box with the same contents, which are copied only when either side is written.
  func shared() throws(LucidError) -> Storage {
    if let recorded { return Storage(try recorded.shared()) }
    guard let buffer = try buffer() else { return Storage(.empty) }
    // The host may write an exported buffer at any time.
    return Storage(exports > 0 ? try buffer.copied() : buffer)
  }

  /// Puts a result in place of the contents.
  func replace(with contents: Contents) throws(LucidError) {
    if case .buffer(let new) = contents, exports > 0, let old = try buffer(), old !== new {
      try new.wait()
      try Streams.synchronize()
      EngineHooks.address(of: old.mtl).copyMemory(
        from: EngineHooks.address(of: new.mtl), byteCount: min(old.length, new.length))
      EngineHooks.didWrite(old.mtl)
      markWritten()
      return
    }
    state.withLock {
      $0.contents = contents
      $0.version += 1
    }
    attach(contents)
  }

  /// A recorder fulfils what waits for its values.
  private func attach(_ contents: Contents) {
    if case .recorded(let value) = contents { value.attach(self) }
  }

  /// Sets contents that were only promised: not a write.
  func fulfil(_ contents: Contents) {
    state.withLock { $0.contents = contents }
    attach(contents)
  }

  func markWritten() { state.withLock { $0.version += 1 } }

  /// Makes the memory the box's own, for writing by the host, and gives it.
  func exclusiveBuffer() throws(LucidError) -> Buffer? {
    guard try buffer() != nil else { return nil }
    if exports == 0, !isUnique() {
      if let copy = try buffer()?.copied() { fulfil(.buffer(copy)) }
    }
    let own = try buffer()
    try own?.wait()
    try Streams.synchronize()
    return own
  }

  private func isUnique() -> Bool {
    state.withLock { state in
      guard case .buffer(var buffer) = state.contents else { return true }
      state.contents = .empty
      let unique = isKnownUniquelyReferenced(&buffer)
      state.contents = .buffer(buffer)
      return unique
    }
  }

  /// Lets the host at the memory until `endExport`; nil for a tensor without elements.
  func beginExport() throws(LucidError) -> UnsafeMutableRawPointer? {
    guard let buffer = try exclusiveBuffer() else { return nil }
    state.withLock { $0.exports += 1 }
    EngineHooks.beginExport(buffer.mtl)
    return EngineHooks.address(of: buffer.mtl)
  }

  func endExport() {
    let ended = state.withLock { state -> Bool in
      guard state.exports > 0 else { return false }
      state.exports -= 1
      return true
    }
    if ended, let buffer = currentBuffer { EngineHooks.endExport(buffer.mtl) }
  }
}
