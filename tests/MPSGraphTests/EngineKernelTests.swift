/// Convolutions, attention, dynamic shapes and memory, against float64 references.
struct EngineKernelTests {
  private func steps(_ bench: Bench, _ targets: MPSGraphTensor...) -> Int {
    let executable = bench.compile(targets)
    let shapes = (executable.feedTensors ?? []).map { ($0.shape ?? []).map(\.intValue) }
    return executable.program.stepCount(shapes: shapes)
  }

  // MARK: Convolutions

  /// NCHW source, OIHW weights, stride 1, padding 1, kernel 3.
  private func convolved(
    _ x: [Double], _ w: [Double], n: Int, ci: Int, co: Int, h: Int, wd: Int
  ) -> [Double] {
    var y = [Double](repeating: 0, count: n * co * h * wd)
    for b in 0..<n {
      for o in 0..<co {
        for r in 0..<h {
          for c in 0..<wd {
            var sum = 0.0
            for i in 0..<ci {
              for ky in 0..<3 where (0..<h).contains(r + ky - 1) {
                for kx in 0..<3 where (0..<wd).contains(c + kx - 1) {
                  sum +=
                    x[((b * ci + i) * h + r + ky - 1) * wd + c + kx - 1]
                    * w[((o * ci + i) * 3 + ky) * 3 + kx]
                }
              }
            }
            y[((b * co + o) * h + r) * wd + c] = sum
          }
        }
      }
    }
    return y
  }

  private func descriptor() -> MPSGraphConvolution2DOpDescriptor? {
    MPSGraphConvolution2DOpDescriptor(
      strideInX: 1, strideInY: 1, dilationRateInX: 1, dilationRateInY: 1, groups: 1,
      paddingLeft: 1, paddingRight: 1, paddingTop: 1, paddingBottom: 1, paddingStyle: .explicit,
      dataLayout: .NCHW, weightsLayout: .OIHW)
  }

  @Test func convolutionsKeepTheirNormalizationAndActivation() throws {
    let bench = Bench()
    let graph = bench.graph
    let description = try #require(descriptor())
    let (x, xs) = bench.random([2, 3, 5, 6])
    let (w1, w1s) = bench.random([8, 3, 3, 3])
    let (w2, w2s) = bench.random([4, 8, 3, 3])
    let (scale, scales) = bench.random([1, 8, 1, 1])
    let (shift, shifts) = bench.random([1, 8, 1, 1])
    let first = graph.convolution2D(x, weights: w1, descriptor: description, name: nil)
    let normal = graph.addition(
      graph.multiplication(first, scale, name: nil), shift, name: nil)
    let active = graph.reLU(with: normal, name: nil)
    let second = graph.convolution2D(active, weights: w2, descriptor: description, name: nil)
    let flat = graph.reshape(second, shape: [2, 120], name: nil)

    var hidden = convolved(xs, w1s, n: 2, ci: 3, co: 8, h: 5, wd: 6)
    for i in hidden.indices {
      hidden[i] = max(0, hidden[i] * scales[i / 30 % 8] + shifts[i / 30 % 8])
    }
    let expected = convolved(hidden, w2s, n: 2, ci: 8, co: 4, h: 5, wd: 6)
    #expect(close(bench.run(flat)[0], expected, 1e-5))
    #expect(steps(bench, flat) == 2)
  }

