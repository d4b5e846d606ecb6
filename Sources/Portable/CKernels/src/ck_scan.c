#include "../include/ck_scan.h"

#include <math.h>

#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { PIECE = 256 };  // elements converted at a time

// Elements are scanned as float32 (sums and products in float64) or int64: the low bits of an int64
// result are the wrapped result of every integer type. Unsigned 64-bit order is signed order with the
// top bit flipped.
typedef struct {
  ck_space space;  // result, source; the axis is the last dimension
  const char *source;
  char *result;
  ck_dtype type;
  int64_t size;
  ck_scan_op op;
  bool exclusive, reverse, floating;
  int64_t flip, neutral;
  float float_neutral;
} scanner;

static int64_t largest(ck_dtype t) {
  switch (t) {
    case CK_I8: return INT8_MAX;
    case CK_I16: return INT16_MAX;
    case CK_I32: return INT32_MAX;
    case CK_U8: return UINT8_MAX;
    case CK_U16: return UINT16_MAX;
    case CK_U32: return UINT32_MAX;
    case CK_BOOL: return 1;
    default: return INT64_MAX;
  }
}

static int64_t smallest(ck_dtype t) {
  switch (t) {
    case CK_I8: return INT8_MIN;
    case CK_I16: return INT16_MIN;
    case CK_I32: return INT32_MIN;
    case CK_I64: case CK_U64: return INT64_MIN;  // U64 with its top bit flipped
    default: return 0;
  }
}

// `count` steps one after another if `serial`, else one step of `count` independent scans:
// values[i] becomes the result, accumulators move on.
#define STEPS(T, A, JOIN)                                            \
  if (serial) {                                                      \
    A a = accumulators[0];                                           \
    for (int64_t i = 0; i < count; i++) {                            \
      A x = (A)values[i], next = JOIN;                               \
      values[i] = (T)(exclusive ? a : next);                         \
      a = next;                                                      \
    }                                                                \
    accumulators[0] = a;                                             \
  } else {                                                           \
    for (int64_t i = 0; i < count; i++) {                            \
      A a = accumulators[i], x = (A)values[i];                       \
      A next = JOIN;                                                 \
      values[i] = (T)(exclusive ? a : next);                         \
      accumulators[i] = next;                                        \
    }                                                                \
  }

static void float_steps(ck_scan_op op, bool exclusive, bool serial, int64_t count, float *values,
                        double *accumulators) {
  switch (op) {
    case CK_SCAN_SUM: STEPS(float, double, a + x) break;
    case CK_SCAN_PRODUCT: STEPS(float, double, a * x) break;
    case CK_SCAN_MIN: STEPS(float, double, x < a || x != x ? x : a) break;
    case CK_SCAN_MAX: STEPS(float, double, x > a || x != x ? x : a) break;
  }
}

static void integer_steps(ck_scan_op op, bool exclusive, bool serial, int64_t count, int64_t flip,
                          int64_t *values, int64_t *accumulators) {
  switch (op) {
    case CK_SCAN_SUM: STEPS(int64_t, uint64_t, a + x) break;
    case CK_SCAN_PRODUCT: STEPS(int64_t, uint64_t, a * x) break;
    case CK_SCAN_MIN: STEPS(int64_t, int64_t, (x ^ flip) < (a ^ flip) ? x : a) break;
    case CK_SCAN_MAX: STEPS(int64_t, int64_t, (x ^ flip) > (a ^ flip) ? x : a) break;
  }
}

typedef union {
  float f[PIECE];
  int64_t i[PIECE];
} piece;

typedef union {
  double f[PIECE];
  int64_t i[PIECE];
} totals;

static void start(const scanner *s, int64_t lanes, totals *t) {
  for (int64_t i = 0; i < lanes; i++) {
    if (s->floating) t->f[i] = (double)s->float_neutral; else t->i[i] = s->neutral;
  }
}

// The scan of one line, a piece of it at a time.
static void along_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const scanner *s = context;
  int32_t axis = s->space.rank - 1;
  int64_t length = s->space.shape[axis];
  int64_t rs = s->space.stride[0][axis], ss = s->space.stride[1][axis];
  ck_dtype class = s->floating ? CK_F32 : CK_I64;
  ck_cursor c = ck_cursor_at(&s->space, axis, begin);
  piece p;
  totals t;
  for (; begin < end; begin++) {
    start(s, 1, &t);
    int64_t from = c.offset[1], to = c.offset[0];
    for (int64_t k = 0; k < length; k += PIECE) {
      int64_t n = length - k < PIECE ? length - k : PIECE;
      ck_move_line(n, s->source + (from + k * ss) * s->size, s->type, ss, &p, class, 1);
      if (s->floating) {
        float_steps(s->op, s->exclusive, true, n, p.f, t.f);
      } else {
        integer_steps(s->op, s->exclusive, true, n, s->flip, p.i, t.i);
      }
      ck_move_line(n, &p, class, 1, s->result + (to + k * rs) * s->size, s->type, rs);
    }
    ck_cursor_next(&s->space, axis, &c);
  }
}

