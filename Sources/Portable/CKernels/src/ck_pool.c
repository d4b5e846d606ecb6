// Forward pooling by lines: neighbouring channels where they are contiguous (NHWC), else neighbouring
// columns (NCHW). For each tap of the window a whole line is joined into the accumulators.
#include "../include/ck_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_pool_lines.h"
#include "ck_strided.h"
#include "ck_target.h"

#define CK_NAME(x) x##_base
#include "ck_pool_body.h"
#undef CK_NAME
#if CK_X86
CK_TARGET_AVX2_BEGIN
#define CK_NAME(x) x##_avx2
#include "ck_pool_body.h"
#undef CK_NAME
CK_TARGET_END
CK_TARGET_AVX512_BEGIN
#define CK_NAME(x) x##_avx512
#include "ck_pool_body.h"
#undef CK_NAME
CK_TARGET_END
#endif

const pool_lines *ck_pool_lines(void) {
#if CK_X86
  switch (ck_isa_current()) {
    case CK_ISA_AVX512: return &pool_table_avx512;
    case CK_ISA_AVX2: return &pool_table_avx2;
    default: break;
  }
#endif
  return &pool_table_base;
}

enum { N = 0, C = 1, Y = 2, X = 3, PIECE = CK_POOL_PIECE };

typedef struct {
  const ck_pool_params *p;
  const pool_lines *lines;
  const char *source;
  char *result;
  int32_t *indices;
  ck_pool_side rows, columns;
  ck_dtype class;
  int64_t size;
  bool by_channel;
  int64_t length, pieces;        // of a line
  const ck_pool_reach *reaches;  // of the columns' taps
  int64_t full_first, full_past;  // columns all of whose taps are inside
} pool;

typedef union {
  float f[PIECE];
  int64_t i[PIECE];
} line;

// Joins `n` source elements, beginning at element `from`, into the accumulators.
static void join(const pool *k, int64_t n, line *a, int64_t at, int64_t from, int64_t stride,
                 int32_t *index, int64_t position, int64_t step) {
  const char *source = k->source + from * k->size;
  line converted;
  if (k->p->source.dtype != k->class) {
    ck_move_line(n, source, k->p->source.dtype, stride, &converted, k->class, 1);
    source = (const char *)&converted;
    stride = 1;
  }
  if (k->class == CK_I64) {
    // Unsigned 64-bit values come as their bits: flip them into signed order around the comparison.
    if (k->p->source.dtype == CK_U64) {
      ck_move_line(n, source, CK_I64, stride, &converted, CK_I64, 1);
      for (int64_t i = 0; i < n; i++) converted.i[i] ^= INT64_MIN;
      source = (const char *)&converted;
      stride = 1;
    }
    k->lines->max_integers(n, a->i + at, (const int64_t *)source, stride, index ? index + at : NULL,
                           (int32_t)position, (int32_t)step);
    return;
  }
  const float *s = (const float *)source;
  switch (k->p->mode) {
    case CK_POOL_MAX:
      k->lines->max_floats(n, a->f + at, s, stride, index ? index + at : NULL, (int32_t)position,
                           (int32_t)step);
      break;
    case CK_POOL_AVERAGE: k->lines->sum(n, a->f + at, s, stride); break;
    case CK_POOL_L2: k->lines->squares(n, a->f + at, s, stride); break;
  }
}

static int64_t smallest(ck_dtype t) {
  switch (t) {
    case CK_I8: return INT8_MIN;
    case CK_I16: return INT16_MIN;
    case CK_I32: return INT32_MIN;
    case CK_I64: case CK_U64: return INT64_MIN;
    default: return 0;
  }
}

