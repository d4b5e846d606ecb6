// Attention backward: weights are recomputed block by block from the saved log-sums.
//
// With P the weights, G = grad_o · V^T their gradients and delta = rowsum(grad_o * o):
//   dS = P * (G - delta)      grad_v = P^T · grad_o
//   grad_q = scale dS · K     grad_k = scale dS^T · Q
#include <math.h>
#include <string.h>

#include "ck_attention.h"
#include "ck_attention_internal.h"
#include "ck_gemm_internal.h"
#include "ck_threads.h"

enum {
  SCRATCH_HEAD = CK_SCRATCH_ATTENTION + 2,
  SCRATCH_WORK,
  BLOCK_QUERIES = 56,
  BLOCK_KEYS = 128,
  MULTIPLICATIONS_PER_NS = 60,
};

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct {
  const ck_attention_backward_params *params;
  void *const *slots;
  const ck_attention_ops *ops;
  const ck_gemm_ops *gemm;
  int64_t d_padded, dv_padded, block_keys;
  bool want_q, want_kv;
  // How many units share a head: 1 does all of it; otherwise half of the units take ranges of
  // queries for grad_q, the others ranges of keys for grad_k and grad_v.
  int64_t parts;
} backward;

// One head's operands as dense float32, and grad_q's sums.
typedef struct {
  float *q;        // [lq, d_padded], scaled
  float *grad_o;   // [lq, dv_padded]
  float *k;        // [lk, d_padded]
  float *k_right;  // packed as a right operand, transposed
  float *v_right;
  float *grad_q;   // [lq, d_padded]
  float *delta;    // [lq]
} head;

static char *address(const ck_tensor4 *t, void *const *slots, int64_t b, int64_t h) {
  return (char *)ck_at(slots, t->ref) + (b * t->stride[0] + h * t->stride[1]) * ck_size(t->dtype);
}

static void load(
  const backward *f, const ck_tensor4 *t, int64_t b, int64_t h, int64_t rows, int64_t cols,
  float scale, float *out, int64_t ldo) {
  f->ops->load(
    address(t, f->slots, b, h), t->dtype, t->stride[2], t->stride[3], rows, cols, scale, out, ldo);
}

static void store_rows(
  const backward *f, const ck_tensor4 *t, int64_t b, int64_t h, int64_t row0, int64_t rows,
  int64_t cols, const float *from, int64_t ld, float scale) {
  char *to = address(t, f->slots, b, h) + row0 * t->stride[2] * ck_size(t->dtype);
  f->ops->store(from, ld, rows, cols, scale, to, t->dtype, t->stride[2], t->stride[3]);
}

static head prepare(const backward *f, int64_t b, int64_t h) {
  const ck_attention_backward_params *p = f->params;
  const ck_attention_shape *s = &p->shape;
  const int64_t keys = round_up(s->lk, f->gemm->nr);
  const int64_t sizes[7] = {
    s->lq * f->d_padded, s->lq * f->dv_padded, s->lk * f->d_padded, keys * s->d,
    keys * s->dv, s->lq * f->d_padded, s->lq};
  int64_t total = 0;
  for (int i = 0; i < 7; i++) total += round_up(sizes[i], 16);
  float *memory = ck_scratch(SCRATCH_HEAD, (size_t)(total + 1) * sizeof *memory);
  float *parts[7];
  for (int i = 0; i < 7; i++) {
    parts[i] = memory;
    memory += round_up(sizes[i], 16);
  }
  head hd = {parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6]};
  load(f, &s->q, b, h, s->lq, s->d, s->scale, hd.q, f->d_padded);
  load(f, &p->grad_o, b, h, s->lq, s->dv, 1, hd.grad_o, f->dv_padded);
  load(f, &s->k, b, h, s->lk, s->d, 1, hd.k, f->d_padded);
  f->gemm->small.pack_right(
    address(&s->k, f->slots, b, h), s->k.dtype, s->k.stride[2], s->k.stride[3], s->lk, s->d,
    hd.k_right);
  f->gemm->small.pack_right(
    address(&s->v, f->slots, b, h), s->v.dtype, s->v.stride[2], s->v.stride[3], s->lk, s->dv,
    hd.v_right);
  memset(hd.grad_q, 0, (size_t)sizes[5] * sizeof(float));
  float *row = ck_scratch(SCRATCH_WORK, (size_t)f->dv_padded * sizeof *row);
  for (int64_t i = 0; i < s->lq; i++) {
    f->ops->load(
      address(&p->o, f->slots, b, h) + i * p->o.stride[2] * ck_size(p->o.dtype), p->o.dtype, 0,
      p->o.stride[3], 1, s->dv, 1, row, f->dv_padded);
    f->ops->row_dots(hd.grad_o + i * f->dv_padded, row, 0, 1, s->dv, hd.delta + i);
  }
  return hd;
}

