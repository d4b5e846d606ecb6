// Reductions: d is a ck_reduce_state. `across` folds a tile into one value, `lanes` keeps one value
// per position in the tile.

#define STATE ck_reduce_state *s = d

V_INLINE v_i32 v_first_i32(int64_t k) {  // lanes 0 ..< k
  v_i32 lane;
  for (int i = 0; i < CK_VW; i++) lane[i] = i;
  return lane < (int32_t)k;
}
V_INLINE v_f32 v_tail_f32(v_f32 x, int64_t k, v_f32 neutral) {
  return v_sel(v_first_i32(k), x, neutral);
}
V_INLINE v_i32 v_tail_i32(v_i32 x, int64_t k, v_i32 neutral) {
  return v_sel_i32(v_first_i32(k), x, neutral);
}
V_INLINE v_i64 v_tail_i64(v_i64 x, int64_t k, v_i64 neutral) {
  return v_sel_i64(v_widen(v_first_i32(k)), x, neutral);
}

// --- Combining functions, on vectors.

V_INLINE v_f32 c_sum_f32(v_f32 x, v_f32 y) { return x + y; }
V_INLINE v_i32 c_sum_i32(v_i32 x, v_i32 y) { return (v_i32)((v_u32)x + (v_u32)y); }
V_INLINE v_i64 c_sum_i64(v_i64 x, v_i64 y) { return (v_i64)((v_u64)x + (v_u64)y); }
V_INLINE v_f32 c_product_f32(v_f32 x, v_f32 y) { return x * y; }
V_INLINE v_i32 c_product_i32(v_i32 x, v_i32 y) { return (v_i32)((v_u32)x * (v_u32)y); }
V_INLINE v_i64 c_product_i64(v_i64 x, v_i64 y) { return (v_i64)((v_u64)x * (v_u64)y); }
V_INLINE v_f32 c_minimum_f32(v_f32 x, v_f32 y) { return v_sel((x < y) | v_nan(y), x, y); }
V_INLINE v_i32 c_minimum_i32(v_i32 x, v_i32 y) { return v_sel_i32(x < y, x, y); }
V_INLINE v_i64 c_minimum_i64(v_i64 x, v_i64 y) { return v_sel_i64(x < y, x, y); }
V_INLINE v_f32 c_maximum_f32(v_f32 x, v_f32 y) { return v_sel((x > y) | v_nan(y), x, y); }
V_INLINE v_i32 c_maximum_i32(v_i32 x, v_i32 y) { return v_sel_i32(x > y, x, y); }
V_INLINE v_i64 c_maximum_i64(v_i64 x, v_i64 y) { return v_sel_i64(x > y, x, y); }
V_INLINE v_f32 c_minimum_nan_f32(v_f32 x, v_f32 y) { return v_sel((x < y) | v_nan(x), x, y); }
V_INLINE v_f32 c_maximum_nan_f32(v_f32 x, v_f32 y) { return v_sel((x > y) | v_nan(x), x, y); }

// --- Across the tile.

// Element i goes to partial[i % 64], for every vector length.
#define ACROSS_PARTIALS(NAME, C, ITEM, NEUTRAL, FOLD)                                                 \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    enum { VECTORS = CK_SUM_PARTIALS / CK_VW };                                                 \
    v_f32 p[VECTORS];                                                                           \
    float *partial = (float *)s->data;                                                          \
    for (int j = 0; j < VECTORS; j++) p[j] = v_load_f32(partial + j * CK_VW);                   \
    int64_t i = 0;                                                                              \
    for (; i + CK_SUM_PARTIALS <= n; i += CK_SUM_PARTIALS) {                                    \
      for (int j = 0; j < VECTORS; j++) p[j] = C(p[j], ITEM(FULL, j * CK_VW));                  \
    }                                                                                           \
    for (int j = 0; j < VECTORS && i < n; j++, i += CK_VW) {                                    \
      int64_t k = n - i;                                                                        \
      v_f32 x = ITEM(EITHER, 0);                                                                \
      p[j] = C(p[j], k >= CK_VW ? x : v_tail_f32(x, k, S(NEUTRAL)));                            \
    }                                                                                           \
    for (int j = 0; j < VECTORS; j++) v_store_f32(partial + j * CK_VW, p[j]);                   \
    s->position += n;                                                                           \
    s->pending += n;                                                                            \
    if (s->pending >= CK_SUM_FOLD) {                                                            \
      FOLD;                                                                                     \
      for (int j = 0; j < VECTORS; j++) v_store_f32(partial + j * CK_VW, S(NEUTRAL));           \
      s->pending = 0;                                                                           \
    }                                                                                           \
  }
