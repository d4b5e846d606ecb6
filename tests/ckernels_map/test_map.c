// Tests of fused programs against an evaluation in double. Usage: test_map [ULP sweep step]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference.h"
#include "test_map.h"

int failures, checks;
static uint64_t seed = 12345;

static uint32_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33);
}
static int64_t below(int64_t n) { return (int64_t)draw() % n; }

void fail(const char *what, const char *detail) {
  if (failures++ < 30) printf("FAILED %s: %s\n", what, detail);
}

ck_map_inst op(ck_map_op o, int a, int b, int c) {
  return (ck_map_inst){.op = o, .a = a, .b = b, .c = c};
}
ck_map_inst imm(ck_map_op o, int a, int64_t i) { return (ck_map_inst){.op = o, .a = a, .imm_i = i}; }
ck_map_inst constant(double x) { return (ck_map_inst){.op = CK_MAP_CONST_F32, .imm_f = x}; }

// Distance in units of the last place of `want`; both NaN: 0.
double ulps(float got, float want) {
  if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : INFINITY;
  if (got == want) return 0;
  if (isinf(got) || isinf(want)) {
    if (isinf(got) && isinf(want)) return INFINITY;
    float m = 3.40282347e38f;  // one away from overflow counts as one
    float finite = isinf(got) ? want : got;
    return fabsf(finite) >= m ? 1 : INFINITY;
  }
  int e;
  (void)frexpf(want, &e);
  double unit = ldexp(1, e - 24 < -149 ? -149 : e - 24);
  return fabs((double)got - (double)want) / unit;
}

static void random_values(ck_dtype t, void *p, int64_t n, bool wild) {
  for (int64_t i = 0; i < n; i++) {
    cell x = {.i = 0};
    if (ck_class_of(t) == CK_CLASS_F32) {
      static const float special[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 0.5f, -2.5f, 3e38f, 1e-40f, 1.5f, 2, 3};
      x.f = (float)((int)draw() % 20001 - 10000) * 0.0004f;
      if (wild && below(4) == 0) x.f = special[below(14)];
      if (wild && below(4) == 0) {
        uint32_t u = draw() ^ draw() << 16;
        memcpy(&x.f, &u, 4);
      }
    } else {
      x.i = below(21) - 10;
      if (wild && below(3) == 0) x.i = (int64_t)((uint64_t)draw() << 33 ^ (uint64_t)draw() << 11 ^ draw());
      if (wild && below(8) == 0) x.i = below(2) ? INT64_MIN : (int64_t)INT32_MIN;
    }
    reference_store(t, ck_class_of(t), (char *)p + i * ck_size(t), x);
  }
}

// Compares memory of one type: integers exactly, floats within `bound` ULP or relative `tolerance`.
static void compare(const char *what, ck_dtype t, const void *got, const void *want, int64_t n, double bound, double tolerance) {
  checks++;
  for (int64_t i = 0; i < n; i++) {
    const char *g = (const char *)got + i * ck_size(t), *w = (const char *)want + i * ck_size(t);
    cell x = reference_load(t, g), y = reference_load(t, w);
    bool same;
    if (ck_class_of(t) == CK_CLASS_F32) {
      double scale = tolerance * fmax(1, fabs((double)y.f));
      same = ulps(x.f, y.f) <= bound || fabs((double)x.f - (double)y.f) <= scale;
    } else {
      same = x.i == y.i;
    }
    if (same) continue;
    char text[200];
    if (ck_class_of(t) == CK_CLASS_F32) {
      snprintf(text, sizeof text, "at %lld: %a (%g), want %a (%g)", (long long)i, x.f, x.f, y.f, y.f);
    } else {
      snprintf(text, sizeof text, "at %lld: %lld, want %lld", (long long)i, (long long)x.i, (long long)y.i);
    }
    fail(what, text);
    return;
  }
}

void run(const char *what, const ck_map_desc *d, void *const *slots) {
  const char *problem = ck_map_check(d);
  if (problem) {
    fail(what, problem);
    return;
  }
  ck_map *m = ck_map_create(d);
  if (!m) {
    fail(what, "ck_map_create");
    return;
  }
  ck_map_run(m, slots);
  ck_map_destroy(m);
}

// --- Every instruction, class, variant and size

double bound_of(ck_map_op o) {
  switch (o) {
    case CK_MAP_EXPONENT: case CK_MAP_SIGMOID: case CK_MAP_TANH: case CK_MAP_ERF: return 2;
    case CK_MAP_EXPONENT_BASE2: case CK_MAP_LOGARITHM: case CK_MAP_SIN: case CK_MAP_COS: case CK_MAP_TAN: return 4;
    case CK_MAP_EXPONENT_BASE10: case CK_MAP_LOGARITHM_BASE2: case CK_MAP_LOGARITHM_BASE10:
    case CK_MAP_SINH: case CK_MAP_COSH: case CK_MAP_ASIN: case CK_MAP_ACOS: case CK_MAP_ATAN:
    case CK_MAP_ASINH: case CK_MAP_ACOSH: case CK_MAP_ATANH: case CK_MAP_POWER: case CK_MAP_ATAN2: return 1;
    default: return 0;
  }
}

