// gemm against a float64 reference, over shapes, strides, types, batches and epilogues.
#include <math.h>
#include <string.h>

#include "../../Sources/Portable/CKernels/src/ck_half.h"
#include "CKernels.h"
#include "test.h"

enum { SLOT_A, SLOT_B, SLOT_C, SLOT_PACKED, SLOT_COL, SLOT_ROW, SLOT_RESIDUAL, SLOTS };

static unsigned long long seed = 1;

static double get(const void *p, int64_t i, ck_dtype t) {
  switch (t) {
    case CK_F32: return ((const float *)p)[i];
    case CK_F16: return ck_from_f16(((const uint16_t *)p)[i]);
    case CK_BF16: return ck_from_bf16(((const uint16_t *)p)[i]);
    default: return 0;
  }
}

static void put(void *p, int64_t i, float x, ck_dtype t) {
  switch (t) {
    case CK_F32: ((float *)p)[i] = x; break;
    case CK_F16: ((uint16_t *)p)[i] = ck_to_f16(x); break;
    case CK_BF16: ((uint16_t *)p)[i] = ck_to_bf16(x); break;
    default: break;
  }
}

static void *filled(int64_t count, ck_dtype t) {
  void *p = malloc((size_t)(count * ck_size(t) + 1));
  for (int64_t i = 0; i < count; i++) put(p, i, random_float(&seed), t);
  return p;
}

// How an operand lies in memory.
typedef enum { ROWS, COLUMNS, ROWS_PADDED, COLUMNS_PADDED, SCATTERED, LAYOUTS } layout;

// Sets strides; returns the elements one matrix spans.
static int64_t lay_out(ck_matrix *m, layout l, int64_t rows, int64_t cols) {
  int64_t pad = l == ROWS_PADDED || l == COLUMNS_PADDED ? 5 : 0;
  if (l == ROWS || l == ROWS_PADDED) {
    m->row = cols + pad;
    m->col = 1;
    return rows * m->row;
  }
  if (l == COLUMNS || l == COLUMNS_PADDED) {
    m->row = 1;
    m->col = rows + pad;
    return cols * m->col;
  }
  m->row = 2 * cols + 3;
  m->col = 2;
  return rows * m->row;
}

typedef struct {
  int64_t m, n, k;
  int64_t batch[2];  // the two inner batch extents
  layout a, b, c;
  ck_dtype ta, tb, tc;
  bool broadcast_b, bias_col, bias_row, relu, hook;
  int packed;  // 0 no, 1 in B's compute type, 2 half-size
} test_case;

// Adds a residual [batch, m, n] and counts elements.
typedef struct {
  int64_t m, n;
  _Atomic int64_t seen;
} hook_params;

static void add_residual(
  const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
  int64_t rows, int64_t col0, int64_t cols) {
  hook_params *h = (hook_params *)(uintptr_t)params;
  const float *residual = (const float *)slots[SLOT_RESIDUAL] + batch * h->m * h->n;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) c[i * ldc + j] += residual[(row0 + i) * h->n + col0 + j];
  h->seen += rows * cols;
}

