// ck_copy, ck_fill and ck_pad over random shapes, strides and every pair of types.
#include "check.h"

static void copies(ck_dtype from, ck_dtype to, int32_t rank, const int64_t *shape, check_layout layout) {
  check_tensor s = check_tensor_of(from, rank, shape, layout, 0);
  check_tensor d = check_tensor_of(to, rank, shape, layout, 1);
  if (rank > 0 && layout == CHECK_ANY && check_below(5) == 0) s.operand.stride[check_below(rank)] = 0;
  check_fill(&s, true);
  ck_copy_params p = {.rank = rank, .source = s.operand, .result = d.operand};
  memcpy(p.shape, shape, sizeof(int64_t) * (size_t)rank);
  check_tensor expected = d;
  expected.memory = malloc((size_t)d.bytes);
  memcpy(expected.memory, d.memory, (size_t)d.bytes);
  int64_t n = check_count(&d);
  for (int64_t i = 0; i < n; i++) {
    double v = check_read(&s, i);
    // Integers convert by their low bits.
    if (!check_floating(from) && !check_floating(to) && to != CK_BOOL) {
      int64_t bits = 8 * ck_size(to);
      bool is_signed = to == CK_I8 || to == CK_I16 || to == CK_I32 || to == CK_I64;
      int64_t k = (int64_t)v;
      if (bits < 64) {
        uint64_t u = (uint64_t)k & ((1ull << bits) - 1);
        k = is_signed && u >> (bits - 1) ? (int64_t)u - (1ll << bits) : (int64_t)u;
        check_write(&expected, i, (double)k);
      } else {
        ((int64_t *)expected.memory)[check_element(&expected, i)] = k;
      }
      continue;
    }
    check_write(&expected, i, v);
  }
  void *slots[2] = {s.memory, d.memory};
  ck_copy(&p, slots);
  for (int64_t i = 0; i < d.bytes / ck_size(to); i++) {
    double a = check_get(d.memory, to, i), b = check_get(expected.memory, to, i);
    CHECK(check_same(a, b) && (a != 0 || signbit(a) == signbit(b)), "%s to %s, element %lld: %.17g, not %.17g",
          check_names[from], check_names[to], (long long)i, a, b);
  }
  check_free(&s), check_free(&d), check_free(&expected);
}

static int64_t padded(ck_pad_mode mode, int64_t n, int64_t p) {
  while (p < 0 || p >= n) {
    switch (mode) {
      case CK_PAD_CONSTANT: return -1;
      case CK_PAD_EDGE: return p < 0 ? 0 : n - 1;
      case CK_PAD_PERIODIC: p += p < 0 ? n : -n; break;
      case CK_PAD_SYMMETRIC: p = p < 0 ? -1 - p : 2 * n - 1 - p; break;
      case CK_PAD_REFLECT: p = n == 1 ? 0 : p < 0 ? -p : 2 * n - 2 - p; break;
    }
  }
  return p;
}

static void pads(void) {
  ck_pad_params p = {.rank = (int32_t)check_between(0, 4), .mode = (ck_pad_mode)check_below(5)};
  int64_t total[CK_MAX_RANK];
  for (int32_t d = 0; d < p.rank; d++) {
    p.shape[d] = check_between(1, 6);
    do {
      p.left[d] = check_between(-2, 8), p.right[d] = check_between(-2, 8);
      total[d] = p.shape[d] + p.left[d] + p.right[d];
    } while (total[d] < 0);
  }
  p.value = 3.5;
  ck_dtype from = (ck_dtype)check_below(12), to = check_below(2) ? from : CK_F32;
  check_tensor s = check_tensor_of(from, p.rank, p.shape, CHECK_ANY, 0);
  check_tensor d = check_tensor_of(to, p.rank, total, CHECK_ANY, 1);
  check_fill(&s, false);
  p.source = s.operand, p.result = d.operand;
  void *slots[2] = {s.memory, d.memory};
  ck_pad(&p, slots);
  uint64_t one = 0;
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t rest = i, from_linear = 0, scale = 1;
    bool constant = false;
    for (int32_t k = p.rank - 1; k >= 0; k--) {
      int64_t at = padded(p.mode, p.shape[k], rest % total[k] - p.left[k]);
      constant = constant || at < 0;
      from_linear += at * scale, scale *= p.shape[k], rest /= total[k];
    }
    check_set(&one, to, 0, constant ? p.value : check_read(&s, from_linear));
    CHECK(check_read(&d, i) == check_get(&one, to, 0), "pad mode %d, %s, element %lld", p.mode,
          check_names[to], (long long)i);
  }
  check_free(&s), check_free(&d);
}

