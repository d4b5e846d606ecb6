import CLucid
import LucidCore
import Synchronization

@_cdecl("lucid_abi_version") @implementation
public func lucid_abi_version() -> Int32 { LUCID_ABI_VERSION }

@_cdecl("lucid_catalog_hash") @implementation
public func lucid_catalog_hash() -> UInt64 { OpCatalog.fingerprint }

@_cdecl("lucid_backend_description") @implementation
public func lucid_backend_description() -> UnsafePointer<CChar>! {
  lucid_slot_text(0, Engine.description)
}

@_cdecl("lucid_device_available") @implementation
public func lucid_device_available(_ device: Int32) -> Int32 {
  guard let small = UInt8(exactly: device), let device = Device(rawValue: small) else { return 0 }
  return device.isAvailable ? 1 : 0
}

@_cdecl("lucid_stats_read") @implementation
public func lucid_stats_read(_ stats: UnsafeMutablePointer<lucid_stats>!) -> lucid_status {
  attempt { () throws(LucidError) in
    let target = try required(stats, "lucid_stats_read", "stats")
    let now = Engine.statistics
    var out = lucid_stats()
    out.threads = Int32(clamping: now.threads)
    out.live_tensors = liveTensors.load(ordering: .relaxed)
    out.memory_allocated = Int64(now.memoryInUse)
    out.memory_peak = Int64(now.memoryPeak)
    out.memory_cached = Int64(now.memoryCached)
    out.executables = Int64(now.executables)
    out.executable_hits = Int64(now.executableHits)
    out.executable_misses = Int64(now.executableMisses)
    out.executable_evictions = Int64(now.executableEvictions)
    out.op_cache_entries = Int64(now.operations)
    out.op_cache_hits = Int64(now.operationHits)
    out.op_cache_misses = Int64(now.operationMisses)
    out.kernel_launches = Int64(now.kernelLaunches)
    try store(out, to: target, size: target.pointee.struct_size, "lucid_stats_read")
  }
}

@_cdecl("lucid_memory_reset_peak") @implementation
public func lucid_memory_reset_peak() -> lucid_status {
  attempt { () throws(LucidError) in Engine.resetPeakMemory() }
}

@_cdecl("lucid_caches_clear") @implementation
public func lucid_caches_clear(_ executables: Int32) -> lucid_status {
  attempt { () throws(LucidError) in Engine.clearCaches(executables: executables != 0) }
}

@_cdecl("lucid_threads_set") @implementation
public func lucid_threads_set(_ count: Int32) -> lucid_status {
  attempt { () throws(LucidError) in
    guard count > 0 else {
      throw LucidError(.value, "lucid_threads_set: \(count) is not a positive number of threads")
    }
    Engine.setThreads(Int(count))
  }
}

@_cdecl("lucid_synchronize") @implementation
public func lucid_synchronize() -> lucid_status {
  attempt { () throws(LucidError) in try Engine.synchronize() }
}

@_cdecl("lucid_library_path_add") @implementation
public func lucid_library_path_add(_ directory: UnsafePointer<CChar>!) {
  guard let directory: UnsafePointer<CChar> = directory else { return }
  Engine.addLibraryPath(String(cString: directory))
}
