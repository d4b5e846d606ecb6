// Integer products are rare (index arithmetic, masks); a plain loop serves them.
#include "ck_gemm_internal.h"

static int64_t load(const char *base, int64_t i, ck_dtype t) {
  const void *p = base + i * ck_size(t);
  switch (t) {
    case CK_I8: return *(const int8_t *)p;
    case CK_U8: case CK_BOOL: return *(const uint8_t *)p;
    case CK_I16: return *(const int16_t *)p;
    case CK_U16: return *(const uint16_t *)p;
    case CK_I32: return *(const int32_t *)p;
    case CK_U32: return *(const uint32_t *)p;
    case CK_I64: case CK_U64: return *(const int64_t *)p;
    case CK_F32: case CK_F16: case CK_BF16: break;
  }
  return 0;
}

static void store(char *base, int64_t i, uint64_t x, ck_dtype t) {
  void *p = base + i * ck_size(t);
  switch (t) {
    case CK_BOOL: *(uint8_t *)p = x != 0; break;
    case CK_I8: case CK_U8: *(uint8_t *)p = (uint8_t)x; break;
    case CK_I16: case CK_U16: *(uint16_t *)p = (uint16_t)x; break;
    case CK_I32: case CK_U32: *(uint32_t *)p = (uint32_t)x; break;
    case CK_I64: case CK_U64: *(uint64_t *)p = x; break;
    case CK_F32: case CK_F16: case CK_BF16: break;
  }
}

void ck_gemm_integer(const ck_gemm_job *job, int64_t m0, int64_t m1) {
  const ck_gemm_matrix *a = &job->a, *b = &job->b;
  for (int64_t i = m0; i < m1; i++)
    for (int64_t j = 0; j < job->n; j++) {
      // Unsigned 64-bit arithmetic wraps, and its low bits are those of every narrower type.
      uint64_t sum = 0;
      for (int64_t k = 0; k < job->k; k++)
        sum += (uint64_t)load(a->base, i * a->row + k * a->col, a->dtype) *
               (uint64_t)load(b->base, k * b->row + j * b->col, b->dtype);
      if (job->c_dtype == CK_BOOL) sum = (uint32_t)sum;
      store(job->c, i * job->c_row + j * job->c_col, sum, job->c_dtype);
    }
}
