import CKernels
import Metal

/// Bytes derived from a weight that a kernel reads faster; made when the same contents are seen
/// again.
struct Pack {
  enum Source {
    case feed(Int)
    case constant(PortableBuffer)
  }
  var source: Source
  /// The slot that holds the packed form's address, or NULL.
  var slot: Int32
  var bytes: Int
  /// Tells one packed form of a buffer from the others.
  var key: UInt64
  /// Writes the packed form; `slots` has the source's address in its slot.
  var write: (_ packed: UnsafeMutableRawPointer, _ source: UnsafeMutableRawPointer) -> Void
}

extension Emitter {
  /// A product with what is computed on its result.
  func emitAnchored(_ group: Int32) {
    let anchor = plan.grouping.groups[Int(group)].anchor
    let item = plan.lowering.items[Int(anchor)]
    guard let primary = plan.primaryResult(of: group) else { return }
    let epilogue = epilogue(group, item, primary)
    switch item.kind {
    case .kernel(.conv2D(let spec)): emitConvolution(item, spec, primary, epilogue)
    default: emitProduct(item, primary, epilogue)
    }
  }

  /// What follows a product: the kernels' own bias and relu where that says it all, else a program.
  struct Epilogue {
    var bias: ck_operand?
    /// The bias has one value per row, not per column.
    var biasIsPerRow = false
    var relu = false
    var program: OpaquePointer?
    var names: [String] = []
  }

  private func epilogue(_ group: Int32, _ anchor: Item, _ primary: Int32) -> Epilogue {
    let members = plan.items(of: group)
    let anchorRoot = anchor.outputs[0]
    if members.count == 1 { return Epilogue() }
    let segments = AnchorRules.segments(of: anchor, plan.lowering)
    let space = plan.grouping.groups[Int(group)].space
    var program = MapProgram(plan, space) { view, _ in
      guard let strides = AnchorRules.epilogueStrides(view, space, segments) else {
        preconditionFailure("MPSGraph: an epilogue operand has no strides")
      }
      return strides
    }
    program.accumulate(anchorRoot)
    for member in members where member != plan.grouping.groups[Int(group)].anchor {
      program.add(plan.lowering.items[Int(member)])
    }
    for member in members {
      let output = plan.lowering.items[Int(member)].outputs[0]
      if output != primary, plan.isStored[Int(output)] { program.store(output) }
    }
    program.storeAccumulator(primary)
    var result = Epilogue()
    result.names = members.map { plan.lowering.items[Int($0)].name }
    if let simple = Self.biasAndRelu(program) { return simple.named(result.names) }
    var dims = [1, 1, 1]
    for segment in segments { dims[segment.role] *= segment.count }
    let compiled = program.compiled(epilogueDims: dims)
    maps.append(compiled)
    result.program = compiled
    return result
  }

  /// Recognises accumulator + float32 vector, perhaps with relu.
  private static func biasAndRelu(_ program: MapProgram) -> Epilogue? {
    var rest = program.insts[...]
    var result = Epilogue()
    var value: Int32 = 0
    guard rest.popFirst()?.op == CK_MAP_ACCUMULATOR else { return nil }
    if rest.first?.op == CK_MAP_LOAD {
      let vector = program.operands[0]
      rest.removeFirst()
      guard let sum = rest.popFirst(), sum.op == CK_MAP_ADD, sum.a + sum.b == 1, sum.a != sum.b,
        vector.dtype == CK_F32, arrayValue(vector.stride, 0) == 0
      else { return nil }
      if arrayValue(vector.stride, 1) != 0 {
        guard arrayValue(vector.stride, 2) == 0 else { return nil }
        result.biasIsPerRow = true
      }
      result.bias = vector
      value = 2
    }
    if let next = rest.first, next.op == CK_MAP_RELU, next.a == value {
      rest.removeFirst()
      result.relu = true
      value += 1
    }
    guard let last = rest.popFirst(), last.op == CK_MAP_STORE_ACCUMULATOR, last.a == value,
      rest.isEmpty
    else { return nil }
    return result
  }

  /// A product whose result is written as it is.
  func emitPlainProduct(_ item: Item) {
    emitProduct(item, item.outputs[0], Epilogue())
  }