// Scans of neighbouring lines side by side, where they are nearer in memory than the axis. The units
// are pieces of the last dimension but one.
static void across_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const scanner *s = context;
  int32_t axis = s->space.rank - 1, inner = axis - 1;
  int64_t width = s->space.shape[inner], pieces = (width + PIECE - 1) / PIECE, at = begin % pieces;
  const int64_t *rs = s->space.stride[0], *ss = s->space.stride[1];
  ck_dtype class = s->floating ? CK_F32 : CK_I64;
  ck_cursor c = ck_cursor_at(&s->space, inner, begin / pieces);
  piece p;
  totals t;
  for (; begin < end; begin++) {
    int64_t x = at * PIECE, n = width - x < PIECE ? width - x : PIECE;
    start(s, n, &t);
    for (int64_t k = 0; k < s->space.shape[axis]; k++) {
      int64_t from = c.offset[1] + x * ss[inner] + k * ss[axis];
      int64_t to = c.offset[0] + x * rs[inner] + k * rs[axis];
      ck_move_line(n, s->source + from * s->size, s->type, ss[inner], &p, class, 1);
      if (s->floating) {
        float_steps(s->op, s->exclusive, false, n, p.f, t.f);
      } else {
        integer_steps(s->op, s->exclusive, false, n, s->flip, p.i, t.i);
      }
      ck_move_line(n, &p, class, 1, s->result + to * s->size, s->type, rs[inner]);
    }
    if (++at < pieces) continue;
    at = 0;
    ck_cursor_next(&s->space, inner, &c);
  }
}

void ck_scan(const void *params, void *const *slots) {
  const ck_scan_params *p = params;
  int64_t total = ck_product(p->shape, p->rank);
  if (total == 0) return;
  scanner s = {
    .space = ck_space_of(p->rank, p->shape, &p->result, &p->source, NULL),
    .source = ck_at(slots, p->source.ref),
    .result = ck_at(slots, p->result.ref),
    .type = p->source.dtype,
    .size = ck_size(p->source.dtype),
    .op = p->op,
    .exclusive = p->exclusive,
    .floating = ck_is_float(p->source.dtype),
    .flip = p->source.dtype == CK_U64 ? INT64_MIN : 0,
  };
  switch (p->op) {
    case CK_SCAN_SUM: s.neutral = 0, s.float_neutral = 0; break;
    case CK_SCAN_PRODUCT: s.neutral = 1, s.float_neutral = 1; break;
    case CK_SCAN_MIN: s.neutral = largest(s.type) ^ s.flip, s.float_neutral = INFINITY; break;
    case CK_SCAN_MAX: s.neutral = smallest(s.type) ^ s.flip, s.float_neutral = -INFINITY; break;
  }
  int32_t last = p->rank - 1;
  for (int32_t d = p->axis; d < last; d++) ck_space_swap(&s.space, d, d + 1);
  int64_t length = s.space.shape[last];
  if (p->reverse) {
    for (int k = 0; k < 2; k++) {
      s.space.offset[k] += (length - 1) * s.space.stride[k][last];
      s.space.stride[k][last] = -s.space.stride[k][last];
    }
  }
  int32_t near = -1;
  for (int32_t d = 0; d < last; d++) {
    if (s.space.shape[d] >= 8 &&
        ck_magnitude(s.space.stride[1][d]) < ck_magnitude(s.space.stride[1][last]) &&
        (near < 0 || s.space.stride[1][d] < s.space.stride[1][near])) {
      near = d;
    }
  }
  if (near < 0) {
    ck_parallel(total / length, ck_grain((double)length), along_task, &s);
    return;
  }
  for (int32_t d = near; d < last - 1; d++) ck_space_swap(&s.space, d, d + 1);
  int64_t width = s.space.shape[last - 1], pieces = (width + PIECE - 1) / PIECE;
  ck_parallel(total / length / width * pieces, ck_grain((double)(length * PIECE)), across_task, &s);
}
