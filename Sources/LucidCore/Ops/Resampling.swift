import Foundation

/// Operations that rearrange or resample images.
enum Resampling {
  static let all: [OpDef] =
    shuffles + windows + [
      OpDef(
        "interpolate",
        OpDoc(
          "Resamples the axes behind the channels to new extents; linear is bilinear for two axes.",
          [
            "There is one positive size per axis behind the channels.",
            "The element type is floating.", "scales, if given, has one number per axis.",
          ]),
        operands: [OperandDef("input")],
        attributes: [
          AttributeDef("size", .ints),
          AttributeDef(
            "mode", .choice(["nearest", "nearest-exact", "linear", "bicubic"]), default: .choice(0)),
          AttributeDef("align_corners", .bool, default: .bool(false)),
          AttributeDef("scales", .optional(.floats), default: Attribute.none),
        ],
        .composite { c throws(LucidError) in
          let x = c.inputs[0]
          let (sizes, axes) = (c.attributes.ints(0), x.rank - 2)
          guard axes > 0, sizes.count == axes, sizes.allSatisfy({ $0 > 0 && $0 < 1 << 20 }) else {
            throw c.check.error(.value, "sizes \(sizes) for shape \(x.shape)", constraint: 1)
          }
          try ElementKinds.floating.check(c.check, operand: 0, constraint: 2)
          var scales: [Double?] = [Double?](repeating: nil, count: axes)
          if c.attributes.values.count > 3, c.attributes.values[3] != .none {
            let given = c.attributes.floats(3)
            guard given.count == axes else {
              throw c.check.error(.value, "scales \(given) for \(axes) axes", constraint: 3)
            }
            scales = given
          }
          var out = try x.widened()
          for i in 0..<axes {
            let extent = c.check.number(x.shape[2 + i], "resampling counts its positions")
            guard extent > 0 else { throw c.check.error(.shape, "no elements in \(x.shape)") }
            let taps = Taps(
              from: extent, to: sizes[i], mode: c.attributes.choice(1),
              alignCorners: c.attributes.bool(2), scale: scales[i])
            out = try taps.apply(to: out, axis: 2 + i)
          }
          return [try out.narrowed(like: x)]
        })
    ]

