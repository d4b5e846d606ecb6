extension ViewLayout {
  /// The layout under another shape of equal size, if strides can express it.
  func reshaped(_ target: [Int]) -> ViewLayout? {
    if elementCount == 0 { return ViewLayout(contiguous: target, offset: offset) }
    // Runs of axes that step through memory as one axis would; each target axis must fall in one.
    var runs: [(extent: Int, stride: Int)] = []
    for (extent, stride) in zip(shape, strides) where extent != 1 {
      if let last = runs.last, last.stride == extent * stride {
        runs[runs.count - 1] = (last.extent * extent, stride)
      } else {
        runs.append((extent, stride))
      }
    }
    var out = [Int](repeating: 1, count: target.count)
    var run = runs.count - 1
    var consumed = 1
    for i in Swift.stride(from: target.count - 1, through: 0, by: -1) where target[i] != 1 {
      guard run >= 0 else { return nil }
      out[i] = runs[run].stride * consumed
      consumed *= target[i]
      if runs[run].extent % consumed != 0 { return nil }
      if consumed == runs[run].extent {
        run -= 1
        consumed = 1
      }
    }
    return run < 0 ? ViewLayout(offset: offset, shape: target, strides: out) : nil
  }
}

extension InferContext {
  /// The shape asked for, with -1 worked out (C2) and the counts compared (C1).
  func reshaped(_ from: Shape, to wanted: [Dim]) throws(LucidError) -> Shape {
    guard let open = wanted.firstIndex(of: -1) else {
      guard let a = from.elementCount, let b = Shape(wanted).elementCount, equal(a, b) else {
        throw error(
          .shape, "shape \(from) cannot be viewed as \(Shape(wanted))", constraint: 1)
      }
      return Shape(wanted)
    }
    var rest = wanted
    rest.remove(at: open)
    guard !rest.contains(-1) else {
      throw error(.value, "more than one extent of \(Shape(wanted)) is -1", constraint: 2)
    }
    guard let total = from.elementCount, let known = Shape(rest).elementCount else {
      throw error(.unsupported, "the extents of \(from) give no affine element count")
    }
    guard let extent = quotient(total, known) else {
      throw error(.shape, "shape \(from) cannot be viewed as \(Shape(wanted))", constraint: 1)
    }
    var dims = wanted
    dims[open] = extent
    return Shape(dims)
  }

  private func quotient(_ total: Dim, _ known: Dim) -> Dim? {
    if let k = known.value {
      guard k > 0, total.coefficient % k == 0, total.constant % k == 0 else { return nil }
      return Dim.quotient(total, k)
    }
    // (k·known) / known
    guard known.coefficient != 0, total.coefficient % known.coefficient == 0 else { return nil }
    let factor = total.coefficient / known.coefficient
    return Dim.product(known, Dim(factor)) == total ? Dim(factor) : nil
  }

  /// The shape that `expand` gives.
  func expanded(_ from: Shape, to wanted: [Dim]) throws(LucidError) -> Shape {
    let lead = wanted.count - from.rank
    guard lead >= 0 else {
      throw error(.shape, "shape \(from) has more axes than \(Shape(wanted))", constraint: 1)
    }
    var dims: [Dim] = []
    for (i, extent) in wanted.enumerated() {
      let own: Dim? = i < lead ? nil : from[i - lead]
      if extent == -1 {
        guard let own else {
          throw error(.value, "-1 stands for an axis that \(from) does not have", constraint: 1)
        }
        dims.append(own)
      } else if let own, own != 1, !equal(own, extent) {
        throw error(.shape, "shape \(from) cannot be expanded to \(Shape(wanted))", constraint: 1)
      } else {
        dims.append(extent)
      }
    }
    return Shape(dims)
  }
}
