#include "ck_map_stage.h"

int64_t ck_map_stage_pitch(const ck_map *m) {
  // Padded, so that the rows' cache sets differ.
  return ((m->tile + 15) & ~(int64_t)15) + 16;
}

// --- Which operands

static bool is_transposed(const ck_map *m, const ck_map_operand *o, int dim) {
  return !o->store && o->access == CK_STRIDED && o->slot >= 0 && o->level == CK_PER_ELEMENT &&
         o->step != 0 && o->outer[dim] == o->element && m->outer.dims[dim] >= CK_STAGE_ROWS / 2;
}

static void stage_rows(ck_map *m) {
  if (m->segment.rank > 0 || m->inner.rank != 1) return;
  // The dimension that serves most operands becomes the last outer one.
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

static void stage_columns(ck_map *m) {
  if (m->segment.rank != 1 || m->segment.count > CK_STAGE_LONGEST || m->inner.rank != 1) return;
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    if (o->access != CK_STRIDED || o->slot < 0 || o->level != CK_PER_ELEMENT || o->step == 0 ||
        o->segment[0] != o->element) {
      continue;
    }
    o->access = CK_STAGED;
    m->staged = true;
  }
}

void ck_map_stage(ck_map *m) {
  if (m->epilogue) return;
  if (m->column) stage_columns(m);
  else stage_rows(m);
}

// --- Moving blocks

#define TRANSPOSE(T)                                                                         \
  static void transpose_##T(                                                                 \
    char *out, int64_t out_stride, const char *in, int64_t in_stride, int64_t rows,          \
    int64_t columns) {                                                                       \
    enum { BLOCK = 16 };                                                                     \
    for (int64_t first = 0; first < columns; first += BLOCK) {                               \
      int64_t last = first + BLOCK < columns ? first + BLOCK : columns;                      \
      for (int64_t i = 0; i < rows; i++) {                                                   \
        const T *s = (const T *)(in + i * in_stride);                                        \
        for (int64_t j = first; j < last; j++) *((T *)(out + j * out_stride) + i) = s[j];    \
      }                                                                                      \
    }                                                                                        \
  }
TRANSPOSE(uint8_t)
TRANSPOSE(uint16_t)
TRANSPOSE(uint64_t)

void ck_map_transpose(
  const ck_map_table *table, char *out, int64_t out_stride, const char *in, int64_t in_stride,
  int32_t element, int64_t rows, int64_t columns) {
  switch (element) {
    case 1: transpose_uint8_t(out, out_stride, in, in_stride, rows, columns); break;
    case 2: transpose_uint16_t(out, out_stride, in, in_stride, rows, columns); break;
    case 8: transpose_uint64_t(out, out_stride, in, in_stride, rows, columns); break;
    default:
      table->transpose4(
        (uint32_t *)out, out_stride / 4, (const uint32_t *)in, in_stride / 4, rows, columns);
  }
}

void ck_map_stage_fill(
  const ck_map_table *table, char *to, int64_t pitch, const char *from, int64_t step,
  int32_t element, int64_t rows, int64_t n) {
  ck_map_transpose(table, to, pitch * element, from, step, element, n, rows);
}

void ck_map_stage_drain(
  const ck_map_table *table, char *to, int64_t step, const char *from, int64_t pitch,
  int32_t element, int64_t rows, int64_t n) {
  ck_map_transpose(table, to, step, from, pitch * element, element, rows, n);
}
