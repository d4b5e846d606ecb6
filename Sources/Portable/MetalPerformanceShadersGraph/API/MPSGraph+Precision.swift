import Foundation
import MetalPerformanceShaders

// Composites over half-precision tensors compute in float32 in between, as one kernel would: a sum or
// a small epsilon does not fit their range.
extension MPSGraph {
  func widened(_ tensor: MPSGraphTensor, name: String?) -> MPSGraphTensor {
    switch tensor.dataType {
    case .float16, .bFloat16: cast(tensor, to: .float32, name: name)
    default: tensor
    }
  }

  func narrowed(_ tensor: MPSGraphTensor, to type: MPSDataType, name: String?) -> MPSGraphTensor {
    tensor.dataType == type ? tensor : cast(tensor, to: type, name: name)
  }

  func sum(_ tensor: MPSGraphTensor, _ axes: [Int], _ name: String?) -> MPSGraphTensor {
    value(.reduce(.sum, axes: axes), [tensor], name: name)
  }

  /// The mean of a tensor that is wide enough already.
  func average(_ tensor: MPSGraphTensor, _ axes: [Int], _ name: String?) -> MPSGraphTensor {
    division(sum(tensor, axes, name), count(tensor, axes, name), name: name)
  }

  /// How many elements a reduction over axes combines, in the tensor's type; sizes that are not known
  /// yet are read from the shape.
  func count(_ tensor: MPSGraphTensor, _ axes: [Int], _ name: String?) -> MPSGraphTensor {
    let dims = dims(tensor, method: #function)
    let known = axes.filter { dims[$0] != -1 }.reduce(1) { $0 * dims[$1] }
    let open = axes.filter { dims[$0] == -1 }
    var result = constant(Double(known), dataType: tensor.dataType)
    guard !open.isEmpty else { return result }
    let shape = shapeOf(tensor, name: name)
    for axis in open {
      let size = sliceTensor(shape, dimension: 0, start: axis, length: 1, name: name)
      result = multiplication(
        result, cast(size, to: tensor.dataType, name: name), name: name)
    }
    return result
  }
}
