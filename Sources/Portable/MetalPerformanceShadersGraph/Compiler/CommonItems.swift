import CKernels

/// Finds items that were computed before from the same operands.
///
/// A backward pass often repeats parts of the forward pass; computed once, they also let the two
/// meet in one fused program.
struct CommonItems {
  private var known: [UInt64: Int32] = [:]
  private var splats: [UInt64: Int32] = [:]
  private var indices: [Int: Int32] = [:]

  /// An earlier item of this kind on these operands with an output of this type.
  func earlier(
    _ kind: Item.Kind, _ inputs: [Operand], _ dtype: ck_dtype, _ key: UInt64, _ lowering: Lowering
  ) -> Int32? {
    guard let index = known[key], let code = kind.code else { return nil }
    let item = lowering.items[Int(index)]
    guard let other = item.kind.code, code == other, item.inputs.count == inputs.count,
      lowering.roots[Int(item.outputs[0])].dtype == dtype
    else { return nil }
    for (a, b) in zip(item.inputs, inputs)
    where a.root != b.root || a.dtype != b.dtype || a.view != b.view { return nil }
    return index
  }

  mutating func record(_ item: Int32, _ key: UInt64) { known[key] = item }

  static func key(_ kind: Item.Kind, _ inputs: [Operand], _ dtype: ck_dtype) -> UInt64? {
    guard let code = kind.code else { return nil }
    var key = PackKey()
    key.add(code.tag)
    key.add(code.op)
    key.add(code.axes)
    key.add(Int(dtype.rawValue))
    for input in inputs {
      key.add(Int(input.root))
      key.add(input.view.offset)
      key.add(input.view.shape)
      key.add(input.view.strides)
    }
    return key.value
  }

  // MARK: Leaves

  func splat(_ value: Double, _ dtype: ck_dtype) -> Int32? {
    splats[value.bitPattern &* 31 &+ UInt64(dtype.rawValue)]
  }

  mutating func recordSplat(_ value: Double, _ dtype: ck_dtype, _ root: Int32) {
    splats[value.bitPattern &* 31 &+ UInt64(dtype.rawValue)] = root
  }

  func iota(_ count: Int) -> Int32? { indices[count] }
  mutating func recordIota(_ count: Int, _ root: Int32) { indices[count] = root }
}

extension Item.Kind {
  struct Code: Equatable {
    var tag: Int
    var op = 0
    var axes: [Int] = []
  }

  /// What tells this kind from others; nil for kinds that are not looked for.
  var code: Code? {
    switch self {
    case .copy: Code(tag: 0)
    case .unary(let op): Code(tag: 1, op: Int(op.rawValue))
    case .binary(let op): Code(tag: 2, op: Int(op.rawValue))
    case .select: Code(tag: 3)
    case .clamp: Code(tag: 4)
    case .cast: Code(tag: 5)
    case .bitcast: Code(tag: 6)
    case .reduce(let op, let axes): Code(tag: 7, op: Int(op.rawValue), axes: axes)
    case .argReduce(let largest, let axes): Code(tag: 8, op: largest ? 1 : 0, axes: axes)
    case .matmul(let order): Code(tag: 9, op: order == nil ? 0 : 1, axes: order ?? [])
    case .attention, .attentionGradient, .kernel, .none: nil
    }
  }
}
