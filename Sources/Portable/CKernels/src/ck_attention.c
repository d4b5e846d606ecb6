// Attention forward: for a group of queries, blocks of keys with an online softmax.
#include "ck_attention.h"

#include <math.h>
#include <string.h>

#include "ck_attention_internal.h"
#include "ck_gemm_internal.h"
#include "ck_threads.h"

enum {
  SCRATCH_HEAD = CK_SCRATCH_ATTENTION,  // a head's keys and values
  SCRATCH_WORK,                         // one group's state
  GROUP_ROWS = 56,  // queries that share a pass over keys and values
  BLOCK_KEYS = 256,
  // With so few queries, keys are read as they lie: a copy would cost more than its use.
  DOT_QUERIES = 4,
  MULTIPLICATIONS_PER_NS = 60,
};

const ck_attention_ops *ck_attention_ops_current(void) {
  switch (ck_isa_current()) {
#if defined(__x86_64__)
    case CK_ISA_AVX512: return &ck_attention_ops_avx512;
    case CK_ISA_AVX2: return &ck_attention_ops_avx2;
#elif defined(__aarch64__)
    case CK_ISA_NEON: return &ck_attention_ops_neon;
#endif
    default: return &ck_attention_ops_base;
  }
}

static int64_t round_up(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static const char *address(const ck_tensor4 *t, void *const *slots, int64_t b, int64_t h) {
  return (const char *)ck_at(slots, t->ref) +
         (b * t->stride[0] + h * t->stride[1]) * ck_size(t->dtype);
}

typedef struct {
  const ck_attention_params *params;
  void *const *slots;
  const ck_attention_ops *ops;
  const ck_gemm_ops *gemm;
  int64_t groups;      // of queries, per head
  int64_t group_rows, block_keys;
  bool dots;           // keys in place
  bool values_in_place;
  int64_t d_padded, dv_padded;
} forward;

// A head's operands on one thread.
typedef struct {
  int64_t index;  // of the head, -1 for none
  float *keys;    // packed panels, each nr keys
  const float *values;
  int64_t value_row;
} head;

static void prepare_head(const forward *f, int64_t index, head *h) {
  if (h->index == index) return;
  const ck_attention_shape *s = &f->params->shape;
  const int64_t b = index / s->heads, hh = index % s->heads, nr = f->gemm->nr;
  int64_t key_floats = f->dots ? 0 : round_up(s->lk, nr) * s->d;
  int64_t value_floats = f->values_in_place ? 0 : s->lk * f->dv_padded;
  float *memory =
    ck_scratch(SCRATCH_HEAD, (size_t)(key_floats + value_floats + 1) * sizeof *memory);
  h->index = index;
  h->keys = memory;
  if (!f->dots)
    f->gemm->small.pack_right(
      address(&s->k, f->slots, b, hh), s->k.dtype, s->k.stride[2], s->k.stride[3], s->lk, s->d,
      h->keys);
  const char *v = address(&s->v, f->slots, b, hh);
  if (f->values_in_place) {
    h->values = (const float *)v;
    h->value_row = s->v.stride[2];
  } else {
    float *copy = memory + key_floats;
    f->ops->load(
      v, s->v.dtype, s->v.stride[2], s->v.stride[3], s->lk, s->dv, 1, copy, f->dv_padded);
    h->values = copy;
    h->value_row = f->dv_padded;
  }
}

// Scores of `rows` queries at `q` with keys j0 ..< j0 + cols.
static void multiply_keys(
  const forward *f, const head *h, const float *q, int64_t rows, int64_t j0, int64_t cols,
  float *scores, int64_t stride) {
  const ck_attention_shape *s = &f->params->shape;
  const ck_gemm_small_ops *small = &f->gemm->small;
  if (f->dots) {
    const char *k = address(&s->k, f->slots, h->index / s->heads, h->index % s->heads) +
                    j0 * s->k.stride[2] * ck_size(s->k.dtype);
    small->dots(
      q, f->d_padded, rows, k, s->k.dtype, s->k.stride[2], s->d, scores, stride, cols);
    return;
  }
  ck_gemm_right keys = {h->keys + j0 * s->d, s->d * f->gemm->nr, f->gemm->nr};
  small->multiply(q, f->d_padded, rows, keys, cols, s->d, scores, stride, false);
}

// Divides by the sums and stores; the sums become the logs that backward needs.
static void finish_rows(
  const forward *f, int64_t b, int64_t h, int64_t i0, int64_t rows, float *out,
  const float *highest, const float *sum) {
  const ck_attention_params *p = f->params;
  const ck_attention_shape *s = &p->shape;
  char *o = (char *)(uintptr_t)address(&p->o, f->slots, b, h);
  for (int64_t r = 0; r < rows; r++) {
    float *from = out + r * f->dv_padded;
    if (sum[r] == 0) memset(from, 0, (size_t)s->dv * sizeof *from);
    f->ops->store(
      from, f->dv_padded, 1, s->dv, sum[r] == 0 ? 1 : 1 / sum[r],
      o + (i0 + r) * p->o.stride[2] * ck_size(p->o.dtype), p->o.dtype, 0, p->o.stride[3]);
  }
  if (p->lse.slot < 0) return;
  float *lse = (float *)ck_at(f->slots, p->lse) + (b * s->heads + h) * s->lq + i0;
  for (int64_t r = 0; r < rows; r++) lse[r] = sum[r] == 0 ? -INFINITY : highest[r] + logf(sum[r]);
}

static void run_group(const forward *f, const head *hd, int64_t group) {
  const ck_attention_shape *s = &f->params->shape;
  const int64_t b = hd->index / s->heads, h = hd->index % s->heads, mr = f->gemm->mr;
  const int64_t i0 = group * f->group_rows, rows = smaller(f->group_rows, s->lq - i0);
  // Not a multiple of 4 KiB from row to row, which would crowd the first-level cache.
  const int64_t stride = f->block_keys + 16;
  const int64_t q_floats = rows * f->d_padded, out_floats = rows * f->dv_padded;
  float *q = ck_scratch(
    SCRATCH_WORK, (size_t)(q_floats + out_floats + 2 * rows + mr * stride) * sizeof *q);
  float *out = q + q_floats, *highest = out + out_floats, *sum = highest + rows;
  float *scores = sum + rows;
  f->ops->load(
    address(&s->q, f->slots, b, h) + i0 * s->q.stride[2] * ck_size(s->q.dtype), s->q.dtype,
    s->q.stride[2], s->q.stride[3], rows, s->d, s->scale, q, f->d_padded);
  memset(out, 0, (size_t)out_floats * sizeof *out);
  for (int64_t r = 0; r < rows; r++) {
    highest[r] = -INFINITY;
    sum[r] = 0;
  }
  const int64_t step = f->dots ? smaller(mr, DOT_QUERIES) : mr;
  for (int64_t j0 = 0; j0 < s->lk; j0 += f->block_keys)
    for (int64_t r = 0; r < rows; r += step) {
      const int64_t n = smaller(step, rows - r), i = i0 + r;
      int64_t cols = smaller(f->block_keys, s->lk - j0);
      // Keys that none of these rows sees are not computed.
      if (s->causal) cols = smaller(cols, i + n - j0);
      if (cols <= 0) continue;
      multiply_keys(f, hd, q + r * f->d_padded, n, j0, cols, scores, stride);
      ck_scores block = {
        .values = scores,
        .stride = stride,
        .rows = n,
        .cols = cols,
        .visible = s->causal ? i + 1 - j0 : cols,
      };
      if (s->mask.ref.slot >= 0) {
        const char *m = address(&s->mask, f->slots, b, h) +
                        (i * s->mask.stride[2] + j0 * s->mask.stride[3]) * ck_size(s->mask.dtype);
        f->ops->mask(block, m, s->mask.dtype, s->mask.stride[2], s->mask.stride[3]);
      }
      float *o = out + r * f->dv_padded;
      f->ops->softmax(block, highest + r, sum + r, o, f->dv_padded, s->dv);
      ck_gemm_right values = {hd->values + j0 * hd->value_row, f->gemm->nr, hd->value_row};
      f->gemm->small.multiply(
        scores, stride, n, values, s->dv, cols, o, f->dv_padded, true);
    }
  finish_rows(f, b, h, i0, rows, out, highest, sum);
}

static void run_groups(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const forward *f = context;
  head h = {.index = -1};
  for (int64_t u = begin; u < end; u++) {
    int64_t group = u % f->groups;
    // Causal groups cost more the later they are: taken from both ends, any run of them is even.
    if (f->params->shape.causal) group = group % 2 ? f->groups - 1 - group / 2 : group / 2;
    prepare_head(f, u / f->groups, &h);
    run_group(f, &h, group);
  }
}

void ck_attention(const void *params, void *const *slots) {
  const ck_attention_params *p = params;
  const ck_attention_shape *s = &p->shape;
  if (s->batch <= 0 || s->heads <= 0 || s->lq <= 0) return;
  const ck_gemm_ops *gemm = ck_gemm_ops_current();
  forward f = {
    .params = p,
    .slots = slots,
    .ops = ck_attention_ops_current(),
    .gemm = gemm,
    .group_rows = GROUP_ROWS / gemm->mr * gemm->mr,
    .block_keys = BLOCK_KEYS / gemm->nr * gemm->nr,
    .dots = s->lq <= DOT_QUERIES && s->k.stride[3] == 1 && s->d > 0,
    .values_in_place =
      s->v.dtype == CK_F32 && s->v.stride[3] == 1 && s->dv % gemm->nr == 0,
    .d_padded = s->d > 0 ? s->d : 1,
    .dv_padded = round_up(s->dv > 0 ? s->dv : 1, gemm->nr),
  };
  f.groups = (s->lq + f.group_rows - 1) / f.group_rows;
  int64_t units = s->batch * s->heads * f.groups;
  int64_t work = s->batch * s->heads * s->lq * s->lk * (s->d + s->dv + 16);
  bool pays = ck_parallel_pays((s->causal ? work / 2 : work) / MULTIPLICATIONS_PER_NS);
  if (pays) {
    ck_parallel(units, 1, run_groups, &f);
  } else {
    run_groups(&f, 0, units, 0);
  }
}
