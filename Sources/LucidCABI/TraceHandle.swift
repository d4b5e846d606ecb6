import CLucid
import LucidCore

extension Trace: Handle { static var noun: String { "trace" } }

@_cdecl("lucid_trace_begin") @implementation
public func lucid_trace_begin(_ flags: UInt32, _ batch: Int64) -> OpaquePointer! {
  attempt { () throws(LucidError) in
    let isDynamic = flags & UInt32(LUCID_TRACE_DYNAMIC) != 0
    let isFull = flags & UInt32(LUCID_TRACE_FULL) != 0
    return try Trace.begin(batch: isDynamic ? Int(batch) : nil, fullGraph: isFull).handle()
  }
}

@_cdecl("lucid_trace_argument") @implementation
public func lucid_trace_argument(
  _ trace: OpaquePointer!, _ argument: OpaquePointer!, _ symbolic: Int32
) -> OpaquePointer! {
  attempt { () throws(LucidError) in
    try Trace.from(trace, "lucid_trace_argument").argument(
      try Tensor.from(argument, "lucid_trace_argument"), symbolic: symbolic != 0
    ).handle()
  }
}

@_cdecl("lucid_trace_end") @implementation
public func lucid_trace_end(
  _ trace: OpaquePointer!, _ outputs: UnsafePointer<OpaquePointer?>!, _ count: Int,
  _ plan: UnsafeMutablePointer<OpaquePointer?>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let trace = try Trace.from(trace, "lucid_trace_end")
    let target = try required(plan, "lucid_trace_end", "plan")
    target.pointee = nil
    let outputs = try requiredTensors(outputs, count, "lucid_trace_end")
    target.pointee = try trace.end(outputs)?.handle()
  }
}

@_cdecl("lucid_trace_abort") @implementation
public func lucid_trace_abort(_ trace: OpaquePointer!) {
  guard let trace else { return }
  Unmanaged<Trace>.fromOpaque(UnsafeRawPointer(trace)).takeUnretainedValue().abort()
}

@_cdecl("lucid_trace_flush") @implementation
public func lucid_trace_flush(
  _ trace: OpaquePointer!, _ reason: UnsafePointer<CChar>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let words = try required(reason, "lucid_trace_flush", "reason")
    try Trace.from(trace, "lucid_trace_flush").flush(String(cString: words))
  }
}

@_cdecl("lucid_trace_specialise") @implementation
public func lucid_trace_specialise(
  _ trace: OpaquePointer!, _ reason: UnsafePointer<CChar>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let words = try required(reason, "lucid_trace_specialise", "reason")
    try Trace.from(trace, "lucid_trace_specialise").specialize(String(cString: words))
  }
}

@_cdecl("lucid_trace_reason") @implementation
public func lucid_trace_reason(_ trace: OpaquePointer!) -> UnsafePointer<CChar>! {
  guard let trace else { return nil }
  let object = Unmanaged<Trace>.fromOpaque(UnsafeRawPointer(trace)).takeUnretainedValue()
  return object.reason.map { lucid_slot_text(1, $0) }
}

@_cdecl("lucid_trace_current") @implementation
public func lucid_trace_current() -> OpaquePointer! {
  Trace.current.map { OpaquePointer(Unmanaged.passUnretained($0).toOpaque()) }
}

@_cdecl("lucid_trace_release") @implementation
public func lucid_trace_release(_ trace: OpaquePointer!) { Trace.release(trace) }
