import MetalPerformanceShadersGraph
import Synchronization

/// Copies between strided layouts: what a view costs when an operation cannot read it as it lies.
enum StridedCopy {
  /// The elements of a layout, packed row-major in memory of their own.
  static func packed(
    _ source: Buffer, _ layout: ViewLayout, _ type: ConcreteType
  ) throws(LucidError) -> Buffer {
    try source.wait()
    let copy = try Buffer.make(type)
    if EngineHooks.copy(
      source.mtl, layout, type.dtype, to: copy.mtl, type.layout, type.dtype)
    {
      return copy
    }
    return try gathered(source, layout, type)
  }

  /// Executables that copy an operand, by the operand's type; strides are no part of the key.
  private static let copies = Mutex<[UInt64: MPSGraphExecutable]>([:])
  private static let capacity = 1024

  /// Through MPSGraph: an array view has the strides, and an identity packs it.
  private static func gathered(
    _ source: Buffer, _ layout: ViewLayout, _ type: ConcreteType
  ) throws(LucidError) -> Buffer {
    let platform = try Platform.required()
    let elements = source.length / type.dtype.size
    let whole = MPSNDArrayDescriptor(
      dataType: type.dtype.mps, shape: [NSNumber(value: elements - layout.offset)])
    whole.preferPackedRows = true
    let array = MPSNDArray(
      buffer: source.mtl, offset: layout.offset * type.dtype.size, descriptor: whole)
    let strides = layout.strides.isEmpty ? [1] : layout.strides.map { NSNumber(value: $0) }
    guard let view = array.arrayView(withShape: type.mpsShape, strides: strides) else {
      throw LucidError(
        .runtime, "copying a view of shape \(type.sizes) with strides \(layout.strides) failed")
    }
    let executable = try copyExecutable(type, platform)
    let stream = ThreadState.current.stream
    let result = try Buffer.make(type, ticket: stream.nextTicket)
    stream.encode(
      executable, inputs: [MPSGraphTensorData(view)], results: [result.data],
      buffers: [source, result], platform: platform)
    return result
  }

  private static func copyExecutable(
    _ type: ConcreteType, _ platform: Platform
  ) throws(LucidError) -> MPSGraphExecutable {
    if let known = copies.withLock({ $0[type.id] }) { return known }
    let made = Executable.withCompileLock {
      let graph = MPSGraph()
      let feed = graph.placeholder(shape: type.mpsShape, dataType: type.dtype.mps, name: nil)
      let target = graph.identity(with: feed, name: "copy")
      let descriptor = MPSGraphCompilationDescriptor()
      descriptor.optimizationLevel = .level0
      return graph.compile(
        with: MPSGraphDevice(mtlDevice: platform.device),
        feeds: [feed: MPSGraphShapedType(shape: type.mpsShape, dataType: type.dtype.mps)],
        targetTensors: [target], targetOperations: nil, compilationDescriptor: descriptor)
    }
    return copies.withLock { table in
      if table.count >= capacity { table = [:] }
      let executable = table[type.id] ?? made
      table[type.id] = executable
      return executable
    }
  }
}
