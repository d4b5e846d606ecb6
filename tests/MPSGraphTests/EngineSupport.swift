/// A graph with its inputs' contents, run through Apple's calls only.
final class Bench {
  let graph = MPSGraph()
  private var feeds: [MPSGraphTensor: MPSGraphTensorData] = [:]
  private var order: [MPSGraphTensor] = []
  private var seed: UInt64

  init(seed: UInt64 = 1) { self.seed = seed }

  /// Numbers in -1 ..< 1 that are the same on every run.
  func numbers(_ count: Int) -> [Float] {
    (0..<count).map { _ in
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Float(Int32(truncatingIfNeeded: seed >> 32) >> 8) / 8_388_608
    }
  }

  func input(_ shape: [Int], _ values: [Float]) -> MPSGraphTensor {
    let tensor = graph.placeholder(
      shape: shape.map { $0 as NSNumber }, dataType: .float32, name: "input")
    feed(tensor, values.withUnsafeBytes { Data($0) }, shape, .float32)
    return tensor
  }

  /// An input with random contents, and these.
  func random(_ shape: [Int]) -> (MPSGraphTensor, [Double]) {
    let values = numbers(shape.reduce(1, *))
    return (input(shape, values), values.map(Double.init))
  }

  func indices(_ shape: [Int], _ values: [Int32]) -> MPSGraphTensor {
    let tensor = graph.placeholder(
      shape: shape.map { $0 as NSNumber }, dataType: .int32, name: "indices")
    feed(tensor, values.withUnsafeBytes { Data($0) }, shape, .int32)
    return tensor
  }

  private func feed(_ tensor: MPSGraphTensor, _ data: Data, _ shape: [Int], _ type: MPSDataType) {
    guard let device = MTLCreateSystemDefaultDevice() else { return }
    feeds[tensor] = MPSGraphTensorData(
      device: MPSGraphDevice(mtlDevice: device), data: data,
      shape: shape.map { $0 as NSNumber }, dataType: type)
    order.append(tensor)
  }

  func run(_ targets: MPSGraphTensor...) -> [[Double]] {
    let results = graph.run(feeds: feeds, targetTensors: targets, targetOperations: nil)
    return targets.map { target in results[target].map(Self.read) ?? [] }
  }

  static func read(_ data: MPSGraphTensorData) -> [Double] {
    let count = data.shape.reduce(1) { $0 * $1.intValue }
    func load<Element>(_ zero: Element) -> [Element] {
      var values = [Element](repeating: zero, count: count)
      values.withUnsafeMutableBytes {
        guard let base = $0.baseAddress else { return }
        data.mpsndarray().readBytes(base, strideBytes: nil)
      }
      return values
    }
    switch data.dataType {
    case .float32: return load(Float(0)).map(Double.init)
    case .int32: return load(Int32(0)).map(Double.init)
    case .int64: return load(Int64(0)).map(Double.init)
    case .bool, .uInt8: return load(UInt8(0)).map(Double.init)
    default: return []
    }
  }

  func compile(_ targets: [MPSGraphTensor]) -> MPSGraphExecutable {
    var types: [MPSGraphTensor: MPSGraphShapedType] = [:]
    for (tensor, data) in feeds {
      types[tensor] = MPSGraphShapedType(shape: data.shape, dataType: data.dataType)
    }
    return graph.compile(
      with: nil, feeds: types, targetTensors: targets, targetOperations: nil,
      compilationDescriptor: nil)
  }
}

/// Whether every number is within the tolerance of what is expected, relative where that is large.
func close(_ actual: [Double], _ expected: [Double], _ tolerance: Double = 2e-6) -> Bool {
  guard actual.count == expected.count else { return false }
  return zip(actual, expected).allSatisfy { abs($0 - $1) <= tolerance * max(1, abs($1)) }
}

/// Float64 references, written from the definitions.
enum Reference {
  /// [m, k] times [k, n].
  static func matmul(_ a: [Double], _ b: [Double], _ m: Int, _ k: Int, _ n: Int) -> [Double] {
    var c = [Double](repeating: 0, count: m * n)
    for i in 0..<m {
      for j in 0..<n { for p in 0..<k { c[i * n + j] += a[i * k + p] * b[p * n + j] } }
    }
    return c
  }

  static func transposed(_ a: [Double], _ rows: Int, _ columns: Int) -> [Double] {
    (0..<columns).flatMap { column in (0..<rows).map { a[$0 * columns + column] } }
  }

  static func softmax(_ x: [Double], row: Int) -> [Double] {
    rows(x, row) { values in
      let peak = values.max() ?? 0
      let raised = values.map { exp($0 - peak) }
      let total = raised.reduce(0, +)
      return raised.map { $0 / total }
    }
  }

  static func layerNorm(
    _ x: [Double], row: Int, _ gamma: [Double], _ beta: [Double], epsilon: Double
  ) -> [Double] {
    rows(x, row) { values in
      let mean = values.reduce(0, +) / Double(row)
      let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(row)
      let scale = 1 / (variance + epsilon).squareRoot()
      return values.indices.map { (values[$0] - mean) * scale * gamma[$0] + beta[$0] }
    }
  }

  static func rows(_ x: [Double], _ row: Int, _ body: ([Double]) -> [Double]) -> [Double] {
    stride(from: 0, to: x.count, by: row).flatMap { body(Array(x[$0..<($0 + row)])) }
  }

  static func gelu(_ x: Double) -> Double { 0.5 * x * (1 + erf(x / 2.0.squareRoot())) }
}
