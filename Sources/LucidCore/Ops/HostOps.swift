/// Operations whose result sizes depend on values: they run on the host, outside of graphs.
enum HostOps {
  static let all: [OpDef] = [
    OpDef(
      "nonzero", OpDoc("The positions of nonzero elements, one row each, in row-major order."),
      operands: [OperandDef("input")],
      .host { c throws(LucidError) in
        let x = c.inputs[0]
        var rows: [Int64] = []
        var position = [Int64](repeating: 0, count: x.shape.count)
        x.forEachTruth { _, isTrue in
          if isTrue { rows += position }
          advance(&position, x.shape)
        }
        let width = x.shape.count
        let count = width == 0 ? x.count { $0 } : rows.count / width
        return [HostArray(shape: [count, width], int64: rows)]
      }),
    OpDef(
      "masked_select",
      OpDoc(
        "The elements where the mask holds, in row-major order.",
        ["mask is bool.", "The shapes of input and mask are equal."]),
      operands: [OperandDef("input"), OperandDef("mask")],
      .host { c throws(LucidError) in
        let (x, mask) = (c.inputs[0], c.inputs[1])
        guard mask.dtype == .bool else {
          throw LucidError(.dtype, "masked_select: the mask has type \(mask.dtype) (C1)")
        }
        guard mask.shape == x.shape else {
          throw LucidError(
            .shape, "masked_select: shapes \(Shape(x.shape)) and \(Shape(mask.shape)) (C2)")
        }
        var bytes: [UInt8] = []
        let size = x.dtype.size
        mask.forEachTruth { i, isTrue in
          if isTrue { bytes += x.bytes[(i * size)..<((i + 1) * size)] }
        }
        return [HostArray(shape: [bytes.count / size], dtype: x.dtype, bytes: bytes)]
      }),
    OpDef(
      "unique",
      OpDoc(
        "The distinct elements in order, where each element of input is among them, and how often they occur. NaN counts as distinct each time."
      ),
      operands: [OperandDef("input")], resultCount: 3,
      .host { c throws(LucidError) in
        let x = c.inputs[0]
        let keys = x.sortKeys()
        let order = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
        return distinct(x, order) { a, b in keys[a] == keys[b] && !x.isNaN(a) }
      }),
    OpDef(
      "unique_consecutive",
      OpDoc("unique, but only neighbours of the flat tensor count as equal."),
      operands: [OperandDef("input")], resultCount: 3,
      .host { c throws(LucidError) in
        let x = c.inputs[0]
        let keys = x.sortKeys()
        return distinct(x, Array(keys.indices)) { a, b in keys[a] == keys[b] && !x.isNaN(a) }
      }),
    OpDef(
      "bincount",
      OpDoc(
        "How often each number from 0 up to the largest (or minlength - 1) occurs.",
        ["input is a vector of non-negative integers.", "minlength is not negative."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("minlength", .int, default: .int(0))],
      .host { c throws(LucidError) in
        let x = c.inputs[0]
        guard x.shape.count == 1, !x.dtype.isFloatingPoint, x.dtype != .bool else {
          throw LucidError(
            .value, "bincount: \(x.dtype)\(Shape(x.shape)) is no vector of integers (C1)")
        }
        let numbers = x.integers()
        let least = c.attributes.int(0)
        guard least >= 0, least < 1 << 31 else {
          throw LucidError(.value, "bincount: minlength is \(least) (C2)")
        }
        guard numbers.allSatisfy({ $0 >= 0 && $0 < 1 << 31 }) else {
          throw LucidError(.value, "bincount: a number is negative or too large (C1)")
        }
        var counts = [Int64](repeating: 0, count: max(Int(numbers.max() ?? -1) + 1, least))
        for number in numbers { counts[Int(number)] += 1 }
        return [HostArray(shape: [counts.count], int64: counts)]
      }),
    OpDef(
      "repeat_positions",
      OpDoc(
        "Each position i of repeats, repeats[i] times: what repeat_interleave selects.",
        ["repeats is a vector of non-negative integers."]),
      operands: [OperandDef("repeats")],
      .host { c throws(LucidError) in
        let x = c.inputs[0]
        let numbers = x.integers()
        guard x.shape.count == 1, !x.dtype.isFloatingPoint,
          numbers.allSatisfy({ $0 >= 0 && $0 < 1 << 31 })
        else { throw LucidError(.value, "repeat_positions: repeats are not counts (C1)") }
        var out: [Int64] = []
        for (i, number) in numbers.enumerated() {
          out += [Int64](repeating: Int64(i), count: Int(number))
        }
        return [HostArray(shape: [out.count], int64: out)]
      }),
  ]

  private static func advance(_ position: inout [Int64], _ shape: [Int]) {
    for axis in position.indices.reversed() {
      position[axis] += 1
      if position[axis] < Int64(shape[axis]) { return }
      position[axis] = 0
    }
  }

  /// Runs of equal elements along an order: first elements, the run of each element, run lengths.
  private static func distinct(
    _ x: HostArray, _ order: [Int], _ equal: (Int, Int) -> Bool
  ) -> [HostArray] {
    let size = x.dtype.size
    var bytes: [UInt8] = []
    var inverse = [Int64](repeating: 0, count: order.count)
    var counts: [Int64] = []
    for (place, i) in order.enumerated() {
      if place == 0 || !equal(order[place - 1], i) {
        bytes += x.bytes[(i * size)..<((i + 1) * size)]
        counts.append(0)
      }
      counts[counts.count - 1] += 1
      inverse[i] = Int64(counts.count - 1)
    }
    return [
      HostArray(shape: [counts.count], dtype: x.dtype, bytes: bytes),
      HostArray(shape: x.shape, int64: inverse), HostArray(shape: [counts.count], int64: counts),
    ]
  }
}

extension HostArray {
  fileprivate init(shape: [Int], int64 values: [Int64]) {
    self.init(shape: shape, dtype: .int64, bytes: values.withUnsafeBytes { Array($0) })
  }

