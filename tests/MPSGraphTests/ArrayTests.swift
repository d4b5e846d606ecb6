/// Buffers, arrays and their views.
@Suite struct ArrayTests {
  func device() throws -> any MTLDevice { try #require(MTLCreateSystemDefaultDevice()) }

  func array(_ shape: [NSNumber]) throws -> MPSNDArray {
    let descriptor = MPSNDArrayDescriptor(dataType: .float32, shape: shape)
    let array = MPSNDArray(device: try device(), descriptor: descriptor)
    var values = (0..<shape.map(\.intValue).reduce(1, *)).map(Float.init)
    array.writeBytes(&values, strideBytes: nil)
    return array
  }

  func values(_ array: MPSNDArray) -> [Float] {
    let count = (0..<array.numberOfDimensions).map(array.length(ofDimension:)).reduce(1, *)
    var values = [Float](repeating: -1, count: count)
    array.readBytes(&values, strideBytes: nil)
    return values
  }

  @Test func buffersStartWithZeros() throws {
    let device = try device()
    // A recycled block must not show what it held.
    for _ in 0..<2 {
      let buffer = try #require(device.makeBuffer(length: 4096, options: .storageModeShared))
      let bytes = UnsafeRawBufferPointer(start: buffer.contents(), count: buffer.length)
      #expect(bytes.allSatisfy { $0 == 0 })
      memset(buffer.contents(), 7, buffer.length)
    }
    #expect(device.makeBuffer(length: 0) == nil)
  }

  @Test func importedMemoryIsGivenBack() throws {
    let size = 65536
    let memory = try #require(aligned_alloc(size, size))
    let given = Given()
    do {
      let device = try device()
      #expect(device.makeBuffer(bytesNoCopy: memory + 4, length: size, deallocator: nil) == nil)
      let buffer = device.makeBuffer(bytesNoCopy: memory, length: size) { pointer, _ in
        free(pointer)
        given.count += 1
      }
      #expect(buffer?.contents() == memory)
      #expect(given.count == 0)
    }
    #expect(given.count == 1)
  }

  final class Given: @unchecked Sendable { var count = 0 }

  @Test func stridesReorder() throws {
    let array = try array([2, 3])
    var transposed = [Float](repeating: -1, count: 6)
    var strides = [8, 4]
    array.readBytes(&transposed, strideBytes: &strides)
    #expect(transposed == [0, 3, 1, 4, 2, 5])
    var row: [Float] = [5, 6, 7]
    var repeated = [4, 0]
    array.writeBytes(&row, strideBytes: &repeated)
    #expect(values(array) == [5, 6, 7, 5, 6, 7])
  }

  @Test func viewsShareMemory() throws {
    let array = try array([3, 4])
    let descriptor = array.descriptor()
    descriptor.sliceDimension(0, withSubrange: MPSDimensionSlice(start: 1, length: 2))
    descriptor.transposeDimension(0, withDimension: 1)
    let view = try #require(array.arrayView(with: descriptor))
    #expect(values(view) == [1, 5, 9, 2, 6, 10])
    #expect(view.parent === array)
    var changed: [Float] = [-1, -2, -3, -4, -5, -6]
    view.writeBytes(&changed, strideBytes: nil)
    #expect(values(array) == [0, -1, -4, 3, 4, -2, -5, 7, 8, -3, -6, 11])
    let diagonal = try #require(array.arrayView(withShape: [3], strides: [5]))
    #expect(values(diagonal) == [0, -2, -6])
    #expect(array.arrayView(withShape: [4], strides: [5]) == nil)
  }

  @Test func buffersHoldArraysAtOffsets() throws {
    let device = try device()
    let contents = (0..<16).map(Float.init)
    let buffer = try #require(device.makeBuffer(bytes: contents, length: 64))
    let descriptor = MPSNDArrayDescriptor(dataType: .float32, shape: [2, 3])
    descriptor.preferPackedRows = true
    let array = MPSNDArray(buffer: buffer, offset: 8, descriptor: descriptor)
    #expect(values(array) == [2, 3, 4, 5, 6, 7])
    #expect(array.userBuffer() === buffer)
    let data = MPSGraphTensorData(array)
    #expect(data.shape == [2, 3])
    #expect(data.mpsndarray() === array)
    let rows = MPSGraphTensorData(buffer, shape: [2, 3], dataType: .float32, rowBytes: 20)
    #expect(values(rows.mpsndarray()) == [0, 1, 2, 5, 6, 7])
  }

  @Test func commandBuffersCallBack() throws {
    let queue = try #require(try device().makeCommandQueue())
    let commandBuffer = MPSCommandBuffer(from: queue)
    let given = Given()
    commandBuffer.addCompletedHandler { _ in given.count += 1 }
    commandBuffer.commitAndContinue()
    #expect(given.count == 1)
    #expect(commandBuffer.status == .notEnqueued)
    commandBuffer.commit()
    commandBuffer.waitUntilCompleted()
    #expect(commandBuffer.status == .completed)
  }
}
