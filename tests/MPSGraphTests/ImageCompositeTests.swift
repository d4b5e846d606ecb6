/// Depthwise and transposed convolutions and gradients by pooling positions, which expand into other
/// operations, against float64 references.
@Suite struct ImageCompositeTests {
  private func strided(_ groups: Int) -> MPSGraphConvolution2DOpDescriptor? {
    MPSGraphConvolution2DOpDescriptor(
      strideInX: 2, strideInY: 1, dilationRateInX: 1, dilationRateInY: 2, groups: groups,
      paddingLeft: 1, paddingRight: 0, paddingTop: 1, paddingBottom: 2, paddingStyle: .explicit,
      dataLayout: .NCHW, weightsLayout: .OIHW)
  }

  /// Every term of the forward convolution above: source, weight and result positions.
  private func terms(
    _ source: [Int], _ weights: [Int], _ result: [Int], _ body: (Int, Int, Int) -> Void
  ) {
    let (channels, height, width) = (source[1], source[2], source[3])
    for n in 0..<result[0] {
      for o in 0..<result[1] {
        for y in 0..<result[2] {
          for x in 0..<result[3] {
            for i in 0..<weights[1] {
              for ky in 0..<weights[2] where (0..<height).contains(y + 2 * ky - 1) {
                for kx in 0..<weights[3] where (0..<width).contains(2 * x + kx - 1) {
                  body(
                    ((n * channels + i) * height + y + 2 * ky - 1) * width + 2 * x + kx - 1,
                    ((o * weights[1] + i) * weights[2] + ky) * weights[3] + kx,
                    ((n * result[1] + o) * result[2] + y) * result[3] + x)
                }
              }
            }
          }
        }
      }
    }
  }

  @Test func transposedConvolutionAndItsGradients() throws {
    let bench = Bench()
    let graph = bench.graph
    let descriptor = try #require(strided(1))
    // The forward convolution maps `large` to `small`.
    let (large, weights, small) = ([2, 3, 6, 7], [4, 3, 2, 3], [2, 4, 7, 3])
    let (x, xs) = bench.random(small)
    let (w, ws) = bench.random(weights)
    let (incoming, gs) = bench.random(large)
    let shape = large.map { $0 as NSNumber }
    let y = graph.convolutionTranspose2D(
      x, weights: w, outputShape: shape, descriptor: descriptor, name: nil)
    let dx = graph.convolutionTranspose2DDataGradient(
      incoming, weights: w, outputShape: small.map { $0 as NSNumber },
      forwardConvolutionDescriptor: descriptor, name: nil)
    let dw = graph.convolutionTranspose2DWeightsGradient(
      incoming, weights: x, outputShape: weights.map { $0 as NSNumber },
      forwardConvolutionDescriptor: descriptor, name: nil)
    var expectedY = [Double](repeating: 0, count: 2 * 3 * 6 * 7)
    var expectedX = [Double](repeating: 0, count: xs.count)
    var expectedW = [Double](repeating: 0, count: ws.count)
    terms(large, weights, small) { source, weight, result in
      expectedY[source] += xs[result] * ws[weight]
      expectedX[result] += gs[source] * ws[weight]
      expectedW[weight] += gs[source] * xs[result]
    }
    let results = bench.run(y, dx, dw)
    #expect(close(results[0], expectedY, 1e-5))
    #expect(close(results[1], expectedX, 1e-5))
    #expect(close(results[2], expectedW, 1e-5))
  }

