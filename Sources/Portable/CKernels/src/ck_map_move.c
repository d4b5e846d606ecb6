#include "ck_map_move.h"

#include <string.h>

#include "ck_map_stage.h"

#define PACK(T)                                                                   \
  static void pack_##T(char *to, const char *from, int64_t step, int64_t n) {     \
    T *d = (T *)to;                                                               \
    if (step == 0) {                                                              \
      T x = *(const T *)from;                                                     \
      for (int64_t i = 0; i < n; i++) d[i] = x;                                   \
      return;                                                                     \
    }                                                                             \
    for (int64_t i = 0; i < n; i++) d[i] = *(const T *)(from + i * step);         \
  }                                                                               \
  static void unpack_##T(char *to, const char *from, int64_t step, int64_t n) {   \
    const T *s = (const T *)from;                                                 \
    for (int64_t i = 0; i < n; i++) *(T *)(to + i * step) = s[i];                 \
  }
PACK(uint8_t)
PACK(uint16_t)
PACK(uint32_t)
PACK(uint64_t)

void ck_map_pack(char *to, const char *from, int64_t step, int32_t element, int64_t n) {
  if (step == element) {
    memcpy(to, from, (size_t)(n * element));
    return;
  }
  switch (element) {
    case 1: pack_uint8_t(to, from, step, n); break;
    case 2: pack_uint16_t(to, from, step, n); break;
    case 4: pack_uint32_t(to, from, step, n); break;
    default: pack_uint64_t(to, from, step, n); break;
  }
}

static void unpack(char *to, const char *from, int64_t step, int32_t element, int64_t n) {
  if (step == element) {
    memcpy(to, from, (size_t)(n * element));
    return;
  }
  switch (element) {
    case 1: unpack_uint8_t(to, from, step, n); break;
    case 2: unpack_uint16_t(to, from, step, n); break;
    case 4: unpack_uint32_t(to, from, step, n); break;
    default: unpack_uint64_t(to, from, step, n); break;
  }
}

/// A walk over runs of the innermost dimension.
typedef struct {
  const ck_nest *nest;
  const int64_t *stride;
  int64_t digit[CK_MAX_RANK];
  intptr_t offset;
} walk;

static void start_walk(walk *w, const ck_nest *nest, const int64_t *stride, int64_t begin) {
  w->nest = nest;
  w->stride = stride;
  w->offset = 0;
  for (int i = nest->rank - 1; i >= 0; i--) {
    w->digit[i] = begin % nest->dims[i];
    begin /= nest->dims[i];
    w->offset += (intptr_t)(w->digit[i] * stride[i]);
  }
}

// Elements left in the current run.
static int64_t run_length(const walk *w, int64_t n) {
  int last = w->nest->rank - 1;
  int64_t left = w->nest->dims[last] - w->digit[last];
  return left < n ? left : n;
}

static void advance(walk *w, int64_t run) {
  int i = w->nest->rank - 1;
  w->digit[i] += run;
  w->offset += (intptr_t)(run * w->stride[i]);
  while (i > 0 && w->digit[i] == w->nest->dims[i]) {
    w->offset -= (intptr_t)(w->nest->dims[i] * w->stride[i]);
    w->digit[i] = 0;
    i--;
    w->digit[i]++;
    w->offset += (intptr_t)w->stride[i];
  }
}

void ck_map_pack_general(
  char *to, const char *from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n) {
  int last = inner->rank - 1;
  int64_t short_size = inner->dims[last];
  // Contiguous along the dimension before the last: whole rows of the last are a transpose.
  bool transposed = o->inner[last - 1] == o->element && o->step != o->element;
  walk w;
  start_walk(&w, inner, o->inner, begin);
  while (n > 0) {
    int64_t run = run_length(&w, n);
    if (transposed && run == short_size) {
      int64_t rows = n / short_size, left = inner->dims[last - 1] - w.digit[last - 1];
      if (rows > left) rows = left;
      ck_map_transpose(ck_map_table_current(), to, short_size * o->element, from + w.offset, o->step,
        o->element, short_size, rows);
      run = rows * short_size;
      begin += run;
      start_walk(&w, inner, o->inner, begin);
    } else {
      ck_map_pack(to, from + w.offset, o->step, o->element, run);
      begin += run;
      advance(&w, run);
    }
    to += run * o->element;
    n -= run;
  }
}

void ck_map_unpack(
  char *to, const char *from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n) {
  if (o->access == CK_STRIDED) {
    unpack(to, from, o->step, o->element, n);
    return;
  }
  walk w;
  start_walk(&w, inner, o->inner, begin);
  while (n > 0) {
    int64_t run = run_length(&w, n);
    unpack(to + w.offset, from, o->step, o->element, run);
    from += run * o->element;
    n -= run;
    advance(&w, run);
  }
}

static void count(int32_t *to, int64_t from, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = (int32_t)(from + i * step);
}

void ck_map_count(
  char *to, uintptr_t from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n) {
  int32_t *d = (int32_t *)to;
  if (o->access == CK_STRIDED) {
    count(d, (int64_t)from, o->step, n);
    return;
  }
  walk w;
  start_walk(&w, inner, o->inner, begin);
  while (n > 0) {
    int64_t run = run_length(&w, n);
    count(d, (int64_t)from + w.offset, o->step, run);
    d += run;
    n -= run;
    advance(&w, run);
  }
}
