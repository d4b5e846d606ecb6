/// Kernels that move and select elements, through the compiler's canonical forms.
struct EngineIndexingTests {
  @Test func gatherAlongAMiddleAxisWithBatches() {
    let bench = Bench()
    let (x, xs) = bench.random([2, 3, 4, 2])
    let at = bench.indices([2, 2], [3, 0, -1, 1])
    let y = bench.graph.gather(
      withUpdatesTensor: x, indicesTensor: at, axis: 2, batchDimensions: 1, name: nil)
    var expected: [Double] = []
    for b in 0..<2 {
      for o in 0..<3 {
        for n in b == 0 ? [3, 0] : [3, 1] {
          let start = ((b * 3 + o) * 4 + n) * 2
          expected += [xs[start], xs[start + 1]]
        }
      }
    }
    #expect(close(bench.run(y)[0], expected, 0))
  }

  @Test func gatherFromATransposedTable() {
    let bench = Bench()
    let (x, xs) = bench.random([5, 3])
    let at = bench.indices([2, 2], [2, 0, 1, 2])
    let table = bench.graph.transposeTensor(x, dimension: 0, withDimension: 1, name: nil)
    let y = bench.graph.gather(
      withUpdatesTensor: table, indicesTensor: at, axis: 0, batchDimensions: 0, name: nil)
    var expected: [Double] = []
    for row in [2, 0, 1, 2] {
      for column in 0..<5 { expected.append(xs[column * 3 + row]) }
    }
    #expect(close(bench.run(y)[0], expected, 0))
  }

  @Test func gatherNDAndAlongAxis() {
    let bench = Bench()
    let (x, xs) = bench.random([3, 4, 2])
    let pairs = bench.indices([2, 2], [2, 1, 0, 3])
    let along = bench.indices([3, 1, 2], [3, 0, 1, 1, 2, 0])
    let nd = bench.graph.gatherND(
      withUpdatesTensor: x, indicesTensor: pairs, batchDimensions: 0, name: nil)
    let y = bench.graph.gatherAlongAxis(1, updates: x, indices: along, name: nil)
    let results = bench.run(nd, y)
    #expect(close(results[0], [xs[18], xs[19], xs[6], xs[7]], 0))
    let picks = [3, 0, 1, 1, 2, 0]
    var expected: [Double] = []
    for i in 0..<6 {
      let row = i / 2 * 4 + picks[i]
      expected.append(xs[row * 2 + i % 2])
    }
    #expect(close(results[1], expected, 0))
  }

  @Test func scatterAddsDuplicatesWithAndWithoutData() {
    let bench = Bench()
    let (updates, us) = bench.random([3, 2])
    let (data, ds) = bench.random([4, 2])
    let at = bench.indices([3], [1, 3, 1])
    let fresh = bench.graph.scatter(
      updates, indices: at, shape: [4, 2], axis: 0, mode: .add, name: nil)
    let onto = bench.graph.scatterWithData(
      data, updates: updates, indices: at, axis: 0, mode: .add, name: nil)
    var expected = [Double](repeating: 0, count: 8)
    for (row, target) in [1, 3, 1].enumerated() {
      for column in 0..<2 { expected[target * 2 + column] += us[row * 2 + column] }
    }
    let results = bench.run(fresh, onto)
    #expect(close(results[0], expected))
    #expect(close(results[1], zip(expected, ds).map(+)))
  }

  @Test func scatterNDAndAlongAxis() {
    let bench = Bench()
    let (updates, us) = bench.random([2, 3])
    let (data, ds) = bench.random([2, 2, 3])
    let pairs = bench.indices([2, 2], [1, 0, 0, 1])
    let nd = bench.graph.scatterNDWithData(
      data, updates: updates, indices: pairs, batchDimensions: 0, mode: .set, name: nil)
    let along = bench.indices([2, 3], [0, 3, 1, 2, 2, 0])
    let line = bench.graph.scatterAlongAxis(
      1, updates: updates, indices: along, shape: [2, 4], mode: .add, name: nil)
    var expected = ds
    for column in 0..<3 {
      expected[(1 * 2 + 0) * 3 + column] = us[column]
      expected[(0 * 2 + 1) * 3 + column] = us[3 + column]
    }
    var lines = [Double](repeating: 0, count: 8)
    for (i, target) in [0, 3, 1, 2, 2, 0].enumerated() { lines[i / 3 * 4 + target] += us[i] }
    let results = bench.run(nd, line)
    #expect(close(results[0], expected, 0))
    #expect(close(results[1], lines))
  }

