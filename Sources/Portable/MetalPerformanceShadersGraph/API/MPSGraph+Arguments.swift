import Foundation
import MetalPerformanceShaders

// Apple's arguments in the form that `OpKind` holds.
extension MPSGraph {
  /// The sizes of a tensor; methods that count dimensions need a known rank.
  func dims(_ tensor: MPSGraphTensor, method: StaticString) -> [Int] {
    guard let dims = tensor.type.shape else {
      misuse("MPSGraph.\(method): the rank of the tensor is not known")
    }
    return dims
  }

  func rank(_ tensor: MPSGraphTensor, method: StaticString) -> Int {
    dims(tensor, method: method).count
  }

  /// A non-negative axis below the rank; negative ones count from the end.
  func axis(_ axis: Int, of tensor: MPSGraphTensor, method: StaticString) -> Int {
    let dims = dims(tensor, method: method)
    return wrap(axis, count: dims.count, what: "axis", dims: dims, method: method)
  }

  func axes(_ axes: [Int], of tensor: MPSGraphTensor, method: StaticString) -> [Int] {
    axes.map { axis($0, of: tensor, method: method) }
  }

  func wrap(_ axis: Int, count: Int, what: String, dims: [Int], method: StaticString) -> Int {
    let wrapped = axis < 0 ? axis + count : axis
    require(
      wrapped >= 0 && wrapped < count,
      "MPSGraph.\(method): \(what) \(axis) is out of range for shape \(dims)")
    return wrapped
  }

  /// The elements of a tensor that has to be known while the graph is built.
  func integers(_ tensor: MPSGraphTensor, _ argument: String, method: StaticString) -> [Int] {
    guard let integers = tensor.integers else {
      misuse("MPSGraph.\(method): \(argument) must follow from constants")
    }
    return integers
  }

  func integer(_ tensor: MPSGraphTensor, _ argument: String, method: StaticString) -> Int {
    let values = integers(tensor, argument, method: method)
    require(
      values.count == 1, "MPSGraph.\(method): \(argument) must have one element, not \(values)")
    return values[0]
  }

  /// The shape that a shape tensor holds, with -1 for what is not known; nil if nothing is known.
  func partialShape(_ tensor: MPSGraphTensor) -> [Int]? {
    if let integers = tensor.integers { return integers }
    if case .shapeOf = tensor.operation.kind {
      return tensor.operation.inputTensors[0].type.shape
    }
    return nil
  }
}