static void run(test_case t) {
  int64_t batches = t.batch[0] * t.batch[1];
  ck_gemm_params p = {.m = t.m, .n = t.n, .k = t.k, .batch = {1, 1, t.batch[0], t.batch[1]}};
  p.a = (ck_matrix){.ref = {SLOT_A, 0}, .dtype = t.ta};
  p.b = (ck_matrix){.ref = {SLOT_B, 0}, .dtype = t.tb};
  p.c = (ck_matrix){.ref = {SLOT_C, 0}, .dtype = t.tc};
  int64_t a_size = lay_out(&p.a, t.a, t.m, t.k), b_size = lay_out(&p.b, t.b, t.k, t.n);
  int64_t c_size = lay_out(&p.c, t.c, t.m, t.n);
  int64_t sizes[3] = {a_size, t.broadcast_b ? 0 : b_size, c_size};
  ck_matrix *matrices[3] = {&p.a, &p.b, &p.c};
  for (int i = 0; i < 3; i++) {
    matrices[i]->batch[2] = sizes[i] * t.batch[1];
    matrices[i]->batch[3] = sizes[i];
  }
  void *slots[SLOTS] = {0};
  slots[SLOT_A] = filled(a_size * batches, t.ta);
  slots[SLOT_B] = filled(b_size * (t.broadcast_b ? 1 : batches), t.tb);
  slots[SLOT_C] = filled(c_size * batches, t.tc);
  slots[SLOT_COL] = filled(t.n, CK_F32);
  slots[SLOT_ROW] = filled(2 * t.m, CK_BF16);
  slots[SLOT_RESIDUAL] = filled(batches * t.m * t.n, CK_F32);
  void *before = malloc((size_t)(c_size * batches * ck_size(t.tc) + 1));
  memcpy(before, slots[SLOT_C], (size_t)(c_size * batches * ck_size(t.tc)));
  p.bias_col = (ck_gemm_vector){{t.bias_col ? SLOT_COL : -1, 0}, CK_F32, 1};
  p.bias_row = (ck_gemm_vector){{t.bias_row ? SLOT_ROW : -1, 0}, CK_BF16, 2};
  p.relu = t.relu;
  hook_params hook = {t.m, t.n, 0};
  if (t.hook) {
    p.epilogue = add_residual;
    p.epilogue_params = &hook;
  }
  p.packed_slot = t.packed ? SLOT_PACKED : -1;
  p.packed_dtype = t.packed == 2 ? t.tb : CK_F32;
  void *b = slots[SLOT_B];
  if (t.packed) {
    slots[SLOT_PACKED] =
      aligned_alloc(64, (size_t)(ck_gemm_pack_size(t.k, t.n, p.packed_dtype) + 63) & ~63ull);
    ck_gemm_pack(b, t.tb, p.b.row, p.b.col, t.k, t.n, slots[SLOT_PACKED], p.packed_dtype);
    slots[SLOT_B] = NULL;
  }
  ck_gemm(&p, slots);

  double worst = 0;
  for (int64_t q = 0; q < batches; q++)
    for (int64_t i = 0; i < t.m; i++)
      for (int64_t j = 0; j < t.n; j++) {
        double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < t.k; k++) {
          double x = get(slots[SLOT_A], q * a_size + i * p.a.row + k * p.a.col, t.ta);
          double y =
            get(b, (t.broadcast_b ? 0 : q * b_size) + k * p.b.row + j * p.b.col, t.tb);
          sum += x * y;
          magnitude += fabs(x * y);
        }
        if (t.bias_col) sum += get(slots[SLOT_COL], j, CK_F32);
        if (t.bias_row) sum += get(slots[SLOT_ROW], 2 * i, CK_BF16);
        if (t.relu && sum < 0) sum = 0;
        if (t.hook) sum += get(slots[SLOT_RESIDUAL], (q * t.m + i) * t.n + j, CK_F32);
        double c = get(slots[SLOT_C], q * c_size + i * p.c.row + j * p.c.col, t.tc);
        double unit = t.tc == CK_F32 ? 0 : t.tc == CK_F16 ? 0x1p-11 : 0x1p-8;
        double error = (fabs(c - sum) - unit * fabs(sum)) / (magnitude + 3);
        if (!(error <= worst)) worst = error;
      }
  CHECK(
    worst < 1e-6, "error %g: %lldx%lldx%lld batch %lldx%lld layouts %d%d%d types %d%d%d bcast %d "
    "bias %d%d relu %d hook %d packed %d", worst, (long long)t.m, (long long)t.n, (long long)t.k,
    (long long)t.batch[0], (long long)t.batch[1], t.a, t.b, t.c, t.ta, t.tb, t.tc, t.broadcast_b,
    t.bias_col, t.bias_row, t.relu, t.hook, t.packed);
  if (t.hook) CHECK(hook.seen == batches * t.m * t.n, "hook saw %lld", (long long)hook.seen);
  // Nothing outside C is written.
  char *touched = calloc((size_t)(c_size * batches + 1), 1);
  for (int64_t q = 0; q < batches; q++)
    for (int64_t i = 0; i < t.m; i++)
      for (int64_t j = 0; j < t.n; j++) touched[q * c_size + i * p.c.row + j * p.c.col] = 1;
  int64_t size = ck_size(t.tc), spoilt = 0;
  for (int64_t i = 0; i < c_size * batches; i++)
    if (!touched[i])
      spoilt += memcmp((char *)slots[SLOT_C] + i * size, (char *)before + i * size, (size_t)size) != 0;
  CHECK(spoilt == 0, "%lld elements beside C were written", (long long)spoilt);
  free(touched);
  free(before);
  free(b);
  for (int i = 0; i < SLOTS; i++)
    if (i != SLOT_B) free(slots[i]);
}

static void test_random(int count) {
  static const ck_dtype types[] = {CK_F32, CK_F16, CK_BF16};
  for (int i = 0; i < count; i++) {
    test_case t = {0};
    int64_t *sizes[3] = {&t.m, &t.n, &t.k};
    for (int s = 0; s < 3; s++) {
      int kind = (int)(next_random(&seed) % 4);
      *sizes[s] = 1 + (int64_t)(next_random(&seed) % (kind == 0 ? 4 : kind == 1 ? 20 : kind == 2 ? 70 : 160));
    }
    t.batch[0] = 1 + (int64_t)(next_random(&seed) % 2);
    t.batch[1] = 1 + (int64_t)(next_random(&seed) % 3);
    t.a = (layout)(next_random(&seed) % LAYOUTS);
    t.b = (layout)(next_random(&seed) % LAYOUTS);
    t.c = next_random(&seed) % 2 ? ROWS : (layout)(next_random(&seed) % LAYOUTS);
    bool mixed = next_random(&seed) % 3 == 0;
    t.ta = mixed ? types[next_random(&seed) % 3] : CK_F32;
    t.tb = mixed ? types[next_random(&seed) % 3] : CK_F32;
    t.tc = mixed ? types[next_random(&seed) % 3] : CK_F32;
    t.bias_col = next_random(&seed) % 2;
    t.bias_row = next_random(&seed) % 4 == 0;
    t.relu = next_random(&seed) % 2;
    t.hook = next_random(&seed) % 3 == 0;
    t.broadcast_b = next_random(&seed) % 3 == 0;
    t.packed = t.broadcast_b ? (int)(next_random(&seed) % 3) : 0;
    run(t);
  }
}

