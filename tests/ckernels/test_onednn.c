// Convolutions through oneDNN against float64. Where it is absent, that nothing pretends otherwise.
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CKernels.h"
#include "test.h"

enum { SOURCE, WEIGHTS, RESULT, BIAS, PACKED, SLOTS };

static unsigned long long seed = 3;

static float *filled(int64_t n) {
  float *p = malloc((size_t)n * sizeof *p);
  for (int64_t i = 0; i < n; i++) p[i] = random_float(&seed);
  return p;
}

static ck_operand image(int slot, int64_t n, int64_t c, int64_t h, int64_t w, bool last) {
  ck_operand o = {.ref = {slot, 0}, .dtype = CK_F32};
  int64_t nchw[4] = {c * h * w, h * w, w, 1}, nhwc[4] = {h * w * c, 1, w * c, c};
  (void)n;
  memcpy(o.stride, last ? nhwc : nchw, sizeof nchw);
  return o;
}

static int64_t at(const ck_operand *o, int64_t a, int64_t b, int64_t c, int64_t d) {
  return a * o->stride[0] + b * o->stride[1] + c * o->stride[2] + d * o->stride[3];
}

typedef struct {
  ck_conv2d_shape s;
  bool last, relu, bias, pack, hook;
} test_case;

static _Atomic int64_t hook_seen;

// Adds 1 to what it sees, and counts.
static void add_one(
  const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
  int64_t rows, int64_t col0, int64_t cols) {
  (void)params, (void)slots, (void)batch, (void)row0, (void)col0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < cols; j++) c[i * ldc + j] += 1;
  hook_seen += rows * cols;
}

typedef struct {
  const ck_conv2d_shape *s;
  const float *source, *weights, *result;
  const ck_operand *so, *wo, *ro;
  double *out, *size;  // sums and sums of magnitudes, laid out as the output operand
} reference;

// Visits every product of the convolution; `which` is the operand summed into.
static void reference_sum(reference *r, int which) {
  const ck_conv2d_shape *s = r->s;
  int64_t in = s->channels_in / s->groups, out = s->channels_out / s->groups;
  for (int64_t n = 0; n < s->batch; n++)
    for (int64_t o = 0; o < s->channels_out; o++)
      for (int64_t y = 0; y < s->result_height; y++)
        for (int64_t x = 0; x < s->result_width; x++)
          for (int64_t i = 0; i < in; i++)
            for (int64_t ky = 0; ky < s->kernel_y; ky++)
              for (int64_t kx = 0; kx < s->kernel_x; kx++) {
                int64_t sy = y * s->stride_y - s->pad_top + ky * s->dilation_y;
                int64_t sx = x * s->stride_x - s->pad_left + kx * s->dilation_x;
                if (sy < 0 || sx < 0 || sy >= s->source_height || sx >= s->source_width) continue;
                int64_t at_s = at(r->so, n, o / out * in + i, sy, sx);
                int64_t at_w = at(r->wo, o, i, ky, kx), at_r = at(r->ro, n, o, y, x);
                double a = r->source[at_s], b = r->weights[at_w], c = r->result[at_r];
                double v = which == RESULT ? a * b : which == SOURCE ? b * c : a * c;
                int64_t to = which == RESULT ? at_r : which == SOURCE ? at_s : at_w;
                r->out[to] += v;
                r->size[to] += fabs(v);
              }
}

static void compare(
  const char *what, const float *got, const double *want, const double *size, int64_t n,
  const test_case *t) {
  double worst = 0;
  for (int64_t i = 0; i < n; i++) {
    double e = fabs(got[i] - want[i]) / (size[i] + 1);
    if (!(e <= worst)) worst = e;
  }
  CHECK(
    worst < 1e-5, "%s %g: n%d c%d->%d g%d %dx%d k%d last %d", what, worst, (int)t->s.batch,
    (int)t->s.channels_in, (int)t->s.channels_out, (int)t->s.groups, (int)t->s.source_height,
    (int)t->s.source_width, (int)t->s.kernel_y, t->last);
}

