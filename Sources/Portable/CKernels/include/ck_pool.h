// Two-dimensional pooling and its gradients.
#ifndef CK_POOL_H
#define CK_POOL_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CK_POOL_MAX = 0, CK_POOL_AVERAGE = 1, CK_POOL_L2 = 2 } ck_pool_mode;

/// Window of result position y covers source rows y * stride_y - pad_top + ky * dilation_y for ky in
/// 0 ..< kernel_y; likewise for columns. The caller computes the result's size, so ceil mode needs no
/// flag; positions outside the source are skipped.
///
/// max: NaN wins, ties go to the first; a window wholly outside gives -inf (the smallest integer) and
/// index 0. average: divides by the positions inside the source or, if `counts_padding`, by those
/// inside the source padded by pad_top, pad_bottom, pad_left, pad_right (a window wholly outside
/// gives 0). l2: the square root of the sum of squares.
///
/// All operand strides are over {n, c, y, x}, which says NCHW or NHWC. Integers compute in their own
/// class for max, in float32 else; half types compute in float32.
///
/// `indices` (CK_I32, absent if ref.slot < 0; max only) gets, per result element, the dot product of
/// index_stride {n, c, y, x} with the winner's position {n, c, y, x} in the source, or, if
/// `local_indices`, with {0, 0, ky, kx}. So "flat over the last two dimensions" of NCHW is
/// {0, 0, width, 1} globally and {0, 0, kernel_x, 1} locally.
typedef struct {
  ck_pool_mode mode;
  int64_t batch, channels;
  int64_t source_height, source_width, result_height, result_width;
  int64_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x;
  int64_t pad_top, pad_bottom, pad_left, pad_right;
  bool counts_padding;
  bool local_indices;
  int64_t index_stride[4];
  ck_operand source;
  ck_operand result;
  ck_operand indices;
} ck_pool_params;
void ck_pool(const void *params, void *const *slots);

/// Gradient with respect to the source, which is overwritten with the sum over windows. max: to the
/// winner, found again as ck_pool finds it; average: an equal share to each position inside; l2:
/// gradient * source / result, 0 where the result is 0.
///
/// `pool` describes the forward step: its source is read by max and l2, its result and indices are
/// not. `gradient` has the result's shape, `source_gradient` the source's; strides {n, c, y, x};
/// floating types, computed in float32.
typedef struct {
  ck_pool_params pool;
  ck_operand gradient;
  ck_operand source_gradient;
} ck_pool_gradient_params;
void ck_pool_gradient(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
