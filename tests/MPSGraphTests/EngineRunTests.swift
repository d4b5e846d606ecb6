import Dispatch
import Synchronization

/// What holds from run to run: shapes, memory, packed weights, threads.
struct EngineRunTests {
  private func data(_ values: [Float], _ shape: [Int]) throws -> MPSGraphTensorData {
    let device = try #require(MTLCreateSystemDefaultDevice())
    return MPSGraphTensorData(
      device: MPSGraphDevice(mtlDevice: device), data: values.withUnsafeBytes { Data($0) },
      shape: shape.map { $0 as NSNumber }, dataType: .float32)
  }

  /// x [batch, 3] times w [3, 2], and what it is for whole numbers.
  private typealias Product = (
    graph: MPSGraph, x: MPSGraphTensor, w: MPSGraphTensor, y: MPSGraphTensor
  )

  private func product(_ batch: Int) -> Product {
    let graph = MPSGraph()
    let x = graph.placeholder(
      shape: [batch as NSNumber, 3], dataType: .float32, name: "x")
    let w = graph.placeholder(shape: [3, 2], dataType: .float32, name: "w")
    let y = graph.matrixMultiplication(primary: x, secondary: w, name: nil)
    return (graph, x, w, y)
  }

  private func compiled(
    _ part: Product, _ batch: Int
  ) -> MPSGraphExecutable {
    part.graph.compile(
      with: nil,
      feeds: [
        part.x: MPSGraphShapedType(shape: [batch as NSNumber, 3], dataType: .float32),
        part.w: MPSGraphShapedType(shape: [3, 2], dataType: .float32),
      ], targetTensors: [part.y], targetOperations: nil, compilationDescriptor: nil)
  }

  private func inputs(
    _ executable: MPSGraphExecutable, _ x: MPSGraphTensor, _ first: MPSGraphTensorData,
    _ second: MPSGraphTensorData
  ) -> [MPSGraphTensorData] {
    (executable.feedTensors ?? []).map { $0 === x ? first : second }
  }

  @Test func oneExecutableServesEveryBatchSize() throws {
    let part = product(-1)
    let executable = compiled(part, -1)
    let queue = try #require(MTLCreateSystemDefaultDevice()?.makeCommandQueue())
    let w = try data([1, 0, 0, 1, 1, 1], [3, 2])
    for batch in [1, 7, 2, 7, 33] {
      let values = (0..<(batch * 3)).map { Float($0 % 11) }
      let x = try data(values, [batch, 3])
      let results = executable.run(
        with: queue, inputs: inputs(executable, part.x, x, w), results: nil,
        executionDescriptor: nil)
      var expected: [Double] = []
      for row in 0..<batch {
        let (a, b, c) = (values[row * 3], values[row * 3 + 1], values[row * 3 + 2])
        expected += [Double(a + c), Double(b + c)]
      }
      #expect(Bench.read(results[0]) == expected)
      #expect(results[0].shape.map(\.intValue) == [batch, 2])
    }
  }

