// Gradients of pooling. One thread owns a plane (NCHW) or some channels of an image (NHWC) and walks
// its windows in order, so overlapping windows add up without locks and in a fixed order.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_pool_lines.h"
#include "ck_strided.h"

enum { N = 0, C = 1, Y = 2, X = 3, PIECE = CK_POOL_PIECE };

typedef struct {
  const ck_pool_gradient_params *g;
  const pool_lines *lines;
  const char *source, *gradient;
  char *result;
  ck_pool_side rows, columns;
  bool by_channel;
  int64_t piece, pieces;         // channels of a unit: 1 where lines are columns
  const ck_pool_reach *reaches;  // of the columns' taps
  bool covered;                  // no column's window lies wholly outside
} backward;

// The planes a unit owns, in float32: source and the gradient being summed.
typedef struct {
  const float *source;
  float *sum;
  int64_t source_stride[4], sum_stride[4];
} planes;

// A line of windows: `count` channels at (y, x), or columns x ..< x + count of row y.
typedef struct {
  int64_t y, x, count;
} span;

// Calls for every tap the part of the line that lies inside the source.
#define EACH_TAP(BODY)                                                                            \
  do {                                                                                            \
    const ck_pool_params *p = &b->g->pool;                                                        \
    int64_t past_y = ck_pool_past(&b->rows, w.y);                                                 \
    for (int64_t ky = ck_pool_first(&b->rows, w.y); ky < past_y; ky++) {                          \
      int64_t iy = ck_pool_start(&b->rows, w.y) + ky * p->dilation_y;                             \
      for (int64_t kx = 0; kx < p->kernel_x; kx++) {                                              \
        int64_t first = w.x, past = b->by_channel ? w.x + 1 : w.x + w.count;                      \
        first = b->reaches[kx].first > first ? b->reaches[kx].first : first;                      \
        past = b->reaches[kx].past < past ? b->reaches[kx].past : past;                           \
        if (first >= past) continue;                                                              \
        int64_t ix = ck_pool_start(&b->columns, first) + kx * p->dilation_x;                      \
        int64_t at = b->by_channel ? 0 : first - w.x, n = b->by_channel ? w.count : past - first; \
        int64_t from = iy * u->source_stride[Y] + ix * u->source_stride[X];                       \
        int64_t to = iy * u->sum_stride[Y] + ix * u->sum_stride[X];                               \
        int64_t source_step = b->by_channel ? u->source_stride[C]                                 \
                                            : p->stride_x * u->source_stride[X];                  \
        int64_t step = b->by_channel ? u->sum_stride[C] : p->stride_x * u->sum_stride[X];         \
        (void)from, (void)to, (void)source_step, (void)step, (void)at, (void)n;                   \
        BODY;                                                                                     \
      }                                                                                           \
    }                                                                                             \
  } while (0)

// Whether the window of column x has a position inside the source.
static bool touches(const backward *b, int64_t x) {
  for (int64_t k = 0; k < b->columns.kernel; k++) {
    if (x >= b->reaches[k].first && x < b->reaches[k].past) return true;
  }
  return false;
}

static void max_line(const backward *b, const planes *u, span w, const float *share) {
  float best[PIECE];
  int32_t winner[PIECE];
  int64_t ky = ck_pool_first(&b->rows, w.y), kx = ck_pool_first(&b->columns, w.x);
  int64_t iy = ck_pool_start(&b->rows, w.y) + ky * b->rows.dilation;
  for (int64_t i = 0; i < w.count; i++) {
    int64_t x = b->by_channel ? w.x : w.x + i;
    // Past the padding every window begins with its first tap.
    if (!b->by_channel && kx > 0) kx = ck_pool_first(&b->columns, x);
    int64_t ix = ck_pool_start(&b->columns, x) + kx * b->columns.dilation;
    best[i] = -INFINITY;
    winner[i] = (int32_t)(iy * u->sum_stride[Y] + ix * u->sum_stride[X] +
                          (b->by_channel ? i * u->sum_stride[C] : 0));
  }
  EACH_TAP(b->lines->max_floats(n, best + at, u->source + from, source_step, winner + at, (int32_t)to,
                                (int32_t)step));
  if (ky >= ck_pool_past(&b->rows, w.y)) return;
  for (int64_t i = 0; i < w.count; i++) {
    if (b->covered || touches(b, b->by_channel ? w.x : w.x + i)) u->sum[winner[i]] += share[i];
  }
}

static void average_line(const backward *b, const planes *u, span w, float *share) {
  bool padding = b->g->pool.counts_padding;
  int64_t down = ck_pool_counted(&b->rows, w.y, padding);
  for (int64_t i = 0; i < w.count; i++) {
    int64_t count = down * ck_pool_counted(&b->columns, b->by_channel ? w.x : w.x + i, padding);
    share[i] = count > 0 ? share[i] / (float)count : 0;
  }
  EACH_TAP(b->lines->spread(n, u->sum + to, share + at, step));
}

static void l2_line(const backward *b, const planes *u, span w, float *share) {
  float squares[PIECE];
  memset(squares, 0, (size_t)w.count * sizeof *squares);
  EACH_TAP(b->lines->squares(n, squares + at, u->source + from, source_step));
  for (int64_t i = 0; i < w.count; i++) {
    float r = sqrtf(squares[i]);
    share[i] = r == 0 ? 0 : share[i] / r;
  }
  EACH_TAP(b->lines->spread_times(n, u->sum + to, share + at, u->source + from, source_step, step));
}

