// Convolution forward and its gradients against the definition in float64.
#include "check.h"

typedef struct {
  ck_conv2d_shape s;
  int64_t depth, columns;  // channels per group
  int64_t source[4], result[4], weights[4];
} problem;

static problem any_problem(int kind) {
  problem p;
  ck_conv2d_shape *s = &p.s;
  bool large = check_below(12) == 0;
  s->batch = check_between(1, 3);
  s->groups = kind == 0 ? 1 : check_between(1, 4);
  p.depth = kind == 2 ? 1 : check_between(1, large ? 70 : 9);
  p.columns = kind == 2 ? 1 : check_between(1, large ? 80 : 20);
  if (kind == 2) s->groups = check_between(1, large ? 150 : 20);
  s->channels_in = p.depth * s->groups, s->channels_out = p.columns * s->groups;
  s->kernel_y = check_between(1, 4), s->kernel_x = check_between(1, 4);
  s->stride_y = check_between(1, 3), s->stride_x = check_between(1, 3);
  s->dilation_y = check_between(1, 2), s->dilation_x = check_between(1, 2);
  s->pad_top = check_between(-1, 3), s->pad_left = check_between(-1, 3);
  s->source_height = check_between(1, 12), s->source_width = check_between(1, large ? 30 : 12);
  // Any result size is legal; the usual ones and some beyond.
  int64_t y = (s->source_height + s->pad_top + check_below(3) - (s->kernel_y - 1) * s->dilation_y - 1) / s->stride_y + 1;
  int64_t x = (s->source_width + s->pad_left + check_below(3) - (s->kernel_x - 1) * s->dilation_x - 1) / s->stride_x + 1;
  s->result_height = y < 1 ? check_between(1, 2) : y, s->result_width = x < 1 ? check_between(1, 2) : x;
  int64_t a[4] = {s->batch, s->channels_in, s->source_height, s->source_width};
  int64_t b[4] = {s->batch, s->channels_out, s->result_height, s->result_width};
  int64_t w[4] = {s->channels_out, p.depth, s->kernel_y, s->kernel_x};
  memcpy(p.source, a, sizeof a), memcpy(p.result, b, sizeof b), memcpy(p.weights, w, sizeof w);
  return p;
}

static ck_dtype any_float(void) { return check_below(3) ? CK_F32 : (ck_dtype)check_below(3); }

// NCHW or NHWC (OIHW or HWIO) or anything.
static check_tensor tensor(ck_dtype t, const int64_t *shape, bool weights, int32_t slot) {
  int64_t layout = check_below(4);
  check_tensor x = check_tensor_of(t, 4, shape, layout == 3 ? CHECK_ANY : CHECK_DENSE, slot);
  if (layout == 1 || layout == 2) {
    int order[4] = {0, 2, 3, 1}, reversed[4] = {2, 3, 1, 0};
    int64_t step = 1;
    for (int k = 3; k >= 0; k--) {
      int d = weights ? reversed[k] : order[k];
      x.operand.stride[d] = step;
      step *= shape[d];
    }
  }
  for (int64_t i = 0; i < check_count(&x); i++) check_write(&x, i, check_unit() * 2 - 1);
  return x;
}

#define EACH_TERM(...)                                                                                   \
  for (int64_t n = 0; n < p.s.batch; n++)                                                                \
    for (int64_t o = 0; o < p.s.channels_out; o++)                                                       \
      for (int64_t y = 0; y < p.s.result_height; y++)                                                    \
        for (int64_t x = 0; x < p.s.result_width; x++) {                                                 \
          int64_t r = ((n * p.s.channels_out + o) * p.s.result_height + y) * p.s.result_width + x;       \
          for (int64_t i = 0; i < p.depth; i++)                                                          \
            for (int64_t ky = 0; ky < p.s.kernel_y; ky++)                                                \
              for (int64_t kx = 0; kx < p.s.kernel_x; kx++) {                                            \
                int64_t iy = y * p.s.stride_y - p.s.pad_top + ky * p.s.dilation_y;                       \
                int64_t ix = x * p.s.stride_x - p.s.pad_left + kx * p.s.dilation_x;                      \
                if (iy < 0 || iy >= p.s.source_height || ix < 0 || ix >= p.s.source_width) continue;     \
                int64_t c = o / p.columns * p.depth + i;                                                 \
                int64_t s = ((n * p.s.channels_in + c) * p.s.source_height + iy) * p.s.source_width + ix; \
                int64_t w = ((o * p.depth + i) * p.s.kernel_y + ky) * p.s.kernel_x + kx;                 \
                __VA_ARGS__;                                                                             \
              }                                                                                          \
        }

