// Positions of non-zero elements. Counting and filling split the elements into the same parts, so
// that each part knows where its rows begin.
#include "../include/ck_index.h"
#include "../include/ck_threads.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { PARTS = 64, PIECE = 512 };

typedef struct {
  ck_space space;
  const char *source;
  ck_dtype type;
  int64_t rows, inner;
  int64_t capacity;
  int32_t *result;
  int64_t first[PARTS + 1];  // counts, then the first row of each part
} finder;

static void visit(finder *f, int64_t part) {
  int32_t last = f->space.rank - 1;
  int64_t total = f->rows * f->inner, begin = total / PARTS * part;
  int64_t end = part == PARTS - 1 ? total : begin + total / PARTS;
  int64_t size = ck_size(f->type), stride = f->space.stride[0][last], found = 0;
  int64_t row = f->result ? f->first[part] : 0, x = begin % f->inner;
  uint8_t flags[PIECE];
  ck_cursor c = ck_cursor_at(&f->space, last, begin / f->inner);
  while (begin < end) {
    int64_t n = f->inner - x < end - begin ? f->inner - x : end - begin;
    n = n < PIECE ? n : PIECE;
    ck_move_line(n, f->source + (c.offset[0] + x * stride) * size, f->type, stride, flags, CK_BOOL, 1);
    for (int64_t j = 0; j < n; j++) {
      if (!f->result || !flags[j]) {
        found += flags[j] != 0;
        continue;
      }
      if (row >= f->capacity) return;
      int32_t *out = f->result + row++ * f->space.rank;
      for (int32_t d = 0; d < last; d++) out[d] = (int32_t)c.index[d];
      out[last] = (int32_t)(x + j);
    }
    begin += n;
    x += n;
    if (x < f->inner) continue;
    x = 0;
    ck_cursor_next(&f->space, last, &c);
  }
  if (!f->result) f->first[part] = found;
}

static void visit_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  for (; begin < end; begin++) visit(context, begin);
}

static int64_t count_parts(finder *f, const ck_nonzero_params *p, void *const *slots) {
  *f = (finder){
    .space = ck_space_of(p->rank, p->shape, &p->source, NULL, NULL),
    .source = ck_at(slots, p->source.ref),
    .type = p->source.dtype,
    .capacity = p->capacity,
  };
  int64_t total = ck_product(p->shape, p->rank);
  if (total == 0 || p->rank == 0) return 0;
  f->inner = p->shape[p->rank - 1];
  f->rows = total / f->inner;
  ck_parallel(PARTS, ck_grain(0.5 * (double)(total / PARTS + 1)), visit_task, f);
  int64_t sum = 0;
  for (int part = 0; part <= PARTS; part++) {
    int64_t n = part < PARTS ? f->first[part] : 0;
    f->first[part] = sum;
    sum += n;
  }
  return sum;
}

int64_t ck_nonzero_count(const void *params, void *const *slots) {
  finder f;
  return count_parts(&f, params, slots);
}

void ck_nonzero_fill(const void *params, void *const *slots) {
  const ck_nonzero_params *p = params;
  finder f;
  int64_t sum = count_parts(&f, p, slots);
  if (sum == 0) return;
  f.result = ck_at(slots, p->result);
  ck_parallel(PARTS, ck_grain((double)(f.rows * f.inner / PARTS + 1)), visit_task, &f);
}
