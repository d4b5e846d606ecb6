#include "ck_map_stage.h"

static bool is_transposed(const ck_map *m, const ck_map_operand *o, int dim) {
  return !o->store && o->access == CK_STRIDED && o->slot >= 0 && o->level == CK_PER_ELEMENT &&
         o->step != 0 && o->outer[dim] == o->element && m->outer.dims[dim] >= CK_STAGE_ROWS / 2;
}

void ck_map_stage(ck_map *m) {
  if (m->column || m->epilogue || m->segment.rank > 0 || m->inner.rank != 1) return;
  // The dimension that serves most operands.
  int best = -1, most = 0;
  for (int dim = 0; dim < m->outer.rank; dim++) {
    int count = 0;
    for (int32_t k = 0; k < m->operand_count; k++) count += is_transposed(m, &m->operands[k], dim);
    if (count > most) most = count, best = dim;
  }
  if (best < 0) return;
  m->staged = true;
  int last = m->outer.rank - 1;
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    if (is_transposed(m, o, best)) o->access = CK_STAGED;
    int64_t stride = o->outer[best];
    for (int i = best; i < last; i++) o->outer[i] = o->outer[i + 1];
    o->outer[last] = stride;
  }
  int64_t size = m->outer.dims[best];
  for (int i = best; i < last; i++) m->outer.dims[i] = m->outer.dims[i + 1];
  m->outer.dims[last] = size;
}

#define TRANSPOSE(T)                                                                            \
  static void transpose_##T(char *to, const char *from, int64_t step, int64_t rows, int64_t n) { \
    T *d = (T *)to;                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                           \
      const T *s = (const T *)(from + i * step);                                                \
      for (int64_t r = 0; r < rows; r++) d[r * CK_STAGE_PITCH + i] = s[r];                      \
    }                                                                                           \
  }
TRANSPOSE(uint8_t)
TRANSPOSE(uint16_t)
TRANSPOSE(uint64_t)

void ck_map_stage_fill(
  const ck_map_table *table, char *to, const char *from, int64_t step, int32_t element, int64_t rows,
  int64_t n) {
  switch (element) {
    case 1: transpose_uint8_t(to, from, step, rows, n); break;
    case 2: transpose_uint16_t(to, from, step, rows, n); break;
    case 8: transpose_uint64_t(to, from, step, rows, n); break;
    default:
      table->transpose4((uint32_t *)to, CK_STAGE_PITCH, (const uint32_t *)from, step / 4, n, rows);
  }
}
