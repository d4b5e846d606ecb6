// Times of the copying, indexing, sorting, scanning, drawing, pooling and convolution kernels: the best
// of several runs, with what they move or compute per second. `bench FILTER 1` runs on one thread and
// counts its processor time, which other processes disturb less.
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CKernels.h"

static clockid_t clock_id = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec t;
  clock_gettime(clock_id, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *slots[6];
static const char *filter;

/// `amount` in bytes or operations.
static void run(const char *name, ck_kernel kernel, const void *params, double amount, const char *unit) {
  if (filter && !strstr(name, filter)) return;
  double best = 1e9, begin = now();
  for (int k = 0; k < 200 && (k < 5 || now() - begin < 0.7); k++) {
    double t = now();
    kernel(params, slots);
    t = now() - t;
    best = t < best ? t : best;
  }
  printf("%-44s %10.1f us %9.1f %s\n", name, best * 1e6, amount / best * 1e-9, unit);
}

static void copies(void) {
  int64_t n = 1 << 22;
  ck_copy_params p = {.rank = 2, .shape = {2048, 2048}};
  p.source = (ck_operand){{0, 0}, CK_F32, {2048, 1}}, p.result = (ck_operand){{1, 0}, CK_F32, {2048, 1}};
  run("copy f32 2048x2048", ck_copy, &p, 8.0 * (double)n, "GB/s");
  p.source.stride[0] = 1, p.source.stride[1] = 2048;
  run("transpose f32 2048x2048", ck_copy, &p, 8.0 * (double)n, "GB/s");
  p.source.dtype = p.result.dtype = CK_F16;
  run("transpose f16 2048x2048", ck_copy, &p, 4.0 * (double)n, "GB/s");
  ck_copy_params q = {.rank = 3, .shape = {32, 64, 1024}};
  q.source = (ck_operand){{0, 0}, CK_F32, {65536, 1, 64}}, q.result = (ck_operand){{1, 0}, CK_F32, {65536, 1024, 1}};
  run("NHWC to NCHW f32 32x64x32x32", ck_copy, &q, 8.0 * 2097152, "GB/s");
  ck_copy_params c = {.rank = 1, .shape = {n}};
  c.source = (ck_operand){{0, 0}, CK_F32, {1}}, c.result = (ck_operand){{1, 0}, CK_F16, {1}};
  run("convert f32 to f16 4M", ck_copy, &c, 6.0 * (double)n, "GB/s");
  c.result.dtype = CK_BF16;
  run("convert f32 to bf16 4M", ck_copy, &c, 6.0 * (double)n, "GB/s");
  c.result.dtype = CK_I32;
  run("convert f32 to i32 4M", ck_copy, &c, 8.0 * (double)n, "GB/s");
  c.source.dtype = CK_F16, c.result.dtype = CK_F32;
  run("convert f16 to f32 4M", ck_copy, &c, 6.0 * (double)n, "GB/s");
  ck_pad_params pad = {.rank = 4, .shape = {32, 64, 32, 32}, .left = {0, 0, 1, 1}, .right = {0, 0, 1, 1}};
  pad.mode = CK_PAD_REFLECT;
  pad.source = (ck_operand){{0, 0}, CK_F32, {65536, 1024, 32, 1}};
  pad.result = (ck_operand){{1, 0}, CK_F32, {64 * 34 * 34, 34 * 34, 34, 1}};
  run("pad reflect f32 32x64x32x32 by 1", ck_pad, &pad, 8.0 * 2097152, "GB/s");
}

static void indices(void) {
  int64_t rows = 65536, width = 384, vocabulary = 30000;
  int64_t *x = slots[2];
  uint64_t state = 1;
  for (int64_t i = 0; i < rows; i++) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    x[i] = (int64_t)(state >> 33) % vocabulary;
  }
  ck_operand row = {{0, 0}, CK_F32, {0, 0, width, 1}}, out = {{1, 0}, CK_F32, {0, 0, width, 1}};
  ck_operand at = {{2, 0}, CK_I64, {0, 0, 1}};
  ck_gather_params g = {1, 1, rows, width, vocabulary, row, at, out};
  run("gather 65536 rows of 384 f32", ck_gather, &g, (double)(rows * width) * 8, "GB/s");
  ck_scatter_params s = {1, 1, rows, width, vocabulary, CK_SCATTER_ADD, CK_SCATTER_NEUTRAL,
                         .updates = row, .indices = at, .result = out};
  run("scatter add 65536 rows of 384 into 30000", ck_scatter, &s, (double)(rows * width + vocabulary * width) * 4, "GB/s");
  ck_gather_params e = {1, 1, rows, 1, vocabulary, {{0, 0}, CK_F32, {0, 0, 1, 1}}, at, {{1, 0}, CK_F32, {0, 0, 1, 1}}};
  run("gather 65536 f32 elements", ck_gather, &e, (double)rows, "G/s");
}

