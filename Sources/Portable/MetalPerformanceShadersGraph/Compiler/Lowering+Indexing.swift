import CKernels
import MetalPerformanceShaders

/// Kernels that want their operands in a canonical form: merged dimensions here, so that the steps
/// need not look at the node's axes again. Where strides cannot merge dimensions, a copy is made.
extension Lowering {
  mutating func lowerCanonical(_ node: GraphSlice.Node) -> Operand? {
    switch node.kind {
    case .gather(let axis, let batch): gather(node, axis, batch)
    case .gatherND(let batch): gatherND(node, batch)
    case .scatter(let axis, let mode, let hasData): scatter(node, axis, mode, hasData)
    case .scatterND(let batch, let mode, let hasData): scatterND(node, batch, mode, hasData)
    case .oneHot(let axis, let depth, _, _): oneHot(node, axis, depth)
    case .sliceGradient(let spec): sliceGradient(node, spec)
    case .sliceUpdate(let spec): sliceUpdate(node, spec)
    default: nil
    }
  }

  private mutating func canonical(
    _ node: GraphSlice.Node, _ inputs: [Operand], _ shape: [Int]
  ) -> Operand {
    let output = node.outputs[0]
    let result = add(
      .kernel(node.kind), inputs, shape, types[Int(output)].dtype.kernelType)
    return reshape(result, to: self.shape(output))
  }

  private mutating func gather(_ node: GraphSlice.Node, _ axis: Int, _ batch: Int) -> Operand {
    let source = operand(node.inputs[0])
    let indices = operand(node.inputs[1])
    let sizes = source.view.shape
    let batches = sizes[..<batch].product
    let outer = sizes[batch..<axis].product
    let inner = sizes[(axis + 1)...].product
    let count = indices.view.shape[batch...].product
    return canonical(
      node,
      [
        reshape(source, to: [batches, outer, sizes[axis], inner]),
        reshape(indices, to: [batches, count]),
      ], [batches, outer, count, inner])
  }

  private mutating func gatherND(_ node: GraphSlice.Node, _ batch: Int) -> Operand {
    let source = operand(node.inputs[0])
    let indices = operand(node.inputs[1])
    let sizes = source.view.shape
    let depth = indices.view.shape.last ?? 0
    let batches = sizes[..<batch].product
    let inner = sizes[(batch + depth)...].product
    let count = indices.view.shape[batch..<(indices.view.shape.count - 1)].product
    return canonical(
      node,
      [
        reshape(source, to: [batches] + sizes[batch..<(batch + depth)] + [inner]),
        reshape(indices, to: [batches, count, depth]),
      ], [batches, count, inner])
  }

  private mutating func scatter(
    _ node: GraphSlice.Node, _ axis: Int, _ mode: ScatterMode, _ hasData: Bool
  ) -> Operand {
    let sizes = shape(node.outputs[0])
    let outer = sizes[..<axis].product
    let inner = sizes[(axis + 1)...].product
    let first = hasData ? 1 : 0
    let indices = operand(node.inputs[first + 1])
    let count = indices.view.count
    let merged = [1, outer, sizes[axis], inner]
    var inputs = [
      reshape(operand(node.inputs[first]), to: [1, outer, count, inner]),
      reshape(indices, to: [1, count]),
    ]
    if hasData { inputs.append(reshape(operand(node.inputs[0]), to: merged)) }
    return canonical(node, inputs, merged)
  }

  private mutating func scatterND(
    _ node: GraphSlice.Node, _ batch: Int, _ mode: ScatterMode, _ hasData: Bool
  ) -> Operand {
    let sizes = shape(node.outputs[0])
    let first = hasData ? 1 : 0
    let indices = operand(node.inputs[first + 1])
    let rank = indices.view.shape.count
    let depth = indices.view.shape.last ?? 0
    let batches = sizes[..<batch].product
    let inner = sizes[(batch + depth)...].product
    let count = indices.view.shape[batch..<(rank - 1)].product
    let merged = [batches] + sizes[batch..<(batch + depth)] + [inner]
    var inputs = [
      reshape(operand(node.inputs[first]), to: [batches, count, inner]),
      reshape(indices, to: [batches, count, depth]),
    ]
    if hasData { inputs.append(reshape(operand(node.inputs[0]), to: merged)) }
    return canonical(node, inputs, merged)
  }

  private mutating func oneHot(_ node: GraphSlice.Node, _ axis: Int, _ depth: Int) -> Operand {
    let indices = operand(node.inputs[0])
    let outer = indices.view.shape[..<axis].product
    let inner = indices.view.shape[axis...].product
    return canonical(node, [reshape(indices, to: [outer, inner])], [outer, depth, inner])
  }

  // MARK: Slices

  /// The gradient with the axes that the slice dropped.
  private mutating func sliceGradient(_ node: GraphSlice.Node, _ spec: SliceSpec) -> Operand {
    let sizes = shape(node.outputs[0])
    let lengths = Self.lengths(spec, sizes)
    return canonical(node, [reshape(operand(node.inputs[0]), to: lengths)], sizes)
  }

  private mutating func sliceUpdate(_ node: GraphSlice.Node, _ spec: SliceSpec) -> Operand {
    let sizes = shape(node.outputs[0])
    let lengths = Self.lengths(spec, sizes)
    return canonical(
      node, [operand(node.inputs[0]), reshape(operand(node.inputs[1]), to: lengths)], sizes)
  }

  private static func lengths(_ spec: SliceSpec, _ shape: [Int]) -> [Int] {
    ((try? spec.ranges(of: shape)) ?? []).map(\.length)
  }
}

extension ArraySlice<Int> {
  var product: Int { reduce(1, *) }
}
