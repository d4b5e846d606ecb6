// The gemm bodies for AVX2.
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "ck_gemm_internal.h"
#include "ck_half.h"
#include "ck_threads.h"

#if defined(__clang__)
#pragma clang attribute push( \
  __attribute__((target("avx2,fma,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
#endif

#define CK_SIMD_AVX2
#define MR 6
#define NV 2
#include "ck_simd.h"
// In this order: each uses what the earlier ones define.
#include "ck_gemm_micro.inc"
#include "ck_gemm_pack.inc"
#include "ck_gemm_block.inc"
#include "ck_gemm_small.inc"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const ck_gemm_ops ck_gemm_ops_avx2 = {
  .mr = MR,
  .nr = NR,
  .block = block,
  .tiny = tiny,
  .finish = finish,
  .pack = pack,
  .small = {small_multiply, small_pack_left, small_pack_right, small_dots},
};
#endif
