/// A window on the elements of a root value: `offset` and `strides` count elements of the root in
/// its row-major order, whatever physical order the root is given later.
///
/// Transposes, slices, broadcasts, reversals and most reshapes are only new windows; consumers read
/// through them and nothing is moved.
struct StridedView: Equatable {
  var offset: Int
  var shape: [Int]
  var strides: [Int]

  init(offset: Int, shape: [Int], strides: [Int]) {
    (self.offset, self.shape, self.strides) = (offset, shape, strides)
  }

  /// The whole of a root of this shape.
  init(whole shape: [Int]) {
    self.init(offset: 0, shape: shape, strides: rowMajorStrides(shape))
  }

  var count: Int { shape.product }

  /// True where element i of the view, in row-major order, is element `offset + i` of the root.
  var isDense: Bool {
    var expected = 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] != 1 {
      if strides[axis] != expected { return false }
      expected *= shape[axis]
    }
    return true
  }

  func transposed(_ permutation: [Int]) -> StridedView {
    StridedView(
      offset: offset, shape: permutation.map { shape[$0] },
      strides: permutation.map { strides[$0] })
  }

  /// NumPy broadcasting to `target`: new leading axes and axes of size 1 get stride 0.
  func broadcast(to target: [Int]) -> StridedView {
    if target == shape { return self }
    let lead = target.count - shape.count
    var result = [Int](repeating: 0, count: target.count)
    for axis in shape.indices where shape[axis] == target[lead + axis] && shape[axis] != 1 {
      result[lead + axis] = strides[axis]
    }
    return StridedView(offset: offset, shape: target, strides: result)
  }

  func reversed(_ axes: [Int]) -> StridedView {
    var result = self
    for axis in axes where shape[axis] > 0 {
      result.offset += (shape[axis] - 1) * strides[axis]
      result.strides[axis] = -strides[axis]
    }
    return result
  }

  /// The given range of every axis.
  func sliced(_ ranges: [SliceRange]) -> StridedView {
    var result = self
    for (axis, range) in ranges.enumerated() {
      result.shape[axis] = range.length
      result.offset += range.start * strides[axis]
      result.strides[axis] = range.length == 1 ? 0 : strides[axis] * range.stride
    }
    return result
  }

  /// The same elements, in row-major order, under another shape; nil where strides cannot say it.
  func reshaped(to target: [Int]) -> StridedView? {
    if target == shape { return self }
    var result = [Int](repeating: 0, count: target.count)
    if target.contains(0) { return StridedView(offset: offset, shape: target, strides: result) }
    var from = 0
    var to = 0
    while from < shape.count || to < target.count {
      // The smallest run of source axes whose size is that of a run of target axes.
      var sourceSize = from < shape.count ? shape[from] : 1
      var targetSize = to < target.count ? target[to] : 1
      var sourceEnd = min(from + 1, shape.count)
      var targetEnd = min(to + 1, target.count)
      while sourceSize != targetSize {
        if sourceSize < targetSize {
          guard sourceEnd < shape.count else { return nil }
          sourceSize *= shape[sourceEnd]
          sourceEnd += 1
        } else {
          guard targetEnd < target.count else { return nil }
          targetSize *= target[targetEnd]
          targetEnd += 1
        }
      }
      // The source run must be one arithmetic progression.
      var step = 0
      var span = 1
      for axis in stride(from: sourceEnd - 1, through: from, by: -1) where shape[axis] != 1 {
        if span == 1 {
          step = strides[axis]
        } else if strides[axis] != step * span {
          return nil
        }
        span *= shape[axis]
      }
      var inner = step
      for axis in stride(from: targetEnd - 1, through: to, by: -1) where target[axis] != 1 {
        result[axis] = inner
        inner *= target[axis]
      }
      from = sourceEnd
      to = targetEnd
    }
    return StridedView(offset: offset, shape: target, strides: result)
  }
}

func rowMajorStrides(_ shape: [Int]) -> [Int] {
  var result = [Int](repeating: 0, count: shape.count)
  var step = 1
  for axis in stride(from: shape.count - 1, through: 0, by: -1) {
    result[axis] = shape[axis] == 1 ? 0 : step
    step *= shape[axis]
  }
  return result
}

extension [Int] {
  var product: Int { reduce(1, *) }
}
