import Foundation
import MetalPerformanceShaders

// Blocks of the image move to or from the depth dimension. In pixel-shuffle order the elements of
// one block lie next to each other in the depth; otherwise all depths of one block position do.
extension MPSGraph {
  /// Splits the depth into blocks of the image.
  public func depth(
    toSpace2DTensor tensor: MPSGraphTensor, widthAxis: Int, heightAxis: Int, depthAxis: Int,
    blockSize: Int, usePixelShuffleOrder: Bool, name: String?
  ) -> MPSGraphTensor {
    let move = BlockMove(
      self, tensor, widthAxis, heightAxis, depthAxis, blockSize, usePixelShuffleOrder, #function)
    let depth = move.dims[move.depth]
    require(
      depth % (blockSize * blockSize) == 0,
      "MPSGraph.\(#function): \(depth) channels are not made of \(blockSize)x\(blockSize) blocks")
    return move.toSpace(self, tensor, name)
  }

  /// Splits the depth into blocks of the image, with constant axes.
  public func depth(
    toSpace2DTensor tensor: MPSGraphTensor, widthAxisTensor: MPSGraphTensor,
    heightAxisTensor: MPSGraphTensor, depthAxisTensor: MPSGraphTensor, blockSize: Int,
    usePixelShuffleOrder: Bool, name: String?
  ) -> MPSGraphTensor {
    depth(
      toSpace2DTensor: tensor,
      widthAxis: integer(widthAxisTensor, "widthAxisTensor", method: #function),
      heightAxis: integer(heightAxisTensor, "heightAxisTensor", method: #function),
      depthAxis: integer(depthAxisTensor, "depthAxisTensor", method: #function),
      blockSize: blockSize, usePixelShuffleOrder: usePixelShuffleOrder, name: name)
  }

  /// Moves blocks of the image to the depth.
  public func space(
    toDepth2DTensor tensor: MPSGraphTensor, widthAxis: Int, heightAxis: Int, depthAxis: Int,
    blockSize: Int, usePixelShuffleOrder: Bool, name: String?
  ) -> MPSGraphTensor {
    let move = BlockMove(
      self, tensor, widthAxis, heightAxis, depthAxis, blockSize, usePixelShuffleOrder, #function)
    require(
      move.dims[move.height] % blockSize == 0 && move.dims[move.width] % blockSize == 0,
      "MPSGraph.\(#function): shape \(move.dims) is not made of \(blockSize)x\(blockSize) blocks")
    return move.toDepth(self, tensor, name)
  }

  /// Moves blocks of the image to the depth, with constant axes.
  public func space(
    toDepth2DTensor tensor: MPSGraphTensor, widthAxisTensor: MPSGraphTensor,
    heightAxisTensor: MPSGraphTensor, depthAxisTensor: MPSGraphTensor, blockSize: Int,
    usePixelShuffleOrder: Bool, name: String?
  ) -> MPSGraphTensor {
    space(
      toDepth2DTensor: tensor,
      widthAxis: integer(widthAxisTensor, "widthAxisTensor", method: #function),
      heightAxis: integer(heightAxisTensor, "heightAxisTensor", method: #function),
      depthAxis: integer(depthAxisTensor, "depthAxisTensor", method: #function),
      blockSize: blockSize, usePixelShuffleOrder: usePixelShuffleOrder, name: name)
  }
}

/// Reshape, transpose, reshape: every dimension is split into its parts, which are then reordered.
private struct BlockMove {
  /// The part of a dimension that an element of the middle shape is.
  private enum Part: Hashable {
    case whole(Int)
    case blockY
    case blockX
  }

  let dims: [Int]
  let width: Int
  let height: Int
  let depth: Int
  let block: Int
  let isShuffle: Bool

  init(
    _ graph: MPSGraph, _ tensor: MPSGraphTensor, _ widthAxis: Int, _ heightAxis: Int,
    _ depthAxis: Int, _ blockSize: Int, _ usePixelShuffleOrder: Bool, _ method: StaticString
  ) {
    dims = graph.dims(tensor, method: method)
    width = graph.axis(widthAxis, of: tensor, method: method)
    height = graph.axis(heightAxis, of: tensor, method: method)
    depth = graph.axis(depthAxis, of: tensor, method: method)
    block = blockSize
    isShuffle = usePixelShuffleOrder
    require(
      blockSize > 0 && Set([width, height, depth]).count == 3,
      "MPSGraph.\(method): axes \(width), \(height), \(depth) with block size \(blockSize)")
    require(
      ![width, height, depth].contains { dims[$0] == -1 },
      "MPSGraph.\(method): shape \(dims) has an unknown width, height or depth")
  }

  /// Parts in the order of memory, when the blocks are in the depth or in the image.
  private func parts(inDepth: Bool) -> [Part] {
    dims.indices.flatMap { axis -> [Part] in
      switch axis {
      case depth where inDepth:
        isShuffle ? [.whole(axis), .blockY, .blockX] : [.blockY, .blockX, .whole(axis)]
      case height where !inDepth: [.whole(axis), .blockY]
      case width where !inDepth: [.whole(axis), .blockX]
      default: [.whole(axis)]
      }
    }
  }

  func toSpace(_ graph: MPSGraph, _ tensor: MPSGraphTensor, _ name: String?) -> MPSGraphTensor {
    var whole = dims
    whole[depth] /= block * block
    var result = whole
    result[height] *= block
    result[width] *= block
    return move(graph, tensor, name, parts(inDepth: true), parts(inDepth: false), whole, result)
  }

  func toDepth(_ graph: MPSGraph, _ tensor: MPSGraphTensor, _ name: String?) -> MPSGraphTensor {
    var whole = dims
    whole[height] /= block
    whole[width] /= block
    var result = whole
    result[depth] *= block * block
    return move(graph, tensor, name, parts(inDepth: false), parts(inDepth: true), whole, result)
  }

  private func move(
    _ graph: MPSGraph, _ tensor: MPSGraphTensor, _ name: String?, _ from: [Part], _ to: [Part],
    _ whole: [Int], _ result: [Int]
  ) -> MPSGraphTensor {
    let middle = from.map { part -> Int in
      if case .whole(let axis) = part { whole[axis] } else { block }
    }
    let apart = graph.value(.reshape(target: middle), [tensor], name: name)
    let permutation = to.compactMap { from.firstIndex(of: $0) }
    let moved = graph.value(.transpose(permutation: permutation), [apart], name: name)
    return graph.value(.reshape(target: result), [moved], name: name)
  }
}
