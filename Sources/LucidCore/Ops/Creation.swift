import Foundation
import MetalPerformanceShadersGraph

/// Operations without operands.
enum Creation {
  static let all: [OpDef] = [
    OpDef(
      "full",
      OpDoc("A tensor filled with one value; `integer` holds values that a double cannot."),
      operands: [],
      attributes: [
        AttributeDef("size", .dims), AttributeDef("value", .float), AttributeDef("dtype", .dtype),
        AttributeDef("integer", .optional(.int), default: Attribute.none),
      ],
      leaf(
        { c throws(LucidError) in
          TensorType(Shape(c.attributes.dims(0)), c.attributes.dtype(2) ?? .float32)
        },
        { c throws(LucidError) in
          let type = c.outputTypes[0]
          let scalar: MPSGraphTensor
          if let integer = c.attributes.optionalInt(3), type.dtype == .int64 {
            scalar = c.graph.integers([integer], shape: [1])
          } else {
            scalar = c.graph.constant(c.attributes.float(1), shape: [1], dataType: type.dtype.mps)
          }
          return try c.broadcast(scalar, [1], to: type.shape)
        })),
    OpDef(
      "constant_integers", OpDoc("A vector of these integers."), operands: [],
      attributes: [AttributeDef("values", .ints)],
      leaf(
        { c throws(LucidError) in TensorType([Dim(c.attributes.ints(0).count)], .int64) },
        { c throws(LucidError) in
          let values = c.attributes.ints(0)
          return c.graph.integers(values, shape: [NSNumber(value: values.count)])
        })),
    OpDef(
      "constant_floats", OpDoc("A float32 vector of these numbers."), operands: [],
      attributes: [AttributeDef("values", .floats)],
      leaf(
        { c throws(LucidError) in TensorType([Dim(c.attributes.floats(0).count)], .float32) },
        { c throws(LucidError) in
          let values = c.attributes.floats(0).map { Float($0) }
          let bytes = values.withUnsafeBytes { Data($0) }
          return c.graph.constant(
            bytes, shape: [NSNumber(value: values.count)], dataType: .float32)
        })),
    OpDef(
      "extent",
      OpDoc("An extent that may depend on the batch, as a number.", ["size has one entry."]),
      operands: [],
      attributes: [
        AttributeDef("size", .dims), AttributeDef("dtype", .dtype, default: .dtype(.int64)),
      ],
      leaf(
        { c throws(LucidError) in
          guard c.attributes.dims(0).count == 1 else {
            throw c.error(.value, "size has \(c.attributes.dims(0).count) entries", constraint: 1)
          }
          return TensorType([], c.attributes.dtype(1) ?? .int64)
        },
        { c throws(LucidError) in
          let dim = c.attributes.dims(0)[0]
          let dtype = c.outputTypes[0].dtype.mps
          if let value = dim.value {
            return c.graph.constant(Double(value), shape: [1], dataType: dtype)
          }
          return c.graph.cast(try c.shapeTensor(Shape([dim])), to: dtype, name: c.name)
        })),
    OpDef(
      "coordinate",
      OpDoc("The index along one axis of a shape, for every element.", ["dim lies within size."]),
      operands: [],
      attributes: [
        AttributeDef("size", .dims), AttributeDef("dim", .int),
        AttributeDef("dtype", .dtype, default: .dtype(.int64)),
      ],
      leaf(
        { c throws(LucidError) in
          let shape = Shape(c.attributes.dims(0))
          guard c.attributes.int(1) >= 0, c.attributes.int(1) < shape.rank else {
            throw c.error(
              .index, "axis \(c.attributes.int(1)) is out of range for \(shape)", constraint: 1)
          }
          return TensorType(shape, c.attributes.dtype(2) ?? .int64)
        },
        { c throws(LucidError) in
          let type = c.outputTypes[0]
          let axis = c.attributes.int(1)
          let index =
            type.shape.isStatic
            ? c.graph.coordinate(alongAxis: axis, withShape: type.shape.mps, name: c.name)
            : c.graph.coordinate(
              alongAxis: axis, withShapeTensor: try c.shapeTensor(type.shape), name: c.name)
          return c.graph.castIfNeeded(index, type.dtype, name: c.name)
        })),
    OpDef(
      "arange",
      OpDoc(
        "start, start + step, … up to but not including end.",
        ["step is nonzero and leads from start to end."]),
      operands: [],
      attributes: [
        AttributeDef("start", .float), AttributeDef("end", .float),
        AttributeDef("step", .float, default: .float(1.0)), AttributeDef("dtype", .dtype),
      ],
      .composite { c throws(LucidError) in
        let (start, end) = (c.attributes.float(0), c.attributes.float(1))
        let (step, dtype) = (c.attributes.float(2), c.attributes.dtype(3) ?? .float32)
        let count = ((end - start) / step).rounded(.up)
        guard step != 0, count.isFinite, count >= 0 || start == end, count <= 1e15 else {
          throw c.check.error(
            .value, "step \(step) does not lead from \(start) to \(end)", constraint: 1)
        }
        let index = try c.builder.coordinate([Dim(Int(max(count, 0)))], 0, .int64)
        if dtype.isFloatingPoint {
          return [try (index.cast(to: .float32) * step + start).cast(to: dtype)]
        }
        return [
          try (index * step.rounded(.towardZero) + start.rounded(.towardZero)).cast(to: dtype)
        ]
      }),
    OpDef(
      "linspace", OpDoc("steps numbers evenly from start to end, both included.", ["steps >= 0."]),
      operands: [], attributes: spaceAttributes,
      .composite { c throws(LucidError) in
        [try spaced(c, 0, 1, 2).cast(to: c.attributes.dtype(3) ?? .float32)]
      }),
    OpDef(
      "logspace", OpDoc("base to the power of evenly spaced numbers.", ["steps >= 0."]),
      operands: [],
      attributes: spaceAttributes + [AttributeDef("base", .float, default: .float(10.0))],
      .composite { c throws(LucidError) in
        let exponents = try spaced(c, 0, 1, 2)
        let power = try exponents.full(c.attributes.float(4)).call("pow", [exponents])
        return [try power.cast(to: c.attributes.dtype(3) ?? .float32)]
      }),
    OpDef(
      "eye",
      OpDoc("Ones on the main diagonal, zeros elsewhere.", ["The extents are not negative."]),
      operands: [],
      attributes: [
        AttributeDef("n", .int), AttributeDef("m", .int),
        AttributeDef("dtype", .dtype, default: .dtype(.float32)),
      ],
      .composite { c throws(LucidError) in
        let (n, m) = (Dim(c.attributes.int(0)), Dim(c.attributes.int(1)))
        let rows = try c.builder.coordinate([n, 1], 0, .int32)
        let columns = try c.builder.coordinate([1, m], 1, .int32)
        return [try rows.equals(columns).cast(to: c.attributes.dtype(2) ?? .float32)]
      }),
    triangle("tril_indices", "Row and column of each element on or below a diagonal.") {
      row, column, offset in column <= Dim.add(row, offset)
    },
    triangle("triu_indices", "Row and column of each element on or above a diagonal.") {
      row, column, offset in column >= Dim.add(row, offset)
    },
  ]

