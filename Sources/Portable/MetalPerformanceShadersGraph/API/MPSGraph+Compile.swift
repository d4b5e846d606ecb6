import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// Compiles what the targets need, for feeds of the given types.
  public func compile(
    with device: MPSGraphDevice?, feeds: [MPSGraphTensor: MPSGraphShapedType],
    targetTensors: [MPSGraphTensor], targetOperations: [MPSGraphOperation]?,
    compilationDescriptor: MPSGraphCompilationDescriptor?
  ) -> MPSGraphExecutable {
    compile(
      feeds.map { (tensor: $0, type: $1.type) }, targetTensors, targetOperations ?? [],
      compilationDescriptor, #function)
  }

  func compile(
    _ feeds: [(tensor: MPSGraphTensor, type: TensorType)], _ targets: [MPSGraphTensor],
    _ operations: [MPSGraphOperation], _ descriptor: MPSGraphCompilationDescriptor?,
    _ method: StaticString
  ) -> MPSGraphExecutable {
    let ordered = feeds.sorted { $0.tensor.index < $1.tensor.index }
    checkFeeds(ordered, targets, operations, method)
    let program = Program(
      graph: self, feeds: ordered, targets: targets, operations: operations,
      descriptor: descriptor)
    let executable = MPSGraphExecutable(
      program: program, feeds: ordered.map(\.tensor), targets: targets, options: options)
    descriptor?.compiled?(executable, nil)
    return executable
  }

  private func checkFeeds(
    _ feeds: [(tensor: MPSGraphTensor, type: TensorType)], _ targets: [MPSGraphTensor],
    _ operations: [MPSGraphOperation], _ method: StaticString
  ) {
    require(
      !targets.isEmpty || !operations.isEmpty, "MPSGraph.\(method): there is no target")
    for target in targets where target.operation.graph !== self {
      misuse("MPSGraph.\(method): a target belongs to another graph")
    }
    for operation in operations where operation.graph !== self {
      misuse("MPSGraph.\(method): a target operation belongs to another graph")
    }
    var isFed = [Bool](repeating: false, count: self.operations.count)
    for (tensor, type) in feeds {
      let operation = tensor.operation
      guard operation.graph === self, case .placeholder = operation.kind else {
        misuse("MPSGraph.\(method): only placeholders of this graph can be fed")
      }
      let declared = tensor.type
      require(
        type.dtype == declared.dtype && Self.fits(type.shape, declared.shape),
        """
        MPSGraph.\(method): placeholder \(operation.name) of shape \(Self.text(declared)) is fed \
        with shape \(Self.text(type))
        """)
      isFed[operation.index] = true
    }
    let live = Reachability.live(in: self, targets: targets, operations: operations)
    for placeholder in placeholderTensors {
      let operation = placeholder.operation
      require(
        !live[operation.index] || isFed[operation.index],
        """
        MPSGraph.\(method): placeholder \(operation.name) of shape \(Self.text(placeholder.type)) \
        is needed but not fed
        """)
    }
  }

  private static func fits(_ given: [Int]?, _ declared: [Int]?) -> Bool {
    guard let given, let declared else { return true }
    return ShapeRules.agree(given, declared)
  }

  private static func text(_ type: TensorType) -> String {
    "\(type.shape.map { "\($0)" } ?? "unknown") \(type.dtype)"
  }
}
