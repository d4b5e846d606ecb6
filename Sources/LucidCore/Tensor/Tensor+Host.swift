/// Memory of the host that a tensor uses or copies; it is given back once, from any thread.
public final class HostMemory: Sendable {
  private let release: @Sendable () -> Void

  public init(_ release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }
}

extension Tensor {
  /// Whether the tensor stands for a plain number.
  public var isWeak: Bool { type.isWeak }
  /// The position of the first element in the memory, in elements.
  public var storageOffset: Int { offset }
  /// Equal for tensors that share memory.
  public var storageID: UInt64 { UInt64(UInt(bitPattern: ObjectIdentifier(storage).hashValue)) }
  /// The extents of a traced tensor, which may depend on the batch; nil where they are plain numbers.
  public var symbolicExtents: [Dim]? {
    storage.recorded?.type(of: self)?.shape.dims
  }

  /// The address of element 0. Until `endExport` the memory stays where it is, and results of writes
  /// appear in it. Nil for a tensor without elements.
  public func beginExport() throws(LucidError) -> UnsafeMutableRawPointer? {
    guard !type.isWeak else {
      throw LucidError(.runtime, "export: a number has no memory of its own")
    }
    return try storage.beginExport().map { $0 + offset * dtype.size }
  }

  public func endExport() { storage.endExport() }

  /// Says that the host wrote through an exported address.
  public func markWritten() throws(LucidError) {
    if let buffer = try storage.buffer() { EngineHooks.didWrite(buffer.mtl) }
    storage.markWritten()
  }

  /// A tensor over memory of the host, shared where the engine can use it and copied else. Strides
  /// are in elements and not negative.
  public static func importing(
    _ data: UnsafeMutableRawPointer?, byteCount: Int, shape: [Int], strides: [Int]?,
    dtype: DType, device: Device, isWritable: Bool, owner: HostMemory
  ) throws(LucidError) -> Tensor {
    let type = try ConcreteType.of(shape, dtype)
    guard type.elementCount > 0 else { return Tensor(Storage(.empty), type, device: device) }
    guard let data else { throw LucidError(.type, "import: the address is NULL") }
    let layout = ViewLayout(offset: 0, shape: shape, strides: strides ?? type.strides)
    var last = 0
    for (extent, stride) in zip(layout.shape, layout.strides) {
      guard stride >= 0 else {
        throw LucidError(.value, "import: stride \(stride) is negative; copy the array first")
      }
      last = Dim.add(last, Dim.multiply(extent - 1, stride))
    }
    guard Dim.multiply(Dim.add(last, 1), dtype.size) <= byteCount else {
      throw LucidError(
        .value, "import: \(byteCount) bytes do not hold shape \(type.sizes) with its strides")
    }
    let platform = try Platform.required()
    if isWritable, layout.isContiguous,
      let mtl = EngineHooks.wrap(platform.device, data, length: type.byteCount)
    {
      let storage = Storage(Buffer(mtl, type, release: { withExtendedLifetime(owner) {} }))
      // The host may write at any time, as through an export that never ends.
      _ = try storage.beginExport()
      return Tensor(storage, type, device: device)
    }
    let copy = try Buffer.make(type)
    gather(data, layout, dtype.size, into: EngineHooks.address(of: copy.mtl))
    EngineHooks.didWrite(copy.mtl)
    return withExtendedLifetime(owner) { Tensor(Storage(copy), type, device: device) }
  }

  /// Copies the rows of a strided layout into packed memory.
  private static func gather(
    _ source: UnsafeRawPointer, _ layout: ViewLayout, _ size: Int,
    into target: UnsafeMutableRawPointer
  ) {
    var outer = layout.shape.count
    var block = size
    while outer > 0, layout.strides[outer - 1] * size == block {
      block *= layout.shape[outer - 1]
      outer -= 1
    }
    var index = [Int](repeating: 0, count: outer)
    var (from, to) = (0, 0)
    while true {
      (target + to).copyMemory(from: source + from, byteCount: block)
      to += block
      var axis = outer - 1
      while axis >= 0 {
        index[axis] += 1
        from += layout.strides[axis] * size
        if index[axis] < layout.shape[axis] { break }
        from -= layout.strides[axis] * size * layout.shape[axis]
        index[axis] = 0
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
