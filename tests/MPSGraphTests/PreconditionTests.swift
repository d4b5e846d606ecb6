/// What ends the process on Apple's systems ends it here, with a message that names the method.
@Suite struct PreconditionTests {
  func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func typesMustMatch() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [2], dataType: .float16, name: nil)
      let y = graph.placeholder(shape: [2], dataType: .float32, name: nil)
      _ = graph.addition(x, y, name: nil)
    }
    #expect(message(result).contains("addition(_:_:name:): operands must have one data type"))
  }

  @Test func axesMustExist() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [2, 3], dataType: .float32, name: nil)
      _ = graph.reductionSum(with: x, axes: [5], name: nil)
    }
    #expect(message(result).contains("axis 5 is out of range for shape [2, 3]"))
    #expect(message(result).contains("reductionSum(with:axes:name:)"))
  }

  @Test func countsMustMatch() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [2, 3], dataType: .float32, name: nil)
      _ = graph.reshape(x, shape: [4, -1], name: nil)
    }
    #expect(message(result).contains("reshape(_:shape:name:): shape [2, 3]"))
  }

  @Test func channelsMustMatch() async {
    await #expect(processExitsWith: .failure) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [1, 3, 8, 8], dataType: .float32, name: nil)
      let w = graph.placeholder(shape: [4, 2, 3, 3], dataType: .float32, name: nil)
      _ = graph.convolution2D(
        x, weights: w, descriptor: MPSGraphConvolution2DOpDescriptor(), name: nil)
    }
  }

  @Test func integersAreNotMultipliedAsMatrices() async {
    await #expect(processExitsWith: .failure) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [2, 2], dataType: .int32, name: nil)
      _ = graph.matrixMultiplication(primary: x, secondary: x, name: nil)
    }
  }

  @Test func graphsDoNotMix() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (graph, other) = (MPSGraph(), MPSGraph())
      let x = graph.placeholder(shape: [2], dataType: .float32, name: nil)
      _ = other.exponent(with: x, name: nil)
    }
    #expect(message(result).contains("another graph"))
  }

  @Test func placeholdersMustBeFed() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let graph = MPSGraph()
      let x = graph.placeholder(shape: [2], dataType: .float32, name: "x")
      _ = graph.compile(
        with: nil, feeds: [:], targetTensors: [graph.exponent(with: x, name: nil)],
        targetOperations: nil, compilationDescriptor: nil)
    }
    #expect(message(result).contains("placeholder x"))
    #expect(message(result).contains("needed but not fed"))
  }

  @Test func buffersMustBeLargeEnough() async throws {
    await #expect(processExitsWith: .failure) {
      guard let buffer = MTLCreateSystemDefaultDevice()?.makeBuffer(length: 16) else { return }
      _ = MPSGraphTensorData(buffer, shape: [5], dataType: .float32)
    }
  }

  @Test func uncommittedWorkIsNotAwaited() async {
    await #expect(processExitsWith: .failure) {
      guard let queue = MTLCreateSystemDefaultDevice()?.makeCommandQueue() else { return }
      MPSCommandBuffer(from: queue).waitUntilCompleted()
    }
  }
}
