// Gathers, scatters, one-hot, band part and non-zero positions against loops over elements.
#include "check.h"

static ck_dtype any_type(void) { return (ck_dtype)check_below(12); }
static ck_dtype index_type(void) { return check_below(2) ? CK_I32 : CK_I64; }

static void fill_indices(check_tensor *x, int64_t extent) {
  for (int64_t i = 0; i < check_count(x); i++) {
    double v = (double)check_between(-extent, extent > 0 ? extent - 1 : 0);
    if (check_below(15) == 0) v = (double)check_between(-3 * extent - 5, 3 * extent + 5);
    if (check_below(60) == 0) v = check_below(2) ? 2147483647.0 : -2147483648.0;
    check_write(x, i, v);
  }
}

static int64_t wrapped(double v, int64_t extent) {
  int64_t i = (int64_t)v;
  if (i < 0) i += extent;
  return i >= 0 && i < extent ? i : -1;
}

// A tensor without a memory layout: the values of one in row-major order.
static double *values_of(const check_tensor *x) {
  double *v = malloc((size_t)(check_count(x) + 1) * sizeof *v);
  for (int64_t i = 0; i < check_count(x); i++) v[i] = check_read(x, i);
  return v;
}

// What an update makes of an element, in the class the engine promises to accumulate in.
static double joined(ck_scatter_mode mode, ck_dtype t, double a, double u) {
  if (check_floating(t)) {
    float x = (float)a, y = (float)u;
    switch (mode) {
      case CK_SCATTER_ADD: return x + y;
      case CK_SCATTER_SUB: return x - y;
      case CK_SCATTER_MUL: return x * y;
      case CK_SCATTER_DIV: return x / y;
      case CK_SCATTER_MIN: return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
      case CK_SCATTER_MAX: return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
      default: return y;
    }
  }
  switch (mode) {
    case CK_SCATTER_ADD: return a + u;
    case CK_SCATTER_SUB: return a - u;
    case CK_SCATTER_MUL: return a * u;
    case CK_SCATTER_DIV: return u == 0 ? 0 : trunc(a / u);
    case CK_SCATTER_MIN: return a < u ? a : u;
    case CK_SCATTER_MAX: return a > u ? a : u;
    default: return u;
  }
}

static double limit(ck_dtype t, bool high) {
  switch (t) {
    case CK_I8: return high ? 127 : -128;
    case CK_I16: return high ? 32767 : -32768;
    case CK_I32: return high ? 2147483647.0 : -2147483648.0;
    case CK_I64: return high ? 0x1p63 : -0x1p63;
    case CK_U8: return high ? 255 : 0;
    case CK_BOOL: return high ? 1 : 0;
    case CK_U16: return high ? 65535 : 0;
    case CK_U32: return high ? 4294967295.0 : 0;
    case CK_U64: return high ? 0x1p64 : 0;
    default: return high ? INFINITY : -INFINITY;
  }
}

static double neutral(ck_scatter_mode mode, ck_dtype t) {
  switch (mode) {
    case CK_SCATTER_MUL: case CK_SCATTER_DIV: return 1;
    case CK_SCATTER_MIN: return limit(t, true);
    case CK_SCATTER_MAX: return limit(t, false);
    default: return 0;
  }
}

// Small values, so that no integer result leaves its type and every product is exact.
static void fill_small(check_tensor *x) {
  ck_dtype t = x->operand.dtype;
  bool negative = check_floating(t) || (t >= CK_I8 && t <= CK_I64);
  for (int64_t i = 0; i < check_count(x); i++) {
    double v = (double)check_between(negative ? -1 : 0, t == CK_BOOL ? 1 : 2);
    if (check_floating(t)) v = check_below(20) == 0 ? NAN : check_unit() * 2 - 1;
    check_write(x, i, v);
  }
}

static void expect(const check_tensor *x, const double *want, const char *what) {
  uint64_t one = 0;
  for (int64_t i = 0; i < check_count(x); i++) {
    if (check_floating(x->operand.dtype) || x->operand.dtype == CK_BOOL || fabs(want[i]) > 0x1p40) {
      check_set(&one, x->operand.dtype, 0, want[i]);
    } else {
      one = (uint64_t)(int64_t)want[i];  // integers wrap
    }
    double w = check_get(&one, x->operand.dtype, 0), v = check_read(x, i);
    CHECK(check_same(v, w), "%s, %s, element %lld: %.17g, not %.17g", what, check_names[x->operand.dtype],
          (long long)i, v, w);
  }
}