  private static let shuffles: [OpDef] = [
    OpDef(
      "pixel_shuffle",
      OpDoc(
        "Moves blocks of channels to squares of pixels.",
        ["The rank is 3 or more.", "upscale_factor² divides the channels."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("upscale_factor", .int)],
      .composite { c throws(LucidError) in
        let (x, r) = (c.inputs[0], c.attributes.int(0))
        guard x.rank >= 3 else { throw c.check.error(.shape, "shape \(x.shape)", constraint: 1) }
        let (lead, n) = (Array(x.shape.dims.dropLast(3)), x.rank - 3)
        guard r > 0, r < 1 << 12, let channels = Dim.quotient(x.shape[n], r * r),
          Dim.product(channels, Dim(r * r)) == x.shape[n],
          let height = Dim.product(x.shape[n + 1], Dim(r)),
          let width = Dim.product(x.shape[n + 2], Dim(r))
        else {
          throw c.check.error(.value, "factor \(r) for shape \(x.shape)", constraint: 2)
        }
        let split = try x.reshape(
          Shape(lead + [channels, Dim(r), Dim(r), x.shape[n + 1], x.shape[n + 2]]))
        let order = Array(0..<n) + [n, n + 3, n + 1, n + 4, n + 2]
        return [try split.permute(order).reshape(Shape(lead + [channels, height, width]))]
      }),
    OpDef(
      "pixel_unshuffle",
      OpDoc(
        "Moves squares of pixels to blocks of channels.",
        ["The rank is 3 or more.", "downscale_factor divides height and width."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("downscale_factor", .int)],
      .composite { c throws(LucidError) in
        let (x, r) = (c.inputs[0], c.attributes.int(0))
        guard x.rank >= 3 else { throw c.check.error(.shape, "shape \(x.shape)", constraint: 1) }
        let (lead, n) = (Array(x.shape.dims.dropLast(3)), x.rank - 3)
        guard r > 0, r < 1 << 12, let height = Dim.quotient(x.shape[n + 1], r),
          let width = Dim.quotient(x.shape[n + 2], r),
          Dim.product(height, Dim(r)) == x.shape[n + 1],
          Dim.product(width, Dim(r)) == x.shape[n + 2],
          let channels = Dim.product(x.shape[n], Dim(r * r))
        else {
          throw c.check.error(.value, "factor \(r) for shape \(x.shape)", constraint: 2)
        }
        let split = try x.reshape(Shape(lead + [x.shape[n], height, Dim(r), width, Dim(r)]))
        let order = Array(0..<n) + [n, n + 2, n + 4, n + 1, n + 3]
        return [try split.permute(order).reshape(Shape(lead + [channels, height, width]))]
      }),
    OpDef(
      "channel_shuffle",
      OpDoc(
        "Interleaves groups of channels.",
        ["The rank is 2 or more.", "groups divides the channels."]),
      operands: [OperandDef("input")], attributes: [AttributeDef("groups", .int)],
      .composite { c throws(LucidError) in
        let (x, groups) = (c.inputs[0], c.attributes.int(0))
        guard x.rank >= 2 else { throw c.check.error(.shape, "shape \(x.shape)", constraint: 1) }
        guard groups > 0, let size = Dim.quotient(x.shape[1], groups),
          Dim.product(size, Dim(groups)) == x.shape[1]
        else {
          throw c.check.error(.value, "\(groups) groups of \(x.shape[1])", constraint: 2)
        }
        let rest = Array(x.shape.dims.dropFirst(2))
        let split = try x.reshape(Shape([x.shape[0], Dim(groups), size] + rest))
        return [try split.transpose(1, 2).reshape(x.shape)]
      }),
  ]

  private static let patch = [
    AttributeDef("kernel_size", .ints), AttributeDef("dilation", .ints, default: .ints([1])),
    AttributeDef("padding", .ints, default: .ints([0])),
    AttributeDef("stride", .ints, default: .ints([1])),
  ]

  private static let windows: [OpDef] = [
    OpDef(
      "im2col",
      OpDoc(
        "The windows of an image as columns: (N, C · kH · kW, windows).",
        ["The rank is 3 or 4.", "The windows fit the padded image.", "The numbers are positive."]),
      operands: [OperandDef("input")], attributes: patch,
      .composite { c throws(LucidError) in
        let x = c.inputs[0]
        guard x.rank == 4 || x.rank == 3 else {
          throw c.check.error(.shape, "shape \(x.shape)", constraint: 1)
        }
        let image = x.rank == 3 ? try x.unsqueeze(0) : x
        let height = c.check.number(image.shape[2], "windows are counted")
        let width = c.check.number(image.shape[3], "windows are counted")
        let p = try Patches(c, first: 0, height, width)
        let padded = try image.pad([
          0, 0, 0, 0, p.padding[0], p.padding[0], p.padding[1], p.padding[1],
        ])
        let rows = try padded.takingRows(2, p.index(c.builder, 0))
        let both = try rows.takingRows(4, p.index(c.builder, 1))
        // (N, C, kH, outH, kW, outW)
        let columns = try both.permute([0, 1, 2, 4, 3, 5]).reshape(
          [image.shape[0], try p.channels(image.shape[1], c), Dim(p.count[0] * p.count[1])])
        return [x.rank == 3 ? try columns.dropping([0], unless: false) : columns]
      }),
    OpDef(
      "col2im",
      OpDoc(
        "Adds columns, as im2col makes them, up to an image of output_size.",
        [
          "The rank is 2 or 3.", "The extents fit the windows of output_size.",
          "The numbers are positive.",
        ]),
      operands: [OperandDef("input")],
      attributes: [AttributeDef("output_size", .ints)] + patch,
      .composite { c throws(LucidError) in
        let (x, size) = (c.inputs[0], c.attributes.ints(0))
        guard x.rank == 3 || x.rank == 2, size.count == 2,
          size.allSatisfy({ $0 > 0 && $0 < 1 << 24 })
        else { throw c.check.error(.shape, "shape \(x.shape) to \(size)", constraint: 1) }
        let columns = x.rank == 2 ? try x.unsqueeze(0) : x
        let p = try Patches(c, first: 1, size[0], size[1])
        let area = p.kernel[0] * p.kernel[1]
        guard let channels = Dim.quotient(columns.shape[1], area),
          Dim.product(channels, Dim(area)) == columns.shape[1],
          c.check.equal(columns.shape[2], Dim(p.count[0] * p.count[1]))
        else { throw c.check.error(.shape, "shape \(x.shape) to \(size)", constraint: 2) }
        let batch = columns.shape[0]
        let (kH, kW, oH, oW) =
          (Dim(p.kernel[0]), Dim(p.kernel[1]), Dim(p.count[0]), Dim(p.count[1]))
        let split = try columns.reshape([batch, channels, kH, kW, oH, oW])
          .permute([0, 1, 2, 4, 3, 5])
        let rowCount = Dim(p.kernel[0] * p.count[0])
        let columnCount = Dim(p.kernel[1] * p.count[1])
        let flat = try split.reshape([batch, channels, rowCount, columnCount])
        let high = Dim(size[0] + 2 * p.padding[0])
        let wide = Dim(size[1] + 2 * p.padding[1])
        var image = try c.builder.full(
          0, shape: [batch, channels, rowCount, wide], dtype: x.dtype)
        image = try image.call(
          "index_scatter", [p.index(c.builder, 1).flattened(), flat], [.int(3), .choice(1)])
        let rows = image
        image = try c.builder.full(0, shape: [batch, channels, high, wide], dtype: x.dtype)
        image = try image.call(
          "index_scatter", [p.index(c.builder, 0).flattened(), rows], [.int(2), .choice(1)])
        let cropped = try image.pad(
          [0, 0, 0, 0, -p.padding[0], -p.padding[0], -p.padding[1], -p.padding[1]])
        return [x.rank == 2 ? try cropped.dropping([0], unless: false) : cropped]
      }),
  ]
}

/// Where the windows of an image lie.
private struct Patches {
  let kernel: [Int]
  let dilation: [Int]
  let padding: [Int]
  let stride: [Int]
  let count: [Int]

  init(_ c: ExpandContext, first: Int, _ height: Int, _ width: Int) throws(LucidError) {
    let lists = (0..<4).map { c.attributes.ints(first + $0) }
    for (i, list) in lists.enumerated() {
      guard list.allSatisfy({ $0 >= (i == 2 ? 0 : 1) && $0 < 1 << 20 }) else {
        throw c.check.error(.value, "windows \(lists)", constraint: 3)
      }
    }
    kernel = try Geometry.spread(lists[0], 2, 1, "kernel_size", c.check)
    dilation = try Geometry.spread(lists[1], 2, 1, "dilation", c.check)
    padding = try Geometry.spread(lists[2], 2, 0, "padding", c.check)
    stride = try Geometry.spread(lists[3], 2, 1, "stride", c.check)
    var counts: [Int] = []
    for (i, extent) in [height, width].enumerated() {
      let span = extent + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1
      guard span >= 0 else {
        throw c.check.error(.shape, "windows \(lists) of \(height) x \(width)", constraint: 2)
      }
      counts.append(span / stride[i] + 1)
    }
    guard kernel[0] * counts[0] <= 1 << 26, kernel[1] * counts[1] <= 1 << 26 else {
      throw c.check.error(.memory, "the windows \(lists) of \(height) x \(width) are too many")
    }
    count = counts
  }

  /// Positions along an axis by (place in the window, window).
  func index(_ builder: GraphBuilder, _ axis: Int) throws(LucidError) -> GraphValue {
    let positions = (0..<kernel[axis]).flatMap { k in
      (0..<count[axis]).map { k * dilation[axis] + $0 * stride[axis] }
    }
    return try builder.integers(positions).reshape([Dim(kernel[axis]), Dim(count[axis])])
  }

  func channels(_ channels: Dim, _ c: ExpandContext) throws(LucidError) -> Dim {
    guard let all = Dim.product(channels, Dim(kernel[0] * kernel[1])) else {
      throw c.check.error(.unsupported, "the channels are not affine")
    }
    return all
  }
}

/// Each new position as a weighted sum of old ones.
private struct Taps {
  var positions: [[Int]] = []
  var weights: [[Double]] = []

  init(from old: Int, to new: Int, mode: Int, alignCorners: Bool, scale: Double?) {
    let step = scale.map { $0 > 0 ? 1 / $0 : 1 } ?? Double(old) / Double(new)
    func place(_ i: Int) -> Double {
      if alignCorners { return new > 1 ? Double(i) * Double(old - 1) / Double(new - 1) : 0 }
      return (Double(i) + 0.5) * step - 0.5
    }
    switch mode {
    case 0:
      positions = [(0..<new).map { Int(min(Double($0) * step, Double(old - 1))) }]
    case 1:
      positions = [(0..<new).map { Int(min((Double($0) + 0.5) * step, Double(old - 1))) }]
    case 2:
      let places = (0..<new).map { min(max(place($0), 0), Double(old - 1)) }
      positions = [places.map { Int($0) }, places.map { min(Int($0) + 1, old - 1) }]
      weights = [
        places.map { 1 - ($0 - $0.rounded(.down)) }, places.map { $0 - $0.rounded(.down) },
      ]
    default:
      let places = (0..<new).map { min(place($0), 0x1p40) }
      for tap in -1...2 {
        positions.append(places.map { min(max(Int($0.rounded(.down)) + tap, 0), old - 1) })
        weights.append(places.map { Self.cubic($0 - $0.rounded(.down) - Double(tap)) })
      }
    }
  }

  /// Keys's cubic convolution kernel with a = -0.75.
  private static func cubic(_ t: Double) -> Double {
    let (x, a) = (Swift.abs(t), -0.75)
    if x <= 1 { return ((a + 2) * x - (a + 3)) * x * x + 1 }
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0
  }

  func apply(to x: GraphValue, axis: Int) throws(LucidError) -> GraphValue {
    var sum: GraphValue?
    for (i, list) in positions.enumerated() {
      var part = try x.takingRows(axis, x.builder.integers(list))
      if !weights.isEmpty {
        var dims = [Dim](repeating: 1, count: x.rank)
        dims[axis] = Dim(list.count)
        part = try part * x.builder.floats(weights[i]).reshape(Shape(dims))
      }
      sum = try sum.map { s throws(LucidError) in try s + part } ?? part
    }
    return sum ?? x
  }
}
