/// The results of one operation. Nearly all have one: it needs no array.
public struct OpResults {
  public private(set) var first: Tensor?
  private var rest: [Tensor] = []

  init(_ tensors: [Tensor]) {
    first = tensors.first
    if tensors.count > 1 { rest = Array(tensors.dropFirst()) }
  }

  init(_ tensor: Tensor) { first = tensor }

  public var count: Int { first == nil ? 0 : rest.count + 1 }
  public var all: [Tensor] { first.map { [$0] + rest } ?? [] }
}

extension Tensor {
  /// Applies the operation of this name.
  public static func apply(
    _ name: String, _ operands: [Tensor?], _ attributes: [Attribute] = []
  ) throws(LucidError) -> [Tensor] {
    guard let op = OpCatalog.find(name) else {
      throw LucidError(.unsupported, "\(name): no operation has this name")
    }
    let completed = try op.completed(Attributes(attributes))
    let words = AttributeCoding.encode(completed, op.attributes)
    return try withBuffers(operands, words) { operands, bytes throws(LucidError) in
      try apply(op.id, operands, bytes)
    }.all
  }

  private static func withBuffers<R>(
    _ operands: [Tensor?], _ words: [Int64],
    _ body: (UnsafeBufferPointer<Tensor?>, UnsafeRawBufferPointer) throws(LucidError) -> R
  ) throws(LucidError) -> R {
    try operands.withUnsafeBufferPointer { operands throws(LucidError) in
      try words.withUnsafeBufferPointer { words throws(LucidError) in
        try body(operands, UnsafeRawBufferPointer(words))
      }
    }
  }

  /// Applies an operation by number, its attributes as `AttributeCoding` lays them out.
  public static func apply(
    _ op: OpID, _ operands: UnsafeBufferPointer<Tensor?>, _ attributes: UnsafeRawBufferPointer
  ) throws(LucidError) -> OpResults {
    let thread = ThreadState.current
    let device = try commonDevice(op, operands)
    if let recorder = thread.recorder, recorder.symbols != nil {
      return try recordSymbolic(op, operands, attributes, device, recorder)
    }
    let entry: OpEntry
    if let known = thread.lookup.find(op, operands, attributes) {
      entry = known
    } else {
      let definition = try definition(op)
      if case .host(let rule) = definition.definition {
        return try runOnHost(definition, rule, operands, attributes, device)
      }
      entry = try makeEntry(definition, operands, attributes, thread)
    }
    if let rule = entry.view, let operand = operands.first, let operand,
      let view = try operand.makeView(rule, entry.results[0], entry.op, entry.attributes)
    {
      if thread.gradMode == .on, operand.requiresGrad {
        try record(entry.function, [operand], [view])
      }
      return OpResults(view)
    }
    if let recorder = thread.recorder {
      return try record(entry, operands, device, recorder)
    }
    return try run(entry, operands, device, thread)
  }

  private static func definition(_ op: OpID) throws(LucidError) -> OpDef {
    guard Int(op.index) < OpCatalog.all.count else {
      throw LucidError(.value, "apply: \(op.index) is not the number of an operation")
    }
    return OpCatalog[op]
  }

  /// The label that the results get. Numbers and rank-0 tensors go with any.
  private static func commonDevice(
    _ op: OpID, _ operands: UnsafeBufferPointer<Tensor?>
  ) throws(LucidError) -> Device {
    var device: Device?
    var fallback: Device?
    for case let operand? in operands {
      if operand.rank == 0 {
        if fallback == nil, !operand.type.isWeak { fallback = operand.device }
        continue
      }
      guard let known = device else {
        device = operand.device
        continue
      }
      if known != operand.device {
        throw LucidError(
          .device,
          "\(try definition(op).name): Expected all tensors to be on the same device, but found at "
            + "least two devices, \(known) and \(operand.device)!")
      }
    }
    return device ?? fallback ?? .cpu
  }

