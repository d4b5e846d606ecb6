// Throughput of ck_gemm: best of several rounds, so that a busy machine disturbs less.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CKernels.h"

static double now(void) {
  struct timespec t;
  // One thread's own time is right on a busy machine too.
  clock_gettime(ck_num_threads() == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds = 0.15;
static const char *only;

static double best_time(const ck_gemm_params *p, void **slots) {
  double best = 1e9;
  ck_gemm(p, slots);
  double start = now();
  while (now() - start < seconds) {
    double t = now();
    int runs = 0;
    do {
      ck_gemm(p, slots);
      runs++;
    } while (now() - t < 3e-5);
    t = (now() - t) / runs;
    if (t < best) best = t;
  }
  return best;
}

static void bench(
  int64_t m, int64_t k, int64_t n, const char *kind, ck_dtype tb, int64_t batch) {
  char name[64];
  snprintf(
    name, sizeof name, "%lldx%lldx%lld x%lld %s %s", (long long)m, (long long)k, (long long)n,
    (long long)batch, kind, tb == CK_F32 ? "f32" : "b16");
  if (only && !strstr(name, only)) return;
  bool packed = strchr(kind, 'p'), a_columns = strchr(kind, 'a'), b_columns = strchr(kind, 'b');
  size_t a_size = (size_t)(m * k * batch), b_size = (size_t)(k * n * batch);
  float *a = ck_alloc(a_size * 4), *b = ck_alloc(b_size * 4);
  float *c = ck_alloc((size_t)(m * n * batch) * 4), *bias = ck_alloc((size_t)n * 4);
  for (size_t i = 0; i < a_size; i++) a[i] = (float)(i % 13) - 6;
  for (size_t i = 0; i < b_size; i++) b[i] = (float)(i % 11) - 5;
  if (tb != CK_F32) memset(b, 0, b_size * 4);
  for (int64_t i = 0; i < n; i++) bias[i] = 1;
  ck_gemm_params p = {
    .m = m, .n = n, .k = k, .batch = {1, 1, 1, batch},
    .a = {{0, 0}, CK_F32, a_columns ? 1 : k, a_columns ? m : 1, {0, 0, 0, m * k}},
    .b = {{1, 0}, tb, b_columns ? 1 : n, b_columns ? k : 1, {0, 0, 0, batch > 1 ? k * n : 0}},
    .c = {{2, 0}, CK_F32, n, 1, {0, 0, 0, m * n}},
    .packed_slot = packed ? 3 : -1, .packed_dtype = tb,
    .bias_col = {{packed ? 4 : -1, 0}, CK_F32, 1}, .bias_row = {{-1, 0}, CK_F32, 0},
    .relu = packed};
  void *slots[5] = {a, b, c, NULL, bias};
  size_t packed_size = (size_t)ck_gemm_pack_size(k, n, tb);
  if (packed) {
    slots[3] = ck_alloc(packed_size);
    ck_gemm_pack(b, tb, p.b.row, p.b.col, k, n, slots[3], tb);
  }
  double t = best_time(&p, slots);
  printf(
    "%-24s %9.2f us %7.1f GFLOP/s %6.1f GB/s of B\n", name, t * 1e6,
    2e-9 * (double)(m * n * k * batch) / t, 1e-9 * (double)b_size * (double)ck_size(tb) / t);
  ck_free(a, a_size * 4);
  ck_free(b, b_size * 4);
  ck_free(c, (size_t)(m * n * batch) * 4);
  ck_free(bias, (size_t)n * 4);
  if (packed) ck_free(slots[3], packed_size);
}

// M x K x N; p: packed B, a: A transposed, b: B transposed ([N, K]).
// Arguments: threads, seconds per case, and a part of the case's name (all without).
int main(int argc, char **argv) {
  if (argc > 1) ck_set_num_threads(atoi(argv[1]));
  if (argc > 2) seconds = atof(argv[2]);
  if (argc > 3) only = argv[3];
  printf("%s, %d threads\n", ck_isa_name(), ck_num_threads());
  bench(1, 8, 4, "b", CK_F32, 1);
  bench(1, 784, 512, "p", CK_F32, 1);
  bench(1, 784, 512, "p", CK_BF16, 1);
  bench(1, 784, 512, "b", CK_F32, 1);
  bench(1, 784, 512, "-", CK_F32, 1);
  bench(4, 784, 512, "p", CK_F32, 1);
  bench(8, 784, 512, "b", CK_F32, 1);
  bench(8, 784, 512, "-", CK_F32, 1);
  bench(1, 4096, 4096, "p", CK_F32, 1);
  bench(1, 4096, 4096, "b", CK_F32, 1);
  bench(1, 4096, 4096, "-", CK_F32, 1);
  bench(37, 100, 96, "p", CK_F32, 1);
  bench(64, 256, 10, "p", CK_F32, 1);
  bench(64, 784, 512, "p", CK_F32, 1);
  bench(64, 784, 512, "-", CK_F32, 1);
  bench(64, 784, 512, "b", CK_F32, 1);
  bench(64, 512, 256, "p", CK_F32, 1);
  bench(64, 512, 256, "p", CK_BF16, 1);
  bench(1024, 256, 1024, "p", CK_F32, 1);
  bench(1024, 256, 1024, "-", CK_F32, 1);
  bench(1024, 256, 1024, "b", CK_F32, 1);
  bench(1024, 1024, 256, "p", CK_F32, 1);
  bench(256, 8192, 256, "a", CK_F32, 1);
  bench(784, 64, 512, "a", CK_F32, 1);
  bench(64, 512, 784, "-", CK_F32, 1);
  bench(256, 1024, 256, "a", CK_F32, 1);
  bench(256, 1024, 1024, "a", CK_F32, 1);
  bench(16, 8192, 16, "a", CK_F32, 1);
  bench(128, 64, 128, "b", CK_F32, 32);
  bench(128, 128, 64, "-", CK_F32, 32);
  bench(1024, 1024, 1024, "-", CK_F32, 1);
  bench(2048, 2048, 2048, "-", CK_F32, 1);
  return 0;
}
