import Foundation
import MetalPerformanceShadersGraph

/// Normalisation by mean and variance, always in two passes: the variance is that of the deviations.
enum Normalization {
  static let all: [OpDef] = core + layers + batches + others

  static let eps = AttributeDef("eps", .float, default: .float(1e-5))
  static let affine = [OperandDef("weight", .optional), OperandDef("bias", .optional)]

  private static let core: [OpDef] = [
    OpDef(
      "standardize",
      OpDoc(
        "(input - mean) / sqrt(variance + eps) over axes, with the mean and the population variance.",
        ["The element type is float32.", "The axes are given, non-negative and distinct."]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("dims", .ints), AttributeDef("eps", .float)], resultCount: 3,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            guard c.dtype(0) == .float32 else {
              throw c.error(.dtype, "the element type is \(c.dtype(0))", constraint: 1)
            }
            let axes = c.attributes.ints(0)
            guard !axes.isEmpty, Set(axes).count == axes.count,
              axes.allSatisfy({ $0 >= 0 && $0 < c.shape(0).rank })
            else { throw c.error(.index, "axes \(axes) of \(c.shape(0))", constraint: 2) }
            let kept = TensorType(c.shape(0).reduced(over: axes, keepDim: true), .float32)
            return [TensorType(c.shape(0), .float32), kept, kept]
          },
          vjp: .rule { c throws(LucidError) in
            let axes = c.attributes.ints(0)
            let (y, variance) = (c.outputs[0], c.outputs[2])
            let count = try y.elementCount(axes)
            let scale = try (variance + c.attributes.float(1)).rsqrt()
            var total: GraphValue?
            if let g = c.cotangents[0] {
              let slope = try (g * y).mean(axes)
              total = try (g - g.mean(axes) - y * slope) * scale
            }
            if let g = c.cotangents[1] {
              let part = try (g / count).expand(y.shape)
              total = try total.map { t throws(LucidError) in try t + part } ?? part
            }
            if let g = c.cotangents[2] {
              let part = try y * (g * 2 / (scale * count))
              total = try total.map { t throws(LucidError) in try t + part } ?? part
            }
            return [total]
          },
          empty: .fill(.nan),
          lower: { c throws(LucidError) in
            let axes = c.attributes.ints(0).map { NSNumber(value: $0) }
            let x = c.inputs[0]
            let mean = c.graph.mean(of: x, axes: axes, name: c.name)
            let variance = c.graph.variance(of: x, mean: mean, axes: axes, name: c.name)
            let y = c.graph.normalize(
              x, mean: mean, variance: variance, gamma: nil, beta: nil,
              epsilon: Float(c.attributes.float(1)), name: c.name)
            return [y, mean, variance]
          })))
  ]

  private static let layers: [OpDef] = [
    OpDef(
      "layer_norm",
      OpDoc(
        "Standardizes over the last axes, then scales by weight and adds bias.",
        [
          "normalized_shape is the end of input's shape.", "weight and bias have normalized_shape.",
          "The element type is floating.",
        ]),
      operands: [OperandDef("input")] + affine,
      attributes: [AttributeDef("normalized_shape", .dims), eps],
      .composite { c throws(LucidError) in
        let axes = try lastAxes(c)
        let x = c.inputs[0]
        let y = try x.cast(to: .float32).standardized(axes, c.attributes.float(1))
        return [try scaled(c, y, from: 1).cast(to: x.dtype)]
      }),
    OpDef(
      "rms_norm",
      OpDoc(
        "Divides by the root of the mean square over the last axes, then scales by weight.",
        [
          "normalized_shape is the end of input's shape.", "weight has normalized_shape.",
          "The element type is floating.",
        ]),
      operands: [OperandDef("input"), OperandDef("weight", .optional)],
      attributes: [
        AttributeDef("normalized_shape", .dims),
        AttributeDef("eps", .optional(.float), default: Attribute.none),
      ],
      .composite { c throws(LucidError) in
        let axes = try lastAxes(c)
        let x = try c.inputs[0].cast(to: .float32)
        let eps = c.attributes.optionalFloat(1) ?? c.inputs[0].dtype.machineEpsilon
        let y = try x * ((x * x).mean(axes) + eps).rsqrt()
        return [try scaled(c, y, from: 1).cast(to: c.inputs[0].dtype)]
      }),
    OpDef(
      "group_norm",
      OpDoc(
        "Standardizes over groups of channels and all positions, then scales and shifts channels.",
        [
          "The rank is 2 or more.", "num_groups divides the channels.",
          "weight and bias have one element per channel.", "The element type is floating.",
        ]),
      operands: [OperandDef("input")] + affine,
      attributes: [AttributeDef("num_groups", .int), eps],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        try requireChannels(c, rank: 2)
        let groups = c.attributes.int(0)
        guard groups > 0, let size = Dim.quotient(x.shape[1], groups),
          Dim.product(size, Dim(groups)) == x.shape[1]
        else {
          throw c.check.error(
            .value, "\(groups) groups for \(x.shape[1]) channels", constraint: 2)
        }
        guard let rest = Shape([size] + x.shape.dims.dropFirst(2)).elementCount else {
          throw c.check.error(.unsupported, "the extents of \(x.shape) have no affine product")
        }
        let lines = try x.cast(to: .float32).reshape([x.shape[0], Dim(groups), rest])
        let y = try lines.standardized([2], c.attributes.float(1)).reshape(x.shape)
        return [try channelScaled(c, y, from: 1).cast(to: x.dtype)]
      }),
    OpDef(
      "instance_norm",
      OpDoc(
        "Standardizes each channel over its positions, then scales and shifts channels.",
        [
          "The rank is 3 or more.", "There is more than one position.",
          "weight and bias have one element per channel.", "The element type is floating.",
        ]),
      operands: [OperandDef("input")] + affine, attributes: [eps],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        try requireChannels(c, rank: 3)
        let axes = Array(2..<x.rank)
        let y = try x.cast(to: .float32).standardized(axes, c.attributes.float(0))
        return [try channelScaled(c, y, from: 1).cast(to: x.dtype)]
      }),
  ]

  private static let batches: [OpDef] = [
    OpDef(
      "batch_norm",
      OpDoc(
        "Normalizes channels by running statistics, then scales and shifts them.",
        [
          "The rank is 2 or more.", "The statistics, weight and bias have one element per channel.",
          "The element type is floating.",
        ]),
      operands: [
        OperandDef("input"), OperandDef("running_mean"), OperandDef("running_var"),
      ] + affine,
      attributes: [eps],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        try requireChannels(c, rank: 2)
        // One multiplication and one addition per element.
        var scale = try (channel(c, 2) + c.attributes.float(0)).rsqrt()
        if c.inputs.count > 3 { scale = try scale * channel(c, 3) }
        var shift = try -(channel(c, 1) * scale)
        if c.inputs.count > 4 { shift = try shift + channel(c, 4) }
        return [try (x.cast(to: .float32) * scale + shift).cast(to: x.dtype)]
      }),
    training(
      "batch_norm_training",
      "Standardizes channels over the batch, then scales and shifts them; also the running statistics after the step.",
      tracks: true),
    training(
      "batch_norm_batch",
      "batch_norm_training without running statistics: also the batch's mean and unbiased variance.",
      tracks: false),
  ]

  private static func training(_ name: String, _ summary: String, tracks: Bool) -> OpDef {
    let running = [OperandDef("running_mean"), OperandDef("running_var")]
    return OpDef(
      name,
      OpDoc(
        summary,
        [
          "The rank is 2 or more.", "The statistics, weight and bias have one element per channel.",
          "There is more than one value per channel.", "The element type is floating.",
        ]),
      operands: [OperandDef("input")] + (tracks ? running : []) + affine,
      attributes: (tracks ? [AttributeDef("momentum", .float, default: .float(0.1))] : []) + [eps],
      resultCount: 3,
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        try requireChannels(c, rank: 2)
        let axes = [0] + Array(2..<x.rank)
        let extents = axes.map { x.shape[$0] }
        if let count = Shape(extents).elementCount, c.check.equal(count, 1) {
          throw c.check.error(
            .value, "expected more than 1 value per channel when training, got shape \(x.shape)",
            constraint: 3)
        }
        let all = try x.cast(to: .float32).callAll(
          "standardize", [], [.ints(axes), .float(c.attributes.float(tracks ? 1 : 0))])
        let y = try channelScaled(c, all[0], from: tracks ? 3 : 1).cast(to: x.dtype)
        let count = try x.elementCount(axes).cast(to: .float32)
        let mean = try all[1].reshape([x.shape[1]]).call("detach")
        let variance = try (all[2].reshape([x.shape[1]]) * (count / (count - 1)))
          .call("detach")
        guard tracks else { return [y, mean, variance] }
        let momentum = c.attributes.float(0)
        var out = [y]
        for (old, new) in [(c.inputs[1], mean), (c.inputs[2], variance)] {
          let kept = try old.cast(to: .float32).call("detach") * (1 - momentum)
          out.append(try (kept + new * momentum).cast(to: old.dtype))
        }
        return out
      })
  }

  private static let others: [OpDef] = [
    OpDef(
      "local_response_norm",
      OpDoc(
        "Divides by (k + alpha · the mean square of neighbouring channels)^beta.",
        ["The rank is 3 or more.", "size is positive."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("size", .int), AttributeDef("alpha", .float, default: .float(1e-4)),
        AttributeDef("beta", .float, default: .float(0.75)),
        AttributeDef("k", .float, default: .float(1.0)),
      ], promotion: .floating,
      .composite { c throws(LucidError) in
        let (x, size) = (try c.inputs[0].widened(), c.attributes.int(0))
        guard x.rank >= 3 else {
          throw c.check.error(.shape, "shape \(x.shape)", constraint: 1)
        }
        guard size > 0, size <= 1 << 12 else {
          throw c.check.error(.value, "size is \(size)", constraint: 2)
        }
        var pads = [Int](repeating: 0, count: 2 * x.rank)
        (pads[2], pads[3]) = (size / 2, (size - 1) / 2)
        let squares = try (x * x).pad(pads)
        var sum = try squares.narrow(1, 0, x.shape[1])
        for i in 1..<max(size, 1) { sum = try sum + squares.narrow(1, Dim(i), x.shape[1]) }
        let base = try sum * (c.attributes.float(1) / Double(size)) + c.attributes.float(3)
        let divisor = try base.call("pow_scalar", [], [.float(c.attributes.float(2))])
        return [try (x / divisor).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "normalize",
      OpDoc(
        "Divides by the p-norm along an axis, or by eps if that is smaller.",
        ["The axis lies within the rank."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("p", .float, default: .float(2.0)),
        AttributeDef("dim", .ints, default: .ints([1])),
        AttributeDef("eps", .float, default: .float(1e-12)),
      ], promotion: .floating,
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened()
        let axes = try c.check.axes(c.attributes.ints(1), rank: x.rank)
        let norm = try x.norm(c.attributes.float(0), axes)
        let divisor = try norm.call("clamp_min", [norm.full(c.attributes.float(2))])
        return [try (x / divisor).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "cosine_similarity",
      OpDoc(
        "The cosine of the angle between vectors along an axis.", ["The shapes broadcast together."]
      ),
      operands: [OperandDef("x1"), OperandDef("x2")],
      attributes: [
        AttributeDef("dim", .int, default: .int(1)),
        AttributeDef("eps", .float, default: .float(1e-8)),
      ], promotion: .floating,
      .composite { c throws(LucidError) in
        let shape = try c.check.broadcast(c.inputs[0].shape, c.inputs[1].shape)
        let axis = try c.check.axis(c.attributes.int(0), rank: shape.rank)
        let axes = shape.rank == 0 ? [] : [axis]
        let a = try c.inputs[0].widened().expand(shape)
        let b = try c.inputs[1].widened().expand(shape)
        var norms: [GraphValue] = []
        for x in [a, b] {
          let norm = try x.norm(2, axes)
          norms.append(try norm.call("clamp_min", [norm.full(c.attributes.float(1))]))
        }
        let cosine = try (a * b).sum(axes, keepDim: true) / (norms[0] * norms[1])
        return [try cosine.dropping(axes, unless: false).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "pairwise_distance",
      OpDoc("The p-norm of x1 - x2 + eps along the last axis.", ["The shapes broadcast together."]),
      operands: [OperandDef("x1"), OperandDef("x2")],
      attributes: [
        AttributeDef("p", .float, default: .float(2.0)),
        AttributeDef("eps", .float, default: .float(1e-6)),
        AttributeDef("keepdim", .bool, default: .bool(false)),
      ], promotion: .floating,
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened() - c.inputs[1].widened() + c.attributes.float(1)
        let axes = x.rank == 0 ? [] : [x.rank - 1]
        let norm = try x.norm(c.attributes.float(0), axes)
        return [try norm.dropping(axes, unless: c.attributes.bool(2)).narrowed(like: c.inputs[0])]
      }),
    OpDef(
      "cdist",
      OpDoc(
        "The p-norm distance of each row of x1 to each row of x2.",
        ["The ranks are 2 or more.", "The last extents agree; the leading axes broadcast."]),
      operands: [OperandDef("x1"), OperandDef("x2")],
      attributes: [AttributeDef("p", .float, default: .float(2.0))], promotion: .floating,
      .composite { c throws(LucidError) in
        let (a, b) = (try c.inputs[0].widened(), try c.inputs[1].widened())
        guard a.rank >= 2, b.rank >= 2 else {
          throw c.check.error(.shape, "shapes \(a.shape) and \(b.shape)", constraint: 1)
        }
        guard c.check.equal(a.shape[a.rank - 1], b.shape[b.rank - 1]) else {
          throw c.check.error(.shape, "shapes \(a.shape) and \(b.shape)", constraint: 2)
        }
        let x = try a.unsqueeze(-2) - b.unsqueeze(-3)
        let norm = try x.norm(c.attributes.float(0), [x.rank - 1])
        return [try norm.dropping([x.rank - 1], unless: false).narrowed(like: c.inputs[0])]
      }),
  ]

  // MARK: Shared

  /// The axes that normalized_shape (attribute 0) names, checked.
  private static func lastAxes(_ c: ExpandContext) throws(LucidError) -> [Int] {
    let (shape, end) = (c.inputs[0].shape, c.attributes.dims(0))
    try ElementKinds.floating.check(c.check, operand: 0, constraint: 3)
    guard !end.isEmpty, end.count <= shape.rank,
      c.check.equal(Shape(Array(shape.dims.suffix(end.count))), Shape(end))
    else {
      throw c.check.error(
        .shape, "normalized_shape \(Shape(end)) is not the end of \(shape)", constraint: 1)
    }
    for operand in c.inputs.dropFirst() {
      guard c.check.equal(operand.shape, Shape(end)) else {
        throw c.check.error(
          .shape, "a weight of shape \(operand.shape) for \(Shape(end))", constraint: 2)
      }
    }
    return Array((shape.rank - end.count)..<shape.rank)
  }

  private static func requireChannels(_ c: ExpandContext, rank: Int) throws(LucidError) {
    let x = c.inputs[0]
    guard x.rank >= rank else {
      throw c.check.error(.shape, "shape \(x.shape) has too few axes", constraint: 1)
    }
    try ElementKinds.floating.check(
      c.check, operand: 0, constraint: c.op.doc.constraints.count)
    for operand in c.inputs.dropFirst() {
      guard operand.rank == 1, c.check.equal(operand.shape[0], x.shape[1]) else {
        throw c.check.error(
          .shape, "shape \(operand.shape) for \(x.shape[1]) channels",
          constraint: rank == 2 && c.op.name != "group_norm" ? 2 : 3)
      }
    }
  }

  /// An operand per channel, so that it broadcasts with the input.
  private static func channel(_ c: ExpandContext, _ operand: Int) throws(LucidError) -> GraphValue {
    var dims = [Dim](repeating: 1, count: c.inputs[0].rank)
    dims[1] = c.inputs[0].shape[1]
    return try c.inputs[operand].cast(to: .float32).reshape(Shape(dims))
  }

  private static func channelScaled(
    _ c: ExpandContext, _ y: GraphValue, from first: Int
  ) throws(LucidError) -> GraphValue {
    var y = y
    if c.inputs.count > first { y = try y * channel(c, first) }
    if c.inputs.count > first + 1 { y = try y + channel(c, first + 1) }
    return y
  }

  private static func scaled(
    _ c: ExpandContext, _ y: GraphValue, from first: Int
  ) throws(LucidError) -> GraphValue {
    var y = y
    if c.inputs.count > first { y = try y * c.inputs[first].cast(to: .float32) }
    if c.inputs.count > first + 1 { y = try y + c.inputs[first + 1].cast(to: .float32) }
    return y
  }
}

extension DType {
  /// The distance from 1 to the next larger number of a floating type.
  var machineEpsilon: Double {
    switch self {
    case .float16: 0x1p-10
    case .bfloat16: 0x1p-7
    default: 0x1p-23
    }
  }
}

extension GraphValue {
  func standardized(_ axes: [Int], _ eps: Double) throws(LucidError) -> GraphValue {
    try callAll("standardize", [], [.ints(axes), .float(eps)])[0]
  }
}
