extension TensorType {
  /// Refuses negative extents and sizes that cannot be addressed. The limits are Apple's: at most 16
  /// dimensions, and 2^31 - 1 per extent.
  func checkSize(op: String) throws(LucidError) {
    guard rank <= 16 else {
      throw LucidError(.shape, "\(op): a result of rank \(rank) exceeds the 16 dimensions allowed")
    }
    var bytes = dtype.size
    for dim in shape.dims {
      let extent = dim.constant
      guard dim.isStatic else { continue }
      guard extent >= 0 else {
        throw LucidError(.shape, "\(op): the result shape \(shape) has a negative extent")
      }
      guard extent <= Int(Int32.max) else {
        throw LucidError(.memory, "\(op): extent \(extent) of shape \(shape) exceeds 2^31 - 1")
      }
      if extent > 0 { bytes = Dim.multiply(bytes, extent) }
    }
    guard bytes <= 1 << 46 else {
      throw LucidError(.memory, "\(op): a result of shape \(shape) is too large to address")
    }
  }
}
