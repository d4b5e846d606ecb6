// Depthwise convolution: one source channel per result channel. Channels are vectors where they are
// contiguous (NHWC), else columns are (NCHW), over planes that hold their padding.
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_conv_plan.h"
#include "ck_conv_plane.h"
#include "ck_strided.h"

enum { N = 0, C = 1, Y = 2, X = 3 };

typedef struct {
  const ck_conv_plan *p;
  const ck_conv_kernels *kernels;
  const float *weights, *bias;  // [tap][channel], [channel]
  ck_conv_image image;
  const int64_t *down, *across;  // ck_conv_offsets of rows and columns
  ck_conv_plane plane;
  int64_t taps;
} depthwise;

// Units are rows of the result.
static void channels_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const depthwise *v = context;
  const ck_conv_plan *p = v->p;
  int64_t width = p->cols.produced, channels = p->groups;
  const int64_t *rs = p->result_stride, *ss = v->image.stride;
  bool direct = p->result_type == CK_F32 && rs[C] == 1;
  // A multiple of two floats: pointers follow.
  size_t row_bytes = direct ? 0 : (size_t)(width * channels + 1) / 2 * 2 * sizeof(float);
  size_t bytes = row_bytes + (size_t)(2 * v->taps) * sizeof(float *);
  char *memory = ck_conv_alloc(bytes);
  const float **rows = (const float **)(memory + row_bytes), **weights = rows + v->taps;
  for (; begin < end; begin++) {
    int64_t n = begin / p->rows.produced, y = begin % p->rows.produced;
    char *to = p->result + (n * rs[N] + y * rs[Y]) * ck_size(p->result_type);
    float *c = direct ? (float *)to : (float *)memory;
    int64_t ld = direct ? rs[X] : channels;
    for (int64_t x = 0; x < width; x++) {
      int64_t used = 0;
      for (int64_t ky = 0; ky < p->rows.taps; ky++) {
        int64_t down = v->down[y * p->rows.taps + ky];
        for (int64_t kx = 0; down != CK_CONV_OUTSIDE && kx < p->cols.taps; kx++) {
          int64_t across = v->across[x * p->cols.taps + kx];
          if (across == CK_CONV_OUTSIDE) continue;
          rows[used] = v->image.base + n * ss[N] + down + across;
          weights[used++] = v->weights + (ky * p->cols.taps + kx) * channels;
        }
      }
      v->kernels->depthwise_channels(channels, used, rows, weights, v->bias, p->relu, c + x * ld);
    }
    if (p->epilogue) {
      p->epilogue(p->epilogue_params, p->slots, c, ld, 0, begin * width, width, 0, channels);
    }
    if (direct) continue;
    int64_t shape[2] = {width, channels}, from[2] = {channels, 1}, stride[2] = {rs[X], rs[C]};
    ck_move(2, shape, c, CK_F32, from, to, p->result_type, stride);
  }
  ck_free(memory, bytes);
}

