import MetalPerformanceShaders

/// The part of a graph that an executable computes, flat: values are dense indices, nodes come in
/// an order in which every input is made before it is used.
struct GraphSlice {
  struct Node {
    var kind: OpKind
    var inputs: [Int32]
    var outputs: [Int32]
  }

  var nodes: [Node] = []
  /// The types the graph was built with; shapes may hold -1 or be unknown.
  var types: [TensorType] = []
  /// Values that are given at each run, in the order of the run's inputs.
  var feeds: [Int32] = []
  /// Values that each run returns, in order.
  var targets: [Int32] = []
  /// Operations that run for their effect.
  var effects: [Int32] = []
}