  private static let spaceAttributes = [
    AttributeDef("start", .float), AttributeDef("end", .float), AttributeDef("steps", .int),
    AttributeDef("dtype", .dtype, default: .dtype(.float32)),
  ]

  /// start + i·step for the first half, end - (n-1-i)·step for the second: both ends are exact.
  private static func spaced(
    _ c: ExpandContext, _ a: Int, _ b: Int, _ n: Int
  ) throws(LucidError) -> GraphValue {
    let (start, end, count) = (c.attributes.float(a), c.attributes.float(b), c.attributes.int(n))
    guard count >= 0 else { throw c.check.error(.value, "steps is \(count)", constraint: 1) }
    let index = try c.builder.coordinate([Dim(count)], 0, .float32)
    if count <= 1 { return try index + start }
    let step = (end - start) / Double(count - 1)
    let fromStart = try index * step + start
    let fromEnd = try end - (Double(count - 1) - index) * step
    return try fromStart.selected(where: index.less(index.full(Double(count) / 2)), else: fromEnd)
  }

  private static func triangle(
    _ name: String, _ summary: String,
    _ belongs: @escaping @Sendable (Int, Int, Int) -> Bool
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The extents are not negative and their product is below 2^24."]),
      operands: [],
      attributes: [
        AttributeDef("row", .int), AttributeDef("col", .int),
        AttributeDef("offset", .int, default: .int(0)),
      ],
      .composite { c throws(LucidError) in
        let (rows, columns) = (c.attributes.int(0), c.attributes.int(1))
        guard rows >= 0, columns >= 0, Dim.multiply(max(rows, 1), max(columns, 1)) < 1 << 24
        else {
          throw c.check.error(.value, "extents \(rows) and \(columns)", constraint: 1)
        }
        var pairs: ([Int], [Int]) = ([], [])
        for i in 0..<rows {
          for j in 0..<columns where belongs(i, j, c.attributes.int(2)) {
            pairs.0.append(i)
            pairs.1.append(j)
          }
        }
        let flat = try c.builder.integers(pairs.0 + pairs.1)
        return [try flat.reshape([2, Dim(pairs.0.count)])]
      })
  }

  /// The rules of an operation without operands.
  private static func leaf(
    _ infer: @escaping @Sendable (InferContext) throws(LucidError) -> TensorType,
    _ lower: @escaping @Sendable (LowerContext) throws(LucidError) -> MPSGraphTensor
  ) -> OpDef.Definition {
    .primitive(
      OpDef.PrimitiveRules(
        infer: { c throws(LucidError) in [try infer(c)] },
        vjp: .rule { c throws(LucidError) in [] },
        lower: { c throws(LucidError) in [try lower(c)] }))
  }
}

extension MPSGraph {
  /// An int64 constant of numbers that a double may not hold.
  func integers(_ values: [Int], shape: [NSNumber]) -> MPSGraphTensor {
    let words = values.map { Int64($0).littleEndian }
    return constant(words.withUnsafeBytes { Data($0) }, shape: shape, dataType: .int64)
  }
}

extension GraphBuilder {
  /// The index along an axis of a shape.
  func coordinate(_ size: [Dim], _ axis: Int, _ dtype: DType) throws(LucidError) -> GraphValue {
    try apply(
      try OpCatalog.op("coordinate"), [],
      Attributes([.dims(size), .int(axis), .dtype(dtype)]))[0]
  }
}