static void every_half(void) {
  // All float16 and bfloat16 values to float32, and float32 values around every one of them back.
  for (int type = CK_F16; type <= CK_BF16; type++) {
    int e = type == CK_F16 ? 5 : 8, m = type == CK_F16 ? 10 : 7;
    static uint16_t h[65536], back[65536];
    static float f[65536];
    for (int i = 0; i < 65536; i++) h[i] = (uint16_t)i;
    ck_copy_params p = {.rank = 1, .shape = {65536}};
    p.source = (ck_operand){.ref = {0, 0}, .dtype = (ck_dtype)type, .stride = {1}};
    p.result = (ck_operand){.ref = {1, 0}, .dtype = CK_F32, .stride = {1}};
    void *slots[3] = {h, f, back};
    ck_copy(&p, slots);
    for (int i = 0; i < 65536; i++) CHECK(check_same(f[i], check_decode((uint32_t)i, e, m)), "half %x", (unsigned)i);
    ck_copy_params q = {.rank = 1, .shape = {65536}};
    q.source = p.result;
    q.result = (ck_operand){.ref = {2, 0}, .dtype = (ck_dtype)type, .stride = {1}};
    for (int k = 0; k < 7; k++) {
      for (int i = 0; i < 65535; i++) {
        double next = check_decode((uint32_t)i + 1, e, m), here = check_decode((uint32_t)i, e, m);
        double weight[7] = {0, 0.5, 0.49, 0.51, 0.25, 0.999, 0.5000001};
        f[i] = (float)(here + (next - here) * weight[k]);
        if (isnan(f[i]) || isinf(next)) f[i] = (float)here;
      }
      ck_copy(&q, slots);
      for (int i = 0; i < 65535; i++) {
        uint16_t want = check_encode(f[i], e, m);
        CHECK(want == back[i] || isnan(f[i]), "float %a to half: %x, not %x", (double)f[i], back[i], want);
        if (isnan(f[i])) CHECK(isnan(check_decode(back[i], e, m)), "NaN %x lost", (unsigned)i);
      }
    }
  }
}

int main(void) {
  every_half();
  for (int from = 0; from < 12; from++) {
    for (int to = 0; to < 12; to++) {
      int64_t line[1] = {1003}, plane[2] = {37, 70}, transposed[3] = {3, 33, 65}, thin[2] = {500, 3};
      copies((ck_dtype)from, (ck_dtype)to, 1, line, CHECK_DENSE);
      for (int k = 0; k < 6; k++) {
        check_threads(k);
        copies((ck_dtype)from, (ck_dtype)to, 2, plane, CHECK_ANY);
        copies((ck_dtype)from, (ck_dtype)to, 2, thin, CHECK_ANY);
        copies((ck_dtype)from, (ck_dtype)to, 3, transposed, CHECK_ANY);
        int64_t shape[6];
        int32_t rank = (int32_t)check_below(6);
        for (int32_t d = 0; d < rank; d++) shape[d] = check_below(12) == 0 ? 0 : check_between(1, 7);
        copies((ck_dtype)from, (ck_dtype)to, rank, shape, CHECK_ANY);
      }
    }
  }
  int64_t large[3] = {130, 70, 90};
  for (int k = 0; k < 12; k++) copies(k % 2 ? CK_F32 : CK_F16, CK_F32, 3, large, CHECK_ANY);
  for (int k = 0; k < 3000; k++) check_threads(k), pads();
  printf("copy, fill, pad: ok (%s)\n", ck_isa_name());
  return 0;
}
