extension Plan {
  /// Numbers about a plan.
  public struct Facts: Sendable {
    public let nodes, arguments, captured, results, writes, draws, runs: Int
    public let executable: UInt64
    public let traceSeconds, lowerSeconds, compileSeconds, lastRunSeconds: Double
  }

  public func facts() throws(LucidError) -> Facts {
    let executable = function.graph.outputs.isEmpty ? nil : try function.executable()
    return Facts(
      nodes: function.graph.nodes.count, arguments: arguments.count, captured: captured.count,
      results: results.count, writes: writes.count, draws: draws.count, runs: runs,
      executable: executable?.id ?? 0, traceSeconds: traceSeconds,
      lowerSeconds: executable?.lowerSeconds ?? 0, compileSeconds: executable?.compileSeconds ?? 0,
      lastRunSeconds: lastRunSeconds)
  }

  /// How a plan can be shown. Raw values cross the C interface.
  public enum Form: Int32, Sendable {
    case text = 0
    case json = 1
    /// The engine's program.
    case program = 2
    /// Why the batch is fixed; empty if it is not.
    case fixedReason = 3
  }

  public func dump(_ form: Form) throws(LucidError) -> String {
    switch form {
    case .text: return GraphPrinter.text(function.graph)
    case .json: return GraphPrinter.json(function.graph)
    case .program:
      return function.graph.outputs.isEmpty ? "" : try function.executable().programDescription
    case .fixedReason: return fixedReason ?? ""
    }
  }
}
