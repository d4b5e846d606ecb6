// ck_sort and ck_scan against insertion into order and running totals.
#include "check.h"

// NaN above all and equal to itself.
static int order(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

static const double *compared;
static bool descending;

static int by_value(const void *x, const void *y) {
  int64_t i = *(const int64_t *)x, j = *(const int64_t *)y;
  int o = order(compared[i], compared[j]);
  if (descending) o = -o;
  return o ? o : (i > j) - (i < j);
}

static void sorts(int64_t length, ck_dtype t) {
  ck_sort_params p = {.rank = (int32_t)check_between(1, 3), .descending = check_below(2)};
  p.axis = (int32_t)check_below(p.rank);
  int64_t rs[3];
  for (int32_t d = 0; d < p.rank; d++) rs[d] = p.shape[d] = check_between(1, 4);
  rs[p.axis] = p.shape[p.axis] = length;
  p.k = check_below(2) ? length : check_below(2) ? check_between(1, length) : check_between(1, length / 8 + 1);
  rs[p.axis] = p.k;
  check_tensor s = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 0), v = check_tensor_of(t, p.rank, rs, CHECK_ANY, 1);
  check_tensor x = check_tensor_of(CK_I32, p.rank, rs, CHECK_ANY, 2);
  check_fill(&s, true);
  p.source = s.operand, p.values = v.operand, p.indices = x.operand;
  if (check_below(4) == 0) p.values.ref.slot = -1; else if (check_below(4) == 0) p.indices.ref.slot = -1;
  void *slots[3] = {s.memory, v.memory, x.memory};
  ck_sort(&p, slots);
  int64_t inner = 1, outer = 1;
  for (int32_t d = 0; d < p.rank; d++) *(d < p.axis ? &outer : &inner) *= d == p.axis ? 1 : p.shape[d];
  double *line = malloc((size_t)length * sizeof *line);
  int64_t *index = malloc((size_t)length * sizeof *index);
  compared = line, descending = p.descending;
  for (int64_t o = 0; o < outer; o++) {
    for (int64_t i = 0; i < inner; i++) {
      for (int64_t k = 0; k < length; k++) line[k] = check_read(&s, (o * length + k) * inner + i), index[k] = k;
      qsort(index, (size_t)length, sizeof *index, by_value);
      for (int64_t k = 0; k < p.k; k++) {
        int64_t at = (o * p.k + k) * inner + i;
        if (p.indices.ref.slot >= 0) {
          CHECK(check_read(&x, at) == (double)index[k], "%s, n %lld, k %lld: index %lld is %g, not %lld", check_names[t],
                (long long)length, (long long)p.k, (long long)k, check_read(&x, at), (long long)index[k]);
        }
        if (p.values.ref.slot >= 0) CHECK(check_same(check_read(&v, at), line[index[k]]), "value %lld", (long long)k);
      }
    }
  }
  free(line), free(index), check_free(&s), check_free(&v), check_free(&x);
}

static int64_t wrapped(ck_dtype t, int64_t v) {
  switch (t) {
    case CK_I8: return (int8_t)v;
    case CK_I16: return (int16_t)v;
    case CK_I32: return (int32_t)v;
    case CK_U8: return (uint8_t)v;
    case CK_BOOL: return v != 0;
    case CK_U16: return (uint16_t)v;
    case CK_U32: return (uint32_t)v;
    default: return v;
  }
}

static int64_t integer(const check_tensor *x, int64_t linear) {
  if (x->operand.dtype == CK_I64 || x->operand.dtype == CK_U64) {
    return ((const int64_t *)x->memory)[check_element(x, linear)];
  }
  return (int64_t)check_read(x, linear);
}

static int64_t limit(ck_dtype t, bool high) {
  static const int64_t low[12] = {0, 0, 0, INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN, 0, 0, 0, 0, 0};
  static const int64_t top[12] = {0, 0, 0, INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX, UINT8_MAX, 1, UINT16_MAX, UINT32_MAX, -1};
  return high ? top[t] : low[t];
}