// The unit's windows, over planes in float32.
static void unit(const backward *b, const planes *u, int64_t n, int64_t c, int64_t channels) {
  const ck_pool_params *p = &b->g->pool;
  const int64_t *gs = b->g->gradient.stride;
  int64_t columns = b->by_channel ? 1 : PIECE;
  float share[PIECE];
  for (int64_t y = 0; y < p->result_height; y++) {
    for (int64_t x = 0; x < p->result_width; x += columns) {
      int64_t left = p->result_width - x;
      span w = {y, x, b->by_channel ? channels : left < columns ? left : columns};
      int64_t at = n * gs[N] + c * gs[C] + y * gs[Y] + x * gs[X];
      ck_move_line(w.count, b->gradient + at * ck_size(b->g->gradient.dtype), b->g->gradient.dtype,
                   gs[b->by_channel ? C : X], share, CK_F32, 1);
      switch (p->mode) {
        case CK_POOL_MAX: max_line(b, u, w, share); break;
        case CK_POOL_AVERAGE: average_line(b, u, w, share); break;
        case CK_POOL_L2: l2_line(b, u, w, share); break;
      }
    }
  }
}

static void unit_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const backward *b = context;
  const ck_pool_params *p = &b->g->pool;
  const ck_operand *source = &p->source, *result = &b->g->source_gradient;
  bool reads = p->mode != CK_POOL_AVERAGE;
  bool copies = reads && source->dtype != CK_F32, sums = result->dtype != CK_F32;
  int64_t plane = p->source_height * p->source_width;
  size_t bytes = (size_t)(plane * b->piece) * sizeof(float);
  float *copy = copies ? ck_alloc(bytes) : NULL, *sum = sums ? ck_alloc(bytes) : NULL;
  if ((copies && !copy) || (sums && !sum)) abort();  // kernels have no way to report
  for (; begin < end; begin++) {
    int64_t n = begin / b->pieces, c = begin % b->pieces * b->piece;
    int64_t channels = p->channels - c < b->piece ? p->channels - c : b->piece;
    int64_t box[4] = {1, channels, p->source_height, p->source_width};
    // Own copies keep the line's dimension innermost.
    int64_t own[4] = {0, b->by_channel ? 1 : plane, b->by_channel ? p->source_width * channels : p->source_width,
                      b->by_channel ? channels : 1};
    const char *from = NULL;
    if (reads) from = b->source + (n * source->stride[N] + c * source->stride[C]) * ck_size(source->dtype);
    char *to = b->result + (n * result->stride[N] + c * result->stride[C]) * ck_size(result->dtype);
    planes u = {.source = copies ? copy : (const float *)from, .sum = sums ? sum : (float *)to};
    for (int d = 0; d < 4; d++) {
      u.source_stride[d] = copies ? own[d] : source->stride[d];
      u.sum_stride[d] = sums ? own[d] : result->stride[d];
    }
    if (copies) ck_move(4, box, from, source->dtype, source->stride, copy, CK_F32, own);
    ck_move_fill(4, box, 0, u.sum, CK_F32, u.sum_stride);
    unit(b, &u, n, c, channels);
    if (sums) ck_move(4, box, sum, CK_F32, own, to, result->dtype, result->stride);
  }
  if (copies) ck_free(copy, bytes);
  if (sums) ck_free(sum, bytes);
}

void ck_pool_gradient(const void *params, void *const *slots) {
  const ck_pool_gradient_params *g = params;
  const ck_pool_params *p = &g->pool;
  if (p->batch * p->channels * p->source_height * p->source_width == 0) return;
  backward b = {
    .g = g,
    .lines = ck_pool_lines(),
    .source = p->mode == CK_POOL_AVERAGE ? NULL : ck_at(slots, p->source.ref),
    .gradient = ck_at(slots, g->gradient.ref),
    .result = ck_at(slots, g->source_gradient.ref),
    .rows = ck_pool_rows(p),
    .columns = ck_pool_columns(p),
    .by_channel = g->source_gradient.stride[C] == 1 && p->channels > 1,
  };
  if (g->source_gradient.stride[X] == 1 && p->channels < p->result_width) b.by_channel = false;
  // Fewer images than threads: smaller units, down to a cache line of channels.
  b.piece = !b.by_channel ? 1 : p->batch >= ck_num_threads() ? PIECE : 16;
  b.piece = p->channels < b.piece ? p->channels : b.piece;
  b.pieces = (p->channels + b.piece - 1) / b.piece;
  size_t bytes = (size_t)p->kernel_x * sizeof(ck_pool_reach);
  ck_pool_reach *reaches = ck_alloc(bytes);
  if (!reaches) abort();  // kernels have no way to report
  ck_pool_reaches(&b.columns, p->result_width, reaches);
  b.reaches = reaches;
  b.covered = true;
  for (int64_t x = 0; x < p->result_width && b.covered; x++) b.covered = touches(&b, x);
  double windows = (double)(p->result_height * p->result_width * b.piece);
  double taps = (double)(p->kernel_y * p->kernel_x);
  ck_parallel(p->batch * b.pieces, ck_grain(windows * (2.0 + 0.5 * taps)), unit_task, &b);
  ck_free(reaches, bytes);
}
