// The gemm step: resolves addresses, chooses how to split the work, and runs the bodies.
#include "ck_gemm.h"

#include <string.h>

#include "ck_gemm_internal.h"
#include "ck_half.h"
#include "ck_memory.h"
#include "ck_threads.h"

const ck_gemm_ops *ck_gemm_ops_current(void) {
  switch (ck_isa_current()) {
#if defined(__x86_64__)
    case CK_ISA_AVX512: return &ck_gemm_ops_avx512;
    case CK_ISA_AVX2: return &ck_gemm_ops_avx2;
#elif defined(__aarch64__)
    case CK_ISA_NEON: return &ck_gemm_ops_neon;
#endif
    default: return &ck_gemm_ops_base;
  }
}

// Multiplications below which the driver itself would dominate.
static const int64_t tiny_work = 2048;

// Estimates, in units of one multiplication of the register tile (about 1/60 ns).
enum { COPY_COST = 15, STREAM_COST = 4, PER_NANOSECOND = 60 };

// Split over K when M and N give too few tiles, in parts of at least this depth.
enum { SPLIT_K_LEAST = 1024 };

typedef struct {
  const ck_gemm_params *params;
  const ck_gemm_ops *ops;
  ck_gemm_job job;  // of batch 0, strides resolved
  bool transposed;
  int64_t batches;
  int64_t m_parts, n_parts;  // of each product
  int64_t k_parts;
  float *sums;  // [k_parts, m, n] when split over K
} plan;

static bool is_float(ck_dtype t) { return t == CK_F32 || t == CK_F16 || t == CK_BF16; }

static ck_gemm_matrix resolve(const ck_matrix *m, void *const *slots) {
  return (ck_gemm_matrix){ck_at(slots, m->ref), m->dtype, m->row, m->col};
}

// A bias as contiguous float32; copied to `scratch` unless it is that already.
static const float *resolve_vector(
  const ck_gemm_vector *v, void *const *slots, int64_t count, float *scratch) {
  if (v->ref.slot < 0) return NULL;
  const char *p = ck_at(slots, v->ref);
  if (v->dtype == CK_F32 && (v->stride == 1 || count == 1)) return (const float *)p;
  for (int64_t i = 0; i < count; i++) {
    const char *at = p + i * v->stride * ck_size(v->dtype);
    uint16_t half;
    if (v->dtype == CK_F32) {
      memcpy(&scratch[i], at, sizeof(float));
    } else {
      memcpy(&half, at, sizeof half);
      scratch[i] = v->dtype == CK_F16 ? ck_from_f16(half) : ck_from_bf16(half);
    }
  }
  return scratch;
}

// C^T = B^T A^T: rows become columns.
static void transpose(ck_gemm_job *job) {
  ck_gemm_job old = *job;
  job->m = old.n;
  job->n = old.m;
  job->a = (ck_gemm_matrix){old.b.base, old.b.dtype, old.b.col, old.b.row};
  job->b = (ck_gemm_matrix){old.a.base, old.a.dtype, old.a.col, old.a.row};
  job->c_row = old.c_col;
  job->c_col = old.c_row;
  job->col_bias = old.row_bias;
  job->row_bias = old.col_bias;
}

// With C's rows adjacent the transposed product stores without a copy; with one or a few columns
// it streams A as it lies.
static bool better_transposed(const ck_gemm_job *job) {
  if (job->packed || job->epilogue) return false;
  if (job->c_row == 1 && job->c_col != 1) return true;
  return job->n <= 4 && job->m > 8 && (job->a.row == 1 || job->a.col == 1);
}

static int64_t batch_offset(const plan *p, const int64_t strides[CK_GEMM_BATCH], int64_t index) {
  int64_t offset = 0;
  for (int i = CK_GEMM_BATCH - 1; i >= 0; i--) {
    offset += index % p->params->batch[i] * strides[i];
    index /= p->params->batch[i];
  }
  return offset;
}

static ck_gemm_job job_of(const plan *p, int64_t batch) {
  ck_gemm_job job = p->job;
  if (p->batches == 1) return job;
  const ck_gemm_params *g = p->params;
  int64_t a = batch_offset(p, g->a.batch, batch) * ck_size(g->a.dtype);
  int64_t b = batch_offset(p, g->b.batch, batch) * ck_size(g->b.dtype);
  job.a.base += p->transposed ? b : a;
  job.b.base += p->transposed ? a : b;
  job.c += batch_offset(p, g->c.batch, batch) * ck_size(g->c.dtype);
  job.batch = batch;
  return job;
}