#define ITEM_A(LOAD, at) LOAD(f32, (const float *)a + (at))
#define ITEM_PRODUCT(LOAD, at) \
  (LOAD(f32, (const float *)a + (at)) * LOAD(f32, (const float *)b + (at)))
ACROSS_PARTIALS(
  across_sum_f32, c_sum_f32, ITEM_A, 0, s->value.f64 += (double)ck_fold_partials(partial))
ACROSS_PARTIALS(
  across_sum_products, c_sum_f32, ITEM_PRODUCT, 0,
  s->value.f64 += (double)ck_fold_partials(partial))
ACROSS_PARTIALS(
  across_product_f32, c_product_f32, ITEM_A, 1,
  for (int j = 0; j < CK_SUM_PARTIALS; j++) s->value.f64 *= (double)partial[j])

// ck_fold_partials on registers.
V_INLINE float v_fold(const v_f32 *p) {
  enum { VECTORS = CK_SUM_PARTIALS / CK_VW, QUADS = CK_SUM_PARTIALS / 4 };
  typedef float quad __attribute__((vector_size(16)));
  quad q[QUADS];
  for (int j = 0; j < VECTORS; j++) memcpy(&q[j * CK_VW / 4], &p[j], sizeof p[j]);
  for (int width = QUADS / 2; width; width /= 2) {
    for (int j = 0; j < width; j++) q[j] += q[j + width];
  }
  return (q[0][0] + q[0][2]) + (q[0][1] + q[0][3]);
}

#define ONCE_SUM(NAME, ITEM)                                                                    \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    enum { VECTORS = CK_SUM_PARTIALS / CK_VW };                                                 \
    v_f32 p[VECTORS];                                                                           \
    for (int j = 0; j < VECTORS; j++) p[j] = S(0);                                              \
    int64_t i = 0;                                                                              \
    for (; i + CK_SUM_PARTIALS <= n; i += CK_SUM_PARTIALS) {                                    \
      for (int j = 0; j < VECTORS; j++) p[j] += ITEM(FULL, j * CK_VW);                          \
    }                                                                                           \
    for (int j = 0; j < VECTORS; j++, i += CK_VW) {                                             \
      int64_t k = n - i;                                                                        \
      if (k > 0) p[j] += ITEM(EITHER, 0);                                                       \
    }                                                                                           \
    *(float *)d = v_fold(p);                                                                    \
  }
ONCE_SUM(once_sum, ITEM_A)
ONCE_SUM(once_sum_products, ITEM_PRODUCT)

