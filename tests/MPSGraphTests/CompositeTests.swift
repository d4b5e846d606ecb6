/// Methods that expand into primitives, against float64 references or the operation they undo.
@Suite struct CompositeTests {
  /// Central differences of Σ weights · f(x) in float64.
  private func slope(
    _ x: [Double], _ weights: [Double], _ f: ([Double]) -> [Double]
  ) -> [Double] {
    let step = 1e-5
    func total(_ x: [Double]) -> Double { zip(f(x), weights).reduce(0) { $0 + $1.0 * $1.1 } }
    return x.indices.map { index in
      var (up, down) = (x, x)
      up[index] += step
      down[index] -= step
      return (total(up) - total(down)) / (2 * step)
    }
  }

  private func moments(_ x: [Double]) -> (mean: Double, variance: Double) {
    let mean = x.reduce(0, +) / Double(x.count)
    return (mean, x.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(x.count))
  }

  @Test func meansAndVariances() {
    let bench = Bench()
    let (x, xs) = bench.random([3, 7])
    let mean = bench.graph.mean(of: x, axes: [1], name: nil)
    let variance = bench.graph.variance(of: x, axes: [-1], name: nil)
    let same = bench.graph.variance(of: x, mean: mean, axes: [1], name: nil)
    let results = bench.run(mean, variance, same)
    let expected = (0..<3).map { moments(Array(xs[($0 * 7)..<($0 * 7 + 7)])) }
    #expect(close(results[0], expected.map(\.mean)))
    #expect(close(results[1], expected.map(\.variance)))
    #expect(close(results[2], expected.map(\.variance)))
  }

  /// The number of rows is not known while the graph is built.
  @Test func meansOverUnknownSizes() {
    let graph = MPSGraph()
    let x = graph.placeholder(shape: [-1, 2], dataType: .float32, name: nil)
    let mean = graph.mean(of: x, axes: [0, 1], name: nil)
    for rows in [1, 4] {
      let values = (0..<(2 * rows)).map(Float.init)
      guard let device = MTLCreateSystemDefaultDevice(),
        let buffer = device.makeBuffer(bytes: values, length: 8 * rows)
      else { return }
      let feed = MPSGraphTensorData(buffer, shape: [rows as NSNumber, 2], dataType: .float32)
      let results = graph.run(feeds: [x: feed], targetTensors: [mean], targetOperations: nil)
      #expect(results[mean].map(Bench.read) == [Double(2 * rows - 1) / 2])
    }
  }