// MARK: Splitting

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Estimated work of one part when a product is split m_parts x n_parts.
static int64_t part_cost(const plan *p, int64_t m_parts, int64_t n_parts) {
  const ck_gemm_job *j = &p->job;
  int64_t rows = ceil_div(j->m, m_parts);
  int64_t cols = ceil_div(ceil_div(j->n, p->ops->nr), n_parts) * p->ops->nr;
  int64_t b_cost = j->packed || j->m <= 5 * p->ops->mr ? STREAM_COST : COPY_COST;
  int64_t per_k = rows * cols + cols * b_cost + (rows > 8 ? rows * COPY_COST : 0);
  return per_k * j->k + rows * cols;
}

// True when `parts` equal parts keep `threads` threads busy.
static bool balances(int64_t parts, int64_t threads) {
  return parts * 10 >= ceil_div(parts, threads) * threads * 9;
}

// Parts of K, 1 when the tiles of C are enough for all threads. Changes the bits, so it depends on
// shapes and the number of threads alone.
static int64_t split_k(const plan *p, int64_t threads) {
  const ck_gemm_job *j = &p->job;
  int64_t tiles = ceil_div(j->m, p->ops->mr) * ceil_div(j->n, p->ops->nr);
  if (p->batches > 1 || tiles >= threads || j->packed || j->k < 2 * SPLIT_K_LEAST) return 1;
  int64_t parts = j->k / SPLIT_K_LEAST;
  return parts < threads ? parts : threads;
}

static void split(plan *p, int64_t threads) {
  const ck_gemm_job *j = &p->job;
  int64_t panels = ceil_div(j->n, p->ops->nr);
  int64_t most_m = ceil_div(j->m, p->ops->mr);
  // Rows of a gemv share each element of B: they are not divided.
  if (j->m <= 8) most_m = 1;
  int64_t per_product = 1;
  while (per_product < threads && !balances(p->batches * per_product, threads)) per_product++;
  int64_t best = INT64_MAX;
  for (int64_t m = 1; m <= per_product && m <= most_m; m++) {
    int64_t n = per_product / m;
    if (n > panels) n = panels;
    int64_t cost = part_cost(p, m, n);
    if (cost >= best) continue;
    best = cost;
    p->m_parts = m;
    p->n_parts = n;
  }
}

// MARK: Running

static void run_parts(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const plan *p = context;
  const ck_gemm_job *shape = &p->job;
  int64_t per_product = p->m_parts * p->n_parts;
  int64_t rows = ceil_div(shape->m, p->m_parts);
  int64_t cols = ceil_div(ceil_div(shape->n, p->ops->nr), p->n_parts) * p->ops->nr;
  for (int64_t i = begin; i < end; i++) {
    ck_gemm_job job = job_of(p, i / per_product);
    int64_t part = i % per_product;
    int64_t m0 = part / p->n_parts * rows, n0 = part % p->n_parts * cols;
    int64_t m1 = m0 + rows < job.m ? m0 + rows : job.m;
    int64_t n1 = n0 + cols < job.n ? n0 + cols : job.n;
    if (m0 < m1 && n0 < n1) p->ops->block(&job, m0, m1, n0, n1);
  }
}

static void run_k_parts(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const plan *p = context;
  int64_t depth = ceil_div(p->job.k, p->k_parts);
  for (int64_t i = begin; i < end; i++) {
    ck_gemm_job job = p->job;
    int64_t k0 = i * depth;
    job.k = job.k - k0 < depth ? job.k - k0 : depth;
    job.a.base += k0 * job.a.col * ck_size(job.a.dtype);
    job.b.base += k0 * job.b.row * ck_size(job.b.dtype);
    job.c = (char *)(p->sums + i * job.m * job.n);
    job.c_dtype = CK_F32;
    job.c_row = job.n;
    job.c_col = 1;
    job.col_bias = job.row_bias = NULL;
    job.relu = false;
    job.epilogue = NULL;
    if (job.k > 0) p->ops->block(&job, 0, job.m, 0, job.n);
  }
}

// In order of K, whatever the number of threads that computed the parts.
static void add_k_parts(const plan *p) {
  int64_t count = p->job.m * p->job.n;
  int64_t depth = ceil_div(p->job.k, p->k_parts);
  for (int64_t part = 1; part < p->k_parts && part * depth < p->job.k; part++)
    for (int64_t i = 0; i < count; i++) p->sums[i] += p->sums[part * count + i];
  p->ops->finish(&p->job, p->sums, 0, p->job.m);
}

