/// Which operations of a graph some results need.
package enum Reachability {
  /// One flag per operation. Operations come after the ones they need, so that one backward pass
  /// finds them all.
  package static func live(
    in graph: MPSGraph, targets: [MPSGraphTensor], operations: [MPSGraphOperation]
  ) -> [Bool] {
    var live = [Bool](repeating: false, count: graph.operations.count)
    for target in targets { live[target.operation.index] = true }
    for operation in operations { live[operation.index] = true }
    for operation in graph.operations.reversed() where live[operation.index] {
      for input in operation.inputTensors { live[input.operation.index] = true }
      for dependency in operation.controlDependencies { live[dependency.index] = true }
    }
    return live
  }
}
