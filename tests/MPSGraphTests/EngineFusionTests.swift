/// What fused programs compute, and that they are fused: one step for each family of patterns.
struct EngineFusionTests {
  private func steps(_ bench: Bench, _ targets: MPSGraphTensor...) -> Int {
    let executable = bench.compile(targets)
    let shapes = (executable.feedTensors ?? []).map { ($0.shape ?? []).map(\.intValue) }
    return executable.program.stepCount(shapes: shapes)
  }

  @Test func linearWithBiasAndReluIsOneStep() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([5, 7])
    let (w, ws) = bench.random([6, 7])
    let (b, bs) = bench.random([6])
    let product = graph.matrixMultiplication(
      primary: x, secondary: graph.transposeTensor(w, dimension: 0, withDimension: 1, name: nil),
      name: nil)
    let y = graph.reLU(with: graph.addition(product, b, name: nil), name: nil)
    let expected = Reference.matmul(xs, Reference.transposed(ws, 6, 7), 5, 7, 6).enumerated().map {
      max(0, $0.element + bs[$0.offset % 6])
    }
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }

  @Test func geluOnAProductIsOneStep() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 3, 8])
    let (w, ws) = bench.random([8, 5])
    let (b, bs) = bench.random([5])
    let (r, rs) = bench.random([4, 3, 5])
    let h = graph.addition(
      graph.matrixMultiplication(primary: x, secondary: w, name: nil), b, name: nil)
    let inner = graph.erf(
      with: graph.multiplication(
        h, graph.constant(1 / 2.0.squareRoot(), dataType: .float32), name: nil), name: nil)
    let y = graph.multiplication(
      graph.multiplication(h, graph.constant(0.5, dataType: .float32), name: nil),
      graph.addition(inner, graph.constant(1, dataType: .float32), name: nil), name: nil)
    let z = graph.addition(y, r, name: nil)
    let expected = Reference.matmul(xs, ws, 12, 8, 5).enumerated().map {
      Reference.gelu($0.element + bs[$0.offset % 5]) + rs[$0.offset]
    }
    #expect(close(bench.run(z)[0], expected))
    #expect(steps(bench, z) == 1)
  }

  @Test func softmaxIsOneStep() {
    let bench = Bench()
    let (x, xs) = bench.random([6, 37])
    let y = bench.graph.softMax(with: x, axis: 1, name: nil)
    #expect(close(bench.run(y)[0], Reference.softmax(xs, row: 37)))
    #expect(steps(bench, y) == 1)
  }

  @Test func layerNormFromPrimitivesIsOneStep() {
    let bench = Bench()
    let (x, xs) = bench.random([3, 4, 10])
    let (gamma, gs) = bench.random([10])
    let (beta, bs) = bench.random([10])
    let y = layerNorm(bench.graph, x, gamma, beta, 2, 10)
    #expect(
      close(
        bench.run(y)[0], Reference.layerNorm(xs, row: 10, gs, bs, epsilon: 1e-5), 1e-5))
    #expect(steps(bench, y) == 1)
  }

  private func layerNorm(
    _ graph: MPSGraph, _ x: MPSGraphTensor, _ gamma: MPSGraphTensor, _ beta: MPSGraphTensor,
    _ axis: Int, _ size: Int
  ) -> MPSGraphTensor {
    let scale = graph.constant(1 / Double(size), dataType: .float32)
    let mean = graph.multiplication(
      graph.reductionSum(with: x, axis: axis, name: nil), scale, name: nil)
    let centred = graph.subtraction(x, mean, name: nil)
    let variance = graph.multiplication(
      graph.reductionSum(
        with: graph.multiplication(centred, centred, name: nil), axis: axis, name: nil), scale,
      name: nil)
    let deviation = graph.squareRoot(
      with: graph.addition(variance, graph.constant(1e-5, dataType: .float32), name: nil),
      name: nil)
    let normal = graph.division(centred, deviation, name: nil)
    return graph.addition(graph.multiplication(normal, gamma, name: nil), beta, name: nil)
  }

  @Test func softmaxAndItsGradientShareAStep() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 9])
    let (g, gs) = bench.random([4, 9])
    let y = graph.softMaxGradient(
      withIncomingGradient: g, sourceTensor: x, axis: 1, name: nil)
    let s = Reference.softmax(xs, row: 9)
    var expected: [Double] = []
    for row in 0..<4 {
      let range = (row * 9)..<(row * 9 + 9)
      let total = range.reduce(0) { $0 + s[$1] * gs[$1] }
      expected += range.map { s[$0] * (gs[$0] - total) }
    }
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }

  @Test func biasGradientIsAColumnReductionWithItsProducer() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([11, 6])
    let (g, gs) = bench.random([11, 6])
    let product = graph.multiplication(x, g, name: nil)
    let y = graph.reductionSum(with: product, axis: 0, name: nil)
    let expected = (0..<6).map { column in
      (0..<11).reduce(0) { $0 + xs[$1 * 6 + column] * gs[$1 * 6 + column] }
    }
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }

  @Test func reshapesBetweenFusedOperationsCostNothing() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([2, 3, 8])
    let flat = graph.reshape(
      graph.multiplication(x, x, name: nil), shape: [6, 8], name: nil)
    let mean = graph.squeeze(
      graph.reductionSum(with: flat, axis: 1, name: nil), axes: [1], name: nil)
    let kept = graph.reshape(
      graph.squareRoot(with: mean, name: nil), shape: [2, 3, 1], name: nil)
    let y = graph.division(x, kept, name: nil)
    let expected = Reference.rows(xs, 8) { row in
      let norm = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
      return row.map { $0 / norm }
    }
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }

  @Test func aValueWithOtherUsersIsKept() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 5])
    let (w, ws) = bench.random([5, 5])
    let h = graph.matrixMultiplication(primary: x, secondary: w, name: nil)
    let a = graph.tanh(with: h, name: nil)
    let b = graph.matrixMultiplication(primary: a, secondary: w, name: nil)
    let c = graph.addition(b, h, name: nil)
    let hs = Reference.matmul(xs, ws, 4, 5, 5)
    let expected = zip(Reference.matmul(hs.map { Foundation.tanh($0) }, ws, 4, 5, 5), hs).map(+)
    let results = bench.run(h, c)
    #expect(close(results[0], hs))
    #expect(close(results[1], expected))
    #expect(steps(bench, c) == 2)
  }

  @Test func transposedReadersDoNotJoin() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 4])
    let square = graph.multiplication(x, x, name: nil)
    let y = graph.addition(
      square, graph.transposeTensor(square, dimension: 0, withDimension: 1, name: nil), name: nil)
    let squares = xs.map { $0 * $0 }
    let expected = zip(squares, Reference.transposed(squares, 4, 4)).map(+)
    #expect(close(bench.run(y)[0], expected))
  }

  @Test func concatenationIsWrittenInPlace() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([3, 4])
    let (y, ys) = bench.random([3, 2])
    let joined = graph.concatTensors(
      [graph.exponent(with: x, name: nil), graph.negative(with: y, name: nil)], dimension: 1,
      name: nil)
    var expected: [Double] = []
    for row in 0..<3 {
      expected += xs[(row * 4)..<(row * 4 + 4)].map { Foundation.exp($0) }
      expected += ys[(row * 2)..<(row * 2 + 2)].map { -$0 }
    }
    #expect(close(bench.run(joined)[0], expected))
    #expect(steps(bench, joined) == 2)
  }

  @Test func sumsOfDisjointPaddingsAreConcatenations() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([2, 3])
    let (y, ys) = bench.random([2, 2])
    func padded(_ tensor: MPSGraphTensor, _ left: NSNumber, _ right: NSNumber) -> MPSGraphTensor {
      graph.padTensor(
        tensor, with: .constant, leftPadding: [0, left], rightPadding: [0, right],
        constantValue: 0, name: nil)
    }
    let apart = graph.addition(padded(x, 0, 2), padded(y, 3, 0), name: nil)
    let overlapping = graph.addition(padded(x, 0, 1), padded(y, 2, 0), name: nil)
    var expected: [Double] = []
    var sums: [Double] = []
    for row in 0..<2 {
      let (a, b) = (Array(xs[(row * 3)..<(row * 3 + 3)]), Array(ys[(row * 2)..<(row * 2 + 2)]))
      expected += a + b
      sums += [a[0], a[1], a[2] + b[0], b[1]]
    }
    let results = bench.run(apart, overlapping)
    #expect(close(results[0], expected, 0))
    #expect(close(results[1], sums))
    #expect(steps(bench, apart) == 2)
  }

  @Test func valuesAreComputedWhereTheyAreRead() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 6])
    let (w, ws) = bench.random([6, 6])
    // The square is only needed by the reduction, so the product need not write it.
    let h = graph.matrixMultiplication(primary: x, secondary: w, name: nil)
    let total = graph.reductionSum(with: graph.square(with: h, name: nil), axis: 1, name: nil)
    let y = graph.division(h, total, name: nil)
    let hs = Reference.matmul(xs, ws, 4, 6, 6)
    let expected = Reference.rows(hs, 6) { row in
      let norm = row.reduce(0) { $0 + $1 * $1 }
      return row.map { $0 / norm }
    }
    #expect(close(bench.run(y)[0], expected, 1e-5))
    #expect(steps(bench, y) == 2)
  }

  @Test func equalOperationsAreComputedOnce() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([3, 3])
    let first = graph.matrixMultiplication(primary: x, secondary: x, name: nil)
    let second = graph.matrixMultiplication(primary: x, secondary: x, name: nil)
    let y = graph.addition(first, second, name: nil)
    let expected = Reference.matmul(xs, xs, 3, 3, 3).map { 2 * $0 }
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }

  @Test func transposedProductsAreWrittenTransposed() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([5, 3])
    let (g, gs) = bench.random([5, 4])
    // The gradient of a weight that is stored [out, in].
    let product = graph.matrixMultiplication(
      primary: graph.transposeTensor(x, dimension: 0, withDimension: 1, name: nil), secondary: g,
      name: nil)
    let y = graph.transposeTensor(product, dimension: 0, withDimension: 1, name: nil)
    let expected = Reference.matmul(Reference.transposed(gs, 5, 4), xs, 4, 5, 3)
    #expect(close(bench.run(y)[0], expected))
    #expect(steps(bench, y) == 1)
  }
}
