import CLucid
import LucidCore

@_cdecl("lucid_tensor_describe") @implementation
public func lucid_tensor_describe(
  _ tensor: OpaquePointer!, _ info: UnsafeMutablePointer<lucid_tensor_info>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let tensor = try Tensor.from(tensor, "lucid_tensor_describe")
    let target = try required(info, "lucid_tensor_describe", "info")
    var out = lucid_tensor_info()
    out.dtype = Int32(tensor.dtype.rawValue)
    out.device = Int32(tensor.device.rawValue)
    out.rank = Int32(tensor.rank)
    out.is_contiguous = tensor.isContiguous ? 1 : 0
    out.is_leaf = tensor.isLeaf ? 1 : 0
    out.requires_grad = tensor.requiresGrad ? 1 : 0
    out.is_view = tensor.isView ? 1 : 0
    out.is_traced = tensor.isTraced ? 1 : 0
    out.is_weak = tensor.isWeak ? 1 : 0
    out.has_grad_fn = tensor.requiresGrad && !tensor.isLeaf ? 1 : 0
    out.version = Int64(tensor.version)
    out.element_count = Int64(tensor.elementCount)
    out.storage_offset = Int64(tensor.storageOffset)
    out.storage_id = tensor.storageID
    set(&out.shape, tensor.shape)
    set(&out.strides, tensor.strides)
    if let extents = tensor.symbolicExtents {
      set(&out.batch_coefficient, extents.map(\.coefficient))
      set(&out.batch_constant, extents.map(\.constant))
    } else {
      out.batch_constant = out.shape
    }
    try store(out, to: target, size: target.pointee.struct_size, "lucid_tensor_describe")
  }
}

/// Fills a C array, which Swift sees as a tuple.
private func set<Field: BitwiseCopyable>(_ field: inout Field, _ values: [Int]) {
  withUnsafeMutableBytes(of: &field) { bytes in
    for (i, value) in values.enumerated() where (i + 1) * 8 <= bytes.count {
      bytes.storeBytes(of: Int64(value), toByteOffset: i * 8, as: Int64.self)
    }
  }
}

@_cdecl("lucid_tensor_retain") @implementation
public func lucid_tensor_retain(_ tensor: OpaquePointer!) { Tensor.retain(tensor) }

@_cdecl("lucid_tensor_release") @implementation
public func lucid_tensor_release(_ tensor: OpaquePointer!) { Tensor.release(tensor) }

@_cdecl("lucid_tensor_create") @implementation
public func lucid_tensor_create(
  _ dtype: Int32, _ rank: Int32, _ shape: UnsafePointer<Int64>!, _ device: Int32,
  _ data: UnsafeRawPointer!, _ byte_count: Int
) -> OpaquePointer! {
  let name: StaticString = "lucid_tensor_create"
  return attempt { () throws(LucidError) in
    let shape = try integers(shape, rank: rank, name)
    guard byte_count >= 0 else {
      throw LucidError(.value, "lucid_tensor_create: the byte count is too large")
    }
    let bytes: UnsafeRawPointer? = data
    return try Tensor(
      copying: bytes.map { UnsafeRawBufferPointer(start: $0, count: byte_count) }, shape: shape,
      dtype: try LucidCABI.dtype(dtype, name), device: try LucidCABI.device(device, name)
    ).handle()
  }
}

@_cdecl("lucid_tensor_import") @implementation
public func lucid_tensor_import(
  _ data: UnsafeMutableRawPointer!, _ byte_count: Int, _ dtype: Int32, _ rank: Int32,
  _ shape: UnsafePointer<Int64>!, _ strides: UnsafePointer<Int64>!, _ device: Int32,
  _ writable: Int32, _ release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)!,
  _ payload: UnsafeMutableRawPointer!
) -> OpaquePointer! {
  let name: StaticString = "lucid_tensor_import"
  nonisolated(unsafe) let payload: UnsafeMutableRawPointer? = payload
  let release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = release
  let owner = HostMemory { release?(payload) }
  return attempt { () throws(LucidError) in
    let shape = try integers(shape, rank: rank, name)
    let given: UnsafePointer<Int64>? = strides
    let strides = given == nil ? nil : try integers(given, rank: rank, name)
    guard byte_count >= 0 else {
      throw LucidError(.value, "lucid_tensor_import: the byte count is too large")
    }
    return try Tensor.importing(
      data, byteCount: byte_count, shape: shape, strides: strides,
      dtype: try LucidCABI.dtype(dtype, name), device: try LucidCABI.device(device, name),
      isWritable: writable != 0, owner: owner
    ).handle()
  }
}

@_cdecl("lucid_tensor_number") @implementation
public func lucid_tensor_number(_ dtype: Int32, _ value: Double, _ integer: Int64) -> OpaquePointer!
{
  attempt { () throws(LucidError) in
    switch try LucidCABI.dtype(dtype, "lucid_tensor_number") {
    case .bool: return try Tensor.number(integer != 0).handle()
    case .int64: return try Tensor.number(integer).handle()
    case .float32: return try Tensor.number(value).handle()
    case let other:
      throw LucidError(
        .dtype, "lucid_tensor_number: a number has type bool, int64 or float32, not \(other)")
    }
  }
}

