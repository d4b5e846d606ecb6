// ck_pool and ck_pool_gradient against loops over windows.
#include "check.h"

// {n, c, y, x} in memory as NCHW, NHWC, or anything.
static check_tensor image(ck_dtype t, const int64_t *shape, int layout, int32_t slot) {
  if (layout == 2) return check_tensor_of(t, 4, shape, CHECK_ANY, slot);
  check_tensor x = check_tensor_of(t, 4, shape, CHECK_DENSE, slot);
  if (layout == 1) {
    x.operand.stride[1] = 1;
    x.operand.stride[3] = shape[1];
    x.operand.stride[2] = shape[1] * shape[3];
  }
  return x;
}

static ck_pool_params geometry(void) {
  ck_pool_params p = {.mode = (ck_pool_mode)check_below(3), .batch = check_between(1, 3),
                      .channels = check_between(1, 6)};
  p.source_height = check_between(1, 11), p.source_width = check_between(1, 11);
  // Beyond the pieces that lines are worked on in.
  if (check_below(25) == 0) *(check_below(2) ? &p.channels : &p.source_width) = 600;
  p.kernel_y = check_between(1, 3), p.kernel_x = check_between(1, 3);
  p.stride_y = check_between(1, 3), p.stride_x = check_between(1, 3);
  p.dilation_y = check_between(1, 2), p.dilation_x = check_between(1, 2);
  p.pad_top = check_below(3), p.pad_bottom = check_below(3), p.pad_left = check_below(3), p.pad_right = check_below(3);
  p.counts_padding = check_below(2), p.local_indices = check_below(2);
  int64_t ceil_mode = check_below(2);
  int64_t span_y = p.source_height + p.pad_top + p.pad_bottom - (p.kernel_y - 1) * p.dilation_y - 1;
  int64_t span_x = p.source_width + p.pad_left + p.pad_right - (p.kernel_x - 1) * p.dilation_x - 1;
  p.result_height = span_y < 0 ? 0 : (span_y + (ceil_mode ? p.stride_y - 1 : 0)) / p.stride_y + 1;
  p.result_width = span_x < 0 ? 0 : (span_x + (ceil_mode ? p.stride_x - 1 : 0)) / p.stride_x + 1;
  return p;
}

static bool is_integer(ck_dtype t) { return !check_floating(t); }

static double smallest(ck_dtype t) {
  switch (t) {
    case CK_I8: return -128;
    case CK_I16: return -32768;
    case CK_I32: return -2147483648.0;
    case CK_I64: return -0x1p63;
    default: return check_floating(t) ? -INFINITY : 0;
  }
}

static bool near(double got, double want, ck_dtype t) {
  if (check_same(got, want)) return true;
  double epsilon = t == CK_F32 ? 4e-6 : t == CK_F16 ? 2e-3 : 2e-2;
  return fabs(got - want) <= epsilon * (1 + fabs(want)) || (is_integer(t) && fabs(got - want) <= 1);
}

// Calls `body` with the flat source element of every position inside the window, in order.
#define EACH_POSITION(...)                                                                   \
  for (int64_t ky = 0; ky < p.kernel_y; ky++) {                                              \
    for (int64_t kx = 0; kx < p.kernel_x; kx++) {                                            \
      int64_t iy = y * p.stride_y - p.pad_top + ky * p.dilation_y;                           \
      int64_t ix = x * p.stride_x - p.pad_left + kx * p.dilation_x;                          \
      bool inside = iy >= 0 && iy < p.source_height && ix >= 0 && ix < p.source_width;       \
      bool padded = iy >= -p.pad_top && iy < p.source_height + p.pad_bottom &&               \
                    ix >= -p.pad_left && ix < p.source_width + p.pad_right;                  \
      int64_t at = inside ? ((n * p.channels + c) * p.source_height + iy) * p.source_width + ix : 0; \
      (void)padded, (void)at;                                                                \
      __VA_ARGS__;                                                                                  \
    }                                                                                        \
  }