  @Test func oneHotBandsAndCoordinates() {
    let bench = Bench()
    let at = bench.indices([3], [2, 0, 1])
    let hot = bench.graph.oneHot(
      withIndicesTensor: at, depth: 4, axis: 0, dataType: .float32, onValue: 2, offValue: -1,
      name: nil)
    let (x, xs) = bench.random([4, 4])
    let band = bench.graph.bandPart(x, numLower: 1, numUpper: 0, name: nil)
    let rows = bench.graph.coordinate(alongAxis: 0, withShape: [3, 2], name: nil)
    let scaled = bench.graph.multiplication(rows, rows, name: nil)
    let results = bench.run(hot, band, scaled)
    #expect(results[0] == [-1, 2, -1, -1, -1, 2, 2, -1, -1, -1, -1, -1])
    var kept = xs
    for i in 0..<16 {
      let below = i / 4 - i % 4
      if below < 0 || below > 1 { kept[i] = 0 }
    }
    #expect(close(results[1], kept, 0))
    #expect(results[2] == [0, 0, 1, 1, 4, 4])
  }

  @Test func sortsAndScans() {
    let bench = Bench()
    let (x, xs) = bench.random([3, 5])
    let sorted = bench.graph.sort(x, axis: 1, descending: true, name: nil)
    let order = bench.graph.argSort(x, axis: 0, name: nil)
    let top = bench.graph.topK(x, axis: 1, k: 2, name: nil)
    let sums = bench.graph.cumulativeSum(x, axis: 0, exclusive: true, reverse: true, name: nil)
    let rows = (0..<3).map { Array(xs[($0 * 5)..<($0 * 5 + 5)]) }
    let results = bench.run(sorted, order, top[0], top[1], sums)
    #expect(close(results[0], rows.flatMap { $0.sorted(by: >) }, 0))
    var positions = [Double](repeating: 0, count: 15)
    for column in 0..<5 {
      let ranked = (0..<3).sorted { xs[$0 * 5 + column] < xs[$1 * 5 + column] }
      for (place, row) in ranked.enumerated() { positions[place * 5 + column] = Double(row) }
    }
    #expect(results[1] == positions)
    var best: [Double] = []
    var places: [Double] = []
    for row in rows {
      for place in row.indices.sorted(by: { row[$0] > row[$1] }).prefix(2) {
        best.append(row[place])
        places.append(Double(place))
      }
    }
    #expect(close(results[2], best, 0))
    #expect(results[3] == places)
    var below = [Double](repeating: 0, count: 15)
    for i in 0..<15 {
      for row in 0..<3 where row > i / 5 { below[i] += xs[row * 5 + i % 5] }
    }
    #expect(close(results[4], below))
  }

  @Test func slicesReadAndWriteParts() {
    let bench = Bench()
    let (x, xs) = bench.random([4, 6])
    let (u, us) = bench.random([2, 3])
    let graph = bench.graph
    let part = graph.sliceTensor(
      x, starts: [3, 1], ends: [-5, 6], strides: [-2, 2], startMask: 0, endMask: 0,
      squeezeMask: 0, name: nil)
    let updated = graph.sliceUpdateDataTensor(
      x, update: u, starts: [1, 0], ends: [3, 6], strides: [1, 2], name: nil)
    let spread = graph.sliceGradientTensor(
      u, fwdInShapeTensor: graph.shapeOf(x, name: nil), starts: [0, 2], ends: [2, 5],
      strides: [1, 1], name: nil)
    let row = graph.sliceTensor(
      x, starts: [2, 0], ends: [3, 6], strides: [1, 1], startMask: 0, endMask: 0, squeezeMask: 1,
      name: nil)
    let results = bench.run(part, updated, spread, row)
    #expect(close(results[0], [xs[19], xs[21], xs[23], xs[7], xs[9], xs[11]], 0))
    var expected = xs
    for r in 0..<2 { for c in 0..<3 { expected[(r + 1) * 6 + 2 * c] = us[r * 3 + c] } }
    #expect(close(results[1], expected, 0))
    var gradient = [Double](repeating: 0, count: 24)
    for r in 0..<2 { for c in 0..<3 { gradient[r * 6 + 2 + c] = us[r * 3 + c] } }
    #expect(close(results[2], gradient, 0))
    #expect(close(results[3], Array(xs[12..<18]), 0))
  }

  @Test func padsTilesAndReversals() {
    let bench = Bench()
    let (x, xs) = bench.random([2, 3])
    let graph = bench.graph
    let padded = graph.padTensor(
      x, with: .reflect, leftPadding: [0, 2], rightPadding: [0, 1], constantValue: 0, name: nil)
    let tiled = graph.tileTensor(x, withMultiplier: [2, 2], name: nil)
    let reversed = graph.reverse(x, axes: [0, 1], name: nil)
    let joined = graph.concatTensors([x, reversed], dimension: 0, interleave: true, name: nil)
    let results = bench.run(padded, tiled, reversed, joined)
    let reflected = [xs[2], xs[1], xs[0], xs[1], xs[2], xs[1]]
    let second = [xs[5], xs[4], xs[3], xs[4], xs[5], xs[4]]
    #expect(close(results[0], reflected + second, 0))
    let (top, bottom) = (Array(xs[0..<3]), Array(xs[3..<6]))
    #expect(close(results[1], top + top + bottom + bottom + top + top + bottom + bottom, 0))
    let (first, last) = (Array(bottom.reversed()), Array(top.reversed()))
    #expect(close(results[2], first + last, 0))
    #expect(close(results[3], top + first + bottom + last, 0))
  }