// Buffers of one block of keys.
typedef struct {
  float *grad_k, *grad_v;  // sums [block_keys, padded]
  float *scores, *grads;   // [BLOCK_QUERIES, stride]
  float *left;             // a transposed block, packed
  int64_t stride;
} work;

static work get_work(const backward *f) {
  const int64_t stride = f->block_keys + 16, mr = f->gemm->mr;
  const int64_t sizes[5] = {
    f->block_keys * f->d_padded, f->block_keys * f->dv_padded, BLOCK_QUERIES * stride,
    BLOCK_QUERIES * stride, round_up(f->block_keys, mr) * BLOCK_QUERIES};
  int64_t total = 0;
  for (int i = 0; i < 5; i++) total += round_up(sizes[i], 16);
  float *memory = ck_scratch(SCRATCH_WORK, (size_t)total * sizeof *memory);
  float *parts[5];
  for (int i = 0; i < 5; i++) {
    parts[i] = memory;
    memory += round_up(sizes[i], 16);
  }
  return (work){parts[0], parts[1], parts[2], parts[3], parts[4], stride};
}

// One block of queries against one of keys.
static void run_block(
  const backward *f, const head *hd, const work *w, int64_t b, int64_t h, int64_t i0,
  int64_t rows, int64_t j0, int64_t cols, bool q, bool kv) {
  const ck_attention_shape *s = &f->params->shape;
  const ck_gemm_small_ops *small = &f->gemm->small;
  const int64_t nr = f->gemm->nr;
  if (s->causal) cols = smaller(cols, i0 + rows - j0);
  if (cols <= 0) return;
  const float *qs = hd->q + i0 * f->d_padded, *go = hd->grad_o + i0 * f->dv_padded;
  small->multiply(
    qs, f->d_padded, rows, (ck_gemm_right){hd->k_right + j0 * s->d, s->d * nr, nr}, cols, s->d,
    w->scores, w->stride, false);
  small->multiply(
    go, f->dv_padded, rows, (ck_gemm_right){hd->v_right + j0 * s->dv, s->dv * nr, nr}, cols,
    s->dv, w->grads, w->stride, false);
  ck_scores block = {
    .values = w->scores,
    .stride = w->stride,
    .rows = rows,
    .cols = cols,
    .visible = s->causal ? i0 + 1 - j0 : cols,
  };
  if (s->mask.ref.slot >= 0) {
    const char *m = address(&s->mask, f->slots, b, h) +
                    (i0 * s->mask.stride[2] + j0 * s->mask.stride[3]) * ck_size(s->mask.dtype);
    f->ops->mask(block, m, s->mask.dtype, s->mask.stride[2], s->mask.stride[3]);
  }
  const float *lse =
    (const float *)ck_at(f->slots, f->params->lse) + (b * s->heads + h) * s->lq + i0;
  f->ops->weights(block, w->grads, lse, hd->delta + i0);
  if (q)
    small->multiply(
      w->grads, w->stride, rows, (ck_gemm_right){hd->k + j0 * f->d_padded, nr, f->d_padded},
      s->d, cols, hd->grad_q + i0 * f->d_padded, f->d_padded, true);
  if (!kv) return;
  small->pack_left(w->scores, 1, w->stride, cols, rows, w->left);
  small->multiply(
    w->left, 0, cols, (ck_gemm_right){go, nr, f->dv_padded}, s->dv, rows, w->grad_v,
    f->dv_padded, true);
  small->pack_left(w->grads, 1, w->stride, cols, rows, w->left);
  small->multiply(
    w->left, 0, cols, (ck_gemm_right){qs, nr, f->d_padded}, s->d, rows, w->grad_k, f->d_padded,
    true);
}