  private static func makeEntry(
    _ op: OpDef, _ operands: UnsafeBufferPointer<Tensor?>, _ bytes: UnsafeRawBufferPointer,
    _ thread: ThreadState
  ) throws(LucidError) -> OpEntry {
    let attributes = try AttributeCoding.decode(bytes, op.attributes, op: op.name)
    var types = try present(operands, op).map(\.type.graphType)
    var draws: Int?
    if let rule = op.draws {
      try op.checkOperandCount(types.count)
      let context = InferContext(op: op, types: types, attributes: attributes, symbols: nil)
      let count = try rule(context).constant
      if count > 0 {
        draws = count
        types += [TensorType([1], .int64), TensorType([1], .int64)]
      }
    }
    let function = try GraphFunction.operation(op, types, attributes)
    guard function.concreteOutputs != nil else {
      throw LucidError(
        .value, "\(op.name): an extent depends on a batch, and no dynamic trace gives one")
    }
    return thread.lookup.insert(op, attributes, function, draws: draws)
  }

  /// The operands that were given; optional ones may be missing at the end only.
  static func present(
    _ operands: UnsafeBufferPointer<Tensor?>, _ op: OpDef
  ) throws(LucidError) -> [Tensor] {
    var given: [Tensor] = []
    given.reserveCapacity(operands.count)
    for (i, operand) in operands.enumerated() {
      if let operand {
        guard given.count == i else {
          throw LucidError(.value, "\(op.name): operand \(i) is given and an earlier one is not")
        }
        given.append(operand)
      }
    }
    return given
  }

  private static func run(
    _ entry: OpEntry, _ operands: UnsafeBufferPointer<Tensor?>, _ device: Device,
    _ thread: ThreadState
  ) throws(LucidError) -> OpResults {
    var runOperands: [Operand?] = []
    runOperands.reserveCapacity(operands.count + 2)
    var isDifferentiated = false
    var swapped = Mask()
    for case let operand? in operands {
      let runOperand = try operand.operand()
      if runOperand?.isTransposed == true { swapped[runOperands.count] = true }
      runOperands.append(runOperand)
      if operand.requiresGrad { isDifferentiated = true }
    }
    var extra: [Tensor] = []
    if let draws = entry.draws {
      extra = try drawOperands(draws)
      for tensor in extra { runOperands.append(try tensor.operand()) }
    }
    let executable = try entry.function.executable(transposed: swapped)
    if executable.isSingle {
      let buffer = try executable.runSingle(runOperands)
      let result = Tensor(Storage(buffer), entry.results[0], device: device)
      if isDifferentiated, thread.gradMode == .on {
        try record(entry.function, operands.compactMap { $0 } + extra, [result])
      }
      return OpResults(result)
    }
    let contents = try executable.run(runOperands)
    var results: [Tensor] = []
    for (content, type) in zip(contents, entry.results) {
      results.append(Tensor(Storage(content), type, device: device))
    }
    if isDifferentiated, thread.gradMode == .on {
      try record(entry.function, operands.compactMap { $0 } + extra, results)
    }
    return OpResults(results)
  }

  /// The seed and offset of a draw, which advances the thread's generator.
  private static func drawOperands(_ count: Int) throws(LucidError) -> [Tensor] {
    let state = Generator.current.draw(count)
    return [
      try Tensor.make([state.seed], shape: [1], dtype: .int64, device: .cpu),
      try Tensor.make([state.offset], shape: [1], dtype: .int64, device: .cpu),
    ]
  }

  private static func runOnHost(
    _ op: OpDef, _ rule: @Sendable (HostContext) throws(LucidError) -> [HostArray],
    _ operands: UnsafeBufferPointer<Tensor?>, _ bytes: UnsafeRawBufferPointer, _ device: Device
  ) throws(LucidError) -> OpResults {
    let given = try present(operands, op)
    try op.checkOperandCount(given.count)
    var inputs: [HostArray] = []
    for operand in given {
      inputs.append(
        HostArray(shape: operand.shape, dtype: operand.dtype, bytes: try operand.bytes()))
    }
    let attributes = try AttributeCoding.decode(bytes, op.attributes, op: op.name)
    var results: [Tensor] = []
    for array in try rule(HostContext(op: op, inputs: inputs, attributes: attributes)) {
      results.append(
        try Tensor(bytes: array.bytes, shape: array.shape, dtype: array.dtype, device: device))
    }
    return OpResults(results)
  }

