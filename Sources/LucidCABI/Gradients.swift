import CLucid
import LucidCore
import Synchronization

@_cdecl("lucid_tensor_set_requires_grad") @implementation
public func lucid_tensor_set_requires_grad(_ tensor: OpaquePointer!, _ requires_grad: Int32)
  -> lucid_status
{
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_set_requires_grad").setRequiresGrad(requires_grad != 0)
  }
}

@_cdecl("lucid_tensor_grad") @implementation
public func lucid_tensor_grad(_ tensor: OpaquePointer!) -> OpaquePointer! {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_grad").gradient?.handle()
  }
}

@_cdecl("lucid_tensor_set_grad") @implementation
public func lucid_tensor_set_grad(_ tensor: OpaquePointer!, _ gradient: OpaquePointer!)
  -> lucid_status
{
  attempt { () throws(LucidError) in
    let given: OpaquePointer? = gradient
    let gradient = try given.map { handle throws(LucidError) in
      try Tensor.from(handle, "lucid_tensor_set_grad")
    }
    try Tensor.from(tensor, "lucid_tensor_set_grad").setGradient(gradient)
  }
}

@_cdecl("lucid_tensor_retain_grad") @implementation
public func lucid_tensor_retain_grad(_ tensor: OpaquePointer!) -> lucid_status {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_retain_grad").retainGradient()
  }
}

/// What a hook of the host language needs, given back when the hook is dropped.
private final class HostHook: @unchecked Sendable {
  let hook: lucid_hook
  let payload: UnsafeMutableRawPointer?
  let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?

  init(
    _ hook: @escaping lucid_hook, _ payload: UnsafeMutableRawPointer?,
    _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?
  ) {
    (self.hook, self.payload, self.release) = (hook, payload, release)
  }

  deinit { release?(payload) }

  func call(_ gradient: Tensor) throws(LucidError) -> Tensor? {
    var failed: Int32 = 0
    let borrowed = OpaquePointer(Unmanaged.passUnretained(gradient).toOpaque())
    let result: OpaquePointer? = withExtendedLifetime(gradient) {
      hook(payload, borrowed, &failed)
    }
    guard failed == 0 else { throw LucidError(.runtime, "a gradient hook failed") }
    guard let result else { return nil }
    let replacement = try Tensor.from(result, "lucid_hook")
    defer { Tensor.release(result) }
    return replacement
  }
}

@_cdecl("lucid_tensor_add_hook") @implementation
public func lucid_tensor_add_hook(
  _ tensor: OpaquePointer!, _ hook: lucid_hook!, _ payload: UnsafeMutableRawPointer!,
  _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
  _ id: UnsafeMutablePointer<Int64>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let function = try required(hook, "lucid_tensor_add_hook", "hook")
    let target = try Tensor.from(tensor, "lucid_tensor_add_hook")
    guard target.requiresGrad else {
      throw LucidError(
        .runtime, "cannot register a hook on a tensor that doesn't require gradient")
    }
    let host = HostHook(function, payload, release)
    let number = try target.addHook { gradient throws(LucidError) in try host.call(gradient) }
    id?.pointee = number
  }
}

@_cdecl("lucid_tensor_remove_hook") @implementation
public func lucid_tensor_remove_hook(_ tensor: OpaquePointer!, _ id: Int64) -> lucid_status {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_remove_hook").removeHook(id)
  }
}

/// C strings that live as long as the process, one for each distinct name.
private enum StaticNames {
  private static let known = Mutex<[String: UInt]>([:])

  static func pointer(_ name: String) -> UnsafePointer<CChar>? {
    let address = known.withLock { table -> UInt in
      if let address = table[name] { return address }
      let bytes = name.utf8CString
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
      for (i, byte) in bytes.enumerated() { copy[i] = byte }
      let address = UInt(bitPattern: copy)
      table[name] = address
      return address
    }
    return UnsafePointer(bitPattern: address)
  }
}

@_cdecl("lucid_tensor_grad_fn_name") @implementation
public func lucid_tensor_grad_fn_name(_ tensor: OpaquePointer!) -> UnsafePointer<CChar>! {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_grad_fn_name").gradientFunctionName.flatMap {
      StaticNames.pointer($0)
    }
  }
}

@_cdecl("lucid_backward") @implementation
public func lucid_backward(
  _ outputs: UnsafePointer<OpaquePointer?>!, _ cotangents: UnsafePointer<OpaquePointer?>!,
  _ count: Int, _ flags: UInt32
) -> lucid_status {
  attempt { () throws(LucidError) in
    let outputs = try requiredTensors(outputs, count, "lucid_backward")
    try Tensor.backward(
      outputs, gradients: try optionalCotangents(cotangents, count, "lucid_backward"),
      options: BackwardOptions(rawValue: flags))
  }
}

/// Cotangents; a NULL array means none is given.
private func optionalCotangents(
  _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ function: StaticString
) throws(LucidError) -> [Tensor?] {
  handles == nil
    ? [Tensor?](repeating: nil, count: max(count, 0)) : try tensors(handles, count, function)
}

@_cdecl("lucid_gradients") @implementation
public func lucid_gradients(
  _ outputs: UnsafePointer<OpaquePointer?>!, _ cotangents: UnsafePointer<OpaquePointer?>!,
  _ count: Int, _ inputs: UnsafePointer<OpaquePointer?>!, _ input_count: Int, _ flags: UInt32,
  _ results: UnsafeMutablePointer<OpaquePointer?>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let outputs = try requiredTensors(outputs, count, "lucid_gradients")
    let inputs = try requiredTensors(inputs, input_count, "lucid_gradients")
    let cotangents = try optionalCotangents(cotangents, count, "lucid_gradients")
    let target: UnsafeMutablePointer<OpaquePointer?>? = results
    guard inputs.isEmpty || target != nil else {
      throw LucidError(.type, "lucid_gradients: results is NULL")
    }
    let made = try Tensor.gradients(
      of: outputs, cotangents: cotangents, inputs: inputs,
      options: BackwardOptions(rawValue: flags))
    for (i, gradient) in made.enumerated() { target?[i] = gradient?.handle() }
  }
}

@_cdecl("lucid_grad_mode_set") @implementation
public func lucid_grad_mode_set(_ mode: Int32) -> Int32 {
  let earlier = GradMode.current
  if let mode = GradMode(rawValue: mode) { GradMode.current = mode }
  return earlier.rawValue
}

@_cdecl("lucid_grad_mode") @implementation
public func lucid_grad_mode() -> Int32 { GradMode.current.rawValue }
