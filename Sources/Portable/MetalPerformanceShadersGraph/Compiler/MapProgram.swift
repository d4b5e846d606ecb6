import CKernels

/// Builds the instructions of a fused program for the items of a group.
struct MapProgram {
  private let lowering: Lowering
  private let space: Space
  private let isUniform: [Bool]
  private let places: [Place]
  /// Strides over the program's dimensions of a view, in memory.
  private let strides: (StridedView, Bool) -> [Int]
  private(set) var insts: [ck_map_inst] = []
  private(set) var operands: [ck_operand] = []
  /// The instruction that makes a root's elements.
  private var values: [(root: Int32, value: Int32)] = []

  init(
    _ plan: Plan, _ space: Space, strides: @escaping (StridedView, _ uniform: Bool) -> [Int]
  ) {
    lowering = plan.lowering
    places = plan.places
    isUniform = plan.grouping.isUniform
    self.space = space
    self.strides = strides
  }

  // MARK: Instructions

  @discardableResult
  private mutating func emit(
    _ op: ck_map_op, _ a: Int32 = 0, _ b: Int32 = 0, _ c: Int32 = 0, integer: Int = 0,
    float: Double = 0
  ) -> Int32 {
    insts.append(
      ck_map_inst(op: op, a: a, b: b, c: c, imm_i: Int64(integer), imm_f: float))
    return Int32(insts.count - 1)
  }

  private mutating func constant(_ value: Double, _ type: ck_class) -> Int32 {
    let op: ck_map_op
    switch type {
    case CK_CLASS_F32: op = CK_MAP_CONST_F32
    case CK_CLASS_I32: op = CK_MAP_CONST_I32
    default: op = CK_MAP_CONST_I64
    }
    let integer = type == CK_CLASS_F32 ? 0 : Self.integer(value)
    for (index, inst) in insts.enumerated()
    where inst.op == op && inst.imm_f.bitPattern == value.bitPattern {
      return Int32(index)
    }
    return emit(op, integer: integer, float: value)
  }

