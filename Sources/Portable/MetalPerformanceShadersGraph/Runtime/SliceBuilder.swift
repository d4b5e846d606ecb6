import MetalPerformanceShaders

extension GraphSlice {
  /// The operations that targets and effects need, renumbered.
  init(
    graph: MPSGraph, feeds: [(tensor: MPSGraphTensor, type: TensorType)],
    targets: [MPSGraphTensor], operations: [MPSGraphOperation]
  ) {
    self.init()
    let live = Reachability.live(in: graph, targets: targets, operations: operations)
    var values = [Int32](repeating: -1, count: graph.tensorCount)
    for feed in feeds {
      values[feed.tensor.index] = Int32(types.count)
      self.feeds.append(Int32(types.count))
      types.append(feed.type)
    }
    for operation in graph.operations where live[operation.index] {
      if case .placeholder = operation.kind {
        let isFed = values[operation.outputTensors[0].index] >= 0
        require(
          isFed,
          "MPSGraph: a target depends on placeholder \(operation.name), which is not fed")
        continue
      }
      var node = Node(kind: operation.kind, inputs: [], outputs: [])
      node.inputs = operation.inputTensors.map { values[$0.index] }
      for output in operation.outputTensors {
        values[output.index] = Int32(types.count)
        node.outputs.append(Int32(types.count))
        types.append(output.type)
      }
      nodes.append(node)
    }
    self.targets = targets.map { values[$0.index] }
  }
}