// Orderless reductions: four accumulators, then the lanes one after another.
#define REDUCE_TILE(T, C, NEUTRAL, RESULT)                                                      \
  v_##T p0 = NEUTRAL, p1 = p0, p2 = p0, p3 = p0;                                                \
  int64_t i = 0;                                                                                \
  for (; i + 4 * CK_VW <= n; i += 4 * CK_VW) {                                                  \
    p0 = C(p0, v_load_##T(AT(T, a)));                                                           \
    p1 = C(p1, v_load_##T(AT(T, a) + CK_VW));                                                   \
    p2 = C(p2, v_load_##T(AT(T, a) + 2 * CK_VW));                                               \
    p3 = C(p3, v_load_##T(AT(T, a) + 3 * CK_VW));                                               \
  }                                                                                             \
  for (; i < n; i += CK_VW) {                                                                   \
    int64_t k = n - i;                                                                          \
    v_##T x = EITHER(T, a);                                                                     \
    p0 = C(p0, k >= CK_VW ? x : v_tail_##T(x, k, NEUTRAL));                                     \
  }                                                                                             \
  p0 = C(C(p0, p1), C(p2, p3));                                                                 \
  E_##T lane[CK_VW];                                                                            \
  memcpy(lane, &p0, sizeof p0);                                                                 \
  for (int width = CK_VW / 2; width; width /= 2) {                                              \
    for (int j = 0; j < width; j++) lane[j] = one_##C(lane[j], lane[j + width]);                \
  }                                                                                             \
  E_##T RESULT = lane[0]

// The combining functions on scalars.
#define ONES(T, E, U)                                                                           \
  V_INLINE E one_c_sum_##T(E x, E y) { return (E)((U)x + (U)y); }                               \
  V_INLINE E one_c_product_##T(E x, E y) { return (E)((U)x * (U)y); }                           \
  V_INLINE E one_c_minimum_##T(E x, E y) { return x < y ? x : y; }                              \
  V_INLINE E one_c_maximum_##T(E x, E y) { return x > y ? x : y; }
ONES(i32, int32_t, uint32_t)
ONES(i64, int64_t, uint64_t)
V_INLINE float one_c_minimum_f32(float x, float y) { return x < y || y != y ? x : y; }
V_INLINE float one_c_maximum_f32(float x, float y) { return x > y || y != y ? x : y; }
V_INLINE float one_c_minimum_nan_f32(float x, float y) { return x < y || x != x ? x : y; }
V_INLINE float one_c_maximum_nan_f32(float x, float y) { return x > y || x != x ? x : y; }

// Float extremes compare in one instruction that passes NaN over (y BETTER x ? y : x) and look for
// NaN aside: whether there is any, or, where all that was found is the neutral value, whether all
// are.
#define FLOAT_EXTREME(NAME, BETTER, NEUTRAL)                                                    \
  static float extreme_##NAME(const float *a, int64_t n, int *any_nan) {                        \
    v_f32 p0 = S(NEUTRAL), p1 = p0, p2 = p0, p3 = p0;                                           \
    v_i32 nan = {0};                                                                            \
    int64_t i = 0;                                                                              \
    for (; i + 4 * CK_VW <= n; i += 4 * CK_VW) {                                                \
      v_f32 y0 = v_load_f32(a + i), y1 = v_load_f32(a + i + CK_VW);                             \
      v_f32 y2 = v_load_f32(a + i + 2 * CK_VW), y3 = v_load_f32(a + i + 3 * CK_VW);             \
      nan |= v_nan(y0) | v_nan(y1) | v_nan(y2) | v_nan(y3);                                     \
      p0 = v_sel(y0 BETTER p0, y0, p0);                                                         \
      p1 = v_sel(y1 BETTER p1, y1, p1);                                                         \
      p2 = v_sel(y2 BETTER p2, y2, p2);                                                         \
      p3 = v_sel(y3 BETTER p3, y3, p3);                                                         \
    }                                                                                           \
    for (; i < n; i += CK_VW) {                                                                 \
      int64_t k = n - i;                                                                        \
      v_f32 y = EITHER(f32, a);                                                                 \
      if (k < CK_VW) y = v_tail_f32(y, k, S(NEUTRAL));                                          \
      nan |= v_nan(y);                                                                          \
      p0 = v_sel(y BETTER p0, y, p0);                                                           \
    }                                                                                           \
    p0 = v_sel(p1 BETTER p0, p1, p0);                                                           \
    p2 = v_sel(p3 BETTER p2, p3, p2);                                                           \
    p0 = v_sel(p2 BETTER p0, p2, p0);                                                           \
    float lane[CK_VW];                                                                          \
    memcpy(lane, &p0, sizeof p0);                                                               \
    for (int width = CK_VW / 2; width; width /= 2) {                                            \
      for (int j = 0; j < width; j++) {                                                         \
        lane[j] = lane[j + width] BETTER lane[j] ? lane[j + width] : lane[j];                   \
      }                                                                                         \
    }                                                                                           \
    *any_nan = v_any(nan);                                                                      \
    return lane[0];                                                                             \
  }
FLOAT_EXTREME(minimum, <, INFINITY)
FLOAT_EXTREME(maximum, >, -INFINITY)

V_INLINE int all_nan(const float *a, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    if (a[i] == a[i]) return 0;
  }
  return 1;
}

#define ACROSS_EXTREME(NAME, EXTREME, MERGE, TO_NAN)                                            \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    int any_nan;                                                                                \
    float result = extreme_##EXTREME(a, n, &any_nan);                                           \
    if (any_nan && (TO_NAN)) result = NAN;                                                      \
    s->value.f32 = MERGE(s->value.f32, result);                                                 \
    s->position += n;                                                                           \
  }
ACROSS_EXTREME(across_minimum_f32, minimum, one_c_minimum_f32, result == INFINITY && all_nan(a, n))
ACROSS_EXTREME(across_maximum_f32, maximum, one_c_maximum_f32, result == -INFINITY && all_nan(a, n))
ACROSS_EXTREME(across_minimum_nan_f32, minimum, one_c_minimum_nan_f32, 1)
ACROSS_EXTREME(across_maximum_nan_f32, maximum, one_c_maximum_nan_f32, 1)

#define ACROSS(NAME, T, C, NEUTRAL)                                                             \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    REDUCE_TILE(T, C, v_splat_##T(NEUTRAL), result);                                            \
    s->value.T = one_##C(s->value.T, result);                                                   \
    s->position += n;                                                                           \
  }
ACROSS(across_sum_i32, i32, c_sum_i32, 0)
ACROSS(across_product_i32, i32, c_product_i32, 1)
ACROSS(across_minimum_i32, i32, c_minimum_i32, INT32_MAX)
ACROSS(across_maximum_i32, i32, c_maximum_i32, INT32_MIN)
ACROSS(across_sum_i64, i64, c_sum_i64, 0)
ACROSS(across_product_i64, i64, c_product_i64, 1)
ACROSS(across_minimum_i64, i64, c_minimum_i64, INT64_MAX)
ACROSS(across_maximum_i64, i64, c_maximum_i64, INT64_MIN)

#define ONCE_EXTREME(NAME, EXTREME, TO_NAN)                                                     \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    int any_nan;                                                                                \
    float result = extreme_##EXTREME(a, n, &any_nan);                                           \
    *(float *)d = any_nan && (TO_NAN) ? NAN : result;                                           \
  }
