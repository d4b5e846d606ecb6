// Beginning, joining and ending reductions; the accumulation itself is in ck_map_reduce_body.h.
#include <math.h>
#include <string.h>

#include "ck_map_internal.h"

static bool is_arg(ck_map_op op) {
  return op == CK_MAP_REDUCE_ARG_MINIMUM || op == CK_MAP_REDUCE_ARG_MAXIMUM;
}
static bool is_logical(ck_map_op op) { return op == CK_MAP_REDUCE_AND || op == CK_MAP_REDUCE_OR; }
static bool has_partials(ck_map_op op, int cls) {
  return cls == CK_CLASS_F32 && (op == CK_MAP_REDUCE_SUM || op == CK_MAP_REDUCE_PRODUCT);
}
// The class values are kept in.
static int kept_class(ck_map_op op, int cls) { return is_logical(op) ? CK_CLASS_I32 : cls; }

// Arrays of lanes are padded so that bodies may store whole vectors.
static int64_t padded(int64_t lanes) { return (lanes + 15) & ~(int64_t)15; }

int64_t ck_reduce_state_bytes(ck_map_op op, int cls, int64_t lanes) {
  int64_t bytes = (int64_t)sizeof(ck_reduce_state);
  if (lanes == 0) return bytes + (has_partials(op, cls) ? 4 * CK_SUM_PARTIALS : 0);
  lanes = padded(lanes);
  bytes += ck_align64(lanes * ck_class_size(kept_class(op, cls)));
  if (op == CK_MAP_REDUCE_SUM && cls == CK_CLASS_F32) bytes += ck_align64(lanes * 8);
  if (is_arg(op)) bytes += ck_align64(lanes * 4);
  return bytes;
}

float ck_fold_partials(const float *partial) {
  float p[CK_SUM_PARTIALS / 2];
  for (int i = 0; i < CK_SUM_PARTIALS / 2; i++) p[i] = partial[i] + partial[i + CK_SUM_PARTIALS / 2];
  for (int width = CK_SUM_PARTIALS / 4; width; width /= 2) {
    for (int i = 0; i < width; i++) p[i] += p[i + width];
  }
  return p[0];
}

static double neutral(ck_map_op op, int cls) {
  bool f = cls == CK_CLASS_F32;
  double low = cls == CK_CLASS_I32 ? (double)INT32_MIN : 0;
  double high = cls == CK_CLASS_I32 ? (double)INT32_MAX : 0;
  switch (op) {
    case CK_MAP_REDUCE_PRODUCT: case CK_MAP_REDUCE_AND: return 1;
    // A NaN operand yields the other one.
    case CK_MAP_REDUCE_MINIMUM: return f ? (double)NAN : high;
    case CK_MAP_REDUCE_MAXIMUM: return f ? (double)NAN : low;
    case CK_MAP_REDUCE_MINIMUM_NAN: return f ? (double)INFINITY : high;
    case CK_MAP_REDUCE_MAXIMUM_NAN: return f ? -(double)INFINITY : low;
    default: return 0;
  }
}
static int64_t neutral_i64(ck_map_op op) {
  switch (op) {
    case CK_MAP_REDUCE_PRODUCT: return 1;
    case CK_MAP_REDUCE_MINIMUM: case CK_MAP_REDUCE_MINIMUM_NAN: return INT64_MAX;
    case CK_MAP_REDUCE_MAXIMUM: case CK_MAP_REDUCE_MAXIMUM_NAN: return INT64_MIN;
    default: return 0;
  }
}

void ck_reduce_init(ck_map_op op, int cls, ck_reduce_state *s, int64_t lanes, int64_t position) {
  memset(s, 0, sizeof *s);
  s->position = position;
  s->lanes = padded(lanes);
  int kept = kept_class(op, cls);
  double start = neutral(op, cls);
  if (lanes == 0) {
    if (has_partials(op, cls)) {
      s->value.f64 = start;
      for (int i = 0; i < CK_SUM_PARTIALS; i++) ((float *)s->data)[i] = (float)start;
    } else if (kept == CK_CLASS_F32) {
      s->value.f32 = (float)start;
    } else if (kept == CK_CLASS_I32) {
      s->value.i32 = (int32_t)start;
    } else {
      s->value.i64 = neutral_i64(op);
    }
    return;
  }
  lanes = s->lanes;
  for (int64_t i = 0; i < lanes; i++) {
    if (kept == CK_CLASS_F32) ((float *)s->data)[i] = (float)start;
    else if (kept == CK_CLASS_I32) ((int32_t *)s->data)[i] = (int32_t)start;
    else ((int64_t *)s->data)[i] = neutral_i64(op);
  }
  char *second = ck_state_second(s, kept);
  if (op == CK_MAP_REDUCE_SUM && cls == CK_CLASS_F32) memset(second, 0, (size_t)lanes * 8);
  if (is_arg(op)) memset(second, 0xff, (size_t)lanes * 4);
}

