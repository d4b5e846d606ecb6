import MetalPerformanceShadersGraph

/// What an `infer` rule sees, and the checks it shares with the others.
public struct InferContext {
  public let op: OpDef
  public let types: [TensorType]
  public let attributes: Attributes
  public let symbols: BatchAssumptions?

  public func shape(_ i: Int) -> Shape { types[i].shape }
  public func dtype(_ i: Int) -> DType { types[i].dtype }

  /// An error of this operation; `constraint` is the number in the documentation.
  public func error(
    _ code: LucidError.Code, _ message: String, constraint: Int? = nil
  ) -> LucidError {
    LucidError(code, "\(op.name): \(message)" + (constraint.map { " (C\($0))" } ?? ""))
  }

  /// Whether two extents agree; records the assumption if that depends on the batch.
  public func equal(_ a: Dim, _ b: Dim) -> Bool {
    symbols?.equal(a, b) ?? (a == b)
  }

  public func equal(_ a: Shape, _ b: Shape) -> Bool {
    a.rank == b.rank && zip(a.dims, b.dims).allSatisfy { equal($0, $1) }
  }

  public func lessOrEqual(_ a: Dim, _ b: Dim) -> Bool {
    symbols?.lessOrEqual(a, b) ?? (a.constant <= b.constant)
  }

  /// An axis counted from the end if negative, checked. A rank-0 operand has the axes -1 and 0.
  public func axis(_ axis: Int, rank: Int) throws(LucidError) -> Int {
    let extent = max(rank, 1)
    guard axis >= -extent, axis < extent else {
      throw error(.index, "axis \(axis) is out of range for rank \(rank)")
    }
    return axis < 0 ? axis + extent : axis
  }

  /// Checked, distinct, non-negative axes; all of them if `axes` is nil or, as in PyTorch, empty.
  public func axes(_ axes: [Int]?, rank: Int) throws(LucidError) -> [Int] {
    guard let axes, !axes.isEmpty else { return Array(0..<rank) }
    var seen: [Int] = []
    for axis in axes {
      let a = try self.axis(axis, rank: rank)
      if seen.contains(a) { throw error(.value, "axis \(axis) appears twice in \(axes)") }
      seen.append(a)
    }
    return rank == 0 ? [] : seen
  }

  /// The NumPy broadcast of two shapes.
  public func broadcast(_ a: Shape, _ b: Shape) throws(LucidError) -> Shape {
    if a == b { return a }
    let rank = max(a.rank, b.rank)
    var dims: [Dim] = []
    dims.reserveCapacity(rank)
    for i in 0..<rank {
      let x = i < rank - a.rank ? 1 : a[i - (rank - a.rank)]
      let y = i < rank - b.rank ? 1 : b[i - (rank - b.rank)]
      if x == y || y == 1 {
        dims.append(x)
      } else if x == 1 {
        dims.append(y)
      } else if equal(x, y) {
        dims.append(x.isStatic ? x : y)
      } else {
        throw error(.shape, "shapes \(a) and \(b) cannot be broadcast together")
      }
    }
    return Shape(dims)
  }
}

/// What the expansion of a composite sees.
public struct ExpandContext {
  public let op: OpDef
  public let builder: GraphBuilder
  public let inputs: [GraphValue]
  public let attributes: Attributes

  /// The same checks that `infer` rules use.
  public var check: InferContext {
    InferContext(
      op: op, types: inputs.map(\.type), attributes: attributes, symbols: builder.symbols)
  }
}

/// A packed row-major array in host memory.
public struct HostArray: Sendable {
  public let shape: [Int]
  public let dtype: DType
  public let bytes: [UInt8]

  public init(shape: [Int], dtype: DType, bytes: [UInt8]) {
    (self.shape, self.dtype, self.bytes) = (shape, dtype, bytes)
  }
}

/// What the rule of an operation on the host sees.
public struct HostContext {
  public let op: OpDef
  public let inputs: [HostArray]
  public let attributes: Attributes

  public init(op: OpDef, inputs: [HostArray], attributes: Attributes) {
    (self.op, self.inputs, self.attributes) = (op, inputs, attributes)
  }
}

/// What a gradient rule sees.
public struct VJPContext {
  public let op: OpDef
  public let builder: GraphBuilder
  public let inputs: [GraphValue]
  public let outputs: [GraphValue]
  /// The gradients that arrived, nil for a result that does not influence the target.
  public let cotangents: [GraphValue?]
  public let attributes: Attributes
  /// Which operands' gradients are asked for; a rule may skip the others.
  public let wanted: [Bool]

  /// The gradient of the only or first result.
  public func cotangent(_ i: Int = 0) throws(LucidError) -> GraphValue {
    if let given = cotangents[i] { return given }
    return try outputs[i].full(0)
  }
}

/// What a lowering rule sees.
public struct LowerContext {
  public let op: OpDef
  public let graph: MPSGraph
  public let inputs: [MPSGraphTensor]
  public let inputTypes: [TensorType]
  public let outputTypes: [TensorType]
  public let attributes: Attributes
  /// The symbolic batch as an int32 tensor of shape [1]; nil in a static graph.
  public let batch: MPSGraphTensor?
  /// The label of the nodes: the operation's name.
  public var name: String { op.name }
}
