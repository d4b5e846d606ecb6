// Iteration over strided operands: merging dimensions, walking rows.
#ifndef CK_STRIDED_H
#define CK_STRIDED_H

#include "../include/ck_common.h"

#define CK_SPACE_OPERANDS 4

/// Up to four operands over one shape. Strides and offsets are in elements.
typedef struct {
  int32_t rank;
  int32_t operands;
  int64_t shape[CK_MAX_RANK];
  int64_t stride[CK_SPACE_OPERANDS][CK_MAX_RANK];
  int64_t offset[CK_SPACE_OPERANDS];
} ck_space;

static inline int64_t ck_product(const int64_t *shape, int32_t rank) {
  int64_t n = 1;
  for (int32_t d = 0; d < rank; d++) n *= shape[d];
  return n;
}

static inline int64_t ck_magnitude(int64_t x) { return x < 0 ? -x : x; }

static inline void ck_space_drop(ck_space *s, int32_t d) {
  for (int32_t e = d; e + 1 < s->rank; e++) {
    s->shape[e] = s->shape[e + 1];
    for (int32_t k = 0; k < s->operands; k++) s->stride[k][e] = s->stride[k][e + 1];
  }
  s->rank--;
}

static inline void ck_space_swap(ck_space *s, int32_t a, int32_t b) {
  int64_t t = s->shape[a];
  s->shape[a] = s->shape[b], s->shape[b] = t;
  for (int32_t k = 0; k < s->operands; k++) {
    t = s->stride[k][a];
    s->stride[k][a] = s->stride[k][b], s->stride[k][b] = t;
  }
}

/// Drops dimensions of size 1, makes the strides of operand `lead` non-negative, orders dimensions by
/// them (largest first) if `reorder`, and merges neighbours that are one run in every operand. Only
/// for steps whose result does not depend on the order of iteration. The space must not be empty.
static inline void ck_space_simplify(ck_space *s, int32_t lead, bool reorder) {
  for (int32_t d = s->rank - 1; d >= 0; d--) {
    if (s->shape[d] == 1) ck_space_drop(s, d);
  }
  if (reorder) {
    for (int32_t d = 0; d < s->rank; d++) {
      if (s->stride[lead][d] >= 0) continue;
      for (int32_t k = 0; k < s->operands; k++) {
        s->offset[k] += (s->shape[d] - 1) * s->stride[k][d];
        s->stride[k][d] = -s->stride[k][d];
      }
    }
    for (int32_t i = 1; i < s->rank; i++) {
      for (int32_t j = i; j > 0 && s->stride[lead][j - 1] < s->stride[lead][j]; j--) {
        ck_space_swap(s, j - 1, j);
      }
    }
  }
  for (int32_t d = s->rank - 2; d >= 0; d--) {
    bool run = true;
    for (int32_t k = 0; k < s->operands; k++) {
      run = run && s->stride[k][d] == s->stride[k][d + 1] * s->shape[d + 1];
    }
    if (!run) continue;
    s->shape[d + 1] *= s->shape[d];
    ck_space_drop(s, d);
  }
}

/// A position among the first `rank` dimensions of a space.
typedef struct {
  int64_t index[CK_MAX_RANK];
  int64_t offset[CK_SPACE_OPERANDS];
} ck_cursor;

static inline ck_cursor ck_cursor_at(const ck_space *s, int32_t rank, int64_t linear) {
  ck_cursor c;
  for (int32_t k = 0; k < s->operands; k++) c.offset[k] = s->offset[k];
  for (int32_t d = rank - 1; d >= 0; d--) {
    c.index[d] = linear % s->shape[d];
    linear /= s->shape[d];
    for (int32_t k = 0; k < s->operands; k++) c.offset[k] += c.index[d] * s->stride[k][d];
  }
  return c;
}

static inline void ck_cursor_next(const ck_space *s, int32_t rank, ck_cursor *c) {
  for (int32_t d = rank - 1; d >= 0; d--) {
    if (++c->index[d] < s->shape[d]) {
      for (int32_t k = 0; k < s->operands; k++) c->offset[k] += s->stride[k][d];
      return;
    }
    c->index[d] = 0;
    for (int32_t k = 0; k < s->operands; k++) c->offset[k] -= (s->shape[d] - 1) * s->stride[k][d];
  }
}

static inline ck_space ck_space_of(int32_t rank, const int64_t *shape, const ck_operand *a,
                                   const ck_operand *b, const ck_operand *c) {
  ck_space s = {.rank = rank, .operands = c ? 3 : b ? 2 : 1};
  for (int32_t d = 0; d < rank; d++) {
    s.shape[d] = shape[d];
    s.stride[0][d] = a->stride[d];
    if (b) s.stride[1][d] = b->stride[d];
    if (c) s.stride[2][d] = c->stride[d];
  }
  return s;
}

/// Elements of work below which a second thread does not pay, for about `cost` ns per element.
static inline int64_t ck_grain(double cost) { return (int64_t)(10000.0 / (cost > 0.01 ? cost : 0.01)) + 1; }

#endif
