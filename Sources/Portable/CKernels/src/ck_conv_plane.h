// One channel of one image, laid out for loops over contiguous columns.
//
// Positions p * step + start + k * reach are "virtual": they count the source with zeros around it and,
// for a divisor, between its elements. A plane holds all virtual rows that any tap reads; within a row
// the columns are sorted by their remainder by `step`, so that the columns one tap reads for
// neighbouring results are neighbours.
#ifndef CK_CONV_PLANE_H
#define CK_CONV_PLANE_H

#include <string.h>

#include "ck_conv_plan.h"
#include "ck_move.h"

typedef struct {
  int64_t low, extent;  // virtual positions low ..< low + extent are kept
} ck_conv_span;

static inline ck_conv_span ck_conv_span_of(const ck_conv_side *s) {
  int64_t far = (s->taps - 1) * s->reach, last = (s->produced - 1) * s->step;
  int64_t low = s->start + (far < 0 ? far : 0), high = s->start + last + (far > 0 ? far : 0);
  return (ck_conv_span){low, high - low + 1};
}

typedef struct {
  ck_conv_side rows, cols;
  ck_conv_span down, across;
  int64_t phase, row;  // elements from phase to phase and from row to row
} ck_conv_plane;

static inline ck_conv_plane ck_conv_plane_of(const ck_conv_plan *p) {
  ck_conv_plane l = {p->rows, p->cols, ck_conv_span_of(&p->rows), ck_conv_span_of(&p->cols), 0, 0};
  l.phase = (l.across.extent + l.cols.step - 1) / l.cols.step;
  l.row = l.phase * l.cols.step;
  return l;
}

static inline int64_t ck_conv_plane_count(const ck_conv_plane *l) { return l->row * l->down.extent; }

/// Where in the plane lies what each tap reads for result (0, 0): the next columns follow, the next
/// rows are rows.step * row elements further.
static inline void ck_conv_plane_taps(const ck_conv_plane *l, int64_t *offsets) {
  for (int64_t ky = 0; ky < l->rows.taps; ky++) {
    int64_t down = l->rows.start + ky * l->rows.reach - l->down.low;
    for (int64_t kx = 0; kx < l->cols.taps; kx++) {
      int64_t across = l->cols.start + kx * l->cols.reach - l->across.low;
      *offsets++ = down * l->row + across % l->cols.step * l->phase + across / l->cols.step;
    }
  }
}

/// First and past-last source positions whose virtual position is kept.
static inline void ck_conv_kept(const ck_conv_side *s, ck_conv_span span, int64_t *first, int64_t *past) {
  int64_t high = span.low + span.extent;
  *first = span.low <= 0 ? 0 : (span.low + s->divisor - 1) / s->divisor;
  *past = high <= 0 ? 0 : (high + s->divisor - 1) / s->divisor;
  if (*past > s->size) *past = s->size;
}

/// Fills the plane from a source channel with the given element strides.
static inline void ck_conv_plane_fill(const ck_conv_plane *l, const char *source, ck_dtype type, int64_t y_stride,
                                      int64_t x_stride, float *plane) {
  memset(plane, 0, (size_t)ck_conv_plane_count(l) * sizeof *plane);
  int64_t y, past_y, first_x, past_x, step = l->cols.step, divisor = l->cols.divisor;
  ck_conv_kept(&l->rows, l->down, &y, &past_y);
  ck_conv_kept(&l->cols, l->across, &first_x, &past_x);
  if (y >= past_y) return;
  // Either the step or the divisor is 1, so `step` columns from here on have each remainder once.
  for (int64_t x = first_x; x < past_x && x < first_x + step; x++) {
    int64_t across = x * divisor - l->across.low;
    int64_t shape[2] = {past_y - y, (past_x - x + step - 1) / step};
    int64_t from[2] = {y_stride, step * x_stride}, to[2] = {l->rows.divisor * l->row, divisor};
    ck_move(2, shape, source + (y * y_stride + x * x_stride) * ck_size(type), type, from,
            plane + (y * l->rows.divisor - l->down.low) * l->row + across % step * l->phase + across / step, CK_F32,
            to);
  }
}

#endif
