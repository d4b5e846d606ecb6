import MetalPerformanceShaders

/// What a graph compiles to: the compiler's and the runtime's side of `MPSGraphExecutable`.
package final class Program: @unchecked Sendable {
  /// Compiles what `targets` and `operations` need.
  ///
  /// - Parameters:
  ///   - feeds: The placeholders in the order in which contents will be given, each with the type
  ///     that it is compiled for; all that are needed are among them.
  package init(
    graph: MPSGraph, feeds: [(tensor: MPSGraphTensor, type: TensorType)],
    targets: [MPSGraphTensor], operations: [MPSGraphOperation],
    descriptor: MPSGraphCompilationDescriptor?
  ) {
    misuse("the engine's compiler is not linked yet")
  }

  /// Gets ready for concrete types of the feeds.
  package func specialize(for types: [TensorType]) {
    misuse("the engine's compiler is not linked yet")
  }

  /// The types of the targets for types of the feeds.
  package func outputTypes(for types: [TensorType]) -> [TensorType] {
    misuse("the engine's compiler is not linked yet")
  }

  /// Runs at once, or at the commit of the command buffer when `MPSCommandBuffer.defersWork`;
  /// without a command buffer always at once. There are as many inputs as feeds; whether their types
  /// fit is checked here, and results, where given, as well.
  package func execute(
    on commandBuffer: MPSCommandBuffer?, inputs: [MPSGraphTensorData],
    results: [MPSGraphTensorData]?
  ) -> [MPSGraphTensorData] {
    misuse("the engine's runtime is not linked yet")
  }
}
