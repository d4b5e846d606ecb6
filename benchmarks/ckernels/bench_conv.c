// Convolution and its gradients: best of many runs. With oneDNN where LUCID_ONEDNN names it, with our
// own kernels under LUCID_ONEDNN=off.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "CKernels.h"

static double seconds = 0.2;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_time(ck_kernel run, const void *params, void *const *slots) {
  run(params, slots);
  double best = 1e9, start = now();
  while (now() - start < seconds) {
    double t = now();
    run(params, slots);
    t = now() - t;
    if (t < best) best = t;
  }
  return best;
}

static void bench(
  int64_t n, int64_t in, int64_t out, int64_t groups, int64_t h, int64_t k, int64_t stride,
  bool last) {
  int64_t pad = k / 2, r = (h + 2 * pad - k) / stride + 1;
  ck_conv2d_shape s = {n, in, out, groups, h, h, r, r, k, k, stride, stride, 1, 1, pad, pad};
  int64_t sizes[3] = {n * in * h * h, out * in / groups * k * k, n * out * r * r};
  void *slots[5] = {0};
  for (int i = 0; i < 3; i++) {
    slots[i] = ck_alloc((size_t)sizes[i] * 4);
    for (int64_t j = 0; j < sizes[i]; j++) ((float *)slots[i])[j] = (float)(j * 37 % 101) / 50 - 1;
  }
  ck_operand so = {{0, 0}, CK_F32, {in * h * h, h * h, h, 1}};
  ck_operand ro = {{2, 0}, CK_F32, {out * r * r, r * r, r, 1}};
  if (last) {
    so = (ck_operand){{0, 0}, CK_F32, {in * h * h, 1, h * in, in}};
    ro = (ck_operand){{2, 0}, CK_F32, {out * r * r, 1, r * out, out}};
  }
  ck_operand wo = {{1, 0}, CK_F32, {in / groups * k * k, k * k, k, 1}};
  ck_operand none = {.ref = {-1, 0}};
  ck_conv2d_params p = {.shape = s, .source = so, .weights = wo, .result = ro, .bias = none,
                        .packed = {-1, 0}};
  ck_conv2d_data_gradient_params d = {s, ro, wo, so, none};
  ck_conv2d_weights_gradient_params w = {s, ro, so, wo};
  double t[4] = {best_time(ck_conv2d, &p, slots)};
  p.packed.slot = 3;
  size_t bytes = (size_t)ck_conv2d_pack_size(&p);
  if (bytes) {
    slots[3] = ck_alloc(bytes);
    ck_conv2d_pack(&p, slots);
    t[1] = best_time(ck_conv2d, &p, slots);
    ck_free(slots[3], bytes);
  }
  t[2] = best_time(ck_conv2d_data_gradient, &d, slots);
  t[3] = best_time(ck_conv2d_weights_gradient, &w, slots);
  printf("%2lldx%3lld->%3lld g%-3lld %3lldx%-3lld k%lld s%lld %s", (long long)n, (long long)in,
         (long long)out, (long long)groups, (long long)h, (long long)h, (long long)k,
         (long long)stride, last ? "nhwc" : "nchw");
  static const char *const names[] = {"forward", "packed", "data", "weights"};
  for (int i = 0; i < 4; i++)
    printf("  %s %6.0f us", names[i], t[i] * 1e6);
  printf("  (%.1f MFLOP)\n", 2e-6 * (double)(n * out * r * r) * (double)(in / groups * k * k));
  for (int i = 0; i < 3; i++) ck_free(slots[i], (size_t)sizes[i] * 4);
}

// Arguments: threads, seconds per case.
int main(int argc, char **argv) {
  if (argc > 1) ck_set_num_threads(atoi(argv[1]));
  if (argc > 2) seconds = atof(argv[2]);
  const char *version = ck_onednn_version();
  printf("%s, %d threads; oneDNN %s\n", ck_isa_name(), ck_num_threads(),
         version ? version : "(absent)");
  for (int last = 1; last >= 0; last--) {
    bench(32, 3, 32, 1, 32, 3, 1, last);
    bench(32, 32, 64, 1, 32, 3, 1, last);
    bench(32, 64, 64, 1, 16, 3, 1, last);
    bench(32, 64, 128, 1, 16, 3, 2, last);
    bench(32, 64, 64, 1, 16, 1, 1, last);
    bench(8, 128, 128, 128, 28, 3, 1, last);
    bench(1, 64, 64, 1, 56, 3, 1, last);
    bench(1, 3, 64, 1, 224, 7, 2, last);
  }
  return 0;
}