ONCE_EXTREME(once_minimum, minimum, result == INFINITY && all_nan(a, n))
ONCE_EXTREME(once_maximum, maximum, result == -INFINITY && all_nan(a, n))
ONCE_EXTREME(once_minimum_nan, minimum, 1)
ONCE_EXTREME(once_maximum_nan, maximum, 1)

// `and` and `or` stop looking once the answer is known.
#define ACROSS_LOGICAL(NAME, T, ANSWER, FOUND)                                                  \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    s->position += n;                                                                           \
    for (int64_t i = 0; i < n && s->value.i32 != ANSWER; i++) {                                 \
      if (((const E_##T *)a)[i] FOUND 0) s->value.i32 = ANSWER;                                 \
    }                                                                                           \
  }
ACROSS_LOGICAL(across_and_f32, f32, 0, ==)
ACROSS_LOGICAL(across_and_i32, i32, 0, ==)
ACROSS_LOGICAL(across_and_i64, i64, 0, ==)
ACROSS_LOGICAL(across_or_f32, f32, 1, !=)
ACROSS_LOGICAL(across_or_i32, i32, 1, !=)
ACROSS_LOGICAL(across_or_i64, i64, 1, !=)

// The best of the tile first; only when it beats the best so far is its place looked up.
#define ACROSS_ARG(NAME, T, BEST, BETTER)                                                       \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    BEST;                                                                                       \
    E_##T old = s->value.T;                                                                     \
    int nan = best != best, old_nan = s->any && old != old;                                     \
    if (n > 0 && !old_nan && (!s->any || nan || best BETTER old)) {                             \
      const E_##T *e = a;                                                                       \
      int64_t j = 0;                                                                            \
      while (nan ? e[j] == e[j] : e[j] != best) j++;                                            \
      s->value.T = best;                                                                        \
      s->index = s->position + j;                                                               \
      s->any = 1;                                                                               \
    }                                                                                           \
    s->position += n;                                                                           \
  }
#define FLOAT_BEST(EXTREME)                                                                     \
  int any_nan;                                                                                  \
  float best = extreme_##EXTREME(a, n, &any_nan);                                               \
  if (any_nan) best = NAN
ACROSS_ARG(across_arg_minimum_f32, f32, FLOAT_BEST(minimum), <)
ACROSS_ARG(across_arg_maximum_f32, f32, FLOAT_BEST(maximum), >)
ACROSS_ARG(
  across_arg_minimum_i32, i32, REDUCE_TILE(i32, c_minimum_i32, v_splat_i32(INT32_MAX), best), <)
ACROSS_ARG(
  across_arg_maximum_i32, i32, REDUCE_TILE(i32, c_maximum_i32, v_splat_i32(INT32_MIN), best), >)
ACROSS_ARG(
  across_arg_minimum_i64, i64, REDUCE_TILE(i64, c_minimum_i64, v_splat_i64(INT64_MAX), best), <)
ACROSS_ARG(
  across_arg_maximum_i64, i64, REDUCE_TILE(i64, c_maximum_i64, v_splat_i64(INT64_MIN), best), >)

// --- Lane by lane.

#define LANES(NAME, T, TV, EXPR, AFTER)                                                         \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    E_##TV *value = (E_##TV *)s->data;                                                          \
    for (int64_t i = 0; i < n; i += CK_VW) {                                                    \
      int64_t k = n - i;                                                                        \
      v_##T y = EITHER(T, a);                                                                   \
      v_##TV x = v_load_##TV(value + i);                                                        \
      v_##TV z = EXPR;                                                                          \
      /* Lanes after the tile's last belong to a longer tile before it. */                      \
      v_store_##TV(value + i, k >= CK_VW ? z : v_tail_##TV(z, k, x));                           \
    }                                                                                           \
    s->position++;                                                                              \
    AFTER                                                                                       \
  }
