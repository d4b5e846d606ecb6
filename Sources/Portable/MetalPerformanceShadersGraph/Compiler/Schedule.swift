/// The order in which groups run: the original order as far as dependencies allow, so that values
/// die early.
struct Schedule {
  private(set) var order: [Int32] = []

  init(_ grouping: inout Grouping) {
    let lowering = grouping.lowering
    let count = grouping.groups.count
    var waiting = [Int32](repeating: 0, count: count)
    var edgeStarts = [Int32](repeating: 0, count: count + 1)
    var edges: [(from: Int32, to: Int32)] = []
    edges.reserveCapacity(lowering.items.count * 2)
    var lastItem = [Int32](repeating: -1, count: count)
    var effects = VariableOrder()
    for index in lowering.items.indices where grouping.needed[index] {
      let to = grouping.group(ofItem: Int32(index))
      lastItem[Int(to)] = max(lastItem[Int(to)], grouping.position[index])
      func depend(on from: Int32) {
        guard from != to else { return }
        edges.append((from, to))
        edgeStarts[Int(from) + 1] += 1
        waiting[Int(to)] += 1
      }
      for input in lowering.items[index].inputs {
        if case .item(let producer) = lowering.roots[Int(input.root)].source {
          depend(on: grouping.group(ofItem: producer))
        }
      }
      for from in effects.dependencies(of: lowering.items[index], lowering, in: to) {
        depend(on: from)
      }
    }
    for group in 0..<count { edgeStarts[group + 1] += edgeStarts[group] }
    var next = edgeStarts
    var readers = [Int32](repeating: 0, count: edges.count)
    for edge in edges {
      readers[Int(next[Int(edge.from)])] = edge.to
      next[Int(edge.from)] += 1
    }
    var ready = Heap()
    for group in 0..<count where lastItem[group] >= 0 && waiting[group] == 0 {
      ready.insert(Int(lastItem[group]) << 32 | group)
    }
    order.reserveCapacity(count)
    while let key = ready.removeSmallest() {
      let group = key & 0xffff_ffff
      order.append(Int32(group))
      for at in edgeStarts[group]..<edgeStarts[group + 1] {
        let reader = Int(readers[Int(at)])
        waiting[reader] -= 1
        if waiting[reader] == 0 { ready.insert(Int(lastItem[reader]) << 32 | reader) }
      }
    }
    let live = lastItem.reduce(0) { $0 + ($1 >= 0 ? 1 : 0) }
    precondition(order.count == live, "MPSGraph: the compiler made a cyclic program")
  }
}

/// Keeps reads and assignments of a variable in the order of the graph.
private struct VariableOrder {
  private var writers: [ObjectIdentifier: Int32] = [:]
  private var readers: [ObjectIdentifier: [Int32]] = [:]

  mutating func dependencies(of item: Item, _ lowering: Lowering, in group: Int32) -> [Int32] {
    var result: [Int32] = []
    for input in item.inputs {
      guard case .variable(let state) = lowering.roots[Int(input.root)].source else { continue }
      if let writer = writers[ObjectIdentifier(state)] { result.append(writer) }
      readers[ObjectIdentifier(state), default: []].append(group)
    }
    if case .kernel(.assignVariable) = item.kind, let target = item.inputs.first,
      case .variable(let state) = lowering.roots[Int(target.root)].source
    {
      result += readers[ObjectIdentifier(state)] ?? []
      readers[ObjectIdentifier(state)] = []
      writers[ObjectIdentifier(state)] = group
    }
    return result
  }
}

/// A binary heap of integers, smallest first.
private struct Heap {
  private var keys: [Int] = []

  mutating func insert(_ key: Int) {
    keys.append(key)
    var at = keys.count - 1
    while at > 0, keys[(at - 1) / 2] > keys[at] {
      keys.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  mutating func removeSmallest() -> Int? {
    guard let first = keys.first, let last = keys.popLast() else { return nil }
    if keys.isEmpty { return first }
    keys[0] = last
    var at = 0
    while true {
      var child = 2 * at + 1
      if child >= keys.count { break }
      if child + 1 < keys.count, keys[child + 1] < keys[child] { child += 1 }
      if keys[child] >= keys[at] { break }
      keys.swapAt(at, child)
      at = child
    }
    return first
  }
}
