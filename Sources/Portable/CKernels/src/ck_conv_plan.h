// A convolution as the inner loops see it: forward and data gradient are both "each produced pixel is
// a sum over taps of a source pixel's channels times a matrix".
#ifndef CK_CONV_PLAN_H
#define CK_CONV_PLAN_H

#include "../include/ck_conv.h"
#include "ck_conv_kernels.h"

/// Source position of tap k for produced position p along one side:
/// (p * step + start + k * reach) / divisor, where it divides and lies in 0 ..< size.
typedef struct {
  int64_t size, produced, taps;
  int64_t step, start, reach, divisor;
} ck_conv_side;

/// The source position, or -1.
static inline int64_t ck_conv_source(const ck_conv_side *s, int64_t p, int64_t k) {
  int64_t v = p * s->step + s->start + k * s->reach;
  if (v < 0) return -1;
  if (s->divisor != 1) {
    if (v % s->divisor) return -1;
    v /= s->divisor;
  }
  return v < s->size ? v : -1;
}

/// Element offsets of what every produced position reads by every tap, [position][tap] times `stride`;
/// CK_CONV_OUTSIDE where that is none. Found once per step: tiles look them up for each pixel and tap.
#define CK_CONV_OUTSIDE INT64_MIN
static inline void ck_conv_offsets(const ck_conv_side *s, int64_t stride, int64_t *offsets) {
  for (int64_t p = 0; p < s->produced; p++) {
    for (int64_t k = 0; k < s->taps; k++) {
      int64_t at = ck_conv_source(s, p, k);
      *offsets++ = at < 0 ? CK_CONV_OUTSIDE : at * stride;
    }
  }
}

/// Weights as a matrix per tap: depth (summed over) by columns (produced channels), per group.
typedef struct {
  const char *base;
  ck_dtype dtype;
  int64_t group, depth, column, y, x;  // strides in elements
} ck_conv_matrix;

typedef struct {
  int64_t batch, groups;
  int64_t depth, columns;  // channels of the source and of the result, per group
  ck_conv_side rows, cols;
  // {n, c, y, x} strides in elements.
  const char *source;
  ck_dtype source_type;
  int64_t source_stride[4];
  char *result;
  ck_dtype result_type;
  int64_t result_stride[4];
  ck_conv_matrix weights;
  const float *packed;  // or NULL
  const char *bias;     // or NULL
  ck_dtype bias_type;
  int64_t bias_stride;
  bool relu;
  ck_gemm_epilogue epilogue;
  const void *epilogue_params;
  void *const *slots;
} ck_conv_plan;

/// The forward convolution's plan without operands' pointers, and that of its data gradient.
ck_conv_plan ck_conv_forward_plan(const ck_conv2d_shape *s);
ck_conv_plan ck_conv_backward_plan(const ck_conv2d_shape *s);

static inline bool ck_conv_is_depthwise(const ck_conv_plan *p) { return p->depth == 1 && p->columns == 1; }

/// Elements of the packed weights; packs them in parallel.
int64_t ck_conv_packed_count(const ck_conv_plan *p);
void ck_conv_pack(const ck_conv_plan *p, float *packed);

/// Both compute the whole result.
void ck_conv_tiles(const ck_conv_plan *p);
void ck_conv_depthwise(const ck_conv_plan *p);

/// The source as float32 with channel stride 1: itself, or a copy to be released with
/// ck_conv_release.
typedef struct {
  const float *base;
  int64_t stride[4];
  void *copy;
  size_t bytes;
} ck_conv_image;
ck_conv_image ck_conv_channels_last(const char *source, ck_dtype type, const int64_t *stride,
                                    const int64_t shape[4]);
void ck_conv_release(ck_conv_image *image);

/// ck_alloc that does not return NULL: kernels have no way to report.
void *ck_conv_alloc(size_t bytes);

#endif