static void gathers(void) {
  int64_t batch = check_between(1, 3), outer = check_between(1, 3), count = check_between(0, 20);
  int64_t inner = check_below(3) ? check_between(1, 12) : 1, extent = check_between(1, 9);
  if (check_below(20) == 0) count = 3000;
  ck_dtype t = any_type();
  int64_t ss[4] = {batch, outer, extent, inner}, is[2] = {batch, count}, rs[4] = {batch, outer, count, inner};
  check_tensor s = check_tensor_of(t, 4, ss, CHECK_ANY, 0), x = check_tensor_of(index_type(), 2, is, CHECK_ANY, 1);
  check_tensor d = check_tensor_of(t, 4, rs, CHECK_ANY, 2);
  check_fill(&s, false), fill_indices(&x, extent);
  ck_gather_params p = {batch, outer, count, inner, extent, s.operand, x.operand, d.operand};
  p.indices.stride[2] = x.operand.stride[1];
  void *slots[3] = {s.memory, x.memory, d.memory};
  ck_gather(&p, slots);
  double *want = malloc((size_t)(check_count(&d) + 1) * sizeof *want);
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t k = i % inner, n = i / inner % count, o = i / inner / count % outer, b = i / inner / count / outer;
    int64_t at = wrapped(check_read(&x, b * count + n), extent);
    want[i] = at < 0 ? 0 : check_read(&s, ((b * outer + o) * extent + at) * inner + k);
  }
  expect(&d, want, "gather");
  free(want), check_free(&s), check_free(&x), check_free(&d);
}

static void gathers_along(void) {
  ck_gather_along_params p = {.rank = (int32_t)check_between(1, 4)};
  p.axis = (int32_t)check_below(p.rank);
  int64_t ss[4];
  for (int32_t d = 0; d < p.rank; d++) ss[d] = p.shape[d] = check_between(1, 6);
  ss[p.axis] = p.extent = check_between(1, 7);
  ck_dtype t = any_type();
  check_tensor s = check_tensor_of(t, p.rank, ss, CHECK_ANY, 0);
  check_tensor x = check_tensor_of(index_type(), p.rank, p.shape, CHECK_ANY, 1);
  check_tensor d = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 2);
  check_fill(&s, false), fill_indices(&x, p.extent);
  p.source = s.operand, p.indices = x.operand, p.result = d.operand;
  void *slots[3] = {s.memory, x.memory, d.memory};
  ck_gather_along(&p, slots);
  double *want = malloc((size_t)(check_count(&d) + 1) * sizeof *want);
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t at = wrapped(check_read(&x, i), p.extent), rest = i, linear = 0, scale = 1;
    for (int32_t k = p.rank - 1; k >= 0; k--) {
      linear += (k == p.axis ? (at < 0 ? 0 : at) : rest % p.shape[k]) * scale;
      scale *= ss[k], rest /= p.shape[k];
    }
    want[i] = at < 0 ? 0 : check_read(&s, linear);
  }
  expect(&d, want, "gather along an axis");
  free(want), check_free(&s), check_free(&x), check_free(&d);
}

// [batch, extents..., inner], addressed by tuples; the form of both gatherND and scatterND.
typedef struct {
  int64_t batch, count, inner, extents;
  int32_t depth;
  int64_t extent[CK_MAX_RANK], shape[CK_MAX_RANK];
  check_tensor indices;
} tuples;

static tuples tuples_of(void) {
  tuples t = {.batch = check_between(1, 3), .count = check_between(0, 12), .depth = (int32_t)check_below(4)};
  t.inner = check_below(2) ? check_between(1, 40) : 1;
  t.extents = 1;
  t.shape[0] = t.batch;
  for (int32_t d = 0; d < t.depth; d++) t.extents *= t.extent[d] = t.shape[1 + d] = check_between(1, 4);
  t.shape[1 + t.depth] = t.inner;
  int64_t is[3] = {t.batch, t.count, t.depth};
  t.indices = check_tensor_of(index_type(), 3, is, CHECK_ANY, 1);
  if (t.depth > 0) fill_indices(&t.indices, 4);
  return t;
}

static int64_t tuple(const tuples *t, int64_t b, int64_t n) {
  int64_t at = 0;
  for (int32_t d = 0; d < t->depth; d++) {
    int64_t i = wrapped(check_read(&t->indices, (b * t->count + n) * t->depth + d), t->extent[d]);
    if (i < 0) return -1;
    at = at * t->extent[d] + i;
  }
  return at;
}

