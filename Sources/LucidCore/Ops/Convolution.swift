import Foundation
import MetalPerformanceShadersGraph

/// Convolutions over one or two axes. One dimension is computed as two with a height of 1; the
/// transposed forms are the gradient with respect to the source.
enum Convolution {
  static let all: [OpDef] = functions + primitives

  static let geometry = [
    AttributeDef("stride", .ints, default: .ints([1])),
    AttributeDef("padding", .ints, default: .ints([0])),
    AttributeDef("dilation", .ints, default: .ints([1])),
    AttributeDef("groups", .int, default: .int(1)),
  ]

  private static let constraints = [
    "The operands have one floating element type and fitting ranks.",
    "The channels of input are groups times those of weight, and groups divides the outputs.",
    "Strides and dilations are positive, paddings are not negative.",
    "The dilated kernel fits the padded input.", "bias has one element per output channel.",
  ]

  private static let functions: [OpDef] = [
    forward("conv1d", "The convolution over the last axis.", 1),
    forward("conv2d", "The convolution over the last two axes.", 2),
    transposed("conv_transpose1d", "The transposed convolution over the last axis.", 1),
    transposed("conv_transpose2d", "The transposed convolution over the last two axes.", 2),
  ]

  private static func forward(_ name: String, _ summary: String, _ axes: Int) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary + " padding is one number per axis, or before and after of each axis.", constraints),
      operands: [OperandDef("input"), OperandDef("weight"), OperandDef("bias", .optional)],
      attributes: geometry,
      .composite { c throws(LucidError) in
        let g = try Geometry(c, axes: axes, first: 0)
        let (x, weight) = try images(c, axes)
        let attributes: [Attribute] = [
          .ints(g.stride), .ints(g.padding), .ints(g.dilation), .int(c.attributes.int(3)),
        ]
        let y = try x.call("conv2d_core", [weight], attributes)
        return [try finished(c, y, axes, channelAxis: 0)]
      })
  }

  private static func transposed(_ name: String, _ summary: String, _ axes: Int) -> OpDef {
    OpDef(
      name,
      OpDoc(
        summary + " The weight is (input channels, output channels / groups, kernel).",
        constraints + ["output_padding is below the stride or the dilation."]),
      operands: [OperandDef("input"), OperandDef("weight"), OperandDef("bias", .optional)],
      attributes: [
        geometry[0], geometry[1], AttributeDef("output_padding", .ints, default: .ints([0])),
        geometry[3], geometry[2],
      ],
      .composite { c throws(LucidError) in
        let groups = c.attributes.int(3)
        let g = try Geometry(
          c, axes: axes, stride: c.attributes.ints(0), padding: c.attributes.ints(1),
          dilation: c.attributes.ints(4))
        let extra = try g.perAxis(c.attributes.ints(2), axes, "output_padding", c.check)
        let (x, weight) = try images(c, axes)
        guard groups > 0, c.check.equal(x.shape[1], weight.shape[0]) else {
          throw c.check.error(
            .shape, "input \(c.inputs[0].shape) for a weight \(c.inputs[1].shape)", constraint: 2)
        }
        guard let channels = Dim.product(weight.shape[1], Dim(groups)) else {
          throw c.check.error(.unsupported, "the channels are not affine")
        }
        var padding = g.padding
        var dims: [Dim] = [x.shape[0], channels]
        var tail = [0, 0]
        for i in 0..<2 {
          guard extra[i] >= 0, extra[i] < max(g.stride[i], g.dilation[i]) else {
            throw c.check.error(
              .value, "output_padding \(extra[i]) is not below stride \(g.stride[i]) or dilation",
              constraint: 6)
          }
          // More output than the stride leaves open comes out of the padding, then is zero.
          if extra[i] >= g.stride[i] {
            let taken = min(extra[i], padding[2 * i + 1])
            padding[2 * i + 1] -= taken
            tail[i] = extra[i] - taken
          }
          let open = extra[i] >= g.stride[i] ? 0 : extra[i]
          let reach = g.dilation[i] * (c.check.number(weight.shape[2 + i], "a kernel") - 1) + 1
          guard let span = Dim.product(x.shape[2 + i] - 1, Dim(g.stride[i])) else {
            throw c.check.error(.unsupported, "the extent is not affine")
          }
          dims.append(span + Dim(reach - padding[2 * i] - padding[2 * i + 1] + open))
        }
        let attributes: [Attribute] = [
          .ints(g.stride), .ints(padding), .ints(g.dilation), .int(groups), .dims(dims),
        ]
        let y = try x.call("conv2d_input_gradient", [weight], attributes)
          .pad([0, 0, 0, 0, 0, tail[0], 0, tail[1]])
        return [try finished(c, y, axes, channelAxis: 1)]
      })
  }

  /// Input and weight with two spatial axes and a batch, of one floating type.
  private static func images(
    _ c: ExpandContext, _ axes: Int
  ) throws(LucidError) -> (GraphValue, GraphValue) {
    let (x, weight) = (c.inputs[0], c.inputs[1])
    guard x.rank == axes + 2 || x.rank == axes + 1, weight.rank == axes + 2,
      x.dtype.isFloatingPoint, c.inputs.allSatisfy({ $0.dtype == x.dtype })
    else {
      throw c.check.error(
        .shape, "input \(x.type) for a weight \(weight.type)", constraint: 1)
    }
    let batched = x.rank == axes + 1 ? try x.unsqueeze(0) : x
    if axes == 2 { return (batched, weight) }
    return (try batched.unsqueeze(2), try weight.unsqueeze(2))
  }

  private static func finished(
    _ c: ExpandContext, _ y: GraphValue, _ axes: Int, channelAxis: Int
  ) throws(LucidError) -> GraphValue {
    var y = y
    if c.inputs.count > 2 {
      let bias = c.inputs[2]
      guard bias.rank == 1, c.check.equal(bias.shape[0], y.shape[1]) else {
        throw c.check.error(
          .shape, "a bias of shape \(bias.shape) for \(y.shape[1]) channels", constraint: 5)
      }
      y = try y + bias.reshape([1, bias.shape[0], 1, 1])
    }
    if axes == 1 { y = try y.dropping([2], unless: false) }
    return c.inputs[0].rank == axes + 1 ? try y.dropping([0], unless: false) : y
  }

  // MARK: Primitives

  private static let core = [
    AttributeDef("stride", .ints), AttributeDef("padding", .ints), AttributeDef("dilation", .ints),
    AttributeDef("groups", .int),
  ]

  private static let primitives: [OpDef] = [
    OpDef(
      "conv2d_core",
      OpDoc(
        "The convolution of (N, C, H, W) with (O, C / groups, kH, kW); padding is top, bottom, left, right.",
        Array(constraints.prefix(4))),
      operands: [OperandDef("input"), OperandDef("weight")], attributes: core,
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in [try result(c, c.shape(0), c.shape(1))] },
          vjp: .rule { c throws(LucidError) in
            let g = try c.cotangent()
            return [
              c.wanted[0] ? try inputGradient(c, g, c.inputs[1], c.inputs[0].shape) : nil,
              c.wanted[1] ? try weightGradient(c, g, c.inputs[0], c.inputs[1].shape) : nil,
            ]
          },
          symbolic: noBatch,
          lower: { c throws(LucidError) in
            [
              c.graph.convolution2D(
                c.inputs[0], weights: c.inputs[1], descriptor: descriptor(c.attributes),
                name: c.name)
            ]
          }))),
    OpDef(
      "conv2d_input_gradient",
      OpDoc(
        "The gradient of conv2d_core with respect to an input of shape input_size.",
        Array(constraints.prefix(4))),
      operands: [OperandDef("gradient"), OperandDef("weight")],
      attributes: core + [AttributeDef("input_size", .dims)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let shape = Shape(c.attributes.dims(4))
            try check(c, result(c, shape, c.shape(1)), c.shape(0))
            return [TensorType(shape, c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            let g = try c.cotangent()
            let attributes = Array(c.attributes.values.prefix(4))
            return [
              c.wanted[0] ? try g.call("conv2d_core", [c.inputs[1]], attributes) : nil,
              c.wanted[1] ? try weightGradient(c, c.inputs[0], g, c.inputs[1].shape) : nil,
            ]
          },
          symbolic: noBatch,
          lower: { c throws(LucidError) in
            [
              c.graph.convolution2DDataGradient(
                c.inputs[0], weights: c.inputs[1], outputShape: c.outputTypes[0].shape.mps,
                forwardConvolutionDescriptor: descriptor(c.attributes), name: c.name)
            ]
          }))),
    OpDef(
      "conv2d_weight_gradient",
      OpDoc(
        "The gradient of conv2d_core with respect to a weight of shape weight_size.",
        Array(constraints.prefix(4))),
      operands: [OperandDef("gradient"), OperandDef("input")],
      attributes: core + [AttributeDef("weight_size", .dims)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            let shape = Shape(c.attributes.dims(4))
            try check(c, result(c, c.shape(1), shape), c.shape(0))
            return [TensorType(shape, c.dtype(0))]
          },
          vjp: .rule { c throws(LucidError) in
            let g = try c.cotangent()
            let attributes = Array(c.attributes.values.prefix(4))
            return [
              c.wanted[0] ? try c.inputs[1].call("conv2d_core", [g], attributes) : nil,
              c.wanted[1] ? try inputGradient(c, c.inputs[0], g, c.inputs[1].shape) : nil,
            ]
          },
          symbolic: noBatch,
          lower: { c throws(LucidError) in
            [
              c.graph.convolution2DWeightsGradient(
                c.inputs[0], source: c.inputs[1], outputShape: c.outputTypes[0].shape.mps,
                forwardConvolutionDescriptor: descriptor(c.attributes), name: c.name)
            ]
          }))),
  ]

  private static let noBatch = OpDef.SymbolicSupport.unsupported(
    "MPSGraph convolutions take no unknown batch size")

  private static func inputGradient(
    _ c: VJPContext, _ g: GraphValue, _ weight: GraphValue, _ shape: Shape
  ) throws(LucidError) -> GraphValue {
    try g.call(
      "conv2d_input_gradient", [weight], c.attributes.values.prefix(4) + [.dims(shape.dims)])
  }

  private static func weightGradient(
    _ c: VJPContext, _ g: GraphValue, _ input: GraphValue, _ shape: Shape
  ) throws(LucidError) -> GraphValue {
    try g.call(
      "conv2d_weight_gradient", [input], c.attributes.values.prefix(4) + [.dims(shape.dims)])
  }

  private static func check(
    _ c: InferContext, _ expected: TensorType, _ given: Shape
  ) throws(LucidError) {
    guard c.equal(expected.shape, given) else {
      throw c.error(
        .shape, "a gradient of shape \(given), expected \(expected.shape)", constraint: 1)
    }
  }

  /// The type of the forward result, checked.
  private static func result(
    _ c: InferContext, _ x: Shape, _ w: Shape
  ) throws(LucidError) -> TensorType {
    guard x.rank == 4, w.rank == 4, c.dtype(0) == c.dtype(1), c.dtype(0).isFloatingPoint else {
      throw c.error(.shape, "input of shape \(x) for a weight of \(w)", constraint: 1)
    }
    let (stride, padding, dilation) =
      (c.attributes.ints(0), c.attributes.ints(1), c.attributes.ints(2))
    let groups = c.attributes.int(3)
    let outputs = c.number(w[0], "a convolution counts its outputs")
    guard groups > 0, let channels = Dim.product(w[1], Dim(groups)), c.equal(channels, x[1]),
      outputs % groups == 0
    else {
      throw c.error(
        .shape, "\(x[1]) channels and a weight of \(w) in \(groups) groups", constraint: 2)
    }
    guard stride.count == 2, padding.count == 4, dilation.count == 2,
      (stride + dilation).allSatisfy({ $0 > 0 && $0 < 1 << 24 }),
      padding.allSatisfy({ $0 >= 0 && $0 < 1 << 24 })
    else {
      throw c.error(
        .value, "stride \(stride), padding \(padding), dilation \(dilation)", constraint: 3)
    }
    var dims = [x[0], Dim(outputs)]
    for i in 0..<2 {
      let extent = c.number(x[2 + i], "a convolution counts its positions")
      let kernel = c.number(w[2 + i], "a convolution counts its kernel")
      let span =
        extent + padding[2 * i] + padding[2 * i + 1] - Dim.multiply(dilation[i], kernel - 1) - 1
      guard span >= 0, kernel > 0 else {
        throw c.error(
          .shape, "a kernel of \(kernel) exceeds the padded input of shape \(x)", constraint: 4)
      }
      dims.append(Dim(span / stride[i] + 1))
    }
    return TensorType(Shape(dims), c.dtype(0))
  }

  private static func descriptor(_ a: Attributes) -> MPSGraphConvolution2DOpDescriptor {
    let (stride, padding, dilation) = (a.ints(0), a.ints(1), a.ints(2))
    let d = MPSGraphConvolution2DOpDescriptor()
    (d.strideInY, d.strideInX) = (stride[0], stride[1])
    (d.dilationRateInY, d.dilationRateInX) = (dilation[0], dilation[1])
    (d.paddingTop, d.paddingBottom) = (padding[0], padding[1])
    (d.paddingLeft, d.paddingRight) = (padding[2], padding[3])
    d.groups = a.int(3)
    d.paddingStyle = .explicit
    d.dataLayout = .NCHW
    d.weightsLayout = .OIHW
    return d
  }
}