static const ck_dtype dtype_of_class[3] = {CK_F32, CK_I32, CK_I64};

static bool is_valid(ck_map_op o, ck_class cls, int args) {
  ck_operand operands[1] = {{.dtype = dtype_of_class[cls]}};
  ck_map_inst insts[3] = {op(CK_MAP_LOAD, 0, 0, 0), imm(CK_MAP_CONST_I32, 0, 1), op(o, 0, 0, 0)};
  if (o == CK_MAP_SELECT) insts[2].a = 1;
  (void)args;
  ck_map_desc d = {.rank = 0, .operand_count = 1, .inst_count = 3, .operands = operands, .insts = insts};
  return ck_map_check(&d) == NULL;
}

static void test_instruction(ck_map_op o, ck_class cls, int args, int64_t n) {
  char what[100];
  ck_dtype t = dtype_of_class[cls];
  int64_t size = ck_size(t);
  void *slots[4];
  for (int s = 0; s < 3; s++) {
    slots[s] = malloc((size_t)(n * size) + 8);
    random_values(s == 0 && o == CK_MAP_SELECT ? CK_I32 : t, slots[s], n ? n : 1, true);
  }
  slots[3] = malloc((size_t)n * 8 + 8);
  void *want = malloc((size_t)n * 8 + 8);
  for (int variant = 0; variant < 1 << args; variant++) {
    // Bit k set: argument k is one element.
    ck_operand operands[4] = {0};
    for (int s = 0; s < 3; s++) {
      operands[s] = (ck_operand){.ref = {s, 0}, .dtype = t, .stride = {variant >> s & 1 ? 0 : 1}};
    }
    if (o == CK_MAP_SELECT) operands[0].dtype = CK_I32;
    ck_map_inst insts[5] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_LOAD, 2, 0, 0),
      op(o, 0, 1, 2), op(CK_MAP_STORE, 3, 3, 0)};
    ck_map_desc d = {.rank = 1, .dims = {n}, .operand_count = 4, .inst_count = 5, .operands = operands, .insts = insts};
    ck_class result = reference_class(&d, 3);
    operands[3] = (ck_operand){.ref = {3, 0}, .dtype = dtype_of_class[result], .stride = {1}};
    snprintf(what, sizeof what, "op %d class %d variant %d n %lld", o, cls, variant, (long long)n);
    memset(slots[3], 0x55, (size_t)n * 8 + 8);
    run(what, &d, slots);
    void *expected[4] = {slots[0], slots[1], slots[2], want};
    reference_run(&d, expected);
    compare(what, operands[3].dtype, slots[3], want, n, bound_of(o), 0);
    const unsigned char *past = (unsigned char *)slots[3] + n * ck_size(operands[3].dtype);
    if (*past != 0x55) fail(what, "wrote past the end");
  }
  for (int s = 0; s < 4; s++) free(slots[s]);
  free(want);
}

static void test_instructions(void) {
  static const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 255, 1000};
  for (int o = CK_MAP_CAST_F32; o <= CK_MAP_SHIFT_RIGHT; o++) {
    if (o == CK_MAP_ROUND) continue;
    int args = o == CK_MAP_SELECT || o == CK_MAP_CLAMP || o == CK_MAP_CLAMP_NAN ? 3 : o >= CK_MAP_ADD ? 2 : 1;
    for (int cls = 0; cls < 3; cls++) {
      if (!is_valid((ck_map_op)o, (ck_class)cls, args)) continue;
      for (int s = 0; s < 8; s++) test_instruction((ck_map_op)o, (ck_class)cls, args, sizes[s]);
    }
  }
  test_instruction(CK_MAP_ADD, CK_CLASS_F32, 2, 100003);
  test_instruction(CK_MAP_TANH, CK_CLASS_F32, 1, 100003);
}

