import Synchronization

/// The process's compiled graphs, by their full structure: equal models compile once. The least
/// recently used go first.
enum ExecutableCache {
  private struct Entry {
    let executable: Executable
    var lastUse: UInt64
  }

  private struct Table {
    var entries: [Graph: Entry] = [:]
    var clock: UInt64 = 0
    var counters = Counters()
  }

  /// How the cache was used.
  struct Counters: Sendable {
    var hits = 0
    var misses = 0
    var evictions = 0
  }

  private static let capacity = 128
  private static let table = Mutex(Table())

  static var counters: Counters { table.withLock { $0.counters } }

  static func executable(for graph: Graph) throws(LucidError) -> Executable {
    let known = table.withLock { table -> Executable? in
      table.clock += 1
      guard let executable = table.entries[graph]?.executable else {
        table.counters.misses += 1
        return nil
      }
      table.counters.hits += 1
      table.entries[graph]?.lastUse = table.clock
      return executable
    }
    if let known { return known }
    let made = try Executable(graph)
    return table.withLock { table in
      if let other = table.entries[graph] { return other.executable }
      if table.entries.count >= capacity,
        let oldest = table.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
      {
        table.entries[oldest] = nil
        table.counters.evictions += 1
      }
      table.clock += 1
      table.entries[graph] = Entry(executable: made, lastUse: table.clock)
      return made
    }
  }

  static func clear() { table.withLock { $0.entries = [:] } }
}
