import Foundation
import MetalPerformanceShadersGraph

/// Draws. A number depends only on the seed, the offset and its position, so that removing or
/// repeating a draw changes no other. Seed and offset are the last two operands.
enum RandomOps {
  static let all: [OpDef] = words + tensors + noise + choices

  private static let drawn = [OperandDef("seed"), OperandDef("offset")]

  private static let words: [OpDef] = [
    primitive("philox_uniform", "Numbers in [0, 1) with 24 random bits, one word each.", .float32) {
      graph, word, name in
      let bits = graph.bitwiseRightShift(word, graph.constant(8, dataType: .uInt32), name: name)
      return graph.multiplication(
        graph.cast(bits, to: .float32, name: name),
        graph.constant(0x1p-24, dataType: .float32), name: name)
    },
    primitive("philox_bits", "Integers in [0, 2^32), one word each.", .int64) {
      graph, word, name in graph.cast(word, to: .int64, name: name)
    },
  ]

  private static func primitive(
    _ name: String, _ summary: String, _ dtype: DType,
    _ convert: @escaping @Sendable (MPSGraph, MPSGraphTensor, String) -> MPSGraphTensor
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["seed and offset are int64 of shape (1,)."]), operands: drawn,
      attributes: [AttributeDef("size", .dims)],
      .primitive(
        OpDef.PrimitiveRules(
          infer: { c throws(LucidError) in
            for type in c.types where type.dtype != .int64 || type.shape != [1] {
              throw c.error(.type, "seed and offset are \(c.types)", constraint: 1)
            }
            return [TensorType(Shape(c.attributes.dims(0)), dtype)]
          },
          vjp: .zero,
          lower: { c throws(LucidError) in
            [
              convert(
                c.graph, try Philox.words(c, seed: c.inputs[0], offset: c.inputs[1]), c.name)
            ]
          })))
  }

  // MARK: New tensors

  private static let tensors: [OpDef] = [
    drawing("rand", "Uniform numbers in [0, 1).", [dtype]) { c, draw throws(LucidError) in
      try draw.uniform(c.size).cast(to: c.attributes.dtype(1) ?? .float32)
    },
    drawing("randn", "Normal numbers of mean 0 and variance 1.", [dtype], words: 2) {
      c, draw throws(LucidError) in
      try draw.normal(c.size).cast(to: c.attributes.dtype(1) ?? .float32)
    },
    drawing(
      "randint", "Integers in [low, high).",
      [
        AttributeDef("low", .int), AttributeDef("high", .int),
        AttributeDef("dtype", .dtype, default: .dtype(.int64)),
      ]
    ) { c, draw throws(LucidError) in
      let (low, high) = (c.attributes.int(1), c.attributes.int(2))
      let span = Dim.add(high, Dim.multiply(low, -1))
      guard low < high, span <= 1 << 32 else {
        throw c.check.error(.value, "low \(low) and high \(high) span no range of 1 to 2^32 values")
      }
      let bits = try draw.bits(c.size)
      let place = try bits.call("fmod", [bits.integer(span)])
      return try (place + bits.integer(low)).cast(to: c.attributes.dtype(3) ?? .int64)
    },
    drawing(
      "randperm", "The integers from 0 to n - 1 in random order; size is (n,).",
      [AttributeDef("dtype", .dtype, default: .dtype(.int64))], words: 2
    ) { c, draw throws(LucidError) in
      guard c.size.rank == 1 else { throw c.check.error(.shape, "size is \(c.size)") }
      // Keys of 62 bits: ties are as good as impossible.
      let high = try draw.bits(c.size)
      let low = try draw.skipping(c.size[0]).bits(c.size)
      let key = try high.call("fmod", [high.integer(1 << 30)]) * high.integer(1 << 32) + low
      let order = try key.call("argsort_lines", [], [.int(0), .bool(false)])
      return try order.cast(to: c.attributes.dtype(1) ?? .int64)
    },
  ]

  private static let dtype = AttributeDef("dtype", .dtype, default: .dtype(.float32))

  /// A draw of `size` (attribute 0).
  private static func drawing(
    _ name: String, _ summary: String, _ attributes: [AttributeDef], words: Int = 1,
    _ body: @escaping @Sendable (ExpandContext, Draw) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary), operands: [],
      attributes: [AttributeDef("size", .dims)] + attributes,
      draws: { c throws(LucidError) in
        let count = try RandomWords.count(c, Shape(c.attributes.dims(0)))
        return Dim.product(count, Dim(words)) ?? count
      },
      .composite { c throws(LucidError) in
        if c.size.isEmpty { return [try c.emptyResult()] }
        return [try body(c, try Draw(c))]
      })
  }

  // MARK: Noise on an operand

  private static let training = AttributeDef("training", .bool, default: .bool(true))
  private static let p = AttributeDef("p", .float, default: .float(0.5))

  private static let noise: [OpDef] = [
    like("bernoulli", "1 with the probability that input gives, else 0.", []) {
      c, x, draw throws(LucidError) in
      try draw.uniform(x.shape).less(x.cast(to: .float32)).cast(to: x.dtype)
    },
    like(
      "rand_like", "Uniform numbers in [low, high) of input's shape.",
      [
        AttributeDef("low", .float, default: .float(0.0)),
        AttributeDef("high", .float, default: .float(1.0)),
      ]
    ) { c, x, draw throws(LucidError) in
      let (low, high) = (c.attributes.float(0), c.attributes.float(1))
      return try (draw.uniform(x.shape) * (high - low) + low).cast(to: x.dtype)
    },
    like(
      "randn_like", "Normal numbers of input's shape.",
      [
        AttributeDef("mean", .float, default: .float(0.0)),
        AttributeDef("std", .float, default: .float(1.0)),
      ], words: 2
    ) { c, x, draw throws(LucidError) in
      let (mean, std) = (c.attributes.float(0), c.attributes.float(1))
      return try (draw.normal(x.shape) * std + mean).cast(to: x.dtype)
    },
    like(
      "exponential", "Exponential numbers of rate lambd and of input's shape.",
      [AttributeDef("lambd", .float, default: .float(1.0))]
    ) { c, x, draw throws(LucidError) in
      // 1 - u is never 0.
      try ((1 - draw.uniform(x.shape)).log() / (0 - c.attributes.float(0))).cast(to: x.dtype)
    },
    OpDef(
      "normal",
      OpDoc("Normal numbers with the given means and deviations.", ["The shapes broadcast."]),
      operands: [OperandDef("mean"), OperandDef("std")],
      draws: { c throws(LucidError) in
        let count = try RandomWords.count(c, try c.broadcast(c.shape(0), c.shape(1)))
        return Dim.product(count, 2) ?? count
      },
      .composite { c throws(LucidError) in
        let shape = try c.check.broadcast(c.inputs[0].shape, c.inputs[1].shape)
        // Seed and offset are operands too, so the promotion is done here.
        let given = Promotion.common(c.inputs[..<2].map(\.type))
        let dtype = given.isFloatingPoint ? given : .float32
        let (mean, std) = (try c.inputs[0].cast(to: dtype), try c.inputs[1].cast(to: dtype))
        if shape.isEmpty { return [try (mean + std).expand(shape)] }
        return [try Draw(c).normal(shape).cast(to: dtype) * std + mean]
      }),
    dropping("dropout", "Zeros elements with probability p and scales the rest by 1 / (1 - p).") {
      c, x throws(LucidError) in x.shape
    },
    dropping("feature_dropout", "dropout of whole channels: one decision per (sample, channel).") {
      c, x throws(LucidError) in
      guard x.rank >= 2 else { throw c.error(.shape, "shape \(x.shape) has no channels") }
      return Shape(x.shape.dims.prefix(2) + [Dim](repeating: 1, count: x.rank - 2))
    },
    alpha("alpha_dropout", "dropout that keeps the mean and variance of selu.") {
      c, x throws(LucidError) in x.shape
    },
    alpha("feature_alpha_dropout", "alpha_dropout of whole channels.") {
      c, x throws(LucidError) in
      guard x.rank >= 2 else { throw c.error(.shape, "shape \(x.shape) has no channels") }
      return Shape(x.shape.dims.prefix(2) + [Dim](repeating: 1, count: x.rank - 2))
    },
    OpDef(
      "rrelu",
      OpDoc(
        "input where positive, else input times a slope drawn from [lower, upper] (their mean outside training).",
        ["lower <= upper."]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("lower", .float, default: .float(0.125)),
        AttributeDef("upper", .float, default: .float(1.0 / 3)), training,
      ],
      draws: { c throws(LucidError) in
        c.attributes.bool(2) ? try RandomWords.count(c, c.shape(0)) : 0
      },
      .composite { c throws(LucidError) in
        let (x, low, high) = (c.inputs[0], c.attributes.float(0), c.attributes.float(1))
        guard low <= high else {
          throw c.check.error(.value, "lower \(low) exceeds upper \(high)", constraint: 1)
        }
        guard c.attributes.bool(2), !x.shape.isEmpty else {
          return [try x.selected(where: x.greater(0), else: x * ((low + high) / 2))]
        }
        let slope = try (Draw(c).uniform(x.shape) * (high - low) + low).cast(to: x.dtype)
        return [try x.selected(where: x.greater(0), else: x * slope)]
      }),
  ]

  private static func like(
    _ name: String, _ summary: String, _ attributes: [AttributeDef], words: Int = 1,
    _ body: @escaping @Sendable (ExpandContext, GraphValue, Draw) throws(LucidError) -> GraphValue
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary), operands: [OperandDef("input")], attributes: attributes,
      draws: { c throws(LucidError) in
        let count = try RandomWords.count(c, c.shape(0))
        return Dim.product(count, Dim(words)) ?? count
      },
      .composite { c throws(LucidError) in
        let x = try c.inputs[0].call("detach")
        return [x.shape.isEmpty ? x : try body(c, x, try Draw(c))]
      })
  }

  typealias Decisions =
    @Sendable (InferContext, TensorType) throws(LucidError) -> Shape

  private static func dropping(
    _ name: String, _ summary: String, _ decisions: @escaping Decisions
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["p lies in [0, 1]."]), operands: [OperandDef("input")],
      attributes: [p, training], draws: decisionCount(decisions),
      .composite { c throws(LucidError) in
        let (x, p) = (c.inputs[0], try probability(c))
        guard c.attributes.bool(1), p > 0, !x.shape.isEmpty else { return [try x.call("clone")] }
        if p == 1 { return [try x * 0] }
        let kept = try keeps(c, p, decisions).cast(to: x.dtype)
        return [try x * (kept * (1 / (1 - p)))]
      })
  }

  /// Dropped elements take selu's lowest value; scale and shift restore mean 0 and variance 1.
  private static func alpha(
    _ name: String, _ summary: String, _ decisions: @escaping Decisions
  ) -> OpDef {
    OpDef(
      name, OpDoc(summary, ["p lies in [0, 1]."]), operands: [OperandDef("input")],
      attributes: [p, training], draws: decisionCount(decisions),
      .composite { c throws(LucidError) in
        let (x, p) = (c.inputs[0], try probability(c))
        guard c.attributes.bool(1), p > 0, !x.shape.isEmpty else { return [try x.call("clone")] }
        if p == 1 { return [try x * 0] }
        let lowest = -1.7580993408473766
        let scale = 1 / ((1 - p) * (1 + p * lowest * lowest)).squareRoot()
        let kept = try keeps(c, p, decisions)
        let mixed = try x.selected(where: kept, else: x.full(lowest))
        return [try mixed * scale - scale * lowest * p]
      })
  }

  private static func decisionCount(
    _ decisions: @escaping Decisions
  ) -> @Sendable (InferContext) throws(LucidError) -> Dim {
    { c throws(LucidError) in
      let p = c.attributes.float(0)
      guard c.attributes.bool(1), p > 0, p < 1 else { return 0 }
      return try RandomWords.count(c, try decisions(c, c.types[0]))
    }
  }

  private static func probability(_ c: ExpandContext) throws(LucidError) -> Double {
    let p = c.attributes.float(0)
    guard p >= 0, p <= 1 else {
      throw c.check.error(
        .value, "dropout probability has to be between 0 and 1, but got \(p)", constraint: 1)
    }
    return p
  }

  private static func keeps(
    _ c: ExpandContext, _ p: Double, _ decisions: Decisions
  ) throws(LucidError) -> GraphValue {
    let uniform = try Draw(c).uniform(try decisions(c.check, c.inputs[0].type))
    return try uniform.call("ge", [uniform.full(p)])
  }

  // MARK: Choices

  private static let choices: [OpDef] = [
    OpDef(
      "multinomial",
      OpDoc(
        "Indices drawn with probabilities proportional to the last axis.",
        [
          "The rank is 1 or 2 and the element type floating.", "num_samples is positive.",
          "Without replacement, num_samples is at most the last extent.",
        ]),
      operands: [OperandDef("input")],
      attributes: [
        AttributeDef("num_samples", .int),
        AttributeDef("replacement", .bool, default: .bool(false)),
      ],
      draws: { c throws(LucidError) in
        let lines = Shape(Array(c.shape(0).dims.dropLast()))
        let each = c.attributes.bool(1) ? Dim(c.attributes.int(0)) : c.shape(0).dims.last ?? 1
        return try RandomWords.count(c, Shape(lines.dims + [each]))
      },
      .composite { c throws(LucidError) in [try sampled(c)] })
  ]

  private static func sampled(_ c: ExpandContext) throws(LucidError) -> GraphValue {
    let (x, count) = (c.inputs[0], c.attributes.int(0))
    guard x.rank == 1 || x.rank == 2, x.dtype.isFloatingPoint else {
      throw c.check.error(.shape, "input is \(x.type)", constraint: 1)
    }
    guard count > 0 else { throw c.check.error(.value, "num_samples is \(count)", constraint: 2) }
    let last = x.rank - 1
    let weights = try x.cast(to: .float32).call("detach")
    let lines = x.shape.dims.dropLast()
    if c.attributes.bool(1) {
      // The first place where the running sum exceeds a uniform share of the total.
      let running = try weights.scan(last, 0, false)
      let total = try weights.sum([last], keepDim: true)
      let share = try Draw(c).uniform(Shape(lines + [Dim(count)])) * total
      let below = try running.unsqueeze(-2).call("le", [share.unsqueeze(-1)])
      let place = try below.call("sum", [], [.ints([below.rank - 1]), .bool(false), .none])
      let end = try c.builder.extent([x.shape[last]], dtype: .int64) - 1
      return try place.call("clamp_max", [end])
    }
    guard c.check.lessOrEqual(Dim(count), x.shape[last]) else {
      throw c.check.error(
        .value, "\(count) samples without replacement from \(x.shape)", constraint: 3)
    }
    // The smallest of exponential waiting times with these rates.
    let waiting = try -(1 - Draw(c).uniform(x.shape)).log()
    let never = try weights.equals(weights.full(0))
    let time = try waiting.full(.infinity).selected(where: never, else: waiting / weights)
    return try time.call("topk_lines", [], [.int(count), .int(last), .bool(false)])
  }
}