  @Test func castsAndPredicates() {
    let bench = Bench()
    let x = bench.input([6], [-1.7, -0.2, 0, 0.6, 2.5, 300])
    let graph = bench.graph
    let whole = graph.cast(x, to: .int32, name: nil)
    let truth = graph.cast(x, to: .bool, name: nil)
    let bits = graph.reinterpretCast(x, to: .int32, name: nil)
    let back = graph.reinterpretCast(bits, to: .float32, name: nil)
    let halved = graph.cast(graph.cast(x, to: .float16, name: nil), to: .float32, name: nil)
    let chosen = graph.select(
      predicate: graph.lessThan(x, graph.constant(0, dataType: .float32), name: nil),
      trueTensor: graph.constant(-1, dataType: .float32), falseTensor: x, name: nil)
    let limited = graph.clamp(
      x, min: graph.constant(-1, dataType: .float32), max: graph.constant(1, dataType: .float32),
      name: nil)
    let largest = graph.reductionArgMaximum(with: x, axis: 0, name: nil)
    let results = bench.run(whole, truth, back, halved, chosen, limited, largest)
    #expect(results[0] == [-1, 0, 0, 0, 2, 300])
    #expect(results[1] == [1, 1, 0, 1, 1, 1])
    let values: [Double] = [-1.7, -0.2, 0, 0.6, 2.5, 300].map { Double(Float($0)) }
    #expect(results[2] == values)
    #expect(results[3] == values.map { Double(Float16($0)) })
    #expect(results[4] == values.map { $0 < 0 ? -1 : $0 })
    #expect(results[5] == values.map { min(1, max(-1, $0)) })
    #expect(results[6] == [5])
  }

  @Test func poolsAndTheirGradients() throws {
    let bench = Bench()
    let graph = bench.graph
    let (x, xs) = bench.random([1, 2, 4, 4])
    let (g, gs) = bench.random([1, 2, 2, 2])
    let description = try #require(
      MPSGraphPooling2DOpDescriptor(
        kernelWidth: 2, kernelHeight: 2, strideInX: 2, strideInY: 2, paddingStyle: .TF_VALID,
        dataLayout: .NCHW))
    let pooled = graph.maxPooling2D(withSourceTensor: x, descriptor: description, name: nil)
    let gradient = graph.maxPooling2DGradient(
      withGradientTensor: g, sourceTensor: x, descriptor: description, name: nil)
    let averaged = graph.avgPooling2D(withSourceTensor: x, descriptor: description, name: nil)
    var largest: [Double] = []
    var average: [Double] = []
    var expected = [Double](repeating: 0, count: 32)
    for plane in 0..<2 {
      for y in 0..<2 {
        for column in 0..<2 {
          let window = [0, 1, 4, 5].map { plane * 16 + y * 8 + column * 2 + $0 }
          let values = window.map { xs[$0] }
          let peak = values.max() ?? 0
          let winner = window[values.firstIndex(of: peak) ?? 0]
          expected[winner] += gs[plane * 4 + y * 2 + column]
          largest.append(peak)
          average.append(values.reduce(0, +) / 4)
        }
      }
    }
    let results = bench.run(pooled, gradient, averaged)
    #expect(close(results[0], largest, 0))
    #expect(close(results[1], expected, 0))
    #expect(close(results[2], average))
  }

  @Test func variablesKeepTheirContentsBetweenRuns() {
    let graph = MPSGraph()
    let start: [Float] = [1, 2]
    let variable = graph.variable(
      with: start.withUnsafeBytes { Data($0) }, shape: [2], dataType: .float32, name: "state")
    let read = graph.read(variable, name: nil)
    let next = graph.addition(read, graph.constant(1, dataType: .float32), name: nil)
    let assign = graph.assign(variable, tensor: next, name: nil)
    var seen: [[Double]] = []
    for _ in 0..<3 {
      let results = graph.run(feeds: [:], targetTensors: [read], targetOperations: [assign])
      seen.append(results[read].map(Bench.read) ?? [])
    }
    #expect(seen == [[1, 2], [2, 3], [3, 4]])
  }

  @Test func nonZeroPositionsHaveAsManyRowsAsThereAre() {
    let bench = Bench()
    let x = bench.input([2, 3], [0, 1.5, 0, -2, 0, 3])
    let y = bench.graph.nonZeroIndices(x, name: nil)
    #expect(bench.run(y)[0] == [0, 1, 1, 0, 1, 2])
  }
}
