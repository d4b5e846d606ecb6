import MetalPerformanceShaders

/// The elements of small integer tensors that follow from the graph alone: shapes, and what is
/// computed from them before they are used as the target of a reshape or a slice.
package enum IntegerValues {
  /// Shapes have up to 16 sizes; anything much longer is data.
  private static let limit = 64

  /// The first result's elements in row-major order; nil where they are not known.
  package static func evaluate(
    _ kind: OpKind, inputs: [TensorType], outputs: [TensorType], values: (Int) -> [Int]?
  ) -> [Int]? {
    guard let output = outputs.first, output.dtype.isInteger, let shape = output.shape,
      shape.count <= 1, shape.allSatisfy({ $0 >= 0 && $0 <= limit })
    else { return nil }
    let count = shape.first ?? 1

    switch kind {
    case .constant(let bytes):
      return read(bytes, count: count, dtype: output.dtype)
    case .splat(let value):
      return Int(exactly: value).map { [Int](repeating: $0, count: count) }
    case .coordinate:
      return shape.count == 1 ? Array(0..<count) : nil
    case .shapeOf:
      guard let dims = inputs[0].shape, !dims.contains(-1) else { return nil }
      return dims
    case .unary(.identity), .reshape, .reshapeTo, .expandDims, .squeeze:
      return values(0)
    case .cast:
      guard inputs[0].dtype.isInteger, let given = values(0) else { return nil }
      let range = bounds(output.dtype)
      return given.allSatisfy(range.contains) ? given : nil
    case .binary(let operation):
      return binary(operation, values(0), values(1), count: count, within: bounds(output.dtype))
    case .broadcast, .broadcastTo:
      guard let given = values(0) else { return nil }
      return given.count == 1 ? [Int](repeating: given[0], count: count) : given
    case .concat(_, interleave: false):
      var result: [Int] = []
      for index in inputs.indices {
        guard let part = values(index) else { return nil }
        result += part
      }
      return result
    case .slice(let spec):
      guard let given = values(0),
        let range = try? spec.ranges(of: [given.count]).first
      else { return nil }
      return (0..<range.length).map { given[range.start + $0 * range.stride] }
    case .gather(axis: 0, batchDimensions: 0):
      guard let given = values(0), inputs[0].shape?.count == 1, let indices = values(1),
        indices.allSatisfy(given.indices.contains)
      else { return nil }
      return indices.map { given[$0] }
    case .reduce(let operation, axes: [0]):
      guard let given = values(0), !given.isEmpty else { return nil }
      return reduce(operation, given, within: bounds(output.dtype)).map { [$0] }
    default:
      return nil
    }
  }

  private static func bounds(_ dtype: MPSDataType) -> ClosedRange<Int> {
    switch dtype {
    case .int8: Int(Int8.min)...Int(Int8.max)
    case .int16: Int(Int16.min)...Int(Int16.max)
    case .int32: Int(Int32.min)...Int(Int32.max)
    case .uInt8: 0...Int(UInt8.max)
    case .uInt16: 0...Int(UInt16.max)
    case .uInt32: 0...Int(UInt32.max)
    case .uInt64: 0...Int.max
    default: Int.min...Int.max
    }
  }

  private static func read(_ bytes: ConstantBytes, count: Int, dtype: MPSDataType) -> [Int]? {
    func load<T: FixedWidthInteger>(_: T.Type) -> [Int]? {
      var result: [Int] = []
      for index in 0..<count {
        let element = bytes.buffer.pointer.load(
          fromByteOffset: index * MemoryLayout<T>.size, as: T.self)
        guard let value = Int(exactly: element) else { return nil }
        result.append(value)
      }
      return result
    }
    return switch dtype {
    case .int8: load(Int8.self)
    case .int16: load(Int16.self)
    case .int32: load(Int32.self)
    case .int64: load(Int64.self)
    case .uInt8: load(UInt8.self)
    case .uInt16: load(UInt16.self)
    case .uInt32: load(UInt32.self)
    case .uInt64: load(UInt64.self)
    default: nil
    }
  }

  /// Nil where a result does not fit: kernels wrap around there, and shapes do not get that large.
  private static func binary(
    _ operation: BinaryOp, _ first: [Int]?, _ second: [Int]?, count: Int, within: ClosedRange<Int>
  ) -> [Int]? {
    guard let first, let second else { return nil }
    var result: [Int] = []
    for index in 0..<count {
      let a = first[first.count == 1 ? 0 : index]
      let b = second[second.count == 1 ? 0 : index]
      guard let value = apply(operation, a, b), within.contains(value) else { return nil }
      result.append(value)
    }
    return result
  }

  private static func apply(_ operation: BinaryOp, _ a: Int, _ b: Int) -> Int? {
    func checked(_ result: (partialValue: Int, overflow: Bool)) -> Int? {
      result.overflow ? nil : result.partialValue
    }
    switch operation {
    case .add: return checked(a.addingReportingOverflow(b))
    case .subtract: return checked(a.subtractingReportingOverflow(b))
    case .multiply: return checked(a.multipliedReportingOverflow(by: b))
    case .divide where a >= 0 && b > 0: return a / b
    case .minimum: return min(a, b)
    case .maximum: return max(a, b)
    default: return nil
    }
  }

  private static func reduce(_ operation: ReduceOp, _ values: [Int], within: ClosedRange<Int>)
    -> Int?
  {
    let combine: BinaryOp
    switch operation {
    case .sum: combine = .add
    case .product: combine = .multiply
    case .minimum: combine = .minimum
    case .maximum: combine = .maximum
    default: return nil
    }
    var result = values[0]
    for value in values.dropFirst() {
      guard let next = apply(combine, result, value), within.contains(next) else { return nil }
      result = next
    }
    return result
  }
}