/// A source of numbers at an offset.
struct Draw {
  let builder: GraphBuilder
  let seed: GraphValue
  let offset: GraphValue

  private init(_ builder: GraphBuilder, _ seed: GraphValue, _ offset: GraphValue) {
    (self.builder, self.seed, self.offset) = (builder, seed, offset)
  }

  init(_ c: ExpandContext) throws(LucidError) {
    guard c.inputs.count >= 2 else { throw c.check.error(.value, "no seed was given") }
    self.init(c.builder, c.inputs[c.inputs.count - 2], c.inputs[c.inputs.count - 1])
  }

  func skipping(_ words: Dim) throws(LucidError) -> Draw {
    Draw(builder, seed, try offset + builder.extent([words], dtype: .int64))
  }

  func uniform(_ shape: Shape) throws(LucidError) -> GraphValue {
    try seed.call("philox_uniform", [offset], [.dims(shape.dims)])
  }

  func bits(_ shape: Shape) throws(LucidError) -> GraphValue {
    try seed.call("philox_bits", [offset], [.dims(shape.dims)])
  }

  /// Box and Muller's cosine of a pair of words: the second words follow all the first ones.
  func normal(_ shape: Shape) throws(LucidError) -> GraphValue {
    let radius = try ((1 - uniform(shape)).log() * -2).sqrt()
    let angle = try skipping(shape.elementCount ?? 0).uniform(shape) * (2 * Double.pi)
    return try radius * angle.call("cos")
  }
}

extension ExpandContext {
  /// The shape of a new tensor.
  fileprivate var size: Shape { Shape(attributes.dims(0)) }

  /// A draw without elements, of the type that the operation's dtype attribute names.
  fileprivate func emptyResult() throws(LucidError) -> GraphValue {
    let dtype = attributes.values.lazy.compactMap { value -> DType? in
      if case .dtype(let dtype) = value { dtype } else { nil }
    }.first
    return try builder.full(0, shape: size, dtype: dtype ?? .float32)
  }
}

extension GraphValue {
  /// A rank-0 int64 constant, exact.
  fileprivate func integer(_ value: Int) throws(LucidError) -> GraphValue {
    try builder.apply(
      try OpCatalog.op("full"), [],
      Attributes([.dims([]), .float(Double(value)), .dtype(.int64), .int(value)]))[0]
  }
}