  /// Channels 3, two kernels each; result channel c·2 + m uses kernel m of channel c.
  @Test(arguments: [MPSGraphTensorNamedDataLayout.OIHW, .HWIO])
  func depthwiseConvolutionAndItsGradients(layout: MPSGraphTensorNamedDataLayout) throws {
    let bench = Bench()
    let graph = bench.graph
    let descriptor = try #require(
      MPSGraphDepthwiseConvolution2DOpDescriptor(dataLayout: .NCHW, weightsLayout: layout))
    let (c, m, h, w) = (3, 2, 4, 5)
    let shape = layout == .OIHW ? [m, c, 2, 2] : [2, 2, c, m]
    func weight(_ channel: Int, _ kernel: Int, _ y: Int, _ x: Int) -> Int {
      layout == .OIHW
        ? ((kernel * c + channel) * 2 + y) * 2 + x : ((y * 2 + x) * c + channel) * m + kernel
    }
    let (x, xs) = bench.random([1, c, h, w])
    let (k, ks) = bench.random(shape)
    let (incoming, gs) = bench.random([1, c * m, h - 1, w - 1])
    let y = graph.depthwiseConvolution2D(x, weights: k, descriptor: descriptor, name: nil)
    let dx = graph.depthwiseConvolution2DDataGradient(
      incoming, weights: k, outputShape: [1, 3, 4, 5], descriptor: descriptor, name: nil)
    let dk = graph.depthwiseConvolution2DWeightsGradient(
      incoming, source: x, outputShape: shape.map { $0 as NSNumber }, descriptor: descriptor,
      name: nil)
    var expectedY = [Double](repeating: 0, count: gs.count)
    var expectedX = [Double](repeating: 0, count: xs.count)
    var expectedK = [Double](repeating: 0, count: ks.count)
    for index in gs.indices {
      let (channel, row, column) = (index / 12, index % 12 / 4, index % 4)
      for ky in 0..<2 {
        for kx in 0..<2 {
          let source = (channel / m * h + row + ky) * w + column + kx
          let kernel = weight(channel / m, channel % m, ky, kx)
          expectedY[index] += xs[source] * ks[kernel]
          expectedX[source] += gs[index] * ks[kernel]
          expectedK[kernel] += gs[index] * xs[source]
        }
      }
    }
    let results = bench.run(y, dx, dk)
    #expect(close(results[0], expectedY, 1e-5))
    #expect(close(results[1], expectedX, 1e-5))
    #expect(close(results[2], expectedK, 1e-5))
    #expect(dk.shape?.map(\.intValue) == shape)
  }

  @Test(arguments: [MPSGraphPoolingReturnIndicesMode.globalFlatten2D, .globalFlatten4D])
  func poolingGradientsByPosition(mode: MPSGraphPoolingReturnIndicesMode) throws {
    let bench = Bench()
    let graph = bench.graph
    let descriptor = try #require(
      MPSGraphPooling2DOpDescriptor(
        kernelWidth: 3, kernelHeight: 2, strideInX: 1, strideInY: 2, paddingStyle: .explicit,
        dataLayout: .NCHW))
    descriptor.returnIndicesMode = mode
    let (x, xs) = bench.random([2, 2, 4, 6])
    let (incoming, gs) = bench.random([2, 2, 2, 4])
    let pooled = graph.maxPooling2DReturnIndices(x, descriptor: descriptor, name: nil)
    let byPosition = graph.maxPooling2DGradient(
      withGradientTensor: incoming, indicesTensor: pooled[1], outputShape: [2, 2, 4, 6],
      descriptor: descriptor, name: nil)
    let bySource = graph.maxPooling2DGradient(
      withGradientTensor: incoming, sourceTensor: x, descriptor: descriptor, name: nil)
    var expected = [Double](repeating: 0, count: xs.count)
    for (index, gradient) in gs.enumerated() {
      let (plane, row, column) = (index / 8, index % 8 / 4, index % 4)
      let window = (0..<6).map { plane * 24 + (row * 2 + $0 / 3) * 6 + column + $0 % 3 }
      if let peak = window.max(by: { xs[$0] < xs[$1] }) { expected[peak] += gradient }
    }
    let results = bench.run(byPosition, bySource)
    #expect(close(results[0], expected))
    #expect(close(results[1], expected))
  }
}