static void gathers_nd(void) {
  tuples t = tuples_of();
  ck_dtype type = any_type();
  int64_t rs[3] = {t.batch, t.count, t.inner};
  check_tensor s = check_tensor_of(type, t.depth + 2, t.shape, CHECK_ANY, 0);
  check_tensor d = check_tensor_of(type, 3, rs, CHECK_ANY, 2);
  check_fill(&s, false);
  ck_gather_nd_params p = {.batch = t.batch, .count = t.count, .inner = t.inner, .depth = t.depth,
                           .source = s.operand, .indices = t.indices.operand, .result = d.operand};
  memcpy(p.extent, t.extent, sizeof p.extent);
  void *slots[3] = {s.memory, t.indices.memory, d.memory};
  ck_gather_nd(&p, slots);
  double *want = malloc((size_t)(check_count(&d) + 1) * sizeof *want);
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t k = i % t.inner, n = i / t.inner % t.count, b = i / t.inner / t.count, at = tuple(&t, b, n);
    want[i] = at < 0 ? 0 : check_read(&s, (b * t.extents + at) * t.inner + k);
  }
  expect(&d, want, "gatherND");
  free(want), check_free(&s), check_free(&t.indices), check_free(&d);
}

// The result's tensor and the values it must start with.
static double *begin_scatter(check_tensor *data, check_tensor *result, ck_scatter_start start,
                             ck_scatter_mode mode) {
  fill_small(data);
  double *want = values_of(data);
  for (int64_t i = 0; i < check_count(result); i++) {
    if (start == CK_SCATTER_IN_PLACE) check_write(result, i, want[i]);
    if (start == CK_SCATTER_NEUTRAL) want[i] = neutral(mode, result->operand.dtype);
  }
  return want;
}

static void scatters(void) {
  int64_t batch = check_between(1, 3), outer = check_between(1, 3), count = check_between(0, 7);
  int64_t inner = check_below(2) ? check_between(1, 40) : check_between(1, 3), extent = check_between(1, 9);
  if (check_below(20) == 0) inner = 700;
  ck_dtype t = any_type();
  ck_scatter_mode mode = (ck_scatter_mode)check_below(7);
  ck_scatter_start start = (ck_scatter_start)check_below(3);
  int64_t us[4] = {batch, outer, count, inner}, is[2] = {batch, count}, rs[4] = {batch, outer, extent, inner};
  check_tensor u = check_tensor_of(t, 4, us, CHECK_ANY, 0), x = check_tensor_of(index_type(), 2, is, CHECK_ANY, 1);
  check_tensor d = check_tensor_of(t, 4, rs, CHECK_ANY, 2), data = check_tensor_of(t, 4, rs, CHECK_ANY, 3);
  fill_small(&u), fill_indices(&x, extent);
  double *want = begin_scatter(&data, &d, start, mode);
  ck_scatter_params p = {batch, outer, count, inner, extent, mode, start, data.operand, u.operand, x.operand,
                         d.operand};
  p.indices.stride[2] = x.operand.stride[1];
  void *slots[4] = {u.memory, x.memory, d.memory, data.memory};
  ck_scatter(&p, slots);
  for (int64_t i = 0; i < check_count(&u); i++) {
    int64_t k = i % inner, n = i / inner % count, o = i / inner / count % outer, b = i / inner / count / outer;
    int64_t at = wrapped(check_read(&x, b * count + n), extent);
    if (at < 0) continue;
    double *w = &want[((b * outer + o) * extent + at) * inner + k];
    *w = joined(mode, t, *w, check_read(&u, i));
  }
  expect(&d, want, "scatter");
  free(want), check_free(&u), check_free(&x), check_free(&d), check_free(&data);
}

