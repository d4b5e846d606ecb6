// Attention and its gradient against a float64 reference.
#include <math.h>
#include <string.h>

#include "../../Sources/Portable/CKernels/src/ck_half.h"
#include "CKernels.h"
#include "test.h"

enum { Q, K, V, MASK, O, LSE, GRAD_O, GRAD_Q, GRAD_K, GRAD_V, SLOTS };

static unsigned long long seed = 7;

static double get(const void *p, int64_t i, ck_dtype t) {
  switch (t) {
    case CK_F32: return ((const float *)p)[i];
    case CK_F16: return ck_from_f16(((const uint16_t *)p)[i]);
    case CK_BF16: return ck_from_bf16(((const uint16_t *)p)[i]);
    default: return ((const uint8_t *)p)[i];
  }
}

static void put(void *p, int64_t i, float x, ck_dtype t) {
  switch (t) {
    case CK_F32: ((float *)p)[i] = x; break;
    case CK_F16: ((uint16_t *)p)[i] = ck_to_f16(x); break;
    case CK_BF16: ((uint16_t *)p)[i] = ck_to_bf16(x); break;
    default: ((uint8_t *)p)[i] = x > 0; break;
  }
}

typedef enum { NO_MASK, BOOL_FULL, BOOL_KEYS, ADDITIVE, ADDITIVE_ROWS_OFF, BOOL_ROWS_OFF } mask_kind;

typedef struct {
  int64_t b, h, lq, lk, d, dv;
  ck_dtype type;
  mask_kind mask;
  bool causal;
  bool heads_inside;  // [b, l, h, d] in memory instead of [b, h, l, d]
  bool scattered;     // no unit stride
} test_case;

static int64_t at(const ck_tensor4 *t, int64_t b, int64_t h, int64_t i, int64_t j) {
  return b * t->stride[0] + h * t->stride[1] + i * t->stride[2] + j * t->stride[3];
}

static ck_tensor4 make(
  void **slots, int slot, const test_case *t, int64_t l, int64_t d, ck_dtype type) {
  int64_t inner = t->scattered ? 2 : 1, n = t->b * t->h * l * d * inner;
  ck_tensor4 x = {.ref = {slot, 0}, .dtype = type};
  x.stride[3] = inner;
  x.stride[2] = t->heads_inside ? t->h * d * inner : d * inner;
  x.stride[1] = t->heads_inside ? d * inner : l * d * inner;
  x.stride[0] = t->h * l * d * inner;
  slots[slot] = malloc((size_t)(n * ck_size(type) + 1));
  for (int64_t i = 0; i < n; i++) put(slots[slot], i, random_float(&seed), type);
  return x;
}

static void make_mask(void **slots, ck_tensor4 *m, const test_case *t) {
  m->ref.slot = t->mask == NO_MASK ? -1 : MASK;
  if (t->mask == NO_MASK) return;
  bool additive = t->mask == ADDITIVE || t->mask == ADDITIVE_ROWS_OFF;
  m->dtype = additive ? t->type : CK_BOOL;
  if (t->mask == BOOL_KEYS) {
    m->stride[0] = t->lk;
    m->stride[3] = 1;
  } else {
    m->stride[1] = t->lq * t->lk;
    m->stride[2] = t->lk;
    m->stride[3] = 1;
  }
  int64_t n = t->h * t->lq * t->lk + t->b * t->lk;
  slots[MASK] = malloc((size_t)(n * ck_size(m->dtype)));
  bool rows_off = t->mask == ADDITIVE_ROWS_OFF || t->mask == BOOL_ROWS_OFF;
  for (int64_t i = 0; i < n; i++) {
    float x = random_float(&seed) + 0.3f;
    if (rows_off && i / t->lk % 3 == 1) x = additive ? -INFINITY : -1;
    put(slots[MASK], i, x, m->dtype);
  }
}

// Scores of one row in float64; -inf where excluded.
static void reference_scores(
  const test_case *t, const ck_attention_shape *s, void **slots, int64_t b, int64_t h, int64_t i,
  double *out) {
  for (int64_t j = 0; j < t->lk; j++) {
    double sum = 0;
    for (int64_t c = 0; c < t->d; c++)
      sum += get(slots[Q], at(&s->q, b, h, i, c), t->type) *
             get(slots[K], at(&s->k, b, h, j, c), t->type);
    sum *= s->scale;
    if (t->mask != NO_MASK) {
      double m = get(slots[MASK], at(&s->mask, b, h, i, j), s->mask.dtype);
      if (s->mask.dtype == CK_BOOL) {
        if (m == 0) sum = -INFINITY;
      } else {
        sum += m;
      }
    }
    if (t->causal && j > i) sum = -INFINITY;
    out[j] = sum;
  }
}

