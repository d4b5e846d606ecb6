import CLucid
import LucidCore
import Synchronization

// The edge between C and Swift: the only place that turns errors into statuses and messages.

/// Runs a body that may fail; its error becomes this thread's message and the status.
func attempt(_ body: () throws(LucidError) -> Void) -> lucid_status {
  do {
    try body()
    return 0
  } catch {
    lucid_slot_fail(error.code.status, error.message)
    return error.code.status
  }
}

/// The same for functions that return a handle or another pointer, nil after an error.
func attempt<Result>(_ body: () throws(LucidError) -> Result?) -> Result? {
  do {
    return try body()
  } catch {
    lucid_slot_fail(error.code.status, error.message)
    return nil
  }
}

/// An object that C code can hold a reference to.
protocol Handle: AnyObject {
  /// What messages call it.
  static var noun: String { get }
}

extension Tensor: Handle { static var noun: String { "tensor" } }
extension Generator: Handle { static var noun: String { "generator" } }

/// How many references to tensors C code holds.
let liveTensors = Atomic<Int64>(0)

extension Handle {
  /// A new reference for the caller.
  func handle() -> OpaquePointer {
    if Self.self == Tensor.self { liveTensors.wrappingAdd(1, ordering: .relaxed) }
    return OpaquePointer(Unmanaged.passRetained(self).toOpaque())
  }

  /// The object behind a borrowed handle.
  static func from(_ handle: OpaquePointer?, _ function: StaticString) throws(LucidError) -> Self {
    guard let handle else {
      throw LucidError(.type, "\(function): the \(noun) is NULL")
    }
    return Unmanaged<Self>.fromOpaque(UnsafeRawPointer(handle)).takeUnretainedValue()
  }

  static func retain(_ handle: OpaquePointer?) {
    guard let handle else { return }
    if Self.self == Tensor.self { liveTensors.wrappingAdd(1, ordering: .relaxed) }
    _ = Unmanaged<Self>.fromOpaque(UnsafeRawPointer(handle)).retain()
  }

  static func release(_ handle: OpaquePointer?) {
    guard let handle else { return }
    if Self.self == Tensor.self { liveTensors.wrappingSubtract(1, ordering: .relaxed) }
    Unmanaged<Self>.fromOpaque(UnsafeRawPointer(handle)).release()
  }
}

/// Tensors from an array of borrowed handles; NULL entries give nil.
func tensors(
  _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ function: StaticString
) throws(LucidError) -> [Tensor?] {
  guard count > 0 else { return [] }
  guard let handles else { throw LucidError(.type, "\(function): the array of tensors is NULL") }
  guard count <= 1 << 24 else {
    throw LucidError(.value, "\(function): \(count) is no plausible number of tensors")
  }
  var out: [Tensor?] = []
  out.reserveCapacity(count)
  for i in 0..<count {
    out.append(
      try handles[i].map { handle throws(LucidError) in try Tensor.from(handle, function) })
  }
  return out
}

/// The same where every entry must be there.
func requiredTensors(
  _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ function: StaticString
) throws(LucidError) -> [Tensor] {
  var out: [Tensor] = []
  for (i, tensor) in try tensors(handles, count, function).enumerated() {
    guard let tensor else { throw LucidError(.type, "\(function): tensor \(i) is NULL") }
    out.append(tensor)
  }
  return out
}

/// A pointer that must not be NULL.
func required<Pointer>(
  _ pointer: Pointer?, _ function: StaticString, _ name: StaticString
) throws(LucidError) -> Pointer {
  guard let pointer else { throw LucidError(.type, "\(function): \(name) is NULL") }
  return pointer
}

func dtype(_ raw: Int32, _ function: StaticString) throws(LucidError) -> DType {
  guard let small = UInt8(exactly: raw), let dtype = DType(rawValue: small) else {
    throw LucidError(.dtype, "\(function): \(raw) is not the number of a dtype")
  }
  return dtype
}

func device(_ raw: Int32, _ function: StaticString) throws(LucidError) -> Device {
  guard let small = UInt8(exactly: raw), let device = Device(rawValue: small) else {
    throw LucidError(
      .device, "\(function): \(raw) is not the number of a device (0 cpu, 1 metal)")
  }
  guard device.isAvailable else {
    throw LucidError(.device, "\(function): device \(device) is not available here")
  }
  return device
}

/// The extents or strides that C passes.
func integers(
  _ values: UnsafePointer<Int64>?, rank: Int32, _ function: StaticString
) throws(LucidError) -> [Int] {
  guard rank >= 0, rank <= 16 else {
    throw LucidError(.shape, "\(function): rank \(rank) is not between 0 and 16")
  }
  guard rank > 0 else { return [] }
  let values = try required(values, function, "shape")
  return (0..<Int(rank)).map { Int(values[$0]) }
}

/// Copies a struct to the caller, as much of it as the caller knows.
func store<Value: BitwiseCopyable>(
  _ value: Value, to target: UnsafeMutablePointer<Value>, size: UInt32, _ function: StaticString
) throws(LucidError) {
  guard size >= 8 else {
    throw LucidError(.value, "\(function): struct_size is \(size); set it to sizeof the struct")
  }
  var value = value
  withUnsafeBytes(of: &value) { bytes in
    let count = min(Int(size), bytes.count)
    // struct_size stays the caller's.
    let body = UnsafeRawBufferPointer(rebasing: bytes[4..<count])
    UnsafeMutableRawPointer(target).advanced(by: 4).copyMemory(
      from: body.baseAddress ?? UnsafeRawPointer(target), byteCount: body.count)
  }
}
