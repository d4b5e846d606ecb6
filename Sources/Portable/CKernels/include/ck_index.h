// Gather, scatter, one-hot, band part, non-zero positions.
//
// Indices are int32 or int64 operands. A negative index counts from the end of its dimension. An
// index that is still out of range makes a gather produce 0 and a scatter do nothing; nothing is
// ever read or written out of bounds. The source and the result of a gather, and the data, the
// updates and the result of a scatter, have one common type.
#ifndef CK_INDEX_H
#define CK_INDEX_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// result[b, o, n, i] = source[b, o, indices[b, n], i]
///
/// The general gather(axis, batchDimensions) with its dimensions merged: batch = the product of the
/// batch dimensions, outer = those between them and the axis, extent = the source's axis, inner =
/// those behind it, count = the product of the index dimensions after the batch ones. Strides are
/// over the merged dimensions: source and result {batch, outer, axis, inner}, indices {batch, -,
/// count} (stride[1] is ignored). Fast when source and result have inner stride 1, and with inner = 1.
typedef struct {
  int64_t batch, outer, count, inner;
  int64_t extent;
  ck_operand source;
  ck_operand indices;
  ck_operand result;
} ck_gather_params;
void ck_gather(const void *params, void *const *slots);

/// result[b, n, i] = source[b, indices[b, n, 0], ..., indices[b, n, depth - 1], i]
///
/// extent[j] is the source's size in the j-th indexed dimension. Strides: source {batch, indexed
/// dimensions 0 ..< depth, inner}, indices {batch, count, depth}, result {batch, count, inner}.
/// depth may be 0 (then every n copies the whole source) up to 13.
typedef struct {
  int64_t batch, count, inner;
  int32_t depth;
  int64_t extent[CK_MAX_RANK];
  ck_operand source;
  ck_operand indices;
  ck_operand result;
} ck_gather_nd_params;
void ck_gather_nd(const void *params, void *const *slots);

/// result[.., p, ..] = source[.., indices[.., p, ..], ..] along `axis`; `shape` is that of the
/// indices and the result, `extent` the source's size along the axis. Strides are per dimension.
typedef struct {
  int32_t rank, axis;
  int64_t shape[CK_MAX_RANK];
  int64_t extent;
  ck_operand source;
  ck_operand indices;
  ck_operand result;
} ck_gather_along_params;
void ck_gather_along(const void *params, void *const *slots);

/// How an update u joins the element r at its index: r = r + u, r - u, r * u, r / u, min, max, u.
/// Duplicates join in the order of the indices whatever the number of threads. float16 and bfloat16
/// accumulate in float32 and round once. Integer division by zero gives 0; minimum and maximum
/// propagate NaN.
typedef enum {
  CK_SCATTER_ADD = 0,
  CK_SCATTER_SUB = 1,
  CK_SCATTER_MUL = 2,
  CK_SCATTER_DIV = 3,
  CK_SCATTER_MIN = 4,
  CK_SCATTER_MAX = 5,
  CK_SCATTER_SET = 6,
} ck_scatter_mode;

/// What the result holds before the updates join.
typedef enum {
  CK_SCATTER_NEUTRAL = 0,   // 0, 1 (mul, div), the type's largest (min) or smallest (max) value
                            // (floats: +inf, -inf)
  CK_SCATTER_DATA = 1,      // the data operand's elements, copied first
  CK_SCATTER_IN_PLACE = 2,  // what the result's memory holds: donated data
} ck_scatter_start;

/// result[b, o, indices[b, n], i] (mode)= updates[b, o, n, i]
///
/// The general scatter with merged dimensions as in ck_gather; `extent` is the result's axis. Strides:
/// updates, data and result {batch, outer, axis, inner}, indices {batch, -, count}. `data` is read
/// only for CK_SCATTER_DATA. Scattering rows (inner stride 1) is the embedding gradient: fast.
typedef struct {
  int64_t batch, outer, count, inner;
  int64_t extent;
  ck_scatter_mode mode;
  ck_scatter_start start;
  ck_operand data;
  ck_operand updates;
  ck_operand indices;
  ck_operand result;
} ck_scatter_params;
void ck_scatter(const void *params, void *const *slots);

/// result[b, indices[b, n, 0], ..., indices[b, n, depth - 1], i] (mode)= updates[b, n, i]
///
/// Strides: data and result {batch, indexed dimensions 0 ..< depth, inner}, updates {batch, count,
/// inner}, indices {batch, count, depth}. depth is 0 ... 13.
typedef struct {
  int64_t batch, count, inner;
  int32_t depth;
  int64_t extent[CK_MAX_RANK];
  ck_scatter_mode mode;
  ck_scatter_start start;
  ck_operand data;
  ck_operand updates;
  ck_operand indices;
  ck_operand result;
} ck_scatter_nd_params;
void ck_scatter_nd(const void *params, void *const *slots);

/// result[.., indices[.., p, ..], ..] (mode)= updates[.., p, ..] along `axis`; `shape` is that of the
/// indices and the updates, `extent` the result's (and the data's) size along the axis.
typedef struct {
  int32_t rank, axis;
  int64_t shape[CK_MAX_RANK];
  int64_t extent;
  ck_scatter_mode mode;
  ck_scatter_start start;
  ck_operand data;
  ck_operand updates;
  ck_operand indices;
  ck_operand result;
} ck_scatter_along_params;
void ck_scatter_along(const void *params, void *const *slots);

/// result[o, d, i] = indices[o, i] == d ? on : off, for d in 0 ..< depth. Negative indices do not
/// wrap here. Strides: indices {outer, -, inner}, result {outer, depth, inner}; indices may be of any
/// integer type.
typedef struct {
  int64_t outer, depth, inner;
  double on, off;
  ck_operand indices;
  ck_operand result;
} ck_one_hot_params;
void ck_one_hot(const void *params, void *const *slots);

/// Keeps element [.., m, n] where (lower < 0 or m - n <= lower) and (upper < 0 or n - m <= upper),
/// else 0. rank >= 2; one common type; the result may be the source.
typedef struct {
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
  int64_t lower, upper;
  ck_operand source;
  ck_operand result;
} ck_band_part_params;
void ck_band_part(const void *params, void *const *slots);

/// Positions of the elements that are not 0, in row-major order. Count first, give the result its
/// shape [count, rank], then fill: contiguous int32. At most `capacity` rows are written. NaN is not 0.
typedef struct {
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
  int64_t capacity;
  ck_operand source;
  ck_ref result;
} ck_nonzero_params;
int64_t ck_nonzero_count(const void *params, void *const *slots);
void ck_nonzero_fill(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