static double softmax_row(double *x, int64_t n) {
  double top = -INFINITY, sum = 0;
  for (int64_t j = 0; j < n; j++) top = x[j] > top ? x[j] : top;
  for (int64_t j = 0; j < n; j++) {
    x[j] = top == -INFINITY ? 0 : exp(x[j] - top);
    sum += x[j];
  }
  for (int64_t j = 0; j < n && sum > 0; j++) x[j] /= sum;
  return sum > 0 ? top + log(sum) : -INFINITY;
}

static void track(double *worst, double got, double want, double size) {
  double e = fabs(got - want) / (1 + size);
  if (!(e <= *worst)) *worst = e;
}

static void run(test_case t) {
  void *slots[SLOTS] = {0};
  ck_attention_params p = {
    .shape = {.batch = t.b, .heads = t.h, .lq = t.lq, .lk = t.lk, .d = t.d, .dv = t.dv,
              .causal = t.causal, .scale = 1 / sqrtf((float)t.d) * 2},
    .lse = {LSE, 0}};
  ck_attention_shape *s = &p.shape;
  s->q = make(slots, Q, &t, t.lq, t.d, t.type);
  s->k = make(slots, K, &t, t.lk, t.d, t.type);
  s->v = make(slots, V, &t, t.lk, t.dv, t.type);
  make_mask(slots, &s->mask, &t);
  p.o = make(slots, O, &t, t.lq, t.dv, t.type);
  int64_t rows = t.b * t.h * t.lq;
  float *lse = slots[LSE] = malloc((size_t)rows * sizeof *lse);
  ck_attention(&p, slots);

  ck_attention_backward_params g = {.shape = p.shape, .o = p.o, .lse = {LSE, 0}};
  g.grad_o = make(slots, GRAD_O, &t, t.lq, t.dv, t.type);
  g.grad_q = make(slots, GRAD_Q, &t, t.lq, t.d, CK_F32);
  g.grad_k = make(slots, GRAD_K, &t, t.lk, t.d, CK_F32);
  g.grad_v = make(slots, GRAD_V, &t, t.lk, t.dv, CK_F32);
  ck_attention_backward(&g, slots);

  double *w = malloc((size_t)t.lk * sizeof *w), *go = malloc((size_t)t.dv * sizeof *go);
  double *gk = malloc((size_t)(t.lk * t.d) * sizeof *gk);
  double *gv = malloc((size_t)(t.lk * t.dv) * sizeof *gv);
  double unit = t.type == CK_F32 ? 0 : t.type == CK_F16 ? 0x1p-11 : 0x1p-8;
  double forward = 0, logs = 0, dq = 0, dk = 0, dv = 0;
  for (int64_t b = 0; b < t.b; b++)
    for (int64_t h = 0; h < t.h; h++) {
      memset(gk, 0, (size_t)(t.lk * t.d) * sizeof *gk);
      memset(gv, 0, (size_t)(t.lk * t.dv) * sizeof *gv);
      for (int64_t i = 0; i < t.lq; i++) {
        reference_scores(&t, s, slots, b, h, i, w);
        double want = softmax_row(w, t.lk), got = lse[(b * t.h + h) * t.lq + i];
        if (isinf(want)) {
          CHECK(got == want, "lse %g", got);
        } else {
          track(&logs, got, want, 0);
        }
        double delta = 0;
        for (int64_t c = 0; c < t.dv; c++) {
          double sum = 0;
          for (int64_t j = 0; j < t.lk; j++)
            sum += w[j] * get(slots[V], at(&s->v, b, h, j, c), t.type);
          double o = get(slots[O], at(&p.o, b, h, i, c), t.type);
          double e = fabs(o - sum) - unit * fabs(sum);
          if (!(e <= forward)) forward = e;
          go[c] = get(slots[GRAD_O], at(&g.grad_o, b, h, i, c), t.type);
          delta += go[c] * o;
        }
        for (int64_t j = 0; j < t.lk; j++) {
          double grad = 0;
          for (int64_t c = 0; c < t.dv; c++) {
            grad += go[c] * get(slots[V], at(&s->v, b, h, j, c), t.type);
            gv[j * t.dv + c] += w[j] * go[c];
          }
          w[j] *= grad - delta;
          for (int64_t c = 0; c < t.d; c++)
            gk[j * t.d + c] += w[j] * s->scale * get(slots[Q], at(&s->q, b, h, i, c), t.type);
        }
        for (int64_t c = 0; c < t.d; c++) {
          double sum = 0;
          for (int64_t j = 0; j < t.lk; j++)
            sum += w[j] * get(slots[K], at(&s->k, b, h, j, c), t.type);
          track(&dq, get(slots[GRAD_Q], at(&g.grad_q, b, h, i, c), CK_F32), sum * s->scale, 0);
        }
      }
      for (int64_t j = 0; j < t.lk; j++) {
        for (int64_t c = 0; c < t.d; c++)
          track(&dk, get(slots[GRAD_K], at(&g.grad_k, b, h, j, c), CK_F32), gk[j * t.d + c],
                fabs(gk[j * t.d + c]));
        for (int64_t c = 0; c < t.dv; c++)
          track(&dv, get(slots[GRAD_V], at(&g.grad_v, b, h, j, c), CK_F32), gv[j * t.dv + c],
                fabs(gv[j * t.dv + c]));
      }
    }
  CHECK(
    forward < 2e-6 && logs < 2e-6 && dq < 5e-6 && dk < 5e-6 && dv < 5e-6,
    "o %g lse %g dq %g dk %g dv %g: b%d h%d lq%d lk%d d%d dv%d type %d mask %d causal %d inside %d "
    "scattered %d", forward, logs, dq, dk, dv, (int)t.b, (int)t.h, (int)t.lq, (int)t.lk, (int)t.d,
    (int)t.dv, t.type, t.mask, t.causal, t.heads_inside, t.scattered);
  for (int i = 0; i < SLOTS; i++) free(slots[i]);
  free(w);
  free(go);
  free(gk);
  free(gv);
}

