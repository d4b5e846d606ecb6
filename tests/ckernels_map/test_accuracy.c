// How far results are from the exact ones, over the float32 numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "test_map.h"

// --- Accuracy over the float32 numbers

static double exact_of(ck_map_op o, double x) {
  switch (o) {
    case CK_MAP_EXPONENT: return exp(x);
    case CK_MAP_EXPONENT_BASE2: return exp2(x);
    case CK_MAP_EXPONENT_BASE10: return (double)powl(10, x);
    case CK_MAP_LOGARITHM: return log(x);
    case CK_MAP_LOGARITHM_BASE2: return log2(x);
    case CK_MAP_LOGARITHM_BASE10: return log10(x);
    case CK_MAP_SIN: return sin(x);
    case CK_MAP_COS: return cos(x);
    case CK_MAP_TAN: return tan(x);
    case CK_MAP_SINH: return sinh(x);
    case CK_MAP_COSH: return cosh(x);
    case CK_MAP_TANH: return tanh(x);
    case CK_MAP_ASIN: return asin(x);
    case CK_MAP_ACOS: return acos(x);
    case CK_MAP_ATAN: return atan(x);
    case CK_MAP_ASINH: return asinh(x);
    case CK_MAP_ACOSH: return acosh(x);
    case CK_MAP_ATANH: return atanh(x);
    case CK_MAP_ERF: return erf(x);
    default: return 1 / (1 + exp(-x));
  }
}

static void sweep(ck_map_op o, uint32_t step) {
  enum { N = 1 << 16 };
  static float x[N], y[N];
  void *slots[2] = {x, y};
  ck_operand operands[] = {{.ref = {0, 0}, .stride = {1}}, {.ref = {1, 0}, .stride = {1}}};
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(o, 0, 0, 0), op(CK_MAP_STORE, 1, 1, 0)};
  ck_map_desc d = {.rank = 1, .dims = {N}, .operand_count = 2, .inst_count = 3, .operands = operands, .insts = insts};
  ck_map *m = ck_map_create(&d);
  double worst = 0;
  float where = 0;
  uint64_t bits = 0;
  while (bits < 1ull << 32) {
    for (int i = 0; i < N; i++, bits += step) {
      uint32_t u = (uint32_t)(bits < 1ull << 32 ? bits : 0);
      memcpy(&x[i], &u, 4);
    }
    ck_map_run(m, slots);
    for (int i = 0; i < N; i++) {
      double want = exact_of(o, (double)x[i]);
      float rounded = (float)want;
      double e = ulps(y[i], rounded);
      if (isfinite(rounded) && isfinite(y[i]) && rounded != 0) {
        int k;
        (void)frexpf(rounded, &k);
        e = fabs((double)y[i] - want) / ldexp(1, k - 24 < -149 ? -149 : k - 24);
      }
      if (rounded == 0 && y[i] == 0 && signbit(rounded) != signbit(y[i])) e = INFINITY;
      if (e > worst) worst = e, where = x[i];
    }
  }
  ck_map_destroy(m);
  double bound = bound_of(o);
  printf("  op %3d: %.3f ULP at %a\n", o, worst, where);
  checks++;
  if (!(worst <= bound)) fail("accuracy", "beyond the bound");
}

void test_accuracy(uint32_t step) {
  for (int o = CK_MAP_EXPONENT; o <= CK_MAP_ERF; o++) sweep((ck_map_op)o, step);
  sweep(CK_MAP_SIGMOID, step);
}

void test_power(void) {
  static const float xs[] = {0, -0.0f, 1, -1, 2, -2, 3, 10, 0.5f, 0.25f, -0.5f, INFINITY, -INFINITY, NAN, 7, 1.1f, 1e30f, 1e-40f, -3};
  enum { K = 19 };
  float x[K * K], y[K * K], got[K * K];
  for (int i = 0; i < K * K; i++) x[i] = xs[i / K], y[i] = xs[i % K];
  void *slots[] = {x, y, got};
  ck_operand operands[] = {{.ref = {0, 0}, .stride = {1}}, {.ref = {1, 0}, .stride = {1}}, {.ref = {2, 0}, .stride = {1}}};
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_POWER, 0, 1, 0), op(CK_MAP_STORE, 2, 2, 0)};
  ck_map_desc d = {.rank = 1, .dims = {K * K}, .operand_count = 3, .inst_count = 4, .operands = operands, .insts = insts};
  run("pow", &d, slots);
  for (int i = 0; i < K * K; i++) {
    float want = (float)pow((double)x[i], (double)y[i]);
    checks++;
    char text[100];
    snprintf(text, sizeof text, "%g ^ %g = %a, want %a", x[i], y[i], got[i], want);
    if (ulps(got[i], want) > 0 || (!isnan(want) && signbit(want) != signbit(got[i]))) fail("pow", text);
  }
}
