import CKernels
import Metal
import MetalPerformanceShaders

extension MPSGraphTensorData {
  /// The same elements without gaps; itself if there are none.
  func packed() -> MPSGraphTensorData {
    guard byteStrides != nil else { return self }
    guard
      let target = PortableBuffer(
        uninitialized: dims.reduce(dataType.byteSize, *))
    else { misuse("MPSGraph: no memory for a copy of shape \(dims)") }
    let result = MPSGraphTensorData(buffer: target, dims: dims, dataType: dataType)
    result.copyElements(from: self)
    return result
  }

  /// Copies elements of the same shape and type.
  func copyElements(from source: MPSGraphTensorData) {
    var params = ck_copy_params()
    params.rank = Int32(dims.count)
    setArray(&params.shape, dims)
    params.source = source.described(0)
    params.result = described(1)
    let slots: [UnsafeMutableRawPointer?] = [
      source.buffer.pointer + source.offset, buffer.pointer + offset,
    ]
    slots.withUnsafeBufferPointer { ck_copy(&params, $0.baseAddress) }
  }

  private func described(_ slot: Int32) -> ck_operand {
    var operand = ck_operand()
    operand.ref = ck_ref(slot: slot, offset: 0)
    operand.dtype = dataType.kernelType
    let size = dataType.byteSize
    setArray(&operand.stride, byteStrides?.map { $0 / size } ?? rowMajorStrides(dims))
    return operand
  }
}