static void test_memory_types(void) {
  enum { N = 3000 };
  for (int from = CK_F32; from <= CK_U64; from++) {
    for (int to = CK_F32; to <= CK_U64; to++) {
      ck_class cls = ck_class_of((ck_dtype)from);
      if (to != CK_BOOL && ck_class_of((ck_dtype)to) != cls) continue;
      char what[60];
      snprintf(what, sizeof what, "type %d to %d", from, to);
      void *slots[2] = {malloc(N * 8), calloc(N, 8)}, *want[2] = {slots[0], calloc(N, 8)};
      random_values((ck_dtype)from, slots[0], N, true);
      ck_operand operands[] = {{.ref = {0, 0}, .dtype = (ck_dtype)from, .stride = {1}}, {.ref = {1, 0}, .dtype = (ck_dtype)to, .stride = {1}}};
      ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_STORE, 0, 1, 0)};
      ck_map_desc d = {.rank = 1, .dims = {N}, .operand_count = 2, .inst_count = 2, .operands = operands, .insts = insts};
      run(what, &d, slots);
      reference_run(&d, want);
      compare(what, (ck_dtype)to, slots[1], want[1], N, 0, 0);
      if (to != CK_BOOL) {
        ck_map_inst rounded[] = {op(CK_MAP_LOAD, 0, 0, 0), imm(CK_MAP_ROUND, 0, to), op(CK_MAP_STORE, 1, 1, 0)};
        operands[1].dtype = dtype_of_class[cls];
        d.insts = rounded, d.inst_count = 3;
        run(what, &d, slots);
        reference_run(&d, want);
        compare(what, operands[1].dtype, slots[1], want[1], N, 0, 0);
      }
      free(slots[0]), free(slots[1]), free(want[1]);
    }
  }
  // All half values there and back.
  uint16_t *half = malloc(65536 * 2), *back = malloc(65536 * 2);
  for (int i = 0; i < 65536; i++) half[i] = (uint16_t)i;
  for (int t = CK_F16; t <= CK_BF16; t++) {
    void *slots[2] = {half, back};
    ck_operand operands[] = {{.ref = {0, 0}, .dtype = (ck_dtype)t, .stride = {1}}, {.ref = {1, 0}, .dtype = (ck_dtype)t, .stride = {1}}};
    ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_STORE, 0, 1, 0)};
    ck_map_desc d = {.rank = 1, .dims = {65536}, .operand_count = 2, .inst_count = 2, .operands = operands, .insts = insts};
    run("half round trip", &d, slots);
    compare("half round trip", (ck_dtype)t, back, half, 65536, 0, 0);
  }
  free(half), free(back);
}

// --- Random layouts: permuted, negative, broadcast, gaps

enum { ELEMENTS = 80000, SLOT = 8 * ELEMENTS };

// Strides of a dense (or gapped) layout in a random order of dimensions; `broadcast` bits are 0.
static ck_operand layout(int slot, ck_dtype t, const int64_t *dims, int rank, uint32_t broadcast) {
  ck_operand o = {.ref = {slot, 0}, .dtype = t};
  int perm[CK_MAX_RANK];
  for (int i = 0; i < rank; i++) perm[i] = i;
  if (below(2)) {
    for (int i = rank - 1; i > 0; i--) {
      int j = (int)below(i + 1), x = perm[i];
      perm[i] = perm[j], perm[j] = x;
    }
  }
  int64_t stride = below(4) == 0 ? 1 + below(3) : 1, lowest = 0;
  for (int i = rank - 1; i >= 0; i--) {
    int dim = perm[i];
    if (broadcast >> dim & 1) continue;
    o.stride[dim] = below(5) == 0 ? -stride : stride;
    if (o.stride[dim] < 0) lowest += (dims[dim] > 0 ? dims[dim] - 1 : 0) * stride;
    stride *= dims[dim] + (below(6) == 0);
  }
  o.ref.offset = (lowest + 3) * ck_size(t);
  return o;
}

static void random_dims(ck_map_desc *d, int64_t most) {
  d->rank = (int32_t)below(5);
  int64_t total = 1;
  for (int i = 0; i < d->rank; i++) {
    static const int64_t sizes[] = {1, 2, 3, 5, 7, 10, 16, 17, 33, 64, 70, 100, 130, 300, 1500};
    d->dims[i] = sizes[below(15)];
    if (total * d->dims[i] > most) d->dims[i] = 1;
    total *= d->dims[i];
  }
}