  @Test func weightsThatChangeAreReadAgain() throws {
    let part = product(2)
    let executable = compiled(part, 2)
    let queue = try #require(MTLCreateSystemDefaultDevice()?.makeCommandQueue())
    let x = try data([1, 2, 3, 4, 5, 6], [2, 3])
    let w = try data([1, 0, 0, 1, 1, 1], [3, 2])
    func run() -> [Double] {
      Bench.read(
        executable.run(
          with: queue, inputs: inputs(executable, part.x, x, w), results: nil,
          executionDescriptor: nil)[0])
    }
    // Packed from the second run on.
    for _ in 0..<4 { #expect(run() == [4, 5, 10, 11]) }
    var other: [Float] = [2, 0, 0, 2, 2, 2]
    w.mpsndarray().writeBytes(&other, strideBytes: nil)
    for _ in 0..<3 { #expect(run() == [8, 10, 20, 22]) }
  }

  @Test func constantWeightsArePacked() throws {
    let graph = MPSGraph()
    let x = graph.placeholder(shape: [2, 3], dataType: .float32, name: "x")
    let values: [Float] = [1, 0, 0, 1, 1, 1]
    let w = graph.constant(
      values.withUnsafeBytes { Data($0) }, shape: [3, 2], dataType: .float32)
    let y = graph.matrixMultiplication(primary: x, secondary: w, name: nil)
    let input = try data([1, 2, 3, 4, 5, 6], [2, 3])
    for _ in 0..<4 {
      let results = graph.run(feeds: [x: input], targetTensors: [y], targetOperations: nil)
      #expect(results[y].map(Bench.read) == [4, 5, 10, 11])
    }
  }

  @Test func resultsMayBeGivenEvenOverInputs() throws {
    let graph = MPSGraph()
    let x = graph.placeholder(shape: [2, 2], dataType: .float32, name: "x")
    let y = graph.transposeTensor(x, dimension: 0, withDimension: 1, name: nil)
    let device = try #require(MTLCreateSystemDefaultDevice())
    let queue = try #require(device.makeCommandQueue())
    let executable = graph.compile(
      with: nil, feeds: [x: MPSGraphShapedType(shape: [2, 2], dataType: .float32)],
      targetTensors: [y], targetOperations: nil, compilationDescriptor: nil)
    let memory = try data([1, 2, 3, 4], [2, 2])
    let results = executable.run(
      with: queue, inputs: [memory], results: [memory], executionDescriptor: nil)
    #expect(results[0] === memory)
    #expect(Bench.read(memory) == [1, 3, 2, 4])
  }

  @Test func rowsWithGapsAreReadAsTheyLie() throws {
    let device = try #require(MTLCreateSystemDefaultDevice())
    let values: [Float] = [1, 2, 9, 9, 3, 4, 9, 9]
    let buffer = try #require(
      values.withUnsafeBytes { bytes in
        bytes.baseAddress.flatMap { device.makeBuffer(bytes: $0, length: 32, options: []) }
      })
    let graph = MPSGraph()
    let x = graph.placeholder(shape: [2, 2], dataType: .float32, name: "x")
    let y = graph.negative(with: x, name: nil)
    let input = MPSGraphTensorData(buffer, shape: [2, 2], dataType: .float32, rowBytes: 16)
    let results = graph.run(feeds: [x: input], targetTensors: [y], targetOperations: nil)
    #expect(results[y].map(Bench.read) == [-1, -2, -3, -4])
  }

  @Test func threadsShareAnExecutable() {
    let part = product(4)
    let executable = compiled(part, 4)
    let order = (executable.feedTensors ?? []).map { $0 === part.x }
    let wrong = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 4) { task in
      guard let device = MTLCreateSystemDefaultDevice(), let queue = device.makeCommandQueue()
      else { return }
      func array(_ values: [Float], _ shape: [NSNumber]) -> MPSGraphTensorData {
        MPSGraphTensorData(
          device: MPSGraphDevice(mtlDevice: device),
          data: values.withUnsafeBytes { Data($0) }, shape: shape, dataType: .float32)
      }
      let scale = Float(task + 1)
      let x = array((0..<12).map { Float($0) * scale }, [4, 3])
      let w = array([1, 0, 0, 1, 1, 1], [3, 2])
      let expected = [2, 3, 8, 9, 14, 15, 20, 21].map { $0 * Double(scale) }
      for _ in 0..<50 {
        let results = executable.run(
          with: queue, inputs: order.map { $0 ? x : w }, results: nil, executionDescriptor: nil)
        if Bench.read(results[0]) != expected { wrong.withLock { $0 += 1 } }
      }
    }
    #expect(wrong.withLock { $0 } == 0)
  }

  @Test func longChainsCompileWithoutRecursion() {
    let bench = Bench()
    let (x, xs) = bench.random([3])
    var y = x
    let one = bench.graph.constant(1, dataType: .float32)
    for _ in 0..<20_000 { y = bench.graph.subtraction(one, y, name: nil) }
    #expect(close(bench.run(y)[0], xs, 1e-3))
  }
}
