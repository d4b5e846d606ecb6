// Between the gemm driver (splits work) and the bodies compiled per instruction set.
#ifndef CK_GEMM_INTERNAL_H
#define CK_GEMM_INTERNAL_H

#include "ck_gemm.h"
#include "ck_internal.h"

/// A matrix with its address resolved; strides in elements.
typedef struct {
  const char *base;
  ck_dtype dtype;
  int64_t row, col;
} ck_gemm_matrix;

/// One product of the batch.
typedef struct {
  int64_t m, n, k;
  ck_gemm_matrix a, b;
  char *c;
  ck_dtype c_dtype;
  int64_t c_row, c_col;
  const void *packed;  // B's packed form, or NULL
  ck_dtype packed_dtype;
  int64_t panel_stride;    // elements from one packed panel to the next
  const float *col_bias;   // contiguous, or NULL
  const float *row_bias;   // contiguous, or NULL
  bool relu;
  ck_gemm_epilogue epilogue;
  const void *epilogue_params;
  void *const *slots;  // for the hook, as is
  int64_t batch;       // the flat index
} ck_gemm_job;

/// The right operand of `multiply`: panels of nr columns, padded with readable memory.
typedef struct {
  const float *base;
  int64_t panel;  // floats from panel to panel
  int64_t row;    // floats from row to row of a panel: nr when packed, more when read in place
} ck_gemm_right;

/// Small products for other kernel families (attention), on the calling thread.
typedef struct {
  /// c[rows, cols] (+)= a · b. With a_row == 0, `a` comes from pack_left.
  void (*multiply)(
    const float *a, int64_t a_row, int64_t rows, ck_gemm_right b, int64_t cols, int64_t k,
    float *c, int64_t ldc, bool accumulate);
  /// Element (i, k) is src[i * si + k * sk]; `out` holds ceil(rows / mr) * mr * k floats.
  void (*pack_left)(const float *src, int64_t si, int64_t sk, int64_t rows, int64_t k, float *out);
  /// Element (k, j) is src[j * sj + k * sk]; `out` holds ceil(cols / nr) * nr * k floats, one panel
  /// after the other.
  void (*pack_right)(
    const void *src, ck_dtype t, int64_t sj, int64_t sk, int64_t cols, int64_t k, float *out);
  /// c[i, j] = a[i] · b[j] for at most 4 rows; both have adjacent elements.
  void (*dots)(
    const float *a, int64_t lda, int64_t rows, const void *b, ck_dtype t, int64_t ldb, int64_t k,
    float *c, int64_t ldc, int64_t n);
} ck_gemm_small_ops;

typedef struct {
  int64_t mr, nr;  // the register tile
  /// Computes rows m0 ..< m1 and columns n0 ..< n1, epilogue included, on the calling thread.
  /// n0 is a multiple of nr. The bits of an element do not depend on the region.
  void (*block)(const ck_gemm_job *, int64_t m0, int64_t m1, int64_t n0, int64_t n1);
  /// A whole product of a few thousand multiplications, all float32, C's columns adjacent.
  void (*tiny)(const ck_gemm_job *);
  /// Bias, relu, hook and store of finished sums: rows m0 ..< m1, all columns.
  void (*finish)(const ck_gemm_job *, float *sums, int64_t m0, int64_t m1);
  /// Packs panels p0 ..< p1 of B.
  void (*pack)(
    const ck_gemm_matrix *b, int64_t k, int64_t n, int64_t p0, int64_t p1, void *packed,
    ck_dtype packed_dtype);
  ck_gemm_small_ops small;
} ck_gemm_ops;

extern const ck_gemm_ops ck_gemm_ops_base;
#if defined(__x86_64__)
extern const ck_gemm_ops ck_gemm_ops_avx2, ck_gemm_ops_avx512;
#elif defined(__aarch64__)
extern const ck_gemm_ops ck_gemm_ops_neon;
#endif
const ck_gemm_ops *ck_gemm_ops_current(void);

/// Rows m0 ..< m1 of a product of integers and bools.
void ck_gemm_integer(const ck_gemm_job *job, int64_t m0, int64_t m1);

/// Scratch slots of this family.
enum {
  CK_GEMM_SCRATCH_A = CK_SCRATCH_GEMM,
  CK_GEMM_SCRATCH_B,
  CK_GEMM_SCRATCH_C,
  CK_GEMM_SCRATCH_JOB,
};

#endif
