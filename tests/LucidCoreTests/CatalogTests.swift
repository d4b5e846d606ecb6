import Foundation
import Testing

@testable import LucidCore

/// The catalog checked as a whole: what every operation must have, and that no rule refers to what
/// does not exist or traps on junk.
@Suite struct CatalogTests {
  @Test func namesAreUniqueAndNumbersDense() {
    let names = OpCatalog.all.map(\.name)
    #expect(Set(names).count == names.count)
    for (i, op) in OpCatalog.all.enumerated() {
      #expect(Int(op.id.index) == i)
      #expect(OpCatalog.find(op.name)?.id == op.id)
    }
  }

  @Test func everyOperationIsDocumented() {
    for op in OpCatalog.all {
      #expect(!op.doc.summary.isEmpty, "\(op.name) has no summary")
      #expect(op.doc.summary.hasSuffix("."), "\(op.name): the summary is no sentence")
      for constraint in op.doc.constraints {
        #expect(!constraint.isEmpty, "\(op.name) has an empty constraint")
      }
      let names = op.operands.map(\.name) + op.attributes.map(\.name)
      #expect(Set(names).count == names.count, "\(op.name) uses a name twice")
    }
  }

  /// Every operation that a rule names by a literal exists, also in branches no sample reaches.
  @Test func namesInRulesResolve() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/LucidCore/Ops")
    let reference = /(?:\.call|\.callAll|OpCatalog\.op)\(\s*"([a-z0-9_]+)"/
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(
      at: sources, includingPropertiesForKeys: nil)
    {
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: reference) {
        count += 1
        #expect(OpCatalog.find(String(match.1)) != nil, "\(file.lastPathComponent): \(match.1)")
      }
    }
    #expect(count > 200)
  }

  /// Optional and variadic operands come last, so that a count tells which are given.
  @Test func optionalOperandsComeLast() {
    for op in OpCatalog.all {
      let kinds = op.operands.map(\.kind)
      let required = kinds.prefix { $0 == .required }.count
      #expect(!kinds.dropFirst(required).contains(.required), "\(op.name)")
      #expect(kinds.filter { $0 == .variadic }.count <= 1, "\(op.name)")
    }
  }

  @Test func defaultsHaveTheDeclaredType() {
    for op in OpCatalog.all {
      for attribute in op.attributes {
        guard let value = attribute.defaultValue else { continue }
        let def = [AttributeDef(attribute.name, attribute.type)]
        let words = AttributeCoding.encode(Attributes([value]), def)
        let decoded = words.withUnsafeBytes { bytes in
          try? AttributeCoding.decode(UnsafeRawBufferPointer(bytes), def, op: op.name)
        }
        #expect(decoded?.values == [value], "\(op.name).\(attribute.name)")
      }
    }
  }

  /// Builds every operation, and the gradient of those that have one, on operands of several shapes
  /// and types with its defaults and with junk: it gives values or an error, and no error says that a
  /// name is unknown.
  @Test(arguments: OpCatalog.all.map(\.name))
  func buildsOnSamplesAndJunk(name: String) throws {
    let op = try #require(OpCatalog.find(name))
    for types in samples(op) {
      for attributes in Self.candidates(op) {
        try build(op, types, attributes)
      }
    }
  }

  private func build(_ op: OpDef, _ types: [TensorType], _ attributes: Attributes) throws {
    for symbols in [nil, BatchAssumptions(hint: 4)] {
      let builder = GraphBuilder(symbols: symbols)
      let drawn = [TensorType([1], .int64), TensorType([1], .int64)]
      var operands = types.map { builder.input($0) }
      do throws(LucidError) {
        if let rule = op.draws {
          let context = InferContext(
            op: op, types: types, attributes: attributes, symbols: symbols)
          if try rule(context) != 0 { operands += drawn.map { builder.input($0) } }
        }
        let results = try builder.apply(op, operands, attributes)
        if let count = op.resultCount { #expect(results.count == count, "\(op.name)") }
        builder.setOutputs(results)
        guard results.allSatisfy({ $0.dtype.isFloatingPoint }) else { continue }
        _ = try Autodiff.gradient(
          of: builder.graph, present: results.map { _ in true },
          wanted: operands.map { $0.dtype.isFloatingPoint }, symbols: symbols)
      } catch {
        #expect(!error.message.contains("no operation has this name"), "\(op.name): \(error)")
        #expect(!error.message.isEmpty)
      }
    }
  }

  /// Operand types that fit many operations, one list per try.
  private func samples(_ op: OpDef) -> [[TensorType]] {
    let shapes: [Shape] = [
      [4, 4], [], [2, 4, 4], [2, 4, 4, 4], [4], [0, 4], [Dim.batch, 4], [1, 1, 1, 1, 1],
    ]
    var out: [[TensorType]] = []
    let count =
      op.operands.count { $0.kind != .variadic } + (op.operands.last?.kind == .variadic ? 2 : 0)
    for shape in shapes {
      for dtype in [DType.float32, .int64, .bool] {
        let all = [TensorType](repeating: TensorType(shape, dtype), count: count)
        out.append(all)
        // One operand of another type: an index, a mask or a matrix of integers.
        for i in all.indices where dtype == .float32 && count <= 3 {
          var mixed = all
          mixed[i] = TensorType(shape, i % 2 == 0 ? .bool : .int64)
          out.append(mixed)
        }
      }
    }
    return out
  }

  /// Attributes: the defaults, with plausible values where there are none, then junk.
  static func candidates(_ op: OpDef) -> [Attributes] {
    func filled(_ choose: (AttributeDef) -> Attribute) -> Attributes {
      Attributes(op.attributes.map(choose))
    }
    func plain(_ type: AttributeType, _ n: Int) -> Attribute {
      switch type {
      case .int: .int(n)
      case .float: .float(Double(n))
      case .bool: .bool(n % 2 == 1)
      case .dtype: .dtype(.float32)
      case .ints: .ints([n])
      case .floats: .floats([Double(n).bitPattern])
      case .dims: .dims([Dim(n), Dim(4)])
      case .choice(let words): .choice(abs(n % words.count))
      case .optional(let inner): plain(inner, n)
      }
    }
    func junk(_ type: AttributeType, _ n: Int) -> Attribute {
      let extremes = [Int.min, Int.max, -1, 0, 1 << 40]
      let value = extremes[n % extremes.count]
      switch type {
      case .int: return .int(value)
      case .float: return .float([.nan, -.infinity, .infinity, 0.0, -1e300][n % 5] as Double)
      case .bool: return .bool(true)
      case .dtype: return .dtype(.bool)
      case .ints: return .ints([value, Int.max, Int.min])
      case .floats: return .floats([Double.nan.bitPattern, UInt64.max])
      case .dims:
        return .dims([Dim(value), Dim(coefficient: value, constant: Int.min)])
      case .choice: return .choice(0)
      case .optional(let inner): return junk(inner, n)
      }
    }
    var out = [filled { $0.defaultValue ?? plain($0.type, 1) }]
    for n in [0, 1, 2] { out.append(filled { plain($0.type, n) }) }
    for n in 0..<5 { out.append(filled { junk($0.type, n) }) }
    out.append(
      filled { def in
        switch def.type {
        case .ints, .optional(.ints): .ints([])
        case .floats, .optional(.floats): .floats([])
        case .dims, .optional(.dims): .dims([])
        default: def.defaultValue ?? plain(def.type, 1)
        }
      })
    return out
  }
}
