import CKernels
import MetalPerformanceShaders

/// Kernels that want their operands in a canonical form: merged dimensions here, so that the steps
/// need not look at the node's axes again. Where strides cannot merge dimensions, a copy is made.
extension Lowering {
  mutating func lowerCanonical(_ node: GraphSlice.Node) -> Operand? {
    switch node.kind {
    case .gather(let axis, let batch): gather(node, axis, batch)
    case .gatherND(let batch): gatherND(node, batch)
    case .scatter(let axis, let mode, let hasData): scatter(node, axis, mode, hasData)
    case .scatterND(let batch, let mode, let hasData): scatterND(node, batch, mode, hasData)
    case .oneHot(let axis, let depth, _, _): oneHot(node, axis, depth)
    case .attention(let scale, let hasMask): attention(node, scale, hasMask)
    case .sliceGradient(let spec): sliceGradient(node, spec)
    case .sliceUpdate(let spec): sliceUpdate(node, spec)
    default: nil
    }
  }

  private mutating func canonical(
    _ node: GraphSlice.Node, _ inputs: [Operand], _ shape: [Int]
  ) -> Operand {
    let output = node.outputs[0]
    let result = add(
      .kernel(node.kind), inputs, shape, types[Int(output)].dtype.kernelType)
    return reshape(result, to: self.shape(output))
  }

  private mutating func gather(_ node: GraphSlice.Node, _ axis: Int, _ batch: Int) -> Operand {
    let source = operand(node.inputs[0])
    let indices = operand(node.inputs[1])
    let sizes = source.view.shape
    let batches = sizes[..<batch].product
    let outer = sizes[batch..<axis].product
    let inner = sizes[(axis + 1)...].product
    let count = indices.view.shape[batch...].product
    return canonical(
      node,
      [
        reshape(source, to: [batches, outer, sizes[axis], inner]),
        reshape(indices, to: [batches, count]),
      ], [batches, outer, count, inner])
  }

  private mutating func gatherND(_ node: GraphSlice.Node, _ batch: Int) -> Operand {
    let source = operand(node.inputs[0])
    let indices = operand(node.inputs[1])
    let sizes = source.view.shape
    let depth = indices.view.shape.last ?? 0
    let batches = sizes[..<batch].product
    let inner = sizes[(batch + depth)...].product
    let count = indices.view.shape[batch..<(indices.view.shape.count - 1)].product
    return canonical(
      node,
      [
        reshape(source, to: [batches] + sizes[batch..<(batch + depth)] + [inner]),
        reshape(indices, to: [batches, count, depth]),
      ], [batches, count, inner])
  }

  private mutating func scatter(
    _ node: GraphSlice.Node, _ axis: Int, _ mode: ScatterMode, _ hasData: Bool
  ) -> Operand {
    let sizes = shape(node.outputs[0])
    let outer = sizes[..<axis].product
    let inner = sizes[(axis + 1)...].product
    let first = hasData ? 1 : 0
    let indices = operand(node.inputs[first + 1])
    let count = indices.view.count
    let merged = [1, outer, sizes[axis], inner]
    var inputs = [
      reshape(operand(node.inputs[first]), to: [1, outer, count, inner]),
      reshape(indices, to: [1, count]),
    ]
    if hasData { inputs.append(reshape(operand(node.inputs[0]), to: merged)) }
    return canonical(node, inputs, merged)
  }

  private mutating func scatterND(
    _ node: GraphSlice.Node, _ batch: Int, _ mode: ScatterMode, _ hasData: Bool
  ) -> Operand {
    let sizes = shape(node.outputs[0])
    let first = hasData ? 1 : 0
    let indices = operand(node.inputs[first + 1])
    let rank = indices.view.shape.count
    let depth = indices.view.shape.last ?? 0
    let batches = sizes[..<batch].product
    let inner = sizes[(batch + depth)...].product
    let count = indices.view.shape[batch..<(rank - 1)].product
    let merged = [batches] + sizes[batch..<(batch + depth)] + [inner]
    var inputs = [
      reshape(operand(node.inputs[first]), to: [batches, count, inner]),
      reshape(indices, to: [batches, count, depth]),
    ]
    if hasData { inputs.append(reshape(operand(node.inputs[0]), to: merged)) }
    return canonical(node, inputs, merged)
  }

  private mutating func oneHot(_ node: GraphSlice.Node, _ axis: Int, _ depth: Int) -> Operand {
    let indices = operand(node.inputs[0])
    let outer = indices.view.shape[..<axis].product
    let inner = indices.view.shape[axis...].product
    return canonical(node, [reshape(indices, to: [outer, inner])], [outer, depth, inner])
  }

  // MARK: Slices

  /// The gradient with the axes that the slice dropped.
  private mutating func sliceGradient(_ node: GraphSlice.Node, _ spec: SliceSpec) -> Operand {
    let sizes = shape(node.outputs[0])
    let lengths = Self.lengths(spec, sizes)
    return canonical(node, [reshape(operand(node.inputs[0]), to: lengths)], sizes)
  }