  // Recording

  /// Records a call whose types are plain.
  private static func record(
    _ entry: OpEntry, _ operands: UnsafeBufferPointer<Tensor?>, _ device: Device,
    _ recorder: any Recorder
  ) throws(LucidError) -> OpResults {
    var given = operands.compactMap { $0 }
    if let draws = entry.draws { given += try recorder.draw(Dim(draws)) }
    return OpResults(try entry.function.call(given, device: device))
  }

  /// Records a call on operands whose extents may depend on the batch.
  private static func recordSymbolic(
    _ id: OpID, _ operands: UnsafeBufferPointer<Tensor?>, _ bytes: UnsafeRawBufferPointer,
    _ device: Device, _ recorder: any Recorder
  ) throws(LucidError) -> OpResults {
    let op = try definition(id)
    if case .host(let rule) = op.definition {
      return try runOnHost(op, rule, operands, bytes, device)
    }
    let attributes = try AttributeCoding.decode(bytes, op.attributes, op: op.name)
    var given = try present(operands, op)
    if let rule = op.draws {
      try op.checkOperandCount(given.count)
      let context = InferContext(
        op: op, types: given.map(\.graphType), attributes: attributes,
        symbols: recorder.symbols)
      let count = try rule(context)
      if count != 0 { given += try recorder.draw(count) }
    }
    let function = try recorder.operation(op, given, attributes)
    let types = try recorder.resultTypes(of: function)
    if let rule = op.view, let operand = given.first,
      let view = try operand.makeView(rule, types[0], op, attributes)
    {
      if GradMode.current == .on { try record(function, [operand], [view]) }
      return OpResults(view)
    }
    return OpResults(try function.call(given, device: device))
  }

  /// A view of this tensor; nil where only a copy can have the result's shape.
  private func makeView(
    _ rule: ViewRule, _ type: ConcreteType, _ op: OpDef, _ attributes: Attributes
  ) throws(LucidError) -> Tensor? {
    guard let layout = rule.layout(self.layout, attributes, type.shape) else { return nil }
    let base = view?.base ?? self
    let link = ViewLink(op, attributes, source: graphType, parent: view?.link)
    return Tensor(
      storage, type, device: device, offset: layout.offset,
      strides: layout.isContiguous ? nil : layout.strides,
      view: View(base: base, link: link, generation: base.gradState?.generation ?? 0))
  }
}

extension GraphFunction {
  /// Calls the function: records it under a recorder, else runs it. With grad mode on the call goes
  /// on the tape.
  func call(
    _ operands: [Tensor], batch: Int = 0, device: Device
  ) throws(LucidError) -> [Tensor] {
    let thread = ThreadState.current
    let contents: [Storage.Contents]
    let types: [ConcreteType]
    if let recorder = thread.recorder {
      contents = try recorder.call(self, operands)
      types = try recorder.resultTypes(of: self)
    } else {
      var runOperands: [Operand?] = []
      runOperands.reserveCapacity(operands.count)
      for operand in operands { runOperands.append(try operand.operand()) }
      contents = try run(runOperands, batch: batch)
      types = try resultTypes(batch: batch)
    }
    var results: [Tensor] = []
    results.reserveCapacity(contents.count)
    for (content, type) in zip(contents, types) {
      results.append(Tensor(Storage(content), type, device: device))
    }
    if thread.gradMode == .on { try Tensor.record(self, operands, results, batch: batch) }
    return results
  }

  /// The concrete result types for a batch.
  func resultTypes(batch: Int) throws(LucidError) -> [ConcreteType] {
    if let concreteOutputs { return concreteOutputs }
    var types: [ConcreteType] = []
    for type in outputTypes {
      types.append(try .of(type.shape.evaluated(at: batch), type.dtype))
    }
    return types
  }
}