static void scans(void) {
  ck_scan_params p = {.rank = (int32_t)check_between(1, 4), .op = (ck_scan_op)check_below(4),
                      .exclusive = check_below(2), .reverse = check_below(2)};
  p.axis = (int32_t)check_below(p.rank);
  for (int32_t d = 0; d < p.rank; d++) p.shape[d] = check_between(1, check_below(4) ? 9 : 40);
  if (check_below(20) == 0) p.shape[p.axis] = 600;
  ck_dtype t = (ck_dtype)check_below(12);
  check_tensor s = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 0), d = check_tensor_of(t, p.rank, p.shape, CHECK_ANY, 1);
  check_fill(&s, check_below(4) == 0);
  bool in_place = check_below(3) == 0;
  int64_t total = check_count(&s), n = p.shape[p.axis], inner = 1;
  for (int32_t k = p.axis + 1; k < p.rank; k++) inner *= p.shape[k];
  check_tensor copy = s;
  copy.memory = malloc((size_t)s.bytes);
  memcpy(copy.memory, s.memory, (size_t)s.bytes);
  p.source = s.operand, p.result = in_place ? s.operand : d.operand;
  void *slots[2] = {s.memory, d.memory};
  ck_scan(&p, slots);
  const check_tensor *r = in_place ? &s : &d;
  uint64_t one = 0;
  for (int64_t line = 0; line < total / n; line++) {
    int64_t base = line / inner * n * inner + line % inner;
    double a = p.op == CK_SCAN_SUM ? 0 : p.op == CK_SCAN_PRODUCT ? 1 : p.op == CK_SCAN_MIN ? INFINITY : -INFINITY;
    int64_t b = p.op == CK_SCAN_SUM ? 0 : p.op == CK_SCAN_PRODUCT ? 1 : limit(t, p.op == CK_SCAN_MIN);
    for (int64_t k = 0; k < n; k++) {
      int64_t at = base + (p.reverse ? n - 1 - k : k) * inner;
      double before = a;
      int64_t b_before = b;
      if (check_floating(t)) {
        double x = check_read(&copy, at);
        switch (p.op) {
          case CK_SCAN_SUM: a += x; break;
          case CK_SCAN_PRODUCT: a *= x; break;
          case CK_SCAN_MIN: a = isnan(a) || isnan(x) ? NAN : a < x ? a : x; break;
          case CK_SCAN_MAX: a = isnan(a) || isnan(x) ? NAN : a > x ? a : x; break;
        }
        check_set(&one, t, 0, (float)(p.exclusive ? before : a));
        CHECK(check_same(check_get(&one, t, 0), check_read(r, at)), "scan %d, %s, element %lld", p.op, check_names[t],
              (long long)k);
      } else {
        int64_t x = integer(&copy, at);
        bool below = t == CK_U64 ? (uint64_t)x < (uint64_t)b : x < b;
        switch (p.op) {
          case CK_SCAN_SUM: b = (int64_t)((uint64_t)b + (uint64_t)x); break;
          case CK_SCAN_PRODUCT: b = (int64_t)((uint64_t)b * (uint64_t)x); break;
          case CK_SCAN_MIN: b = below ? x : b; break;
          case CK_SCAN_MAX: b = below ? b : x; break;
        }
        CHECK(integer(r, at) == wrapped(t, p.exclusive ? b_before : b), "scan %d, %s, element %lld", p.op, check_names[t],
              (long long)k);
      }
    }
  }
  check_free(&s), check_free(&d), check_free(&copy);
}

int main(void) {
  for (int k = 0; k < 1500; k++) check_threads(k), sorts(check_between(1, check_below(8) ? 60 : 600), (ck_dtype)check_below(12));
  for (int t = 0; t < 12; t++) sorts(3000, (ck_dtype)t), sorts(20000, (ck_dtype)t);
  for (int k = 0; k < 3000; k++) check_threads(k), scans();
  printf("sort, scan: ok (%s)\n", ck_isa_name());
  return 0;
}