  private mutating func sliceUpdate(_ node: GraphSlice.Node, _ spec: SliceSpec) -> Operand {
    let sizes = shape(node.outputs[0])
    let lengths = Self.lengths(spec, sizes)
    return canonical(
      node, [operand(node.inputs[0]), reshape(operand(node.inputs[1]), to: lengths)], sizes)
  }

  private static func lengths(_ spec: SliceSpec, _ shape: [Int]) -> [Int] {
    ((try? spec.ranges(of: shape)) ?? []).map(\.length)
  }

  // MARK: Attention

  /// Query, key and value with exactly two batch axes.
  private mutating func attention(
    _ node: GraphSlice.Node, _ scale: Float, _ hasMask: Bool
  ) -> Operand {
    let output = node.outputs[0]
    let result = shape(output)
    let rank = result.count
    let lead = Array(result.dropLast(2))
    let heads = rank > 2 ? result[rank - 3] : 1
    let batch = lead.dropLast().product
    var inputs: [Operand] = []
    for value in node.inputs.prefix(3) {
      let input = operand(value)
      let matrix = Array(input.view.shape.suffix(2))
      inputs.append(
        reshape(broadcast(input, to: lead + matrix), to: [batch, heads] + matrix))
    }
    var isCausal = false
    if hasMask {
      let scores = [result[rank - 2], inputs[1].view.shape[2]]
      let mask = operand(node.inputs[3])
      if isCausalMask(mask, scores) {
        isCausal = true
      } else {
        inputs.append(reshape(broadcast(mask, to: lead + scores), to: [batch, heads] + scores))
      }
    }
    let dtype = types[Int(output)].dtype.kernelType
    let sizes = [batch, heads, result[rank - 2], result[rank - 1]]
    let kind = Item.Kind.attention(scale: scale, isCausal: isCausal)
    // Heads inside positions is what the projection behind an attention reads.
    if heads > 1, rank == 4, wantedOrder(output) == [0, 2, 1, 3] {
      let inner = add(kind, inputs, [sizes[0], sizes[2], sizes[1], sizes[3]], dtype)
      let outer = Operand(
        root: inner.root, dtype: dtype, view: inner.view.transposed([0, 2, 1, 3]))
      return reshape(outer, to: result)
    }
    return reshape(add(kind, inputs, sizes, dtype), to: result)
  }

  /// A mask that is 0 where the column is at most the row and hugely negative elsewhere, made from
  /// indices: it need not be computed.
  private func isCausalMask(_ mask: Operand, _ scores: [Int]) -> Bool {
    guard let select = item(making: mask), case .select = select.kind,
      isMatrixOnly(mask.view, scores)
    else { return false }
    let rank = select.inputs[0].view.shape.count
    guard rank >= 2, let whenTrue = splatValue(select.inputs[1]),
      let whenFalse = splatValue(select.inputs[2]), let test = item(making: select.inputs[0]),
      case .binary(let comparison) = test.kind,
      isMatrixOnly(select.inputs[0].view, scores)
    else { return false }
    guard let left = indexAxis(test.inputs[0], scores), let right = indexAxis(test.inputs[1], scores)
    else { return false }
    let keepsLower: Bool
    switch (comparison, left, right) {
    case (.greaterEqual, 0, 1), (.lessEqual, 1, 0): keepsLower = true
    case (.less, 0, 1), (.greater, 1, 0): keepsLower = false
    default: return false
    }
    let (kept, dropped) = keepsLower ? (whenTrue, whenFalse) : (whenFalse, whenTrue)
    return kept == 0 && dropped <= -6e4
  }

  private func item(making operand: Operand) -> Item? {
    guard case .item(let index) = roots[Int(operand.root)].source else { return nil }
    return items[Int(index)]
  }

  private func splatValue(_ operand: Operand) -> Double? {
    guard case .splat(let value) = roots[Int(operand.root)].source else { return nil }
    return value
  }

  /// The last two axes are the whole scores, row-major, and all axes before them repeat.
  private func isMatrixOnly(_ view: StridedView, _ scores: [Int]) -> Bool {
    let rank = view.shape.count
    guard rank >= 2, Array(view.shape.suffix(2)) == scores, view.offset == 0 else { return false }
    return Array(view.strides.suffix(2)) == rowMajorStrides(scores)
      && zip(view.shape, view.strides).dropLast(2).allSatisfy { $0 == 1 || $1 == 0 }
  }

  /// 0 for the row index, 1 for the column index; nil for anything else.
  private func indexAxis(_ operand: Operand, _ scores: [Int]) -> Int? {
    guard case .iota = roots[Int(operand.root)].source, operand.view.offset == 0,
      Array(operand.view.shape.suffix(2)) == scores, scores[0] > 1, scores[1] > 1,
      operand.view.strides.dropLast(2).allSatisfy({ $0 == 0 })
    else { return nil }
    switch (operand.view.strides[operand.view.strides.count - 2], operand.view.strides.last) {
    case (1, 0): return 0
    case (0, 1): return 1
    default: return nil
    }
  }
}

extension ArraySlice<Int> {
  var product: Int { reduce(1, *) }
}
