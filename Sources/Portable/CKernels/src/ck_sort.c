#include "../include/ck_sort.h"

#include <stdlib.h>
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_strided.h"

#define CK_SORT_PIECE 256

typedef struct {
  ck_space space;  // source, values, indices; the axis is the last dimension
  const char *source;
  char *values, *indices;
  ck_dtype type;
  int64_t size, length, k;
  bool descending;
} sorter;

// Unsigned keys in the order wanted: floats by sign and magnitude with one zero and NaN above all,
// descending by complement. The complement keeps ties in the order of their indices.
#define KEYS(T, EXPRESSION)                                        \
  do {                                                             \
    const T *p = (const T *)line + begin;                          \
    for (int64_t i = 0; i < count; i++) {                          \
      T v = p[i];                                                  \
      keys[i] = (EXPRESSION) ^ invert;                             \
    }                                                              \
  } while (0)
#define FLOAT_KEY(U, TOP, INFINITE)                                                             \
  ((v & (TOP - 1)) > (INFINITE) ? (U)(2 * (uint64_t)(TOP) - 1)                                  \
   : (v & (TOP - 1)) == 0       ? (U)(TOP)                                                      \
   : (v & (TOP)) ? (U)~v : (U)(v | (TOP)))

static void narrow_keys(const sorter *s, const void *line, int64_t begin, int64_t count, uint32_t *keys) {
  uint32_t all = s->size == 4 ? UINT32_MAX : (1u << (8 * s->size)) - 1;
  uint32_t invert = s->descending ? all : 0;
  switch (s->type) {
    case CK_F32: KEYS(uint32_t, FLOAT_KEY(uint32_t, 0x80000000u, 0x7f800000u)); break;
    case CK_F16: KEYS(uint16_t, FLOAT_KEY(uint16_t, 0x8000u, 0x7c00u)); break;
    case CK_BF16: KEYS(uint16_t, FLOAT_KEY(uint16_t, 0x8000u, 0x7f80u)); break;
    case CK_I8: KEYS(uint8_t, (uint8_t)(v ^ 0x80u)); break;
    case CK_I16: KEYS(uint16_t, (uint16_t)(v ^ 0x8000u)); break;
    case CK_I32: KEYS(uint32_t, v ^ 0x80000000u); break;
    case CK_U8: case CK_BOOL: KEYS(uint8_t, v); break;
    case CK_U16: KEYS(uint16_t, v); break;
    default: KEYS(uint32_t, v); break;
  }
}

static void wide_keys(const sorter *s, const void *line, int64_t begin, int64_t count, uint64_t *keys) {
  uint64_t invert = s->descending ? UINT64_MAX : 0;
  if (s->type == CK_I64) {
    KEYS(uint64_t, v ^ 0x8000000000000000ull);
  } else {
    KEYS(uint64_t, v);
  }
}

#define CK_ELEMENT uint64_t
#define CK_KEY_TYPE uint32_t
#define CK_MAKE(key, index) ((uint64_t)(key) << 32 | (uint64_t)(index))
#define CK_LESS(a, b) ((a) < (b))
#define CK_KEY(e) ((uint32_t)((e) >> 32))
#define CK_SORT(x) narrow_##x
#include "ck_sort_body.h"
#undef CK_ELEMENT
#undef CK_KEY_TYPE
#undef CK_MAKE
#undef CK_LESS
#undef CK_KEY
#undef CK_SORT

typedef struct {
  uint64_t key;
  uint64_t index;
} wide;
#define CK_ELEMENT wide
#define CK_KEY_TYPE uint64_t
#define CK_MAKE(k, i) ((wide){(k), (uint64_t)(i)})
#define CK_LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).index < (b).index))
#define CK_KEY(e) ((e).key)
#define CK_SORT(x) wide_##x
#include "ck_sort_body.h"

static void write_line(const sorter *s, const void *line, const void *sorted, bool narrow,
                       const ck_cursor *c) {
  int32_t axis = s->space.rank - 1;
  int64_t vs = s->space.stride[1][axis], is = s->space.stride[2][axis];
  for (int64_t j = 0; j < s->k; j++) {
    int64_t i = narrow ? (int64_t)(uint32_t)((const uint64_t *)sorted)[j]
                       : (int64_t)((const wide *)sorted)[j].index;
    if (s->indices) ((int32_t *)s->indices)[c->offset[2] + j * is] = (int32_t)i;
    if (!s->values) continue;
    int64_t to = c->offset[1] + j * vs;
    switch (s->size) {
      case 1: ((uint8_t *)s->values)[to] = ((const uint8_t *)line)[i]; break;
      case 2: ((uint16_t *)s->values)[to] = ((const uint16_t *)line)[i]; break;
      case 4: ((uint32_t *)s->values)[to] = ((const uint32_t *)line)[i]; break;
      default: ((uint64_t *)s->values)[to] = ((const uint64_t *)line)[i]; break;
    }
  }
}

static void sort_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const sorter *s = context;
  int32_t axis = s->space.rank - 1;
  bool narrow = s->size < 8;
  size_t element = narrow ? sizeof(uint64_t) : sizeof(wide);
  size_t part = (size_t)s->length * element, bytes = 2 * part + (size_t)(s->length * s->size);
  char *memory = ck_alloc(bytes);
  if (!memory) abort();  // kernels have no way to report
  ck_cursor c = ck_cursor_at(&s->space, axis, begin);
  for (; begin < end; begin++) {
    const void *line = s->source + c.offset[0] * s->size;
    int64_t stride = s->space.stride[0][axis];
    if (stride != 1) {
      ck_move_line(s->length, line, s->type, stride, memory + 2 * part, s->type, 1);
      line = memory + 2 * part;
    }
    if (narrow) {
      narrow_line(s, line, (uint64_t *)memory, (uint64_t *)(memory + part));
    } else {
      wide_line(s, line, (wide *)memory, (wide *)(memory + part));
    }
    write_line(s, line, memory, narrow, &c);
    ck_cursor_next(&s->space, axis, &c);
  }
  ck_free(memory, bytes);
}

void ck_sort(const void *params, void *const *slots) {
  const ck_sort_params *p = params;
  int64_t total = ck_product(p->shape, p->rank);
  if (total == 0 || p->k <= 0) return;
  int64_t length = p->shape[p->axis];
  sorter s = {
    .space = ck_space_of(p->rank, p->shape, &p->source, &p->values, &p->indices),
    .source = ck_at(slots, p->source.ref),
    .values = p->values.ref.slot < 0 ? NULL : ck_at(slots, p->values.ref),
    .indices = p->indices.ref.slot < 0 ? NULL : ck_at(slots, p->indices.ref),
    .type = p->source.dtype,
    .size = ck_size(p->source.dtype),
    .length = length,
    .k = p->k < length ? p->k : length,
    .descending = p->descending,
  };
  for (int32_t d = p->axis; d + 1 < p->rank; d++) ck_space_swap(&s.space, d, d + 1);
  double cost = s.k > length / 4 ? 15.0 : 1.5;
  ck_parallel(total / length, ck_grain(cost * (double)length), sort_task, &s);
}