@_cdecl("lucid_tensor_read") @implementation
public func lucid_tensor_read(
  _ tensor: OpaquePointer!, _ destination: UnsafeMutableRawPointer!, _ byte_count: Int
) -> lucid_status {
  attempt { () throws(LucidError) in
    let tensor = try Tensor.from(tensor, "lucid_tensor_read")
    let address: UnsafeMutableRawPointer? = destination
    guard byte_count == 0 || address != nil else {
      throw LucidError(.type, "lucid_tensor_read: destination is NULL")
    }
    guard byte_count >= 0 else {
      throw LucidError(.value, "lucid_tensor_read: the byte count is too large")
    }
    try tensor.read(into: UnsafeMutableRawBufferPointer(start: address, count: byte_count))
  }
}

@_cdecl("lucid_tensor_export") @implementation
public func lucid_tensor_export(
  _ tensor: OpaquePointer!, _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let tensor = try Tensor.from(tensor, "lucid_tensor_export")
    let target = try required(data, "lucid_tensor_export", "data")
    target.pointee = try tensor.beginExport()
  }
}

@_cdecl("lucid_tensor_unexport") @implementation
public func lucid_tensor_unexport(_ tensor: OpaquePointer!) {
  guard let tensor = try? Tensor.from(tensor, "lucid_tensor_unexport") else { return }
  tensor.endExport()
}

@_cdecl("lucid_tensor_mark_written") @implementation
public func lucid_tensor_mark_written(_ tensor: OpaquePointer!) -> lucid_status {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_mark_written").markWritten()
  }
}

@_cdecl("lucid_tensor_assign") @implementation
public func lucid_tensor_assign(_ destination: OpaquePointer!, _ source: OpaquePointer!)
  -> lucid_status
{
  attempt { () throws(LucidError) in
    try Tensor.from(destination, "lucid_tensor_assign").assign(
      try Tensor.from(source, "lucid_tensor_assign"))
  }
}

@_cdecl("lucid_tensor_set_data") @implementation
public func lucid_tensor_set_data(_ tensor: OpaquePointer!, _ source: OpaquePointer!)
  -> lucid_status
{
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_set_data").setData(
      try Tensor.from(source, "lucid_tensor_set_data"))
  }
}

@_cdecl("lucid_tensor_detach") @implementation
public func lucid_tensor_detach(_ tensor: OpaquePointer!) -> OpaquePointer! {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_detach").detach().handle()
  }
}

@_cdecl("lucid_tensor_to_device") @implementation
public func lucid_tensor_to_device(_ tensor: OpaquePointer!, _ device: Int32) -> OpaquePointer! {
  attempt { () throws(LucidError) in
    try Tensor.from(tensor, "lucid_tensor_to_device").to(
      try LucidCABI.device(device, "lucid_tensor_to_device")
    ).handle()
  }
}

@_cdecl("lucid_apply") @implementation
public func lucid_apply(
  _ op: UInt32, _ operands: UnsafePointer<OpaquePointer?>!, _ operand_count: Int,
  _ attributes: UnsafeRawPointer!, _ attribute_bytes: Int,
  _ results: UnsafeMutablePointer<OpaquePointer?>!, _ capacity: Int,
  _ result_count: UnsafeMutablePointer<Int>!
) -> lucid_status {
  attempt { () throws(LucidError) in
    let operandArray: UnsafePointer<OpaquePointer?>? = operands
    let bytes: UnsafeRawPointer? = attributes
    guard operand_count >= 0, operand_count <= 1 << 16, operand_count == 0 || operandArray != nil
    else {
      throw LucidError(.value, "lucid_apply: the operand array is NULL or too long")
    }
    guard attribute_bytes >= 0, attribute_bytes <= 1 << 24, attribute_bytes == 0 || bytes != nil
    else {
      throw LucidError(.value, "lucid_apply: the attribute bytes are NULL or too many")
    }
    guard let id = UInt16(exactly: op) else {
      throw LucidError(.value, "lucid_apply: \(op) is not the number of an operation")
    }
    // A handle is a retained object pointer, so the array is one of optional tensors.
    let given = UnsafeBufferPointer(
      start: UnsafeRawPointer(operandArray)?.assumingMemoryBound(to: Tensor?.self),
      count: operand_count)
    let made = try Tensor.apply(
      OpID(id), given, UnsafeRawBufferPointer(start: bytes, count: attribute_bytes))
    try give(made, results, capacity, result_count, "lucid_apply")
  }
}

/// Hands results out, one reference each.
private func give(
  _ made: OpResults, _ results: UnsafeMutablePointer<OpaquePointer?>?, _ capacity: Int,
  _ resultCount: UnsafeMutablePointer<Int>?, _ function: StaticString
) throws(LucidError) {
  guard made.count <= capacity, made.count == 0 || results != nil else {
    throw LucidError(
      .value, "\(function): \(made.count) results do not fit an array of \(capacity)")
  }
  resultCount?.pointee = made.count
  guard let results else { return }
  if made.count == 1 {
    results[0] = made.first?.handle()
  } else {
    for (i, tensor) in made.all.enumerated() { results[i] = tensor.handle() }
  }
}
