import CKernels
import MetalPerformanceShaders

extension Lowering {
  /// Elementwise operations, as items whose inputs have the output's shape.
  mutating func lowerElementwise(_ node: GraphSlice.Node) -> Operand? {
    let kind: Item.Kind
    switch node.kind {
    case .unary(let op): kind = .unary(op)
    case .binary(let op): kind = .binary(op)
    case .select: kind = .select
    case .clamp: kind = .clamp
    case .cast: kind = .cast
    case .reinterpretCast: return reinterpret(node)
    default: return nil
    }
    let output = node.outputs[0]
    let shape = shape(output)
    let dtype = types[Int(output)].dtype.kernelType
    let inputs = node.inputs.map { broadcast(operand($0), to: shape) }
    if let value = splatResult(kind, inputs, dtype) { return splat(value, shape, dtype) }
    return add(kind, inputs, shape, dtype)
  }

  func broadcast(_ operand: Operand, to shape: [Int]) -> Operand {
    Operand(root: operand.root, dtype: operand.dtype, view: operand.view.broadcast(to: shape))
  }

  /// 32-bit values read as another type; other sizes are a copy of bytes.
  private mutating func reinterpret(_ node: GraphSlice.Node) -> Operand? {
    let input = operand(node.inputs[0])
    let dtype = types[Int(node.outputs[0])].dtype.kernelType
    if dtype == input.dtype { return input }
    let classes = (input.dtype.computeClass, dtype.computeClass)
    if input.dtype.bytes == 4, dtype.bytes == 4, classes.0 != classes.1 {
      return add(.bitcast, [input], input.view.shape, dtype)
    }
    return nil
  }

  /// The value of an operation on splats, computed as the kernels would: only for float32, and only
  /// where Double arithmetic rounded once gives the same.
  private func splatResult(_ kind: Item.Kind, _ inputs: [Operand], _ dtype: ck_dtype) -> Double? {
    var values: [Double] = []
    for input in inputs {
      guard case .splat(let value) = roots[Int(input.root)].source else { return nil }
      values.append(value)
    }
    switch kind {
    case .cast where dtype == CK_F32 && inputs[0].dtype.isFloating: return Double(Float(values[0]))
    case .unary(.negative) where dtype == CK_F32: return -values[0]
    case .binary(let op) where dtype == CK_F32:
      let (a, b) = (Float(values[0]), Float(values[1]))
      switch op {
      case .add: return Double(a + b)
      case .subtract: return Double(a - b)
      case .multiply: return Double(a * b)
      case .divide: return Double(a / b)
      default: return nil
      }
    default: return nil
    }
  }

  /// Reductions, and what is built from them.
  mutating func lowerReduction(_ node: GraphSlice.Node) -> Operand? {
    let output = node.outputs[0]
    let dtype = types[Int(output)].dtype.kernelType
    switch node.kind {
    case .reduce(let op, let axes):
      let input = operand(node.inputs[0])
      if axes.allSatisfy({ input.view.shape[$0] == 1 }) {
        return op == .and || op == .or
          ? add(.cast, [input], input.view.shape, dtype) : input
      }
      return add(.reduce(op, axes: axes), [input], shape(output), dtype)
    case .argReduce(let largest, let axis):
      let input = operand(node.inputs[0])
      if input.view.shape[axis] == 1 { return splat(0, shape(output), dtype) }
      return add(.argReduce(largest: largest, axes: [axis]), [input], shape(output), dtype)
    case .softMax(let axis):
      let input = operand(node.inputs[0])
      let result = softMax(input, axis)
      return dtype == CK_F32 ? result : add(.cast, [result], input.view.shape, dtype)
    case .softMaxGradient(let axis):
      // s * (g - sum(s * g)), in float32 and rounded once.
      let shape = shape(output)
      let gradient = float(broadcast(operand(node.inputs[0]), to: shape))
      let weights = softMax(broadcast(operand(node.inputs[1]), to: shape), axis)
      let weighted = add(.binary(.multiply), [gradient, weights], shape, CK_F32)
      let total = reduced(.sum, weighted, axis)
      let centred = add(
        .binary(.subtract), [gradient, broadcast(total, to: shape)], shape, CK_F32)
      let result = add(.binary(.multiply), [weights, centred], shape, CK_F32)
      return dtype == CK_F32 ? result : add(.cast, [result], shape, dtype)
    default: return nil
    }
  }

  private mutating func float(_ operand: Operand) -> Operand {
    operand.dtype == CK_F32 ? operand : add(.cast, [operand], operand.view.shape, CK_F32)
  }

  private mutating func reduced(_ op: ReduceOp, _ operand: Operand, _ axis: Int) -> Operand {
    var shape = operand.view.shape
    if shape[axis] == 1 { return operand }
    shape[axis] = 1
    return add(.reduce(op, axes: [axis]), [operand], shape, CK_F32)
  }

  /// In float32: exp(x - max) / sum.
  private mutating func softMax(_ input: Operand, _ axis: Int) -> Operand {
    let shape = input.view.shape
    let source = float(input)
    let largest = reduced(.maximumNaN, source, axis)
    let shifted = add(
      .binary(.subtract), [source, broadcast(largest, to: shape)], shape, CK_F32)
    let raised = add(.unary(.exponent), [shifted], shape, CK_F32)
    let total = reduced(.sum, raised, axis)
    return add(.binary(.divide), [raised, broadcast(total, to: shape)], shape, CK_F32)
  }
}