  private static func integer(_ value: Double) -> Int {
    if value.isNaN { return 0 }
    return Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? Int.min : Int.max)
  }

  /// A product's result, in an epilogue.
  mutating func accumulate(_ root: Int32) {
    let value = emit(CK_MAP_ACCUMULATOR)
    define(root, rounded(value, lowering.roots[Int(root)].dtype))
  }

  private mutating func define(_ root: Int32, _ value: Int32) { values.append((root, value)) }

  func value(of root: Int32) -> Int32? {
    values.last { $0.root == root }?.value
  }

  /// `value` as the type holds it.
  private mutating func rounded(_ value: Int32, _ type: ck_dtype) -> Int32 {
    if type == CK_BOOL { return emit(CK_MAP_TO_BOOL, value) }
    return type.fillsClass ? value : emit(CK_MAP_ROUND, value, integer: Int(type.rawValue))
  }

  private mutating func converted(_ value: Int32, _ from: ck_dtype, _ to: ck_dtype) -> Int32 {
    if from == to { return value }
    if to == CK_BOOL { return emit(CK_MAP_TO_BOOL, value) }
    var result = value
    if from.computeClass != to.computeClass {
      switch to.computeClass {
      case CK_CLASS_F32: result = emit(CK_MAP_CAST_F32, value)
      case CK_CLASS_I32: result = emit(CK_MAP_CAST_I32, value)
      default: result = emit(CK_MAP_CAST_I64, value)
      }
    }
    let widens = from.isFloating == to.isFloating && from.bytes < to.bytes
    if widens && from.isFloating { return result }
    return to.fillsClass ? result : emit(CK_MAP_ROUND, result, integer: Int(to.rawValue))
  }

  // MARK: Operands

  private mutating func load(_ operand: Operand, uniform: Bool) -> Int32 {
    let root = lowering.roots[Int(operand.root)]
    switch root.source {
    case .splat(let value): return constant(value, operand.dtype.computeClass)
    case .iota: return index(operand.view, uniform: uniform)
    default: break
    }
    if let value = value(of: operand.root) { return value }
    let view = lowering.memoryView(operand)
    let place = places[Int(operand.root)]
    let steps = strides(view, uniform)
    var described = ck_operand()
    described.ref = ck_ref(
      slot: place.slot, offset: Int64(place.offset + view.offset * operand.dtype.bytes))
    described.dtype = operand.dtype
    setArray(&described.stride, steps)
    for inst in insts where inst.op == CK_MAP_LOAD {
      let other = operands[Int(inst.a)]
      if other.ref.slot == described.ref.slot, other.ref.offset == described.ref.offset,
        other.dtype == described.dtype,
        steps.enumerated().allSatisfy({ arrayValue(other.stride, $0.offset) == $0.element })
      {
        return Int32(insts.firstIndex { $0.op == CK_MAP_LOAD && $0.a == inst.a } ?? 0)
      }
    }
    operands.append(described)
    return emit(CK_MAP_LOAD, Int32(operands.count - 1))
  }

  /// The affine combination of indices that a view of 0, 1, 2, ... is.
  private mutating func index(_ view: StridedView, uniform: Bool) -> Int32 {
    var result: Int32 = -1
    for (dimension, step) in strides(view, uniform).enumerated() where step != 0 {
      var term = emit(CK_MAP_IOTA, integer: dimension)
      if step != 1 { term = emit(CK_MAP_MULTIPLY, term, constant(Double(step), CK_CLASS_I32)) }
      result = result < 0 ? term : emit(CK_MAP_ADD, result, term)
    }
    if result < 0 { return constant(Double(view.offset), CK_CLASS_I32) }
    if view.offset == 0 { return result }
    return emit(CK_MAP_ADD, result, constant(Double(view.offset), CK_CLASS_I32))
  }

  /// Writes a root's elements to its memory.
  mutating func store(_ root: Int32) {
    guard let value = value(of: root) else { return }
    let operand = Operand(
      root: root, dtype: lowering.roots[Int(root)].dtype,
      view: StridedView(whole: lowering.roots[Int(root)].shape))
    let place = places[Int(root)]
    var described = ck_operand()
    described.ref = ck_ref(slot: place.slot, offset: Int64(place.offset))
    described.dtype = operand.dtype
    setArray(&described.stride, strides(lowering.memoryView(operand), isUniform[Int(root)]))
    operands.append(described)
    emit(CK_MAP_STORE, value, Int32(operands.count - 1))
  }

  mutating func storeAccumulator(_ root: Int32) {
    if let value = value(of: root) { emit(CK_MAP_STORE_ACCUMULATOR, value) }
  }

  /// Bytes read and written.
  var bytes: Int {
    operands.reduce(0) { total, operand in
      var count = operand.dtype.bytes
      for (index, size) in space.dims.enumerated() where arrayValue(operand.stride, index) != 0 {
        count *= size
      }
      return total + count
    }
  }

  // MARK: Items

  mutating func add(_ item: Item) {
    let output = item.outputs[0]
    let type = lowering.roots[Int(output)].dtype
    let isReduction: Bool
    switch item.kind {
    case .reduce, .argReduce: isReduction = true
    default: isReduction = false
    }
    let uniform = isUniform[Int(output)] && !isReduction
    var inputs = item.inputs.map { load($0, uniform: uniform) }
    switch item.kind {
    case .copy: define(output, inputs[0])
    case .cast: define(output, converted(inputs[0], item.inputs[0].dtype, type))
    case .bitcast: define(output, bitcast(inputs[0], item.inputs[0].dtype, type))
    case .unary(let op): define(output, unary(op, inputs[0], item.inputs[0].dtype, type))
    case .binary(let op):
      let value = emit(ck_map_op(128 + UInt32(op.rawValue)), inputs[0], inputs[1])
      define(output, finished(value, op.isBoolean, type, exact: op.isExact))
    case .select:
      if item.inputs[0].dtype.computeClass != CK_CLASS_I32 {
        inputs[0] = emit(CK_MAP_TO_BOOL, inputs[0])
      }
      define(output, emit(CK_MAP_SELECT, inputs[0], inputs[1], inputs[2]))
    case .clamp: define(output, emit(CK_MAP_CLAMP, inputs[0], inputs[1], inputs[2]))
    case .reduce(let op, _):
      let value = emit(ck_map_op(192 + UInt32(op.rawValue)), inputs[0])
      let isBoolean = op == .and || op == .or
      define(output, finished(value, isBoolean, type, exact: op != .sum && op != .product))
    case .argReduce(let largest, _):
      let value = emit(largest ? CK_MAP_REDUCE_ARG_MAXIMUM : CK_MAP_REDUCE_ARG_MINIMUM, inputs[0])
      define(output, converted(value, CK_I32, type))
    case .matmul, .attention, .attentionGradient, .kernel, .none: break
    }
  }

  /// A result of the operand's class, or a bool, as a value of the output's type.
  private mutating func finished(
    _ value: Int32, _ isBoolean: Bool, _ type: ck_dtype, exact: Bool
  ) -> Int32 {
    if isBoolean { return type == CK_BOOL ? value : converted(value, CK_BOOL, type) }
    return exact ? value : rounded(value, type)
  }

  private mutating func unary(
    _ op: UnaryOp, _ input: Int32, _ from: ck_dtype, _ type: ck_dtype
  ) -> Int32 {
    var value = input
    if op == .populationCount {
      switch from {
      case CK_I8: value = emit(CK_MAP_ROUND, value, integer: Int(CK_U8.rawValue))
      case CK_I16: value = emit(CK_MAP_ROUND, value, integer: Int(CK_U16.rawValue))
      default: break
      }
    }
    value = emit(ck_map_op(64 + UInt32(op.rawValue)), value)
    if op.isBoolean { return type == CK_BOOL ? value : converted(value, CK_BOOL, type) }
    let exact = from.isFloating && op.isExactOnFloats
    return exact ? value : rounded(value, type)
  }

  private mutating func bitcast(_ input: Int32, _ from: ck_dtype, _ to: ck_dtype) -> Int32 {
    if to.isFloating {
      let bits = from.computeClass == CK_CLASS_I64 ? emit(CK_MAP_CAST_I32, input) : input
      return emit(CK_MAP_BITCAST_F32, bits)
    }
    var bits = from.isFloating ? emit(CK_MAP_BITCAST_I32, input) : input
    if to.computeClass == CK_CLASS_I64 {
      if from.computeClass != CK_CLASS_I64 { bits = emit(CK_MAP_CAST_I64, bits) }
      bits = emit(CK_MAP_ROUND, bits, integer: Int(to.rawValue))
    } else if from.computeClass == CK_CLASS_I64 {
      bits = emit(CK_MAP_CAST_I32, bits)
    }
    return bits
  }

  /// Compiles the program; traps with what is wrong if the kernels refuse it.
  func compiled(epilogueDims: [Int]? = nil) -> OpaquePointer {
    insts.withUnsafeBufferPointer { insts in
      operands.withUnsafeBufferPointer { operands in
        var description = ck_map_desc()
        let dims = epilogueDims ?? space.dims
        description.rank = Int32(dims.count)
        setArray(&description.dims, dims)
        description.reduced = space.reduced
        description.epilogue = epilogueDims == nil ? 0 : 1
        description.operand_count = Int32(operands.count)
        description.inst_count = Int32(insts.count)
        description.operands = operands.baseAddress
        description.insts = insts.baseAddress
        guard let program = ck_map_create(&description) else {
          let reason = ck_map_check(&description).map { String(cString: $0) } ?? "out of memory"
          preconditionFailure("MPSGraph: a fused program is invalid: \(reason)")
        }
        return program
      }
    }
  }
}