  @Test func normalizationAndItsGradients() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([4, 6])
    let (gamma, gammas) = bench.random([1, 6])
    let (beta, betas) = bench.random([1, 6])
    let (incoming, weights) = bench.random([4, 6])
    let mean = graph.mean(of: x, axes: [1], name: nil)
    let variance = graph.variance(of: x, axes: [1], name: nil)
    let y = graph.normalize(
      x, mean: mean, variance: variance, gamma: gamma, beta: beta, epsilon: 1e-3, name: nil)
    let dx = graph.normalizationGradient(
      withIncomingGradientTensor: incoming, sourceTensor: x, mean: mean,
      varianceTensor: variance, gammaTensor: gamma, gammaGradientTensor: nil,
      betaGradientTensor: nil, reductionAxes: [1], epsilon: 1e-3, name: nil)
    let dGamma = graph.normalizationGammaGradient(
      withIncomingGradientTensor: incoming, sourceTensor: x, mean: mean,
      varianceTensor: variance, reductionAxes: [0], epsilon: 1e-3, name: nil)
    let dBeta = graph.normalizationBetaGradient(
      withIncomingGradientTensor: incoming, sourceTensor: x, reductionAxes: [0], name: nil)
    func reference(_ x: [Double], _ gamma: [Double], _ beta: [Double]) -> [Double] {
      Reference.layerNorm(x, row: 6, gamma, beta, epsilon: 1e-3)
    }
    let results = bench.run(y, dx, dGamma, dBeta)
    #expect(close(results[0], reference(xs, gammas, betas), 1e-5))
    #expect(close(results[1], slope(xs, weights) { reference($0, gammas, betas) }, 1e-4))
    #expect(close(results[2], slope(gammas, weights) { reference(xs, $0, betas) }, 1e-5))
    #expect(close(results[3], slope(betas, weights) { reference(xs, gammas, $0) }, 1e-5))
  }

  /// The squared distances do not fit float16; one kernel would not notice.
  @Test func halfPrecisionComputesInFloat() {
    let graph = MPSGraph()
    let x = graph.constant(300, shape: [1, 512], dataType: .float16)
    let y = graph.constant(-300, shape: [1, 512], dataType: .float16)
    let both = graph.concatTensor(x, with: y, dimension: 1, name: nil)
    let zero = graph.constant(0, shape: [1, 1], dataType: .float16)
    let variance = graph.constant(60_000, shape: [1, 1], dataType: .float16)
    let unit = graph.normalize(
      both, mean: zero, variance: variance, gamma: nil, beta: nil, epsilon: 30_000, name: nil)
    let mean = graph.mean(of: graph.absolute(with: both, name: nil), axes: [1], name: nil)
    let targets = [unit, mean].map { graph.cast($0, to: .float32, name: nil) }
    let results = graph.run(feeds: [:], targetTensors: targets, targetOperations: nil)
    let expected = [1.0, 300]
    for (target, value) in zip(targets, expected) {
      let values = results[target].map(Bench.read) ?? []
      #expect(values.first == value)
    }
  }

  @Test func activationsAndTheirGradients() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([17])
    let (incoming, weights) = bench.random([17])
    let alpha = graph.constant(0.25, dataType: .float32)
    let results = bench.run(
      graph.reLUGradient(withIncomingGradient: incoming, sourceTensor: x, name: nil),
      graph.sigmoidGradient(withIncomingGradient: incoming, sourceTensor: x, name: nil),
      graph.leakyReLU(with: x, alpha: 0.25, name: nil),
      graph.leakyReLUGradient(
        withIncomingGradient: incoming, sourceTensor: x, alphaTensor: alpha, name: nil))
    #expect(close(results[0], slope(xs, weights) { $0.map { max($0, 0) } }))
    #expect(close(results[1], slope(xs, weights) { $0.map { 1 / (1 + exp(-$0)) } }))
    #expect(close(results[2], xs.map { $0 >= 0 ? $0 : $0 / 4 }))
    #expect(close(results[3], slope(xs, weights) { $0.map { $0 >= 0 ? $0 : $0 / 4 } }))
  }

  @Test(arguments: [MPSGraphLossReductionType.none, .sum, .mean])
  func crossEntropyAndItsGradient(reduction: MPSGraphLossReductionType) {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([3, 5])
    let (labels, ls) = bench.random([3, 5])
    func reference(_ x: [Double]) -> [Double] {
      let shares = Reference.softmax(x, row: 5)
      let losses = (0..<3).map { row in
        -(0..<5).reduce(0.0) { $0 + ls[row * 5 + $1] * log(shares[row * 5 + $1]) }
      }
      let total = losses.reduce(0, +)
      return reduction == .none ? losses : [reduction == .sum ? total : total / 3]
    }
    let loss = graph.softMaxCrossEntropy(
      x, labels: labels, axis: -1, reuctionType: reduction, name: nil)
    let shape = reduction == .none ? [3, 1] : [1, 1]
    let (incoming, weights) = bench.random(shape)
    let gradient = graph.softMaxCrossEntropyGradient(
      incoming, source: x, labels: labels, axis: 1, reuctionType: reduction, name: nil)
    let results = bench.run(loss, gradient)
    #expect(loss.shape?.map(\.intValue) == shape)
    #expect(close(results[0], reference(xs), 1e-5))
    #expect(close(results[1], slope(xs, weights, reference), 1e-5))
  }

  @Test(arguments: [MPSGraphPaddingMode.constant, .zero, .reflect, .symmetric, .clampToEdge])
  func padGradients(mode: MPSGraphPaddingMode) {
    let bench = Bench()
    let graph = bench.graph
    let (left, right): ([NSNumber], [NSNumber]) = ([1, 2], [2, 0])
    let (x, xs) = bench.random([3, 4])
    let (incoming, weights) = bench.random([6, 6])
    let padded = graph.padTensor(
      x, with: mode, leftPadding: left, rightPadding: right, constantValue: 3, name: nil)
    let gradient = graph.padGradient(
      withIncomingGradientTensor: incoming, sourceTensor: x, paddingMode: mode,
      leftPadding: left, rightPadding: right, name: nil)
    /// Where a padded position comes from; nil for filled ones.
    func source(_ position: Int, _ size: Int) -> Int? {
      if (0..<size).contains(position) { return position }
      switch mode {
      case .clampToEdge: return min(max(position, 0), size - 1)
      case .reflect: return position < 0 ? -position : 2 * size - 2 - position
      case .symmetric: return position < 0 ? -position - 1 : 2 * size - 1 - position
      default: return nil
      }
    }
    func reference(_ x: [Double]) -> [Double] {
      (0..<36).map { index in
        guard let row = source(index / 6 - 1, 3), let column = source(index % 6 - 2, 4) else {
          return mode == .zero ? 0 : 3
        }
        return x[row * 4 + column]
      }
    }
    let results = bench.run(padded, gradient)
    #expect(close(results[0], reference(xs)))
    #expect(close(results[1], slope(xs, weights, reference)))
  }

  @Test func tilesAndTheirGradient() {
    let bench = Bench()
    let (x, xs) = bench.random([2, 3])
    let (incoming, weights) = bench.random([4, 9])
    func reference(_ x: [Double]) -> [Double] {
      (0..<36).map { x[($0 / 9 % 2) * 3 + $0 % 9 % 3] }
    }
    let results = bench.run(
      bench.graph.tileTensor(x, withMultiplier: [2, 3], name: nil),
      bench.graph.tileGradient(
        withIncomingGradientTensor: incoming, sourceTensor: x, withMultiplier: [2, 3], name: nil))
    #expect(close(results[0], reference(xs)))
    #expect(close(results[1], slope(xs, weights, reference)))
  }

  /// In pixel-shuffle order, channel c·b² + y·b + x goes to position (y, x) of the block.
  @Test(arguments: [true, false]) func depthMovesToSpaceAndBack(isShuffle: Bool) {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([2, 8, 2, 3])
    let space = graph.depth(
      toSpace2DTensor: x, widthAxis: 3, heightAxis: 2, depthAxis: 1, blockSize: 2,
      usePixelShuffleOrder: isShuffle, name: nil)
    let depth = graph.space(
      toDepth2DTensor: space, widthAxis: 3, heightAxis: 2, depthAxis: 1, blockSize: 2,
      usePixelShuffleOrder: isShuffle, name: nil)
    var expected: [Double] = []
    for n in 0..<2 {
      for c in 0..<2 {
        for y in 0..<4 {
          for x in 0..<6 {
            let block = y % 2 * 2 + x % 2
            let channel = isShuffle ? c * 4 + block : block * 2 + c
            expected.append(xs[((n * 8 + channel) * 2 + y / 2) * 3 + x / 2])
          }
        }
      }
    }
    let results = bench.run(space, depth)
    #expect(results[0] == expected)
    #expect(results[1] == xs)
  }

  @Test func stacksAndSplitsAreInverse() {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([2, 3])
    let (y, ys) = bench.random([2, 3])
    let stack = graph.stack([x, y], axis: 1, name: nil)
    let parts = graph.split(stack, numSplits: 2, axis: 1, name: nil)
    let results = bench.run(stack, parts[0], parts[1])
    #expect(results[0] == Array(xs[..<3] + ys[..<3] + xs[3...] + ys[3...]))
    #expect(results[1] == xs)
    #expect(results[2] == ys)
  }
}
