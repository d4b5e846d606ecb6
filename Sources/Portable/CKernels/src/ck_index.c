#include "../include/ck_index.h"

#include <string.h>

#include "../include/ck_threads.h"
#include "ck_index_read.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { PIECE = 256 };  // indices resolved at a time

// One gather of rows: result[b, o, n, i] = source[b, o, target(b, n), i].
typedef struct {
  int64_t batch, outer, count, inner;
  ck_index_reader reader;
  const char *source;
  char *result;
  ck_dtype type;
  int64_t size;
  int64_t index_batch;
  int64_t source_batch, source_outer, source_inner;
  const int64_t *source_stride;  // of the indexed dimensions
  int64_t result_batch, result_outer, result_count, result_inner;
} row_gather;

#define GATHER_ELEMENTS(T)                                                                    \
  for (int64_t j = 0; j < n; j++) {                                                           \
    ((T *)to)[j * g->result_count] = offsets[j] < 0 ? 0 : ((const T *)from)[positions[j]];    \
  }

static void gather_elements(const row_gather *g, const char *from, char *to, int64_t n,
                            const int64_t *offsets, const int64_t *positions) {
  switch (g->size) {
    case 1: GATHER_ELEMENTS(uint8_t); break;
    case 2: GATHER_ELEMENTS(uint16_t); break;
    case 4: GATHER_ELEMENTS(uint32_t); break;
    default: GATHER_ELEMENTS(uint64_t); break;
  }
}

static void gather_rows(const row_gather *g, const char *from, char *to, int64_t n,
                        const int64_t *targets, const int64_t *positions) {
  static const uint64_t zero;
  size_t bytes = (size_t)(g->inner * g->size);
  bool dense = g->source_inner == 1 && g->result_inner == 1;
  for (int64_t j = 0; j < n; j++) {
    char *row = to + j * g->result_count * g->size;
    const char *source = from + positions[j] * g->size;
    if (dense && j + 2 < n) {
      // Rows lie anywhere: the hardware only sees the pattern once inside one.
      const char *next = from + positions[j + 2] * g->size;
      for (size_t b = 0; b < bytes && b < 512; b += 64) __builtin_prefetch(next + b);
    }
    if (targets[j] < 0) {
      ck_move_line(g->inner, &zero, g->type, 0, row, g->type, g->result_inner);
    } else if (dense) {
      memcpy(row, source, bytes);
    } else {
      ck_move_line(g->inner, source, g->type, g->source_inner, row, g->type, g->result_inner);
    }
  }
}

static void gather_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const row_gather *g = context;
  int64_t targets[PIECE], positions[PIECE];
  while (begin < end) {
    int64_t at = begin % g->count, line = begin / g->count;
    int64_t b = line / g->outer, o = line % g->outer;
    int64_t n = g->count - at < end - begin ? g->count - at : end - begin;
    n = n < PIECE ? n : PIECE;
    ck_read_targets(&g->reader, b * g->index_batch, at, n, targets);
    for (int64_t j = 0; j < n; j++) {
      positions[j] = targets[j] < 0 ? 0
        : ck_target_offset(targets[j], g->reader.depth, g->reader.extent, g->source_stride);
    }
    const char *from = g->source + (b * g->source_batch + o * g->source_outer) * g->size;
    char *to = g->result + (b * g->result_batch + o * g->result_outer + at * g->result_count) * g->size;
    if (g->inner == 1) {
      gather_elements(g, from, to, n, targets, positions);
    } else {
      gather_rows(g, from, to, n, targets, positions);
    }
    begin += n;
  }
}

static void gather(row_gather *g) {
  int64_t rows = g->batch * g->outer * g->count;
  if (rows == 0 || g->inner == 0) return;
  ck_parallel(rows, ck_grain(2.0 + 0.1 * (double)(g->inner * g->size)), gather_task, g);
}

