// What the forward and backward pools share: window geometry and the loops over one line.
#ifndef CK_POOL_LINES_H
#define CK_POOL_LINES_H

#include "../include/ck_pool.h"

#define CK_POOL_PIECE 256  // longest line worked on at a time

/// The loops; n is at most CK_POOL_PIECE.
typedef struct {
  void (*max_floats)(int64_t n, float *a, const float *s, int64_t stride, int32_t *index,
                     int32_t position, int32_t step);
  void (*max_integers)(int64_t n, int64_t *a, const int64_t *s, int64_t stride, int32_t *index,
                       int32_t position, int32_t step);
  void (*sum)(int64_t n, float *a, const float *s, int64_t stride);
  void (*squares)(int64_t n, float *a, const float *s, int64_t stride);
  void (*spread)(int64_t n, float *d, const float *share, int64_t stride);
  void (*spread_times)(int64_t n, float *d, const float *share, const float *s, int64_t source_stride,
                       int64_t stride);
} pool_lines;
const pool_lines *ck_pool_lines(void);

/// Result positions whose tap lies inside the source.
typedef struct {
  int64_t first, past;
} ck_pool_reach;

/// One dimension of the windows.
typedef struct {
  int64_t size, kernel, stride, dilation, before, after;
} ck_pool_side;

static inline ck_pool_side ck_pool_rows(const ck_pool_params *p) {
  return (ck_pool_side){p->source_height, p->kernel_y, p->stride_y, p->dilation_y, p->pad_top, p->pad_bottom};
}

static inline ck_pool_side ck_pool_columns(const ck_pool_params *p) {
  return (ck_pool_side){p->source_width, p->kernel_x, p->stride_x, p->dilation_x, p->pad_left, p->pad_right};
}

static inline int64_t ck_pool_start(const ck_pool_side *s, int64_t at) { return at * s->stride - s->before; }

/// The first tap of the window at `at` that is >= `low`; `kernel` if none is.
static inline int64_t ck_pool_tap(const ck_pool_side *s, int64_t at, int64_t low) {
  int64_t distance = low - ck_pool_start(s, at);
  int64_t k = distance <= 0 ? 0 : s->dilation == 1 ? distance : (distance + s->dilation - 1) / s->dilation;
  return k < s->kernel ? k : s->kernel;
}

/// Taps first ..< past of the window at `at` lie inside the source.
static inline int64_t ck_pool_first(const ck_pool_side *s, int64_t at) { return ck_pool_tap(s, at, 0); }
static inline int64_t ck_pool_past(const ck_pool_side *s, int64_t at) { return ck_pool_tap(s, at, s->size); }

/// Taps that an average divides by.
static inline int64_t ck_pool_counted(const ck_pool_side *s, int64_t at, bool padding) {
  if (!padding) return ck_pool_past(s, at) - ck_pool_first(s, at);
  return ck_pool_tap(s, at, s->size + s->after) - ck_pool_tap(s, at, -s->before);
}

/// Result positions first ..< past (within low ..< high) whose tap `k` lies inside the source.
static inline void ck_pool_range(const ck_pool_side *s, int64_t k, int64_t low, int64_t high,
                                 int64_t *first, int64_t *past) {
  int64_t shift = s->before - k * s->dilation;  // position * stride >= shift, < size + shift
  int64_t a = shift <= 0 ? 0 : (shift + s->stride - 1) / s->stride;
  int64_t b = s->size + shift <= 0 ? 0 : (s->size + shift - 1) / s->stride + 1;
  *first = a > low ? a : low;
  *past = b < high ? b : high;
}

static inline void ck_pool_reaches(const ck_pool_side *s, int64_t produced, ck_pool_reach *reaches) {
  for (int64_t k = 0; k < s->kernel; k++) {
    ck_pool_range(s, k, 0, produced, &reaches[k].first, &reaches[k].past);
  }
}

#endif
