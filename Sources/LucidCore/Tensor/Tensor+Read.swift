extension Tensor {
  /// Copies the elements, packed row-major, after waiting for them.
  public func read(into target: UnsafeMutableRawBufferPointer) throws(LucidError) {
    guard target.count == type.byteCount else {
      throw LucidError(
        .value,
        "read: room for \(target.count) bytes given, shape \(type.sizes) of \(dtype) has "
          + "\(type.byteCount)")
    }
    guard let address = target.baseAddress, let operand = try operand() else { return }
    var source = operand
    if operand.isTransposed {
      source = Operand(try StridedCopy.packed(operand.buffer, layout, type))
    }
    try source.buffer.wait()
    address.copyMemory(
      from: EngineHooks.address(of: source.buffer.mtl) + source.offset * dtype.size,
      byteCount: type.byteCount)
  }

  /// The elements as packed row-major bytes.
  public func bytes() throws(LucidError) -> [UInt8] {
    try elements(UInt8.self, count: type.byteCount)
  }

  /// The elements of a float32 tensor.
  public func floats() throws(LucidError) -> [Float] {
    guard dtype == .float32 else {
      throw LucidError(.dtype, "floats: the tensor has type \(dtype), expected float32")
    }
    return try elements(Float.self, count: elementCount)
  }

  /// The elements of an int64 tensor.
  public func integers() throws(LucidError) -> [Int64] {
    guard dtype == .int64 else {
      throw LucidError(.dtype, "integers: the tensor has type \(dtype), expected int64")
    }
    return try elements(Int64.self, count: elementCount)
  }

  private func elements<Element: BitwiseCopyable & ExpressibleByIntegerLiteral>(
    _ kind: Element.Type, count: Int
  ) throws(LucidError) -> [Element] {
    var out = [Element](repeating: 0, count: count)
    try out.withUnsafeMutableBufferPointer { elements throws(LucidError) in
      try read(into: UnsafeMutableRawBufferPointer(elements))
    }
    return out
  }

  /// The value of a tensor with one element, as a number.
  public func item() throws(LucidError) -> Double {
    guard elementCount == 1 else {
      throw LucidError(
        .runtime,
        "a Tensor with \(elementCount) elements cannot be converted to Scalar")
    }
    let wide = dtype == .float32 ? self : try withoutHistory().cast(to: .float32)
    return Double(try wide.floats()[0])
  }

  func cast(to dtype: DType) throws(LucidError) -> Tensor {
    if dtype == self.dtype { return self }
    return try Tensor.one("cast", [self], [.dtype(dtype)])
  }

  /// The result of an operation that has one.
  static func one(
    _ name: String, _ operands: [Tensor?], _ attributes: [Attribute] = []
  ) throws(LucidError) -> Tensor {
    guard let result = try apply(name, operands, attributes).first else {
      throw LucidError(.runtime, "\(name): no result")
    }
    return result
  }

  static func sum(_ a: Tensor, _ b: Tensor) throws(LucidError) -> Tensor {
    try one("add", [a, b])
  }
}