void ck_gather(const void *params, void *const *slots) {
  const ck_gather_params *p = params;
  row_gather g = {
    .batch = p->batch, .outer = p->outer, .count = p->count, .inner = p->inner,
    .reader = {
      .base = ck_at(slots, p->indices.ref), .type = p->indices.dtype,
      .count_stride = p->indices.stride[2], .depth = 1, .extent = &p->extent,
    },
    .source = ck_at(slots, p->source.ref),
    .result = ck_at(slots, p->result.ref),
    .type = p->result.dtype,
    .size = ck_size(p->result.dtype),
    .index_batch = p->indices.stride[0],
    .source_batch = p->source.stride[0],
    .source_outer = p->source.stride[1],
    .source_inner = p->source.stride[3],
    .source_stride = &p->source.stride[2],
    .result_batch = p->result.stride[0],
    .result_outer = p->result.stride[1],
    .result_count = p->result.stride[2],
    .result_inner = p->result.stride[3],
  };
  gather(&g);
}

void ck_gather_nd(const void *params, void *const *slots) {
  const ck_gather_nd_params *p = params;
  row_gather g = {
    .batch = p->batch, .outer = 1, .count = p->count, .inner = p->inner,
    .reader = {
      .base = ck_at(slots, p->indices.ref), .type = p->indices.dtype,
      .count_stride = p->indices.stride[1], .depth_stride = p->indices.stride[2],
      .depth = p->depth, .extent = p->extent,
    },
    .source = ck_at(slots, p->source.ref),
    .result = ck_at(slots, p->result.ref),
    .type = p->result.dtype,
    .size = ck_size(p->result.dtype),
    .index_batch = p->indices.stride[0],
    .source_batch = p->source.stride[0],
    .source_inner = p->source.stride[1 + p->depth],
    .source_stride = &p->source.stride[1],
    .result_batch = p->result.stride[0],
    .result_count = p->result.stride[1],
    .result_inner = p->result.stride[2],
  };
  gather(&g);
}

// MARK: Along an axis

typedef struct {
  ck_space space;  // result, indices, source without its axis
  const char *source, *indices;
  char *result;
  ck_dtype index_type;
  int64_t size, extent, axis_stride;
} along_gather;

#define ALONG_ELEMENTS(T)                                                             \
  for (int64_t j = 0; j < inner; j++) {                                               \
    int64_t i = ck_read_index(g->indices, g->index_type, c.offset[1] + j * is);       \
    i = ck_wrap_index(i, g->extent);                                                  \
    int64_t from = c.offset[2] + j * ss + i * g->axis_stride;                         \
    ((T *)g->result)[c.offset[0] + j * rs] = i < 0 ? 0 : ((const T *)g->source)[from]; \
  }

static void along_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const along_gather *g = context;
  int32_t outer = g->space.rank - 1;
  int64_t inner = g->space.shape[outer], rs = g->space.stride[0][outer];
  int64_t is = g->space.stride[1][outer], ss = g->space.stride[2][outer];
  ck_cursor c = ck_cursor_at(&g->space, outer, begin);
  for (; begin < end; begin++) {
    switch (g->size) {
      case 1: ALONG_ELEMENTS(uint8_t); break;
      case 2: ALONG_ELEMENTS(uint16_t); break;
      case 4: ALONG_ELEMENTS(uint32_t); break;
      default: ALONG_ELEMENTS(uint64_t); break;
    }
    ck_cursor_next(&g->space, outer, &c);
  }
}

void ck_gather_along(const void *params, void *const *slots) {
  const ck_gather_along_params *p = params;
  int64_t total = ck_product(p->shape, p->rank);
  if (total == 0) return;
  along_gather g = {
    .space = ck_space_of(p->rank, p->shape, &p->result, &p->indices, &p->source),
    .source = ck_at(slots, p->source.ref),
    .indices = ck_at(slots, p->indices.ref),
    .result = ck_at(slots, p->result.ref),
    .index_type = p->indices.dtype,
    .size = ck_size(p->result.dtype),
    .extent = p->extent,
    .axis_stride = p->source.stride[p->axis],
  };
  g.space.stride[2][p->axis] = 0;
  ck_space_simplify(&g.space, 0, true);
  if (g.space.rank == 0) {
    g.space.rank = 1;
    g.space.shape[0] = 1;
    for (int k = 0; k < 3; k++) g.space.stride[k][0] = 0;
  }
  int64_t inner = g.space.shape[g.space.rank - 1];
  ck_parallel(total / inner, ck_grain(2.0 * (double)inner), along_task, &g);
}