// Position of the first tap inside the source: the winner while nothing exceeds the starting value.
static int64_t first_position(const pool *k, int64_t n, int64_t c, int64_t y, int64_t x) {
  int64_t ky = ck_pool_first(&k->rows, y), kx = ck_pool_first(&k->columns, x);
  if (ky >= ck_pool_past(&k->rows, y) || kx >= ck_pool_past(&k->columns, x)) return 0;
  const int64_t *s = k->p->index_stride;
  if (k->p->local_indices) return ky * s[Y] + kx * s[X];
  return n * s[N] + c * s[C] + (ck_pool_start(&k->rows, y) + ky * k->rows.dilation) * s[Y] +
    (ck_pool_start(&k->columns, x) + kx * k->columns.dilation) * s[X];
}

static void finish(const pool *k, int64_t n, line *a, int64_t y, int64_t x) {
  if (k->class == CK_I64) {
    for (int64_t i = 0; k->p->source.dtype == CK_U64 && i < n; i++) a->i[i] ^= INT64_MIN;
    return;
  }
  if (k->p->mode == CK_POOL_L2) {
    for (int64_t i = 0; i < n; i++) a->f[i] = sqrtf(a->f[i]);
  }
  if (k->p->mode != CK_POOL_AVERAGE) return;
  int64_t down = ck_pool_counted(&k->rows, y, k->p->counts_padding);
  const ck_pool_params *p = k->p;
  bool whole = k->full_first <= x && (k->by_channel ? x : x + n - 1) < k->full_past;
  if (whole && down == p->kernel_y) {
    float count = (float)(p->kernel_y * p->kernel_x);
    for (int64_t i = 0; i < n; i++) a->f[i] /= count;
    return;
  }
  for (int64_t i = 0; i < n; i++) {
    int64_t count = down * ck_pool_counted(&k->columns, k->by_channel ? x : x + i, k->p->counts_padding);
    a->f[i] = count > 0 ? a->f[i] / (float)count : 0;
  }
}

// One piece of one line: from channel c, at (y, x) of image n.
static void pool_piece(const pool *k, int64_t n, int64_t c, int64_t y, int64_t x, int64_t count) {
  const ck_pool_params *p = k->p;
  const int64_t *ss = p->source.stride, *rs = p->result.stride, *is = p->index_stride;
  line a;
  int32_t index_line[PIECE], *index = k->indices ? index_line : NULL;
  if (k->class == CK_I64) {
    for (int64_t i = 0; i < count; i++) a.i[i] = smallest(p->source.dtype);
  } else {
    float start = p->mode == CK_POOL_MAX ? -INFINITY : 0;
    for (int64_t i = 0; i < count; i++) a.f[i] = start;
  }
  for (int64_t i = 0; index && i < count; i++) {
    index[i] = (int32_t)(k->by_channel ? first_position(k, n, c + i, y, x) : first_position(k, n, c, y, x + i));
  }
  int64_t past_y = ck_pool_past(&k->rows, y);
  for (int64_t ky = ck_pool_first(&k->rows, y); ky < past_y; ky++) {
    int64_t iy = ck_pool_start(&k->rows, y) + ky * p->dilation_y;
    for (int64_t kx = 0; kx < p->kernel_x; kx++) {
      int64_t first = x, past = k->by_channel ? x + 1 : x + count;
      first = k->reaches[kx].first > first ? k->reaches[kx].first : first;
      past = k->reaches[kx].past < past ? k->reaches[kx].past : past;
      if (first >= past) continue;
      int64_t ix = ck_pool_start(&k->columns, first) + kx * p->dilation_x;
      int64_t from = n * ss[N] + c * ss[C] + iy * ss[Y] + ix * ss[X];
      int64_t position = p->local_indices ? ky * is[Y] + kx * is[X]
                                          : n * is[N] + c * is[C] + iy * is[Y] + ix * is[X];
      if (k->by_channel) {
        join(k, count, &a, 0, from, ss[C], index, position, p->local_indices ? 0 : is[C]);
      } else {
        join(k, past - first, &a, first - x, from, p->stride_x * ss[X], index, position,
             p->local_indices ? 0 : p->stride_x * is[X]);
      }
    }
  }
  finish(k, count, &a, y, x);
  int64_t at = n * rs[N] + c * rs[C] + y * rs[Y] + x * rs[X], step = rs[k->by_channel ? C : X];
  char *result = k->result + at * ck_size(p->result.dtype);
  if (p->result.dtype == CK_F32 && k->class == CK_F32 && step == 1) {
    memcpy(result, a.f, (size_t)count * sizeof(float));
  } else {
    ck_move_line(count, &a, k->class, 1, result, p->result.dtype, step);
  }
  if (!index) return;
  const int64_t *xs = p->indices.stride;
  int64_t to = n * xs[N] + c * xs[C] + y * xs[Y] + x * xs[X];
  ck_move_line(count, index, CK_I32, 1, k->indices + to, CK_I32, xs[k->by_channel ? C : X]);
}

