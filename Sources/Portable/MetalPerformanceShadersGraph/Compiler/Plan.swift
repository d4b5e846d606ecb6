import CKernels
import Metal

/// Where a root's memory is: byte `offset` into a slot of the program's table.
struct Place {
  var slot: Int32 = -1
  var offset = 0
}

/// The numbering of a program's slots.
struct SlotLayout {
  /// Holds NULL: offsets into it are addresses, for constants.
  static let absolute: Int32 = 0
  static let arena: Int32 = 1
  static let firstFeed: Int32 = 2
  let feeds: Int
  let results: Int
  var variables: [VariableState] = []
  var packs = 0

  func feed(_ index: Int) -> Int32 { Self.firstFeed + Int32(index) }
  func result(_ index: Int) -> Int32 { Self.firstFeed + Int32(feeds + index) }
  func variable(_ index: Int) -> Int32 { Self.firstFeed + Int32(feeds + results + index) }
  func pack(_ index: Int) -> Int32 {
    Self.firstFeed + Int32(feeds + results + variables.count + index)
  }
  var count: Int { Int(Self.firstFeed) + feeds + results + variables.count + packs }
}

/// Decides what runs, in which order, and where every value is kept.
struct Plan {
  var lowering: Lowering
  var grouping: Grouping
  /// Groups in running order: a step or a few each.
  let order: [Int32]
  var slots: SlotLayout
  var places: [Place]
  /// Roots that are written to memory by the group that makes them.
  private(set) var isStored: [Bool]
  private(set) var arenaBytes = 0
  /// What the planner put into the arena, for the verifier.
  private(set) var intervals: [MemoryPlan.Interval] = []
  private(set) var intervalOffsets: [Int] = []

  init(_ source: consuming Lowering) {
    var lowering = source
    lowering.separateTargets()
    let needed = lowering.neededItems()
    lowering.chooseLayouts(needed: needed)
    var grouping = Grouping(lowering, needed: needed)
    order = Schedule(&grouping).order
    lowering = grouping.lowering
    slots = SlotLayout(feeds: lowering.slice.feeds.count, results: lowering.targets.count)
    places = [Place](repeating: Place(), count: lowering.roots.count)
    isStored = [Bool](repeating: false, count: lowering.roots.count)
    self.lowering = lowering
    self.grouping = grouping
    placeLeaves()
    placeStored()
  }

  /// In an order in which values are made before they are read.
  func items(of group: Int32) -> [Int32] {
    grouping.groups[Int(group)].items.sorted {
      grouping.position[Int($0)] < grouping.position[Int($1)]
    }
  }

  /// Feeds, constants and variables. Splats and indices get memory when a kernel asks for it.
  private mutating func placeLeaves() {
    for index in lowering.roots.indices {
      switch lowering.roots[index].source {
      case .feed(let feed): places[index] = Place(slot: slots.feed(feed))
      case .constant(let buffer):
        places[index] = Place(
          slot: SlotLayout.absolute, offset: Int(bitPattern: buffer.pointer))
      case .literal(let address):
        places[index] = Place(slot: SlotLayout.absolute, offset: Int(bitPattern: address))
      case .variable(let state):
        let known = slots.variables.firstIndex { $0 === state }
        if known == nil { slots.variables.append(state) }
        places[index] = Place(slot: slots.variable(known ?? slots.variables.count - 1))
      default: break
      }
    }
  }