static void test_random_layouts(void) {
  static const ck_dtype types[3][4] = {{CK_F32, CK_F16, CK_BF16, CK_F32}, {CK_I32, CK_I8, CK_BOOL, CK_U16}, {CK_I64, CK_U32, CK_U64, CK_I64}};
  void *slots[4], *want[4];
  for (int s = 0; s < 4; s++) slots[s] = malloc(SLOT), want[s] = malloc(SLOT);
  for (int round = 0; round < 400; round++) {
    char what[60];
    snprintf(what, sizeof what, "layout round %d", round);
    ck_map_desc d = {0};
    random_dims(&d, 6000);
    ck_class cls = (ck_class)below(3);
    ck_operand operands[4];
    for (int s = 0; s < 4; s++) {
      ck_dtype t = types[cls][below(4)];
      operands[s] = layout(s, t, d.dims, d.rank, s < 2 ? (uint32_t)below(16) & (uint32_t)below(16) : 0);
      random_values(t, slots[s], ELEMENTS, false);
      memcpy(want[s], slots[s], SLOT);
    }
    int iota = d.rank > 0;
    ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_ADD, 0, 1, 0),
      op(CK_MAP_MULTIPLY, 2, 0, 0), iota ? imm(CK_MAP_IOTA, 0, below(d.rank)) : imm(CK_MAP_CONST_I32, 0, 3),
      imm(cls == CK_CLASS_F32 ? CK_MAP_CAST_F32 : cls == CK_CLASS_I32 ? CK_MAP_CAST_I32 : CK_MAP_CAST_I64, 4, 0),
      op(CK_MAP_SUBTRACT, 3, 5, 0), op(CK_MAP_LESS, 0, 1, 0), op(CK_MAP_SELECT, 7, 6, 1),
      op(CK_MAP_STORE, 8, 2, 0), op(CK_MAP_STORE, 3, 3, 0)};
    d.insts = insts, d.inst_count = 11, d.operands = operands, d.operand_count = 4;
    if (below(4) == 0) {  // in place
      operands[2] = operands[0];
      if (d.rank > 0) {
        operands[0] = layout(0, operands[0].dtype, d.dims, d.rank, 0);
        operands[2] = operands[0];
      }
    }
    run(what, &d, slots);
    reference_run(&d, want);
    for (int s = 0; s < 4; s++) compare(what, operands[s == 2 ? 2 : s].dtype, slots[s], want[s], ELEMENTS, 0, 0);
  }
  for (int s = 0; s < 4; s++) free(slots[s]), free(want[s]);
}

// --- Reductions over random dimensions

static void test_random_reductions(void) {
  void *slots[4], *want[4];
  for (int s = 0; s < 4; s++) slots[s] = malloc(SLOT), want[s] = malloc(SLOT);
  for (int round = 0; round < 400; round++) {
    ck_map_desc d = {0};
    random_dims(&d, 8000);
    if (d.rank == 0) continue;
    d.reduced = 1 + (uint32_t)below((1 << d.rank) - 1);
    ck_class cls = (ck_class)below(3);
    int o = CK_MAP_REDUCE_SUM + (int)below(10);
    char what[60];
    snprintf(what, sizeof what, "reduction round %d op %d class %d", round, o, cls);
    ck_operand operands[3];
    operands[0] = layout(0, dtype_of_class[cls], d.dims, d.rank, (uint32_t)below(16) & (uint32_t)below(16) & (uint32_t)below(16));
    ck_class result = o >= CK_MAP_REDUCE_AND ? CK_CLASS_I32 : cls;
    operands[1] = layout(1, dtype_of_class[result], d.dims, d.rank, d.reduced);
    operands[2] = layout(2, dtype_of_class[cls], d.dims, d.rank, 0);
    for (int s = 0; s < 3; s++) {
      random_values(operands[s].dtype, slots[s], ELEMENTS, false);
      memcpy(want[s], slots[s], SLOT);
    }
    if (o == CK_MAP_REDUCE_PRODUCT && cls == CK_CLASS_F32) {  // keep products in range
      for (int64_t i = 0; i < ELEMENTS; i++) ((float *)slots[0])[i] = 1 + (float)(below(2001) - 1000) * 1e-6f;
      memcpy(want[0], slots[0], SLOT);
    }
    if (cls == CK_CLASS_F32 && o >= CK_MAP_REDUCE_MINIMUM && below(2)) {
      for (int k = 0; k < 50; k++) ((float *)slots[0])[below(3000)] = NAN;
      memcpy(want[0], slots[0], SLOT);
    }
    ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op((ck_map_op)o, 0, 0, 0), op(CK_MAP_STORE, 1, 1, 0),
      op(CK_MAP_CAST_F32, 1, 0, 0), op(CK_MAP_CAST_F32, 0, 0, 0), op(CK_MAP_ADD, 3, 4, 0), op(CK_MAP_STORE, 5, 2, 0)};
    operands[2].dtype = CK_F32;
    bool later = below(2) && ck_size(operands[2].dtype) == 4;
    d.insts = insts, d.inst_count = later ? 7 : 3, d.operands = operands, d.operand_count = 3;
    if (later) operands[2] = layout(2, CK_F32, d.dims, d.rank, 0);
    run(what, &d, slots);
    reference_run(&d, want);
    double tolerance = o == CK_MAP_REDUCE_SUM || o == CK_MAP_REDUCE_PRODUCT ? 3e-5 : 0;
    for (int s = 0; s < 3; s++) compare(what, operands[s].dtype, slots[s], want[s], ELEMENTS, 0, tolerance);
  }
  for (int s = 0; s < 4; s++) free(slots[s]), free(want[s]);
}

