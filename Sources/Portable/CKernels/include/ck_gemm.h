// Matrix multiplication: C[M,N] = A[M,K] · B[K,N], batched, over strided operands.
#ifndef CK_GEMM_H
#define CK_GEMM_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CK_GEMM_BATCH 4

/// A matrix, or a batch of them. `row`, `col` and `batch` are strides in elements: `row` steps to
/// the next row, `col` to the next column. A transposed operand has them exchanged. One of the two
/// should be 1; anything else is correct but is copied first. Batch strides are 0 where the
/// operand is broadcast. Strides may be negative. C's strides must not make elements coincide.
typedef struct {
  ck_ref ref;
  ck_dtype dtype;
  int64_t row;
  int64_t col;
  int64_t batch[CK_GEMM_BATCH];
} ck_matrix;

/// A vector with an element stride, 0 for one value everywhere; absent when `ref.slot < 0`.
typedef struct {
  ck_ref ref;
  ck_dtype dtype;
  int64_t stride;
} ck_gemm_vector;

/// Called on finished float32 blocks of C that are still in cache: rows row0 ..< row0 + rows and
/// columns col0 ..< col0 + cols of the matrix with flat index `batch`. c[r * ldc + j] is the
/// element (row0 + r, col0 + j). Bias and relu have been applied. What it leaves in `c` becomes C
/// (converted on store when C is a half type). Runs on several threads at once, on disjoint
/// blocks, each element exactly once.
typedef void (*ck_gemm_epilogue)(
  const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
  int64_t rows, int64_t col0, int64_t cols);

/// Floating operands (any mix of f32, f16, bf16) accumulate in float32. When C is an integer type
/// or bool, all operands are integers; sums wrap in int32 (int64 when C is 64-bit or u32),
/// and vectors, relu and the epilogue hook are not allowed.
///
/// C must not overlap A or B. K == 0 gives zeros (then bias, relu, hook).
typedef struct {
  int64_t m, n, k;
  /// Batch extents, outermost first; unused ones are 1. The flat batch index counts them row-major.
  int64_t batch[CK_GEMM_BATCH];
  ck_matrix a, b, c;
  /// The slot of B's packed form (ck_gemm_pack), or -1. When slots[packed_slot] is not NULL, B
  /// itself is not read (its slot may hold NULL). Allowed only when B has no batch strides.
  int32_t packed_slot;
  ck_dtype packed_dtype;
  /// One value per column (bias of a linear layer) and one per row; added before relu.
  ck_gemm_vector bias_col;
  ck_gemm_vector bias_row;
  bool relu;
  /// Optional hook and its parameter block.
  ck_gemm_epilogue epilogue;
  const void *epilogue_params;
} ck_gemm_params;

/// The step kernel; `params` is a ck_gemm_params.
void ck_gemm(const void *params, void *const *slots);

/// Bytes of the packed form of a [k, n] matrix; `dtype` is f32, or f16 / bf16 to keep it half-size
/// (numerically the same as reading half weights). The form depends on k, n, dtype and the
/// instruction set, not on M, and is meaningful only in this process.
int64_t ck_gemm_pack_size(int64_t k, int64_t n, ck_dtype dtype);

/// Packs B (element type `b_dtype`, strides in elements) into `packed`: 64-byte aligned memory of
/// ck_gemm_pack_size bytes. Runs in parallel.
void ck_gemm_pack(
  const void *b, ck_dtype b_dtype, int64_t row_stride, int64_t col_stride, int64_t k, int64_t n,
  void *packed, ck_dtype packed_dtype);

#ifdef __cplusplus
}
#endif
#endif