static double *values_of(const check_tensor *x) {
  double *v = malloc((size_t)(check_count(x) + 1) * sizeof *v);
  for (int64_t i = 0; i < check_count(x); i++) v[i] = check_read(x, i);
  return v;
}

static void expect(const check_tensor *x, const double *want, const double *scale, const char *what) {
  ck_dtype t = x->operand.dtype;
  double rounding = t == CK_F32 ? 0 : t == CK_F16 ? 0x1p-11 : 0x1p-8;
  for (int64_t i = 0; i < check_count(x); i++) {
    double error = fabs(check_read(x, i) - want[i]), bound = 1e-6 * (1 + scale[i]) + rounding * fabs(want[i]) * 1.01;
    CHECK(error <= bound, "%s, %s, element %lld: %.9g, not %.9g", what, check_names[t], (long long)i,
          check_read(x, i), want[i]);
  }
}

typedef struct {
  float factor;
  int64_t pixels, channels;
  unsigned char *seen;
} hook;

// c = c * factor + row / 8 - column, and every element exactly once.
static void epilogue(const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
                     int64_t rows, int64_t col0, int64_t cols) {
  const hook *h = params;
  (void)slots;
  CHECK(batch == 0 && row0 >= 0 && row0 + rows <= h->pixels && col0 >= 0 && col0 + cols <= h->channels, "hook range");
  for (int64_t r = 0; r < rows; r++) {
    for (int64_t j = 0; j < cols; j++) {
      CHECK(h->seen[(row0 + r) * h->channels + col0 + j]++ == 0, "element twice");
      c[r * ldc + j] = c[r * ldc + j] * h->factor + (float)(row0 + r) / 8 - (float)(col0 + j);
    }
  }
}

static void forward(problem p) {
  check_tensor s = tensor(any_float(), p.source, false, 0), w = tensor(any_float(), p.weights, true, 1);
  check_tensor d = tensor(any_float(), p.result, false, 2);
  int64_t columns[1] = {p.s.channels_out};
  check_tensor b = check_tensor_of(any_float(), 1, columns, CHECK_ANY, 3);
  for (int64_t i = 0; i < check_count(&b); i++) check_write(&b, i, check_unit() - 0.5);
  ck_conv2d_params c = {.shape = p.s, .source = s.operand, .weights = w.operand, .result = d.operand,
                        .bias = b.operand, .relu = check_below(2), .packed = {-1, 0}};
  if (check_below(2)) c.bias.ref.slot = -1;
  void *packed = NULL;
  void *slots[5] = {s.memory, w.memory, d.memory, b.memory, NULL};
  int64_t bytes = ck_conv2d_pack_size(&c);
  if (check_below(2) && bytes > 0) {
    packed = aligned_alloc(64, (size_t)(bytes + 63) / 64 * 64);
    slots[4] = packed;
    c.packed = (ck_ref){4, 0};
    ck_conv2d_pack(&c, slots);
  }
  int64_t pixels = p.s.batch * p.s.result_height * p.s.result_width;
  hook h = {0.5f, pixels, p.s.channels_out, calloc((size_t)(pixels * p.s.channels_out), 1)};
  if (check_below(2)) c.epilogue = epilogue, c.epilogue_params = &h;
  ck_conv2d(&c, slots);
  double *want = calloc((size_t)check_count(&d), sizeof *want), *scale = calloc((size_t)check_count(&d), sizeof *scale);
  double *sv = values_of(&s), *wv = values_of(&w);
  EACH_TERM(want[r] += sv[s] * wv[w], scale[r] += fabs(sv[s] * wv[w]));
  for (int64_t r = 0; r < check_count(&d); r++) {
    int64_t plane = p.s.result_height * p.s.result_width, o = r / plane % p.s.channels_out;
    int64_t pixel = r / plane / p.s.channels_out * plane + r % plane;
    if (c.bias.ref.slot >= 0) want[r] += check_read(&b, o);
    if (c.relu && want[r] < 0) want[r] = 0;
    if (c.epilogue) {
      CHECK(h.seen[pixel * p.s.channels_out + o] == 1, "element left out");
      want[r] = want[r] * 0.5 + (double)pixel / 8 - (double)o, scale[r] += fabs(want[r]);
    }
  }
  expect(&d, want, scale, "forward");
  free(want), free(scale), free(sv), free(wv), free(packed), free(h.seen);
  check_free(&s), check_free(&w), check_free(&d), check_free(&b);
}