static void run_head(
  const backward *f, int64_t index, int64_t q0, int64_t q1, int64_t k0, int64_t k1, bool q,
  bool kv) {
  const ck_attention_backward_params *p = f->params;
  const ck_attention_shape *s = &p->shape;
  const int64_t b = index / s->heads, h = index % s->heads;
  const head hd = prepare(f, b, h);
  const work w = get_work(f);
  for (int64_t j0 = k0; j0 < k1; j0 += f->block_keys) {
    const int64_t cols = smaller(f->block_keys, k1 - j0);
    memset(w.grad_k, 0, (size_t)(f->block_keys * f->d_padded) * sizeof(float));
    memset(w.grad_v, 0, (size_t)(f->block_keys * f->dv_padded) * sizeof(float));
    for (int64_t i0 = q0; i0 < q1; i0 += BLOCK_QUERIES)
      run_block(f, &hd, &w, b, h, i0, smaller(BLOCK_QUERIES, q1 - i0), j0, cols, q, kv);
    if (kv && p->grad_k.ref.slot >= 0)
      store_rows(f, &p->grad_k, b, h, j0, cols, s->d, w.grad_k, f->d_padded, 1);
    if (kv && p->grad_v.ref.slot >= 0)
      store_rows(f, &p->grad_v, b, h, j0, cols, s->dv, w.grad_v, f->dv_padded, 1);
  }
  if (q)
    store_rows(
      f, &p->grad_q, b, h, q0, q1 - q0, s->d, hd.grad_q + q0 * f->d_padded, f->d_padded,
      s->scale);
}

static void run_units(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const backward *f = context;
  const ck_attention_shape *s = &f->params->shape;
  for (int64_t u = begin; u < end; u++) {
    int64_t index = u / f->parts, part = u % f->parts;
    if (f->parts == 1) {
      run_head(f, index, 0, s->lq, 0, s->lk, f->want_q, f->want_kv);
      continue;
    }
    // Ranges begin at whole panels of keys.
    int64_t half = f->parts / 2, of_keys = part >= half;
    int64_t unit = of_keys ? f->block_keys : 1, length = of_keys ? s->lk : s->lq;
    int64_t size = round_up((length + half - 1) / half, unit);
    int64_t first = part % half * size, last = smaller(first + size, length);
    if (first >= last) continue;
    if (of_keys) {
      if (f->want_kv) run_head(f, index, 0, s->lq, first, last, false, true);
    } else if (f->want_q) {
      run_head(f, index, first, last, 0, s->lk, true, false);
    }
  }
}

void ck_attention_backward(const void *params, void *const *slots) {
  const ck_attention_backward_params *p = params;
  const ck_attention_shape *s = &p->shape;
  const ck_gemm_ops *gemm = ck_gemm_ops_current();
  backward f = {
    .params = p,
    .slots = slots,
    .ops = ck_attention_ops_current(),
    .gemm = gemm,
    .d_padded = round_up(s->d > 0 ? s->d : 1, gemm->nr),
    .dv_padded = round_up(s->dv > 0 ? s->dv : 1, gemm->nr),
    .block_keys = BLOCK_KEYS / gemm->nr * gemm->nr,
    .want_q = p->grad_q.ref.slot >= 0,
    .want_kv = p->grad_k.ref.slot >= 0 || p->grad_v.ref.slot >= 0,
    .parts = 1,
  };
  int64_t heads = s->batch * s->heads;
  if (heads <= 0) return;
  int64_t threads = ck_num_threads();
  // Whole heads share one computation of the weights; ranges of a head each repeat it.
  if (heads < threads) f.parts = 2 * ((threads + heads - 1) / heads);
  int64_t work = heads * s->lq * s->lk * (3 * s->d + 2 * s->dv + 16);
  bool pays = ck_parallel_pays((s->causal ? work / 2 : work) / MULTIPLICATIONS_PER_NS);
  if (pays) {
    ck_parallel(heads * f.parts, 1, run_units, &f);
  } else {
    run_units(&f, 0, heads * f.parts, 0);
  }
}