static void test_random(int count) {
  static const ck_dtype types[] = {CK_F32, CK_F32, CK_F16, CK_BF16};
  static const int64_t depths[] = {1, 8, 17, 32, 64, 80};
  for (int i = 0; i < count; i++) {
    test_case t = {0};
    t.b = 1 + (int64_t)(next_random(&seed) % 2);
    t.h = 1 + (int64_t)(next_random(&seed) % 3);
    t.lq = 1 + (int64_t)(next_random(&seed) % (next_random(&seed) % 3 ? 80 : 5));
    t.lk = 1 + (int64_t)(next_random(&seed) % (next_random(&seed) % 4 ? 90 : 400));
    t.d = depths[next_random(&seed) % 6];
    t.dv = next_random(&seed) % 2 ? t.d : depths[next_random(&seed) % 6];
    t.type = types[next_random(&seed) % 4];
    t.mask = (mask_kind)(next_random(&seed) % 6);
    t.causal = next_random(&seed) % 2;
    t.heads_inside = next_random(&seed) % 2;
    t.scattered = next_random(&seed) % 5 == 0;
    run(t);
  }
}

// A NaN anywhere in a row's visible operands makes that row NaN, and no other.
static void test_nan(void) {
  enum { L = 40, D = 32 };
  float q[L * D], k[L * D], v[L * D], o[L * D];
  for (int i = 0; i < L * D; i++) q[i] = k[i] = v[i] = random_float(&seed);
  k[20 * D + 3] = NAN;
  ck_tensor4 x = {{0, 0}, CK_F32, {0, 0, D, 1}};
  ck_attention_params p = {
    .shape = {.batch = 1, .heads = 1, .lq = L, .lk = L, .d = D, .dv = D, .causal = true,
              .scale = 1, .q = x, .k = x, .v = x, .mask = {.ref = {-1, 0}}},
    .o = x, .lse = {-1, 0}};
  p.shape.k.ref.slot = 1;
  p.shape.v.ref.slot = 2;
  p.o.ref.slot = 3;
  void *slots[] = {q, k, v, o};
  ck_attention(&p, slots);
  int wrong = 0;
  for (int i = 0; i < L; i++) wrong += isnan(o[i * D]) != (i >= 20);
  CHECK(wrong == 0, "%d rows", wrong);
}

int main(void) {
  const int threads[] = {2, 1, 8};
  for (int i = 0; i < 3; i++) {
    ck_set_num_threads(threads[i]);
    test_random(i == 0 ? 150 : 60);
    run((test_case){1, 2, 300, 600, 64, 64, CK_F32, NO_MASK, true, false, false});
    run((test_case){1, 1, 600, 300, 32, 64, CK_F32, NO_MASK, true, true, false});
  }
  test_nan();
  char name[64];
  snprintf(name, sizeof name, "attention (%s)", ck_isa_name());
  return finish(name);
}