// Units are channels of images.
static void columns_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const depthwise *v = context;
  const ck_conv_plan *p = v->p;
  int64_t width = p->cols.produced, height = p->rows.produced;
  const int64_t *rs = p->result_stride, *ss = p->source_stride;
  // Narrow rows are computed a vector wide, beyond their end: what lies there is not stored.
  int64_t lanes = v->kernels->lanes, count = width < lanes ? lanes : width;
  bool direct = p->result_type == CK_F32 && rs[X] == 1 && width >= lanes;
  size_t floats = (size_t)(ck_conv_plane_count(&v->plane) + lanes + count + 1) / 2 * 2 * sizeof(float);
  size_t bytes = floats + (size_t)v->taps * (2 * sizeof(float *) + sizeof(int64_t));
  char *memory = ck_conv_alloc(bytes);
  float *plane = (float *)memory, *line = plane + ck_conv_plane_count(&v->plane) + lanes;
  memset(line - lanes, 0, (size_t)lanes * sizeof *line);
  const float **rows = (const float **)(memory + floats), **weights = rows + v->taps;
  int64_t *offsets = (int64_t *)(weights + v->taps);
  ck_conv_plane_taps(&v->plane, offsets);
  for (; begin < end; begin++) {
    int64_t n = begin / p->groups, c = begin % p->groups;
    const char *source = p->source + (n * ss[N] + c * ss[C]) * ck_size(p->source_type);
    ck_conv_plane_fill(&v->plane, source, p->source_type, ss[Y], ss[X], plane);
    for (int64_t t = 0; t < v->taps; t++) weights[t] = v->weights + t * p->groups + c;
    for (int64_t y = 0; y < height; y++) {
      for (int64_t t = 0; t < v->taps; t++) {
        rows[t] = plane + offsets[t] + y * v->plane.rows.step * v->plane.row;
      }
      char *to = p->result + (n * rs[N] + c * rs[C] + y * rs[Y]) * ck_size(p->result_type);
      float *out = direct ? (float *)to : line;
      v->kernels->depthwise_columns(count, v->taps, rows, weights, v->bias ? v->bias + c : NULL, p->relu, out);
      if (p->epilogue) {
        p->epilogue(p->epilogue_params, p->slots, out, 1, 0, (n * height + y) * width, width, c, 1);
      }
      if (!direct) ck_move_line(width, out, CK_F32, 1, to, p->result_type, rs[X]);
    }
  }
  ck_free(memory, bytes);
}

void ck_conv_depthwise(const ck_conv_plan *p) {
  int64_t pixels = p->batch * p->rows.produced * p->cols.produced;
  if (pixels * p->groups == 0) return;
  depthwise v = {.p = p, .kernels = ck_conv_kernels_current(), .taps = p->rows.taps * p->cols.taps};
  size_t weights_bytes = p->packed ? 0 : (size_t)(v.taps * p->groups) * sizeof(float);
  float *own = p->packed ? NULL : ck_conv_alloc(weights_bytes);
  if (own) ck_conv_pack(p, own);
  v.weights = p->packed ? p->packed : own;
  size_t bias_bytes = p->bias ? (size_t)p->groups * sizeof(float) : 0;
  float *bias = p->bias ? ck_conv_alloc(bias_bytes) : NULL;
  if (bias) ck_move_line(p->groups, p->bias, p->bias_type, p->bias_stride, bias, CK_F32, 1);
  v.bias = bias;
  double cost = 0.1 * (double)(v.taps + 4);
  if (p->source_stride[X] == 1 && p->source_stride[C] != 1 && p->cols.size > 1) {
    v.plane = ck_conv_plane_of(p);
    double plane = (double)(p->rows.produced * p->cols.produced);
    ck_parallel(p->batch * p->groups, ck_grain(cost * plane), columns_task, &v);
  } else {
    int64_t shape[4] = {p->batch, p->groups, p->rows.size, p->cols.size};
    v.image = ck_conv_channels_last(p->source, p->source_type, p->source_stride, shape);
    int64_t downs = p->rows.produced * p->rows.taps, acrosses = p->cols.produced * p->cols.taps;
    size_t offset_bytes = (size_t)(downs + acrosses) * sizeof(int64_t);
    int64_t *offsets = ck_conv_alloc(offset_bytes);
    ck_conv_offsets(&p->rows, v.image.stride[Y], offsets);
    ck_conv_offsets(&p->cols, v.image.stride[X], offsets + downs);
    v.down = offsets;
    v.across = offsets + downs;
    ck_parallel(p->batch * p->rows.produced, ck_grain(cost * (double)(p->cols.produced * p->groups)), channels_task,
                &v);
    ck_free(offsets, offset_bytes);
    ck_conv_release(&v.image);
  }
  ck_free(bias, bias_bytes);
  ck_free(own, weights_bytes);
}
