// Scatters. Two ways, both independent of the number of threads:
//  - rows: updates are grouped by target (a stable counting sort); each target row is then owned by
//    one thread, which joins its updates in order;
//  - lines, where rows would be too short: each line of the result along the indexed dimensions is
//    owned by one thread, which walks the indices in order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_index_join.h"
#include "ck_index_read.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { PIECE = 256, SHORT_ROW = 8 };

typedef struct {
  ck_scatter_mode mode;
  ck_scatter_start start;
  ck_dtype type, class;  // class: CK_F32 or CK_I64
  int64_t size, class_size;
  bool is_unsigned;
  double neutral;
  const char *data, *updates;
  char *result;
  ck_index_reader reader;
  int64_t extents;              // product of the indexed extents
  const int64_t *data_stride;   // of the indexed dimensions
  const int64_t *result_stride;
} scatter;

static double neutral_value(ck_scatter_mode mode, ck_dtype t) {
  if (mode == CK_SCATTER_MUL || mode == CK_SCATTER_DIV) return 1;
  // Saturation makes the type's own limits of these.
  if (mode == CK_SCATTER_MIN) return t == CK_BOOL ? 1 : INFINITY;
  if (mode == CK_SCATTER_MAX) return t == CK_BOOL ? 0 : -INFINITY;
  return 0;
}

static void *checked_alloc(size_t bytes) {
  void *memory = ck_alloc(bytes);
  if (!memory) abort();  // kernels have no way to report
  return memory;
}

static scatter scatter_of(ck_scatter_mode mode, ck_scatter_start start, const ck_operand *data,
                          const ck_operand *updates, const ck_operand *indices,
                          const ck_operand *result, void *const *slots) {
  scatter s = {
    .mode = mode,
    .start = start,
    .type = result->dtype,
    .class = ck_is_float(result->dtype) ? CK_F32 : CK_I64,
    .size = ck_size(result->dtype),
    .is_unsigned = result->dtype == CK_U64,
    .neutral = neutral_value(mode, result->dtype),
    .updates = ck_at(slots, updates->ref),
    .result = ck_at(slots, result->ref),
    .reader = {.base = ck_at(slots, indices->ref), .type = indices->dtype},
  };
  s.class_size = ck_size(s.class);
  s.data = start == CK_SCATTER_DATA ? ck_at(slots, data->ref) : s.result;
  return s;
}

static void join_row(const scatter *s, int64_t count, void *row, const void *updates) {
  if (s->class == CK_F32) {
    ck_join_floats(s->mode, count, row, updates);
  } else {
    ck_join_integers(s->mode, s->is_unsigned, count, row, updates);
  }
}

static void join_targets(const scatter *s, int64_t count, const int64_t *targets, void *line,
                         const void *updates) {
  if (s->class == CK_F32) {
    ck_join_float_targets(s->mode, count, targets, line, updates);
  } else {
    ck_join_integer_targets(s->mode, s->is_unsigned, count, targets, line, updates);
  }
}

// MARK: Rows

typedef struct {
  const scatter *s;
  int64_t outer, count, inner;
  const char *data, *updates;  // of this batch
  char *result;
  int64_t data_outer, updates_outer, result_outer;
  int64_t data_inner, updates_inner, result_inner;
  int64_t updates_count;
  const int32_t *first;  // first[t] ..< first[t + 1] of `order` are target t's updates
  const int32_t *order;
  int64_t weight;  // of one outer position: a unit per row and per update
} row_scatter;

