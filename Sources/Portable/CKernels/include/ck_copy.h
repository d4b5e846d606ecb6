// Moving elements: strided copies with conversion, fills and padding.
//
// Conversions, here and in every kernel that stores a type other than the one it computed in:
// float to integer truncates, saturates, and takes NaN to 0; integer to integer keeps the low bits;
// anything to bool is `!= 0`; to float16 and bfloat16 rounds to nearest even.
#ifndef CK_COPY_H
#define CK_COPY_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// result[i] = convert(source[i]) over `shape`. Serves cast, transpose, broadcast, slice, reverse,
/// tile and (one copy per input) concatenation. Any strides, negative and 0 included, but the
/// result's elements must be distinct. The operands must not overlap unless they are the same
/// elements in the same order with types of the same size.
typedef struct {
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
  ck_operand source;
  ck_operand result;
} ck_copy_params;
void ck_copy(const void *params, void *const *slots);

/// result[i] = convert(value) over `shape`; `value` counts as float64.
typedef struct {
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
  double value;
  ck_operand result;
} ck_fill_params;
void ck_fill(const void *params, void *const *slots);

typedef enum {
  CK_PAD_CONSTANT = 0,
  CK_PAD_REFLECT = 1,    // the edge is not repeated: 2 1 | 0 1 2
  CK_PAD_SYMMETRIC = 2,  // the edge is repeated: 1 0 | 0 1 2
  CK_PAD_EDGE = 3,
  CK_PAD_PERIODIC = 4,
} ck_pad_mode;

/// Pads `source` of shape `shape`; the result has shape[d] + left[d] + right[d] elements per
/// dimension. Negative amounts crop. The reflecting and periodic modes accept paddings wider than the
/// source (they go on reflecting). Types may differ (converted); result strides as in ck_copy. An
/// empty source gives `value` everywhere in every mode.
typedef struct {
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
  int64_t left[CK_MAX_RANK];
  int64_t right[CK_MAX_RANK];
  ck_pad_mode mode;
  double value;
  ck_operand source;
  ck_operand result;
} ck_pad_params;
void ck_pad(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
