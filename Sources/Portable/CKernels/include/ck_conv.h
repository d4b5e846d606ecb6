// Two-dimensional convolution and its gradients: by oneDNN where it is present and serves the shape, else
// by our own loops.
#ifndef CK_CONV_H
#define CK_CONV_H

#include "ck_common.h"
#include "ck_gemm.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The geometry of a convolution, the same for its three forms.
///
/// result[n, o, y, x] = bias[o] + sum over i, ky, kx of weights[o, i, ky, kx]
///   * source[n, g * channels_in / groups + i, y * stride_y - pad_top + ky * dilation_y, (likewise x)]
/// with g = o / (channels_out / groups) and positions outside the source counting as 0. The bottom and
/// right padding follow from the result's size. channels_in and channels_out are totals; both are
/// multiples of groups. channels_out == channels_in * m, groups == channels_in is depthwise.
typedef struct {
  int64_t batch, channels_in, channels_out, groups;
  int64_t source_height, source_width, result_height, result_width;
  int64_t kernel_y, kernel_x;
  int64_t stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_left;
} ck_conv2d_shape;

/// Forward. Strides: source and result {n, c, y, x} (so NCHW, NHWC and views alike), weights
/// {o, i, ky, kx} (OIHW or HWIO), i counting within the group; bias {o}. Types: any of float32,
/// float16, bfloat16 per operand, computed in float32 and rounded once.
///
/// Best: source and result NHWC float32 with channel stride 1; NCHW is converted on the way.
/// Absent operands have ref.slot < 0 (bias) or slot < 0 (packed).
typedef struct {
  ck_conv2d_shape shape;
  ck_operand source;
  ck_operand weights;
  ck_operand result;
  ck_operand bias;
  bool relu;
  /// ck_conv2d_pack_size bytes that ck_conv2d_pack filled from these weights, in oneDNN's order where it
  /// serves the convolution, else in our own. The weights operand must stay readable. A NULL slot
  /// counts as absent.
  ck_ref packed;
  /// Optional hook as in ck_gemm.h, on the result seen as one matrix (batch 0): a row per result pixel,
  /// counted over n, y, x with x fastest, and a column per output channel.
  ck_gemm_epilogue epilogue;
  const void *epilogue_params;
} ck_conv2d_params;
void ck_conv2d(const void *params, void *const *slots);

/// Bytes of the packed form of the weights; reads shape, strides and types, not memory.
int64_t ck_conv2d_pack_size(const ck_conv2d_params *params);
/// A step: fills params->packed (64-byte aligned) from params->weights.
void ck_conv2d_pack(const void *params, void *const *slots);

/// Gradient with respect to the source, overwritten: also the transposed convolution. `shape` is the
/// forward convolution's: `gradient` has its result's shape, `source_gradient` its source's. Strides
/// and types as in the forward step. Optional bias {channels_in}, added to the result.
typedef struct {
  ck_conv2d_shape shape;
  ck_operand gradient;
  ck_operand weights;
  ck_operand source_gradient;
  ck_operand bias;
} ck_conv2d_data_gradient_params;
void ck_conv2d_data_gradient(const void *params, void *const *slots);

/// Gradient with respect to the weights, overwritten. Strides of weights_gradient as for weights.
typedef struct {
  ck_conv2d_shape shape;
  ck_operand gradient;
  ck_operand source;
  ck_operand weights_gradient;
} ck_conv2d_weights_gradient_params;
void ck_conv2d_weights_gradient(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