  private mutating func placeStored() {
    let steps = order.count
    var firstUse = [Int32](repeating: -1, count: lowering.roots.count)
    var lastUse = [Int32](repeating: -1, count: lowering.roots.count)
    var stepOfGroup = [Int32](repeating: -1, count: grouping.groups.count)
    for (step, group) in order.enumerated() { stepOfGroup[Int(group)] = Int32(step) }
    // A root is stored if another group, or the caller, reads it.
    for (step, group) in order.enumerated() {
      for item in grouping.groups[Int(group)].items {
        for output in lowering.items[Int(item)].outputs { firstUse[Int(output)] = Int32(step) }
      }
    }
    for (step, group) in order.enumerated() {
      let isSingle = grouping.groups[Int(group)].kind == .single
      for item in grouping.groups[Int(group)].items {
        for input in lowering.items[Int(item)].inputs {
          let root = Int(input.root)
          if firstUse[root] != Int32(step) || isSingle {
            lastUse[root] = max(lastUse[root], Int32(step))
            isStored[root] = isStored[root] || firstUse[root] >= 0
          }
        }
        if isSingle {
          for output in lowering.items[Int(item)].outputs { isStored[Int(output)] = true }
        }
      }
    }
    for (index, target) in lowering.targets.enumerated() {
      isStored[Int(target.root)] = true
      places[Int(target.root)] = Place(slot: slots.result(index))
    }
    storeAnchors()
    var sharing = StorageSharing(self, firstUse: firstUse, lastUse: lastUse)
    sharing.placeInConcatenations()
    sharing.reuseDyingInputs()
    self = sharing.plan

    // One interval per storage in the arena.
    var intervalOf = [Int32](repeating: -1, count: lowering.roots.count)
    for root in lowering.roots.indices where isStored[root] {
      let owner = sharing.owner(of: Int32(root))
      guard places[Int(owner)].slot < 0 else { continue }
      let first = firstUse[root]
      let last = max(lastUse[root], first)
      if intervalOf[Int(owner)] < 0 {
        intervalOf[Int(owner)] = Int32(intervals.count)
        let bytes = lowering.roots[Int(owner)].count * lowering.roots[Int(owner)].dtype.bytes
        intervals.append(.init(bytes: bytes, first: first, last: last))
      } else {
        let index = Int(intervalOf[Int(owner)])
        intervals[index].first = min(intervals[index].first, first)
        intervals[index].last = max(intervals[index].last, last)
      }
    }
    let memory = MemoryPlan(intervals, stepCount: steps)
    intervalOffsets = memory.offsets
    arenaBytes = memory.totalBytes
    for root in lowering.roots.indices where isStored[root] && places[root].slot < 0 {
      let owner = Int(sharing.owner(of: Int32(root)))
      let base =
        places[owner].slot >= 0
        ? places[owner]
        : Place(slot: SlotLayout.arena, offset: memory.offsets[Int(intervalOf[owner])])
      places[root] = Place(slot: base.slot, offset: base.offset + sharing.offsets[root])
    }
  }

  /// An anchored group writes the anchor's own result if none of its other results can stand there.
  private mutating func storeAnchors() {
    for group in order where grouping.groups[Int(group)].kind == .anchored {
      if primaryResult(of: group) == nil {
        let anchor = Int(grouping.groups[Int(group)].anchor)
        isStored[Int(lowering.items[anchor].outputs[0])] = true
      }
    }
  }

  /// The stored floating value that the product's kernel itself writes: the last one made.
  func primaryResult(of group: Int32) -> Int32? {
    for item in items(of: group).reversed() {
      let output = lowering.items[Int(item)].outputs[0]
      if isStored[Int(output)], lowering.roots[Int(output)].dtype.isFloating { return output }
    }
    return nil
  }
}

extension Lowering {
  /// Gives every target a root of its own that can be written straight to the caller's buffer.
  mutating func separateTargets() {
    var taken = [Bool](repeating: false, count: roots.count)
    for index in targets.indices {
      let target = targets[index]
      let root = roots[Int(target.root)]
      var isOwn = false
      if case .item = root.source {
        isOwn =
          target.dtype == root.dtype && target.view.offset == 0 && target.view.isDense
          && target.view.count == root.count && !taken[Int(target.root)]
      }
      if !isOwn { targets[index] = addNew(.copy, [target], target.view.shape, target.dtype) }
      let used = Int(targets[index].root)
      while taken.count <= used { taken.append(false) }
      taken[used] = true
    }
  }

  /// Items that targets or effects depend on.
  func neededItems() -> [Bool] {
    var needed = [Bool](repeating: false, count: items.count)
    func mark(_ operand: Operand) {
      if case .item(let item) = roots[Int(operand.root)].source { needed[Int(item)] = true }
    }
    targets.forEach(mark)
    for index in items.indices.reversed() {
      if items[index].outputs.isEmpty { needed[index] = true }
      if needed[index] { items[index].inputs.forEach(mark) }
    }
    return needed
  }
}
