import CKernels

/// Second thoughts about groups, when all readers are known: fewer passes over memory.
extension Grouping {
  // MARK: Siblings

  /// Puts groups that read the same elements, and do not depend on each other, into one program.
  mutating func mergeSiblings() {
    let readers = Readers(self)
    for root in lowering.roots.indices {
      let range = readers.range(root)
      guard range.count > 1 else { continue }
      var latest: [Int32: Int32] = [:]
      for at in range {
        let item = lowering.items[Int(readers.items[at])]
        let group = self.group(ofItem: readers.items[at])
        guard groups[Int(group)].kind == .map,
          groups[Int(group)].space.count == lowering.roots[root].count,
          item.inputs.contains(where: { $0.root == Int32(root) && isAligned($0) })
        else { continue }
        // Groups of one depth do not depend on each other.
        let depth = groups[Int(group)].depth
        guard let other = latest[depth].map({ find($0) }), other != group,
          unite(group, into: other)
        else {
          latest[depth] = group
          continue
        }
      }
    }
  }

  private mutating func unite(_ source: Int32, into home: Int32) -> Bool {
    let (from, into) = (groups[Int(source)], groups[Int(home)])
    guard from.items.count + into.items.count < Self.itemLimit,
      from.space.reduced == 0 || into.space.reduced == 0
        || from.space.keptCount == into.space.keptCount,
      let space = into.space.merged(with: from.space)
    else { return false }
    groups[Int(home)].space = space
    groups[Int(home)].items += from.items
    groups[Int(home)].isRead = into.isRead || from.isRead
    groups[Int(source)].parent = home
    groups[Int(source)].items = []
    return true
  }

  // MARK: Moving to the reader

  /// Computes values where they are read, if that moves fewer bytes than storing them where they
  /// were computed.
  mutating func moveToReaders() {
    let readers = Readers(self)
    var isTarget = [Bool](repeating: false, count: lowering.roots.count)
    for target in lowering.targets { isTarget[Int(target.root)] = true }
    let order = groups.indices.filter {
      groups[$0].parent < 0 && groups[$0].kind != .single && groups[$0].items.count > 1
    }.sorted { groups[$0].depth < groups[$1].depth }
    for group in order { sink(Int32(group), readers, isTarget) }
    for group in order { repeatCheap(Int32(group), readers, isTarget) }
  }

  /// Moves items that only one other group needs to that group.
  private mutating func sink(_ group: Int32, _ readers: Readers, _ isTarget: [Bool]) {
    let members = groups[Int(group)].items.sorted { position[Int($0)] > position[Int($1)] }
    var wanted: [Int32: Int32] = [:]
    var homes: [Int32] = []
    for member in members {
      guard let home = onlyReader(member, group, readers, isTarget, wanted) else { continue }
      wanted[member] = home
      if !homes.contains(home) { homes.append(home) }
    }
    for home in homes {
      let moving = members.filter { wanted[$0] == home }
      if gain(of: moving, from: group, to: home, readers, isTarget) <= 0 { continue }
      guard let space = fits(moving, group: group, home) else { continue }
      groups[Int(home)].space = space
      groups[Int(home)].items += moving
      groups[Int(group)].items.removeAll { moving.contains($0) }
      for item in moving { groupOfItem[Int(item)] = home }
    }
  }

  /// The one group that needs an elementwise item's value.
  private mutating func onlyReader(
    _ member: Int32, _ group: Int32, _ readers: Readers, _ isTarget: [Bool],
    _ wanted: [Int32: Int32]
  ) -> Int32? {
    guard isMovable(member, group) else { return nil }
    let root = Int(lowering.items[Int(member)].outputs[0])
    guard !isTarget[root] else { return nil }
    var home: Int32?
    for at in readers.range(root) {
      let reader = readers.items[at]
      let other = self.group(ofItem: reader)
      guard let candidate = other == group ? wanted[reader] : other,
        home == nil || home == candidate,
        other == group || readsElements(reader, of: Int32(root), in: other)
      else { return nil }
      home = candidate
    }
    guard let home, groups[Int(home)].kind != .single else { return nil }
    return home
  }

  private func isMovable(_ member: Int32, _ group: Int32) -> Bool {
    let item = lowering.items[Int(member)]
    return item.isMap && reductionAxes(item) == nil && member != groups[Int(group)].anchor
      && !isUniform[Int(item.outputs[0])]
  }

