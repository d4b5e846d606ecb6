// Times of typical programs. Usage: bench_map [threads]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CKernels.h"

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ck_map_inst op(ck_map_op o, int a, int b, int c) {
  return (ck_map_inst){.op = o, .a = a, .b = b, .c = c};
}
static ck_map_inst constant(double x) { return (ck_map_inst){.op = CK_MAP_CONST_F32, .imm_f = x}; }

// The best of many runs: the machine may be shared.
static void time_program(const char *name, const ck_map_desc *d, void *const *slots, double bytes) {
  const char *problem = ck_map_check(d);
  if (problem) {
    printf("%s: %s\n", name, problem);
    exit(1);
  }
  ck_map *m = ck_map_create(d);
  double best = 1e9, until = seconds() + 0.4;
  ck_map_run(m, slots);
  while (seconds() < until) {
    int repeat = best < 1e-5 ? 100 : 1;
    double start = seconds();
    for (int i = 0; i < repeat; i++) ck_map_run(m, slots);
    double t = (seconds() - start) / repeat;
    if (t < best) best = t;
  }
  ck_map_destroy(m);
  printf("%-44s %10.2f us %7.1f GB/s\n", name, best * 1e6, bytes / best * 1e-9);
}

static ck_operand operand(int slot, ck_dtype t, int64_t s0, int64_t s1, int64_t s2) {
  return (ck_operand){.ref = {slot, 0}, .dtype = t, .stride = {s0, s1, s2}};
}

#define COUNT(x) (int32_t)(sizeof(x) / sizeof *(x))
#define PROGRAM(d, insts_, operands_) \
  (d).insts = insts_, (d).inst_count = COUNT(insts_), (d).operands = operands_, (d).operand_count = COUNT(operands_)

static void pointwise(void *const *slots, int64_t n) {
  // x * sigmoid(x) + tanh(y) * 0.5 - exp(-|x|)
  ck_map_inst insts[] = {
    op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_SIGMOID, 0, 0, 0),
    op(CK_MAP_MULTIPLY, 0, 2, 0), op(CK_MAP_TANH, 1, 0, 0), constant(0.5),
    op(CK_MAP_MULTIPLY, 4, 5, 0), op(CK_MAP_ADD, 3, 6, 0), op(CK_MAP_ABSOLUTE, 0, 0, 0),
    op(CK_MAP_NEGATIVE, 8, 0, 0), op(CK_MAP_EXPONENT, 9, 0, 0), op(CK_MAP_SUBTRACT, 7, 10, 0),
    op(CK_MAP_STORE, 11, 2, 0)};
  ck_operand operands[] = {
    operand(0, CK_F32, 1, 0, 0), operand(1, CK_F32, 1, 0, 0), operand(2, CK_F32, 1, 0, 0)};
  ck_map_desc d = {.rank = 1, .dims = {n}};
  PROGRAM(d, insts, operands);
  char name[64];
  snprintf(name, sizeof name, "pointwise, %lld", (long long)n);
  time_program(name, &d, slots, 12.0 * (double)n);
}

