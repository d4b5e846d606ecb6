import CKernels
import MetalPerformanceShaders

/// Sums of parts that are padded with zeros to disjoint places: what the backward pass of a split
/// adds up. They are one concatenation.
extension Lowering {
  struct PlacedSum {
    var shape: [Int]
    var dtype: ck_dtype
    var parts: [(operand: Operand, starts: [Int])]
  }

  /// Handles padding whose only reader adds it to something, and such additions.
  mutating func lowerPlaced(_ node: GraphSlice.Node) -> Bool {
    let output = node.outputs.first ?? 0
    switch node.kind {
    case .pad(.constant, let left, let right, value: 0):
      guard isOnlyAdded(output), left.allSatisfy({ $0 >= 0 }), right.allSatisfy({ $0 >= 0 }) else {
        return false
      }
      let part = operand(node.inputs[0])
      placed[output] = PlacedSum(
        shape: shape(output), dtype: part.dtype, parts: [(part, left)])
      return true
    case .binary(.add):
      let (first, second) = (node.inputs[0], node.inputs[1])
      guard placed[first] != nil || placed[second] != nil else { return false }
      if let a = placed[first], let b = placed[second], a.shape == b.shape,
        Self.areDisjoint(a, b)
      {
        var sum = a
        sum.parts += b.parts
        if isOnlyAdded(output) {
          placed[output] = sum
        } else {
          operands[Int(output)] = written(sum, for: output)
        }
        return true
      }
      for value in [first, second] {
        if let sum = placed[value] { operands[Int(value)] = written(sum, for: value) }
      }
      return false
    default: return false
    }
  }

  private func isOnlyAdded(_ value: Int32) -> Bool {
    guard let reader = onlyReader(value), case .binary(.add) = reader.kind else { return false }
    return reader.inputs.allSatisfy { shape($0) == shape(value) || types[Int($0)].shape == nil }
  }

  private static func areDisjoint(_ a: PlacedSum, _ b: PlacedSum) -> Bool {
    a.parts.allSatisfy { one in
      b.parts.allSatisfy { other in
        one.starts.indices.contains { axis in
          one.starts[axis] + one.operand.view.shape[axis] <= other.starts[axis]
            || other.starts[axis] + other.operand.view.shape[axis] <= one.starts[axis]
        }
      }
    }
  }

  private mutating func written(_ sum: PlacedSum, for value: Int32) -> Operand {
    for axis in sum.shape.indices {
      let parts = sum.parts.sorted { $0.starts[axis] < $1.starts[axis] }
      var position = 0
      let covers = parts.allSatisfy { part in
        defer { position += part.operand.view.shape[axis] }
        return part.starts[axis] == position
          && sum.shape.indices.allSatisfy {
            $0 == axis || part.operand.view.shape[$0] == sum.shape[$0]
          }
      }
      if covers, position == sum.shape[axis] {
        return concatenated(parts.map(\.operand), axis, sum.shape, sum.dtype, for: value)
      }
    }
    var total: Operand?
    for part in sum.parts {
      let right = sum.shape.indices.map {
        sum.shape[$0] - part.starts[$0] - part.operand.view.shape[$0]
      }
      let padded = add(
        .kernel(.pad(.constant, left: part.starts, right: right, value: 0)), [part.operand],
        sum.shape, sum.dtype)
      total = total.map { add(.binary(.add), [$0, padded], sum.shape, sum.dtype) } ?? padded
    }
    return total ?? splat(0, sum.shape, sum.dtype)
  }

  /// One item; its result lies in the order that its only reader wants.
  mutating func concatenated(
    _ inputs: [Operand], _ axis: Int, _ shape: [Int], _ dtype: ck_dtype, for value: Int32
  ) -> Operand {
    guard let order = wantedOrder(value), order.count == shape.count else {
      return add(.kernel(.concat(axis: axis, interleave: false)), inputs, shape, dtype)
    }
    var inverse = order
    for (position, from) in order.enumerated() { inverse[from] = position }
    let turned = inputs.map {
      Operand(root: $0.root, dtype: $0.dtype, view: $0.view.transposed(order))
    }
    let stored = add(
      .kernel(.concat(axis: inverse[axis], interleave: false)), turned, order.map { shape[$0] },
      dtype)
    return Operand(root: stored.root, dtype: dtype, view: stored.view.transposed(inverse))
  }
}
