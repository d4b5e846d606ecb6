import MetalPerformanceShadersGraph

extension DType {
  /// Apple's name of this element type.
  var mps: MPSDataType {
    switch self {
    case .float32: .float32
    case .float16: .float16
    case .bfloat16: .bFloat16
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uInt8
    case .bool: .bool
    }
  }
}

extension MPSGraph {
  /// The tensor in another element type.
  func castIfNeeded(_ tensor: MPSGraphTensor, _ dtype: DType, name: String) -> MPSGraphTensor {
    tensor.dataType == dtype.mps ? tensor : cast(tensor, to: dtype.mps, name: name)
  }
}
