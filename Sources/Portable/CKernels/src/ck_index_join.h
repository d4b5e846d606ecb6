// How scattered updates join what they find, in the two classes scatters compute in. In the loops `a`
// is the element found, `u` the update.
#ifndef CK_INDEX_JOIN_H
#define CK_INDEX_JOIN_H

#include "../include/ck_index.h"

// Division that never traps; the low bits of the quotient are the quotient of narrower types.
static inline int64_t ck_divide(int64_t a, int64_t u, bool is_unsigned) {
  if (u == 0) return 0;
  if (is_unsigned) return (int64_t)((uint64_t)a / (uint64_t)u);
  return u == -1 ? (int64_t)(0 - (uint64_t)a) : a / u;
}

static inline bool ck_less(int64_t a, int64_t b, bool is_unsigned) {
  return is_unsigned ? (uint64_t)a < (uint64_t)b : a < b;
}

#define CK_JOIN_FLOAT(LOOP)                                           \
  switch (mode) {                                                     \
    case CK_SCATTER_ADD: LOOP(a + u); break;                          \
    case CK_SCATTER_SUB: LOOP(a - u); break;                          \
    case CK_SCATTER_MUL: LOOP(a * u); break;                          \
    case CK_SCATTER_DIV: LOOP(a / u); break;                          \
    case CK_SCATTER_MIN: LOOP((u < a || u != u) ? u : a); break;      \
    case CK_SCATTER_MAX: LOOP((u > a || u != u) ? u : a); break;      \
    case CK_SCATTER_SET: LOOP(((void)a, u)); break;                   \
  }

#define CK_JOIN_INTEGER(LOOP)                                                          \
  switch (mode) {                                                                      \
    case CK_SCATTER_ADD: LOOP((int64_t)((uint64_t)a + (uint64_t)u)); break;            \
    case CK_SCATTER_SUB: LOOP((int64_t)((uint64_t)a - (uint64_t)u)); break;            \
    case CK_SCATTER_MUL: LOOP((int64_t)((uint64_t)a * (uint64_t)u)); break;            \
    case CK_SCATTER_DIV: LOOP(ck_divide(a, u, is_unsigned)); break;                    \
    case CK_SCATTER_MIN: LOOP(ck_less(u, a, is_unsigned) ? u : a); break;              \
    case CK_SCATTER_MAX: LOOP(ck_less(a, u, is_unsigned) ? u : a); break;              \
    case CK_SCATTER_SET: LOOP(((void)a, u)); break;                                    \
  }

/// A row of updates joins a row; neither overlaps the other.
static inline void ck_join_floats(ck_scatter_mode mode, int64_t count, float *restrict row,
                                  const float *restrict updates) {
#define LOOP(JOINED)                          \
  for (int64_t j = 0; j < count; j++) {       \
    float a = row[j], u = updates[j];         \
    row[j] = JOINED;                          \
  }
  CK_JOIN_FLOAT(LOOP)
#undef LOOP
}

static inline void ck_join_integers(ck_scatter_mode mode, bool is_unsigned, int64_t count,
                                    int64_t *restrict row, const int64_t *restrict updates) {
#define LOOP(JOINED)                          \
  for (int64_t j = 0; j < count; j++) {       \
    int64_t a = row[j], u = updates[j];       \
    row[j] = JOINED;                          \
  }
  CK_JOIN_INTEGER(LOOP)
#undef LOOP
}

/// Updates join the elements their targets name, one after another; -1 names none.
static inline void ck_join_float_targets(ck_scatter_mode mode, int64_t count, const int64_t *targets,
                                         float *line, const float *updates) {
#define LOOP(JOINED)                                  \
  for (int64_t j = 0; j < count; j++) {               \
    if (targets[j] < 0) continue;                     \
    float a = line[targets[j]], u = updates[j];       \
    line[targets[j]] = JOINED;                        \
  }
  CK_JOIN_FLOAT(LOOP)
#undef LOOP
}

static inline void ck_join_integer_targets(ck_scatter_mode mode, bool is_unsigned, int64_t count,
                                           const int64_t *targets, int64_t *line,
                                           const int64_t *updates) {
#define LOOP(JOINED)                                  \
  for (int64_t j = 0; j < count; j++) {               \
    if (targets[j] < 0) continue;                     \
    int64_t a = line[targets[j]], u = updates[j];     \
    line[targets[j]] = JOINED;                        \
  }
  CK_JOIN_INTEGER(LOOP)
#undef LOOP
}

#endif