static void sorts(void) {
  float *f = slots[0];
  for (int64_t i = 0; i < 64 * 50304; i++) f[i] = (float)((i * 2654435761ll) % 1000003) - 5e5f;
  ck_sort_params p = {.rank = 2, .axis = 1, .shape = {64, 16384}, .k = 16384};
  p.source = (ck_operand){{0, 0}, CK_F32, {16384, 1}}, p.values = (ck_operand){{1, 0}, CK_F32, {16384, 1}};
  p.indices = (ck_operand){{2, 0}, CK_I32, {16384, 1}};
  run("sort f32 64x16384", ck_sort, &p, 64 * 16384.0, "G/s");
  p.shape[0] = 16384, p.shape[1] = p.k = 64;
  p.source.stride[0] = p.values.stride[0] = p.indices.stride[0] = 64;
  run("sort f32 16384x64", ck_sort, &p, 64 * 16384.0, "G/s");
  p.shape[0] = 64, p.shape[1] = 50304, p.k = 50, p.descending = true;
  p.source.stride[0] = 50304, p.values.stride[0] = p.indices.stride[0] = 50;
  run("top 50 of 50304, 64 lines", ck_sort, &p, 64 * 50304.0, "G/s");
  ck_scan_params s = {.rank = 2, .axis = 1, .shape = {2048, 1024}};
  s.source = (ck_operand){{0, 0}, CK_F32, {1024, 1}}, s.result = (ck_operand){{1, 0}, CK_F32, {1024, 1}};
  run("cumulative sum f32 2048x1024, last axis", ck_scan, &s, 2097152.0, "G/s");
  s.axis = 0;
  run("cumulative sum f32 2048x1024, first axis", ck_scan, &s, 2097152.0, "G/s");
  ck_philox_params r = {.count = 1 << 20, .seed = {2, 0}, .offset = {2, 8}, .result = {1, 0}};
  run("philox 1M words", ck_philox, &r, 1048576.0, "G/s");
}

static void pools(bool last) {
  ck_pool_params p = {.mode = CK_POOL_MAX, .batch = 32, .channels = 64, .source_height = 32, .source_width = 32,
                      .result_height = 16, .result_width = 16, .kernel_y = 2, .kernel_x = 2, .stride_y = 2,
                      .stride_x = 2, .dilation_y = 1, .dilation_x = 1, .indices = {.ref = {-1, 0}}};
  ck_operand big = {{0, 0}, CK_F32, {65536, 1024, 32, 1}}, small = {{1, 0}, CK_F32, {16384, 256, 16, 1}};
  if (last) {
    big = (ck_operand){{0, 0}, CK_F32, {65536, 1, 2048, 64}}, small = (ck_operand){{1, 0}, CK_F32, {16384, 1, 1024, 64}};
  }
  p.source = big, p.result = small;
  char name[64];
  const char *layout = last ? "NHWC" : "NCHW";
  snprintf(name, sizeof name, "pool max 2x2 32x64x32x32 %s", layout);
  run(name, ck_pool, &p, 4.0 * 2097152, "GB/s");
  p.mode = CK_POOL_AVERAGE;
  snprintf(name, sizeof name, "pool average 2x2 32x64x32x32 %s", layout);
  run(name, ck_pool, &p, 4.0 * 2097152, "GB/s");
  p.mode = CK_POOL_MAX;
  ck_pool_gradient_params g = {p, small, big};
  g.source_gradient.ref.slot = 3;
  snprintf(name, sizeof name, "pool max gradient 2x2 32x64x32x32 %s", layout);
  run(name, ck_pool_gradient, &g, 12.0 * 2097152, "GB/s");
}