  private var elementCount: Int { bytes.count / dtype.size }

  private func word(_ i: Int) -> UInt64 {
    var word: UInt64 = 0
    for byte in 0..<dtype.size { word |= UInt64(bytes[i * dtype.size + byte]) << (8 * byte) }
    return word
  }

  /// Whether each element differs from 0; -0.0 does not.
  fileprivate func forEachTruth(_ body: (Int, Bool) -> Void) {
    let sign: UInt64 = dtype.isFloatingPoint ? 1 << (8 * dtype.size - 1) : 0
    for i in 0..<elementCount { body(i, word(i) & ~sign != 0) }
  }

  fileprivate func count(_ test: (Bool) -> Bool) -> Int {
    var total = 0
    forEachTruth { _, isTrue in if test(isTrue) { total += 1 } }
    return total
  }

  /// Integers whose order is that of the elements, NaN last and -0.0 equal to 0.0.
  fileprivate func sortKeys() -> [Int64] {
    if !dtype.isFloatingPoint { return integers() }
    let sign: UInt64 = 1 << (8 * dtype.size - 1)
    return (0..<elementCount).map { i in
      if isNaN(i) { return .max }
      let magnitude = Int64(word(i) & ~sign)
      return word(i) & sign == 0 ? magnitude : -magnitude
    }
  }

  fileprivate func isNaN(_ i: Int) -> Bool {
    switch dtype {
    case .float32: Float(bitPattern: UInt32(truncatingIfNeeded: word(i))).isNaN
    case .float16: word(i) & 0x7FFF > 0x7C00
    case .bfloat16: word(i) & 0x7FFF > 0x7F80
    default: false
    }
  }

  fileprivate func integers() -> [Int64] {
    (0..<elementCount).map { i in
      switch dtype {
      case .int8: Int64(Int8(truncatingIfNeeded: word(i)))
      case .int16: Int64(Int16(truncatingIfNeeded: word(i)))
      case .int32: Int64(Int32(truncatingIfNeeded: word(i)))
      default: Int64(truncatingIfNeeded: word(i))
      }
    }
  }
}