  @Test func residualsJoinTheConvolution() throws {
    let bench = Bench()
    let graph = bench.graph
    let description = try #require(descriptor())
    let (x, xs) = bench.random([1, 4, 6, 6])
    let (w1, w1s) = bench.random([4, 4, 3, 3])
    let (w2, w2s) = bench.random([4, 4, 3, 3])
    let first = graph.tanh(
      with: graph.convolution2D(x, weights: w1, descriptor: description, name: nil), name: nil)
    let sum = graph.addition(
      graph.convolution2D(first, weights: w2, descriptor: description, name: nil), first,
      name: nil)
    let y = graph.reductionSum(with: sum, axes: [2, 3], name: nil)
    let hidden = convolved(xs, w1s, n: 1, ci: 4, co: 4, h: 6, wd: 6).map { Foundation.tanh($0) }
    let total = zip(convolved(hidden, w2s, n: 1, ci: 4, co: 4, h: 6, wd: 6), hidden).map(+)
    let expected = (0..<4).map { total[($0 * 36)..<($0 * 36 + 36)].reduce(0, +) }
    #expect(close(bench.run(y)[0], expected, 1e-5))
    #expect(steps(bench, y) == 3)
  }

  @Test func batchStatisticsAndNormalizationAreOneStep() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([3, 5, 4, 4])
    let mean = graph.mean(of: x, axes: [0, 2, 3], name: nil)
    let variance = graph.variance(of: x, mean: mean, axes: [0, 2, 3], name: nil)
    let y = graph.normalize(
      x, mean: mean, variance: variance, gamma: nil, beta: nil, epsilon: 1e-5, name: nil)
    var expected = xs
    for channel in 0..<5 {
      let members = xs.indices.filter { $0 / 16 % 5 == channel }
      let mean = members.reduce(0) { $0 + xs[$1] } / Double(members.count)
      let variance =
        members.reduce(0) { $0 + (xs[$1] - mean) * (xs[$1] - mean) } / Double(members.count)
      for i in members { expected[i] = (xs[i] - mean) / (variance + 1e-5).squareRoot() }
    }
    #expect(close(bench.run(y)[0], expected, 1e-5))
    #expect(steps(bench, y) == 1)
  }

  // MARK: Attention

  /// One head: scores, weights, result.
  private func attended(
    _ q: [Double], _ k: [Double], _ v: [Double], _ l: Int, _ d: Int, causal: Bool
  ) -> (weights: [Double], result: [Double]) {
    var scores = Reference.matmul(q, Reference.transposed(k, l, d), l, d, l)
    for i in 0..<l {
      for j in 0..<l {
        scores[i * l + j] *= 0.5
        if causal, j > i { scores[i * l + j] = -.infinity }
      }
    }
    let weights = Reference.softmax(scores, row: l)
    return (weights, Reference.matmul(weights, v, l, l, d))
  }

  private func causalMask(_ graph: MPSGraph, _ length: Int) -> MPSGraphTensor {
    let shape = [length as NSNumber, length as NSNumber]
    let rows = graph.coordinate(alongAxis: 0, withShape: shape, name: nil)
    let columns = graph.coordinate(alongAxis: 1, withShape: shape, name: nil)
    return graph.select(
      predicate: graph.greaterThanOrEqualTo(rows, columns, name: nil),
      trueTensor: graph.constant(0, dataType: .float32),
      falseTensor: graph.constant(-1e9, dataType: .float32), name: nil)
  }

  @Test(arguments: [false, true]) func attentionOfTransposedHeadsCopiesNothing(causal: Bool) {
    let bench = Bench()
    let graph = bench.graph
    let (b, l, h, d) = (2, 5, 3, 4)
    let parts = (0..<3).map { _ in bench.random([b, l, h * d]) }
    let heads = parts.map { part in
      graph.transpose(
        graph.reshape(part.0, shape: [b, l, h, d].map { $0 as NSNumber }, name: nil),
        permutation: [0, 2, 1, 3], name: nil)
    }
    let attention: MPSGraphTensor
    if causal {
      attention = graph.scaledDotProductAttention(
        query: heads[0], key: heads[1], value: heads[2], mask: causalMask(graph, l), scale: 0.5,
        name: nil)
    } else {
      attention = graph.scaledDotProductAttention(
        query: heads[0], key: heads[1], value: heads[2], scale: 0.5, name: nil)
    }
    let y = graph.reshape(
      graph.transpose(attention, permutation: [0, 2, 1, 3], name: nil),
      shape: [b, l, h * d].map { $0 as NSNumber }, name: nil)
    var expected = [Double](repeating: 0, count: b * l * h * d)
    for batch in 0..<b {
      for head in 0..<h {
        let slices = parts.map { part in
          (0..<l).flatMap { row in
            (0..<d).map { part.1[(batch * l + row) * h * d + head * d + $0] }
          }
        }
        let result = attended(slices[0], slices[1], slices[2], l, d, causal: causal).result
        for row in 0..<l {
          for column in 0..<d {
            expected[(batch * l + row) * h * d + head * d + column] = result[row * d + column]
          }
        }
      }
    }
    #expect(close(bench.run(y)[0], expected, 1e-5))
    #expect(steps(bench, y) == 1)
  }

  @Test(arguments: [false, true]) func attentionGradient(causal: Bool) {
    let bench = Bench()
    let graph = bench.graph
    let (l, d) = (6, 4)
    let parts = (0..<4).map { _ in bench.random([1, 1, l, d]) }
    let mask = causal ? causalMask(graph, l) : nil
    let gradients = graph.append(
      .attentionGradient(scale: 0.5, hasMask: causal),
      parts.prefix(3).map(\.0) + (mask.map { [$0] } ?? []) + [parts[3].0], name: nil
    ).outputTensors
    let (q, k, v, g) = (parts[0].1, parts[1].1, parts[2].1, parts[3].1)
    let weights = attended(q, k, v, l, d, causal: causal).weights
    let dv = Reference.matmul(Reference.transposed(weights, l, l), g, l, l, d)
    let dp = Reference.matmul(g, Reference.transposed(v, l, d), l, d, l)
    var ds = dp
    for i in 0..<l {
      let total = (0..<l).reduce(0) { $0 + dp[i * l + $1] * weights[i * l + $1] }
      for j in 0..<l { ds[i * l + j] = 0.5 * weights[i * l + j] * (dp[i * l + j] - total) }
    }
    let results = bench.run(gradients[0], gradients[1], gradients[2])
    #expect(close(results[0], Reference.matmul(ds, k, l, l, d), 1e-5))
    #expect(close(results[1], Reference.matmul(Reference.transposed(ds, l, l), q, l, l, d), 1e-5))
    #expect(close(results[2], dv, 1e-5))
  }

  @Test func handWrittenAttentionIsThreeSteps() {
    let bench = Bench()
    let graph = bench.graph
    let (b, h, l, d) = (2, 2, 5, 4)
    let parts = (0..<3).map { _ in bench.random([b, h, l, d]) }
    let scores = graph.multiplication(
      graph.matrixMultiplication(
        primary: parts[0].0,
        secondary: graph.transposeTensor(parts[1].0, dimension: 2, withDimension: 3, name: nil),
        name: nil), graph.constant(0.5, dataType: .float32), name: nil)
    let product = graph.matrixMultiplication(
      primary: graph.softMax(with: scores, axis: 3, name: nil), secondary: parts[2].0, name: nil)
    let y = graph.reshape(
      graph.transpose(product, permutation: [0, 2, 1, 3], name: nil),
      shape: [b, l, h * d].map { $0 as NSNumber }, name: nil)
    var expected = [Double](repeating: 0, count: b * l * h * d)
    for batch in 0..<b {
      for head in 0..<h {
        let slices = parts.map { part in
          Array(part.1[((batch * h + head) * l * d)..<((batch * h + head + 1) * l * d)])
        }
        let result = attended(slices[0], slices[1], slices[2], l, d, causal: false).result
        for row in 0..<l {
          for column in 0..<d {
            expected[(batch * l + row) * h * d + head * d + column] = result[row * d + column]
          }
        }
      }
    }
    #expect(close(bench.run(y)[0], expected, 1e-5))
    #expect(steps(bench, y) == 3)
  }
}
