// Gradient of the weights: for every tap a product over all pixels, channels_in x pixels by pixels x
// channels_out. Each thread owns some (tap, channels_in) of the result, so sums run in the order of the
// pixels whatever the number of threads.
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_onednn.h"
#include "../include/ck_threads.h"
#include "ck_conv_plan.h"
#include "ck_conv_plane.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { N = 0, C = 1, Y = 2, X = 3 };

enum { BLOCK = 256 };  // pixels per pass: their gradients stay in the second cache

typedef struct {
  const ck_conv_plan *p;  // forward; its source is the source, its result the gradient
  const ck_conv_kernels *kernels;
  ck_conv_image image;
  int64_t taps, pixels;
  // Gradient in panels: per group and panel [pixel][width], zero beyond the last column.
  float *gradient;
  int64_t panels, width, last_width;
  // The result: [tap][channel_in][columns padded to whole panels], all groups.
  float *sums;
  int64_t padded;
  const float *zeros;
  int64_t slices, slice;  // of the depth, per unit
} weights;

static float *panel_at(const weights *v, int64_t group, int64_t panel, int64_t pixel) {
  int64_t width = panel == v->panels - 1 ? v->last_width : v->width;
  int64_t per_group = v->pixels * ((v->panels - 1) * v->width + v->last_width);
  return v->gradient + group * per_group + panel * v->width * v->pixels + pixel * width;
}

// Units are blocks of pixels.
static void pack_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const weights *v = context;
  const ck_conv_plan *p = v->p;
  const int64_t *gs = p->result_stride;
  int64_t height = p->rows.produced, width = p->cols.produced, size = ck_size(p->result_type);
  int64_t first = begin * BLOCK, past = end * BLOCK < v->pixels ? end * BLOCK : v->pixels;
  for (int64_t g = 0; g < p->groups; g++) {
    for (int64_t panel = 0; panel < v->panels; panel++) {
      int64_t wide = panel == v->panels - 1 ? v->last_width : v->width;
      int64_t left = p->columns - panel * v->width, valid = left < wide ? left : wide;
      if (valid < wide) {
        memset(panel_at(v, g, panel, first), 0, (size_t)((past - first) * wide) * sizeof(float));
      }
      for (int64_t pixel = first; pixel < past;) {
        int64_t x = pixel % width, y = pixel / width % height, n = pixel / width / height;
        int64_t run = width - x < past - pixel ? width - x : past - pixel;
        int64_t at = n * gs[N] + y * gs[Y] + x * gs[X] + (g * p->columns + panel * v->width) * gs[C];
        int64_t shape[2] = {run, valid}, from[2] = {gs[X], gs[C]}, to[2] = {wide, 1};
        ck_move(2, shape, p->result + at * size, p->result_type, from, panel_at(v, g, panel, pixel), CK_F32, to);
        pixel += run;
      }
    }
  }
}

// The source rows that a tap pairs with the pixels first ..< first + count; false if all are padding.
static bool find_rows(const weights *v, int64_t tap, int64_t first, int64_t count, const float **rows) {
  const ck_conv_plan *p = v->p;
  const int64_t *ss = v->image.stride;
  int64_t height = p->rows.produced, width = p->cols.produced;
  int64_t ky = tap / p->cols.taps, kx = tap % p->cols.taps;
  bool any = false;
  for (int64_t i = 0; i < count;) {
    int64_t x = (first + i) % width, y = (first + i) / width % height, n = (first + i) / width / height;
    int64_t run = width - x < count - i ? width - x : count - i;
    int64_t sy = ck_conv_source(&p->rows, y, ky);
    const float *row = v->image.base + n * ss[N] + (sy < 0 ? 0 : sy) * ss[Y];
    int64_t sx = x * p->cols.step + p->cols.start + kx * p->cols.reach;
    for (int64_t j = 0; j < run; j++, sx += p->cols.step) {
      bool inside = sy >= 0 && sx >= 0 && sx < p->cols.size;
      rows[i + j] = inside ? row + sx * ss[X] : v->zeros;
      any = any || inside;
    }
    i += run;
  }
  return any;
}

// Units are (group, tap, slice of the depth).
static void weights_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const weights *v = context;
  const ck_conv_plan *p = v->p;
  int64_t mr = CK_CONV_MAX_ROWS;
  const float *rows[BLOCK];
  for (; begin < end; begin++) {
    int64_t slice = begin % v->slices, tap = begin / v->slices % v->taps, g = begin / v->slices / v->taps;
    int64_t low = slice * v->slice, high = low + v->slice < p->depth ? low + v->slice : p->depth;
    float *sums = v->sums + ((g * v->taps + tap) * p->depth + low) * v->padded;
    if (low < high) memset(sums, 0, (size_t)((high - low) * v->padded) * sizeof *sums);
    for (int64_t pixel = 0; pixel < v->pixels; pixel += BLOCK) {
      int64_t count = v->pixels - pixel < BLOCK ? v->pixels - pixel : BLOCK;
      if (!find_rows(v, tap, pixel, count, rows)) continue;
      for (int64_t panel = 0; panel < v->panels; panel++) {
        int64_t vectors = (panel == v->panels - 1 ? v->last_width : v->width) / v->kernels->lanes;
        const float *gradient = panel_at(v, g, panel, pixel);
        for (int64_t d = low; d < high; d += mr) {
          int64_t m = high - d < mr ? high - d : mr;
          v->kernels->outer[vectors - 1][m - 1](count, rows, g * p->depth + d, gradient,
                                                sums + (d - low) * v->padded + panel * v->width, v->padded);
        }
      }
    }
  }
}