static void scatter_row(const row_scatter *r, int64_t o, int64_t target) {
  const scatter *s = r->s;
  int32_t begin = r->first[target], end = r->first[target + 1];
  if (begin == end && s->start == CK_SCATTER_IN_PLACE) return;
  int32_t depth = s->reader.depth;
  char *row = r->result + s->size * (o * r->result_outer +
    ck_target_offset(target, depth, s->reader.extent, s->result_stride));
  const char *data = s->start == CK_SCATTER_NEUTRAL ? NULL : r->data + s->size * (o * r->data_outer +
    ck_target_offset(target, depth, s->reader.extent, s->data_stride));
  const char *updates = r->updates + o * r->updates_outer * s->size;
  bool direct = s->type == s->class && r->result_inner == 1;
  uint64_t accumulators[PIECE], piece[PIECE];
  int64_t width = direct && r->updates_inner == 1 ? r->inner : PIECE;
  for (int64_t x = 0; x < r->inner; x += width) {
    int64_t n = r->inner - x < width ? r->inner - x : width;
    char *to = row + x * r->result_inner * s->size;
    void *sum = direct ? (void *)to : accumulators;
    if (data) {
      const char *from = data + x * r->data_inner * s->size;
      if (sum != from) ck_move_line(n, from, s->type, r->data_inner, sum, s->class, 1);
    } else if (s->neutral == 0) {
      memset(sum, 0, (size_t)(n * s->class_size));
    } else {
      ck_bits bits = ck_bits_of(s->neutral, s->type);
      ck_move_line(n, &bits, s->type, 0, sum, s->class, 1);
    }
    for (int32_t k = begin; k < end; k++) {
      const char *u = updates + (r->order[k] * r->updates_count + x * r->updates_inner) * s->size;
      if (k + 1 < end) {
        const char *next = updates + (r->order[k + 1] * r->updates_count + x * r->updates_inner) * s->size;
        for (int64_t b = 0; b < 512 && b < n * s->size; b += 64) __builtin_prefetch(next + b);
      }
      if (s->type != s->class || r->updates_inner != 1) {
        ck_move_line(n, u, s->type, r->updates_inner, piece, s->class, 1);
        u = (const char *)piece;
      }
      join_row(s, n, sum, u);
    }
    if (!direct) ck_move_line(n, sum, s->class, 1, to, s->type, r->result_inner);
  }
}

// The row whose units (one for itself, one per update) hold unit `w`, or begin at it.
static int64_t row_at(const row_scatter *r, int64_t w) {
  int64_t low = 0, high = r->s->extents;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (r->first[middle] + middle < w) low = middle + 1; else high = middle;
  }
  return low;
}

static void rows_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const row_scatter *r = context;
  for (int64_t o = begin / r->weight; o * r->weight < end; o++) {
    int64_t from = begin - o * r->weight, past = end - o * r->weight;
    int64_t row = from <= 0 ? 0 : row_at(r, from);
    int64_t last = past >= r->weight ? r->s->extents : row_at(r, past);
    for (; row < last; row++) scatter_row(r, o, row);
  }
}

// Groups the updates of one batch by target, keeping their order within each.
static void group(const scatter *s, int64_t element, int64_t count, int32_t *first, int32_t *order,
                  int32_t *targets) {
  int64_t piece[PIECE];
  memset(first, 0, (size_t)(s->extents + 1) * sizeof *first);
  for (int64_t i = 0; i < count; i += PIECE) {
    int64_t n = count - i < PIECE ? count - i : PIECE;
    ck_read_targets(&s->reader, element, i, n, piece);
    for (int64_t j = 0; j < n; j++) {
      targets[i + j] = (int32_t)piece[j];
      if (piece[j] >= 0) first[piece[j] + 1]++;
    }
  }
  for (int64_t t = 0; t < s->extents; t++) first[t + 1] += first[t];
  for (int64_t i = 0; i < count; i++) {
    if (targets[i] >= 0) order[first[targets[i]]++] = (int32_t)i;
  }
  // Each first[t] has become the next group's first.
  memmove(first + 1, first, (size_t)s->extents * sizeof *first);
  first[0] = 0;
}

static void scatter_rows(row_scatter *r, int64_t batch, const ck_operand *data,
                         const ck_operand *updates, const ck_operand *indices,
                         const ck_operand *result) {
  const scatter *s = r->s;
  size_t bytes = (size_t)(s->extents + 1 + 2 * r->count) * sizeof(int32_t);
  int32_t *first = checked_alloc(bytes), *order = first + s->extents + 1;
  r->first = first;
  r->order = order;
  for (int64_t b = 0; b < batch; b++) {
    group(s, b * indices->stride[0], r->count, first, order, order + r->count);
    r->data = s->data + b * data->stride[0] * s->size;
    r->updates = s->updates + b * updates->stride[0] * s->size;
    r->result = s->result + b * result->stride[0] * s->size;
    r->weight = s->extents + first[s->extents];
    ck_parallel(r->outer * r->weight, ck_grain(4.0 + 0.2 * (double)(r->inner * s->size)), rows_task, r);
  }
  ck_free(first, bytes);
}