static void pools(void) {
  ck_pool_params p = geometry();
  ck_dtype t = check_below(2) ? (ck_dtype)check_below(3) : (ck_dtype)check_below(12);
  int64_t ss[4] = {p.batch, p.channels, p.source_height, p.source_width};
  int64_t rs[4] = {p.batch, p.channels, p.result_height, p.result_width};
  int layout = (int)check_below(3);
  check_tensor s = image(t, ss, layout, 0), d = image(t, rs, (int)check_below(3), 1), x32 = image(CK_I32, rs, layout, 2);
  check_fill(&s, false);
  for (int64_t i = 0; i < check_count(&s); i++) {
    double v = check_read(&s, i);
    if (check_floating(t)) v = check_below(30) == 0 ? NAN : check_below(3) ? floor(v * 2) : v;
    if (check_floating(t) && check_below(4) == 0) v = -INFINITY;
    if (p.mode != CK_POOL_MAX && (isinf(v) || isnan(v))) v = 1;
    check_write(&s, i, v);
  }
  p.source = s.operand, p.result = d.operand, p.indices = x32.operand;
  if (check_below(3) == 0) p.indices.ref.slot = -1;
  int64_t multiplier[4] = {ss[1] * ss[2] * ss[3], ss[2] * ss[3], p.local_indices ? p.kernel_x : ss[3], 1};
  memcpy(p.index_stride, multiplier, sizeof multiplier);
  if (check_below(2)) p.index_stride[0] = p.index_stride[1] = 0;
  void *slots[3] = {s.memory, d.memory, x32.memory};
  ck_pool(&p, slots);
  for (int64_t i = 0; i < check_count(&d); i++) {
    int64_t x = i % rs[3], y = i / rs[3] % rs[2], c = i / rs[3] / rs[2] % rs[1], n = i / rs[3] / rs[2] / rs[1];
    double best = smallest(t), sum = 0, squares = 0;
    int64_t index = 0, count = 0, counted = 0;
    EACH_POSITION({
      counted += padded;
      if (inside) {
        double v = check_read(&s, at);
        int64_t position = p.local_indices ? ky * p.index_stride[2] + kx * p.index_stride[3]
          : n * p.index_stride[0] + c * p.index_stride[1] + iy * p.index_stride[2] + ix * p.index_stride[3];
        if (count == 0) index = position;
        if (v > best || (isnan(v) && !isnan(best))) best = v, index = position;
        sum += v, squares += v * v, count++;
      }
    });
    int64_t divisor = p.counts_padding ? counted : count;
    double want = p.mode == CK_POOL_MAX ? best : p.mode == CK_POOL_L2 ? sqrt(squares) : divisor ? sum / (double)divisor : 0;
    uint64_t one = 0;
    check_set(&one, t, 0, want);
    double got = check_read(&d, i);
    if (p.mode == CK_POOL_MAX) CHECK(check_same(got, check_get(&one, t, 0)), "max, %s, %lld: %g, not %g", check_names[t], (long long)i, got, want);
    CHECK(near(got, check_get(&one, t, 0), t), "pool %d, %s, %lld: %g, not %g", p.mode, check_names[t], (long long)i, got, want);
    if (p.mode == CK_POOL_MAX && p.indices.ref.slot >= 0) {
      CHECK(check_read(&x32, i) == (double)index, "index %lld: %g, not %lld", (long long)i, check_read(&x32, i), (long long)index);
    }
  }
  check_free(&s), check_free(&d), check_free(&x32);
}

static void gradients(void) {
  ck_pool_params p = geometry();
  ck_dtype t = (ck_dtype)check_below(3);
  int64_t ss[4] = {p.batch, p.channels, p.source_height, p.source_width};
  int64_t rs[4] = {p.batch, p.channels, p.result_height, p.result_width};
  check_tensor s = image(t, ss, (int)check_below(3), 0), g = image(t, rs, (int)check_below(3), 1);
  check_tensor d = image((ck_dtype)check_below(3), ss, (int)check_below(3), 2);
  check_fill(&s, false), check_fill(&g, false);
  for (int64_t i = 0; i < check_count(&s); i++) if (check_below(3)) check_write(&s, i, floor(check_read(&s, i)));
  p.source = s.operand;
  ck_pool_gradient_params q = {p, g.operand, d.operand};
  void *slots[3] = {s.memory, g.memory, d.memory};
  ck_pool_gradient(&q, slots);
  double *want = calloc((size_t)check_count(&d) + 1, sizeof *want);
  for (int64_t i = 0; i < check_count(&g); i++) {
    int64_t x = i % rs[3], y = i / rs[3] % rs[2], c = i / rs[3] / rs[2] % rs[1], n = i / rs[3] / rs[2] / rs[1];
    double best = -INFINITY, squares = 0;
    int64_t winner = -1, count = 0, counted = 0;
    EACH_POSITION({
      counted += padded;
      if (inside) {
        double v = check_read(&s, at);
        if (winner < 0 || v > best) best = v, winner = at;
        squares += v * v, count++;
      }
    });
    double up = check_read(&g, i);
    int64_t divisor = p.counts_padding ? counted : count;
    if (p.mode == CK_POOL_MAX && winner >= 0) want[winner] += up;
    if (p.mode == CK_POOL_AVERAGE && divisor) EACH_POSITION(if (inside) want[at] += up / (double)divisor);
    if (p.mode == CK_POOL_L2 && squares > 0) EACH_POSITION(if (inside) want[at] += up * check_read(&s, at) / sqrt(squares));
  }
  for (int64_t i = 0; i < check_count(&d); i++) {
    CHECK(near(check_read(&d, i), want[i], d.operand.dtype), "gradient %d, %s, %lld: %g, not %g", p.mode,
          check_names[d.operand.dtype], (long long)i, check_read(&d, i), want[i]);
  }
  free(want), check_free(&s), check_free(&g), check_free(&d);
}

int main(void) {
  for (int k = 0; k < 1500; k++) check_threads(k), pools(), gradients();
  printf("pool: ok (%s)\n", ck_isa_name());
  return 0;
}
