import CKernels
import MetalPerformanceShaders

/// Turns the nodes of a slice, for concrete feed shapes, into values that are views of roots and
/// items that compute roots.
///
/// One pass in node order infers shapes, folds shape arithmetic and turns everything that only
/// re-arranges elements into views. What is left are items.
struct Lowering {
  let slice: GraphSlice
  var roots: [Root] = []
  var items: [Item] = []
  /// Per value of the slice, with the concrete shape.
  var types: [TensorType]
  var operands: [Operand?]
  /// Per value: its elements, where they are few, integers and known.
  var known: [[Int]?]
  /// What each run returns, in order.
  var targets: [Operand] = []
  let arena: ParameterArena
  /// Objects whose memory the roots point into.
  var retained: [AnyObject] = []
  /// Values with as many rows as a run finds, padded with -1.
  private(set) var listings: [Int32] = []
  private(set) var common = CommonItems()
  /// Values that are only added to others, and not computed yet.
  var placed: [Int32: PlacedSum] = [:]
  /// The forward attentions so far.
  var attentions: [AttentionRecord] = []
  /// Per value: the node that reads it, -1 for none, -2 for several.
  private var readers: [Int32]

  init(slice: GraphSlice, feedShapes: [[Int]], arena: ParameterArena) {
    self.slice = slice
    self.arena = arena
    types = slice.types
    operands = [Operand?](repeating: nil, count: slice.types.count)
    known = [[Int]?](repeating: nil, count: slice.types.count)
    readers = [Int32](repeating: -1, count: slice.types.count)
    for (index, node) in slice.nodes.enumerated() {
      for input in node.inputs {
        readers[Int(input)] = readers[Int(input)] == -1 ? Int32(index) : -2
      }
    }
    for target in slice.targets { readers[Int(target)] = -2 }
    roots.reserveCapacity(slice.nodes.count)
    items.reserveCapacity(slice.nodes.count)
    for (position, value) in slice.feeds.enumerated() {
      let dtype = types[Int(value)].dtype
      types[Int(value)].shape = feedShapes[position]
      let root = addRoot(.feed(position), feedShapes[position], dtype.kernelType)
      operands[Int(value)] = whole(root)
    }
    for node in slice.nodes { lower(node) }
    targets = slice.targets.map { operand($0) }
  }

  // MARK: Building blocks

  mutating func addRoot(_ source: RootSource, _ shape: [Int], _ dtype: ck_dtype) -> Int32 {
    roots.append(Root(source: source, shape: shape, dtype: dtype))
    return Int32(roots.count - 1)
  }

  /// A new root, seen as a whole.
  mutating func addWhole(
    _ source: RootSource, _ shape: [Int], _ dtype: ck_dtype
  ) -> Operand {
    let root = addRoot(source, shape, dtype)
    return whole(root)
  }

  func whole(_ root: Int32) -> Operand {
    let shape = roots[Int(root)].shape
    return Operand(
      root: root, dtype: roots[Int(root)].dtype, view: StridedView(whole: shape))
  }

  /// The value of an item with one output of the given type; one item serves equal requests.
  mutating func add(
    _ kind: Item.Kind, _ inputs: [Operand], _ shape: [Int], _ dtype: ck_dtype
  ) -> Operand {
    let key = CommonItems.key(kind, inputs, dtype)
    if let key, let item = common.earlier(kind, inputs, dtype, key, self) {
      let root = items[Int(item)].outputs[0]
      if roots[Int(root)].shape == shape { return whole(root) }
    }
    if let key { common.record(Int32(items.count), key) }
    return addNew(kind, inputs, shape, dtype)
  }

  /// An item that is shared with nobody.
  mutating func addNew(
    _ kind: Item.Kind, _ inputs: [Operand], _ shape: [Int], _ dtype: ck_dtype
  ) -> Operand {
    let root = addRoot(.item(Int32(items.count)), shape, dtype)
    items.append(Item(kind: kind, inputs: inputs, outputs: [root]))
    return whole(root)
  }

