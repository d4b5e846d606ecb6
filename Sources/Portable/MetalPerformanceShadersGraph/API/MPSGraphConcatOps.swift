import Foundation
import MetalPerformanceShaders

// Joining, splitting and repeating.
extension MPSGraph {
  /// Two tensors, one after the other along a dimension.
  public func concatTensor(
    _ tensor: MPSGraphTensor, with tensor2: MPSGraphTensor, dimension dimensionIndex: Int,
    name: String?
  ) -> MPSGraphTensor {
    concat([tensor, tensor2], dimensionIndex, false, name, #function)
  }

  /// Tensors, one after the other along a dimension.
  public func concatTensors(
    _ tensors: [MPSGraphTensor], dimension dimensionIndex: Int, name: String?
  ) -> MPSGraphTensor {
    concat(tensors, dimensionIndex, false, name, #function)
  }

  /// Tensors along a dimension, one after the other or, interleaved, index by index.
  public func concatTensors(
    _ tensors: [MPSGraphTensor], dimension dimensionIndex: Int, interleave: Bool, name: String?
  ) -> MPSGraphTensor {
    concat(tensors, dimensionIndex, interleave, name, #function)
  }

  private func concat(
    _ tensors: [MPSGraphTensor], _ dimension: Int, _ interleave: Bool, _ name: String?,
    _ method: StaticString
  ) -> MPSGraphTensor {
    guard let first = tensors.first else {
      misuse("MPSGraph.\(method): there is nothing to concatenate")
    }
    let axis = axis(dimension, of: first, method: method)
    return value(
      .concat(axis: axis, interleave: interleave), tensors, name: name, method: method)
  }

  /// Tensors of one shape along a new dimension.
  public func stack(_ inputTensors: [MPSGraphTensor], axis: Int, name: String?) -> MPSGraphTensor {
    guard let first = inputTensors.first else {
      misuse("MPSGraph.\(#function): there is nothing to stack")
    }
    let dims = dims(first, method: #function)
    for tensor in inputTensors {
      require(
        tensor.dataType == first.dataType
          && tensor.type.shape.map { ShapeRules.agree($0, dims) } ?? false,
        "MPSGraph.\(#function): \(tensor.type) is stacked with \(first.type)")
    }
    let axis = wrap(axis, count: dims.count + 1, what: "axis", dims: dims, method: #function)
    let parts = inputTensors.map { value(.expandDims(axes: [axis]), [$0], name: name) }
    return value(.concat(axis: axis, interleave: false), parts, name: name)
  }

  /// Parts of the given sizes along an axis.
  public func split(_ tensor: MPSGraphTensor, splitSizes: [NSNumber], axis: Int, name: String?)
    -> [MPSGraphTensor]
  {
    split(tensor, splitSizes.unboxed, axis, name, #function)
  }

  /// Parts of constant sizes along an axis.
  public func split(
    _ tensor: MPSGraphTensor, splitSizesTensor: MPSGraphTensor, axis: Int, name: String?
  ) -> [MPSGraphTensor] {
    let sizes = integers(splitSizesTensor, "splitSizesTensor", method: #function)
    return split(tensor, sizes, axis, name, #function)
  }

  /// Parts of equal size along an axis.
  public func split(_ tensor: MPSGraphTensor, numSplits: Int, axis: Int, name: String?)
    -> [MPSGraphTensor]
  {
    let dims = dims(tensor, method: #function)
    let size = dims[self.axis(axis, of: tensor, method: #function)]
    require(
      numSplits >= 1 && size >= numSplits && size % numSplits == 0,
      "MPSGraph.\(#function): axis \(axis) of shape \(dims) has no \(numSplits) equal parts")
    let sizes = [Int](repeating: size / numSplits, count: numSplits)
    return split(tensor, sizes, axis, name, #function)
  }

  private func split(
    _ tensor: MPSGraphTensor, _ sizes: [Int], _ axis: Int, _ name: String?,
    _ method: StaticString
  ) -> [MPSGraphTensor] {
    let dims = dims(tensor, method: method)
    let axis = self.axis(axis, of: tensor, method: method)
    require(
      !sizes.isEmpty && sizes.allSatisfy { $0 > 0 }
        && ShapeRules.agree(dims[axis], sizes.reduce(0, +)),
      "MPSGraph.\(method): sizes \(sizes) do not sum to axis \(axis) of shape \(dims)")
    var start = 0
    return sizes.map { size in
      defer { start += size }
      return sliceTensor(tensor, dimension: axis, start: start, length: size, name: name)
    }
  }

  /// The tensor repeated along every dimension.
  public func tileTensor(
    _ tensor: MPSGraphTensor, withMultiplier multiplier: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    value(.tile(multipliers: multiplier.unboxed), [tensor], name: name)
  }

  /// The gradient of `tileTensor`: the sum over the repetitions.
  public func tileGradient(
    withIncomingGradientTensor incomingGradientTensor: MPSGraphTensor,
    sourceTensor: MPSGraphTensor, withMultiplier multiplier: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    let dims = dims(sourceTensor, method: #function)
    let multipliers = multiplier.unboxed
    require(
      multipliers.count == dims.count && dims.count <= 8,
      "MPSGraph.\(#function): multipliers \(multipliers) do not fit shape \(dims)")
    // Repetitions become dimensions of their own.
    let target = zip(multipliers, dims).flatMap { [$0, $1] }
    let apart = reshape(incomingGradientTensor, shape: target.boxed, name: name)
    let axes = dims.indices.map { 2 * $0 }
    let sum = value(.reduce(.sum, axes: axes), [apart], name: name)
    return value(.squeeze(axes: axes), [sum], name: name)
  }
}