/// Writes the leading elements of a C array of int64.
func setArray<Tuple>(_ tuple: inout Tuple, _ values: [Int]) {
  withUnsafeMutableBytes(of: &tuple) { bytes in
    let array = bytes.bindMemory(to: Int64.self)
    for (index, value) in values.enumerated() { array[index] = Int64(value) }
  }
}

func arrayValue<Tuple>(_ tuple: Tuple, _ index: Int) -> Int {
  withUnsafeBytes(of: tuple) { Int($0.bindMemory(to: Int64.self)[index]) }
}

extension BinaryOp {
  /// The result is a bool whatever the operands are.
  var isBoolean: Bool { rawValue >= BinaryOp.equal.rawValue && rawValue <= BinaryOp.xnor.rawValue }
  /// The result is one of the operands.
  var isExact: Bool {
    rawValue >= BinaryOp.minimum.rawValue && rawValue <= BinaryOp.maximumNaN.rawValue
  }
}

extension UnaryOp {
  var isBoolean: Bool {
    switch self {
    case .signbit, .not, .isInfinite, .isFinite, .isNaN: true
    default: false
    }
  }
  /// A result that any floating type of the operand holds.
  var isExactOnFloats: Bool {
    switch self {
    case .identity, .negative, .absolute, .sign, .relu, .ceil, .floor, .round, .rint, .truncate:
      true
    default: false
    }
  }
}
