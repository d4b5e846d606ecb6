/// Shapes and element types that the graph derives while it is built.
@Suite struct ShapeTests {
  let graph = MPSGraph()

  func input(_ shape: [Int]?, _ type: MPSDataType = .float32) -> MPSGraphTensor {
    graph.placeholder(
      shape: shape?.map { NSNumber(value: $0) }, dataType: type, name: nil)
  }

  func dims(_ tensor: MPSGraphTensor) -> [Int]? { tensor.shape?.map(\.intValue) }

  @Test(arguments: [
    ([2, 3], [2, 3], [2, 3]), ([2, 1], [3], [2, 3]), ([], [4], [4]),
    ([5, 1, 2], [3, 1], [5, 3, 2]),
    ([-1, 3], [3], [-1, 3]), ([-1, 3], [2, 1], [2, 3]), ([-1], [1], [-1]),
  ])
  func binariesBroadcast(first: [Int], second: [Int], expected: [Int]) {
    #expect(dims(graph.addition(input(first), input(second), name: nil)) == expected)
    #expect(dims(graph.addition(input(second), input(first), name: nil)) == expected)
  }

  @Test func comparisonsAreBool() {
    let x = input([2, 3])
    #expect(graph.lessThan(x, x, name: nil).dataType == .bool)
    #expect(graph.isNaN(with: x, name: nil).dataType == .bool)
    #expect(graph.logicalAND(x, x, name: nil).dataType == .bool)
  }

  @Test func unknownRankStaysUnknown() {
    let x = input(nil)
    #expect(graph.exponent(with: x, name: nil).shape == nil)
    #expect(graph.addition(x, input([2]), name: nil).shape == nil)
    #expect(dims(graph.shapeOf(x, name: nil)) == [-1])
  }

  @Test func reductionsKeepDimensions() {
    let x = input([2, -1, 4])
    #expect(dims(graph.reductionSum(with: x, axis: -1, name: nil)) == [2, -1, 1])
    #expect(dims(graph.reductionMaximum(with: x, axes: [0, 1], name: nil)) == [1, 1, 4])
    #expect(dims(graph.reductionMinimum(with: x, axes: nil, name: nil)) == [1, 1, 1])
    #expect(dims(graph.mean(of: x, axes: [1, 2], name: nil)) == [2, 1, 1])
    #expect(dims(graph.variance(of: x, axes: [-1], name: nil)) == [2, -1, 1])
    let position = graph.reductionArgMaximum(with: x, axis: 2, name: nil)
    #expect(dims(position) == [2, -1, 1])
    #expect(position.dataType == .int32)
  }

  @Test func reshapesDeriveOneSize() {
    #expect(dims(graph.reshape(input([2, 6]), shape: [3, -1], name: nil)) == [3, 4])
    #expect(dims(graph.reshape(input([-1, 6]), shape: [-1, 2], name: nil)) == [-1, 2])
    let x = input([-1, 3])
    let shape = graph.shapeOf(x, name: nil)
    #expect(dims(graph.reshape(input([-1]), shapeTensor: shape, name: nil)) == [-1, 3])
  }

  @Test func shapesFollowFromShapeTensors() {
    let x = input([2, 3, 4])
    let shape = graph.shapeOf(x, name: nil)
    let front = graph.sliceTensor(shape, dimension: 0, start: 0, length: 1, name: nil)
    let back = graph.reductionProduct(
      with: graph.sliceTensor(shape, dimension: 0, start: 1, length: 2, name: nil), axis: 0,
      name: nil)
    let target = graph.concatTensors([front, back], dimension: 0, name: nil)
    #expect(dims(graph.reshape(x, shapeTensor: target, name: nil)) == [2, 12])
    let bytes = [Int32(5), 2, 3, 4].withUnsafeBytes { Data($0) }
    let wanted = graph.constant(bytes, shape: [4], dataType: .int32)
    #expect(dims(graph.broadcast(x, shapeTensor: wanted, name: nil)) == [5, 2, 3, 4])
  }

