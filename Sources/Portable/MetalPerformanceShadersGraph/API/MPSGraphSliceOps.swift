import Foundation
import MetalPerformanceShaders

// Slices are half-open ranges with a stride per dimension; negative positions count from the end. A
// set bit in a start or end mask means the very start or end of that dimension, and one in a squeeze
// mask drops the dimension after taking its first index.
extension MPSGraph {
  /// A range along one dimension.
  public func sliceTensor(
    _ tensor: MPSGraphTensor, dimension dimensionIndex: Int, start: Int, length: Int,
    name: String?
  ) -> MPSGraphTensor {
    let dims = dims(tensor, method: #function)
    let axis = axis(dimensionIndex, of: tensor, method: #function)
    let size = dims[axis]
    let first = start < 0 && size != -1 ? start + size : start
    require(
      length >= 0 && (size == -1 || (first >= 0 && length <= size - first)),
      """
      MPSGraph.\(#function): start \(start), length \(length) is outside axis \(axis) of shape \
      \(dims)
      """)
    var spec = SliceSpec.full(rank: dims.count)
    spec.startMask &= ~(1 << UInt32(axis))
    spec.starts[axis] = first
    spec.ends[axis] = first + length
    // From the end up to the end: its position below zero would be zero.
    if first >= 0 || first + length < 0 { spec.endMask &= ~(1 << UInt32(axis)) }
    return value(.slice(spec), [tensor], name: name)
  }

  /// A range along every dimension.
  public func sliceTensor(
    _ tensor: MPSGraphTensor, starts: [NSNumber], ends: [NSNumber], strides: [NSNumber],
    name: String?
  ) -> MPSGraphTensor {
    value(.slice(SliceSpec(starts, ends, strides)), [tensor], name: name)
  }

  /// A range along every dimension.
  public func sliceTensor(
    _ tensor: MPSGraphTensor, starts: [NSNumber], ends: [NSNumber], strides: [NSNumber],
    startMask: UInt32, endMask: UInt32, squeezeMask: UInt32, name: String?
  ) -> MPSGraphTensor {
    let spec = SliceSpec(starts, ends, strides, startMask, endMask, squeezeMask)
    return value(.slice(spec), [tensor], name: name)
  }

  /// A range along every dimension, from constants.
  public func sliceTensor(
    _ tensor: MPSGraphTensor, start startTensor: MPSGraphTensor, end endTensor: MPSGraphTensor,
    strideTensor: MPSGraphTensor, startMask: UInt32, endMask: UInt32, squeezeMask: UInt32,
    name: String?
  ) -> MPSGraphTensor {
    let spec = spec(
      startTensor, endTensor, strideTensor, startMask, endMask, squeezeMask, #function)
    return value(.slice(spec), [tensor], name: name)
  }

  /// A range along every dimension, from constants.
  public func sliceTensor(
    _ tensor: MPSGraphTensor, start startTensor: MPSGraphTensor, sizeTensor: MPSGraphTensor,
    squeezeMask: UInt32, name: String?
  ) -> MPSGraphTensor {
    value(.slice(spec(startTensor, sizeTensor, squeezeMask, #function)), [tensor], name: name)
  }

  /// The gradient of a slice: the incoming one at its place, and zeros.
  public func sliceGradientTensor(
    _ inputGradientTensor: MPSGraphTensor, fwdInShapeTensor: MPSGraphTensor, starts: [NSNumber],
    ends: [NSNumber], strides: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    sliceGradient(
      inputGradientTensor, fwdInShapeTensor, SliceSpec(starts, ends, strides), name, #function)
  }

  /// The gradient of a slice: the incoming one at its place, and zeros.
  public func sliceGradientTensor(
    _ inputGradientTensor: MPSGraphTensor, fwdInShapeTensor: MPSGraphTensor, starts: [NSNumber],
    ends: [NSNumber], strides: [NSNumber], startMask: UInt32, endMask: UInt32,
    squeezeMask: UInt32, name: String?
  ) -> MPSGraphTensor {
    sliceGradient(
      inputGradientTensor, fwdInShapeTensor,
      SliceSpec(starts, ends, strides, startMask, endMask, squeezeMask), name, #function)
  }

  /// The gradient of a slice with constant ranges.
  public func sliceGradientTensor(
    _ inputGradientTensor: MPSGraphTensor, fwdInShapeTensor: MPSGraphTensor,
    start startTensor: MPSGraphTensor, end endTensor: MPSGraphTensor,
    strideTensor: MPSGraphTensor, startMask: UInt32, endMask: UInt32, squeezeMask: UInt32,
    name: String?
  ) -> MPSGraphTensor {
    let spec = spec(
      startTensor, endTensor, strideTensor, startMask, endMask, squeezeMask, #function)
    return sliceGradient(inputGradientTensor, fwdInShapeTensor, spec, name, #function)
  }

  /// The gradient of a slice with constant ranges.
  public func sliceGradientTensor(
    _ inputGradientTensor: MPSGraphTensor, fwdInShapeTensor: MPSGraphTensor,
    start startTensor: MPSGraphTensor, sizeTensor: MPSGraphTensor, squeezeMask: UInt32,
    name: String?
  ) -> MPSGraphTensor {
    sliceGradient(
      inputGradientTensor, fwdInShapeTensor,
      spec(startTensor, sizeTensor, squeezeMask, #function), name, #function)
  }

  private func sliceGradient(
    _ gradient: MPSGraphTensor, _ shapeTensor: MPSGraphTensor, _ spec: SliceSpec,
    _ name: String?, _ method: StaticString
  ) -> MPSGraphTensor {
    value(
      .sliceGradient(spec), [gradient, shapeTensor],
      declared: TensorType(partialShape(shapeTensor), gradient.dataType), name: name,
      method: method)
  }

  /// The data with a slice of it replaced.
  public func sliceUpdateDataTensor(
    _ dataTensor: MPSGraphTensor, update updateTensor: MPSGraphTensor, starts: [NSNumber],
    ends: [NSNumber], strides: [NSNumber], startMask: UInt32, endMask: UInt32,
    squeezeMask: UInt32, name: String?
  ) -> MPSGraphTensor {
    let spec = SliceSpec(starts, ends, strides, startMask, endMask, squeezeMask)
    return value(.sliceUpdate(spec), [dataTensor, updateTensor], name: name)
  }

  /// The data with a slice of it replaced.
  public func sliceUpdateDataTensor(
    _ dataTensor: MPSGraphTensor, update updateTensor: MPSGraphTensor, starts: [NSNumber],
    ends: [NSNumber], strides: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    value(
      .sliceUpdate(SliceSpec(starts, ends, strides)), [dataTensor, updateTensor], name: name)
  }

  /// The data with a slice with constant ranges replaced.
  public func sliceUpdateDataTensor(
    _ dataTensor: MPSGraphTensor, update updateTensor: MPSGraphTensor,
    startsTensor: MPSGraphTensor, endsTensor: MPSGraphTensor, stridesTensor: MPSGraphTensor,
    startMask: UInt32, endMask: UInt32, squeezeMask: UInt32, name: String?
  ) -> MPSGraphTensor {
    let spec = spec(
      startsTensor, endsTensor, stridesTensor, startMask, endMask, squeezeMask, #function)
    return value(.sliceUpdate(spec), [dataTensor, updateTensor], name: name)
  }

  /// The data with a slice with constant ranges replaced.
  public func sliceUpdateDataTensor(
    _ dataTensor: MPSGraphTensor, update updateTensor: MPSGraphTensor,
    startsTensor: MPSGraphTensor, endsTensor: MPSGraphTensor, stridesTensor: MPSGraphTensor,
    name: String?
  ) -> MPSGraphTensor {
    let spec = spec(startsTensor, endsTensor, stridesTensor, 0, 0, 0, #function)
    return value(.sliceUpdate(spec), [dataTensor, updateTensor], name: name)
  }

  private func spec(
    _ start: MPSGraphTensor, _ end: MPSGraphTensor, _ stride: MPSGraphTensor,
    _ startMask: UInt32, _ endMask: UInt32, _ squeezeMask: UInt32, _ method: StaticString
  ) -> SliceSpec {
    SliceSpec(
      starts: integers(start, "the start", method: method),
      ends: integers(end, "the end", method: method),
      strides: integers(stride, "the stride", method: method), startMask: startMask,
      endMask: endMask, squeezeMask: squeezeMask)
  }

  private func spec(
    _ start: MPSGraphTensor, _ size: MPSGraphTensor, _ squeezeMask: UInt32,
    _ method: StaticString
  ) -> SliceSpec {
    let starts = integers(start, "the start", method: method)
    let sizes = integers(size, "sizeTensor", method: method)
    require(
      starts.count == sizes.count && sizes.allSatisfy { $0 >= 0 },
      "MPSGraph.\(method): sizes \(sizes) do not fit starts \(starts)")
    var spec = SliceSpec(
      starts: starts, ends: zip(starts, sizes).map { $0 + $1 },
      strides: [Int](repeating: 1, count: starts.count), squeezeMask: squeezeMask)
    for axis in starts.indices where starts[axis] < 0 && spec.ends[axis] >= 0 {
      spec.endMask |= 1 << UInt32(axis)
    }
    return spec
  }
}

extension SliceSpec {
  /// Everything, to be narrowed.
  static func full(rank: Int) -> SliceSpec {
    let mask = UInt32((UInt64(1) << UInt64(rank)) - 1)
    let zeros = [Int](repeating: 0, count: rank)
    return SliceSpec(
      starts: zeros, ends: zeros, strides: [Int](repeating: 1, count: rank), startMask: mask,
      endMask: mask)
  }

  init(
    _ starts: [NSNumber], _ ends: [NSNumber], _ strides: [NSNumber], _ startMask: UInt32 = 0,
    _ endMask: UInt32 = 0, _ squeezeMask: UInt32 = 0
  ) {
    self.init(
      starts: starts.unboxed, ends: ends.unboxed, strides: strides.unboxed, startMask: startMask,
      endMask: endMask, squeezeMask: squeezeMask)
  }
}