static void conv(int64_t batch, int64_t in, int64_t out, int64_t side, int64_t kernel, int64_t stride, int64_t groups,
                 bool last) {
  int64_t pad = kernel / 2, produced = (side + 2 * pad - kernel) / stride + 1;
  ck_conv2d_params p = {.shape = {batch, in, out, groups, side, side, produced, produced, kernel, kernel, stride, stride,
                                  1, 1, pad, pad}};
  ck_operand source = {{0, 0}, CK_F32, {in * side * side, side * side, side, 1}};
  ck_operand result = {{1, 0}, CK_F32, {out * produced * produced, produced * produced, produced, 1}};
  int64_t depth = in / groups;
  ck_operand weights = {{2, 0}, CK_F32, {depth * kernel * kernel, kernel * kernel, kernel, 1}};
  if (last) {
    source = (ck_operand){{0, 0}, CK_F32, {in * side * side, 1, side * in, in}};
    result = (ck_operand){{1, 0}, CK_F32, {out * produced * produced, 1, produced * out, out}};
  }
  p.source = source, p.weights = weights, p.result = result;
  p.bias = (ck_operand){{3, 0}, CK_F32, {1}};
  p.relu = true;
  p.packed = (ck_ref){4, 0};
  int64_t bytes = ck_conv2d_pack_size(&p);
  slots[4] = ck_alloc((size_t)bytes);
  ck_conv2d_pack(&p, slots);
  double operations = 2.0 * (double)(batch * out * produced * produced) * (double)(depth * kernel * kernel);
  char name[96];
#define NAME(what) snprintf(name, sizeof name, "conv %s %lldx%lldx%lld^2 to %lld, %lldx%lld/%lld g%lld %s", what, (long long)batch, \
                            (long long)in, (long long)side, (long long)out, (long long)kernel, (long long)kernel, \
                            (long long)stride, (long long)groups, last ? "NHWC" : "NCHW")
  NAME("fwd");
  run(name, ck_conv2d, &p, operations, "GFLOP/s");
  ck_free(slots[4], (size_t)bytes);
  ck_conv2d_data_gradient_params d = {p.shape, result, weights, source, {.ref = {-1, 0}}};
  d.gradient.ref.slot = 1, d.source_gradient.ref.slot = 0;
  NAME("data");
  run(name, ck_conv2d_data_gradient, &d, operations, "GFLOP/s");
  ck_conv2d_weights_gradient_params w = {p.shape, result, source, weights};
  NAME("weights");
  run(name, ck_conv2d_weights_gradient, &w, operations, "GFLOP/s");
}

int main(int argc, char **argv) {
  filter = argc > 1 ? argv[1] : NULL;
  if (argc > 2) {
    ck_set_num_threads(1);
    clock_id = CLOCK_PROCESS_CPUTIME_ID;
  }
  size_t bytes = (size_t)160 << 20;
  for (int k = 0; k < 4; k++) {
    slots[k] = ck_alloc(bytes);
    memset(slots[k], 0, bytes);
  }
  printf("%s, %d threads, oneDNN %s\n", ck_isa_name(), ck_num_threads(),
         ck_onednn_available() ? ck_onednn_version() : "absent");
  copies();
  indices();
  sorts();
  pools(false);
  pools(true);
  for (int last = 0; last < 2; last++) {
    conv(32, 3, 32, 32, 3, 1, 1, last);
    conv(32, 32, 64, 32, 3, 1, 1, last);
    conv(32, 64, 64, 32, 3, 2, 1, last);
    conv(32, 64, 64, 16, 1, 1, 1, last);
    conv(8, 256, 256, 14, 3, 1, 1, last);
    conv(8, 128, 128, 28, 3, 1, 128, last);
    conv(8, 128, 128, 28, 3, 2, 128, last);
    conv(1, 64, 64, 56, 3, 1, 1, last);
  }
  for (int k = 0; k < 4; k++) ck_free(slots[k], bytes);
  return 0;
}
