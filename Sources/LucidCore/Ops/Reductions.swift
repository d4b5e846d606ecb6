import MetalPerformanceShadersGraph

/// Operations that combine elements along axes.
enum Reductions {
  static let all: [OpDef] = primitives + extrema + means + truth + norms

  typealias ReductionLowering =
    @Sendable (MPSGraph, MPSGraphTensor, [NSNumber], String) -> MPSGraphTensor

  static let dimAttributes = [
    AttributeDef("dim", .optional(.ints), default: Attribute.none),
    AttributeDef("keepdim", .bool, default: .bool(false)),
  ]
  static let dtypeAttribute = AttributeDef("dtype", .optional(.dtype), default: Attribute.none)
  static let axesConstraint = "Each axis lies within the rank and appears once."

  /// A reduction of one MPSGraph node. `neutral` is the result over no elements, nil where there is
  /// none and the operation raises.
  private static func reduction(
    _ name: String, _ summary: String, extra: [AttributeDef] = [], neutral: Double?,
    result: @escaping @Sendable (DType, DType?) -> DType, vjp: OpDef.VJP,
    lower: @escaping ReductionLowering
  ) -> OpDef {
    let constraints =
      neutral == nil ? [axesConstraint, "The reduced axes have elements."] : [axesConstraint]
    return OpDef(
      name, OpDoc(summary, constraints), operands: [OperandDef("input")],
      attributes: dimAttributes + extra,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let axes = try c.axes(c.attributes.optionalInts(0), rank: c.shape(0).rank)
            if neutral == nil { try c.requireElements(axes, constraint: 2) }
            let dtype = result(c.dtype(0), c.attributes.dtype(2))
            let shape = c.shape(0).reduced(over: axes, keepDim: c.attributes.bool(1))
            return [TensorType(shape, dtype)]
          },
          vjp: vjp, empty: .fill(neutral ?? 0),
          lower: { c throws(LucidError) in
            let isTruth = c.outputTypes[0].dtype == .bool && c.inputTypes[0].dtype != .bool
            let source =
              isTruth
              ? c.graph.truth(c.inputs[0], c.name)
              : c.graph.castIfNeeded(c.inputs[0], c.outputTypes[0].dtype, name: c.name)
            return [try c.reduce(source, axes: c.attributes.optionalInts(0) ?? [], lower)]
          })))
  }

  /// Integers and bools add up in int64.
  @Sendable private static func accumulated(_ dtype: DType, _ wanted: DType?) -> DType {
    wanted ?? (dtype.isFloatingPoint ? dtype : .int64)
  }

  private static let primitives: [OpDef] = [
    reduction(
      "sum",
      "The sum over axes (all of them if none are given). Integers and bools add up in int64.",
      extra: [dtypeAttribute], neutral: 0, result: accumulated,
      vjp: .rule { c throws(LucidError) in
        [try c.keptCotangent().expand(c.inputs[0].shape).cast(to: c.inputs[0].dtype)]
      },
      lower: { $0.reductionSum(with: $1, axes: $2, name: $3) }),
    reduction(
      "prod",
      "The product over axes (all of them if none are given). Integers multiply in int64.",
      extra: [dtypeAttribute], neutral: 1, result: accumulated,
      vjp: .rule { c throws(LucidError) in
        let x = try c.inputs[0].cast(to: c.outputs[0].dtype)
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: x.rank)
        let zero = try x.full(0)
        let isZero = try x.equals(zero)
        let one = try x.full(1)
        let others = try one.selected(where: isZero, else: x)
        // The product of all but one element: divided out, or, for the only zero, of the rest.
        let rest = try others.call("prod", [], [.ints(axes), .bool(true), .none])
        let zeros = try isZero.cast(to: x.dtype).sum(axes, keepDim: true)
        let none = try zeros.equals(zero)
        let single = try rest.selected(where: zeros.equals(one), else: zero)
        let divided = try (rest / others).selected(where: none, else: zero)
        let slope = try single.expand(x.shape).selected(where: isZero, else: divided)
        return [try (c.keptCotangent() * slope).cast(to: c.inputs[0].dtype)]
      },
      lower: { $0.reductionProduct(with: $1, axes: $2, name: $3) }),
    extremum("amax", "The largest element over axes; NaN if there is one.") {
      graph, x, axes, name in
      x.dataType.isFloat
        ? graph.reductionMaximumPropagateNaN(with: x, axes: axes, name: name)
        : graph.reductionMaximum(with: x, axes: axes, name: name)
    },
    extremum("amin", "The smallest element over axes; NaN if there is one.") {
      graph, x, axes, name in
      x.dataType.isFloat
        ? graph.reductionMinimumPropagateNaN(with: x, axes: axes, name: name)
        : graph.reductionMinimum(with: x, axes: axes, name: name)
    },
    reduction(
      "any", "Whether some element is nonzero.", neutral: 0, result: { _, _ in .bool },
      vjp: .none("the result is bool"),
      lower: { $0.reductionOr(with: $1, axes: $2, name: $3) }),
    reduction(
      "all", "Whether every element is nonzero.", neutral: 1, result: { _, _ in .bool },
      vjp: .none("the result is bool"),
      lower: { $0.reductionAnd(with: $1, axes: $2, name: $3) }),
    OpDef(
      "arg_extremum",
      OpDoc(
        "The first position of the largest or smallest element along an axis; of a NaN if any.",
        ["The axis has elements."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int), AttributeDef("keepdim", .bool, default: .bool(false)),
        AttributeDef("largest", .bool, default: .bool(true)),
      ],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let axis = try c.axis(c.attributes.int(0), rank: c.shape(0).rank)
            let axes = c.shape(0).rank == 0 ? [] : [axis]
            try c.requireElements(axes, constraint: 1)
            return [
              TensorType(c.shape(0).reduced(over: axes, keepDim: c.attributes.bool(1)), .int64)
            ]
          },
          vjp: .none("the result is a position"),
          lower: { c throws(LucidError) in
            let largest = c.attributes.bool(2)
            let narrow = c.inputTypes[0].dtype == .bool
            let source = narrow ? c.graph.cast(c.inputs[0], to: .int32, name: c.name) : c.inputs[0]
            let index = try c.reduce(source, axes: [c.attributes.int(0)]) { graph, x, axes, name in
              graph.firstExtremum(x, axis: axes[0].intValue, largest: largest, name)
            }
            return [c.graph.cast(index, to: .int64, name: c.name)]
          }))),
  ]

  /// The gradient is shared by the elements that attain the extremum, as in PyTorch.
  private static func extremum(
    _ name: String, _ summary: String, _ lower: @escaping ReductionLowering
  ) -> OpDef {
    reduction(
      name, summary, neutral: nil, result: { dtype, _ in dtype },
      vjp: .rule { c throws(LucidError) in
        let x = c.inputs[0]
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: x.rank)
        let y = try c.outputs[0].reshape(x.shape.reduced(over: axes, keepDim: true))
        let attains = try x.equals(y).or(x.call("isnan").and(y.call("isnan")))
        let share = try attains.cast(to: x.dtype)
        return [try c.keptCotangent() * (share / share.sum(axes, keepDim: true))]
      }, lower: lower)
  }

  private static let extrema: [OpDef] = [
    arg("argmax", "The position of the largest element, in the flat tensor if dim is none.", true),
    arg(
      "argmin", "The position of the smallest element, in the flat tensor if dim is none.", false),
    dimExtremum("max", "The largest element of each line along dim, and its position.", true),
    dimExtremum("min", "The smallest element of each line along dim, and its position.", false),
    OpDef(
      "aminmax", OpDoc("The smallest and the largest element.", [axesConstraint]),
      operands: [OperandDef("input")], attributes: dimAttributes, resultCount: 2,
      .composite { c throws(LucidError) in
        [
          try c.inputs[0].call("amin", [], c.attributes.values),
          try c.inputs[0].call("amax", [], c.attributes.values),
        ]
      }),
  ]

  private static func arg(_ name: String, _ summary: String, _ largest: Bool) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The axis has elements."]), operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .optional(.int), default: Attribute.none),
        AttributeDef("keepdim", .bool, default: .bool(false)),
      ],
      .composite { c throws(LucidError) in
        let input = c.inputs[0]
        if let dim = c.attributes.optionalInt(0) {
          let attributes: [Attribute] = [.int(dim), .bool(c.attributes.bool(1)), .bool(largest)]
          return [try input.call("arg_extremum", [], attributes)]
        }
        let flat = try input.flattened()
        let index = try flat.call("arg_extremum", [], [.int(0), .bool(false), .bool(largest)])
        let ones = Shape([Dim](repeating: 1, count: input.rank))
        return [c.attributes.bool(1) ? try index.reshape(ones) : index]
      })
  }

  private static func dimExtremum(_ name: String, _ summary: String, _ largest: Bool) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["The axis has elements."]), operands: [OperandDef("input")],
      attributes: [
        AttributeDef("dim", .int), AttributeDef("keepdim", .bool, default: .bool(false)),
      ], resultCount: 2,
      .composite { c throws(LucidError) in
        let (input, dim) = (c.inputs[0], c.attributes.int(0))
        let kept = try input.call("arg_extremum", [], [.int(dim), .bool(true), .bool(largest)])
        let values = try input.gathered(dim, kept)
        return try [values, kept].droppingAxis(dim, unless: c.attributes.bool(1))
      })
  }

  private static let means: [OpDef] = [
    OpDef(
      "mean",
      OpDoc(
        "The mean over axes (all of them if none are given); NaN over no elements.",
        [axesConstraint, "The element type, or dtype if given, is a floating-point type."]),
      operands: [OperandDef("input")], attributes: dimAttributes + [dtypeAttribute],
      .composite { c throws(LucidError) in
        let dtype = c.attributes.dtype(2) ?? c.inputs[0].dtype
        guard dtype.isFloatingPoint else {
          throw c.check.error(
            .dtype, "the mean of \(dtype) is not defined; give a floating-point dtype",
            constraint: 2)
        }
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: c.inputs[0].rank)
        let mean = try c.inputs[0].cast(to: .float32).mean(axes)
        return [try mean.dropping(axes, unless: c.attributes.bool(1)).cast(to: dtype)]
      }),
    variance("var", "The variance over axes: squared deviations over count - correction.") {
      variance, _ in [variance]
    },
    variance("std", "The square root of the variance over axes.") {
      variance, _ throws(LucidError) in [try variance.safeSqrt()]
    },
    variance("var_mean", "The variance and the mean over axes.", resultCount: 2) {
      variance, mean in [variance, mean]
    },
    variance("std_mean", "The standard deviation and the mean over axes.", resultCount: 2) {
      variance, mean throws(LucidError) in [try variance.safeSqrt(), mean]
    },
    OpDef(
      "nansum", OpDoc("The sum over axes, NaN counting as 0.", [axesConstraint]),
      operands: [OperandDef("input")], attributes: dimAttributes + [dtypeAttribute],
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        let clean = try x.full(0).selected(where: x.call("isnan"), else: x)
        return [try clean.call("sum", [], c.attributes.values)]
      }),
    OpDef(
      "nanmean",
      OpDoc(
        "The mean over axes of what is not NaN.",
        [axesConstraint, "The element type is a floating-point type."]),
      operands: [OperandDef("input")], attributes: dimAttributes,
      .composite { c throws(LucidError) in
        try ElementKinds.floating.check(c.check, operand: 0, constraint: 2)
        let x = try c.inputs[0].widened()
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: x.rank)
        let isNaN = try x.call("isnan")
        let sum = try x.full(0).selected(where: isNaN, else: x).sum(axes, keepDim: true)
        let count = try isNaN.not().cast(to: .float32).sum(axes, keepDim: true)
        let mean = try (sum / count).narrowed(like: c.inputs[0])
        return [try mean.dropping(axes, unless: c.attributes.bool(1))]
      }),
    OpDef(
      "logsumexp", OpDoc("log(sum(exp(input))) over axes; -inf where all are.", [axesConstraint]),
      operands: [OperandDef("input")], attributes: dimAttributes, promotion: .floating,
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened()
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: x.rank)
        let result = try x.logSumExp(axes).narrowed(like: c.inputs[0])
        return [try result.dropping(axes, unless: c.attributes.bool(1))]
      }),
  ]

  private static func variance(
    _ name: String, _ summary: String, resultCount: Int = 1,
    _ finish: @escaping @Sendable (GraphValue, GraphValue) throws(LucidError) -> [GraphValue]
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, [axesConstraint, "The element type is a floating-point type."]),
      operands: [OperandDef("input")],
      attributes: [
        dimAttributes[0], AttributeDef("correction", .float, default: .float(1.0)),
        dimAttributes[1],
      ], resultCount: resultCount,
      .composite { c throws(LucidError) in
        try ElementKinds.floating.check(c.check, operand: 0, constraint: 2)
        let x = try c.inputs[0].widened()
        let axes = try c.check.axes(c.attributes.optionalInts(0), rank: x.rank)
        let count = try x.elementCount(axes)
        let mean = try x.mean(axes)
        let deviation = try x - mean
        let divisor = try (count - c.attributes.float(1)).call("clamp_min", [count.full(0)])
        let variance = try (deviation * deviation).sum(axes, keepDim: true) / divisor
        var out: [GraphValue] = []
        for value in try finish(variance, mean) {
          let narrow = try value.narrowed(like: c.inputs[0])
          out.append(try narrow.dropping(axes, unless: c.attributes.bool(2)))
        }
        return out
      })
  }

  private static let truth: [OpDef] = [
    OpDef(
      "count_nonzero", OpDoc("How many elements are nonzero.", [axesConstraint]),
      operands: [OperandDef("input")], attributes: [dimAttributes[0]],
      .composite { c throws(LucidError) in
        let nonzero = try c.inputs[0].cast(to: .bool)
        return [try nonzero.call("sum", [], [c.attributes.values[0], .bool(false), .none])]
      })
  ]

  private static let norms: [OpDef] = [
    OpDef(
      "norm",
      OpDoc(
        "The vector p-norm over axes (all of them if none are given), p any number or ±inf.",
        [axesConstraint]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("p", .float, default: .float(2.0))] + dimAttributes,
      promotion: .floating,
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].widened()
        let axes = try c.check.axes(c.attributes.optionalInts(1), rank: x.rank)
        let norm = try x.norm(c.attributes.float(0), axes).narrowed(like: c.inputs[0])
        return [try norm.dropping(axes, unless: c.attributes.bool(2))]
      }),
    OpDef(
      "trace", OpDoc("The sum of the main diagonal.", ["The rank is 2."]),
      operands: [OperandDef("input")],
      .composite { c throws(LucidError) in
        guard c.inputs[0].rank == 2 else {
          throw c.check.error(.shape, "shape \(c.inputs[0].shape) is no matrix", constraint: 1)
        }
        let diagonal = try c.inputs[0].call("diagonal")
        return [try diagonal.call("sum")]
      }),
  ]
}

