#include "../include/ck_conv.h"

#include <string.h>

#include "../include/ck_onednn.h"
#include "ck_conv_plan.h"

ck_conv_plan ck_conv_forward_plan(const ck_conv2d_shape *s) {
  return (ck_conv_plan){
    .batch = s->batch,
    .groups = s->groups,
    .depth = s->channels_in / s->groups,
    .columns = s->channels_out / s->groups,
    .rows = {s->source_height, s->result_height, s->kernel_y, s->stride_y, -s->pad_top, s->dilation_y, 1},
    .cols = {s->source_width, s->result_width, s->kernel_x, s->stride_x, -s->pad_left, s->dilation_x, 1},
  };
}

ck_conv_plan ck_conv_backward_plan(const ck_conv2d_shape *s) {
  return (ck_conv_plan){
    .batch = s->batch,
    .groups = s->groups,
    .depth = s->channels_out / s->groups,
    .columns = s->channels_in / s->groups,
    .rows = {s->result_height, s->source_height, s->kernel_y, 1, s->pad_top, -s->dilation_y, s->stride_y},
    .cols = {s->result_width, s->source_width, s->kernel_x, 1, s->pad_left, -s->dilation_x, s->stride_x},
  };
}

static void set_operands(ck_conv_plan *p, const ck_operand *source, const ck_operand *weights,
                         const ck_operand *result, const ck_operand *bias, void *const *slots) {
  p->source = ck_at(slots, source->ref);
  p->source_type = source->dtype;
  memcpy(p->source_stride, source->stride, sizeof p->source_stride);
  p->result = ck_at(slots, result->ref);
  p->result_type = result->dtype;
  memcpy(p->result_stride, result->stride, sizeof p->result_stride);
  p->weights.base = ck_at(slots, weights->ref);
  p->weights.dtype = weights->dtype;
  p->weights.y = weights->stride[2];
  p->weights.x = weights->stride[3];
  p->bias = bias->ref.slot < 0 ? NULL : ck_at(slots, bias->ref);
  p->bias_type = bias->dtype;
  p->bias_stride = bias->stride[0];
  p->slots = slots;
}

static void run(const ck_conv_plan *p) {
  if (ck_conv_is_depthwise(p)) ck_conv_depthwise(p); else ck_conv_tiles(p);
}

static ck_conv_matrix forward_weights(
  const ck_conv_plan *plan, const ck_conv2d_params *p, void *const *slots) {
  return (ck_conv_matrix){
    .base = ck_at(slots, p->weights.ref),
    .dtype = p->weights.dtype,
    .group = plan->columns * p->weights.stride[0],
    .depth = p->weights.stride[1],
    .column = p->weights.stride[0],
    .y = p->weights.stride[2],
    .x = p->weights.stride[3],
  };
}

static ck_conv_plan forward(const ck_conv2d_params *p, void *const *slots) {
  ck_conv_plan plan = ck_conv_forward_plan(&p->shape);
  set_operands(&plan, &p->source, &p->weights, &p->result, &p->bias, slots);
  plan.weights = forward_weights(&plan, p, slots);
  plan.relu = p->relu;
  plan.epilogue = p->epilogue;
  plan.epilogue_params = p->epilogue_params;
  return plan;
}

void ck_conv2d(const void *params, void *const *slots) {
  const ck_conv2d_params *p = params;
  if (ck_onednn_conv2d(p, slots)) return;
  ck_conv_plan plan = forward(p, slots);
  const void *packed = p->packed.slot < 0 || !slots[p->packed.slot] ? NULL : ck_at(slots, p->packed);
  // Weights in oneDNN's order say nothing to our own loops.
  if (packed && !ck_onednn_conv2d_owns(packed)) plan.packed = packed;
  run(&plan);
}

int64_t ck_conv2d_pack_size(const ck_conv2d_params *params) {
  ck_conv_plan plan = ck_conv_forward_plan(&params->shape);
  // At least oneDNN's mark must fit, so that its absence can be read.
  int64_t own = ck_conv_packed_count(&plan) * (int64_t)sizeof(float) + CK_ALIGNMENT;
  int64_t other = ck_onednn_conv2d_pack_size(params);
  return other > own ? other : own;
}

// Only the weights and the packed form need be there: no other slot is read.
void ck_conv2d_pack(const void *params, void *const *slots) {
  const ck_conv2d_params *p = params;
  if (ck_onednn_conv2d_pack(p, slots)) return;
  ck_conv_plan plan = ck_conv_forward_plan(&p->shape);
  plan.weights = forward_weights(&plan, p, slots);
  ck_conv_pack(&plan, ck_at(slots, p->packed));
}

void ck_conv2d_data_gradient(const void *params, void *const *slots) {
  const ck_conv2d_data_gradient_params *p = params;
  if (ck_onednn_conv2d_data_gradient(p, slots)) return;
  ck_conv_plan plan = ck_conv_backward_plan(&p->shape);
  set_operands(&plan, &p->gradient, &p->weights, &p->source_gradient, &p->bias, slots);
  plan.weights.group = plan.depth * p->weights.stride[0];
  plan.weights.depth = p->weights.stride[0];
  plan.weights.column = p->weights.stride[1];
  run(&plan);
}
