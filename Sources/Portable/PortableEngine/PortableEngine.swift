import CKernels
import Metal
import MetalPerformanceShaders
import MetalPerformanceShadersGraph
import Synchronization

/// What the Linux engine can do beyond Apple's API: memory, threads, content versions, programs.
public enum PortableEngine {
  /// What the engine is, for people: instruction set, libraries and threads.
  public static var description: String {
    let isa = String(cString: ck_isa_name())
    let library =
      ck_onednn_version().map { "oneDNN \(String(cString: $0))" } ?? "without oneDNN"
    let threads = threads == 1 ? "1 thread" : "\(threads) threads"
    return "MPSGraph-compatible CPU engine, \(isa), \(library), \(threads)"
  }

  /// Why oneDNN is not used; nil when it is.
  public static var missingLibraryReason: String? {
    ck_onednn_available() ? nil : ck_onednn_reason().map { String(cString: $0) }
  }

  /// The number of threads that kernels use.
  public static var threads: Int {
    get { Int(ck_num_threads()) }
    set { ck_set_num_threads(Int32(clamping: newValue)) }
  }

  // MARK: Memory

  /// What the allocator under every buffer did.
  public struct MemoryStatistics: Sendable {
    /// Bytes handed out now.
    public let inUse: Int
    /// The most that was handed out since the last reset.
    public let peak: Int
    /// Bytes kept for reuse.
    public let cached: Int
    /// Requests for memory.
    public let allocations: Int
    /// Requests that the system had to answer.
    public let systemAllocations: Int
  }

  /// The allocator's state.
  public static var memory: MemoryStatistics {
    let stats = ck_memory_read()
    return MemoryStatistics(
      inUse: Int(stats.in_use), peak: Int(stats.peak), cached: Int(stats.cached),
      allocations: Int(stats.allocations), systemAllocations: Int(stats.system_allocations))
  }

  /// Starts a new peak from what is in use now.
  public static func resetPeakMemory() { ck_memory_reset_peak() }

  /// Returns memory kept for reuse to the system; the number of bytes.
  @discardableResult
  public static func trimMemory() -> Int { ck_trim() }

  /// A buffer with undefined contents; nil when there is no memory.
  public static func makeBuffer(length: Int) -> (any MTLBuffer)? {
    PortableBuffer(uninitialized: length)
  }

  /// A buffer over foreign memory, which the deallocator gets back; nil unless it is aligned to 64
  /// bytes.
  public static func wrap(
    _ pointer: UnsafeMutableRawPointer, length: Int,
    deallocator: (@Sendable (UnsafeMutableRawPointer, Int) -> Void)?
  ) -> (any MTLBuffer)? {
    PortableBuffer(wrapping: pointer, length: length, deallocator: deallocator)
  }

  // MARK: Contents

  /// The address of a buffer, without counting as a holder that may write at any time.
  public static func address(of buffer: any MTLBuffer) -> UnsafeMutableRawPointer {
    buffer.portable.pointer
  }

  /// Says that the contents were written by somebody else than the engine.
  public static func didWrite(_ buffer: any MTLBuffer) { buffer.portable.didWrite() }

  /// Somebody may write to the buffer at any time, until `endEscape(_:)`.
  public static func beginEscape(_ buffer: any MTLBuffer) { buffer.portable.beginEscape() }

  /// One that `beginEscape(_:)` counted is done.
  public static func endEscape(_ buffer: any MTLBuffer) { buffer.portable.endEscape() }

  // MARK: Arrays

  /// A part of a buffer as an array, without the detour over boxed numbers.
  public static func tensorData(
    _ buffer: any MTLBuffer, offset: Int, dims: [Int], dataType: MPSDataType
  ) -> MPSGraphTensorData {
    MPSGraphTensorData(buffer: buffer.portable, dims: dims, dataType: dataType, offset: offset)
  }

  /// The sizes of an array.
  public static func dims(of data: MPSGraphTensorData) -> [Int] { data.dims }

  /// The memory of an array: the buffer, and the byte position of its first element.
  public static func memory(of data: MPSGraphTensorData) -> (buffer: any MTLBuffer, offset: Int) {
    (data.buffer, data.offset)
  }

  // MARK: Operations

  /// Random words: element i of the result is word (offset + i) % 4 of the philox4x32-10 block numbered
  /// (offset + i) / 4 under the key `seed`. Seed and offset are int64 of shape [1]; the result is
  /// uint32.
  public static func philox(
    _ graph: MPSGraph, seed: MPSGraphTensor, offset: MPSGraphTensor, shape: [Int], name: String?
  ) -> MPSGraphTensor {
    graph.value(
      .philox, [seed, offset], declared: TensorType(shape, .uInt32), name: name)
  }

  /// The gradients of query, key and value of a scaled dot-product attention; all three have the
  /// same batch dimensions. The score matrix is never held, and a program that has the forward
  /// operation on the same tensors uses its result. The mask gets no gradient.
  public static func attentionGradient(
    _ graph: MPSGraph, query: MPSGraphTensor, key: MPSGraphTensor, value: MPSGraphTensor,
    mask: MPSGraphTensor?, gradient: MPSGraphTensor, scale: Float, name: String?
  ) -> [MPSGraphTensor] {
    graph.append(
      .attentionGradient(scale: scale, hasMask: mask != nil),
      [query, key, value] + (mask.map { [$0] } ?? []) + [gradient], name: name
    ).outputTensors
  }

  // MARK: Programs

  /// The optimised program of the shapes that ran last: one line per step. Nil before any shape is
  /// known.
  public static func dump(_ executable: MPSGraphExecutable) -> String? {
    executable.program.latestDump
  }

  /// Counts since the process began.
  public struct Counters: Sendable {
    /// Programs compiled: one for each graph and combination of feed shapes.
    public let compiledPrograms: Int
    /// Kernels started.
    public let launches: Int
    /// Weights packed.
    public let packs: Int
  }

  /// What the engine did so far.
  public static var counters: Counters {
    Counters(
      compiledPrograms: EngineCounters.compiledPrograms.load(ordering: .relaxed),
      launches: EngineCounters.launches.load(ordering: .relaxed),
      packs: EngineCounters.packs.load(ordering: .relaxed))
  }
}
