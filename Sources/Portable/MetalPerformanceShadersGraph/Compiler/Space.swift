/// The iteration space of a fused group: sizes without ones, row-major, and which of them are
/// reduced.
///
/// A member belongs to the space when its elements, counted row-major, are those of the space; its
/// own shape may cut the count into other axes, so the space is the common refinement of the
/// shapes of all members.
struct Space: Equatable {
  var dims: [Int]
  /// Bit d: reductions run over dimension d.
  var reduced: UInt32 = 0

  init(_ shape: [Int]) { dims = shape.filter { $0 != 1 } }

  var count: Int { dims.product }
  var kept: [Int] { dims.indices.filter { reduced >> UInt32($0) & 1 == 0 }.map { dims[$0] } }
  var keptCount: Int { kept.product }

  /// Cuts dimensions so that every axis of `shape` is a run of them; nil where the two do not nest.
  func refined(by shape: [Int]) -> Space? {
    if dims == shape { return self }
    var cut: [Int] = []
    var mask: UInt32 = 0
    var other = shape.count - 1
    var left = 1  // what is still to be covered of the other's current axis
    for index in stride(from: dims.count - 1, through: 0, by: -1) {
      var size = dims[index]
      let bit = reduced >> UInt32(index) & 1
      if size == 0 { return nil }
      while size > 1 {
        while left == 1 {
          guard other >= 0 else { return nil }
          left = shape[other]
          other -= 1
          if left == 0 { return nil }
        }
        let piece: Int
        if size % left == 0 {
          piece = left
        } else if left % size == 0 {
          piece = size
        } else {
          return nil
        }
        guard cut.count < 12 else { return nil }
        mask |= bit << UInt32(cut.count)
        cut.append(piece)
        size /= piece
        left /= piece
      }
    }
    while other >= 0 {
      if shape[other] != 1 { return nil }
      other -= 1
    }
    guard left == 1 else { return nil }
    var result = self
    result.dims = cut.reversed()
    result.reduced = 0
    for index in cut.indices where mask >> UInt32(index) & 1 == 1 {
      result.reduced |= 1 << UInt32(cut.count - 1 - index)
    }
    return result
  }

  /// The common refinement of two spaces of the same count; nil where they do not nest or reduce
  /// over different dimensions.
  func merged(with other: Space) -> Space? {
    guard var mine = refined(by: other.dims), let theirs = other.refined(by: mine.dims) else {
      return nil
    }
    if mine.reduced != 0, theirs.reduced != 0, mine.reduced != theirs.reduced { return nil }
    mine.reduced |= theirs.reduced
    return mine
  }

  /// The strides of a view whose shape this space refines, one per dimension.
  func strides(of view: StridedView) -> [Int] {
    Self.spread(view.shape, view.strides, onto: dims)
  }

  /// The strides of a view over the kept dimensions only: 0 where reduced.
  func keptStrides(of view: StridedView) -> [Int] {
    let inner = Self.spread(view.shape, view.strides, onto: kept)
    var result = [Int](repeating: 0, count: dims.count)
    var next = 0
    for index in dims.indices where reduced >> UInt32(index) & 1 == 0 {
      result[index] = inner[next]
      next += 1
    }
    return result
  }

  /// Where a value that is uniform over the reduced dimensions keeps its elements.
  var uniformStrides: [Int] { keptStrides(of: StridedView(whole: kept)) }

  /// The mask of the dimensions that axes of `shape` cover.
  func mask(of axes: [Int], in shape: [Int]) -> UInt32 {
    var mask: UInt32 = 0
    var index = dims.count - 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] != 1 {
      var left = shape[axis]
      while left > 1 {
        if axes.contains(axis) { mask |= 1 << UInt32(index) }
        left /= dims[index]
        index -= 1
      }
    }
    return mask
  }

  private static func spread(_ shape: [Int], _ strides: [Int], onto dims: [Int]) -> [Int] {
    if shape == dims { return strides }
    var result = [Int](repeating: 0, count: dims.count)
    var index = dims.count - 1
    for axis in stride(from: shape.count - 1, through: 0, by: -1) where shape[axis] > 1 {
      var left = shape[axis]
      var step = strides[axis]
      while left > 1, index >= 0 {
        result[index] = step
        step *= dims[index]
        left /= dims[index]
        index -= 1
      }
    }
    return result
  }
}
