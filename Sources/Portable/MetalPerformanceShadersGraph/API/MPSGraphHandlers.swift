/// Receives the results of a run of a graph.
public typealias MPSGraphCompletionHandler = ([MPSGraphTensor: MPSGraphTensorData], (any Error)?)
  -> Void
/// Receives the results of a run of a graph, which may not be computed yet.
public typealias MPSGraphScheduledHandler = ([MPSGraphTensor: MPSGraphTensorData], (any Error)?)
  -> Void
/// Receives the results of a run of an executable.
public typealias MPSGraphExecutableCompletionHandler = ([MPSGraphTensorData], (any Error)?) -> Void
/// Receives the results of a run of an executable, which may not be computed yet.
public typealias MPSGraphExecutableScheduledHandler = ([MPSGraphTensorData], (any Error)?) -> Void
/// Receives what a compilation made.
public typealias MPSGraphCompilationCompletionHandler = (MPSGraphExecutable, (any Error)?) -> Void
/// Makes the tensors that wait for other operations.
public typealias MPSGraphControlFlowDependencyBlock = () -> [MPSGraphTensor]
