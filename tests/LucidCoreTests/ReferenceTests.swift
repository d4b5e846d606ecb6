import Foundation
import LucidCore
import Testing

/// Every operation against the answers of the NumPy reference in tests/golden/reference.json.
@Suite struct ReferenceTests {
  @Test func operationsGiveTheReferencesAnswers() throws {
    let cases = try GoldenCase.all()
    #expect(cases.count > 300)
    for (number, golden) in cases.enumerated() {
      do {
        try golden.check("\(golden.op), case \(number)")
      } catch {
        Issue.record("\(golden.op), case \(number): \(error)")
      }
    }
  }

  @Test func coversTheCatalog() throws {
    let known = Set(try GoldenCase.all().map(\.op))
    let missing = OpCatalog.all.filter { op in
      op.draws == nil && !known.contains(op.name)
    }
    // Larger examples than the file takes are left to the Python suite.
    #expect(missing.count < 12, "\(missing.map(\.name))")
  }
}

/// A number of the file: JSON has no infinities, and doubles do not hold every int64.
private enum GoldenNumber: Decodable {
  case integer(Int64)
  case real(Double)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .integer(value ? 1 : 0)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .real(value)
    } else {
      let word = try container.decode(String.self)
      self = .real(word == "nan" ? .nan : word == "-inf" ? -.infinity : .infinity)
    }
  }

  var real: Double {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    }
  }

  var integer: Int64 {
    switch self {
    case .integer(let value): value
    case .real(let value): Int64(value)
    }
  }
}

/// An attribute as the file writes it.
private enum GoldenAttribute: Decodable {
  case number(GoldenNumber)
  case word(String)
  case list([GoldenNumber])
  case null

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let list = try? container.decode([GoldenNumber].self) {
      self = .list(list)
    } else if let word = try? container.decode(String.self) {
      self = .word(word)
    } else {
      self = .number(try container.decode(GoldenNumber.self))
    }
  }

  func value(_ type: AttributeType) -> Attribute? {
    switch (type, self) {
    case (.optional, .null): Attribute.none
    case (.optional(let inner), _): value(inner)
    case (.int, .number(let n)): .int(Int(n.integer))
    case (.float, .number(let n)): .float(n.real)
    case (.float, .word(let word)): .float(word == "-inf" ? -.infinity : .infinity)
    case (.bool, .number(let n)): .bool(n.integer != 0)
    case (.dtype, .word(let word)): DType.named(word).map { .dtype($0) }
    case (.choice(let words), .word(let word)): words.firstIndex(of: word).map { .choice($0) }
    case (.ints, .list(let list)): .ints(list.map { Int($0.integer) })
    case (.floats, .list(let list)): .floats(list.map { $0.real.bitPattern })
    case (.dims, .list(let list)): .dims(list.map { Dim(Int($0.integer)) })
    default: nil
    }
  }
}

extension DType {
  fileprivate static func named(_ name: String) -> DType? {
    let all: [DType] = [
      .float32, .float16, .bfloat16, .int8, .int16, .int32, .int64, .uint8, .bool,
    ]
    return all.first { $0.description == name }
  }
}

private struct GoldenArray: Decodable {
  let dtype: String
  let shape: [Int]
  let values: [GoldenNumber]

  func tensor() throws -> Tensor {
    let type = try #require(DType.named(dtype))
    let wide =
      type.isFloatingPoint
      ? try Tensor(values.map { Float($0.real) }, shape: shape)
      : try Tensor(integers: values.map(\.integer), shape: shape)
    return wide.dtype == type ? wide : try Tensor.apply("cast", [wide], [.dtype(type)])[0]
  }
}

private struct GoldenCase: Decodable {
  let op: String
  let operands: [GoldenArray?]
  let attributes: [String: GoldenAttribute]
  let relative: Double
  let absolute: Double
  let results: [GoldenArray]

  static func all() throws -> [GoldenCase] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let file = folder.deletingLastPathComponent().appendingPathComponent("golden/reference.json")
    return try JSONDecoder().decode([GoldenCase].self, from: Data(contentsOf: file))
  }

  func check(_ label: String) throws {
    let definition = try #require(OpCatalog.find(op), "\(label)")
    var values: [Attribute] = []
    for attribute in definition.attributes {
      let given = attributes[attribute.name].flatMap { $0.value(attribute.type) }
      values.append(try #require(given ?? attribute.defaultValue, "\(label): \(attribute.name)"))
    }
    let found = try Tensor.apply(op, operands.map { try $0?.tensor() }, values)
    try #require(found.count == results.count, "\(label)")
    for (tensor, expected) in zip(found, results) { try compare(tensor, expected, label) }
  }

  private func compare(_ found: Tensor, _ expected: GoldenArray, _ label: String) throws {
    #expect(found.dtype.description == expected.dtype, "\(label)")
    try #require(found.shape == expected.shape, "\(label): \(found.shape)")
    guard found.dtype.isFloatingPoint else {
      let wide = try Tensor.apply("cast", [found], [.dtype(.int64)])[0]
      #expect(try wide.integers() == expected.values.map(\.integer), "\(label)")
      return
    }
    let wide = try Tensor.apply("cast", [found], [.dtype(.float32)])[0]
    // The file has nine digits of each number.
    let relative = relative + 5e-9
    for (got, want) in zip(try wide.floats().map(Double.init), expected.values.map(\.real)) {
      let isClose =
        got == want || (got.isNaN && want.isNaN)
        || Swift.abs(got - want) <= absolute + relative * Swift.abs(want)
      #expect(isClose, "\(label): \(got) instead of \(want)")
    }
  }
}