// --- Rows of several phases

static void softmax(int64_t rows, int64_t n, int64_t inner, ck_dtype t, bool in_place) {
  char what[100];
  snprintf(what, sizeof what, "softmax %lld x %lld x %lld type %d%s", (long long)rows, (long long)n, (long long)inner, t, in_place ? " in place" : "");
  int64_t total = rows * n * inner, bytes = total * ck_size(t);
  void *slots[2] = {malloc((size_t)bytes), malloc((size_t)bytes)}, *want[2] = {malloc((size_t)bytes), malloc((size_t)bytes)};
  random_values(t, slots[0], total, false);
  memcpy(want[0], slots[0], (size_t)bytes);
  ck_operand x = {.ref = {0, 0}, .dtype = t, .stride = {n * inner, inner, 1}};
  ck_operand operands[] = {x, x};
  if (!in_place) operands[1].ref.slot = 1;
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_MAXIMUM_NAN, 0, 0, 0), op(CK_MAP_SUBTRACT, 0, 1, 0),
    op(CK_MAP_EXPONENT, 2, 0, 0), op(CK_MAP_REDUCE_SUM, 3, 0, 0), op(CK_MAP_DIVIDE, 3, 4, 0), op(CK_MAP_STORE, 5, 1, 0)};
  ck_map_desc d = {.rank = 3, .dims = {rows, n, inner}, .reduced = 2, .operand_count = 2, .inst_count = 7, .operands = operands, .insts = insts};
  run(what, &d, slots);
  reference_run(&d, want);
  int s = in_place ? 0 : 1;
  double tolerance = t == CK_F32 ? 2e-7 : t == CK_F16 ? 1e-3 : 8e-3;
  compare(what, t, slots[s], want[s], total, t == CK_F32 ? 8 : 1 << 14, t == CK_F32 ? 0 : tolerance);
  for (int i = 0; i < 2; i++) free(slots[i]), free(want[i]);
}

static void layer_norm(int64_t rows, int64_t n) {
  char what[60];
  snprintf(what, sizeof what, "layer norm %lld x %lld", (long long)rows, (long long)n);
  size_t bytes = (size_t)(rows * n) * 4;
  void *slots[4] = {malloc(bytes), malloc((size_t)n * 4), malloc(bytes), malloc((size_t)rows * 4)};
  void *want[4] = {slots[0], slots[1], malloc(bytes), malloc((size_t)rows * 4)};
  random_values(CK_F32, slots[0], rows * n, false);
  random_values(CK_F32, slots[1], n, false);
  ck_operand operands[] = {{.ref = {0, 0}, .stride = {n, 1}}, {.ref = {1, 0}, .stride = {0, 1}},
    {.ref = {2, 0}, .stride = {n, 1}}, {.ref = {3, 0}, .stride = {1, 0}}};
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_SUM, 0, 0, 0), constant(1.0 / (double)n),
    op(CK_MAP_MULTIPLY, 1, 2, 0), op(CK_MAP_SUBTRACT, 0, 3, 0), op(CK_MAP_SQUARE, 4, 0, 0), op(CK_MAP_REDUCE_SUM, 5, 0, 0),
    op(CK_MAP_MULTIPLY, 6, 2, 0), constant(1e-5), op(CK_MAP_ADD, 7, 8, 0), op(CK_MAP_RECIPROCAL_SQUARE_ROOT, 9, 0, 0),
    op(CK_MAP_MULTIPLY, 4, 10, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_MULTIPLY, 11, 12, 0), op(CK_MAP_STORE, 13, 2, 0),
    op(CK_MAP_STORE, 10, 3, 0)};
  ck_map_desc d = {.rank = 2, .dims = {rows, n}, .reduced = 2, .operand_count = 4, .inst_count = 16, .operands = operands, .insts = insts};
  run(what, &d, slots);
  reference_run(&d, want);
  compare(what, CK_F32, slots[2], want[2], rows * n, 0, 2e-5);
  compare(what, CK_F32, slots[3], want[3], rows, 0, 1e-5);
  free(slots[0]), free(slots[1]), free(slots[2]), free(slots[3]), free(want[2]), free(want[3]);
}

static void test_rows(void) {
  static const int64_t shapes[][3] = {{3, 10, 1}, {100, 10, 1}, {7, 1000, 1}, {2, 5000, 1}, {1, 40000, 1}, {3, 70001, 1},
    {1, 300000, 1}, {4, 10, 100}, {2, 300, 70}, {1, 20, 3000}, {1, 5000, 64}, {5, 3, 3}, {1, 1, 1}, {2, 1, 9}};
  for (int i = 0; i < 14; i++) {
    softmax(shapes[i][0], shapes[i][1], shapes[i][2], CK_F32, false);
    softmax(shapes[i][0], shapes[i][1], shapes[i][2], CK_F32, true);
    softmax(shapes[i][0], shapes[i][1], shapes[i][2], CK_F16, i & 1);
    softmax(shapes[i][0], shapes[i][1], shapes[i][2], CK_BF16, !(i & 1));
  }
  layer_norm(5, 64), layer_norm(40, 1000), layer_norm(2, 33000), layer_norm(1, 200000), layer_norm(300, 7);
}