static void softmax_norm(void *const *slots, int64_t rows, int64_t n) {
  ck_map_inst insts[] = {
    op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_MAXIMUM, 0, 0, 0), op(CK_MAP_SUBTRACT, 0, 1, 0),
    op(CK_MAP_EXPONENT, 2, 0, 0), op(CK_MAP_REDUCE_SUM, 3, 0, 0), op(CK_MAP_DIVIDE, 3, 4, 0),
    // layer norm of 5
    op(CK_MAP_REDUCE_SUM, 5, 0, 0), constant(1.0 / (double)n), op(CK_MAP_MULTIPLY, 6, 7, 0),
    op(CK_MAP_SUBTRACT, 5, 8, 0), op(CK_MAP_SQUARE, 9, 0, 0), op(CK_MAP_REDUCE_SUM, 10, 0, 0),
    op(CK_MAP_MULTIPLY, 11, 7, 0), constant(1e-5), op(CK_MAP_ADD, 12, 13, 0),
    op(CK_MAP_RECIPROCAL_SQUARE_ROOT, 14, 0, 0), op(CK_MAP_MULTIPLY, 9, 15, 0),
    op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_MULTIPLY, 16, 17, 0), op(CK_MAP_LOAD, 2, 0, 0),
    op(CK_MAP_ADD, 18, 19, 0), op(CK_MAP_STORE, 20, 3, 0)};
  ck_operand operands[] = {
    operand(0, CK_F32, n, 1, 0), operand(1, CK_F32, 0, 1, 0), operand(1, CK_F32, 0, 1, 0),
    operand(2, CK_F32, n, 1, 0)};
  ck_map_desc d = {.rank = 2, .dims = {rows, n}, .reduced = 2};
  PROGRAM(d, insts, operands);
  time_program("softmax + layer norm", &d, slots, 8.0 * (double)(rows * n));
  ck_map_inst soft[] = {
    op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_MAXIMUM, 0, 0, 0), op(CK_MAP_SUBTRACT, 0, 1, 0),
    op(CK_MAP_EXPONENT, 2, 0, 0), op(CK_MAP_REDUCE_SUM, 3, 0, 0), op(CK_MAP_DIVIDE, 3, 4, 0),
    op(CK_MAP_STORE, 5, 3, 0)};
  PROGRAM(d, soft, operands);
  time_program("softmax", &d, slots, 8.0 * (double)(rows * n));
  ck_operand middle[] = {operand(0, CK_F32, 128, 1, 0), operand(1, CK_F32, 0, 1, 0),
    operand(1, CK_F32, 0, 1, 0), operand(2, CK_F32, 128, 1, 0)};
  d.dims[0] = 8192, d.dims[1] = 128;
  PROGRAM(d, soft, middle);
  time_program("softmax, 8192 rows of 128", &d, slots, 8.0 * (1 << 20));
  PROGRAM(d, insts, middle);
  time_program("softmax + layer norm, 8192 rows of 128", &d, slots, 8.0 * (1 << 20));
  ck_operand short_rows[] = {operand(0, CK_F32, 10, 1, 0), operand(0, CK_F32, 0, 0, 0),
    operand(0, CK_F32, 0, 0, 0), operand(2, CK_F32, 10, 1, 0)};
  d.dims[0] = 100000, d.dims[1] = 10;
  PROGRAM(d, soft, short_rows);
  time_program("softmax, 100000 rows of 10", &d, slots, 8e6);
}

