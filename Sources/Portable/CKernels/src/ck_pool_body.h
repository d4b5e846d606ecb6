// Loops over one line (neighbouring result columns or channels), compiled per instruction set.
// Element i of the source line is s[i * stride].

// NaN wins over numbers, the first of equals and of NaNs stays; indices follow if wanted.
#define CK_POOL_MAX_LOOP(SUFFIX, T, WINS)                                                         \
  static void CK_NAME(pool_max_##SUFFIX)(int64_t n, T *a, const T *s, int64_t stride,             \
                                         int32_t *index, int32_t position, int32_t step) {        \
    if (!index) {                                                                                 \
      if (stride == 1) {                                                                          \
        for (int64_t i = 0; i < n; i++) a[i] = WINS(s[i], a[i]) ? s[i] : a[i];                    \
      } else if (stride == 2) {                                                                   \
        for (int64_t i = 0; i < n; i++) a[i] = WINS(s[2 * i], a[i]) ? s[2 * i] : a[i];            \
      } else {                                                                                    \
        for (int64_t i = 0; i < n; i++) a[i] = WINS(s[i * stride], a[i]) ? s[i * stride] : a[i];  \
      }                                                                                           \
      return;                                                                                     \
    }                                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                             \
      bool wins = WINS(s[i * stride], a[i]);                                                      \
      a[i] = wins ? s[i * stride] : a[i];                                                         \
      index[i] = wins ? position + (int32_t)i * step : index[i];                                  \
    }                                                                                             \
  }
#define FLOAT_WINS(x, y) ((x) > (y) || ((x) != (x) && (y) == (y)))
#define INTEGER_WINS(x, y) ((x) > (y))
CK_POOL_MAX_LOOP(floats, float, FLOAT_WINS)
CK_POOL_MAX_LOOP(integers, int64_t, INTEGER_WINS)
#undef FLOAT_WINS
#undef INTEGER_WINS
#undef CK_POOL_MAX_LOOP

#define CK_POOL_EACH(BODY)                               \
  if (stride == 1) {                                     \
    for (int64_t i = 0; i < n; i++) BODY(i, i);          \
  } else if (stride == 2) {                              \
    for (int64_t i = 0; i < n; i++) BODY(i, 2 * i);      \
  } else {                                               \
    for (int64_t i = 0; i < n; i++) BODY(i, i * stride); \
  }

static void CK_NAME(pool_sum)(int64_t n, float *restrict a, const float *restrict s, int64_t stride) {
#define BODY(i, j) a[i] += s[j]
  CK_POOL_EACH(BODY)
#undef BODY
}

static void CK_NAME(pool_squares)(int64_t n, float *restrict a, const float *restrict s, int64_t stride) {
#define BODY(i, j) a[i] += s[j] * s[j]
  CK_POOL_EACH(BODY)
#undef BODY
}

/// Spreads a line of shares over the positions of one tap.
static void CK_NAME(pool_spread)(int64_t n, float *restrict d, const float *restrict share, int64_t stride) {
#define BODY(i, j) d[j] += share[i]
  CK_POOL_EACH(BODY)
#undef BODY
}

static void CK_NAME(pool_spread_times)(int64_t n, float *restrict d, const float *restrict share,
                                       const float *restrict s, int64_t source_stride, int64_t stride) {
  if (stride == 1 && source_stride == 1) {
    for (int64_t i = 0; i < n; i++) d[i] += share[i] * s[i];
  } else {
    for (int64_t i = 0; i < n; i++) d[i * stride] += share[i] * s[i * source_stride];
  }
}

static const pool_lines CK_NAME(pool_table) = {
  CK_NAME(pool_max_floats), CK_NAME(pool_max_integers), CK_NAME(pool_sum),
  CK_NAME(pool_squares), CK_NAME(pool_spread), CK_NAME(pool_spread_times),
};
#undef CK_POOL_EACH
