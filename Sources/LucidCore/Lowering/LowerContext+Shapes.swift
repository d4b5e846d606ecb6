import Foundation
import MetalPerformanceShadersGraph

// A rank-0 value is lowered as shape [1]: scalars are fed as [1], and Apple's kernels are proven with
// it. A symbolic extent is lowered as -1.

extension Shape {
  /// The shape MPSGraph sees.
  var mps: [NSNumber] {
    rank == 0 ? [1] : dims.map { NSNumber(value: $0.value ?? -1) }
  }
}

extension LowerContext {
  /// Reshapes to a type's shape, with at most one symbolic extent as -1.
  func reshape(_ tensor: MPSGraphTensor, to shape: Shape) throws(LucidError) -> MPSGraphTensor {
    if shape.dims.count(where: { !$0.isStatic }) <= 1 {
      return graph.reshape(tensor, shape: shape.mps, name: name)
    }
    return graph.reshape(tensor, shapeTensor: try shapeTensor(shape), name: name)
  }

  /// Broadcasts; with a symbolic extent through a shape tensor, for -1 is not allowed here.
  func broadcast(
    _ tensor: MPSGraphTensor, _ from: Shape, to shape: Shape
  ) throws(LucidError) -> MPSGraphTensor {
    if from.mps == shape.mps, shape.isStatic { return tensor }
    if shape.isStatic { return graph.broadcast(tensor, shape: shape.mps, name: name) }
    return graph.broadcast(tensor, shapeTensor: try shapeTensor(shape), name: name)
  }

  /// Reduces over axes (all if empty) and drops or keeps them as the result type says.
  func reduce(
    _ tensor: MPSGraphTensor, axes: [Int],
    _ body: (MPSGraph, MPSGraphTensor, [NSNumber], String) -> MPSGraphTensor
  ) throws(LucidError) -> MPSGraphTensor {
    let rank = max(inputTypes[0].rank, 1)
    let chosen = axes.isEmpty ? Array(0..<rank) : axes.map { $0 < 0 ? $0 + rank : $0 }
    var source = tensor
    var last = chosen.map { NSNumber(value: $0) }
    if chosen.contains(where: { $0 < rank - 4 }) {
      // Apple reduces over the last four axes only: the reduced ones go last, as one.
      let kept = (0..<rank).filter { !chosen.contains($0) }
      let order = (kept + chosen).map { NSNumber(value: $0) }
      source = graph.transpose(source, permutation: order, name: name)
      let dims = inputTypes[0].shape.dims
      var folded: Dim? = 1
      for axis in chosen { folded = folded.flatMap { Dim.product($0, dims[axis]) } }
      guard let folded else {
        throw LucidError(.unsupported, "\(name): the reduced extents have no affine product")
      }
      source = try reshape(source, to: Shape(kept.map { dims[$0] } + [folded]))
      last = [NSNumber(value: kept.count)]
    }
    let reduced = body(graph, source, last, name)
    return outputTypes[0].rank == inputTypes[0].rank && source === tensor
      ? reduced : try reshape(reduced, to: outputTypes[0].shape)
  }

  /// Calls `body` with an axis within the last four, where Apple's scans and sorts work, the operand
  /// transposed if need be, and transposes each result back.
  func alongAxis(
    _ tensor: MPSGraphTensor, _ axis: Int,
    _ body: (MPSGraph, MPSGraphTensor, Int, String) -> [MPSGraphTensor]
  ) -> [MPSGraphTensor] {
    let rank = max(inputTypes[0].rank, 1)
    let positive = axis < 0 ? axis + rank : axis
    if positive >= rank - 4 { return body(graph, tensor, positive, name) }
    let moved = graph.transposeTensor(
      tensor, dimension: positive, withDimension: rank - 1, name: name)
    return body(graph, moved, rank - 1, name).map {
      graph.transposeTensor($0, dimension: positive, withDimension: rank - 1, name: name)
    }
  }

  /// An int32 tensor with the extents of a symbolic shape.
  func shapeTensor(_ shape: Shape) throws(LucidError) -> MPSGraphTensor {
    guard let batch else {
      throw LucidError(.unsupported, "\(name): no feed gives the symbolic batch of \(shape)")
    }
    let parts = shape.dims.map { dim -> MPSGraphTensor in
      let constant = graph.constant(Double(dim.constant), shape: [1], dataType: .int32)
      guard !dim.isStatic else { return constant }
      let factor = graph.constant(Double(dim.coefficient), shape: [1], dataType: .int32)
      return graph.addition(
        graph.multiplication(batch, factor, name: name), constant, name: name)
    }
    return graph.concatTensors(parts, dimension: 0, name: name)
  }
}
