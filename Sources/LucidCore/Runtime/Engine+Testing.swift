extension Engine {
  /// How many entries the operation cache has for an operation on operands of these shapes, and how
  /// many forms of their executables: tests run in parallel, so totals tell nothing.
  package static func cached(_ op: String, _ shapes: [[Int]]) -> (entries: Int, executables: Int) {
    let entries = OpCache.entries(op, shapes)
    return (entries.count, entries.reduce(0) { $0 + $1.function.executableCount })
  }
}