static void data_gradient(problem p) {
  check_tensor g = tensor(any_float(), p.result, false, 0), w = tensor(any_float(), p.weights, true, 1);
  check_tensor d = tensor(any_float(), p.source, false, 2);
  int64_t channels[1] = {p.s.channels_in};
  check_tensor b = check_tensor_of(any_float(), 1, channels, CHECK_ANY, 3);
  for (int64_t i = 0; i < check_count(&b); i++) check_write(&b, i, check_unit() - 0.5);
  ck_conv2d_data_gradient_params c = {.shape = p.s, .gradient = g.operand, .weights = w.operand,
                                      .source_gradient = d.operand, .bias = b.operand};
  if (check_below(2)) c.bias.ref.slot = -1;
  void *slots[4] = {g.memory, w.memory, d.memory, b.memory};
  ck_conv2d_data_gradient(&c, slots);
  double *want = calloc((size_t)check_count(&d), sizeof *want), *scale = calloc((size_t)check_count(&d), sizeof *scale);
  double *gv = values_of(&g), *wv = values_of(&w);
  EACH_TERM(want[s] += gv[r] * wv[w], scale[s] += fabs(gv[r] * wv[w]));
  int64_t plane = p.s.source_height * p.s.source_width;
  for (int64_t i = 0; c.bias.ref.slot >= 0 && i < check_count(&d); i++) want[i] += check_read(&b, i / plane % p.s.channels_in);
  expect(&d, want, scale, "data gradient");
  free(want), free(scale), free(gv), free(wv);
  check_free(&g), check_free(&w), check_free(&d), check_free(&b);
}

static void weights_gradient(problem p) {
  check_tensor g = tensor(any_float(), p.result, false, 0), s = tensor(any_float(), p.source, false, 1);
  check_tensor d = tensor(any_float(), p.weights, true, 2);
  ck_conv2d_weights_gradient_params c = {.shape = p.s, .gradient = g.operand, .source = s.operand,
                                         .weights_gradient = d.operand};
  void *slots[3] = {g.memory, s.memory, d.memory};
  ck_conv2d_weights_gradient(&c, slots);
  double *want = calloc((size_t)check_count(&d), sizeof *want), *scale = calloc((size_t)check_count(&d), sizeof *scale);
  double *gv = values_of(&g), *sv = values_of(&s);
  EACH_TERM(want[w] += gv[r] * sv[s], scale[w] += fabs(gv[r] * sv[s]));
  expect(&d, want, scale, "weights gradient");
  free(want), free(scale), free(gv), free(sv), check_free(&g), check_free(&s), check_free(&d);
}

int main(void) {
  for (int k = 0; k < 900; k++) {
    check_threads(k);
    forward(any_problem(k % 3)), data_gradient(any_problem(k % 3)), weights_gradient(any_problem(k % 3));
  }
  printf("conv: ok (%s)\n", ck_isa_name());
  return 0;
}