  /// Whether a group's item reads a root element by element of the group's space.
  private func readsElements(_ reader: Int32, of root: Int32, in group: Int32) -> Bool {
    guard groups[Int(group)].kind != .single,
      groups[Int(group)].space.count == lowering.roots[Int(root)].count,
      lowering.items[Int(reader)].isMap
    else { return false }
    return lowering.items[Int(reader)].inputs.allSatisfy { $0.root != root || isAligned($0) }
  }

  /// The space of `home` with the items in it; nil if they cannot be there.
  private func fits(_ moving: [Int32], group: Int32, _ home: Int32) -> Space? {
    let target = groups[Int(home)]
    guard target.items.count + moving.count < Self.itemLimit else { return nil }
    var space = target.space
    for member in moving {
      let item = lowering.items[Int(member)]
      guard let refined = space.refined(by: item.inputs[0].view.shape) else { return nil }
      space = refined
    }
    if target.kind == .anchored {
      for member in moving + target.items where member != target.anchor {
        guard AnchorRules.accepts(lowering.items[Int(member)], space, target.anchor, lowering)
        else { return nil }
      }
    }
    return space
  }

  private func bytes(_ root: Int32, _ space: Space) -> Int {
    let root = lowering.roots[Int(root)]
    return root.count * 4 < space.count ? 0 : root.count * root.dtype.bytes
  }

  /// Bytes that are not moved any more, less those that are moved in addition.
  private mutating func gain(
    of moving: [Int32], from group: Int32, to home: Int32, _ readers: Readers, _ isTarget: [Bool]
  ) -> Int {
    let space = groups[Int(group)].space
    var gain = 0
    var counted: [Int32] = []
    for member in moving {
      let item = lowering.items[Int(member)]
      let root = item.outputs[0]
      // Written here and read there, for now.
      if readers.range(Int(root)).contains(where: { self.group(ofItem: readers.items[$0]) == home })
      {
        gain += 2 * bytes(root, space)
      }
      for input in item.inputs where !counted.contains(input.root) {
        counted.append(input.root)
        let maker = producer(input.root)
        if case .item(let source) = lowering.roots[Int(input.root)].source,
          moving.contains(source)
        {
          continue
        }
        if case .splat = lowering.roots[Int(input.root)].source { continue }
        if case .iota = lowering.roots[Int(input.root)].source { continue }
        var isReadThere = false
        var isReadElsewhere = isTarget[Int(input.root)]
        var isStillReadHere = false
        for at in readers.range(Int(input.root)) {
          let reader = readers.items[at]
          let other = self.group(ofItem: reader)
          if other == home { isReadThere = true }
          if other != group { isReadElsewhere = true }
          if other == group, !moving.contains(reader) { isStillReadHere = true }
        }
        let size = bytes(input.root, space)
        if !isReadThere { gain -= size }
        if maker == group {
          if !isReadElsewhere { gain -= size }
        } else if !isStillReadHere {
          gain += size
        }
      }
    }
    return gain
  }

  // MARK: Repeating cheap work

  /// Recomputes values in each group that reads them, from values that are in memory anyway, when
  /// the value then need not be written at all.
  private mutating func repeatCheap(_ group: Int32, _ readers: Readers, _ isTarget: [Bool]) {
    let space = groups[Int(group)].space
    let members = groups[Int(group)].items.sorted { position[Int($0)] > position[Int($1)] }
    for member in members {
      let root = lowering.items[Int(member)].outputs[0]
      // Copies made just now are where they belong.
      guard Int(root) < isTarget.count, isMovable(member, group), !isTarget[Int(root)],
        bytes(root, space) > 0
      else { continue }
      var homes: [Int32] = []
      var possible = true
      for at in readers.range(Int(root)) {
        let reader = readers.items[at]
        let other = self.group(ofItem: reader)
        if other == group { continue }
        possible = possible && readsElements(reader, of: root, in: other)
        if !homes.contains(other) { homes.append(other) }
      }
      guard possible, !homes.isEmpty, homes.count <= 4,
        let cone = cheapCone(member, group, readers, isTarget)
      else { continue }
      // Not written once and not read by each; but the cone's operands are.
      var gain = bytes(root, space)
      for home in homes {
        gain += bytes(root, space)
        for leaf in cone.leaves {
          let isThere = readers.range(Int(leaf)).contains {
            self.group(ofItem: readers.items[$0]) == home
          }
          if !isThere { gain -= bytes(leaf, space) }
        }
      }
      guard gain > 0, homes.allSatisfy({ fits(cone.items, group: group, $0) != nil }) else {
        continue
      }
      for home in homes { copy(cone.items, of: root, to: home, readers) }
    }
  }