// MARK: Lines

typedef struct {
  const scatter *s;
  ck_space space;  // result, updates, indices, data, without the indexed dimensions
  int64_t count, updates_count;
} line_scatter;

static bool dense(const int64_t *extent, const int64_t *stride, int32_t depth) {
  int64_t step = 1;
  for (int32_t d = depth - 1; d >= 0; d--) {
    if (extent[d] != 1 && stride[d] != step) return false;
    step *= extent[d];
  }
  return true;
}

static void lines_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const line_scatter *l = context;
  const scatter *s = l->s;
  int32_t depth = s->reader.depth;
  const int64_t *extent = s->reader.extent;
  bool direct = s->type == s->class && dense(extent, s->result_stride, depth);
  size_t bytes = (size_t)(s->extents * s->class_size);
  char *copy = direct ? NULL : checked_alloc(bytes);
  int64_t contiguous[CK_MAX_RANK], step = 1;
  for (int32_t d = depth - 1; d >= 0; d--) contiguous[d] = step, step *= extent[d];
  ck_cursor c = ck_cursor_at(&l->space, l->space.rank, begin);
  int64_t targets[PIECE];
  uint64_t piece[PIECE];
  for (; begin < end; begin++) {
    char *to = s->result + c.offset[0] * s->size, *line = direct ? to : copy;
    const char *data = s->data + c.offset[3] * s->size;
    if (s->start == CK_SCATTER_NEUTRAL) {
      ck_bits bits = ck_bits_of(s->neutral, s->type);
      ck_move_line(s->extents, &bits, s->type, 0, line, s->class, 1);
    } else if (line != data) {
      ck_move(depth, extent, data, s->type, s->data_stride, line, s->class, contiguous);
    }
    for (int64_t i = 0; i < l->count; i += PIECE) {
      int64_t n = l->count - i < PIECE ? l->count - i : PIECE;
      ck_read_targets(&s->reader, c.offset[2], i, n, targets);
      const char *u = s->updates + (c.offset[1] + i * l->updates_count) * s->size;
      if (s->type != s->class || l->updates_count != 1) {
        ck_move_line(n, u, s->type, l->updates_count, piece, s->class, 1);
        u = (const char *)piece;
      }
      join_targets(s, n, targets, line, u);
    }
    if (!direct) ck_move(depth, extent, line, s->class, contiguous, to, s->type, s->result_stride);
    ck_cursor_next(&l->space, l->space.rank, &c);
  }
  if (!direct) ck_free(copy, bytes);
}

static void scatter_lines(line_scatter *l) {
  int64_t lines = ck_product(l->space.shape, l->space.rank);
  double cost = 3.0 * (double)l->count + 1.0 * (double)l->s->extents;
  ck_parallel(lines, ck_grain(cost), lines_task, l);
}

// MARK: The three forms

