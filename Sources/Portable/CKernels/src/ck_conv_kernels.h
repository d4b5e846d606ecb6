// The inner loops of convolution, one set per instruction set.
#ifndef CK_CONV_KERNELS_H
#define CK_CONV_KERNELS_H

#include "../include/ck_common.h"

#define CK_CONV_MAX_ROWS 8

/// A tile of results: for its rows r and columns j,
///   c[r * ldc + j] = bias[j] + sum over t < taps, k < depth of
///                    rows[t * R + r][offset + k] * weights[weights_at[t] + k * width + j]
/// with R the set's `rows` and width its lanes times the kernel's vectors.
typedef struct {
  int64_t taps, depth, offset;
  const float *const *rows;
  const int64_t *weights_at;
  const float *weights;
  const float *bias;  // `width` values, or NULL
  bool relu;
  float *c;
  int64_t ldc;
  int64_t valid_rows, valid_columns;  // what of the tile is stored
} ck_conv_tile;

typedef struct {
  int64_t rows, lanes;
  /// Indexed by the number of vectors in a row of the tile, less 1.
  void (*tile[2])(const ck_conv_tile *tile);
  /// d[m * ldd + j] += sum over p < count of x[p][offset + m] * g[p * width + j]; indexed by vectors
  /// less 1 and number of m less 1.
  void (*outer[2][CK_CONV_MAX_ROWS])(int64_t count, const float *const *x, int64_t offset,
                                     const float *g, float *d, int64_t ldd);
  /// c[i] = bias + sum over t of rows[t][i] * weights[t][i], or * weights[t][0].
  void (*depthwise_channels)(int64_t count, int64_t taps, const float *const *rows,
                             const float *const *weights, const float *bias, bool relu, float *c);
  void (*depthwise_columns)(int64_t count, int64_t taps, const float *const *rows,
                            const float *const *weights, const float *bias, bool relu, float *c);
  /// d[i] += x[i] * g[i].
  void (*multiply_add)(int64_t count, const float *x, const float *g, float *d);
  /// The sum of x[r * x_row + i] * g[r * g_row + i] over r < rows, i < count. Rows must be readable up
  /// to a whole number of vectors.
  float (*dot)(int64_t rows, int64_t count, const float *x, int64_t x_row, const float *g, int64_t g_row);
} ck_conv_kernels;

const ck_conv_kernels *ck_conv_kernels_current(void);

#endif
