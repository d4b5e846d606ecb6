import Foundation

extension MPSGraph {
  /// The tensors that the block makes; their operations run after the given ones.
  public func controlDependency(
    with operations: [MPSGraphOperation],
    dependentBlock: @escaping MPSGraphControlFlowDependencyBlock, name: String?
  ) -> [MPSGraphTensor] {
    let outer = activeDependencies
    activeDependencies += operations
    defer { activeDependencies = outer }
    return dependentBlock()
  }
}