static void run_integer(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const plan *p = context;
  for (int64_t i = begin; i < end; i++) {
    ck_gemm_job job = job_of(p, i);
    ck_gemm_integer(&job, 0, job.m);
  }
}

void ck_gemm(const void *params, void *const *slots) {
  const ck_gemm_params *g = params;
  plan p = {.params = g, .ops = ck_gemm_ops_current(), .batches = 1};
  for (int i = 0; i < CK_GEMM_BATCH; i++) p.batches *= g->batch[i];
  if (g->m <= 0 || g->n <= 0 || p.batches <= 0) return;
  ck_gemm_job *j = &p.job;
  j->m = g->m;
  j->n = g->n;
  j->k = g->k;
  j->a = resolve(&g->a, slots);
  if (g->packed_slot >= 0 && slots[g->packed_slot]) {
    j->packed = slots[g->packed_slot];
    j->packed_dtype = g->packed_dtype;
    j->panel_stride = g->k * p.ops->nr;
  } else {
    j->b = resolve(&g->b, slots);
  }
  j->c = ck_at(slots, g->c.ref);
  j->c_dtype = g->c.dtype;
  j->c_row = g->c.row;
  j->c_col = g->c.col;
  j->slots = slots;
  if (!is_float(g->c.dtype)) {
    ck_parallel(p.batches, 1 + 100000 / (g->m * g->n * (g->k + 1)), run_integer, &p);
    return;
  }
  j->relu = g->relu;
  j->epilogue = g->epilogue;
  j->epilogue_params = g->epilogue_params;
  if (g->bias_col.ref.slot >= 0 || g->bias_row.ref.slot >= 0) {
    float *copy = ck_scratch(CK_GEMM_SCRATCH_JOB, (size_t)(g->m + g->n) * sizeof *copy);
    j->col_bias = resolve_vector(&g->bias_col, slots, g->n, copy);
    j->row_bias = resolve_vector(&g->bias_row, slots, g->m, copy + g->n);
  }
  if (
    p.batches == 1 && !j->packed && j->c_col == 1 && g->k > 0 &&
    g->m * g->n * g->k <= tiny_work && g->a.dtype == CK_F32 && g->b.dtype == CK_F32 &&
    g->c.dtype == CK_F32) {
    p.ops->tiny(j);
    return;
  }
  p.transposed = better_transposed(j);
  if (p.transposed) transpose(j);

  bool pays = ck_parallel_pays(p.batches * part_cost(&p, 1, 1) / PER_NANOSECOND);
  p.k_parts = split_k(&p, ck_num_threads());
  if (p.k_parts > 1) {
    size_t bytes = (size_t)(p.k_parts * j->m * j->n) * sizeof(float);
    p.sums = ck_alloc(bytes);
    if (p.sums) {
      ck_parallel(p.k_parts, pays ? 1 : p.k_parts, run_k_parts, &p);
      add_k_parts(&p);
      ck_free(p.sums, bytes);
      return;
    }
  }
  if (pays) {
    split(&p, ck_num_threads());
    ck_parallel(p.batches * p.m_parts * p.n_parts, 1, run_parts, &p);
  } else {
    for (int64_t i = 0; i < p.batches; i++) {
      ck_gemm_job job = job_of(&p, i);
      p.ops->block(&job, 0, job.m, 0, job.n);
    }
  }
}

// MARK: Packing

int64_t ck_gemm_pack_size(int64_t k, int64_t n, ck_dtype dtype) {
  int64_t nr = ck_gemm_ops_current()->nr;
  int64_t bytes = ceil_div(n, nr) * nr * k * ck_size(dtype);
  return bytes > 0 ? bytes : CK_ALIGNMENT;
}

typedef struct {
  const ck_gemm_ops *ops;
  ck_gemm_matrix b;
  int64_t k, n;
  void *packed;
  ck_dtype dtype;
} packing;

static void pack_panels(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const packing *p = context;
  p->ops->pack(&p->b, p->k, p->n, begin, end, p->packed, p->dtype);
}

void ck_gemm_pack(
  const void *b, ck_dtype b_dtype, int64_t row_stride, int64_t col_stride, int64_t k, int64_t n,
  void *packed, ck_dtype packed_dtype) {
  packing p = {
    .ops = ck_gemm_ops_current(),
    .b = {b, b_dtype, row_stride, col_stride},
    .k = k,
    .n = n,
    .packed = packed,
    .dtype = packed_dtype,
  };
  int64_t grain = 1 + 20000 / (p.ops->nr * (k + 1));
  ck_parallel(ceil_div(n, p.ops->nr), grain, pack_panels, &p);
}
