import MetalPerformanceShadersGraph

/// A graph in MPSGraph form, before it is compiled.
struct LoweredGraph {
  let graph: MPSGraph
  /// One placeholder per input of the source graph, in order.
  let feeds: [MPSGraphTensor]
  /// One tensor per output, in order.
  let targets: [MPSGraphTensor]
}

/// Walks a graph and calls each operation's lowering rule. Knows no operation by name.
enum Lowering {
  static func lower(_ source: Graph) throws(LucidError) -> LoweredGraph {
    let graph = MPSGraph()
    var tensors = [MPSGraphTensor?](repeating: nil, count: source.types.count)
    var feeds: [MPSGraphTensor] = []
    for input in source.inputs {
      let type = source.type(of: input)
      let feed = graph.placeholder(shape: type.shape.mps, dataType: type.dtype.mps, name: nil)
      tensors[input.position] = feed
      feeds.append(feed)
    }
    let batch = batchTensor(of: source, feeds, graph)
    for node in source.nodes {
      let op = OpCatalog[node.op]
      guard case .primitive(let rules) = op.definition else {
        throw LucidError(.unsupported, "\(op.name): a composite reached lowering")
      }
      let context = LowerContext(
        op: op, graph: graph, inputs: node.inputs.compactMap { tensors[$0.position] },
        inputTypes: node.inputs.map { source.type(of: $0) },
        outputTypes: node.outputs.map { source.type(of: $0) }, attributes: node.attributes,
        batch: batch)
      for (output, tensor) in zip(node.outputs, try rules.lower(context)) {
        tensors[output.position] = tensor
      }
    }
    var targets: [MPSGraphTensor] = []
    for output in source.outputs {
      guard let tensor = tensors[output.position] else {
        throw LucidError(.unsupported, "lowering: an output was not produced")
      }
      // A target must be the result of an operation, and each one once.
      let isFeed = feeds.contains { $0 === tensor }
      let isTaken = targets.contains { $0 === tensor }
      targets.append(isFeed || isTaken ? graph.identity(with: tensor, name: nil) : tensor)
    }
    return LoweredGraph(graph: graph, feeds: feeds, targets: targets)
  }

  /// The batch as an int32 tensor, from the first feed that has an extent a·B + c.
  private static func batchTensor(
    of source: Graph, _ feeds: [MPSGraphTensor], _ graph: MPSGraph
  ) -> MPSGraphTensor? {
    for (input, feed) in zip(source.inputs, feeds) {
      let shape = source.type(of: input).shape
      guard let axis = shape.dims.firstIndex(where: { !$0.isStatic }) else { continue }
      let dim = shape[axis]
      let extents = graph.shapeOf(feed, name: "batch")
      var batch = graph.sliceTensor(
        extents, dimension: 0, start: axis, length: 1, name: "batch")
      if dim.constant != 0 {
        let constant = graph.constant(Double(dim.constant), shape: [1], dataType: .int32)
        batch = graph.subtraction(batch, constant, name: "batch")
      }
      if dim.coefficient != 1 {
        let factor = graph.constant(Double(dim.coefficient), shape: [1], dataType: .int32)
        batch = graph.division(batch, factor, name: "batch")
      }
      return batch
    }
    return nil
  }
}