static void dense(ck_conv_plan *p) {
  weights v = {.p = p, .kernels = ck_conv_kernels_current(), .taps = p->rows.taps * p->cols.taps};
  v.pixels = p->batch * p->rows.produced * p->cols.produced;
  v.width = 2 * v.kernels->lanes;
  v.panels = (p->columns + v.width - 1) / v.width;
  v.last_width = p->columns - (v.panels - 1) * v.width <= v.kernels->lanes ? v.kernels->lanes : v.width;
  v.padded = v.panels * v.width;
  int64_t shape[4] = {p->batch, p->groups * p->depth, p->rows.size, p->cols.size};
  size_t gradient_bytes = (size_t)(p->groups * v.pixels * v.padded + 1) * sizeof(float);
  size_t sums_bytes = (size_t)(p->groups * v.taps * p->depth * v.padded) * sizeof(float);
  size_t zeros_bytes = (size_t)(shape[C] + 1) * sizeof(float);
  v.gradient = ck_conv_alloc(gradient_bytes);
  v.sums = ck_conv_alloc(sums_bytes);
  float *zeros = ck_conv_alloc(zeros_bytes);
  memset(zeros, 0, zeros_bytes);
  v.zeros = zeros;
  v.image = ck_conv_channels_last(p->source, p->source_type, p->source_stride, shape);
  int64_t blocks = (v.pixels + BLOCK - 1) / BLOCK;
  ck_parallel(blocks, ck_grain((double)(BLOCK * v.padded * p->groups) * 0.3), pack_task, &v);

  // Slices keep the threads busy where there are few taps; each walks the pixels again, so no more.
  int64_t wanted = 4 * ck_num_threads(), tiles = (p->depth + CK_CONV_MAX_ROWS - 1) / CK_CONV_MAX_ROWS;
  int64_t slices = (wanted + p->groups * v.taps - 1) / (p->groups * v.taps);
  v.slice = (tiles + slices - 1) / slices * CK_CONV_MAX_ROWS;
  v.slices = (p->depth + v.slice - 1) / v.slice;
  double cost = (double)(v.pixels * v.padded) * (double)v.slice * 0.03;
  ck_parallel(p->groups * v.taps * v.slices, ck_grain(cost), weights_task, &v);

  int64_t box[5] = {p->groups, p->rows.taps, p->cols.taps, p->depth, p->columns};
  int64_t from[5] = {v.taps * p->depth * v.padded, p->cols.taps * p->depth * v.padded, p->depth * v.padded,
                     v.padded, 1};
  int64_t to[5] = {p->weights.group, p->weights.y, p->weights.x, p->weights.depth, p->weights.column};
  ck_move(5, box, v.sums, CK_F32, from, (char *)p->weights.base, p->weights.dtype, to);
  ck_conv_release(&v.image);
  ck_free(zeros, zeros_bytes);
  ck_free(v.sums, sums_bytes);
  ck_free(v.gradient, gradient_bytes);
}

// MARK: Depthwise

typedef struct {
  const ck_conv_plan *p;
  const ck_conv_kernels *kernels;
  ck_conv_image image, gradient;
  ck_conv_plane plane;
  float *sums;  // [tap][channel]
  int64_t taps, slice;
} channels;

// Units are slices of the channels.
static void channels_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const channels *v = context;
  const ck_conv_plan *p = v->p;
  const int64_t *ss = v->image.stride, *gs = v->gradient.stride;
  int64_t first = begin * v->slice, past = end * v->slice < p->groups ? end * v->slice : p->groups;
  for (int64_t t = 0; t < v->taps; t++) {
    memset(v->sums + t * p->groups + first, 0, (size_t)(past - first) * sizeof(float));
  }
  for (int64_t n = 0; n < p->batch; n++) {
    for (int64_t y = 0; y < p->rows.produced; y++) {
      for (int64_t x = 0; x < p->cols.produced; x++) {
        const float *gradient = v->gradient.base + n * gs[N] + y * gs[Y] + x * gs[X] + first;
        for (int64_t ky = 0; ky < p->rows.taps; ky++) {
          int64_t sy = ck_conv_source(&p->rows, y, ky);
          for (int64_t kx = 0; sy >= 0 && kx < p->cols.taps; kx++) {
            int64_t sx = ck_conv_source(&p->cols, x, kx);
            if (sx < 0) continue;
            const float *source = v->image.base + n * ss[N] + sy * ss[Y] + sx * ss[X] + first;
            v->kernels->multiply_add(past - first, source, gradient,
                                     v->sums + (ky * p->cols.taps + kx) * p->groups + first);
          }
        }
      }
    }
  }
}

