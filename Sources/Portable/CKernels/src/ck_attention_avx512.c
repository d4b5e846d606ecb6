// The attention bodies for AVX-512.
#if defined(__x86_64__)
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "ck_attention_internal.h"
#include "ck_half.h"

#if defined(__clang__)
#pragma clang attribute push( \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c")
#endif

#define CK_SIMD_AVX512
#include "ck_simd.h"
#include "ck_attention_body.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const ck_attention_ops ck_attention_ops_avx512 = {
  .load = load,
  .store = store,
  .mask = mask,
  .softmax = softmax,
  .weights = weights,
  .row_dots = row_dots,
};
#endif