extension Shape {
  /// The shape after a reduction over `axes`.
  func reduced(over axes: [Int], keepDim: Bool) -> Shape {
    var out: [Dim] = []
    for (i, dim) in dims.enumerated() {
      if !axes.contains(i) { out.append(dim) } else if keepDim { out.append(1) }
    }
    return Shape(out)
  }
}

extension InferContext {
  /// Refuses a reduction over no elements that has no neutral value.
  func requireElements(_ axes: [Int], constraint: Int) throws(LucidError) {
    for axis in axes where equal(shape(0)[axis], 0) {
      throw error(
        .index, "axis \(axis) of shape \(shape(0)) has no elements to reduce",
        constraint: constraint)
    }
  }
}

extension VJPContext {
  /// The checks that `infer` uses, for rules that resolve axes again.
  var check: InferContext {
    InferContext(
      op: op, types: inputs.map(\.type), attributes: attributes, symbols: builder.symbols)
  }

  /// The gradient of a reduction with the reduced axes (attribute 0) kept as 1.
  func keptCotangent() throws(LucidError) -> GraphValue {
    let axes = try check.axes(attributes.optionalInts(0), rank: inputs[0].rank)
    return try cotangent().reshape(inputs[0].shape.reduced(over: axes, keepDim: true))
  }
}

extension MPSGraph {
  /// The first position of the extremum, or of the first NaN, which Apple's reduction skips.
  func firstExtremum(
    _ x: MPSGraphTensor, axis: Int, largest: Bool, _ name: String
  ) -> MPSGraphTensor {
    let plain =
      largest
      ? reductionArgMaximum(with: x, axis: axis, name: name)
      : reductionArgMinimum(with: x, axis: axis, name: name)
    guard x.dataType.isFloat else { return plain }
    let marks = cast(isNaN(with: x, name: name), to: .int32, name: name)
    let first = reductionArgMaximum(with: marks, axis: axis, name: name)
    let any = reductionMaximum(with: marks, axis: axis, name: name)
    return select(
      predicate: notEqual(any, scalar(0, like: any), name: name), trueTensor: first,
      falseTensor: plain, name: name)
  }
}
