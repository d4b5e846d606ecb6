import Foundation
import Metal
import MetalPerformanceShaders

/// The contents of a tensor: an array in memory.
///
/// One is made per operand and run, so that everything beyond the sizes, the element type and the
/// buffer is made on request.
public final class MPSGraphTensorData: MPSGraphObject {
  /// The element type.
  public let dataType: MPSDataType
  /// Sizes, slowest dimension first.
  package let dims: [Int]
  package let buffer: PortableBuffer
  /// The byte position of the first element.
  package let offset: Int
  /// Distance of neighbours in bytes, slowest dimension first; nil where elements follow each other
  /// without gaps.
  package let byteStrides: [Int]?
  private let array: MPSNDArray?

  package init(
    buffer: PortableBuffer, dims: [Int], dataType: MPSDataType, offset: Int = 0,
    byteStrides: [Int]? = nil, array: MPSNDArray? = nil
  ) {
    self.dataType = dataType
    self.dims = dims
    self.buffer = buffer
    self.offset = offset
    self.byteStrides = byteStrides
    self.array = array
    super.init()
    if byteStrides == nil {
      var bytes = dataType.byteSize
      for size in dims { bytes *= size }
      require(
        bytes > 0 && bytes <= buffer.length - offset,
        """
        MPSGraphTensorData: \(bytes) bytes for shape \(dims) of \(dataType) do not fit a buffer of \
        \(buffer.length) bytes at offset \(offset)
        """)
    }
  }

  /// An array with a copy of the data.
  public convenience init(
    device: MPSGraphDevice, data: Data, shape: [NSNumber], dataType: MPSDataType
  ) {
    let dims = shape.unboxed
    let bytes = dims.reduce(dataType.byteSize, *)
    require(
      bytes == data.count,
      """
      MPSGraphTensorData.init(device:data:shape:dataType:): \(data.count) bytes of data for shape \
      \(dims) of \(dataType), which has \(bytes)
      """)
    guard let buffer = PortableBuffer(uninitialized: bytes) else {
      misuse("MPSGraphTensorData.init(device:data:shape:dataType:): no memory for \(bytes) bytes")
    }
    data.withUnsafeBytes {
      if let base = $0.baseAddress { memcpy(buffer.pointer, base, bytes) }
    }
    self.init(buffer: buffer, dims: dims, dataType: dataType)
  }

  /// The start of a buffer, row-major without gaps. The buffer is not copied.
  public convenience init(_ buffer: any MTLBuffer, shape: [NSNumber], dataType: MPSDataType) {
    self.init(buffer: buffer.portable, dims: shape.unboxed, dataType: dataType)
  }

  /// The start of a buffer, with rows that begin at multiples of `rowBytes`.
  public convenience init(
    _ buffer: any MTLBuffer, shape: [NSNumber], dataType: MPSDataType, rowBytes: Int
  ) {
    let dims = shape.unboxed
    let size = dataType.byteSize
    require(
      size > 0 && rowBytes % size == 0 && rowBytes >= size * (dims.last ?? 1),
      """
      MPSGraphTensorData.init(_:shape:dataType:rowBytes:): rowBytes \(rowBytes) is not a multiple of \
      \(size) that holds a row of shape \(dims)
      """)
    let packed = MPSNDArray.packedStrides(dims, size)
    var strides = packed
    if dims.count > 1 {
      var next = rowBytes
      for axis in (0..<dims.count - 1).reversed() {
        strides[axis] = next
        next *= dims[axis]
      }
      require(
        next <= buffer.length,
        """
        MPSGraphTensorData.init(_:shape:dataType:rowBytes:): shape \(dims) with rows of \(rowBytes) \
        bytes does not fit a buffer of \(buffer.length) bytes
        """)
    }
    self.init(
      buffer: buffer.portable, dims: dims, dataType: dataType,
      byteStrides: strides == packed ? nil : strides)
  }

  /// The contents of an array, which is not copied.
  public convenience init(_ ndarray: MPSNDArray) {
    self.init(
      buffer: ndarray.buffer, dims: ndarray.dims, dataType: ndarray.dataType,
      offset: ndarray.offset, byteStrides: ndarray.isPacked ? nil : ndarray.byteStrides,
      array: ndarray)
  }

  /// The sizes, slowest dimension first.
  public var shape: [NSNumber] { dims.boxed }

  /// The device of the memory.
  public var device: MPSGraphDevice { MPSGraphDevice(metal: buffer.device) }

  /// The contents as an array over the same memory.
  public func mpsndarray() -> MPSNDArray {
    array
      ?? MPSNDArray(
        buffer: buffer, offset: offset, dataType: dataType, dims: dims,
        byteStrides: byteStrides ?? MPSNDArray.packedStrides(dims, dataType.byteSize),
        isUserBuffer: false, parent: nil)
  }
}
