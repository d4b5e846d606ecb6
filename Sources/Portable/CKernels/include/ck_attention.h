// Scaled dot-product attention and its gradient, blocked: the score matrix is never held.
#ifndef CK_ATTENTION_H
#define CK_ATTENTION_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An operand of four dimensions with strides in elements, 0 where it broadcasts; absent when
/// `ref.slot < 0`. Types: f32, f16, bf16 (bool too for a mask).
typedef struct {
  ck_ref ref;
  ck_dtype dtype;
  int64_t stride[4];
} ck_tensor4;

/// What forward and backward share.
///
/// scores[b,h,i,j] = scale * sum_d q[b,h,i,d] k[b,h,j,d], then the mask: an additive one is added,
/// of a bool one False excludes j. `causal` excludes j > i (aligned top-left when lq != lk) and may
/// be combined with a mask. Excluded positions have weight exactly 0; v must be finite there all the
/// same, as 0 times NaN is NaN.
/// A row that excludes everything (by bool mask, causal or -inf everywhere in the additive mask)
/// gives zeros. NaN propagates.
typedef struct {
  int64_t batch, heads, lq, lk, d, dv;
  ck_tensor4 q;     // [batch, heads, lq, d]
  ck_tensor4 k;     // [batch, heads, lk, d]
  ck_tensor4 v;     // [batch, heads, lk, dv]
  ck_tensor4 mask;  // [batch, heads, lq, lk]; optional; additive unless its dtype is CK_BOOL
  bool causal;
  float scale;
} ck_attention_shape;

typedef struct {
  ck_attention_shape shape;
  ck_tensor4 o;  // [batch, heads, lq, dv], any strides and floating type
  /// Optional (slot < 0: absent): float32 [batch, heads, lq], contiguous: the log of the sum of
  /// exp(scores), which the backward step needs. -inf for a row that excludes everything.
  ck_ref lse;
} ck_attention_params;

/// The step kernel; `params` is a ck_attention_params.
void ck_attention(const void *params, void *const *slots);

typedef struct {
  ck_attention_shape shape;
  ck_tensor4 o;       // what forward gave, [batch, heads, lq, dv]
  ck_tensor4 grad_o;  // [batch, heads, lq, dv]
  ck_ref lse;         // what forward gave
  /// Gradients, of their operands' shapes, any floating type; absent ones are not computed. They
  /// have no zero strides: where k or v was broadcast, the caller reduces afterwards.
  ck_tensor4 grad_q, grad_k, grad_v;
} ck_attention_backward_params;

/// The step kernel; `params` is a ck_attention_backward_params. The mask gets no gradient.
void ck_attention_backward(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