/// Stride, padding and dilation for two axes, from lists as PyTorch takes them.
struct Geometry {
  let stride: [Int]
  /// Before and after each axis.
  let padding: [Int]
  let dilation: [Int]

  /// From the attributes that start at `first`.
  init(_ c: ExpandContext, axes: Int, first: Int) throws(LucidError) {
    try self.init(
      c, axes: axes, stride: c.attributes.ints(first), padding: c.attributes.ints(first + 1),
      dilation: c.attributes.ints(first + 2))
  }

  init(
    _ c: ExpandContext, axes: Int, stride: [Int], padding: [Int], dilation: [Int]
  ) throws(LucidError) {
    let check = c.check
    for value in stride + dilation where value < 1 || value >= 1 << 24 {
      throw check.error(.value, "stride \(stride), dilation \(dilation)", constraint: 3)
    }
    for value in padding where value < 0 || value >= 1 << 24 {
      throw check.error(.value, "padding \(padding)", constraint: 3)
    }
    self.stride = try Self.spread(stride, axes, 1, "stride", check)
    self.dilation = try Self.spread(dilation, axes, 1, "dilation", check)
    if padding.count == 2 * axes {
      self.padding = axes == 1 ? [0, 0] + padding : padding
    } else {
      let each = try Self.spread(padding, axes, 0, "padding", check)
      self.padding = [each[0], each[0], each[1], each[1]]
    }
  }

  /// One number per axis, or one for all, as height and width.
  func perAxis(
    _ values: [Int], _ axes: Int, _ name: String, _ check: InferContext
  ) throws(LucidError) -> [Int] {
    try Self.spread(values, axes, 0, name, check)
  }

  static func spread(
    _ values: [Int], _ axes: Int, _ neutral: Int, _ name: String, _ check: InferContext
  ) throws(LucidError) -> [Int] {
    guard let first = values.first, values.count == 1 || values.count == axes else {
      throw check.error(.value, "\(name) \(values) for \(axes) axes", constraint: 3)
    }
    if axes == 1 { return [neutral, first] }
    return [first, values.count > 1 ? values[1] : first]
  }
}
