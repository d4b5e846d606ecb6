import CKernels

extension Emitter {
  func emitAttention(_ item: Item, _ scale: Float, _ isCausal: Bool) {
    let params = arena.allocate(ck_attention_params.self)
    params.pointee.shape = shape(
      item, scale, isCausal, mask: item.inputs.count > 3 ? item.inputs[3] : nil)
    params.pointee.o = tensor4(item.outputs[0])
    params.pointee.lse.slot = -1
    if item.outputs.count > 1, plan.isStored[Int(item.outputs[1])] {
      params.pointee.lse = memory(item.outputs[1]).ref
    }
    step(
      ck_attention, UnsafeRawPointer(params),
      note(item, isCausal ? "attention-causal" : "attention"))
  }

  func emitAttentionGradient(_ item: Item, _ scale: Float, _ isCausal: Bool, _ hasMask: Bool) {
    let params = arena.allocate(ck_attention_backward_params.self)
    let rest = hasMask ? 4 : 3
    params.pointee.shape = shape(item, scale, isCausal, mask: hasMask ? item.inputs[3] : nil)
    params.pointee.o = tensor4(item.inputs[rest])
    params.pointee.lse = memory(item.inputs[rest + 1]).ref
    params.pointee.grad_o = tensor4(item.inputs[rest + 2])
    params.pointee.grad_q = tensor4(item.outputs[0])
    params.pointee.grad_k = tensor4(item.outputs[1])
    params.pointee.grad_v = tensor4(item.outputs[2])
    step(
      ck_attention_backward, UnsafeRawPointer(params),
      note(item, isCausal ? "attention-causal-gradient" : "attention-gradient"))
  }

  private func shape(
    _ item: Item, _ scale: Float, _ isCausal: Bool, mask: Operand?
  ) -> ck_attention_shape {
    let query = item.inputs[0].view.shape
    var shape = ck_attention_shape()
    shape.batch = Int64(query[0])
    shape.heads = Int64(query[1])
    shape.lq = Int64(query[2])
    shape.d = Int64(query[3])
    shape.lk = Int64(item.inputs[1].view.shape[2])
    shape.dv = Int64(item.inputs[2].view.shape[3])
    shape.q = tensor4(item.inputs[0])
    shape.k = tensor4(item.inputs[1])
    shape.v = tensor4(item.inputs[2])
    shape.mask.ref.slot = -1
    if let mask { shape.mask = tensor4(mask) }
    shape.causal = isCausal
    shape.scale = scale
    return shape
  }

  private func tensor4(_ operand: Operand) -> ck_tensor4 {
    let (ref, view) = memory(operand)
    var result = ck_tensor4()
    result.ref = ref
    result.dtype = operand.dtype
    setArray(&result.stride, view.strides)
    return result
  }

  /// A result over [batch, heads, length, depth], which may lie with heads inside positions.
  private func tensor4(_ root: Int32) -> ck_tensor4 {
    var operand = plan.lowering.whole(root)
    if self.root(root).isSwapped { operand.view = operand.view.transposed([0, 2, 1, 3]) }
    return tensor4(operand)
  }
}