  /// The cheap items behind a value, back to values that are in memory whatever happens.
  private mutating func cheapCone(
    _ member: Int32, _ group: Int32, _ readers: Readers, _ isTarget: [Bool]
  ) -> (items: [Int32], leaves: [Int32])? {
    var items: [Int32] = []
    var leaves: [Int32] = []
    var open = [member]
    while let next = open.popLast() {
      guard !items.contains(next) else { continue }
      items.append(next)
      guard items.count <= 6, lowering.items[Int(next)].isCheap else { return nil }
      for input in lowering.items[Int(next)].inputs {
        switch lowering.roots[Int(input.root)].source {
        case .splat, .iota: continue
        case .feed, .constant, .literal, .variable: leaves.append(input.root)
        case .item(let source):
          let isStored =
            producer(input.root) != group
            || Int(input.root) < isTarget.count && isTarget[Int(input.root)]
            || readers.range(Int(input.root)).contains {
              self.group(ofItem: readers.items[$0]) != group
            }
          if isStored {
            leaves.append(input.root)
          } else if isMovable(source, group) {
            open.append(source)
          } else if isUniform[Int(input.root)] {
            leaves.append(input.root)
          } else {
            return nil
          }
        }
      }
    }
    return (items, leaves.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
  }

  /// Gives `home` its own copies of the items and lets it read the last one's value.
  private mutating func copy(_ cone: [Int32], of root: Int32, to home: Int32, _ readers: Readers) {
    guard let space = fits(cone, group: home, home) else { return }
    var renamed: [Int32: Int32] = [:]
    for original in cone.sorted(by: { position[Int($0)] < position[Int($1)] }) {
      var item = lowering.items[Int(original)]
      for index in item.inputs.indices {
        if let name = renamed[item.inputs[index].root] { item.inputs[index].root = name }
      }
      let old = lowering.roots[Int(item.outputs[0])]
      let copy = lowering.addRoot(.item(Int32(lowering.items.count)), old.shape, old.dtype)
      lowering.roots[Int(copy)].physical = old.physical
      renamed[item.outputs[0]] = copy
      item.outputs = [copy]
      groups[Int(home)].items.append(Int32(lowering.items.count))
      lowering.items.append(item)
      groupOfItem.append(home)
      needed.append(true)
      position.append(position[Int(original)])
      isUniform.append(false)
    }
    groups[Int(home)].space = space
    guard let name = renamed[root] else { return }
    for at in readers.range(Int(root)) where self.group(ofItem: readers.items[at]) == home {
      let reader = Int(readers.items[at])
      for index in lowering.items[reader].inputs.indices
      where lowering.items[reader].inputs[index].root == root {
        lowering.items[reader].inputs[index].root = name
      }
    }
  }
}

/// The items that read each root.
struct Readers {
  private var starts: [Int32]
  private(set) var items: [Int32] = []

  init(_ grouping: Grouping) {
    let lowering = grouping.lowering
    starts = [Int32](repeating: 0, count: lowering.roots.count + 1)
    for (index, item) in lowering.items.enumerated() where grouping.needed[index] {
      for input in item.inputs { starts[Int(input.root) + 1] += 1 }
    }
    for root in lowering.roots.indices { starts[root + 1] += starts[root] }
    var next = starts
    items = [Int32](repeating: 0, count: Int(starts[lowering.roots.count]))
    for (index, item) in lowering.items.enumerated() where grouping.needed[index] {
      for input in item.inputs {
        items[Int(next[Int(input.root)])] = Int32(index)
        next[Int(input.root)] += 1
      }
    }
  }

  /// Positions in `items`; none for roots that are newer than this.
  func range(_ root: Int) -> Range<Int> {
    root + 1 < starts.count ? Int(starts[root])..<Int(starts[root + 1]) : 0..<0
  }
}

extension Item {
  /// Work that costs less than reading its result from memory.
  var isCheap: Bool {
    switch kind {
    case .copy, .select, .clamp, .cast: true
    case .unary(let op):
      switch op {
      case .negative, .absolute, .sign, .square, .relu, .not: true
      default: false
      }
    case .binary(let op):
      switch op {
      case .add, .subtract, .multiply, .minimum, .maximum, .minimumNaN, .maximumNaN: true
      default: op.isBoolean
      }
    default: false
    }
  }
}
