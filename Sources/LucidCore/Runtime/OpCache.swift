import Synchronization

/// The words that identify an eager operation: number, attribute bytes, and each operand's type.
/// The memory is kept per thread, so that a lookup allocates nothing.
struct KeyBuffer: ~Copyable {
  private var words: UnsafeMutablePointer<UInt64>
  private var capacity = 64
  private(set) var count = 0
  private(set) var hash: UInt64 = 0

  init() { words = .allocate(capacity: capacity) }
  deinit { words.deallocate() }

  mutating func reset() { (count, hash) = (0, 0x9E37_79B9_7F4A_7C15) }

  mutating func append(_ word: UInt64) {
    if count == capacity { grow() }
    words[count] = word
    count += 1
    // One multiplication per word; `finish` spreads the high bits.
    hash = (hash ^ word) &* 0xD6E8_FEB8_6659_FD93
    hash ^= hash >> 32
  }

  /// Appends bytes as words, the last filled up with zeros.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    append(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      append(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var last: UInt64 = 0
    while offset < bytes.count {
      last = last << 8 | UInt64(bytes[offset])
      offset += 1
      if offset == bytes.count { append(last) }
    }
  }

  private mutating func grow() {
    let larger = UnsafeMutablePointer<UInt64>.allocate(capacity: capacity * 2)
    larger.update(from: words, count: count)
    words.deallocate()
    words = larger
    capacity *= 2
  }

  func matches(_ other: [UInt64]) -> Bool {
    guard other.count == count else { return false }
    for i in 0..<count where other[i] != words[i] { return false }
    return true
  }

  func copy() -> [UInt64] { Array(UnsafeBufferPointer(start: words, count: count)) }
}

/// One operation on operands of certain types, ready to run.
final class OpEntry: Sendable {
  let key: [UInt64]
  let hash: UInt64
  let op: OpDef
  let attributes: Attributes
  let function: GraphFunction
  /// The types of the results.
  let results: [ConcreteType]
  /// How many random words a call takes; nil for operations that do not draw.
  let draws: Int?
  let view: ViewRule?

  init(
    key: [UInt64], hash: UInt64, op: OpDef, attributes: Attributes, function: GraphFunction,
    results: [ConcreteType], draws: Int?
  ) {
    (self.key, self.hash, self.op, self.attributes) = (key, hash, op, attributes)
    (self.function, self.results, self.draws) = (function, results, draws)
    view = op.view
  }

  /// About what an entry holds on to: its key, its graph, and a small executable.
  var byteCount: Int { 2048 + key.count * 8 + function.graph.nodes.count * 512 }
}

/// A thread's most recently used operations, one per slot.
struct RecentOps {
  private static let slots = 256
  private var entries = [OpEntry?](repeating: nil, count: slots)
  private var epoch: UInt64 = 0

  mutating func find(_ key: borrowing KeyBuffer) -> OpEntry? {
    if epoch != OpCache.epoch {
      epoch = OpCache.epoch
      entries = Array(repeating: nil, count: Self.slots)
    }
    guard let entry = entries[Self.slot(key.hash)], entry.hash == key.hash,
      key.matches(entry.key)
    else { return nil }
    return entry
  }

  mutating func insert(_ entry: OpEntry) { entries[Self.slot(entry.hash)] = entry }

  private static func slot(_ hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash &>> 40) & (slots - 1)
  }
}

/// A thread's way to the operations: scratch memory for keys, and the most recent entries.
struct OpLookup: ~Copyable {
  private var key = KeyBuffer()
  private var recent = RecentOps()

  /// The entry for a call, nil if there is none yet.
  mutating func find(
    _ op: OpID, _ operands: UnsafeBufferPointer<Tensor?>, _ attributes: UnsafeRawBufferPointer
  ) -> OpEntry? {
    key.reset()
    key.append(UInt64(op.index) | UInt64(operands.count) << 16)
    key.append(attributes)
    for operand in operands { key.append(operand?.type.id ?? 0) }
    if let entry = recent.find(key) {
      OpCache.countHit()
      return entry
    }
    guard let entry = OpCache.find(key) else { return nil }
    OpCache.countHit()
    recent.insert(entry)
    return entry
  }

  /// Adds the entry for the call that `find` was last asked for.
  mutating func insert(
    _ op: OpDef, _ attributes: Attributes, _ function: GraphFunction, draws: Int?
  ) -> OpEntry {
    let entry = OpEntry(
      key: key.copy(), hash: key.hash, op: op, attributes: attributes, function: function,
      results: function.concreteOutputs ?? [], draws: draws)
    OpCache.insert(entry)
    recent.insert(entry)
    return entry
  }
}

/// All operations that were applied, by key; bounded by what they hold on to.
enum OpCache {
  private struct Table {
    var entries: [UInt64: [OpEntry]] = [:]
    var count = 0
    var bytes = 0
    var misses = 0
  }

  private static let capacity = 64 << 20
  /// So many entries are kept whatever their size.
  private static let minimumCount = 4096
  private static let table = Mutex(Table())
  private static let currentEpoch = Atomic<UInt64>(1)
  private static let hitCount = Atomic<Int>(0)

  /// Grows when entries were dropped: threads then forget their recent ones.
  static var epoch: UInt64 { currentEpoch.load(ordering: .relaxed) }
  static var count: Int { table.withLock { $0.count } }
  static var misses: Int { table.withLock { $0.misses } }
  static var hits: Int { hitCount.load(ordering: .relaxed) }
  static func countHit() { hitCount.wrappingAdd(1, ordering: .relaxed) }

  static func find(_ key: borrowing KeyBuffer) -> OpEntry? {
    let candidates = table.withLock { [hash = key.hash] in $0.entries[hash] }
    guard let candidates else { return nil }
    for entry in candidates where key.matches(entry.key) { return entry }
    return nil
  }

  static func insert(_ entry: OpEntry) {
    table.withLock { table in
      table.misses += 1
      if table.count >= minimumCount, table.bytes + entry.byteCount > capacity {
        // Starting anew is rare and simple: what is in use comes back at once.
        table.entries = [:]
        (table.count, table.bytes) = (0, 0)
        currentEpoch.wrappingAdd(1, ordering: .relaxed)
      }
      table.entries[entry.hash, default: []].append(entry)
      table.count += 1
      table.bytes += entry.byteCount
    }
  }

  /// The entries of an operation on operands of these shapes.
  static func entries(_ op: String, _ shapes: [[Int]]) -> [OpEntry] {
    table.withLock { table in
      table.entries.values.joined().filter { entry in
        entry.op.name == op && entry.function.inputTypes.map(\.shape.values) == shapes
      }
    }
  }

  static func clear() {
    table.withLock { table in
      table.entries = [:]
      (table.count, table.bytes) = (0, 0)
      currentEpoch.wrappingAdd(1, ordering: .relaxed)
    }
  }
}