void ck_scatter(const void *params, void *const *slots) {
  const ck_scatter_params *p = params;
  if (p->batch * p->outer * p->inner * p->extent == 0) return;
  scatter s = scatter_of(p->mode, p->start, &p->data, &p->updates, &p->indices, &p->result, slots);
  const ck_operand *data = p->start == CK_SCATTER_DATA ? &p->data : &p->result;
  s.reader.count_stride = p->indices.stride[2];
  s.reader.depth = 1;
  s.reader.extent = &p->extent;
  s.extents = p->extent;
  s.data_stride = &data->stride[2];
  s.result_stride = &p->result.stride[2];
  if (p->inner < SHORT_ROW || p->count > INT32_MAX / 2 || p->extent > INT32_MAX / 2) {
    line_scatter l = {.s = &s, .count = p->count, .updates_count = p->updates.stride[2]};
    l.space = (ck_space){.rank = 3, .operands = 4, .shape = {p->batch, p->outer, p->inner}};
    const ck_operand *of[4] = {&p->result, &p->updates, &p->indices, data};
    for (int k = 0; k < 4; k++) {
      l.space.stride[k][0] = of[k]->stride[0];
      l.space.stride[k][1] = k == 2 ? 0 : of[k]->stride[1];
      l.space.stride[k][2] = k == 2 ? 0 : of[k]->stride[3];
    }
    scatter_lines(&l);
    return;
  }
  row_scatter r = {
    .s = &s, .outer = p->outer, .count = p->count, .inner = p->inner,
    .data_outer = data->stride[1], .data_inner = data->stride[3],
    .updates_outer = p->updates.stride[1], .updates_count = p->updates.stride[2],
    .updates_inner = p->updates.stride[3],
    .result_outer = p->result.stride[1], .result_inner = p->result.stride[3],
  };
  scatter_rows(&r, p->batch, data, &p->updates, &p->indices, &p->result);
}

void ck_scatter_nd(const void *params, void *const *slots) {
  const ck_scatter_nd_params *p = params;
  scatter s = scatter_of(p->mode, p->start, &p->data, &p->updates, &p->indices, &p->result, slots);
  const ck_operand *data = p->start == CK_SCATTER_DATA ? &p->data : &p->result;
  s.reader.count_stride = p->indices.stride[1];
  s.reader.depth_stride = p->indices.stride[2];
  s.reader.depth = p->depth;
  s.reader.extent = p->extent;
  s.extents = ck_product(p->extent, p->depth);
  s.data_stride = &data->stride[1];
  s.result_stride = &p->result.stride[1];
  if (p->batch * p->inner * s.extents == 0) return;
  if (p->inner < SHORT_ROW || p->count > INT32_MAX / 2 || s.extents > INT32_MAX / 2) {
    line_scatter l = {.s = &s, .count = p->count, .updates_count = p->updates.stride[1]};
    l.space = (ck_space){.rank = 2, .operands = 4, .shape = {p->batch, p->inner}};
    const ck_operand *of[4] = {&p->result, &p->updates, &p->indices, data};
    int32_t inner[4] = {1 + p->depth, 2, 0, 1 + p->depth};
    for (int k = 0; k < 4; k++) {
      l.space.stride[k][0] = of[k]->stride[0];
      l.space.stride[k][1] = k == 2 ? 0 : of[k]->stride[inner[k]];
    }
    scatter_lines(&l);
    return;
  }
  row_scatter r = {
    .s = &s, .outer = 1, .count = p->count, .inner = p->inner,
    .data_inner = data->stride[1 + p->depth],
    .updates_count = p->updates.stride[1], .updates_inner = p->updates.stride[2],
    .result_inner = p->result.stride[1 + p->depth],
  };
  scatter_rows(&r, p->batch, data, &p->updates, &p->indices, &p->result);
}

void ck_scatter_along(const void *params, void *const *slots) {
  const ck_scatter_along_params *p = params;
  scatter s = scatter_of(p->mode, p->start, &p->data, &p->updates, &p->indices, &p->result, slots);
  const ck_operand *data = p->start == CK_SCATTER_DATA ? &p->data : &p->result;
  s.reader.count_stride = p->indices.stride[p->axis];
  s.reader.depth = 1;
  s.reader.extent = &p->extent;
  s.extents = p->extent;
  s.data_stride = &data->stride[p->axis];
  s.result_stride = &p->result.stride[p->axis];
  line_scatter l = {
    .s = &s, .count = p->shape[p->axis], .updates_count = p->updates.stride[p->axis],
  };
  l.space = (ck_space){.rank = p->rank, .operands = 4};
  const ck_operand *of[4] = {&p->result, &p->updates, &p->indices, data};
  for (int32_t d = 0; d < p->rank; d++) {
    l.space.shape[d] = p->shape[d];
    for (int k = 0; k < 4; k++) l.space.stride[k][d] = of[k]->stride[d];
  }
  ck_space_drop(&l.space, p->axis);
  if (ck_product(l.space.shape, l.space.rank) * p->extent == 0) return;
  scatter_lines(&l);
}
