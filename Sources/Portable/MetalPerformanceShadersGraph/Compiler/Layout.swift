import CKernels

/// Physical orders: images between convolutions are kept with channels innermost, whatever the
/// logical order, so that no convolution has to rearrange them.
extension Lowering {
  /// The view with strides over the root's memory.
  func memoryView(_ operand: Operand) -> StridedView {
    let root = roots[Int(operand.root)]
    guard let physical = root.physical else { return operand.view }
    guard let view = Self.remapped(operand.view, root.shape, physical) else {
      preconditionFailure("MPSGraph: a view does not fit the order chosen for its root")
    }
    return view
  }

  /// The view over a root that is stored with `physical` strides; nil where strides cannot say it.
  static func remapped(
    _ view: StridedView, _ shape: [Int], _ physical: [Int]
  ) -> StridedView? {
    let logical = rowMajorStrides(shape)
    var result = view
    for axis in view.shape.indices where view.shape[axis] > 1 && view.strides[axis] != 0 {
      let step = view.strides[axis].magnitude
      // The axis of the root that one step walks along: the outermost whose stride divides it.
      guard
        let along = shape.indices.first(where: {
          logical[$0] > 0 && step % UInt(logical[$0]) == 0
        })
      else { return nil }
      let steps = Int(step) / logical[along]
      guard steps * (view.shape[axis] - 1) < shape[along] else { return nil }
      let direction = view.strides[axis] < 0 ? -1 : 1
      result.strides[axis] = direction * steps * physical[along]
    }
    var left = view.offset
    result.offset = 0
    for axis in shape.indices where logical[axis] > 0 {
      result.offset += left / logical[axis] * physical[axis]
      left %= logical[axis]
    }
    return result
  }

  /// Chooses the order of every root. Runs before grouping, which looks at strides.
  mutating func chooseLayouts(needed: [Bool]) {
    guard items.contains(where: Self.prefersChannelsLast) else { return }
    var rowMajor = [Bool](repeating: false, count: roots.count)
    for target in targets { rowMajor[Int(target.root)] = true }
    for (index, item) in items.enumerated() where needed[index] {
      for input in item.inputs where !fitsChannelsLast(input, item) {
        rowMajor[Int(input.root)] = true
      }
    }
    for (index, item) in items.enumerated() where needed[index] {
      guard let output = item.outputs.first, !rowMajor[Int(output)] else { continue }
      let shape = roots[Int(output)].shape
      guard shape.count == 4, shape.allSatisfy({ $0 > 0 }) else { continue }
      if Self.prefersChannelsLast(item) || followsChannelsLast(item, shape) {
        roots[Int(output)].physical = Self.channelsLastStrides(shape)
      }
    }
  }

  private static func channelsLastStrides(_ shape: [Int]) -> [Int] {
    [shape[1] * shape[2] * shape[3], 1, shape[3] * shape[1], shape[1]]
  }

  private static func prefersChannelsLast(_ item: Item) -> Bool {
    switch item.kind {
    case .kernel(.conv2D(let spec)), .kernel(.conv2DDataGradient(let spec)): !spec.channelsLast
    default: false
    }
  }

  /// Elementwise items and pools keep the order of what they read.
  private func followsChannelsLast(_ item: Item, _ shape: [Int]) -> Bool {
    switch item.kind {
    case .kernel(.pool2D(let spec)), .kernel(.pool2DGradient(let spec)):
      if spec.channelsLast { return false }
    case .reduce, .argReduce, .matmul, .attention, .attentionGradient, .kernel, .none: return false
    default: break
    }
    return item.inputs.contains { input in
      let root = roots[Int(input.root)]
      return root.physical != nil && root.shape.count == 4
        && (root.shape == shape || !item.isMap)
    }
  }

  private func fitsChannelsLast(_ input: Operand, _ item: Item) -> Bool {
    let shape = roots[Int(input.root)].shape
    guard shape.count == 4 else { return true }
    if input.view == StridedView(whole: shape) {
      switch item.kind {
      case .kernel(let kind): return Self.takesAnyOrder(kind)
      default: return true
      }
    }
    guard item.isMap, !shape.contains(0) else { return false }
    return Self.remapped(input.view, shape, Self.channelsLastStrides(shape)) != nil
  }

  private static func takesAnyOrder(_ kind: OpKind) -> Bool {
    switch kind {
    case .conv2D, .conv2DDataGradient, .conv2DWeightsGradient, .pool2D, .pool2DGradient, .concat,
      .pad:
      true
    default: false
    }
  }
}
