/// Places values with known lifetimes in one block of memory.
///
/// Steps run in order; a value lives from the step that writes it to the last step that reads it,
/// both included. Best fit over a list of free ranges, which stays short because freed neighbours
/// merge.
struct MemoryPlan {
  struct Interval {
    var bytes: Int
    var first: Int32
    var last: Int32
  }

  private(set) var offsets: [Int]
  private(set) var totalBytes = 0

  private struct Free {
    var offset: Int
    var bytes: Int
  }

  static let alignment = 64

  init(_ intervals: [Interval], stepCount: Int) {
    offsets = [Int](repeating: 0, count: intervals.count)
    // Bucket by first and by last step: linear in steps and values.
    let starts = Self.bucket(intervals, stepCount) { Int($0.first) }
    let ends = Self.bucket(intervals, stepCount) { Int($0.last) }
    var free: [Free] = []
    for step in 0..<stepCount {
      for at in starts.ranges[step]..<starts.ranges[step + 1] {
        let value = starts.order[at]
        let bytes = Self.rounded(intervals[value].bytes)
        offsets[value] = take(bytes, from: &free)
      }
      for at in ends.ranges[step]..<ends.ranges[step + 1] {
        let value = ends.order[at]
        give(Free(offset: offsets[value], bytes: Self.rounded(intervals[value].bytes)), to: &free)
      }
    }
  }

  private static func rounded(_ bytes: Int) -> Int {
    (max(bytes, 1) + alignment - 1) / alignment * alignment
  }

  private static func bucket(
    _ intervals: [Interval], _ stepCount: Int, _ key: (Interval) -> Int
  ) -> (ranges: [Int], order: [Int]) {
    var ranges = [Int](repeating: 0, count: stepCount + 1)
    for interval in intervals { ranges[key(interval) + 1] += 1 }
    for step in 0..<stepCount { ranges[step + 1] += ranges[step] }
    var next = ranges
    var order = [Int](repeating: 0, count: intervals.count)
    for (index, interval) in intervals.enumerated() {
      let step = key(interval)
      order[next[step]] = index
      next[step] += 1
    }
    return (ranges, order)
  }

  private mutating func take(_ bytes: Int, from free: inout [Free]) -> Int {
    var best = -1
    for index in free.indices where free[index].bytes >= bytes {
      if best < 0 || free[index].bytes < free[best].bytes { best = index }
      if free[index].bytes == bytes { break }
    }
    if best >= 0 {
      let offset = free[best].offset
      if free[best].bytes == bytes {
        free.remove(at: best)
      } else {
        free[best].offset += bytes
        free[best].bytes -= bytes
      }
      return offset
    }
    // Extend the block, starting in a free range at its end if there is one.
    if let last = free.last, last.offset + last.bytes == totalBytes {
      free.removeLast()
      totalBytes = last.offset + bytes
      return last.offset
    }
    let offset = totalBytes
    totalBytes += bytes
    return offset
  }

  private func give(_ range: Free, to free: inout [Free]) {
    var low = 0
    var high = free.count
    while low < high {
      let middle = (low + high) / 2
      if free[middle].offset < range.offset { low = middle + 1 } else { high = middle }
    }
    var merged = range
    if low < free.count, merged.offset + merged.bytes == free[low].offset {
      merged.bytes += free[low].bytes
      free.remove(at: low)
    }
    if low > 0, free[low - 1].offset + free[low - 1].bytes == merged.offset {
      free[low - 1].bytes += merged.bytes
    } else {
      free.insert(merged, at: low)
    }
  }
}