  mutating func splat(_ value: Double, _ shape: [Int], _ dtype: ck_dtype) -> Operand {
    let root = common.splat(value, dtype) ?? addRoot(.splat(value), [], dtype)
    common.recordSplat(value, dtype, root)
    let strides = [Int](repeating: 0, count: shape.count)
    return Operand(
      root: root, dtype: dtype, view: StridedView(offset: 0, shape: shape, strides: strides))
  }

  /// The root 0, 1, 2, ... of this length.
  mutating func indices(_ count: Int) -> Int32 {
    if let root = common.iota(count) { return root }
    let root = addRoot(.iota, [count], CK_I32)
    common.recordIota(count, root)
    return root
  }

  /// The operand of a value that was lowered before.
  func operand(_ value: Int32) -> Operand {
    guard let operand = operands[Int(value)] else {
      preconditionFailure("MPSGraph: a target depends on a placeholder that is not fed")
    }
    return operand
  }

  func shape(_ value: Int32) -> [Int] { types[Int(value)].shape ?? [] }

  /// The elements in row-major order, in a root of their own if strides cannot say `shape`.
  mutating func reshape(_ operand: Operand, to shape: [Int]) -> Operand {
    if let view = operand.view.reshaped(to: shape) {
      return Operand(root: operand.root, dtype: operand.dtype, view: view)
    }
    let copy = add(.copy, [operand], operand.view.shape, operand.dtype)
    guard let view = copy.view.reshaped(to: shape) else {
      preconditionFailure("MPSGraph: reshape of \(operand.view.shape) to \(shape)")
    }
    return Operand(root: copy.root, dtype: copy.dtype, view: view)
  }

  mutating func constant(_ values: [Int], _ shape: [Int], _ dtype: ck_dtype) -> Operand {
    if values.count == 1 || (values.count > 1 && values.allSatisfy { $0 == values[0] }),
      values[0].magnitude <= 1 << 53
    {
      return splat(Double(values[0]), shape, dtype)
    }
    let bytes = arena.allocate(Int64.self, count: max(values.count, 1))
    let raw = UnsafeMutableRawPointer(bytes)
    for (index, value) in values.enumerated() {
      let element = raw + index * dtype.bytes
      switch dtype.bytes {
      case 1: element.storeBytes(of: Int8(truncatingIfNeeded: value), as: Int8.self)
      case 2: element.storeBytes(of: Int16(truncatingIfNeeded: value), as: Int16.self)
      case 4: element.storeBytes(of: Int32(truncatingIfNeeded: value), as: Int32.self)
      default: element.storeBytes(of: Int64(value), as: Int64.self)
      }
    }
    return addWhole(.literal(UnsafeRawPointer(raw)), shape, dtype)
  }

  /// Exchanges the last two axes.
  private static func swapped(_ rank: Int) -> [Int] {
    rank < 2 ? [] : Array(0..<(rank - 2)) + [rank - 1, rank - 2]
  }

  /// The permutation that the only reader of a value gives it.
  func wantedOrder(_ value: Int32) -> [Int]? {
    guard case .transpose(let permutation)? = onlyReader(value)?.kind else { return nil }
    return permutation
  }

  func onlyReader(_ value: Int32) -> GraphSlice.Node? {
    let reader = readers[Int(value)]
    return reader >= 0 ? slice.nodes[Int(reader)] : nil
  }

  // MARK: Nodes

