import Foundation
import MetalPerformanceShadersGraph

/// philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) as integer
/// nodes. Word i of a draw is word (offset + i) mod 4 of block (offset + i) / 4 under the key `seed`.
enum Philox {
  /// The words of a draw, uint32, in a static shape or that of a shape tensor.
  static func words(
    _ c: LowerContext, seed: MPSGraphTensor, offset: MPSGraphTensor
  ) throws(LucidError) -> MPSGraphTensor {
    let count = c.outputTypes[0].shape.elementCount
    guard let count else {
      throw LucidError(.unsupported, "\(c.name): the number of elements is not affine")
    }
    if let n = count.value, let words = EngineHooks.philox(c.graph, seed, offset, count: n) {
      return try c.reshape(words, to: c.outputTypes[0].shape)
    }
    return try c.reshape(
      composite(c, seed: seed, offset: offset, count: count), to: c.outputTypes[0].shape)
  }

  /// The same from nodes that every engine has. Each element computes its block and picks its word.
  static func composite(
    _ c: LowerContext, seed: MPSGraphTensor, offset: MPSGraphTensor, count: Dim
  ) throws(LucidError) -> MPSGraphTensor {
    let build = Build(graph: c.graph, name: c.name)
    let index =
      count.isStatic
      ? c.graph.coordinate(alongAxis: 0, withShape: Shape([count]).mps, name: c.name)
      : c.graph.coordinate(
        alongAxis: 0, withShapeTensor: try c.shapeTensor([count]), name: c.name)
    let position = c.graph.addition(
      offset, c.graph.cast(index, to: .int64, name: c.name), name: c.name)
    let four = c.graph.constant(4, dataType: .int64)
    let block = c.graph.division(position, four, name: c.name)
    let lane = c.graph.subtraction(
      position, c.graph.multiplication(block, four, name: c.name), name: c.name)
    var counter = [build.low(block), build.high(block), build.zero, build.zero]
    var key = (build.low(seed), build.high(seed))
    for _ in 0..<10 {
      let (high0, low0) = build.product(counter[0], 0xD251_1F53)
      let (high1, low1) = build.product(counter[2], 0xCD9E_8D57)
      counter = [
        build.xor(build.xor(high1, counter[1]), key.0), low1,
        build.xor(build.xor(high0, counter[3]), key.1), low0,
      ]
      key = (build.add(key.0, 0x9E37_79B9), build.add(key.1, 0xBB67_AE85))
    }
    var word = counter[0]
    for i in 1..<4 {
      let isLane = c.graph.equal(
        lane, c.graph.constant(Double(i), dataType: .int64), name: c.name)
      word = c.graph.select(
        predicate: isLane, trueTensor: counter[i], falseTensor: word, name: c.name)
    }
    return word
  }

  /// Arithmetic on uint32 nodes. Products of 32 bits are put together from halves of 16.
  private struct Build {
    let graph: MPSGraph
    let name: String

    func constant(_ value: UInt32) -> MPSGraphTensor {
      graph.constant(Double(value), dataType: .uInt32)
    }
    var zero: MPSGraphTensor { constant(0) }

    func xor(_ a: MPSGraphTensor, _ b: MPSGraphTensor) -> MPSGraphTensor {
      graph.bitwiseXOR(a, b, name: name)
    }
    func add(_ a: MPSGraphTensor, _ b: UInt32) -> MPSGraphTensor {
      graph.addition(a, constant(b), name: name)
    }
    private func sum(_ a: MPSGraphTensor, _ b: MPSGraphTensor) -> MPSGraphTensor {
      graph.addition(a, b, name: name)
    }
    private func times(_ a: MPSGraphTensor, _ b: UInt32) -> MPSGraphTensor {
      graph.multiplication(a, constant(b), name: name)
    }
    private func upper(_ a: MPSGraphTensor) -> MPSGraphTensor {
      graph.bitwiseRightShift(a, constant(16), name: name)
    }
    private func lower(_ a: MPSGraphTensor) -> MPSGraphTensor {
      graph.bitwiseAND(a, constant(0xFFFF), name: name)
    }

    /// The low 32 bits of a non-negative or negative int64.
    func low(_ x: MPSGraphTensor) -> MPSGraphTensor {
      let two32 = graph.constant(0x1p32, dataType: .int64)
      return graph.cast(graph.floorModulo(x, two32, name: name), to: .uInt32, name: name)
    }
    func high(_ x: MPSGraphTensor) -> MPSGraphTensor {
      let two32 = graph.constant(0x1p32, dataType: .int64)
      let rest = graph.floorModulo(x, two32, name: name)
      let top = graph.division(graph.subtraction(x, rest, name: name), two32, name: name)
      return low(top)
    }

    /// The upper and lower half of the 64-bit product.
    func product(_ a: MPSGraphTensor, _ b: UInt32) -> (MPSGraphTensor, MPSGraphTensor) {
      let (aLow, aHigh) = (lower(a), upper(a))
      let (bLow, bHigh) = (b & 0xFFFF, b >> 16)
      let cross = sum(times(aHigh, bLow), upper(times(aLow, bLow)))
      let middle = sum(times(aLow, bHigh), lower(cross))
      let top = sum(sum(times(aHigh, bHigh), upper(cross)), upper(middle))
      return (top, times(a, b))
    }
  }
}

/// How many words the draws of this module take.
enum RandomWords {
  /// One word per element.
  static func count(_ c: InferContext, _ shape: Shape) throws(LucidError) -> Dim {
    if let count = shape.elementCount { return count }
    // Batch times batch, as attention over the batch axis has: the batch is fixed.
    var total = 1
    for dim in shape.dims {
      total = Dim.multiply(total, c.number(dim, "a draw counts elements of \(shape)"))
    }
    return Dim(total)
  }
}