// Transposes of every element size, alone and with an operand in the other order.
static void test_transposes(void) {
  static const ck_dtype types[] = {CK_U8, CK_BF16, CK_F32, CK_I64, CK_BOOL, CK_I16};
  static const int64_t shapes[][3] = {{1, 64, 64}, {1, 300, 70}, {2, 17, 1000}, {3, 33, 65}, {1, 1024, 100}, {5, 8, 64}, {2, 70, 9}, {3, 1000, 3}, {2, 60, 32}, {1, 50, 5}};
  for (int t = 0; t < 6; t++) {
    for (int k = 0; k < 10; k++) {
      int64_t b = shapes[k][0], rows = shapes[k][1], n = shapes[k][2], total = b * rows * n;
      size_t bytes = (size_t)(total * ck_size(types[t]));
      void *slots[] = {malloc(bytes), malloc(bytes), malloc(bytes)}, *want[] = {slots[0], slots[1], malloc(bytes)};
      random_values(types[t], slots[0], total, false), random_values(types[t], slots[1], total, false);
      ck_operand operands[] = {{.ref = {0, 0}, .dtype = types[t], .stride = {rows * n, 1, rows}},
        {.ref = {1, 0}, .dtype = types[t], .stride = {rows * n, n, 1}}, {.ref = {2, 0}, .dtype = types[t], .stride = {rows * n, n, 1}}};
      ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_ADD, 0, 1, 0), op(CK_MAP_STORE, 2, 2, 0)};
      ck_map_desc d = {.rank = 3, .dims = {b, rows, n}, .operand_count = 3, .inst_count = 4, .operands = operands, .insts = insts};
      run("transposed operand", &d, slots);
      reference_run(&d, want);
      compare("transposed operand", types[t], slots[2], want[2], total, 0, 0);
      insts[1] = op(CK_MAP_STORE, 0, 2, 0), d.inst_count = 2;
      run("transpose", &d, slots);
      reference_run(&d, want);
      compare("transpose", types[t], slots[2], want[2], total, 0, 0);
      for (int s = 0; s < 3; s++) free(slots[s]);
      free(want[2]);
    }
  }
}

// --- Fused programs give bitwise what their instructions give one by one

