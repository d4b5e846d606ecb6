import CKernels
import MetalPerformanceShaders

extension Lowering {
  /// Leaves, and operations that only re-arrange elements.
  mutating func lowerView(_ node: GraphSlice.Node) -> Operand? {
    let output = node.outputs[0]
    let dtype = types[Int(output)].dtype.kernelType
    switch node.kind {
    case .placeholder: return operand(output)
    case .constant(let bytes):
      retained.append(bytes)
      return addWhole(.constant(bytes.buffer), shape(output), dtype)
    case .splat(let value): return splat(value, shape(output), dtype)
    case .coordinate(let axis): return coordinate(axis, shape(output), dtype)
    case .variable(let state): return addWhole(.variable(state), shape(output), dtype)
    case .concat(let axis, let interleave): return concat(node, axis, interleave)
    default: break
    }
    guard let first = node.inputs.first else { return nil }
    let input = operand(first)
    switch node.kind {
    case .unary(.identity): return input
    // A copy, since an assignment may follow.
    case .readVariable: return addNew(.copy, [input], input.view.shape, dtype)
    case .cast where input.dtype == dtype: return input
    case .reshape, .reshapeTo, .expandDims, .squeeze, .flatten2D:
      return reshape(input, to: shape(output))
    case .transpose(let permutation): return view(input) { $0.transposed(permutation) }
    case .broadcast, .broadcastTo: return broadcast(input, to: shape(output))
    case .reverse(let axes): return view(input) { $0.reversed(axes) }
    case .slice(let spec):
      return reshape(view(input) { $0.sliced(Self.ranges(spec, input)) }, to: shape(output))
    case .tile(let multipliers): return tile(input, multipliers, shape(output))
    default: return nil
    }
  }

  private func view(_ operand: Operand, _ change: (StridedView) -> StridedView) -> Operand {
    Operand(root: operand.root, dtype: operand.dtype, view: change(operand.view))
  }

  /// A vector 0, 1, 2, ... seen along one axis.
  private mutating func coordinate(_ axis: Int, _ shape: [Int], _ dtype: ck_dtype) -> Operand {
    let root = indices(shape[axis])
    var strides = [Int](repeating: 0, count: shape.count)
    if shape[axis] > 1 { strides[axis] = 1 }
    let indices = Operand(
      root: root, dtype: CK_I32, view: StridedView(offset: 0, shape: shape, strides: strides))
    return dtype == CK_I32 ? indices : add(.cast, [indices], shape, dtype)
  }

  /// Every axis of the source, preceded by an axis that repeats it.
  private mutating func tile(_ input: Operand, _ multipliers: [Int], _ shape: [Int]) -> Operand {
    if multipliers.allSatisfy({ $0 == 1 }) { return input }
    var repeated = input
    repeated.view.shape = []
    repeated.view.strides = []
    for (axis, multiplier) in multipliers.enumerated() {
      repeated.view.shape += [multiplier, input.view.shape[axis]]
      repeated.view.strides += [0, input.view.strides[axis]]
    }
    return reshape(repeated, to: shape)
  }

  /// The part of an operand that a slice is; its ranges were checked with the shapes.
  static func ranges(_ spec: SliceSpec, _ operand: Operand) -> [SliceRange] {
    (try? spec.ranges(of: operand.view.shape)) ?? []
  }

  /// One item per concatenation; the planner lets inputs be written in place where it can.
  private mutating func concat(
    _ node: GraphSlice.Node, _ axis: Int, _ interleave: Bool
  ) -> Operand? {
    let output = node.outputs[0]
    let inputs = node.inputs.map { operand($0) }.filter { $0.view.count > 0 }
    if inputs.count == 1, inputs[0].view.shape == shape(output) { return inputs[0] }
    let dtype = types[Int(output)].dtype.kernelType
    if !interleave { return concatenated(inputs, axis, shape(output), dtype, for: output) }
    return add(
      .kernel(.concat(axis: axis, interleave: interleave)), inputs, shape(output), dtype)
  }
}
