import CLucid
import LucidCore

extension Plan: Handle { static var noun: String { "plan" } }

@_cdecl("lucid_plan_run") @implementation
public func lucid_plan_run(
  _ plan: OpaquePointer!, _ arguments: UnsafePointer<OpaquePointer?>!, _ count: Int,
  _ results: UnsafeMutablePointer<OpaquePointer?>!, _ capacity: Int,
  _ result_count: UnsafeMutablePointer<Int>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let plan = try Plan.from(plan, "lucid_plan_run")
    var given: [Tensor] = []
    if count > 0 {
      let handles = try required(arguments, "lucid_plan_run", "arguments")
      given.reserveCapacity(count)
      for i in 0..<count { given.append(try Tensor.from(handles[i], "lucid_plan_run")) }
    }
    let produced = try plan.run(given)
    guard produced.count <= capacity else {
      throw LucidError(
        .value, "lucid_plan_run: room for \(capacity) results, the plan has \(produced.count)")
    }
    if !produced.isEmpty {
      let target = try required(results, "lucid_plan_run", "results")
      for (i, tensor) in produced.enumerated() { target[i] = tensor.handle() }
    }
    result_count?.pointee = produced.count
  }
}

@_cdecl("lucid_plan_release") @implementation
public func lucid_plan_release(_ plan: OpaquePointer!) { Plan.release(plan) }

@_cdecl("lucid_plan_captured") @implementation
public func lucid_plan_captured(
  _ plan: OpaquePointer!, _ captured: UnsafeMutablePointer<OpaquePointer?>!, _ capacity: Int,
  _ count: UnsafeMutablePointer<Int>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let tensors = try Plan.from(plan, "lucid_plan_captured").captured
    count?.pointee = tensors.count
    guard let captured else { return }
    for (i, tensor) in tensors.prefix(max(capacity, 0)).enumerated() {
      captured[i] = tensor?.handle()
    }
  }
}

@_cdecl("lucid_plan_rebind") @implementation
public func lucid_plan_rebind(
  _ plan: OpaquePointer!, _ index: Int, _ tensor: OpaquePointer!
) -> lucid_status {
  attempt { () throws(LucidError) in
    try Plan.from(plan, "lucid_plan_rebind").rebind(
      index, to: try Tensor.from(tensor, "lucid_plan_rebind"))
  }
}

@_cdecl("lucid_plan_describe") @implementation
public func lucid_plan_describe(
  _ plan: OpaquePointer!, _ info: UnsafeMutablePointer<lucid_plan_info>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let plan = try Plan.from(plan, "lucid_plan_describe")
    let target = try required(info, "lucid_plan_describe", "info")
    let facts = try plan.facts()
    var out = lucid_plan_info()
    out.is_dynamic = plan.isDynamic ? 1 : 0
    out.nodes = Int64(facts.nodes)
    out.arguments = Int64(facts.arguments)
    out.captured = Int64(facts.captured)
    out.results = Int64(facts.results)
    out.writes = Int64(facts.writes)
    out.draws = Int64(facts.draws)
    out.executable_id = facts.executable
    out.trace_ms = facts.traceSeconds * 1e3
    out.lower_ms = facts.lowerSeconds * 1e3
    out.compile_ms = facts.compileSeconds * 1e3
    out.last_run_ms = facts.lastRunSeconds * 1e3
    out.runs = Int64(facts.runs)
    try store(out, to: target, size: target.pointee.struct_size, "lucid_plan_describe")
  }
}

@_cdecl("lucid_plan_dump") @implementation
public func lucid_plan_dump(_ plan: OpaquePointer!, _ form: Int32) -> UnsafeMutablePointer<CChar>! {
  attempt { () throws(LucidError) in
    let plan = try Plan.from(plan, "lucid_plan_dump")
    guard let form = Plan.Form(rawValue: form) else {
      throw LucidError(.value, "lucid_plan_dump: \(form) is not the number of a form (0 to 3)")
    }
    return lucid_slot_copy(try plan.dump(form))
  }
}