static void test_fused_equals_single(void) {
  static const ck_map_op unary[] = {CK_MAP_SQUARE, CK_MAP_RELU, CK_MAP_EXPONENT, CK_MAP_NEGATIVE, CK_MAP_ABSOLUTE,
    CK_MAP_TANH, CK_MAP_SIGMOID, CK_MAP_RECIPROCAL_SQUARE_ROOT, CK_MAP_ERF, CK_MAP_LOGARITHM};
  static const ck_map_op binary[] = {CK_MAP_ADD, CK_MAP_SUBTRACT, CK_MAP_MULTIPLY, CK_MAP_ADD, CK_MAP_SUBTRACT,
    CK_MAP_MULTIPLY, CK_MAP_DIVIDE, CK_MAP_MAXIMUM_NAN};
  enum { OPS = 14, LOADS = 5, FIRST = LOADS + 1, MOST = 5000 };
  float *values[FIRST + OPS], *out = malloc(MOST * 4);
  for (int i = 0; i < FIRST + OPS; i++) values[i] = malloc(MOST * 4);
  for (int round = 0; round < 300; round++) {
    int64_t rows = 1 + below(20), n = 1 + below(round % 3 ? 40 : 240), total = rows * n;
    // Loads: two full, one per row, one per column, one for all.
    ck_operand operands[LOADS + 1];
    void *slots[LOADS + 1];
    for (int i = 0; i < LOADS; i++) {
      operands[i] = (ck_operand){.ref = {i, 0}, .stride = {i == 3 || i == 4 ? 0 : i == 2 ? 1 : n, i == 2 || i == 4 ? 0 : 1}};
      random_values(CK_F32, values[i], total, round % 5 == 0);
      slots[i] = values[i];
    }
    operands[LOADS] = (ck_operand){.ref = {LOADS, 0}, .stride = {n, 1}};
    slots[LOADS] = out;
    ck_map_inst insts[FIRST + OPS + 1];
    for (int i = 0; i < LOADS; i++) insts[i] = op(CK_MAP_LOAD, i, 0, 0);
    insts[LOADS] = constant(0.75);
    for (int i = FIRST; i < FIRST + OPS; i++) {
      // Mostly the previous value, so that chains form.
      int a = below(3) ? i - 1 : (int)below(i), b = (int)below(i);
      if (below(2)) a ^= b, b ^= a, a ^= b;
      insts[i] = below(3) == 0 ? op(unary[below(10)], a, 0, 0) : op(binary[below(8)], a, b, 0);
    }
    insts[FIRST + OPS] = op(CK_MAP_STORE, FIRST + OPS - 1, LOADS, 0);
    ck_map_desc d = {.rank = 2, .dims = {rows, n}, .operand_count = LOADS + 1, .inst_count = FIRST + OPS + 1, .operands = operands, .insts = insts};
    run("fused", &d, slots);
    // One by one, every value expanded.
    for (int i = 0; i < FIRST + OPS; i++) {
      const ck_map_inst *inst = &insts[i];
      ck_operand single[3] = {{.ref = {0, 0}, .stride = {n, 1}}, {.ref = {1, 0}, .stride = {n, 1}}, {.ref = {2, 0}, .stride = {n, 1}}};
      ck_map_inst program[4] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_LOAD, 1, 0, 0), op(inst->op, 0, 1, 0), op(CK_MAP_STORE, 2, 2, 0)};
      float *expanded = malloc((size_t)total * 4);
      void *at[3] = {i < FIRST ? NULL : values[inst->a], i < FIRST ? NULL : values[inst->b], expanded};
      if (i < LOADS) {
        at[0] = at[1] = values[i];
        single[0] = operands[i], single[0].ref.slot = 0;
        program[2] = op(CK_MAP_IDENTITY, 0, 0, 0);
      } else if (i == LOADS) {
        at[0] = at[1] = values[0];
        program[2] = constant(0.75);
      }
      ck_map_desc one = {.rank = 2, .dims = {rows, n}, .operand_count = 3, .inst_count = 4, .operands = single, .insts = program};
      run("single", &one, at);
      free(values[i]);
      values[i] = malloc(MOST * 4);
      memcpy(values[i], expanded, (size_t)total * 4);
      free(expanded);
    }
    compare("fused equals single", CK_F32, out, values[FIRST + OPS - 1], total, 0, 0);
  }
  for (int i = 0; i < FIRST + OPS; i++) free(values[i]);
  free(out);
}

// A million equal-signed terms: the sums' accuracy.
static void test_sum_accuracy(void) {
  enum { N = 1000000 };
  float *x = malloc(N * 4), y[16];
  double exact = 0, column[16] = {0};
  for (int i = 0; i < N; i++) {
    x[i] = (float)(1 + draw() % 1000000) * 1e-6f;
    exact += (double)x[i];
    column[i % 10] += (double)x[i];
  }
  void *slots[2] = {x, y};
  ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_REDUCE_SUM, 0, 0, 0), op(CK_MAP_STORE, 1, 1, 0)};
  ck_operand flat[] = {{.ref = {0, 0}, .stride = {1}}, {.ref = {1, 0}}};
  ck_map_desc d = {.rank = 1, .dims = {N}, .reduced = 1, .operand_count = 2, .inst_count = 3, .operands = flat, .insts = insts};
  run("sum of 1e6", &d, slots);
  double error = fabs((double)y[0] / exact - 1);
  ck_operand columns[] = {{.ref = {0, 0}, .stride = {10, 1}}, {.ref = {1, 0}, .stride = {0, 1}}};
  d = (ck_map_desc){.rank = 2, .dims = {N / 10, 10}, .reduced = 1, .operand_count = 2, .inst_count = 3, .operands = columns, .insts = insts};
  run("column sums", &d, slots);
  for (int i = 0; i < 10; i++) error = fmax(error, fabs((double)y[i] / column[i] - 1));
  printf("sums of 1e6 terms: relative error %.1e\n", error);
  if (!(error < 2e-7)) fail("sum accuracy", "too large");
  checks++;
  free(x);
}

static void test_empty(void) {
  for (int o = CK_MAP_REDUCE_SUM; o <= CK_MAP_REDUCE_ARG_MAXIMUM; o++) {
    for (int cls = 0; cls < 3; cls++) {
      int64_t got = 0x5555555555555555, want = got;
      void *slots[2] = {&got, &got}, *expected[2] = {&want, &want};
      ck_dtype result = dtype_of_class[o >= CK_MAP_REDUCE_AND ? CK_CLASS_I32 : cls];
      ck_operand operands[] = {{.dtype = dtype_of_class[cls], .stride = {1}}, {.ref = {1, 0}, .dtype = result}};
      ck_map_inst insts[] = {op(CK_MAP_LOAD, 0, 0, 0), op((ck_map_op)o, 0, 0, 0), op(CK_MAP_STORE, 1, 1, 0)};
      ck_map_desc d = {.rank = 1, .dims = {0}, .reduced = 1, .operand_count = 2, .inst_count = 3, .operands = operands, .insts = insts};
      run("empty reduction", &d, slots);
      reference_run(&d, expected);
      compare("empty reduction", result, &got, &want, 1, 0, 0);
    }
  }
}