static void scatters_nd(void) {
  tuples t = tuples_of();
  if (t.count > 7) t.count = 7;
  ck_dtype type = any_type();
  ck_scatter_mode mode = (ck_scatter_mode)check_below(7);
  ck_scatter_start start = (ck_scatter_start)check_below(3);
  int64_t us[3] = {t.batch, t.count, t.inner}, is[3] = {t.batch, t.count, t.depth};
  check_free(&t.indices);
  t.indices = check_tensor_of(index_type(), 3, is, CHECK_ANY, 1);
  if (t.depth > 0) fill_indices(&t.indices, 4);
  check_tensor u = check_tensor_of(type, 3, us, CHECK_ANY, 0);
  check_tensor d = check_tensor_of(type, t.depth + 2, t.shape, CHECK_ANY, 2);
  check_tensor data = check_tensor_of(type, t.depth + 2, t.shape, CHECK_ANY, 3);
  fill_small(&u);
  double *want = begin_scatter(&data, &d, start, mode);
  ck_scatter_nd_params p = {.batch = t.batch, .count = t.count, .inner = t.inner, .depth = t.depth,
                            .mode = mode, .start = start, .data = data.operand, .updates = u.operand,
                            .indices = t.indices.operand, .result = d.operand};
  memcpy(p.extent, t.extent, sizeof p.extent);
  void *slots[4] = {u.memory, t.indices.memory, d.memory, data.memory};
  ck_scatter_nd(&p, slots);
  for (int64_t i = 0; i < check_count(&u); i++) {
    int64_t k = i % t.inner, n = i / t.inner % t.count, b = i / t.inner / t.count, at = tuple(&t, b, n);
    if (at < 0) continue;
    double *w = &want[(b * t.extents + at) * t.inner + k];
    *w = joined(mode, type, *w, check_read(&u, i));
  }
  expect(&d, want, "scatterND");
  free(want), check_free(&u), check_free(&t.indices), check_free(&d), check_free(&data);
}

static void scatters_along(void) {
  ck_scatter_along_params p = {.rank = (int32_t)check_between(1, 4), .mode = (ck_scatter_mode)check_below(7),
                               .start = (ck_scatter_start)check_below(3)};
  p.axis = (int32_t)check_below(p.rank);
  int64_t rs[4];
  for (int32_t d = 0; d < p.rank; d++) rs[d] = p.shape[d] = check_between(1, 6);
  rs[p.axis] = p.extent = check_between(1, 7);
  ck_dtype t = any_type();
  check_tensor u = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 0);
  check_tensor x = check_tensor_of(index_type(), p.rank, p.shape, CHECK_ANY, 1);
  check_tensor d = check_tensor_of(t, p.rank, rs, CHECK_ANY, 2), data = check_tensor_of(t, p.rank, rs, CHECK_ANY, 3);
  fill_small(&u), fill_indices(&x, p.extent);
  double *want = begin_scatter(&data, &d, p.start, p.mode);
  p.updates = u.operand, p.indices = x.operand, p.result = d.operand, p.data = data.operand;
  void *slots[4] = {u.memory, x.memory, d.memory, data.memory};
  ck_scatter_along(&p, slots);
  for (int64_t i = 0; i < check_count(&u); i++) {
    int64_t at = wrapped(check_read(&x, i), p.extent), rest = i, linear = 0, scale = 1;
    if (at < 0) continue;
    for (int32_t k = p.rank - 1; k >= 0; k--) {
      linear += (k == p.axis ? at : rest % p.shape[k]) * scale;
      scale *= rs[k], rest /= p.shape[k];
    }
    want[linear] = joined(p.mode, t, want[linear], check_read(&u, i));
  }
  expect(&d, want, "scatter along an axis");
  free(want), check_free(&u), check_free(&x), check_free(&d), check_free(&data);
}

// Large enough for several threads; integers, so that any order and any thread count must agree.
static void embedding_gradient(void) {
  int64_t rows = 5000, vocabulary = 700, width = 96;
  float *u = malloc((size_t)(rows * width) * 4), *d = malloc((size_t)(vocabulary * width) * 4);
  double *want = calloc((size_t)(vocabulary * width), sizeof *want);
  int64_t *x = malloc((size_t)rows * 8);
  for (int64_t i = 0; i < rows; i++) {
    x[i] = check_below(3) ? check_below(vocabulary) : 5;
    for (int64_t k = 0; k < width; k++) {
      u[i * width + k] = (float)check_between(-9, 9);
      want[x[i] * width + k] += u[i * width + k];
    }
  }
  ck_scatter_params p = {1, 1, rows, width, vocabulary, CK_SCATTER_ADD, CK_SCATTER_NEUTRAL,
                         .updates = {{0, 0}, CK_F32, {0, 0, width, 1}}, .indices = {{1, 0}, CK_I64, {0, 0, 1}},
                         .result = {{2, 0}, CK_F32, {0, 0, width, 1}}};
  void *slots[3] = {u, x, d};
  for (int threads = 1; threads <= 4; threads++) {
    ck_set_num_threads(threads);
    memset(d, 0x55, (size_t)(vocabulary * width) * 4);
    ck_scatter(&p, slots);
    for (int64_t i = 0; i < vocabulary * width; i++) CHECK(d[i] == want[i], "row sum %lld", (long long)i);
  }
  ck_set_num_threads(2);
  free(u), free(d), free(want), free(x);
}

