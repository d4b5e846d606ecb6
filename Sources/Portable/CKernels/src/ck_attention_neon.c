// The attention bodies for NEON.
#if defined(__aarch64__)
#include <arm_neon.h>
#include <math.h>
#include <string.h>

#include "ck_attention_internal.h"
#include "ck_half.h"

#define CK_SIMD_NEON
#include "ck_simd.h"
#include "ck_attention_body.inc"

const ck_attention_ops ck_attention_ops_neon = {
  .load = load,
  .store = store,
  .mask = mask,
  .softmax = softmax,
  .weights = weights,
  .row_dots = row_dots,
};
#endif
