import CKernels

/// Writes the steps of a plan.
final class Emitter {
  /// What a step does, for people.
  struct Note {
    var kernel: String
    var detail: String
    var bytes: Int
    var flops: Int
  }

  var plan: Plan
  let arena: ParameterArena
  var steps: [ck_step] = []
  var notes: [Note] = []
  /// Fused programs, freed with the program.
  var maps: [OpaquePointer] = []
  var packs: [Pack] = []
  /// Notes cost more than the steps they describe, so they are written only for a dump.
  let writesNotes: Bool

  init(_ plan: Plan, _ arena: ParameterArena, writesNotes: Bool) {
    self.plan = plan
    self.arena = arena
    self.writesNotes = writesNotes
    steps.reserveCapacity(plan.order.count)
    for group in plan.order { emit(group) }
  }

  private func emit(_ group: Int32) {
    switch plan.grouping.groups[Int(group)].kind {
    case .map: emitMap(group)
    case .anchored: emitAnchored(group)
    case .single: emitKernel(plan.lowering.items[Int(plan.grouping.groups[Int(group)].items[0])])
    }
  }

  func step(
    _ kernel: @escaping ck_kernel, _ params: UnsafeRawPointer, _ note: @autoclosure () -> Note
  ) {
    steps.append(ck_step(kernel: kernel, params: params))
    if writesNotes { notes.append(note()) }
  }

  // MARK: Operands

  func root(_ index: Int32) -> Root { plan.lowering.roots[Int(index)] }

  /// An operand's memory and strides; values that are known get memory here.
  func memory(_ operand: Operand) -> (ref: ck_ref, view: StridedView) {
    materialise(operand)
    let view = plan.lowering.memoryView(operand)
    let place = plan.places[Int(operand.root)]
    return (
      ck_ref(slot: place.slot, offset: Int64(place.offset + view.offset * operand.dtype.bytes)),
      view
    )
  }

  func memory(_ root: Int32) -> (ref: ck_ref, view: StridedView) {
    memory(plan.lowering.whole(root))
  }

  private func materialise(_ operand: Operand) {
    let index = Int(operand.root)
    guard plan.places[index].slot < 0 else { return }
    let source = root(operand.root)
    switch source.source {
    case .splat(let value):
      let memory = UnsafeMutableRawPointer(arena.allocate(Int64.self))
      var fill = ck_fill_params()
      fill.value = value
      fill.result.dtype = source.dtype
      fill.result.ref = ck_ref(slot: 0, offset: 0)
      withUnsafePointer(to: UnsafeMutableRawPointer?(memory)) { ck_fill(&fill, $0) }
      place(index, UnsafeRawPointer(memory))
    case .iota:
      let count = source.count
      let memory = arena.allocate(Int32.self, count: count)
      for position in 0..<count { memory[position] = Int32(position) }
      place(index, UnsafeRawPointer(memory))
    default:
      preconditionFailure("MPSGraph: a value is read that no step writes")
    }
  }

  private func place(_ index: Int, _ address: UnsafeRawPointer) {
    plan.places[index] = Place(slot: SlotLayout.absolute, offset: Int(bitPattern: address))
  }

  func described(_ operand: Operand) -> ck_operand {
    let (ref, view) = memory(operand)
    return described(ref, operand.dtype, view.strides)
  }

  func described(_ ref: ck_ref, _ dtype: ck_dtype, _ strides: [Int]) -> ck_operand {
    var result = ck_operand()
    result.ref = ref
    result.dtype = dtype
    setArray(&result.stride, strides)
    return result
  }

  func bytes(_ operand: Operand) -> Int { operand.view.count * operand.dtype.bytes }

  // MARK: Fused programs

  private func emitMap(_ group: Int32) {
    let space = plan.grouping.groups[Int(group)].space
    let members = plan.items(of: group)
    if members.count == 1, emitCopy(plan.lowering.items[Int(members[0])]) { return }
    var program = MapProgram(plan, space) { view, uniform in
      uniform ? space.keptStrides(of: view) : space.strides(of: view)
    }
    var stored: [Int32] = []
    for member in members {
      let item = plan.lowering.items[Int(member)]
      program.add(item)
      let output = item.outputs[0]
      if plan.isStored[Int(output)] { stored.append(output) }
    }
    if space.count == 0, stored.allSatisfy({ root($0).count == 0 }) { return }
    for output in stored { program.store(output) }
    let compiled = program.compiled()
    maps.append(compiled)
    step(
      ck_map_run, UnsafeRawPointer(compiled),
      Note(
        kernel: space.reduced == 0 ? "map" : "reduce", detail: description(members, space),
        bytes: program.bytes, flops: space.count * program.insts.count))
  }

  /// A lone copy between memories of one type is the copy kernel's.
  private func emitCopy(_ item: Item) -> Bool {
    guard case .copy = item.kind else { return false }
    let output = item.outputs[0]
    guard root(output).count > 0 else { return true }
    copy(item.inputs[0], to: memory(output), "copy")
    return true
  }

  /// Copies an operand into a place of the same shape.
  func copy(
    _ source: Operand, to target: (ref: ck_ref, view: StridedView), _ name: String
  ) {
    let params = arena.allocate(ck_copy_params.self)
    params.pointee.rank = Int32(source.view.shape.count)
    setArray(&params.pointee.shape, source.view.shape)
    params.pointee.source = described(source)
    params.pointee.result = described(target.ref, source.dtype, target.view.strides)
    step(
      ck_copy, UnsafeRawPointer(params),
      Note(kernel: name, detail: "\(source.view.shape)", bytes: 2 * bytes(source), flops: 0))
  }

  func description(_ members: [Int32], _ space: Space) -> String {
    let names = members.map { plan.lowering.items[Int($0)].name }
    return "\(space.dims) \(names.joined(separator: " "))"
  }
}

extension Item {
  var name: String {
    switch kind {
    case .copy: "copy"
    case .unary(let op): "\(op)"
    case .binary(let op): "\(op)"
    case .select: "select"
    case .clamp: "clamp"
    case .cast: "cast"
    case .bitcast: "bitcast"
    case .reduce(let op, let axes): "reduce-\(op)\(axes)"
    case .argReduce(let largest, let axes): "arg\(largest ? "max" : "min")\(axes)"
    case .matmul: "matmul"
    case .attention: "attention"
    case .attentionGradient: "attention-gradient"
    case .kernel(let kind): kind.name
    case .none: "none"
    }
  }
}

extension OpKind {
  /// The kind without what it is made of.
  var name: String {
    let text = "\(self)"
    return String(text.prefix { $0 != "(" })
  }
}
