import Foundation
import MetalPerformanceShaders

extension MPSGraph {
  /// The tensor with elements before and after along every dimension; negative counts crop.
  public func padTensor(
    _ tensor: MPSGraphTensor, with paddingMode: MPSGraphPaddingMode, leftPadding: [NSNumber],
    rightPadding: [NSNumber], constantValue: Double, name: String?
  ) -> MPSGraphTensor {
    let mode = mode(paddingMode, #function)
    let fill = paddingMode == .zero ? 0 : constantValue
    return value(
      .pad(mode, left: leftPadding.unboxed, right: rightPadding.unboxed, value: fill), [tensor],
      name: name)
  }

  /// The gradient of `padTensor`.
  public func padGradient(
    withIncomingGradientTensor incomingGradientTensor: MPSGraphTensor,
    sourceTensor: MPSGraphTensor, paddingMode: MPSGraphPaddingMode, leftPadding: [NSNumber],
    rightPadding: [NSNumber], name: String?
  ) -> MPSGraphTensor {
    let mode = mode(paddingMode, #function)
    let dims = dims(sourceTensor, method: #function)
    let (left, right) = (leftPadding.unboxed, rightPadding.unboxed)
    require(
      left.count == dims.count && right.count == dims.count && !dims.contains(-1),
      "MPSGraph.\(#function): paddings \(left) and \(right) do not fit shape \(dims)")
    var gradient = incomingGradientTensor
    for axis in dims.indices where left[axis] != 0 || right[axis] != 0 {
      let pad = AxisPadding(
        axis: axis, size: dims[axis], left: left[axis], right: right[axis], name: name)
      gradient = fold(gradient, mode, pad)
    }
    return gradient
  }

  private func mode(_ mode: MPSGraphPaddingMode, _ method: StaticString) -> PadMode {
    switch mode {
    case .constant, .zero: return .constant
    case .reflect: return .reflect
    case .symmetric: return .symmetric
    case .clampToEdge: return .edge
    case .periodic, .antiPeriodic:
      // The framework does not run them either.
      misuse("MPSGraph.\(method): the padding mode \(mode) is not supported")
    }
  }

  private struct AxisPadding {
    let axis: Int
    let size: Int
    let left: Int
    let right: Int
    let name: String?
  }

  /// Brings the gradients of padded elements back to the elements they were copied from, along one
  /// axis.
  private func fold(_ gradient: MPSGraphTensor, _ mode: PadMode, _ pad: AxisPadding)
    -> MPSGraphTensor
  {
    let cropLeft = max(0, -pad.left)
    let kept = pad.size - cropLeft - max(0, -pad.right)
    let center = sliceTensor(
      gradient, dimension: pad.axis, start: max(0, pad.left), length: kept, name: pad.name)
    var result = place(center, at: cropLeft, pad)
    guard mode != .constant else { return result }
    if pad.left > 0 {
      let part = sliceTensor(
        gradient, dimension: pad.axis, start: 0, length: pad.left, name: pad.name)
      // Reflection leaves the edge itself out.
      result = addition(
        result, source(part, mode, at: mode == .reflect ? 1 : 0, edge: 0, pad), name: pad.name)
    }
    if pad.right > 0 {
      let part = sliceTensor(
        gradient, dimension: pad.axis, start: max(0, pad.left) + kept, length: pad.right,
        name: pad.name)
      let first = pad.size - pad.right - (mode == .reflect ? 1 : 0)
      result = addition(
        result, source(part, mode, at: first, edge: pad.size - 1, pad), name: pad.name)
    }
    return result
  }

  private func source(
    _ part: MPSGraphTensor, _ mode: PadMode, at start: Int, edge: Int, _ pad: AxisPadding
  ) -> MPSGraphTensor {
    if mode == .edge {
      let sum = value(.reduce(.sum, axes: [pad.axis]), [part], name: pad.name)
      return place(sum, at: edge, pad)
    }
    return place(value(.reverse(axes: [pad.axis]), [part], name: pad.name), at: start, pad)
  }

  /// Zeros around a part, up to the size of the source.
  private func place(_ part: MPSGraphTensor, at start: Int, _ pad: AxisPadding) -> MPSGraphTensor {
    let length = dims(part, method: #function)[pad.axis]
    if length == pad.size { return part }
    var left = [Int](repeating: 0, count: rank(part, method: #function))
    var right = left
    left[pad.axis] = start
    right[pad.axis] = pad.size - start - length
    return value(
      .pad(.constant, left: left, right: right, value: 0), [part], name: pad.name)
  }
}
