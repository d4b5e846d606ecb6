import CKernels

/// Collects items into groups that become one kernel each.
///
/// Items are taken in order and join the groups that make their inputs where elements correspond.
/// No cycle can arise: every group has a depth above that of all groups it reads, and joins that
/// would have to raise the depth of a group that others already read are refused. So one pass,
/// linear in items, is enough.
struct Grouping {
  enum Kind {
    /// A fused program.
    case map
    /// A matrix product or convolution with a fused program on its result.
    case anchored
    /// One item.
    case single
  }

  struct Group {
    var kind: Kind
    var space: Space
    var depth: Int32
    /// Others read from it, so its depth is fixed.
    var isRead = false
    var items: [Int32]
    /// The product of an anchored group.
    var anchor: Int32 = -1
    /// The group it went into.
    var parent: Int32 = -1
  }

  static let itemLimit = 160

  var lowering: Lowering
  var groups: [Group] = []
  /// Per item, by way of `find`.
  var groupOfItem: [Int32]
  /// Per root: made in a group as a value that is uniform over the reduced dimensions.
  var isUniform: [Bool]
  /// Per item: whether it runs at all.
  var needed: [Bool]
  /// Per item: its position among all, which a copy of an item shares.
  var position: [Int32]

  init(_ lowering: Lowering, needed: [Bool]) {
    self.lowering = lowering
    self.needed = needed
    position = Array(0..<Int32(lowering.items.count))
    groupOfItem = [Int32](repeating: -1, count: lowering.items.count)
    isUniform = [Bool](repeating: false, count: lowering.roots.count)
    groups.reserveCapacity(lowering.items.count)
    for index in lowering.items.indices where needed[index] { place(Int32(index)) }
    mergeSiblings()
    moveToReaders()
    // What moved may now read what others read.
    mergeSiblings()
  }

  mutating func find(_ group: Int32) -> Int32 {
    var root = group
    while groups[Int(root)].parent >= 0 { root = groups[Int(root)].parent }
    var at = group
    while at != root {
      let next = groups[Int(at)].parent
      groups[Int(at)].parent = root
      at = next
    }
    return root
  }

  mutating func group(ofItem item: Int32) -> Int32 { find(groupOfItem[Int(item)]) }

  /// The group that makes a root, or -1 for what is there before the run.
  mutating func producer(_ root: Int32) -> Int32 {
    guard case .item(let item) = lowering.roots[Int(root)].source else { return -1 }
    return group(ofItem: item)
  }

  // MARK: One item

  private enum Mode { case full, uniform }

  private mutating func place(_ index: Int32) {
    let item = lowering.items[Int(index)]
    var home: Int32 = -1
    if item.isMap { home = joinProducers(index, item) }
    if home < 0 {
      home = Int32(groups.count)
      let shape = item.isMap ? item.inputs[0].view.shape : outputShape(item)
      var group = Group(kind: .single, space: Space(shape), depth: 0, items: [index])
      if item.isMap { group.kind = .map }
      if let space = AnchorRules.space(of: item, lowering) {
        group.kind = .anchored
        group.space = space
        group.anchor = index
      }
      var depth: Int32 = 0
      for input in item.inputs {
        let other = producer(input.root)
        if other >= 0 { depth = max(depth, groups[Int(other)].depth + 1) }
      }
      group.depth = depth
      setReduction(item, &group.space)
      groups.append(group)
      markUniform(item, home)
    }
    groupOfItem[Int(index)] = home
    for input in item.inputs {
      let other = producer(input.root)
      if other >= 0, other != home { groups[Int(other)].isRead = true }
    }
  }

  private func outputShape(_ item: Item) -> [Int] {
    item.outputs.first.map { lowering.roots[Int($0)].shape } ?? []
  }

  func reductionAxes(_ item: Item) -> [Int]? {
    switch item.kind {
    case .reduce(_, let axes), .argReduce(_, let axes): axes
    default: nil
    }
  }

  private func setReduction(_ item: Item, _ space: inout Space) {
    guard let axes = reductionAxes(item), let shape = item.inputs.first?.view.shape else { return }
    space.reduced = space.mask(of: axes, in: shape)
  }

  private mutating func markUniform(_ item: Item, _ home: Int32) {
    if reductionAxes(item) != nil { isUniform[Int(item.outputs[0])] = true }
  }

  /// Whether `input`, made in a group with this space, is seen element by element.
  func isAligned(_ input: Operand) -> Bool {
    let root = lowering.roots[Int(input.root)]
    return input.dtype == root.dtype && input.view.offset == 0 && input.view.isDense
      && input.view.count == root.count
  }