  private func emitProduct(_ item: Item, _ primary: Int32, _ epilogue: Epilogue) {
    let (a, b) = (item.inputs[0], item.inputs[1])
    let (aRef, aView) = memory(a)
    let (bRef, bView) = memory(b)
    let target = memory(primary)
    let shape = root(item.outputs[0]).shape
    guard var cView = target.view.reshaped(to: shape) else {
      preconditionFailure("MPSGraph: a product is written where it does not fit")
    }
    if case .matmul(.some(let order)) = item.kind { cView = cView.transposed(order) }
    let gemm = GemmShape(a: aView, b: bView, c: cView)
    let limit = Int(CK_GEMM_BATCH)
    // More batch axes than the kernel counts: one step per outer position.
    let outer = max(0, gemm.batch.count - limit)
    let outerCount = gemm.batch[..<outer].product
    precondition(
      outer == 0 || epilogue.program == nil,
      "MPSGraph.matrixMultiplication: more than \(limit) separate batch axes in \(shape)")
    for position in 0..<outerCount {
      let params = arena.allocate(ck_gemm_params.self)
      params.pointee.m = Int64(gemm.m)
      params.pointee.n = Int64(gemm.n)
      params.pointee.k = Int64(gemm.k)
      let batch = Array(gemm.batch[outer...])
      setArray(&params.pointee.batch, [Int](repeating: 1, count: limit - batch.count) + batch)
      params.pointee.a = matrix(aRef, a.dtype, gemm.a, gemm, outer, position)
      params.pointee.b = matrix(bRef, b.dtype, gemm.b, gemm, outer, position)
      params.pointee.c = matrix(target.ref, root(primary).dtype, gemm.c, gemm, outer, position)
      params.pointee.packed_slot = -1
      params.pointee.bias_col.ref.slot = -1
      params.pointee.bias_row.ref.slot = -1
      if let bias = epilogue.bias {
        let vector = ck_gemm_vector(
          ref: bias.ref, dtype: bias.dtype,
          stride: Int64(arrayValue(bias.stride, epilogue.biasIsPerRow ? 1 : 2)))
        if epilogue.biasIsPerRow {
          params.pointee.bias_row = vector
        } else {
          params.pointee.bias_col = vector
        }
      }
      params.pointee.relu = epilogue.relu
      if let program = epilogue.program {
        params.pointee.epilogue = ck_map_epilogue
        params.pointee.epilogue_params = UnsafeRawPointer(program)
      }
      if gemm.b.dropLast(2).allSatisfy({ $0 == 0 }) { addPack(params, b, bRef, gemm) }
      step(
        ck_gemm, UnsafeRawPointer(params),
        Note(
          kernel: "gemm",
          detail: "\(gemm.batch)x\(gemm.m)x\(gemm.n)x\(gemm.k) "
            + epilogue.names.joined(separator: " "),
          bytes: bytes(a) + bytes(b) + root(primary).count * root(primary).dtype.bytes,
          flops: 2 * gemm.batchCount * gemm.m * gemm.n * gemm.k / outerCount))
    }
  }

  private func matrix(
    _ ref: ck_ref, _ dtype: ck_dtype, _ strides: [Int], _ gemm: GemmShape, _ outer: Int,
    _ position: Int
  ) -> ck_matrix {
    var result = ck_matrix()
    result.ref = ref
    result.dtype = dtype
    result.row = Int64(strides[strides.count - 2])
    result.col = Int64(strides[strides.count - 1])
    var left = position
    for axis in stride(from: outer - 1, through: 0, by: -1) {
      result.ref.offset += Int64(left % gemm.batch[axis] * strides[axis] * dtype.bytes)
      left /= gemm.batch[axis]
    }
    let batch = Array(strides[outer..<(strides.count - 2)])
    setArray(
      &result.batch, [Int](repeating: 0, count: Int(CK_GEMM_BATCH) - batch.count) + batch)
    return result
  }

  /// Where a weight's bytes come from, if they are the same from run to run.
  func packSource(_ operand: Operand) -> Pack.Source? {
    switch root(operand.root).source {
    case .feed(let index): .feed(index)
    case .constant(let buffer): .constant(buffer)
    default: nil
    }
  }

  private func addPack(
    _ params: UnsafeMutablePointer<ck_gemm_params>, _ b: Operand, _ ref: ck_ref, _ gemm: GemmShape
  ) {
    guard b.dtype.isFloating, let source = packSource(b) else { return }
    let (row, column) = (gemm.b[gemm.b.count - 2], gemm.b[gemm.b.count - 1])
    let (k, n) = (gemm.k, gemm.n)
    let offset = plan.lowering.memoryView(b).offset * b.dtype.bytes
    let dtype = b.dtype
    let bytes = Int(ck_gemm_pack_size(Int64(k), Int64(n), dtype))
    guard bytes > 0 else { return }
    let slot = plan.slots.pack(packs.count)
    params.pointee.packed_slot = slot
    params.pointee.packed_dtype = dtype
    var key = PackKey()
    key.add([1, offset, row, column, k, n, Int(dtype.rawValue)])
    packs.append(
      Pack(source: source, slot: slot, bytes: bytes, key: key.value) { packed, memory in
        ck_gemm_pack(
          memory + offset, dtype, Int64(row), Int64(column), Int64(k), Int64(n), packed, dtype)
      })
  }
}

extension Emitter.Epilogue {
  fileprivate func named(_ names: [String]) -> Self {
    var result = self
    result.names = names
    return result
  }
}

/// A hash that is the same in every process run, of a few integers.
struct PackKey {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ element: Int) {
    value = (value ^ UInt64(bitPattern: Int64(element))) &* 0x9E37_79B9_7F4A_7C15
    value ^= value >> 29
  }

  mutating func add(_ values: [Int]) {
    for element in values { add(element) }
  }
}
