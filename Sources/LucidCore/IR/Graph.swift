/// A value in a graph: a plain index, valid only with the graph it came from.
public struct Value: Hashable, Sendable {
  public let index: Int32
  public init(_ index: Int) { self.index = Int32(truncatingIfNeeded: index) }
  public var position: Int { Int(index) }
}

/// The dense number of an operation in this process's catalog.
public struct OpID: Hashable, Sendable {
  public let index: UInt16
  public init(_ index: UInt16) { self.index = index }
}

/// One application of a primitive operation.
public struct Node: Hashable, Sendable {
  public let op: OpID
  public let inputs: [Value]
  public let attributes: Attributes
  /// The results are the `outputCount` values from `firstOutput` on.
  public let firstOutput: Int32
  public let outputCount: Int32

  public var outputs: [Value] { (0..<Int(outputCount)).map { Value(Int(firstOutput) + $0) } }
}

/// A pure function from inputs to outputs: nodes in an order in which every value is made before it
/// is used. Composite operations never appear: building expands them.
public struct Graph: Hashable, Sendable {
  public internal(set) var nodes: [Node] = []
  /// The type of each value.
  public internal(set) var types: [TensorType] = []
  /// The node that makes each value, -1 for inputs.
  public internal(set) var producers: [Int32] = []
  public internal(set) var inputs: [Value] = []
  public internal(set) var outputs: [Value] = []

  public init() {}

  public func type(of value: Value) -> TensorType { types[value.position] }

  /// The node that makes a value, nil for an input.
  public func producer(of value: Value) -> Node? {
    let index = producers[value.position]
    return index < 0 ? nil : nodes[Int(index)]
  }

  /// Whether any input's shape depends on the batch.
  public var isSymbolic: Bool { inputs.contains { !types[$0.position].shape.isStatic } }
}
