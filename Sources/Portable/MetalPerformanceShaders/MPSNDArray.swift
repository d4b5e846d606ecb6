import Foundation
import Metal

/// A strided array over a buffer.
public class MPSNDArray: NSObject {
  /// The element type.
  public let dataType: MPSDataType
  /// A name for people.
  public var label: String?
  /// The array that this one is a view of.
  public let parent: MPSNDArray?

  /// Sizes, slowest dimension first.
  package let dims: [Int]
  /// Distance of neighbours in bytes, slowest dimension first.
  package let byteStrides: [Int]
  /// The byte position of the first element.
  package let offset: Int
  package let buffer: PortableBuffer
  /// Elements follow each other in row-major order without gaps.
  package let isPacked: Bool
  private let isUserBuffer: Bool

  package init(
    buffer: PortableBuffer, offset: Int, dataType: MPSDataType, dims: [Int],
    byteStrides: [Int], isUserBuffer: Bool, parent: MPSNDArray?
  ) {
    self.buffer = buffer
    self.offset = offset
    self.dataType = dataType
    self.dims = dims
    self.byteStrides = byteStrides
    self.isUserBuffer = isUserBuffer
    self.parent = parent
    isPacked = byteStrides == Self.packedStrides(dims, dataType.byteSize)
    super.init()
  }

  /// An array with memory of its own.
  public convenience init(device: any MTLDevice, descriptor: MPSNDArrayDescriptor) {
    let dims = descriptor.dims
    let size = descriptor.dataType.byteSize
    let bytes = dims.reduce(size, *)
    guard let buffer = device.makeBuffer(length: bytes, options: []) else {
      misuse(
        "MPSNDArray.init(device:descriptor:): no memory for \(bytes) bytes of shape \(dims)")
    }
    self.init(
      buffer: buffer.portable, offset: 0, dataType: descriptor.dataType, dims: dims,
      byteStrides: Self.packedStrides(dims, size), isUserBuffer: false, parent: nil)
  }

  /// One float32 number.
  public convenience init(device: any MTLDevice, scalar value: Double) {
    self.init(device: device, descriptor: MPSNDArrayDescriptor(dataType: .float32, dims: [1]))
    buffer.pointer.storeBytes(of: Float(value), as: Float.self)
  }

  /// An array over a part of a buffer. Without `preferPackedRows`, rows are expected to start at
  /// multiples of 16 bytes.
  public convenience init(
    buffer: any MTLBuffer, offset: Int, descriptor: MPSNDArrayDescriptor
  ) {
    let dims = descriptor.dims
    let size = descriptor.dataType.byteSize
    var strides = Self.packedStrides(dims, size)
    if !descriptor.preferPackedRows, dims.count > 1 {
      strides[dims.count - 2] = (dims[dims.count - 1] * size + 15) & ~15
      for axis in stride(from: dims.count - 3, through: 0, by: -1) {
        strides[axis] = strides[axis + 1] * dims[axis + 1]
      }
    }
    let bytes = (dims.first ?? 1) * (strides.first ?? size)
    require(
      offset >= 0 && offset % size == 0,
      "MPSNDArray.init(buffer:offset:descriptor:): offset \(offset) is not a multiple of \(size)")
    require(
      bytes <= buffer.length - offset,
      """
      MPSNDArray.init(buffer:offset:descriptor:): buffer is not large enough. Must be \
      \(bytes + offset) bytes for shape \(dims), has \(buffer.length)
      """)
    self.init(
      buffer: buffer.portable, offset: offset, dataType: descriptor.dataType, dims: dims,
      byteStrides: strides, isUserBuffer: true, parent: nil)
  }

  package static func packedStrides(_ dims: [Int], _ elementSize: Int) -> [Int] {
    var strides = dims
    var next = elementSize
    for axis in dims.indices.reversed() {
      strides[axis] = next
      next *= dims[axis]
    }
    return strides
  }

  /// The device of the memory.
  public var device: any MTLDevice { buffer.device }
  /// Bytes per element.
  public var dataTypeSize: Int { dataType.byteSize }
  /// The number of dimensions.
  public var numberOfDimensions: Int { dims.count }

  /// The size of a dimension, counted from the fastest; 1 beyond the rank.
  public func length(ofDimension dimensionIndex: Int) -> Int {
    dims.indices.contains(dimensionIndex) ? dims[dims.count - 1 - dimensionIndex] : 1
  }

  /// A description that can be changed and given to `arrayView(with:)`.
  public func descriptor() -> MPSNDArrayDescriptor {
    let descriptor = MPSNDArrayDescriptor(dataType: dataType, dims: dims, isView: true)
    descriptor.preferPackedRows = isPacked
    return descriptor
  }

  /// Bytes of memory behind the array.
  public func resourceSize() -> Int { buffer.length }

  /// The buffer, where the array was made over one.
  public func userBuffer() -> (any MTLBuffer)? { isUserBuffer ? buffer : nil }

  /// Makes results visible to the processor; memory is shared here, so there is nothing to do.
  public func synchronize(on commandBuffer: any MTLCommandBuffer) {}

  /// The address of the first element, for the engine.
  package var pointer: UnsafeMutableRawPointer { buffer.pointer + offset }
}
