import Foundation
import Metal

extension MPSNDArray {
  /// Copies the elements out. Strides are in bytes, fastest dimension first; nil means row-major
  /// without gaps.
  public func readBytes(
    _ buffer: UnsafeMutableRawPointer, strideBytes: UnsafeMutablePointer<Int>?
  ) {
    copyElements(
      from: pointer, fromStrides: byteStrides, to: buffer, toStrides: strides(strideBytes))
  }

  /// Copies elements in. Strides are in bytes, fastest dimension first; nil means row-major without
  /// gaps.
  public func writeBytes(
    _ buffer: UnsafeMutableRawPointer, strideBytes: UnsafeMutablePointer<Int>?
  ) {
    copyElements(
      from: buffer, fromStrides: strides(strideBytes), to: pointer, toStrides: byteStrides)
    self.buffer.didWrite()
  }

  /// Slowest dimension first.
  private func strides(_ given: UnsafeMutablePointer<Int>?) -> [Int] {
    guard let given else { return MPSNDArray.packedStrides(dims, dataTypeSize) }
    return UnsafeBufferPointer(start: given, count: dims.count).reversed()
  }

  /// Copies in rows: the longest tail of dimensions that is gapless on both sides is one block.
  private func copyElements(
    from source: UnsafeRawPointer, fromStrides: [Int], to target: UnsafeMutableRawPointer,
    toStrides: [Int]
  ) {
    var outer = dims.count
    var block = dataTypeSize
    while outer > 0, fromStrides[outer - 1] == block, toStrides[outer - 1] == block {
      block *= dims[outer - 1]
      outer -= 1
    }
    var index = [Int](repeating: 0, count: outer)
    var (from, to) = (0, 0)
    while true {
      memcpy(target + to, source + from, block)
      var axis = outer - 1
      while axis >= 0 {
        index[axis] += 1
        from += fromStrides[axis]
        to += toStrides[axis]
        if index[axis] < dims[axis] { break }
        index[axis] = 0
        from -= fromStrides[axis] * dims[axis]
        to -= toStrides[axis] * dims[axis]
        axis -= 1
      }
      if axis < 0 { return }
    }
  }
}