  mutating func lower(_ node: GraphSlice.Node) {
    let inputs = node.inputs.map { types[Int($0)] }
    let declared = node.outputs.map { types[Int($0)] }
    let outputs: [TensorType]
    do {
      outputs = try ShapeRules.infer(node.kind, inputs: inputs, declared: declared) {
        known[Int(node.inputs[$0])]
      }
    } catch {
      misuse("MPSGraph: the shapes that are fed do not fit: \(error.message)")
    }
    for (value, type) in zip(node.outputs, outputs) { types[Int(value)] = type }
    if case .nonZeroIndices = node.kind {
      // Room for all of them: the caller gets as many rows as there are.
      require(
        !slice.nodes.contains { $0.inputs.contains(node.outputs[0]) },
        "MPSGraph.nonZeroIndices: the result, whose size depends on data, can only be a target")
      listings.append(node.outputs[0])
      types[Int(node.outputs[0])].shape = [
        shape(node.inputs[0]).product, shape(node.inputs[0]).count,
      ]
    }
    guard let output = node.outputs.first else {
      lowerEffect(node)
      return
    }
    if let values = IntegerValues.evaluate(
      node.kind, inputs: inputs, outputs: outputs, values: { known[Int(node.inputs[$0])] })
    {
      known[Int(output)] = values
      operands[Int(output)] = constant(values, shape(output), types[Int(output)].dtype.kernelType)
      return
    }
    if lowerAttention(node) || lowerPlaced(node) { return }
    if let operand = lowerView(node) ?? lowerElementwise(node) ?? lowerReduction(node)
      ?? lowerCanonical(node)
    {
      operands[Int(output)] = operand
      return
    }
    lowerKernel(node)
  }

  /// Operations that run for what they change.
  mutating func lowerEffect(_ node: GraphSlice.Node) {
    guard case .assignVariable = node.kind else { return }
    let inputs = node.inputs.map { operand($0) }
    items.append(Item(kind: .kernel(node.kind), inputs: inputs, outputs: []))
  }

  /// An item of its own with the node's outputs.
  private mutating func lowerKernel(_ node: GraphSlice.Node) {
    if case .matmul = node.kind {
      lowerProduct(node)
      return
    }
    let item = Int32(items.count)
    let inputs = kernelInputs(node)
    var outputs: [Int32] = []
    for value in node.outputs {
      let root = addRoot(.item(item), shape(value), types[Int(value)].dtype.kernelType)
      outputs.append(root)
      operands[Int(value)] = whole(root)
    }
    items.append(Item(kind: .kernel(node.kind), inputs: inputs, outputs: outputs))
  }

  /// A product is written in the order that a transpose, its only reader, wants it in.
  private mutating func lowerProduct(_ node: GraphSlice.Node) {
    let output = node.outputs[0]
    let shape = shape(output)
    let dtype = types[Int(output)].dtype.kernelType
    let inputs = kernelInputs(node)
    if let permutation = wantedOrder(output), inputs.allSatisfy({ $0.view.shape.count > 1 }),
      permutation == Self.swapped(shape.count)
    {
      // (A B)ᵀ = Bᵀ Aᵀ: written as it is read.
      let turned = inputs.reversed().map { input in
        Operand(
          root: input.root, dtype: input.dtype,
          view: input.view.transposed(Self.swapped(input.view.shape.count)))
      }
      let stored = add(.matmul(order: nil), turned, permutation.map { shape[$0] }, dtype)
      operands[Int(output)] = Operand(
        root: stored.root, dtype: dtype, view: stored.view.transposed(permutation))
      return
    }
    guard let permutation = wantedOrder(output), permutation.count == shape.count,
      permutation.count > 2, permutation.last == shape.count - 1,
      permutation.filter({ $0 < shape.count - 2 }) == Array(0..<(shape.count - 2))
    else {
      operands[Int(output)] = add(.matmul(order: nil), inputs, shape, dtype)
      return
    }
    var order = permutation
    for (position, axis) in permutation.enumerated() { order[axis] = position }
    let stored = add(.matmul(order: order), inputs, permutation.map { shape[$0] }, dtype)
    operands[Int(output)] = Operand(
      root: stored.root, dtype: dtype, view: stored.view.transposed(order))
  }

  /// Without the tensors that only said a shape, which is known by now.
  private func kernelInputs(_ node: GraphSlice.Node) -> [Operand] {
    switch node.kind {
    case .conv2DDataGradient, .conv2DWeightsGradient: node.inputs.prefix(2).map { operand($0) }
    default: node.inputs.map { operand($0) }
    }
  }
}