// Units are pieces of lines; the line's dimension comes last.
static void pool_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const pool *k = context;
  const ck_pool_params *p = k->p;
  int64_t middle = k->by_channel ? p->result_height : p->channels;
  int64_t inner = k->by_channel ? p->result_width : p->result_height;
  int64_t piece = begin % k->pieces, rest = begin / k->pieces;
  int64_t second = rest % inner, first = rest / inner % middle, n = rest / inner / middle;
  for (; begin < end; begin++) {
    int64_t at = piece * PIECE, count = k->length - at < PIECE ? k->length - at : PIECE;
    if (k->by_channel) {
      pool_piece(k, n, at, first, second, count);
    } else {
      pool_piece(k, n, first, second, at, count);
    }
    if (++piece < k->pieces) continue;
    piece = 0;
    if (++second < inner) continue;
    second = 0;
    if (++first < middle) continue;
    first = 0;
    n++;
  }
}

void ck_pool(const void *params, void *const *slots) {
  const ck_pool_params *p = params;
  bool floats = ck_is_float(p->source.dtype) || p->mode != CK_POOL_MAX;
  pool k = {
    .p = p,
    .lines = ck_pool_lines(),
    .source = ck_at(slots, p->source.ref),
    .result = ck_at(slots, p->result.ref),
    .indices = p->indices.ref.slot < 0 || p->mode != CK_POOL_MAX ? NULL : ck_at(slots, p->indices.ref),
    .rows = ck_pool_rows(p),
    .columns = ck_pool_columns(p),
    .class = floats ? CK_F32 : CK_I64,
    .size = ck_size(p->source.dtype),
    .by_channel = p->source.stride[C] == 1 && p->channels > 1,
  };
  if (p->source.stride[X] == 1 && p->channels < p->result_width) k.by_channel = false;
  k.length = k.by_channel ? p->channels : p->result_width;
  int64_t total = p->batch * p->channels * p->result_height * p->result_width;
  if (total == 0) return;
  k.pieces = (k.length + PIECE - 1) / PIECE;
  size_t bytes = (size_t)p->kernel_x * sizeof(ck_pool_reach);
  ck_pool_reach *reaches = ck_alloc(bytes);
  if (!reaches) abort();  // kernels have no way to report
  ck_pool_reaches(&k.columns, p->result_width, reaches);
  k.reaches = reaches;
  k.full_past = p->result_width;
  for (int64_t kx = 0; kx < p->kernel_x; kx++) {
    k.full_first = reaches[kx].first > k.full_first ? reaches[kx].first : k.full_first;
    k.full_past = reaches[kx].past < k.full_past ? reaches[kx].past : k.full_past;
  }
  int64_t taps = p->kernel_y * p->kernel_x, piece = k.length < PIECE ? k.length : PIECE;
  ck_parallel(total / k.length * k.pieces, ck_grain((double)taps * (5.0 + 0.2 * (double)piece)),
              pool_task, &k);
  ck_free(reaches, bytes);
}