// relu(c + bias[column]) * gate[row] + other[batch, row, column], also stored as f16.
static void test_epilogue(void) {
  enum { ROWS = 37, COLS = 700, LDC = 720, B = 1 };
  float *c = malloc(ROWS * LDC * 4), *before = malloc(ROWS * LDC * 4), bias[COLS], gate[ROWS];
  float *other = malloc(2 * ROWS * COLS * 4);
  uint16_t *half = calloc(2 * ROWS * COLS, 2);
  random_values(CK_F32, c, ROWS * LDC, false);
  memcpy(before, c, ROWS * LDC * 4);
  random_values(CK_F32, bias, COLS, false), random_values(CK_F32, gate, ROWS, false), random_values(CK_F32, other, 2 * ROWS * COLS, false);
  ck_operand operands[] = {{.ref = {0, 0}, .stride = {0, 0, 1}}, {.ref = {1, 0}, .stride = {0, 1, 0}},
    {.ref = {2, 0}, .stride = {ROWS * COLS, COLS, 1}}, {.ref = {3, 0}, .dtype = CK_F16, .stride = {ROWS * COLS, 1, ROWS}}};
  ck_map_inst insts[] = {op(CK_MAP_ACCUMULATOR, 0, 0, 0), op(CK_MAP_LOAD, 0, 0, 0), op(CK_MAP_ADD, 0, 1, 0), op(CK_MAP_RELU, 2, 0, 0),
    op(CK_MAP_LOAD, 1, 0, 0), op(CK_MAP_MULTIPLY, 3, 4, 0), op(CK_MAP_LOAD, 2, 0, 0), op(CK_MAP_ADD, 5, 6, 0),
    op(CK_MAP_STORE_ACCUMULATOR, 7, 0, 0), op(CK_MAP_STORE, 7, 3, 0)};
  ck_map_desc d = {.rank = 3, .dims = {2, ROWS, COLS}, .epilogue = 1, .operand_count = 4, .inst_count = 10, .operands = operands, .insts = insts};
  if (ck_map_check(&d)) fail("epilogue", ck_map_check(&d));
  ck_map *m = ck_map_create(&d);
  void *slots[] = {bias, gate, other, half};
  for (int r = 0; r < ROWS; r += 10) {
    for (int k = 0; k < COLS; k += 300) {
      ck_map_epilogue(m, slots, c + r * LDC + k, LDC, B, r, ROWS - r < 10 ? ROWS - r : 10, k, COLS - k < 300 ? COLS - k : 300);
    }
  }
  // A block of one contiguous column gives the same as the same column in rows.
  float line[ROWS], column[ROWS][2];
  for (int r = 0; r < ROWS; r++) line[r] = column[r][0] = before[r * LDC];
  ck_map_epilogue(m, slots, line, 1, B, 0, ROWS, 5, 1);
  ck_map_epilogue(m, slots, column[0], 2, B, 0, ROWS, 5, 1);
  for (int r = 0; r < ROWS; r++) {
    if (line[r] != column[r][0]) fail("epilogue", "contiguous column");
  }
  for (int k = 5; k < 6; k++) {  // the columns' stores to the half operand again from C
    for (int r = 0; r < ROWS; r++) half[B * ROWS * COLS + k * ROWS + r] = float_to_half(c[r * LDC + k]);
  }
  ck_map_destroy(m);
  for (int r = 0; r < ROWS; r++) {
    for (int k = 0; k < LDC; k++) {
      float x = before[r * LDC + k], got = c[r * LDC + k];
      checks++;
      if (k < COLS) {
        x += bias[k];
        x = x < 0 ? 0 : x;
        x *= gate[r];
        x += other[B * ROWS * COLS + r * COLS + k];
        if (half[B * ROWS * COLS + k * ROWS + r] != float_to_half(x)) fail("epilogue", "stored operand");
      }
      if (got != x) fail("epilogue", k < COLS ? "block of C" : "outside of the block");
    }
  }
  free(c), free(before), free(other), free(half);
}

int main(int argc, char **argv) {
  uint32_t step = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 9973;
  printf("%s, %d threads\n", ck_isa_name(), ck_num_threads());
  test_instructions();
  test_memory_types();
  test_power();
  test_random_layouts();
  test_random_reductions();
  test_rows();
  test_transposes();
  test_fused_equals_single();
  test_sum_accuracy();
  test_empty();
  test_epilogue();
  test_accuracy(step);
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}
