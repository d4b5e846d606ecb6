import CKernels

/// What the result of a matrix product or a convolution may have computed on it while it is still
/// in cache.
///
/// An epilogue sees blocks of a (batch, row, column) array. So every operand of it must have one
/// stride for each of the three.
enum AnchorRules {
  /// The elements of an anchor's result; nil for items that take no epilogue.
  static func space(of item: Item, _ lowering: Lowering) -> Space? {
    guard let output = item.outputs.first else { return nil }
    let root = lowering.roots[Int(output)]
    guard root.dtype.isFloating, root.count > 0 else { return nil }
    switch item.kind {
    case .matmul(let order):
      let whole = StridedView(whole: root.shape)
      let gemm = GemmShape(
        a: lowering.memoryView(item.inputs[0]), b: lowering.memoryView(item.inputs[1]),
        c: order.map { whole.transposed($0) } ?? whole)
      // In another order, rows must be the product's own, so that axes keep their roles.
      guard gemm.batch.count <= Int(CK_GEMM_BATCH), order == nil || gemm.foldedRows == 1 else {
        return nil
      }
      return Space(root.shape)
    case .kernel(.conv2D(let spec)):
      // Pixels must follow each other in memory, so that the tile's rows are the result's.
      if !spec.channelsLast, root.physical == nil { return nil }
      return Space(root.shape)
    default: return nil
    }
  }

  /// Runs of the result's row-major element count, outermost first, and for each whether it counts
  /// batches (0), rows (1) or columns (2).
  static func segments(of item: Item, _ lowering: Lowering) -> [(count: Int, role: Int)] {
    let shape = lowering.roots[Int(item.outputs[0])].shape
    switch item.kind {
    case .kernel(.conv2D(let spec)):
      if spec.channelsLast {
        return [(shape[0] * shape[1] * shape[2], 1), (shape[3], 2)]
      }
      return [(shape[0], 1), (shape[1], 2), (shape[2] * shape[3], 1)]
    case .matmul(.some(let order)):
      // The axes in their stored order, each in the role it has in the product.
      let rank = order.count
      return shape.indices.map { axis in
        let position = order.firstIndex(of: axis) ?? 0
        return (shape[axis], position == rank - 1 ? 2 : position == rank - 2 ? 1 : 0)
      }
    default:
      let gemm = GemmShape(
        a: lowering.memoryView(item.inputs[0]), b: lowering.memoryView(item.inputs[1]),
        c: StridedView(whole: shape))
      return [(gemm.batchCount, 0), (gemm.m, 1), (gemm.n, 2)]
    }
  }

  static func accepts(
    _ item: Item, _ space: Space, _ anchor: Int32, _ lowering: Lowering
  ) -> Bool {
    if case .reduce = item.kind { return false }
    if case .argReduce = item.kind { return false }
    let segments = segments(of: lowering.items[Int(anchor)], lowering)
    for input in item.inputs {
      switch lowering.roots[Int(input.root)].source {
      case .splat: continue
      case .iota: return false
      default: break
      }
      let view = lowering.memoryView(input)
      if epilogueStrides(view, space, segments) == nil { return false }
    }
    return true
  }

  /// Strides per (batch, row, column); nil where one of the three has none.
  static func epilogueStrides(
    _ view: StridedView, _ space: Space, _ segments: [(count: Int, role: Int)]
  ) -> [Int]? {
    guard let cut = space.refined(by: view.shape), cut == space else { return nil }
    let strides = space.strides(of: view)
    var result = [0, 0, 0]
    var spans = [1, 1, 1]
    var index = space.dims.count - 1
    for segment in segments.reversed() {
      var left = segment.count
      while left > 1 {
        guard index >= 0, left % space.dims[index] == 0 else { return nil }
        let size = space.dims[index]
        let role = segment.role
        if spans[role] == 1 {
          result[role] = strides[index]
        } else if strides[index] != result[role] * spans[role] {
          return nil
        }
        spans[role] *= size
        left /= size
        index -= 1
      }
    }
    return result
  }
}