  @Test func dimensionsMove() {
    let x = input([2, 1, 4])
    #expect(dims(graph.transpose(x, permutation: [2, 0, 1], name: nil)) == [4, 2, 1])
    #expect(
      dims(graph.transposeTensor(x, dimension: 0, withDimension: -1, name: nil)) == [4, 1, 2])
    #expect(dims(graph.expandDims(x, axes: [0, -1], name: nil)) == [1, 2, 1, 4, 1])
    #expect(dims(graph.squeeze(x, name: nil)) == [2, 4])
    #expect(dims(graph.squeeze(x, axis: -2, name: nil)) == [2, 4])
    #expect(dims(graph.flatten2D(x, axis: 2, name: nil)) == [2, 4])
    #expect(dims(graph.reverse(x, name: nil)) == [2, 1, 4])
    #expect(dims(graph.broadcast(x, shape: [3, 2, 5, 4], name: nil)) == [3, 2, 5, 4])
  }

  @Test func slicesFollowPython() {
    let x = input([6, 5, -1])
    func slice(
      _ starts: [NSNumber], _ ends: [NSNumber], _ strides: [NSNumber], _ startMask: UInt32 = 0,
      _ endMask: UInt32 = 0, _ squeezeMask: UInt32 = 0
    ) -> [Int]? {
      dims(
        graph.sliceTensor(
          x, starts: starts, ends: ends, strides: strides, startMask: startMask,
          endMask: endMask, squeezeMask: squeezeMask, name: nil))
    }
    #expect(slice([1, 0, 0], [5, 5, 2], [2, 1, 1]) == [2, 5, 2])
    #expect(slice([-2, -1, 0], [100, -6, 0], [1, -2, 1], 4, 4) == [2, 3, -1])
    #expect(slice([0, 3, 0], [0, 0, 0], [-1, 1, 1], 0b101, 0b101, 0b010) == [6, -1])
    #expect(
      dims(graph.sliceTensor(x, dimension: 0, start: -3, length: 2, name: nil)) == [2, 5, -1])
    let part = graph.sliceTensor(x, dimension: 1, start: 1, length: 2, name: nil)
    let gradient = graph.sliceGradientTensor(
      part, fwdInShapeTensor: graph.shapeOf(x, name: nil), starts: [0, 1, 0], ends: [6, 3, 0],
      strides: [1, 1, 1], startMask: 0, endMask: 4, squeezeMask: 0, name: nil)
    #expect(dims(gradient) == [6, 5, -1])
  }

  @Test func partsJoin() {
    let (x, y) = (input([2, 3]), input([2, 4]))
    #expect(dims(graph.concatTensor(x, with: y, dimension: -1, name: nil)) == [2, 7])
    #expect(
      dims(graph.concatTensors([x, x], dimension: 1, interleave: true, name: nil)) == [2, 6])
    #expect(dims(graph.stack([x, x, x], axis: -1, name: nil)) == [2, 3, 3])
    #expect(
      graph.split(y, splitSizes: [1, 3], axis: 1, name: nil).map { dims($0) } == [[2, 1], [2, 3]])
    #expect(
      graph.split(y, numSplits: 2, axis: -1, name: nil).map { dims($0) } == [[2, 2], [2, 2]])
    #expect(dims(graph.tileTensor(x, withMultiplier: [2, 3], name: nil)) == [4, 9])
    let padded = graph.padTensor(
      x, with: .reflect, leftPadding: [1, -1], rightPadding: [0, 2], constantValue: 0, name: nil)
    #expect(dims(padded) == [3, 4])
    let image = input([1, 8, 2, 3])
    let space = graph.depth(
      toSpace2DTensor: image, widthAxis: 3, heightAxis: 2, depthAxis: 1, blockSize: 2,
      usePixelShuffleOrder: true, name: nil)
    #expect(dims(space) == [1, 2, 4, 6])
    let depth = graph.space(
      toDepth2DTensor: space, widthAxis: 3, heightAxis: 2, depthAxis: 1, blockSize: 2,
      usePixelShuffleOrder: true, name: nil)
    #expect(dims(depth) == [1, 8, 2, 3])
  }

  @Test func indicesSelect() {
    let x = input([4, 5, 6])
    let rows = input([2, 3], .int32)
    #expect(
      dims(
        graph.gather(
          withUpdatesTensor: x, indicesTensor: rows, axis: 1, batchDimensions: 0, name: nil))
        == [4, 2, 3, 6])
    #expect(
      dims(
        graph.gatherND(
          withUpdatesTensor: x, indicesTensor: input([7, 2], .int32), batchDimensions: 0,
          name: nil))
        == [7, 6])
    #expect(
      dims(graph.gatherAlongAxis(1, updates: x, indices: input([4, 9, 6], .int64), name: nil))
        == [4, 9, 6])
    #expect(
      dims(
        graph.scatter(
          input([3, 5]), indices: input([3], .int32), shape: [8, 5], axis: 0, mode: .add,
          name: nil)) == [8, 5])
    #expect(
      dims(
        graph.scatterND(
          withUpdatesTensor: input([7, 6]), indicesTensor: input([7, 2], .int32),
          shape: [4, 5, 6], batchDimensions: 0, name: nil)) == [4, 5, 6])
    let hot = graph.oneHot(
      withIndicesTensor: rows, depth: 10, axis: 0, dataType: .float16, name: nil)
    #expect(dims(hot) == [10, 2, 3])
    #expect(hot.dataType == .float16)
    #expect(dims(graph.nonZeroIndices(x, name: nil)) == [-1, 3])
    let top = graph.topK(x, k: 3, name: nil)
    #expect(top.map { dims($0) } == [[4, 5, 3], [4, 5, 3]])
    #expect(top[1].dataType == .int32)
  }

  @Test func matricesMultiply() {
    func product(_ a: [Int], _ b: [Int]) -> [Int]? {
      dims(graph.matrixMultiplication(primary: input(a), secondary: input(b), name: nil))
    }
    #expect(product([2, 3], [3, 4]) == [2, 4])
    #expect(product([5, 1, 2, 3], [6, 3, 4]) == [5, 6, 2, 4])
    #expect(product([3], [3, 4]) == [1, 4])
    #expect(product([-1, 3], [3, 4]) == [-1, 4])
    let q = input([2, 8, 16, 32])
    let attention = graph.scaledDotProductAttention(
      query: q, key: input([2, 8, 20, 32]), value: input([2, 8, 20, 32]), mask: input([16, 20]),
      scale: 0.1, name: nil)
    #expect(dims(attention) == [2, 8, 16, 32])
  }

  @Test func images() throws {
    let x = input([2, 6, 9, 9])
    let w = input([8, 3, 3, 3])
    let descriptor = try #require(
      MPSGraphConvolution2DOpDescriptor(
        strideInX: 2, strideInY: 2, dilationRateInX: 1, dilationRateInY: 1, groups: 2,
        paddingLeft: 1, paddingRight: 1, paddingTop: 1, paddingBottom: 1, paddingStyle: .explicit,
        dataLayout: .NCHW, weightsLayout: .OIHW))
    let y = graph.convolution2D(x, weights: w, descriptor: descriptor, name: nil)
    #expect(dims(y) == [2, 8, 5, 5])
    #expect(
      dims(
        graph.convolution2DDataGradient(
          y, weights: w, outputShape: [-1, 6, 9, 9], forwardConvolutionDescriptor: descriptor,
          name: nil)) == [2, 6, 9, 9])
    #expect(
      dims(
        graph.convolution2DWeightsGradient(
          y, source: x, outputShapeTensor: graph.shapeOf(w, name: nil),
          forwardConvolutionDescriptor: descriptor, name: nil)) == [8, 3, 3, 3])

    let depthwise = try #require(
      MPSGraphDepthwiseConvolution2DOpDescriptor(dataLayout: .NHWC, weightsLayout: .HWIO))
    depthwise.paddingStyle = .TF_SAME
    #expect(
      dims(
        graph.depthwiseConvolution2D(
          input([1, 8, 8, 4]), weights: input([3, 3, 4, 2]), descriptor: depthwise, name: nil))
        == [1, 8, 8, 8])

    let pooling = try #require(
      MPSGraphPooling2DOpDescriptor(
        kernelWidth: 2, kernelHeight: 2, strideInX: 2, strideInY: 2, paddingStyle: .explicit,
        dataLayout: .NCHW))
    #expect(
      dims(graph.maxPooling2D(withSourceTensor: x, descriptor: pooling, name: nil)) == [2, 6, 4, 4])
    pooling.ceilMode = true
    #expect(
      dims(graph.avgPooling2D(withSourceTensor: x, descriptor: pooling, name: nil)) == [2, 6, 5, 5])
    pooling.returnIndicesMode = .globalFlatten2D
    let both = graph.maxPooling2DReturnIndices(x, descriptor: pooling, name: nil)
    #expect(both.map(\.dataType) == [.float32, .int32])
  }
}
