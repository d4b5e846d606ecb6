#include "ck_conv_kernels.h"

#include <string.h>

#include "ck_target.h"

#if defined(__clang__)
#define CK_UNROLL _Pragma("unroll")
#else
#define CK_UNROLL _Pragma("GCC unroll 16")
#endif

#define FOUR(x) x, x, x, x

// 128-bit vectors: SSE2, NEON, anything. Six rows of two leave registers for operands in sixteen.
typedef float vector4 __attribute__((vector_size(16)));
typedef int32_t mask4 __attribute__((vector_size(16)));
#define CK_VECTOR vector4
#define CK_LANES 4
#define CK_MINUS_ONES FOUR(-1)
#define CK_ROWS 6
#define CK_SPLAT(x) ((x) + (vector4){0, 0, 0, 0})
#define CK_FMA(a, b, c) ((a) * (b) + (c))
#define CK_RELU(v) ((vector4)((mask4)(v) & ~((v) < 0.0f)))
#define CK_NAME(x) x##_base
#include "ck_conv_body.h"
#undef CK_VECTOR
#undef CK_LANES
#undef CK_MINUS_ONES
#undef CK_ROWS
#undef CK_SPLAT
#undef CK_FMA
#undef CK_RELU
#undef CK_NAME

#if CK_X86
CK_TARGET_AVX2_BEGIN
#define CK_VECTOR __m256
#define CK_LANES 8
#define CK_MINUS_ONES FOUR(-1), FOUR(-1)
#define CK_ROWS 6
#define CK_SPLAT(x) _mm256_set1_ps(x)
#define CK_FMA(a, b, c) _mm256_fmadd_ps(a, b, c)
#define CK_RELU(v) _mm256_max_ps(_mm256_setzero_ps(), v)
#define CK_NAME(x) x##_avx2
#include "ck_conv_body.h"
#undef CK_VECTOR
#undef CK_LANES
#undef CK_MINUS_ONES
#undef CK_ROWS
#undef CK_SPLAT
#undef CK_FMA
#undef CK_RELU
#undef CK_NAME
CK_TARGET_END

CK_TARGET_AVX512_BEGIN
#define CK_VECTOR __m512
#define CK_LANES 16
#define CK_MINUS_ONES FOUR(-1), FOUR(-1), FOUR(-1), FOUR(-1)
#define CK_ROWS 8
#define CK_SPLAT(x) _mm512_set1_ps(x)
#define CK_FMA(a, b, c) _mm512_fmadd_ps(a, b, c)
#define CK_RELU(v) _mm512_max_ps(_mm512_setzero_ps(), v)
#define CK_NAME(x) x##_avx512
#include "ck_conv_body.h"
#undef CK_NAME
CK_TARGET_END
#endif

const ck_conv_kernels *ck_conv_kernels_current(void) {
#if CK_X86
  switch (ck_isa_current()) {
    case CK_ISA_AVX512: return &kernels_avx512;
    case CK_ISA_AVX2: return &kernels_avx2;
    default: break;
  }
#endif
  return &kernels_base;
}