// Units are channels.
static void columns_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const channels *v = context;
  const ck_conv_plan *p = v->p;
  const int64_t *ss = p->source_stride, *gs = p->result_stride;
  int64_t width = p->cols.produced, height = p->rows.produced, lanes = v->kernels->lanes;
  int64_t floats = ck_conv_plane_count(&v->plane) + lanes;
  size_t bytes = (size_t)v->taps * sizeof(int64_t) + (size_t)(floats + height * width + lanes) * sizeof(float);
  int64_t *offsets = ck_conv_alloc(bytes);
  float *plane = (float *)(offsets + v->taps), *gradient = plane + floats;
  int64_t shape[2] = {height, width}, from[2] = {gs[Y], gs[X]}, to[2] = {width, 1};
  ck_conv_plane_taps(&v->plane, offsets);
  for (int64_t c = begin; c < end; c++) {
    for (int64_t t = 0; t < v->taps; t++) v->sums[t * p->groups + c] = 0;
    for (int64_t n = 0; n < p->batch; n++) {
      const char *source = p->source + (n * ss[N] + c * ss[C]) * ck_size(p->source_type);
      ck_conv_plane_fill(&v->plane, source, p->source_type, ss[Y], ss[X], plane);
      ck_move(2, shape, p->result + (n * gs[N] + c * gs[C]) * ck_size(p->result_type), p->result_type, from,
              gradient, CK_F32, to);
      for (int64_t t = 0; t < v->taps; t++) {
        v->sums[t * p->groups + c] += v->kernels->dot(height, width, plane + offsets[t],
                                                      v->plane.rows.step * v->plane.row, gradient, width);
      }
    }
  }
  ck_free(offsets, bytes);
}

static void depthwise(ck_conv_plan *p) {
  channels v = {.p = p, .kernels = ck_conv_kernels_current(), .taps = p->rows.taps * p->cols.taps};
  size_t bytes = (size_t)(v.taps * p->groups) * sizeof(float);
  v.sums = ck_conv_alloc(bytes);
  double cost = 0.15 * (double)(p->batch * p->rows.produced * p->cols.produced * v.taps);
  if (p->source_stride[X] == 1 && p->source_stride[C] != 1 && p->cols.size > 1) {
    v.plane = ck_conv_plane_of(p);
    ck_parallel(p->groups, ck_grain(cost), columns_task, &v);
  } else {
    int64_t shape[4] = {p->batch, p->groups, p->rows.size, p->cols.size};
    int64_t produced[4] = {p->batch, p->groups, p->rows.produced, p->cols.produced};
    v.image = ck_conv_channels_last(p->source, p->source_type, p->source_stride, shape);
    v.gradient = ck_conv_channels_last(p->result, p->result_type, p->result_stride, produced);
    v.slice = v.kernels->lanes;
    int64_t slices = (p->groups + v.slice - 1) / v.slice;
    ck_parallel(slices, ck_grain(cost * (double)v.slice), channels_task, &v);
    ck_conv_release(&v.image);
    ck_conv_release(&v.gradient);
  }
  int64_t box[3] = {p->rows.taps, p->cols.taps, p->groups};
  int64_t from[3] = {p->cols.taps * p->groups, p->groups, 1};
  int64_t to[3] = {p->weights.y, p->weights.x, p->weights.group};
  ck_move(3, box, v.sums, CK_F32, from, (char *)p->weights.base, p->weights.dtype, to);
  ck_free(v.sums, bytes);
}

void ck_conv2d_weights_gradient(const void *params, void *const *slots) {
  const ck_conv2d_weights_gradient_params *w = params;
  if (ck_onednn_conv2d_weights_gradient(w, slots)) return;
  ck_conv_plan p = ck_conv_forward_plan(&w->shape);
  const ck_operand *out = &w->weights_gradient;
  p.source = ck_at(slots, w->source.ref);
  p.source_type = w->source.dtype;
  memcpy(p.source_stride, w->source.stride, sizeof p.source_stride);
  p.result = ck_at(slots, w->gradient.ref);
  p.result_type = w->gradient.dtype;
  memcpy(p.result_stride, w->gradient.stride, sizeof p.result_stride);
  p.weights = (ck_conv_matrix){
    .base = ck_at(slots, out->ref),
    .dtype = out->dtype,
    .group = p.columns * out->stride[0],
    .depth = out->stride[1],
    .column = out->stride[0],
    .y = out->stride[2],
    .x = out->stride[3],
  };
  if (p.groups * p.depth * p.columns * p.rows.taps * p.cols.taps == 0) return;
  if (ck_conv_is_depthwise(&p)) depthwise(&p); else dense(&p);
}