static void reductions(void *const *slots) {
  ck_map_inst sum[] = {
    op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_SUM, 0, 0, 0), op(CK_MAP_STORE, 1, 1, 0)};
  ck_operand flat[] = {operand(0, CK_F32, 1, 0, 0), operand(2, CK_F32, 0, 0, 0)};
  ck_map_desc d = {.rank = 1, .dims = {1 << 20}, .reduced = 1};
  PROGRAM(d, sum, flat);
  time_program("sum of 1M", &d, slots, 4.0 * (1 << 20));
  ck_operand column[] = {operand(0, CK_F32, 1024, 1, 0), operand(2, CK_F32, 0, 1, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {1024, 1024}, .reduced = 1};
  PROGRAM(d, sum, column);
  time_program("column sums of 1024 x 1024", &d, slots, 4.0 * (1 << 20));
  ck_operand narrow[] = {operand(0, CK_F32, 64, 1, 0), operand(2, CK_F32, 0, 1, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {16384, 64}, .reduced = 1};
  PROGRAM(d, sum, narrow);
  time_program("column sums of 16384 x 64", &d, slots, 4.0 * (1 << 20));
  ck_operand ten[] = {operand(0, CK_F32, 10, 1, 0), operand(2, CK_F32, 0, 1, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {100000, 10}, .reduced = 1};
  PROGRAM(d, sum, ten);
  time_program("column sums of 100000 x 10", &d, slots, 4e6);
  ck_operand nchw[] = {operand(0, CK_F32, 64 * 1024, 1024, 1), operand(2, CK_F32, 0, 1, 0)};
  d = (ck_map_desc){.rank = 3, .dims = {16, 64, 1024}, .reduced = 5};
  PROGRAM(d, sum, nchw);
  time_program("sums of N C HW to C, 16 x 64 x 1024", &d, slots, 4.0 * (1 << 20));
  ck_operand rows[] = {operand(0, CK_F32, 1024, 1, 0), operand(2, CK_F32, 1, 0, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {1024, 1024}, .reduced = 2};
  PROGRAM(d, sum, rows);
  time_program("row sums of 1024 x 1024", &d, slots, 4.0 * (1 << 20));
}

static void moves(void *const *slots) {
  ck_map_inst copy[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_STORE, 0, 1, 0)};
  ck_operand t[] = {operand(0, CK_F32, 1, 1024, 0), operand(2, CK_F32, 1024, 1, 0)};
  ck_map_desc d = {.rank = 2, .dims = {1024, 1024}};
  PROGRAM(d, copy, t);
  time_program("transpose 1024 x 1024", &d, slots, 8.0 * (1 << 20));
  ck_operand flat[] = {operand(0, CK_F32, 1024, 1, 0), operand(2, CK_F32, 1024, 1, 0)};
  PROGRAM(d, copy, flat);
  time_program("copy 1M f32", &d, slots, 8.0 * (1 << 20));
  ck_operand half[] = {operand(0, CK_BF16, 1024, 1, 0), operand(2, CK_F16, 1024, 1, 0)};
  PROGRAM(d, copy, half);
  time_program("bf16 -> f16, 1M", &d, slots, 4.0 * (1 << 20));
  ck_map_inst add[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_ADD, 0, 1, 0),
    op(CK_MAP_RELU, 2, 0, 0), op(CK_MAP_STORE, 3, 2, 0)};
  ck_operand bias[] = {operand(0, CK_F32, 256, 1, 0), operand(1, CK_F32, 0, 1, 0), operand(2, CK_F32, 256, 1, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {4096, 256}};
  PROGRAM(d, add, bias);
  time_program("bias + relu, 4096 x 256", &d, slots, 8.0 * (1 << 20));
  ck_operand small[] = {operand(0, CK_F32, 10, 1, 0), operand(1, CK_F32, 0, 1, 0), operand(2, CK_F32, 10, 1, 0)};
  d = (ck_map_desc){.rank = 2, .dims = {100000, 10}};
  PROGRAM(d, add, small);
  time_program("bias + relu, 100000 x 10", &d, slots, 8e6);
}

static void tiny(void *const *slots) {
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_ADD, 0, 1, 0),
    op(CK_MAP_MULTIPLY, 2, 1, 0), op(CK_MAP_RELU, 3, 0, 0), op(CK_MAP_STORE, 4, 2, 0)};
  ck_operand operands[] = {
    operand(0, CK_F32, 1, 0, 0), operand(1, CK_F32, 1, 0, 0), operand(2, CK_F32, 1, 0, 0)};
  ck_map_desc d = {.rank = 1, .dims = {4}};
  PROGRAM(d, insts, operands);
  time_program("tiny: 4 elements, 3 operations", &d, slots, 48);
}

int main(int argc, char **argv) {
  if (argc > 1) ck_set_num_threads(atoi(argv[1]));
  int64_t bytes = 64 << 20;
  void *slots[3];
  for (int s = 0; s < 3; s++) {
    slots[s] = ck_alloc((size_t)bytes);
    float *f = slots[s];
    for (int64_t i = 0; i < bytes / 4; i++) f[i] = (float)((i * 7919 + s * 13) % 2000 - 1000) * 0.004f;
  }
  printf("%s, %d threads\n", ck_isa_name(), ck_num_threads());
  tiny(slots);
  pointwise(slots, 1000);
  pointwise(slots, 1 << 20);
  softmax_norm(slots, 2048, 1024);
  reductions(slots);
  moves(slots);
}