  /// How the item can read a value of the group in the group's own program; nil if it cannot.
  private func reads(_ input: Operand, _ space: Space, _ mode: Mode) -> Bool {
    if !isUniform[Int(input.root)] { return mode == .full && isAligned(input) }
    if mode == .uniform { return isAligned(input) }
    guard input.dtype == lowering.roots[Int(input.root)].dtype, input.view.offset == 0,
      let cut = space.refined(by: input.view.shape), cut == space
    else { return false }
    return space.strides(of: input.view) == space.uniformStrides
  }

  private mutating func joinProducers(_ index: Int32, _ item: Item) -> Int32 {
    let shape = item.inputs[0].view.shape
    let count = shape.product
    if count == 0 { return -1 }
    var candidates: [Int32] = []
    for input in item.inputs {
      let group = producer(input.root)
      if group >= 0, groups[Int(group)].kind != .single, !candidates.contains(group) {
        candidates.append(group)
      }
    }
    if candidates.isEmpty { return -1 }
    candidates.sort { groups[Int($0)].depth > groups[Int($1)].depth }
    var home: Int32 = -1
    for candidate in candidates {
      if home < 0 {
        if join(index, item, shape, count, candidate) { home = candidate }
      } else if merge(candidate, into: home, for: item, uniform: isUniform[Int(item.outputs[0])]) {
        continue
      }
    }
    return home
  }

  /// Adds the item to the group if that is possible.
  private mutating func join(
    _ index: Int32, _ item: Item, _ shape: [Int], _ count: Int, _ target: Int32
  ) -> Bool {
    let group = groups[Int(target)]
    guard group.items.count < Self.itemLimit else { return false }
    let axes = reductionAxes(item)
    if axes != nil, group.kind != .map { return false }
    let mode: Mode = group.space.count == count ? .full : .uniform
    var space = group.space
    if mode == .full {
      guard let refined = space.refined(by: shape) else { return false }
      space = refined
      if let axes {
        let mask = space.mask(of: axes, in: shape)
        if space.reduced != 0, space.reduced != mask { return false }
        space.reduced = mask
      }
    } else {
      guard axes == nil, space.reduced != 0, space.keptCount == count,
        let refined = Self.refineKept(space, shape)
      else { return false }
      space = refined
    }
    // Depth: everything else it reads must be computable before the group.
    var depth = group.depth
    for input in item.inputs {
      let other = producer(input.root)
      if other == target {
        guard reads(input, space, mode) else { return false }
      } else if other >= 0 {
        depth = max(depth, groups[Int(other)].depth + 1)
      }
    }
    if depth > group.depth, group.isRead { return false }
    if group.kind == .anchored, !AnchorRules.accepts(item, space, group.anchor, lowering) {
      return false
    }
    groups[Int(target)].space = space
    groups[Int(target)].depth = depth
    groups[Int(target)].items.append(index)
    if axes != nil || mode == .uniform { isUniform[Int(item.outputs[0])] = true }
    return true
  }

  /// Cuts the kept dimensions so that they follow the axes of `shape`.
  private static func refineKept(_ space: Space, _ shape: [Int]) -> Space? {
    var inner = Space(space.kept)
    guard let cut = inner.refined(by: shape) else { return nil }
    inner = cut
    if inner.dims == space.kept { return space }
    var dims: [Int] = []
    var mask: UInt32 = 0
    var next = 0
    for index in space.dims.indices {
      if space.reduced >> UInt32(index) & 1 == 1 {
        mask |= 1 << UInt32(dims.count)
        dims.append(space.dims[index])
      } else {
        var left = space.dims[index]
        while left > 1 {
          dims.append(inner.dims[next])
          left /= inner.dims[next]
          next += 1
        }
      }
    }
    guard dims.count <= 12 else { return nil }
    var result = Space(dims)
    result.reduced = mask
    return result
  }

  /// Puts all of `source` into `home`, which `item` joined and which reads both.
  private mutating func merge(
    _ source: Int32, into home: Int32, for item: Item, uniform: Bool
  ) -> Bool {
    let from = groups[Int(source)]
    let into = groups[Int(home)]
    guard from.kind == .map, from.items.count + into.items.count < Self.itemLimit,
      from.space.count == into.space.count,
      from.depth == into.depth || (from.depth < into.depth && !from.isRead),
      let space = into.space.merged(with: from.space)
    else { return false }
    // Only full values can be told to correspond when one of the two does not reduce.
    let mode: Mode = uniform ? .uniform : .full
    for input in item.inputs where producer(input.root) == source {
      guard reads(input, space, mode) else { return false }
    }
    if into.kind == .anchored {
      if space.reduced != 0 { return false }
      for member in from.items
      where !AnchorRules.accepts(lowering.items[Int(member)], space, into.anchor, lowering) {
        return false
      }
    }
    groups[Int(home)].space = space
    groups[Int(home)].items.append(contentsOf: from.items)
    groups[Int(home)].isRead = into.isRead || from.isRead
    groups[Int(source)].parent = home
    groups[Int(source)].items = []
    return true
  }
}
