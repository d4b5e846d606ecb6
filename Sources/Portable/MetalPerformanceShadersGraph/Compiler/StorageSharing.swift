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
    let lowering = plan.lowering
    for item in lowering.items.reversed() {
      guard case .kernel(.concat(let axis, interleave: false)) = item.kind,
        plan.isStored[Int(item.outputs[0])]
      else { continue }
      let result = item.outputs[0]
      let whole = plan.lowering.roots[Int(result)]
      let strides = whole.physical ?? rowMajorStrides(whole.shape)
      var position = 0
      for input in item.inputs {
        let start = position
        position += input.view.shape[axis]
        let root = plan.lowering.roots[Int(input.root)]
        // Sizes of 1 have no stride of their own to inherit.
        guard canMove(input, root), strides[axis] != 0 || start == 0 else { continue }
        owners[Int(input.root)] = owner(of: result)
        offsets[Int(input.root)] =
          offsets[Int(result)] + start * strides[axis] * root.dtype.bytes
        plan.lowering.roots[Int(input.root)].physical = strides
      }
    }
  }

  /// Only values of fused programs and products are moved, and only if all their readers see the
  /// whole of them.
  private func canMove(_ input: Operand, _ root: Root) -> Bool {
    guard case .item(let item) = root.source, root.physical == nil,
      plan.places[Int(input.root)].slot < 0, owners[Int(input.root)] == input.root,
      input.view == StridedView(whole: root.shape), root.count > 0
    else { return false }
    switch plan.lowering.items[Int(item)].kind {
    case .copy, .unary, .binary, .select, .clamp, .cast, .bitcast: break
    default: return false
    }
    return plan.grouping.groups[Int(groupOf(item))].kind == .map
      && !plan.grouping.isUniform[Int(input.root)] && readersSeeWhole[Int(input.root)]
  }

  private func groupOf(_ item: Int32) -> Int32 {
    var group = plan.grouping.groupOfItem[Int(item)]
    while plan.grouping.groups[Int(group)].parent >= 0 {
      group = plan.grouping.groups[Int(group)].parent
    }
    return group
  }

  private var readersSeeWhole: [Bool] {
    var result = [Bool](repeating: true, count: plan.lowering.roots.count)
    for item in plan.lowering.items {
      for input in item.inputs
      where input.view != StridedView(whole: plan.lowering.roots[Int(input.root)].shape) {
        result[Int(input.root)] = false
      }
    }
    return result
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
