import CKernels

/// Lets values share memory: inputs of a concatenation are written where the result wants them, and
/// elementwise results take the place of an input that nobody needs afterwards.
struct StorageSharing {
  var plan: Plan
  let firstUse: [Int32]
  let lastUse: [Int32]
  /// The root whose memory a root lies in; itself if it has its own.
  private var owners: [Int32]
  /// Bytes from the start of the owner's memory.
  private(set) var offsets: [Int]
  /// The last step that reads any value in the storage, by owner.
  private var storageEnd: [Int32]

  init(_ plan: Plan, firstUse: [Int32], lastUse: [Int32]) {
    self.plan = plan
    self.firstUse = firstUse
    self.lastUse = lastUse
    owners = Array(0..<Int32(plan.lowering.roots.count))
    offsets = [Int](repeating: 0, count: owners.count)
    storageEnd = lastUse
  }

  func owner(of root: Int32) -> Int32 {
    var at = root
    while owners[Int(at)] != at { at = owners[Int(at)] }
    return at
  }

  /// From the last concatenation to the first, so that nested ones find their place decided.
  mutating func placeInConcatenations() {
    let items = plan.lowering.items
    guard items.contains(where: { $0.isConcatenation }) else { return }
    let partialReads = countPartialReads()
    for item in items.reversed() where item.isConcatenation {
      guard case .kernel(.concat(let axis, _)) = item.kind, let result = item.outputs.first,
        plan.isStored[Int(result)]
      else { continue }
      let whole = plan.lowering.roots[Int(result)]
      let strides = whole.physical ?? rowMajorStrides(whole.shape)
      var position = 0
      for input in item.inputs {
        let start = position
        position += input.view.shape[axis]
        let root = plan.lowering.roots[Int(input.root)]
        // Sizes of 1 have no stride of their own to inherit.
        guard strides[axis] != 0 || start == 0, input.dtype == root.dtype,
          let order = Self.order(of: input.view, root.shape),
          canMove(input.root, partialReads[Int(input.root)] - (order.isIdentity ? 0 : 1))
        else { continue }
        owners[Int(input.root)] = owner(of: result)
        offsets[Int(input.root)] =
          offsets[Int(result)] + start * strides[axis] * root.dtype.bytes
        var physical = [Int](repeating: 0, count: root.shape.count)
        for (viewAxis, rootAxis) in order.axes where rootAxis >= 0 {
          physical[rootAxis] = strides[viewAxis]
        }
        plan.lowering.roots[Int(input.root)].physical = physical
      }
    }
  }

  /// For each axis of a view of all elements of a root the axis of the root that it is; nil for
  /// other views.
  private static func order(
    of view: StridedView, _ shape: [Int]
  ) -> (axes: [(Int, Int)], isIdentity: Bool)? {
    guard view.offset == 0, view.count == shape.product, view.count > 0 else { return nil }
    let strides = rowMajorStrides(shape)
    var axes: [(Int, Int)] = []
    for axis in view.shape.indices where view.shape[axis] > 1 {
      guard
        let from = shape.indices.first(where: {
          shape[$0] == view.shape[axis] && strides[$0] == view.strides[axis]
        })
      else { return nil }
      axes.append((axis, from))
    }
    return (axes, view == StridedView(whole: shape))
  }

  /// Per root: reads that do not see it as it is.
  private func countPartialReads() -> [Int] {
    var result = [Int](repeating: 0, count: plan.lowering.roots.count)
    for (index, item) in plan.lowering.items.enumerated() where plan.grouping.needed[index] {
      for input in item.inputs
      where input.view != StridedView(whole: plan.lowering.roots[Int(input.root)].shape) {
        result[Int(input.root)] += 1
      }
    }
    return result
  }

  /// Only what kernels write with any strides is moved, and only if its other readers see the whole.
  private func canMove(_ index: Int32, _ partialReads: Int) -> Bool {
    let root = plan.lowering.roots[Int(index)]
    guard case .item(let item) = root.source, root.physical == nil, partialReads == 0,
      plan.places[Int(index)].slot < 0, owners[Int(index)] == index, root.count > 0,
      plan.isStored[Int(index)]
    else { return false }
    switch plan.lowering.items[Int(item)].kind {
    case .copy, .unary, .binary, .select, .clamp, .cast, .bitcast:
      return plan.grouping.groups[Int(groupOf(item))].kind == .map
        && !plan.grouping.isUniform[Int(index)]
    case .attentionGradient: return true
    default: return false
    }
  }

  private func groupOf(_ item: Int32) -> Int32 {
    var group = plan.grouping.groupOfItem[Int(item)]
    while plan.grouping.groups[Int(group)].parent >= 0 {
      group = plan.grouping.groups[Int(group)].parent
    }
    return group
  }

  mutating func reuseDyingInputs() {
    let lowering = plan.lowering
    for (step, group) in plan.order.enumerated()
    where plan.grouping.groups[Int(group)].kind == .map {
      let members = plan.grouping.groups[Int(group)].items
      for item in members {
        for output in lowering.items[Int(item)].outputs
        where plan.isStored[Int(output)] && owners[Int(output)] == output
          && !plan.grouping.isUniform[Int(output)] && lowering.roots[Int(output)].count > 0
        {
          reuse(for: output, at: Int32(step), members)
        }
      }
    }
  }

  /// The candidate must end here, be read by this group only as a whole, and have the same type and
  /// order.
  private mutating func reuse(for output: Int32, at step: Int32, _ members: [Int32]) {
    let lowering = plan.lowering
    let root = lowering.roots[Int(output)]
    guard root.physical == nil, plan.places[Int(output)].slot < 0 else { return }
    for item in members {
      for input in lowering.items[Int(item)].inputs {
        let other = lowering.roots[Int(input.root)]
        guard plan.isStored[Int(input.root)], other.dtype == root.dtype, other.physical == nil,
          input.dtype == root.dtype,
          firstUse[Int(input.root)] < step, other.count == root.count
        else { continue }
        let storage = owner(of: input.root)
        guard storage == input.root || offsets[Int(input.root)] == 0,
          plan.places[Int(storage)].slot < 0, storageEnd[Int(storage)] == step,
          lowering.roots[Int(storage)].count == root.count,
          readsWhole(storage, members)
        else { continue }
        owners[Int(output)] = storage
        storageEnd[Int(storage)] = max(lastUse[Int(output)], step)
        return
      }
    }
  }

  /// True if every read of the storage by these items is of all elements in order.
  private func readsWhole(_ storage: Int32, _ members: [Int32]) -> Bool {
    for item in members {
      for input in plan.lowering.items[Int(item)].inputs where owner(of: input.root) == storage {
        let root = plan.lowering.roots[Int(input.root)]
        guard input.view.offset == 0, input.view.isDense, input.view.count == root.count,
          input.dtype == root.dtype
        else { return false }
      }
    }
    return true
  }
}

extension Item {
  fileprivate var isConcatenation: Bool {
    if case .kernel(.concat(_, interleave: false)) = kind { return true }
    return false
  }
}
