// Loops over one line (neighbouring result columns or channels), compiled per instruction set.
// Element i of the source line is s[i * stride].

typedef float CK_NAME(pool_vector) __attribute__((vector_size(32)));
typedef float CK_NAME(pool_wide) __attribute__((vector_size(64)));

// d[i] = s[2 * i]: what compilers do not make of a loop, for they must not read beyond the last one.
static void CK_NAME(pool_evens)(int64_t n, const float *s, float *d) {
  int64_t i = 0;
  // As wide as the loops that read it back: two narrow stores would stall one wide load.
  for (; i + 16 <= n; i += 16) {
    CK_NAME(pool_wide) a, b;
    memcpy(&a, s + 2 * i, sizeof a);
    memcpy(&b, s + 2 * i + 15, sizeof b);
    a = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 17, 19, 21, 23, 25, 27, 29, 31);
    memcpy(d + i, &a, sizeof a);
  }
  for (; i + 8 <= n; i += 8) {
    CK_NAME(pool_vector) a, b;
    memcpy(&a, s + 2 * i, sizeof a);
    memcpy(&b, s + 2 * i + 7, sizeof b);
    a = __builtin_shufflevector(a, b, 0, 2, 4, 6, 9, 11, 13, 15);
    memcpy(d + i, &a, sizeof a);
  }
  for (; i < n; i++) d[i] = s[2 * i];
}

// NaN wins over numbers, the first of equals and of NaNs stays; indices follow if wanted.
#define CK_POOL_MAX_LOOP(SUFFIX, T, WINS)                                                         \
  static void CK_NAME(pool_max_##SUFFIX)(int64_t n, T *a, const T *s, int64_t stride,             \
                                         int32_t *index, int32_t position, int32_t step) {        \
    if (!index && stride == 1) {                                                                  \
      for (int64_t i = 0; i < n; i++) a[i] = WINS(s[i], a[i]) ? s[i] : a[i];                      \
    } else if (!index) {                                                                          \
      for (int64_t i = 0; i < n; i++) a[i] = WINS(s[i * stride], a[i]) ? s[i * stride] : a[i];    \
    } else if (stride == 1) {                                                                     \
      for (int64_t i = 0; i < n; i++) {                                                           \
        bool wins = WINS(s[i], a[i]);                                                             \
        a[i] = wins ? s[i] : a[i];                                                                \
        index[i] = wins ? position + (int32_t)i * step : index[i];                                \
      }                                                                                           \
    } else {                                                                                      \
      for (int64_t i = 0; i < n; i++) {                                                           \
        bool wins = WINS(s[i * stride], a[i]);                                                    \
        a[i] = wins ? s[i * stride] : a[i];                                                       \
        index[i] = wins ? position + (int32_t)i * step : index[i];                                \
      }                                                                                           \
    }                                                                                             \
  }
#define FLOAT_WINS(x, y) ((x) > (y) || ((x) != (x) && (y) == (y)))
#define INTEGER_WINS(x, y) ((x) > (y))
CK_POOL_MAX_LOOP(numbers, float, FLOAT_WINS)
CK_POOL_MAX_LOOP(integers, int64_t, INTEGER_WINS)
#undef FLOAT_WINS
#undef INTEGER_WINS
#undef CK_POOL_MAX_LOOP

static void CK_NAME(pool_max_floats)(int64_t n, float *a, const float *s, int64_t stride,
                                     int32_t *index, int32_t position, int32_t step) {
  float evens[CK_POOL_PIECE];
  if (stride == 2) {
    CK_NAME(pool_evens)(n, s, evens);
    s = evens;
    stride = 1;
  }
  CK_NAME(pool_max_numbers)(n, a, s, stride, index, position, step);
}

#define CK_POOL_EACH(BODY)                               \
  if (stride == 1) {                                     \
    for (int64_t i = 0; i < n; i++) BODY(i, i);          \
  } else if (stride == 2) {                              \
    for (int64_t i = 0; i < n; i++) BODY(i, 2 * i);      \
  } else {                                               \
    for (int64_t i = 0; i < n; i++) BODY(i, i * stride); \
  }

static void CK_NAME(pool_sum)(int64_t n, float *restrict a, const float *restrict s, int64_t stride) {
  float evens[CK_POOL_PIECE];
  if (stride == 2) {
    CK_NAME(pool_evens)(n, s, evens);
    s = evens;
    stride = 1;
  }
#define BODY(i, j) a[i] += s[j]
  CK_POOL_EACH(BODY)
#undef BODY
}

static void CK_NAME(pool_squares)(int64_t n, float *restrict a, const float *restrict s, int64_t stride) {
  float evens[CK_POOL_PIECE];
  if (stride == 2) {
    CK_NAME(pool_evens)(n, s, evens);
    s = evens;
    stride = 1;
  }
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
