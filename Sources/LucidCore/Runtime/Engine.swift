import MetalPerformanceShadersGraph
import Synchronization

/// What computes, as a whole: statistics, caches, threads.
public enum Engine {
  /// Numbers about the process. Memory and launches are zero where the engine does not tell.
  public struct Statistics: Sendable {
    public var threads = 0
    public var memoryInUse = 0
    public var memoryPeak = 0
    public var memoryCached = 0
    public var executables = 0
    public var executableHits = 0
    public var executableMisses = 0
    public var executableEvictions = 0
    public var operations = 0
    public var operationHits = 0
    public var operationMisses = 0
    public var kernelLaunches = 0
    public var tensors = 0
  }

  public static var statistics: Statistics {
    var out = Statistics()
    EngineHooks.fill(&out)
    let counters = ExecutableCache.counters
    out.executables = Executable.live
    (out.executableHits, out.executableMisses) = (counters.hits, counters.misses)
    out.executableEvictions = counters.evictions
    (out.operations, out.operationHits) = (OpCache.count, OpCache.hits)
    out.operationMisses = OpCache.misses
    out.tensors = TensorCounter.live.load(ordering: .relaxed)
    return out
  }

  /// What runs underneath, for people.
  public static var description: String {
    EngineHooks.description ?? Platform.shared.map { "MPSGraph on \($0.device.name)" }
      ?? "no Metal device"
  }

  public static func resetPeakMemory() { EngineHooks.resetPeakMemory() }

  /// Drops recycled memory and, if `executables`, compiled code.
  public static func clearCaches(executables: Bool) {
    if executables {
      ExecutableCache.clear()
      OpCache.clear()
    }
    EngineHooks.trimMemory()
  }

  public static func setThreads(_ count: Int) { EngineHooks.setThreads(count) }

  /// Where the engine may look for a math library.
  public static func addLibraryPath(_ directory: String) { EngineHooks.addLibraryPath(directory) }

  /// Returns when everything that any thread started is done.
  public static func synchronize() throws(LucidError) { try Streams.synchronize() }
}
