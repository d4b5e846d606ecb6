import MetalPerformanceShadersGraph
import Synchronization

#if canImport(PortableEngine)
  import CKernels
  import Metal
  import MetalPerformanceShaders
  import PortableEngine
#endif

/// What Apple's API cannot say and the Linux engine can do. The only platform branch of this module;
/// without the engine every function is the plain call or does nothing.
enum EngineHooks {
  #if canImport(PortableEngine)
    /// Whether an encode is done when it returns.
    static let runsAtOnce = !MPSCommandBuffer.defersWork

    /// Memory for a result, not filled.
    static func makeBuffer(_ device: any MTLDevice, length: Int) -> (any MTLBuffer)? {
      PortableEngine.makeBuffer(length: length)
    }

    /// Memory of the host, not copied; nil where the engine cannot use it.
    static func wrap(
      _ device: any MTLDevice, _ pointer: UnsafeMutableRawPointer, length: Int
    ) -> (any MTLBuffer)? {
      PortableEngine.wrap(pointer, length: length, deallocator: nil)
    }

    /// The contents as an operand.
    static func data(_ buffer: any MTLBuffer, _ type: ConcreteType, offset: Int)
      -> MPSGraphTensorData?
    {
      PortableEngine.tensorData(
        buffer, offset: offset * type.dtype.size, dims: type.rank == 0 ? [1] : type.shape,
        dataType: type.dtype.mps)
    }

    /// The address for this module's own copies, which does not count as an escape.
    static func address(of buffer: any MTLBuffer) -> UnsafeMutableRawPointer {
      PortableEngine.address(of: buffer)
    }

    /// Says that the contents were changed from outside the engine.
    static func didWrite(_ buffer: any MTLBuffer) { PortableEngine.didWrite(buffer) }

    /// The host may write at any time, until `endExport`.
    static func beginExport(_ buffer: any MTLBuffer) { PortableEngine.beginEscape(buffer) }
    static func endExport(_ buffer: any MTLBuffer) { PortableEngine.endEscape(buffer) }

    static var description: String? { PortableEngine.description }

    static func fill(_ statistics: inout Engine.Statistics) {
      let memory = PortableEngine.memory
      statistics.threads = PortableEngine.threads
      (statistics.memoryInUse, statistics.memoryPeak) = (memory.inUse, memory.peak)
      statistics.memoryCached = memory.cached
      statistics.kernelLaunches = PortableEngine.counters.launches
    }

    static func resetPeakMemory() { PortableEngine.resetPeakMemory() }
    static func trimMemory() { PortableEngine.trimMemory() }
    static func setThreads(_ count: Int) { PortableEngine.threads = count }
    static func addLibraryPath(_ directory: String) { ck_onednn_set_path(directory) }

    /// The gradients of query, key and value from these and the gradient of the result, without the
    /// matrix of scores.
    static func attentionGradient(
      _ graph: MPSGraph, _ inputs: [MPSGraphTensor], mask: MPSGraphTensor?, scale: Float
    ) -> [MPSGraphTensor]? {
      PortableEngine.attentionGradient(
        graph, query: inputs[0], key: inputs[1], value: inputs[2], mask: mask,
        gradient: inputs[3], scale: scale, name: "attention_gradient")
    }

    /// Random words as one node: uint32 of this count, as `Philox` describes them.
    static func philox(
      _ graph: MPSGraph, _ seed: MPSGraphTensor, _ offset: MPSGraphTensor, count: Int
    ) -> MPSGraphTensor? {
      PortableEngine.philox(graph, seed: seed, offset: offset, shape: [count], name: "philox")
    }

    /// The compiled program as text.
    static func dump(_ executable: MPSGraphExecutable) -> String? {
      PortableEngine.dump(executable)
    }

    /// Copies elements between strided layouts, converting; false where the engine cannot.
    static func copy(
      _ source: any MTLBuffer, _ from: ViewLayout, _ sourceType: DType,
      to target: any MTLBuffer, _ to: ViewLayout, _ targetType: DType
    ) -> Bool {
      guard CopyDoor.usesEngine.load(ordering: .relaxed) else { return false }
      var params = ck_copy_params()
      params.rank = Int32(from.shape.count)
      withUnsafeMutableBytes(of: &params.shape) { set($0, from.shape) }
      params.source = operand(slot: 0, from, sourceType)
      params.result = operand(slot: 1, to, targetType)
      var slots: [UnsafeMutableRawPointer?] = [address(of: source), address(of: target)]
      ck_copy(&params, &slots)
      didWrite(target)
      return true
    }

    private static func operand(slot: Int32, _ layout: ViewLayout, _ type: DType) -> ck_operand {
      var operand = ck_operand()
      operand.ref = ck_ref(slot: slot, offset: Int64(layout.offset * type.size))
      operand.dtype = ck_dtype(UInt32(type.rawValue))
      withUnsafeMutableBytes(of: &operand.stride) { set($0, layout.strides) }
      return operand
    }

    private static func set(_ field: UnsafeMutableRawBufferPointer, _ values: [Int]) {
      for (i, value) in values.enumerated() {
        field.storeBytes(of: Int64(value), toByteOffset: i * 8, as: Int64.self)
      }
    }
  #else
    static let runsAtOnce = false

    static func makeBuffer(_ device: any MTLDevice, length: Int) -> (any MTLBuffer)? {
      device.makeBuffer(length: length, options: .storageModeShared)
    }

    static func wrap(
      _ device: any MTLDevice, _ pointer: UnsafeMutableRawPointer, length: Int
    ) -> (any MTLBuffer)? { nil }

    static func data(_ buffer: any MTLBuffer, _ type: ConcreteType, offset: Int)
      -> MPSGraphTensorData?
    { nil }

    static func address(of buffer: any MTLBuffer) -> UnsafeMutableRawPointer { buffer.contents() }
    static func didWrite(_ buffer: any MTLBuffer) {}
    static func beginExport(_ buffer: any MTLBuffer) {}
    static func endExport(_ buffer: any MTLBuffer) {}
    static var description: String? { nil }
    static func fill(_ statistics: inout Engine.Statistics) {}
    static func resetPeakMemory() {}
    static func trimMemory() {}
    static func setThreads(_ count: Int) {}
    static func addLibraryPath(_ directory: String) {}
    static func dump(_ executable: MPSGraphExecutable) -> String? { nil }
    static func philox(
      _ graph: MPSGraph, _ seed: MPSGraphTensor, _ offset: MPSGraphTensor, count: Int
    ) -> MPSGraphTensor? { nil }
    static func attentionGradient(
      _ graph: MPSGraph, _ inputs: [MPSGraphTensor], mask: MPSGraphTensor?, scale: Float
    ) -> [MPSGraphTensor]? { nil }

    static func copy(
      _ source: any MTLBuffer, _ from: ViewLayout, _ sourceType: DType,
      to target: any MTLBuffer, _ to: ViewLayout, _ targetType: DType
    ) -> Bool { false }
  #endif
}

/// Tests close it to go the way that Apple's engine goes, through graphs.
package enum CopyDoor {
  package static let usesEngine = Atomic<Bool>(true)
}
