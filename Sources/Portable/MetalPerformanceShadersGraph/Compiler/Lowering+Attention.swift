import CKernels
import MetalPerformanceShaders

/// Attention with exactly two batch axes, and masks that need not be computed.
extension Lowering {
  /// A forward attention that a gradient may take its result from.
  struct AttentionRecord {
    var item: Int32
    var operands: AttentionOperands
    /// [batch, heads, queries, values]
    var result: Operand
  }

  struct AttentionOperands {
    /// Query, key and value, each [batch, heads, length, depth], and the mask if it is needed.
    var inputs: [Operand]
    var isCausal: Bool
    var scale: Float
    /// [batch, heads, queries, values]
    var sizes: [Int]
  }

  mutating func lowerAttention(_ node: GraphSlice.Node) -> Bool {
    switch node.kind {
    case .attention(let scale, let hasMask):
      let output = node.outputs[0]
      let operands = attentionOperands(node, scale, hasMask, shape(output))
      let result = attention(
        operands, types[Int(output)].dtype.kernelType, swapped: wantsSwap(output))
      self.operands[Int(output)] = reshape(result, to: shape(output))
    case .attentionGradient(let scale, let hasMask):
      lowerAttentionGradient(node, scale, hasMask)
    default: return false
    }
    return true
  }

  private func wantsSwap(_ value: Int32) -> Bool {
    shape(value).count == 4 && wantedOrder(value) == [0, 2, 1, 3]
  }

  private mutating func attentionOperands(
    _ node: GraphSlice.Node, _ scale: Float, _ hasMask: Bool, _ result: [Int]
  ) -> AttentionOperands {
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
    return AttentionOperands(
      inputs: inputs, isCausal: isCausal, scale: scale,
      sizes: [batch, heads, result[rank - 2], result[rank - 1]])
  }

  /// `swapped`: heads lie inside positions, which is what the projection behind it reads.
  private mutating func attention(
    _ operands: AttentionOperands, _ dtype: ck_dtype, swapped: Bool
  ) -> Operand {
    let item = Int32(items.count)
    let result = swappable(
      .attention(scale: operands.scale, isCausal: operands.isCausal), operands.inputs,
      operands.sizes, dtype, swapped)
    attentions.append(AttentionRecord(item: item, operands: operands, result: result))
    return result
  }

  private mutating func swappable(
    _ kind: Item.Kind, _ inputs: [Operand], _ sizes: [Int], _ dtype: ck_dtype, _ swapped: Bool
  ) -> Operand {
    let root = addSwappable(sizes, dtype, swapped)
    items.append(Item(kind: kind, inputs: inputs, outputs: [root.root]))
    return root
  }

  private mutating func addSwappable(
    _ sizes: [Int], _ dtype: ck_dtype, _ swapped: Bool
  ) -> Operand {
    let source = RootSource.item(Int32(items.count))
    guard swapped else { return addWhole(source, sizes, dtype) }
    let root = addRoot(source, [sizes[0], sizes[2], sizes[1], sizes[3]], dtype)
    roots[Int(root)].isSwapped = true
    var operand = whole(root)
    operand.view = operand.view.transposed([0, 2, 1, 3])
    return operand
  }

  /// Needs the forward result and the logarithms of the rows' sums: from the forward item of this
  /// program if there is one, else computed again.
  private mutating func lowerAttentionGradient(
    _ node: GraphSlice.Node, _ scale: Float, _ hasMask: Bool
  ) {
    guard let last = node.inputs.last else { return }
    let shape = shape(last)
    let operands = attentionOperands(node, scale, hasMask, shape)
    let dtype = types[Int(node.outputs[0])].dtype.kernelType
    if !attentions.contains(where: { Self.isSame($0.operands, operands) }) {
      _ = attention(operands, dtype, swapped: false)
    }
    guard let record = attentions.first(where: { Self.isSame($0.operands, operands) }) else {
      return
    }
    let forward = Int(record.item)
    if items[forward].outputs.count == 1 {
      items[forward].outputs.append(
        addRoot(.item(record.item), Array(operands.sizes.dropLast()), CK_F32))
    }
    let gradient = reshape(operand(last), to: operands.sizes)
    let inputs = operands.inputs + [record.result, whole(items[forward].outputs[1]), gradient]
    var outputs: [Int32] = []
    for (index, value) in node.outputs.enumerated() {
      let root = addSwappable(operands.inputs[index].view.shape, dtype, wantsSwap(value))
      outputs.append(root.root)
      self.operands[Int(value)] = root
    }
    items.append(
      Item(
        kind: .attentionGradient(
          scale: scale, isCausal: operands.isCausal, hasMask: operands.inputs.count > 3),
        inputs: inputs, outputs: outputs))
    // The outputs were made before the item: reshapes, which may add items, come after.
    for value in node.outputs {
      self.operands[Int(value)] = reshape(operand(value), to: self.shape(value))
    }
  }

  private static func isSame(_ a: AttentionOperands, _ b: AttentionOperands) -> Bool {
    a.isCausal == b.isCausal && a.scale == b.scale && a.inputs.count == b.inputs.count
      && zip(a.inputs, b.inputs).allSatisfy {
        $0.root == $1.root && $0.dtype == $1.dtype && $0.view == $1.view
      }
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
    guard let left = indexAxis(test.inputs[0], scores),
      let right = indexAxis(test.inputs[1], scores)
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