static void one_hots(void) {
  ck_one_hot_params p = {.outer = check_between(0, 5), .depth = check_between(0, 6), .inner = check_between(1, 4)};
  p.on = 2, p.off = 3;
  ck_dtype t = any_type();
  int64_t is[2] = {p.outer, p.inner}, rs[3] = {p.outer, p.depth, p.inner};
  check_tensor x = check_tensor_of(index_type(), 2, is, CHECK_ANY, 0), d = check_tensor_of(t, 3, rs, CHECK_ANY, 1);
  fill_indices(&x, 5);
  p.indices = x.operand, p.result = d.operand;
  p.indices.stride[2] = x.operand.stride[1];
  void *slots[2] = {x.memory, d.memory};
  ck_one_hot(&p, slots);
  double *want = malloc((size_t)(check_count(&d) + 1) * sizeof *want);
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t k = i % p.inner, e = i / p.inner % p.depth, o = i / p.inner / p.depth;
    want[i] = check_read(&x, o * p.inner + k) == (double)e ? p.on : p.off;
  }
  expect(&d, want, "one-hot");
  free(want), check_free(&x), check_free(&d);
}

static void bands(void) {
  ck_band_part_params p = {.rank = (int32_t)check_between(2, 4), .lower = check_between(-1, 9),
                           .upper = check_between(-1, 9)};
  for (int32_t d = 0; d < p.rank; d++) p.shape[d] = check_between(1, 7);
  ck_dtype t = any_type();
  check_tensor s = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 0), d = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 1);
  check_fill(&s, false);
  double *want = values_of(&s);
  bool in_place = check_below(3) == 0;
  p.source = s.operand, p.result = in_place ? s.operand : d.operand;
  void *slots[2] = {s.memory, d.memory};
  ck_band_part(&p, slots);
  int64_t columns = p.shape[p.rank - 1], rows = p.shape[p.rank - 2];
  for (int64_t i = 0; i < check_count(&s); i++) {
    int64_t n = i % columns, m = i / columns % rows;
    bool keep = (p.lower < 0 || m - n <= p.lower) && (p.upper < 0 || n - m <= p.upper);
    if (!keep) want[i] = 0;
  }
  expect(in_place ? &s : &d, want, "band part");
  free(want), check_free(&s), check_free(&d);
}

static void nonzeros(void) {
  ck_nonzero_params p = {.rank = (int32_t)check_between(1, 4), .result = {1, 0}};
  for (int32_t d = 0; d < p.rank; d++) p.shape[d] = check_between(check_below(20) ? 1 : 0, check_below(9) ? 9 : 700 / p.rank);
  check_tensor s = check_tensor_of(any_type(), p.rank, p.shape, CHECK_ANY, 0);
  check_fill(&s, false);
  for (int64_t i = 0; i < check_count(&s); i++) if (check_below(3)) check_write(&s, i, 0);
  p.source = s.operand;
  void *slots[2] = {s.memory, NULL};
  int64_t count = ck_nonzero_count(&p, slots), row = 0;
  int32_t *positions = malloc((size_t)(count * p.rank + 1) * sizeof *positions);
  slots[1] = positions;
  p.capacity = check_below(4) ? count : count / 2;
  ck_nonzero_fill(&p, slots);
  for (int64_t i = 0; i < check_count(&s); i++) {
    if (check_read(&s, i) == 0) continue;
    int64_t rest = i;
    for (int32_t d = p.rank - 1; d >= 0 && row < p.capacity; d--) {
      CHECK(positions[row * p.rank + d] == rest % p.shape[d], "position %lld", (long long)row);
      rest /= p.shape[d];
    }
    row++;
  }
  CHECK(row == count, "%lld positions, not %lld", (long long)count, (long long)row);
  free(positions), check_free(&s);
}

int main(void) {
  for (int k = 0; k < 3000; k++) {
    check_threads(k);
    gathers(), gathers_along(), gathers_nd();
    scatters(), scatters_nd(), scatters_along();
    one_hots(), bands();
    if (k % 10 == 0) nonzeros();
  }
  embedding_gradient();
  printf("index: ok (%s)\n", ck_isa_name());
  return 0;
}
