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
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            [TensorType(Shape(c.attributes.dims(0)), c.attributes.dtype(2) ?? .float32)]
          },
          vjp: .rule { c throws(LucidError) in [] },
          lower: { c throws(LucidError) in
            let type = c.outputTypes[0]
            let scalar: MPSGraphTensor
            if let integer = c.attributes.optionalInt(3), type.dtype == .int64 {
              let bytes = withUnsafeBytes(of: Int64(integer).littleEndian) { Data($0) }
              scalar = c.graph.constant(bytes, shape: [1], dataType: .int64)
            } else {
              scalar = c.graph.constant(c.attributes.float(1), shape: [1], dataType: type.dtype.mps)
            }
            return [try c.broadcast(scalar, [1], to: type.shape)]
          })))
  ]
}