static void run(test_case t) {
  ck_conv2d_shape *s = &t.s;
  ck_operand so = image(SOURCE, s->batch, s->channels_in, s->source_height, s->source_width, t.last);
  ck_operand ro =
    image(RESULT, s->batch, s->channels_out, s->result_height, s->result_width, t.last);
  ck_operand wo = image(
    WEIGHTS, s->channels_out, s->channels_in / s->groups, s->kernel_y, s->kernel_x, false);
  int64_t sn = s->batch * so.stride[0], rn = s->batch * ro.stride[0];
  int64_t wn = s->channels_out * wo.stride[0];
  float *source = filled(sn), *weights = filled(wn), *result = filled(rn);
  float *bias = filled(s->channels_out);
  float *given = malloc((size_t)rn * sizeof *given);
  memcpy(given, result, (size_t)rn * sizeof *given);
  void *slots[SLOTS] = {source, weights, result, bias, NULL};
  ck_conv2d_params p = {
    .shape = *s, .source = so, .weights = wo, .result = ro, .relu = t.relu,
    .bias = {.ref = {t.bias ? BIAS : -1, 0}, .dtype = CK_F32, .stride = {1}},
    .packed = {PACKED, 0}};
  int64_t most = sn > rn ? sn : rn;
  most = most > wn ? most : wn;
  double *want = calloc((size_t)most, sizeof *want), *size = calloc((size_t)most, sizeof *size);
  reference r = {s, source, weights, given, &so, &wo, &ro, want, size};

  reference_sum(&r, RESULT);
  for (int64_t n = 0; n < s->batch; n++)
    for (int64_t o = 0; o < s->channels_out; o++)
      for (int64_t i = 0; i < s->result_height * s->result_width; i++) {
        double *x = &want[at(&ro, n, o, i / s->result_width, i % s->result_width)];
        if (t.bias) *x += bias[o];
        if (t.relu && *x < 0) *x = 0;
        if (t.hook) *x += 1;
      }
  if (t.pack) {
    int64_t bytes = ck_onednn_conv2d_pack_size(&p);
    if (bytes > 0) {
      slots[PACKED] = aligned_alloc(64, (size_t)(bytes + 63) & ~63ull);
      CHECK(ck_onednn_conv2d_pack(&p, slots), "pack");
      CHECK(ck_onednn_conv2d_owns(slots[PACKED]), "owns");
    }
  }
  if (t.hook) p.epilogue = add_one;
  hook_seen = 0;
  CHECK(ck_onednn_conv2d(&p, slots), "forward refused");
  if (t.hook) CHECK(hook_seen == rn, "hook saw %lld", (long long)hook_seen);
  compare("forward", result, want, size, rn, &t);

  memset(want, 0, (size_t)most * sizeof *want);
  memset(size, 0, (size_t)most * sizeof *size);
  reference_sum(&r, WEIGHTS);
  float *gradient = filled(most);
  void *backward[] = {source, gradient, given};
  ck_conv2d_weights_gradient_params wg = {
    .shape = *s, .gradient = ro, .source = so, .weights_gradient = wo};
  CHECK(ck_onednn_conv2d_weights_gradient(&wg, backward), "weights gradient refused");
  compare("weights gradient", gradient, want, size, wn, &t);

  memset(want, 0, (size_t)most * sizeof *want);
  memset(size, 0, (size_t)most * sizeof *size);
  reference_sum(&r, SOURCE);
  void *back[] = {gradient, weights, given};
  ck_conv2d_data_gradient_params dg = {
    .shape = *s, .gradient = ro, .weights = wo, .source_gradient = so, .bias = {.ref = {-1, 0}}};
  CHECK(ck_onednn_conv2d_data_gradient(&dg, back), "data gradient refused");
  compare("data gradient", gradient, want, size, sn, &t);
  free(source);
  free(weights);
  free(result);
  free(bias);
  free(given);
  free(gradient);
  free(slots[PACKED]);
  free(want);
  free(size);
}

static ck_conv2d_shape shape(
  int64_t n, int64_t in, int64_t out, int64_t groups, int64_t h, int64_t w, int64_t k,
  int64_t stride, int64_t dilation, int64_t pad) {
  int64_t reach = (k - 1) * dilation + 1;
  return (ck_conv2d_shape){
    n, in, out, groups, h, w, (h + 2 * pad - reach) / stride + 1,
    (w + 2 * pad - reach) / stride + 1, k, k, stride, stride, dilation, dilation, pad, pad};
}

static void run_some(void) {
  run((test_case){shape(2, 8, 24, 1, 9, 9, 3, 1, 1, 1), true, true, true, true, true});
  for (int last = 0; last < 2; last++) {
    run((test_case){shape(2, 3, 16, 1, 12, 10, 3, 1, 1, 1), last, true, true, true, false});
    run((test_case){shape(2, 16, 32, 1, 9, 9, 3, 2, 1, 1), last, false, true, true, false});
    run((test_case){shape(1, 24, 10, 1, 7, 8, 1, 1, 1, 0), last, true, false, false, false});
    run((test_case){shape(2, 32, 32, 32, 8, 8, 3, 1, 1, 1), last, false, true, true, false});
    run((test_case){shape(2, 16, 32, 4, 8, 8, 3, 1, 2, 2), last, false, true, false, false});
  }
}

static void *run_thread(void *argument) {
  (void)argument;
  run((test_case){shape(2, 16, 16, 1, 8, 8, 3, 1, 1, 1), true, true, true, false, false});
  return NULL;
}

static void run_inside(void *context, int64_t begin, int64_t end, int thread) {
  (void)context;
  (void)thread;
  for (int64_t i = begin; i < end; i++) run_thread(NULL);
}

int main(void) {
  if (!ck_onednn_available()) {
    CHECK(ck_onednn_version() == NULL, "no version");
    CHECK(ck_onednn_reason() && ck_onednn_reason()[0], "a reason");
    ck_conv2d_params none = {.shape = shape(1, 1, 1, 1, 4, 4, 3, 1, 1, 1)};
    CHECK(!ck_onednn_conv2d(&none, NULL) && ck_onednn_conv2d_pack_size(&none) == 0, "refuses");
    printf("oneDNN is absent: %s\n", ck_onednn_reason());
    return finish("onednn");
  }
  printf("oneDNN %s\n", ck_onednn_version());
  run_some();
  pthread_t thread;
  pthread_create(&thread, NULL, run_thread, NULL);
  run_thread(NULL);
  pthread_join(thread, NULL);
  ck_parallel(2, 1, run_inside, NULL);
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    run_some();
    _exit(failures == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0, "the forked child gave %d", status);
  ck_set_num_threads(1);
  run_some();
  return finish("onednn");
}
