// The gemm bodies for NEON.
#if defined(__aarch64__)
#include <arm_neon.h>
#include <string.h>

#include "ck_gemm_internal.h"
#include "ck_half.h"
#include "ck_threads.h"

#define CK_SIMD_NEON
#define MR 8
#define NV 3
#include "ck_simd.h"
// In this order: each uses what the earlier ones define.
#include "ck_gemm_micro.inc"
#include "ck_gemm_pack.inc"
#include "ck_gemm_block.inc"
#include "ck_gemm_small.inc"

const ck_gemm_ops ck_gemm_ops_neon = {
  .mr = MR,
  .nr = NR,
  .block = block,
  .tiny = tiny,
  .finish = finish,
  .pack = pack,
  .small = {small_multiply, small_pack_left, small_pack_right, small_dots},
};
#endif