#define MERGE_MIN_MAX(T, NOT_A_NUMBER)                                                       \
  static T merge_##T(ck_map_op op, T x, T y) {                                               \
    switch (op) {                                                                            \
      case CK_MAP_REDUCE_MINIMUM: return x < y || NOT_A_NUMBER(y) ? x : y;                   \
      case CK_MAP_REDUCE_MAXIMUM: return x > y || NOT_A_NUMBER(y) ? x : y;                   \
      case CK_MAP_REDUCE_MINIMUM_NAN: return x < y || NOT_A_NUMBER(x) ? x : y;               \
      case CK_MAP_REDUCE_MAXIMUM_NAN: return x > y || NOT_A_NUMBER(x) ? x : y;               \
      case CK_MAP_REDUCE_PRODUCT: return (T)(MULTIPLIED(T, x, y));                           \
      case CK_MAP_REDUCE_AND: return x != 0 && y != 0;                                       \
      case CK_MAP_REDUCE_OR: return x != 0 || y != 0;                                        \
      default: return (T)(ADDED(T, x, y));                                                   \
    }                                                                                        \
  }
#define NEVER(x) ((void)(x), 0)
#define MULTIPLIED(T, x, y) ((uint64_t)(x) * (uint64_t)(y))
#define ADDED(T, x, y) ((uint64_t)(x) + (uint64_t)(y))
MERGE_MIN_MAX(int32_t, NEVER)
MERGE_MIN_MAX(int64_t, NEVER)
#undef MULTIPLIED
#undef ADDED
#define MULTIPLIED(T, x, y) ((x) * (y))
#define ADDED(T, x, y) ((x) + (y))
MERGE_MIN_MAX(float, isnan)

// Whether a later y replaces x as the best element.
static bool replaces(ck_map_op op, double x, double y) {
  if (isnan(x)) return false;
  return isnan(y) || (op == CK_MAP_REDUCE_ARG_MINIMUM ? y < x : y > x);
}
static bool replaces_i64(ck_map_op op, int64_t x, int64_t y) {
  return op == CK_MAP_REDUCE_ARG_MINIMUM ? y < x : y > x;
}

// Joins lane k of `from` to lane i of s.
static void merge_lane(
  ck_map_op op, int cls, ck_reduce_state *s, int64_t i, ck_reduce_state *from, int64_t k) {
  int kept = kept_class(op, cls);
  char *second = ck_state_second(s, kept), *from_second = ck_state_second(from, kept);
  float *f = (float *)s->data + i, *g = (float *)from->data + k;
  int32_t *p = (int32_t *)s->data + i, *q = (int32_t *)from->data + k;
  int64_t *l = (int64_t *)s->data + i, *r = (int64_t *)from->data + k;
  if (is_arg(op)) {
    int32_t *at = (int32_t *)second + i, *other = (int32_t *)from_second + k;
    if (*other < 0) return;
    bool better = kept == CK_CLASS_F32   ? replaces(op, (double)*f, (double)*g)
                  : kept == CK_CLASS_I32 ? replaces_i64(op, *p, *q)
                                         : replaces_i64(op, *l, *r);
    if (*at >= 0 && !better) return;
    *at = *other;
    if (kept == CK_CLASS_F32) *f = *g;
    else if (kept == CK_CLASS_I32) *p = *q;
    else *l = *r;
  } else if (op == CK_MAP_REDUCE_SUM && cls == CK_CLASS_F32) {
    ((double *)second)[i] += (double)*f + (((double *)from_second)[k] + (double)*g);
    *f = 0;
  } else if (kept == CK_CLASS_F32) {
    *f = merge_float(op, *f, *g);
  } else if (kept == CK_CLASS_I32) {
    *p = merge_int32_t(op, *p, *q);
  } else {
    *l = merge_int64_t(op, *l, *r);
  }
}

