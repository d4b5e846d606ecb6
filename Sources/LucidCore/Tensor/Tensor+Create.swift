import Synchronization

extension Tensor {
  /// A tensor with a copy of packed row-major bytes, or zeros if `bytes` is nil.
  public convenience init(
    copying bytes: UnsafeRawBufferPointer?, shape: [Int], dtype: DType, device: Device = .cpu
  ) throws(LucidError) {
    let type = try ConcreteType.of(shape, dtype)
    if let bytes, bytes.count != type.byteCount {
      throw LucidError(
        .value,
        "tensor: \(bytes.count) bytes given, shape \(type.sizes) of \(dtype) has \(type.byteCount)")
    }
    let contents: Storage.Contents =
      type.elementCount == 0
      ? .empty : .buffer(try Buffer.make(type, copying: bytes?.baseAddress))
    self.init(Storage(contents), type, device: device)
  }

  /// A tensor with a copy of packed row-major bytes.
  public convenience init(
    bytes: [UInt8], shape: [Int], dtype: DType, device: Device = .cpu
  ) throws(LucidError) {
    let tensor = try Tensor.make(bytes, shape: shape, dtype: dtype, device: device)
    self.init(tensor.storage, tensor.type, device: device)
  }

  /// A float32 tensor of the given elements, of rank 1 if no shape is given.
  public convenience init(
    _ values: [Float], shape: [Int]? = nil, device: Device = .cpu
  ) throws(LucidError) {
    let tensor = try Tensor.make(
      values, shape: shape ?? [values.count], dtype: .float32, device: device)
    self.init(tensor.storage, tensor.type, device: device)
  }

  /// An int64 tensor of the given elements, of rank 1 if no shape is given.
  public convenience init(
    integers values: [Int64], shape: [Int]? = nil, device: Device = .cpu
  ) throws(LucidError) {
    let tensor = try Tensor.make(
      values, shape: shape ?? [values.count], dtype: .int64, device: device)
    self.init(tensor.storage, tensor.type, device: device)
  }

  static func make<Element: BitwiseCopyable>(
    _ values: [Element], shape: [Int], dtype: DType, device: Device
  ) throws(LucidError) -> Tensor {
    try values.withUnsafeBufferPointer { values throws(LucidError) in
      try Tensor(
        copying: UnsafeRawBufferPointer(values), shape: shape, dtype: dtype, device: device)
    }
  }

  /// A tensor filled with zeros.
  public static func zeros(
    _ shape: [Int], dtype: DType = .float32, device: Device = .cpu
  ) throws(LucidError) -> Tensor {
    try Tensor(copying: nil, shape: shape, dtype: dtype, device: device)
  }

  /// A tensor filled with ones.
  public static func ones(
    _ shape: [Int], dtype: DType = .float32, device: Device = .cpu
  ) throws(LucidError) -> Tensor {
    try full(shape, 1, dtype: dtype, device: device)
  }

  /// A tensor filled with one value.
  public static func full(
    _ shape: [Int], _ value: Double, dtype: DType = .float32, device: Device = .cpu
  ) throws(LucidError) -> Tensor {
    let results = try apply(
      "full", [], [.dims(shape.map { Dim($0) }), .float(value), .dtype(dtype), .none])
    guard let tensor = results.first else {
      throw LucidError(.runtime, "full: no result")
    }
    return device == .cpu ? tensor : try tensor.to(device)
  }

  /// A rank-0 tensor that stands for a plain number: its type yields in promotion.
  public static func number(_ value: Double) throws(LucidError) -> Tensor {
    try Numbers.tensor(.float32, bits: UInt64(Float(value).bitPattern))
  }

  public static func number(_ value: Int64) throws(LucidError) -> Tensor {
    try Numbers.tensor(.int64, bits: UInt64(bitPattern: value))
  }

  public static func number(_ value: Bool) throws(LucidError) -> Tensor {
    try Numbers.tensor(.bool, bits: value ? 1 : 0)
  }
}

/// The memory of plain numbers. The same few come again and again, and nobody can write to them.
private enum Numbers {
  private static let capacity = 1024

  private struct Key: Hashable {
    let dtype: DType
    let bits: UInt64
  }

  private static let known = Mutex<[Key: Buffer]>([:])

  static func tensor(_ dtype: DType, bits: UInt64) throws(LucidError) -> Tensor {
    let type = try ConcreteType.of([], dtype, isWeak: true)
    let key = Key(dtype: dtype, bits: bits)
    if let buffer = known.withLock({ $0[key] }) {
      return Tensor(Storage(buffer), type, device: .cpu)
    }
    let buffer = try withUnsafeBytes(of: bits.littleEndian) { bytes throws(LucidError) in
      try Buffer.make(type, copying: bytes.baseAddress)
    }
    known.withLock { table in
      if table.count >= capacity { table = [:] }
      table[key] = buffer
    }
    return Tensor(Storage(buffer), type, device: .cpu)
  }
}
