import Foundation
import Metal

extension MPSNDArray {
  /// A view as told by a changed `descriptor()`; nil where it cannot share the memory.
  public func arrayView(with descriptor: MPSNDArrayDescriptor) -> MPSNDArray? {
    guard descriptor.dataType == dataType else { return nil }
    guard descriptor.isView else { return reshaped(to: descriptor.dims) }
    guard descriptor.numberOfDimensions == dims.count else { return nil }
    var start = offset
    var strides: [Int] = []
    for axis in descriptor.axes.reversed() {
      let own = dims.count - 1 - axis.source
      guard axis.start + axis.length <= dims[own] else { return nil }
      start += axis.start * byteStrides[own]
      strides.append(byteStrides[own])
    }
    return view(offset: start, dims: descriptor.dims, byteStrides: strides)
  }

  /// A view with the given shape (nil: the same) and strides in elements, slowest dimension first;
  /// nil where it would reach outside the memory.
  public func arrayView(withShape shape: [NSNumber]?, strides: [NSNumber]) -> MPSNDArray? {
    let dims = shape?.map(\.intValue) ?? self.dims
    guard strides.count == dims.count, dims.allSatisfy({ $0 > 0 }) else { return nil }
    let byteStrides = strides.map { $0.intValue * dataTypeSize }
    var (lowest, highest) = (offset, offset + dataTypeSize)
    for (length, stride) in zip(dims, byteStrides) {
      let reach = (length - 1) * stride
      if reach < 0 { lowest += reach } else { highest += reach }
    }
    guard lowest >= 0, highest <= buffer.length else { return nil }
    return view(offset: offset, dims: dims, byteStrides: byteStrides)
  }

  private func reshaped(to dims: [Int]) -> MPSNDArray? {
    guard isPacked, dims.reduce(1, *) == self.dims.reduce(1, *) else { return nil }
    return view(
      offset: offset, dims: dims, byteStrides: MPSNDArray.packedStrides(dims, dataTypeSize))
  }

  private func view(offset: Int, dims: [Int], byteStrides: [Int]) -> MPSNDArray {
    MPSNDArray(
      buffer: buffer, offset: offset, dataType: dataType, dims: dims, byteStrides: byteStrides,
      isUserBuffer: false, parent: self)
  }
}