static void test_shapes(void) {
  const int64_t shapes[][3] = {{1, 512, 784}, {64, 512, 784}, {300, 40, 1100}, {37, 96, 100},
                               {20, 700, 2500}, {16, 8, 5000}, {500, 1, 300}, {3, 1500, 200},
                               {130, 33, 1}, {5, 7, 0}, {200, 200, 1030}};
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
    for (int variant = 0; variant < 8; variant++)
      run((test_case){
        .m = shapes[i][0], .n = shapes[i][1], .k = shapes[i][2], .batch = {1, 1},
        .a = variant & 1 ? COLUMNS : ROWS, .b = variant & 2 ? COLUMNS : ROWS,
        .tc = variant == 5 ? CK_BF16 : CK_F32, .bias_col = true, .relu = variant & 1,
        .hook = variant == 3 || variant == 5, .broadcast_b = true, .packed = variant >= 4});
}

static void test_integers(void) {
  int32_t a[6] = {1, -2, 3, 4, 5, -6};
  int8_t b[6] = {7, 8, 9, -10, 11, 12};
  int64_t c[4] = {0};
  ck_gemm_params p = {
    .m = 2, .n = 2, .k = 3, .batch = {1, 1, 1, 1}, .a = {{0, 0}, CK_I32, 3, 1, {0}},
    .b = {{1, 0}, CK_I8, 2, 1, {0}}, .c = {{2, 0}, CK_I64, 2, 1, {0}}, .packed_slot = -1,
    .bias_col = {{-1, 0}, CK_F32, 0}, .bias_row = {{-1, 0}, CK_F32, 0}};
  void *slots[] = {a, b, c};
  ck_gemm(&p, slots);
  CHECK(c[0] == 22 && c[1] == 64 && c[2] == 7 && c[3] == -90, "%lld %lld %lld %lld",
        (long long)c[0], (long long)c[1], (long long)c[2], (long long)c[3]);
}

// NaN and infinity reach the result, also through relu.
static void test_special(void) {
  float a[64], b[64 * 40], c[40];
  for (int i = 0; i < 64; i++) a[i] = 1;
  for (int i = 0; i < 64 * 40; i++) b[i] = -1;
  b[3 * 40 + 5] = NAN;
  b[4 * 40 + 6] = INFINITY;
  ck_gemm_params p = {
    .m = 1, .n = 40, .k = 64, .batch = {1, 1, 1, 1}, .a = {{0, 0}, CK_F32, 64, 1, {0}},
    .b = {{1, 0}, CK_F32, 40, 1, {0}}, .c = {{2, 0}, CK_F32, 40, 1, {0}}, .packed_slot = -1,
    .bias_col = {{-1, 0}, CK_F32, 0}, .bias_row = {{-1, 0}, CK_F32, 0}, .relu = true};
  void *slots[] = {a, b, c};
  ck_gemm(&p, slots);
  CHECK(isnan(c[5]) && isinf(c[6]) && c[7] == 0, "%g %g %g", c[5], c[6], c[7]);
}

// Small or large, hot or cold pool, one thread or two: the same bits.
static void test_repeatable(void) {
  int64_t m = 40, n = 96, k = 100;
  void *slots[SLOTS] = {filled(m * k, CK_F32), filled(k * n, CK_F32), filled(m * n, CK_F32)};
  float *first = malloc((size_t)(m * n) * sizeof *first);
  ck_gemm_params p = {
    .m = m, .n = n, .k = k, .batch = {1, 1, 1, 1}, .a = {{SLOT_A, 0}, CK_F32, k, 1, {0}},
    .b = {{SLOT_B, 0}, CK_F32, n, 1, {0}}, .c = {{SLOT_C, 0}, CK_F32, n, 1, {0}},
    .packed_slot = -1, .bias_col = {{-1, 0}, CK_F32, 0}, .bias_row = {{-1, 0}, CK_F32, 0}};
  for (int i = 0; i < 60; i++) {
    int threads = ck_num_threads();
    if (i % 10 == 9) ck_set_num_threads(1);
    ck_gemm(&p, slots);
    ck_set_num_threads(threads);
    if (i == 0) memcpy(first, slots[SLOT_C], (size_t)(m * n) * sizeof *first);
    CHECK(memcmp(first, slots[SLOT_C], (size_t)(m * n) * sizeof *first) == 0, "run %d", i);
  }
  for (int i = 0; i < 3; i++) free(slots[i]);
  free(first);
}

int main(void) {
  const int threads[] = {2, 1, 8};
  for (int i = 0; i < 3; i++) {
    ck_set_num_threads(threads[i]);
    test_shapes();
    test_random(i == 0 ? 600 : 150);
    test_repeatable();
  }
  test_integers();
  test_special();
  char name[64];
  snprintf(name, sizeof name, "gemm (%s)", ck_isa_name());
  return finish(name);
}