// A column's sum goes to a double every CK_COLUMN_FOLD rows. Arrays are padded to whole vectors.
V_INLINE void fold_column(ck_reduce_state *s, int64_t n) {
  double *total = (double *)ck_state_second(s, CK_CLASS_F32);
  float *value = (float *)s->data;
  for (int64_t i = 0; i < n; i++) total[i] += (double)value[i];
  memset(value, 0, (size_t)n * sizeof *value);
  s->pending = 0;
}
LANES(lanes_sum_f32, f32, f32, x + y, if (++s->pending == CK_COLUMN_FOLD) fold_column(s, n);)
static void lanes_sum_products(ARGUMENTS) {
  USE_ARGUMENTS;
  STATE;
  float *value = (float *)s->data;
  for (int64_t i = 0; i < n; i += CK_VW) {
    int64_t k = n - i;
    v_f32 y = EITHER(f32, a) * EITHER(f32, b);
    v_store_f32(value + i, v_load_f32(value + i) + y);
  }
  s->position++;
  if (++s->pending == CK_COLUMN_FOLD) fold_column(s, n);
}
LANES(lanes_product_f32, f32, f32, x *y, )
LANES(lanes_minimum_f32, f32, f32, c_minimum_f32(x, y), )
LANES(lanes_maximum_f32, f32, f32, c_maximum_f32(x, y), )
LANES(lanes_minimum_nan_f32, f32, f32, c_minimum_nan_f32(x, y), )
LANES(lanes_maximum_nan_f32, f32, f32, c_maximum_nan_f32(x, y), )
LANES(lanes_and_f32, f32, i32, x &BIT(y != 0), )
LANES(lanes_or_f32, f32, i32, x | BIT(y != 0), )
LANES(lanes_sum_i32, i32, i32, c_sum_i32(x, y), )
LANES(lanes_product_i32, i32, i32, c_product_i32(x, y), )
LANES(lanes_minimum_i32, i32, i32, c_minimum_i32(x, y), )
LANES(lanes_maximum_i32, i32, i32, c_maximum_i32(x, y), )
LANES(lanes_and_i32, i32, i32, x &BIT(y != 0), )
LANES(lanes_or_i32, i32, i32, x | BIT(y != 0), )
LANES(lanes_sum_i64, i64, i64, c_sum_i64(x, y), )
LANES(lanes_product_i64, i64, i64, c_product_i64(x, y), )
LANES(lanes_minimum_i64, i64, i64, c_minimum_i64(x, y), )
LANES(lanes_maximum_i64, i64, i64, c_maximum_i64(x, y), )
LANES(lanes_and_i64, i64, i32, x &BIT64(y != 0), )
LANES(lanes_or_i64, i64, i32, x | BIT64(y != 0), )