static void merge_lanes(ck_map_op op, int cls, ck_reduce_state *s, ck_reduce_state *from) {
  for (int64_t i = 0; i < s->lanes; i++) merge_lane(op, cls, s, i, from, i);
}

void ck_reduce_fold(ck_map_op op, int cls, ck_reduce_state *s, int64_t lanes, int64_t groups) {
  for (int64_t k = lanes; k < lanes * groups; k++) merge_lane(op, cls, s, k % lanes, s, k);
}

// Folds what is pending of a sum or product into value.f64.
static void settle(ck_map_op op, ck_reduce_state *s) {
  float *partial = (float *)s->data;
  if (op == CK_MAP_REDUCE_SUM) {
    if (s->pending) s->value.f64 += (double)ck_fold_partials(partial);
    for (int i = 0; i < CK_SUM_PARTIALS; i++) partial[i] = 0;
  } else {
    for (int i = 0; i < CK_SUM_PARTIALS; i++) {
      s->value.f64 *= (double)partial[i];
      partial[i] = 1;
    }
  }
  s->pending = 0;
}

void ck_reduce_merge(ck_map_op op, int cls, ck_reduce_state *s, ck_reduce_state *from) {
  if (s->lanes) {
    merge_lanes(op, cls, s, from);
  } else if (has_partials(op, cls)) {
    settle(op, s);
    settle(op, from);
    if (op == CK_MAP_REDUCE_SUM) s->value.f64 += from->value.f64;
    else s->value.f64 *= from->value.f64;
  } else if (is_arg(op)) {
    bool better = cls == CK_CLASS_F32 ? replaces(op, (double)s->value.f32, (double)from->value.f32)
                  : cls == CK_CLASS_I32 ? replaces_i64(op, s->value.i32, from->value.i32)
                                        : replaces_i64(op, s->value.i64, from->value.i64);
    if (from->any && (!s->any || better)) {
      s->value = from->value;
      s->index = from->index;
      s->any = 1;
    }
  } else {
    int kept = kept_class(op, cls);
    if (kept == CK_CLASS_F32) s->value.f32 = merge_float(op, s->value.f32, from->value.f32);
    else if (kept == CK_CLASS_I32) s->value.i32 = merge_int32_t(op, s->value.i32, from->value.i32);
    else s->value.i64 = merge_int64_t(op, s->value.i64, from->value.i64);
  }
  s->position = from->position;
}

// The plain float minimum starts from NaN, which is not the result for an empty row.
static bool is_empty_extreme(ck_map_op op, int cls, const ck_reduce_state *s) {
  return s->position == 0 && cls == CK_CLASS_F32 &&
         (op == CK_MAP_REDUCE_MINIMUM || op == CK_MAP_REDUCE_MAXIMUM);
}

void ck_reduce_finish(ck_map_op op, int cls, ck_reduce_state *s, void *out) {
  int kept = kept_class(op, cls);
  float empty = op == CK_MAP_REDUCE_MINIMUM ? INFINITY : -INFINITY;
  if (s->lanes == 0) {
    if (has_partials(op, cls)) {
      settle(op, s);
      *(float *)out = (float)s->value.f64;
    } else if (is_arg(op)) {
      *(int32_t *)out = (int32_t)s->index;
    } else if (kept == CK_CLASS_F32) {
      *(float *)out = is_empty_extreme(op, cls, s) ? empty : s->value.f32;
    } else if (kept == CK_CLASS_I32) {
      *(int32_t *)out = s->value.i32;
    } else {
      *(int64_t *)out = s->value.i64;
    }
    return;
  }
  char *second = ck_state_second(s, kept);
  if (is_arg(op)) {
    for (int64_t i = 0; i < s->lanes; i++) {
      int32_t at = ((int32_t *)second)[i];
      ((int32_t *)out)[i] = at < 0 ? 0 : at;
    }
  } else if (op == CK_MAP_REDUCE_SUM && cls == CK_CLASS_F32) {
    for (int64_t i = 0; i < s->lanes; i++) {
      ((float *)out)[i] = (float)(((double *)second)[i] + (double)((float *)s->data)[i]);
    }
  } else if (is_empty_extreme(op, cls, s)) {
    for (int64_t i = 0; i < s->lanes; i++) ((float *)out)[i] = empty;
  } else {
    memcpy(out, s->data, (size_t)(s->lanes * ck_class_size(kept)));
  }
}
