import MetalPerformanceShaders

/// One dimension of a slice of a concrete shape: `length` indices from `start` on, `stride` apart.
package struct SliceRange: Hashable, Sendable {
  package var start: Int
  package var length: Int
  package var stride: Int
}

extension SliceSpec {
  /// The ranges for a shape; those of unknown sizes have length -1. Like Python, positions below
  /// zero count from the end and ends are limited to the size; unlike Python, a start outside is an
  /// error.
  package func ranges(of dims: [Int]) throws(ShapeError) -> [SliceRange] {
    guard starts.count == dims.count, ends.count == dims.count, strides.count == dims.count else {
      throw ShapeError(
        "starts \(starts), ends \(ends), strides \(strides) need one value per dimension of \(dims)"
      )
    }
    var ranges: [SliceRange] = []
    for (axis, size) in dims.enumerated() {
      ranges.append(try range(axis, size, dims))
    }
    return ranges
  }

  private func range(_ axis: Int, _ size: Int, _ dims: [Int]) throws(ShapeError) -> SliceRange {
    let stride = strides[axis]
    guard stride != 0 else { throw ShapeError("strides \(strides) have a zero") }
    let fromStart = startMask >> UInt32(axis) & 1 == 1
    let toEnd = endMask >> UInt32(axis) & 1 == 1
    let isDropped = squeezeMask >> UInt32(axis) & 1 == 1

    guard size != -1 else {
      // Both ends counted from the same side are a known distance apart, if they are inside.
      let (start, end) = (starts[axis], ends[axis])
      let isKnown = stride == 1 && !fromStart && !toEnd && end >= start && (start < 0) == (end < 0)
      return SliceRange(
        start: start, length: isDropped ? 1 : isKnown ? end - start : -1, stride: stride)
    }
    func position(_ given: Int) -> Int { given < 0 ? given + size : given }
    let start = fromStart ? (stride > 0 ? 0 : size - 1) : position(starts[axis])
    guard start >= 0, start < size || (start == size && stride > 0 && !isDropped) else {
      throw ShapeError("start \(starts[axis]) is out of range for axis \(axis) of shape \(dims)")
    }
    if isDropped { return SliceRange(start: start, length: 1, stride: 1) }
    let length: Int
    if stride > 0 {
      let end = toEnd ? size : min(position(ends[axis]), size)
      length = max(0, (end - start + stride - 1) / stride)
    } else {
      let end = toEnd ? -1 : max(position(ends[axis]), -1)
      length = max(0, (start - end - stride - 1) / -stride)
    }
    return SliceRange(start: start, length: length, stride: stride)
  }

  /// The shape of the slice.
  func sliced(_ dims: [Int]) throws(ShapeError) -> [Int] {
    let ranges = try ranges(of: dims)
    return dims.indices.filter { squeezeMask >> UInt32($0) & 1 == 0 }.map { ranges[$0].length }
  }
}

extension ShapeRules {
  static func slice(_ input: TensorType, _ spec: SliceSpec) throws(ShapeError) -> TensorType {
    guard let dims = input.shape else { return input }
    return TensorType(try spec.sliced(dims), input.dtype)
  }

  static func sliceGradient(
    _ inputs: [TensorType], _ spec: SliceSpec, _ elements: [Int]?, _ declared: [TensorType]
  ) throws(ShapeError) -> TensorType {
    let dims = try shapeOperand(inputs[1], declared, elements)
    if let gradient = inputs[0].shape {
      let expected = try spec.sliced(dims)
      try check(
        agree(gradient, expected),
        "a gradient of shape \(gradient) is not that of a slice of shape \(expected)")
    }
    return TensorType(dims, inputs[0].dtype)
  }

  static func sliceUpdate(_ inputs: [TensorType], _ spec: SliceSpec) throws(ShapeError)
    -> TensorType
  {
    try checkSameType(inputs)
    if let dims = inputs[0].shape, let update = inputs[1].shape {
      let expected = try spec.sliced(dims)
      try check(
        agree(update, expected),
        "an update of shape \(update) does not fit a slice of shape \(expected)")
    }
    return inputs[0]
  }
}