// Replaces where y is better or the first NaN, or at the first row (index -1).
#define LANES_ARG(NAME, T, CLASS, WIDE, SEL, BETTER)                                            \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    STATE;                                                                                      \
    E_##T *value = (E_##T *)s->data;                                                            \
    int32_t *index = (int32_t *)ck_state_second(s, CLASS);                                      \
    for (int64_t i = 0; i < n; i += CK_VW) {                                                    \
      int64_t k = n - i;                                                                        \
      v_##T y = EITHER(T, a), x = v_load_##T(value + i);                                        \
      v_i32 at = v_load_i32(index + i);                                                         \
      v_i32 first = at < 0;                                                                     \
      v_i32 m = first | (WIDE((y BETTER x) | (y != y)) & WIDE(x == x));                         \
      v_store_i32(index + i, v_sel_i32(m, v_splat_i32((int32_t)s->position), at));              \
      v_store_##T(value + i, SEL(m, y, x));                                                     \
    }                                                                                           \
    s->position++;                                                                              \
  }
#define SAME_MASK(m) (m)
V_INLINE v_i64 v_sel_wide(v_i32 m, v_i64 a, v_i64 b) { return v_sel_i64(v_widen(m), a, b); }
LANES_ARG(lanes_arg_minimum_f32, f32, CK_CLASS_F32, SAME_MASK, v_sel, <)
LANES_ARG(lanes_arg_maximum_f32, f32, CK_CLASS_F32, SAME_MASK, v_sel, >)
LANES_ARG(lanes_arg_minimum_i32, i32, CK_CLASS_I32, SAME_MASK, v_sel_i32, <)
LANES_ARG(lanes_arg_maximum_i32, i32, CK_CLASS_I32, SAME_MASK, v_sel_i32, >)
LANES_ARG(lanes_arg_minimum_i64, i64, CK_CLASS_I64, v_narrow, v_sel_wide, <)
LANES_ARG(lanes_arg_maximum_i64, i64, CK_CLASS_I64, v_narrow, v_sel_wide, >)
