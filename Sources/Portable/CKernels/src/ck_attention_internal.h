// Between the attention drivers and the bodies compiled per instruction set.
#ifndef CK_ATTENTION_INTERNAL_H
#define CK_ATTENTION_INTERNAL_H

#include "ck_attention.h"

/// Scores of a block: rows of consecutive queries, columns of consecutive keys. Row r attends to
/// its first `visible + r` columns only (causal); the others, and no NaN from them, count.
typedef struct {
  float *values;  // [rows, stride]
  int64_t stride;
  int64_t rows, cols;
  int64_t visible;  // >= cols where nothing is hidden
} ck_scores;

typedef struct {
  /// Two-dimensional strided source to float32 rows: out[r * ldo + j] = scale * src(r, j), and zeros
  /// for cols ..< ldo.
  void (*load)(
    const void *src, ck_dtype t, int64_t row, int64_t col, int64_t rows, int64_t cols, float scale,
    float *out, int64_t ldo);
  /// src[r * lds + j] * scale to a strided destination.
  void (*store)(
    const float *src, int64_t lds, int64_t rows, int64_t cols, float scale, void *out, ck_dtype t,
    int64_t row, int64_t col);
  /// Adds an additive mask, or puts -inf where a bool one is False.
  void (*mask)(ck_scores s, const void *mask, ck_dtype t, int64_t row, int64_t col);
  /// Online softmax: replaces scores by exp(score - highest) and hidden ones by 0; updates each row's
  /// highest score and sum, and rescales its output so far [rows, ldo].
  void (*softmax)(ck_scores s, float *highest, float *sum, float *out, int64_t ldo, int64_t dv);
  /// Replaces scores by weights p = exp(score - lse), and `grads` (the weights' gradients, same
  /// layout) by the scores' gradients p * (grad - delta); hidden ones by 0.
  void (*weights)(ck_scores s, float *grads, const float *lse, const float *delta);
  /// out[r] = sum over j of a(r, j) * b(r, j), dense rows.
  void (*row_dots)(
    const float *a, const float *b, int64_t ld, int64_t rows, int64_t cols, float *out);
} ck_attention_ops;

extern const ck_attention_ops ck_attention_ops_base;
#if defined(__x86_64__)
extern const ck_attention_ops ck_attention_ops_avx2, ck_attention_ops_avx512;
#elif defined(__aarch64__)
extern const ck_attention_ops ck_attention_ops_neon;
#endif
const ck_attention_ops *ck_attention_ops_current(void);

#endif