// MARK: One-hot

typedef struct {
  const ck_one_hot_params *p;
  const void *indices;
  char *result;
  ck_bits on;
} hot;

static void hot_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const hot *h = context;
  const ck_one_hot_params *p = h->p;
  for (; begin < end; begin++) {
    int64_t o = begin / p->inner, i = begin % p->inner;
    int64_t at = o * p->indices.stride[0] + i * p->indices.stride[2];
    int64_t d = ck_read_index(h->indices, p->indices.dtype, at);
    if (d < 0 || d >= p->depth) continue;
    const int64_t *rs = p->result.stride;
    ck_move_line(1, &h->on, p->result.dtype, 1,
                 h->result + (o * rs[0] + d * rs[1] + i * rs[2]) * ck_size(p->result.dtype),
                 p->result.dtype, 1);
  }
}

void ck_one_hot(const void *params, void *const *slots) {
  const ck_one_hot_params *p = params;
  int64_t shape[3] = {p->outer, p->depth, p->inner};
  if (ck_product(shape, 3) == 0) return;
  hot h = {p, ck_at(slots, p->indices.ref), ck_at(slots, p->result.ref),
           ck_bits_of(p->on, p->result.dtype)};
  ck_move_fill(3, shape, p->off, h.result, p->result.dtype, p->result.stride);
  ck_parallel(p->outer * p->inner, ck_grain(10), hot_task, &h);
}

// MARK: Band part

typedef struct {
  ck_space space;  // result, source
  const ck_band_part_params *p;
  const char *source;
  char *result;
} band;

static int64_t within(int64_t v, int64_t high) { return v < 0 ? 0 : v > high ? high : v; }

static void band_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  static const uint64_t zero;
  const band *b = context;
  int32_t last = b->space.rank - 1;
  int64_t width = b->space.shape[last], size = ck_size(b->p->result.dtype);
  int64_t rs = b->space.stride[0][last], ss = b->space.stride[1][last];
  ck_dtype type = b->p->result.dtype;
  ck_cursor c = ck_cursor_at(&b->space, last, begin);
  for (; begin < end; begin++) {
    int64_t m = c.index[last - 1];
    // A bound beyond the matrix keeps everything on its side.
    int64_t first = b->p->lower < 0 || b->p->lower > m ? 0 : within(m - b->p->lower, width);
    int64_t past = b->p->upper < 0 || b->p->upper > width ? width : within(m + b->p->upper + 1, width);
    past = past < first ? first : past;
    char *row = b->result + c.offset[0] * size;
    const char *from = b->source + c.offset[1] * size;
    ck_move_line(first, &zero, type, 0, row, type, rs);
    ck_move_line(past - first, from + first * ss * size, type, ss, row + first * rs * size, type, rs);
    ck_move_line(width - past, &zero, type, 0, row + past * rs * size, type, rs);
    ck_cursor_next(&b->space, last, &c);
  }
}

void ck_band_part(const void *params, void *const *slots) {
  const ck_band_part_params *p = params;
  int64_t total = ck_product(p->shape, p->rank);
  if (total == 0) return;
  band b = {ck_space_of(p->rank, p->shape, &p->result, &p->source, NULL), p,
            ck_at(slots, p->source.ref), ck_at(slots, p->result.ref)};
  int64_t width = p->shape[p->rank - 1];
  ck_parallel(total / width, ck_grain(20.0 + 0.3 * (double)width), band_task, &b);
}
