// Time of attention, forward and backward: best of many runs.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "CKernels.h"

static double seconds = 0.5;

static double now(void) {
  struct timespec t;
  // One thread's own time is right on a busy machine too.
  clock_gettime(ck_num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_time(ck_kernel kernel, const void *params, void **slots) {
  double best = 1e9, start = now();
  while (now() - start < seconds) {
    double t = now();
    kernel(params, slots);
    t = now() - t;
    if (t < best) best = t;
  }
  return best;
}

static void bench(int64_t b, int64_t h, int64_t lq, int64_t lk, int64_t d, bool causal) {
  void *slots[9];
  int64_t sizes[9];
  for (int i = 0; i < 9; i++) {
    sizes[i] = b * h * d * (i == 0 || i == 3 || i == 4 || i == 5 ? lq : lk) * 4;
    slots[i] = ck_alloc((size_t)sizes[i]);
    for (int64_t j = 0; j < sizes[i] / 4; j++) ((float *)slots[i])[j] = (float)(j * 37 % 101) / 50 - 1;
  }
  ck_tensor4 q = {{0, 0}, CK_F32, {h * lq * d, lq * d, d, 1}};
  ck_tensor4 k = {{1, 0}, CK_F32, {h * lk * d, lk * d, d, 1}};
  ck_attention_params p = {
    .shape = {.batch = b, .heads = h, .lq = lq, .lk = lk, .d = d, .dv = d, .causal = causal,
              .scale = 1 / sqrtf((float)d), .q = q, .k = k, .v = k, .mask = {.ref = {-1, 0}}},
    .o = q, .lse = {8, 0}};
  p.shape.v.ref.slot = 2;
  p.o.ref.slot = 3;
  ck_attention_backward_params g = {
    .shape = p.shape, .o = p.o, .grad_o = q, .lse = p.lse, .grad_q = q, .grad_k = k, .grad_v = k};
  g.grad_o.ref.slot = 4;
  g.grad_q.ref.slot = 5;
  g.grad_k.ref.slot = 6;
  g.grad_v.ref.slot = 7;
  double forward = best_time(ck_attention, &p, slots);
  double backward = best_time(ck_attention_backward, &g, slots);
  double work = 4e-9 * (double)(b * h * lq * lk * d) / (causal ? 2 : 1);
  printf(
    "%lldx%lldx%lldx%lld d%-3lld %-6s forward %9.1f us %6.1f GFLOP/s  backward %9.1f us %6.1f GFLOP/s\n",
    (long long)b, (long long)h, (long long)lq, (long long)lk, (long long)d,
    causal ? "causal" : "", forward * 1e6, work / forward, backward * 1e6, 2.5 * work / backward);
  for (int i = 0; i < 9; i++) ck_free(slots[i], (size_t)sizes[i]);
}

// Arguments: threads, seconds per case.
int main(int argc, char **argv) {
  if (argc > 1) ck_set_num_threads(atoi(argv[1]));
  if (argc > 2) seconds = atof(argv[2]);
  printf("%s, %d threads\n", ck_isa_name(), ck_num_threads());
  bench(4, 8, 512, 512, 64, true);
  bench(4, 8, 512, 512, 64, false);
  bench(8, 4, 128, 128, 64, false);
  bench(1, 1, 2048, 2048, 64, true);
  bench(1, 12, 1, 1024, 64, false);
  return 0;
}
