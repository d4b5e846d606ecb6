// Convolution loops in vectors, compiled once per instruction set, which defines CK_VECTOR, CK_LANES,
// CK_ROWS, CK_SPLAT(x), CK_FMA(a, b, c) = a * b + c, CK_RELU(v) (NaN passes), CK_MINUS_ONES (a
// list of CK_LANES), CK_NAME(x).

static inline CK_VECTOR CK_NAME(load)(const float *p) {
  CK_VECTOR v;
  memcpy(&v, p, sizeof v);
  return v;
}

static inline void CK_NAME(store)(float *p, CK_VECTOR v) { memcpy(p, &v, sizeof v); }

#define CK_TILE(VECTORS)                                                                        \
  static void CK_NAME(tile_##VECTORS)(const ck_conv_tile *t) {                                  \
    enum { WIDTH = VECTORS * CK_LANES };                                                        \
    CK_VECTOR c[CK_ROWS][VECTORS];                                                              \
    CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                               \
      CK_VECTOR b = t->bias ? CK_NAME(load)(t->bias + v * CK_LANES) : CK_SPLAT(0.0f);           \
      CK_UNROLL for (int m = 0; m < CK_ROWS; m++) c[m][v] = b;                                  \
    }                                                                                           \
    int64_t depth = t->depth;                                                                   \
    for (int64_t tap = 0; tap < t->taps; tap++) {                                               \
      const float *w = t->weights + t->weights_at[tap];                                         \
      const float *r[CK_ROWS];                                                                  \
      CK_UNROLL for (int m = 0; m < CK_ROWS; m++) {                                             \
        r[m] = t->rows[tap * CK_ROWS + m] + t->offset;                                          \
      }                                                                                         \
      for (int64_t k = 0; k < depth; k++) {                                                     \
        CK_VECTOR b[VECTORS];                                                                   \
        CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                           \
          b[v] = CK_NAME(load)(w + k * WIDTH + v * CK_LANES);                                   \
        }                                                                                       \
        CK_UNROLL for (int m = 0; m < CK_ROWS; m++) {                                           \
          CK_VECTOR a = CK_SPLAT(r[m][k]);                                                      \
          CK_UNROLL for (int v = 0; v < VECTORS; v++) c[m][v] = CK_FMA(a, b[v], c[m][v]);       \
        }                                                                                       \
      }                                                                                         \
    }                                                                                           \
    CK_UNROLL for (int m = 0; m < CK_ROWS; m++) {                                               \
      if (m >= t->valid_rows) break;                                                            \
      float *to = t->c + m * t->ldc;                                                            \
      float part[WIDTH];                                                                        \
      float *row = t->valid_columns == WIDTH ? to : part;                                       \
      CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                             \
        CK_NAME(store)(row + v * CK_LANES, t->relu ? CK_RELU(c[m][v]) : c[m][v]);         \
      }                                                                                         \
      if (row == part) memcpy(to, part, (size_t)t->valid_columns * sizeof *to);                 \
    }                                                                                           \
  }
CK_TILE(1)
CK_TILE(2)
#undef CK_TILE

#define CK_OUTER(VECTORS, M)                                                                    \
  static void CK_NAME(outer_##VECTORS##_##M)(int64_t count, const float *const *x,              \
                                             int64_t offset, const float *g, float *d,          \
                                             int64_t ldd) {                                     \
    enum { WIDTH = VECTORS * CK_LANES };                                                        \
    CK_VECTOR c[M][VECTORS];                                                                    \
    CK_UNROLL for (int m = 0; m < M; m++) {                                                     \
      CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                             \
        c[m][v] = CK_NAME(load)(d + m * ldd + v * CK_LANES);                                    \
      }                                                                                         \
    }                                                                                           \
    for (int64_t p = 0; p < count; p++) {                                                       \
      const float *a = x[p] + offset;                                                           \
      CK_VECTOR b[VECTORS];                                                                     \
      CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                             \
        b[v] = CK_NAME(load)(g + p * WIDTH + v * CK_LANES);                                     \
      }                                                                                         \
      CK_UNROLL for (int m = 0; m < M; m++) {                                                   \
        CK_VECTOR s = CK_SPLAT(a[m]);                                                           \
        CK_UNROLL for (int v = 0; v < VECTORS; v++) c[m][v] = CK_FMA(s, b[v], c[m][v]);         \
      }                                                                                         \
    }                                                                                           \
    CK_UNROLL for (int m = 0; m < M; m++) {                                                     \
      CK_UNROLL for (int v = 0; v < VECTORS; v++) {                                             \
        CK_NAME(store)(d + m * ldd + v * CK_LANES, c[m][v]);                                    \
      }                                                                                         \
    }                                                                                           \
  }
#define CK_OUTERS(VECTORS)                                                            \
  CK_OUTER(VECTORS, 1) CK_OUTER(VECTORS, 2) CK_OUTER(VECTORS, 3) CK_OUTER(VECTORS, 4) \
  CK_OUTER(VECTORS, 5) CK_OUTER(VECTORS, 6) CK_OUTER(VECTORS, 7) CK_OUTER(VECTORS, 8)
CK_OUTERS(1)
CK_OUTERS(2)
#undef CK_OUTERS
#undef CK_OUTER

// SPREAD(p) makes a vector, ONE(p) a scalar, of the weight or bias for the elements at hand.
#define CK_DEPTHWISE(SUFFIX, SPREAD, AT)                                                        \
  static void CK_NAME(depthwise_##SUFFIX)(int64_t count, int64_t taps, const float *const *rows,\
                                          const float *const *weights, const float *bias,       \
                                          bool relu, float *c) {                                \
    int64_t i = 0;                                                                              \
    for (; i + 4 * CK_LANES <= count; i += 4 * CK_LANES) {                                      \
      CK_VECTOR s[4];                                                                           \
      CK_UNROLL for (int v = 0; v < 4; v++) {                                                   \
        s[v] = bias ? SPREAD(bias + AT(i + v * CK_LANES)) : CK_SPLAT(0.0f);                     \
      }                                                                                         \
      for (int64_t t = 0; t < taps; t++) {                                                      \
        CK_UNROLL for (int v = 0; v < 4; v++) {                                                 \
          s[v] = CK_FMA(CK_NAME(load)(rows[t] + i + v * CK_LANES),                              \
                        SPREAD(weights[t] + AT(i + v * CK_LANES)), s[v]);                       \
        }                                                                                       \
      }                                                                                         \
      CK_UNROLL for (int v = 0; v < 4; v++) {                                                   \
        CK_NAME(store)(c + i + v * CK_LANES, relu ? CK_RELU(s[v]) : s[v]);                \
      }                                                                                         \
    }                                                                                           \
    for (; i + CK_LANES <= count; i += CK_LANES) {                                              \
      CK_VECTOR s = bias ? SPREAD(bias + AT(i)) : CK_SPLAT(0.0f);                               \
      for (int64_t t = 0; t < taps; t++) {                                                      \
        s = CK_FMA(CK_NAME(load)(rows[t] + i), SPREAD(weights[t] + AT(i)), s);                  \
      }                                                                                         \
      CK_NAME(store)(c + i, relu ? CK_RELU(s) : s);                                       \
    }                                                                                           \
    if (i < count && count >= CK_LANES) {                                                       \
      /* Once more over some that are done: reads and writes do not overlap. */                 \
      i = count - CK_LANES;                                                                     \
      CK_VECTOR s = bias ? SPREAD(bias + AT(i)) : CK_SPLAT(0.0f);                               \
      for (int64_t t = 0; t < taps; t++) {                                                      \
        s = CK_FMA(CK_NAME(load)(rows[t] + i), SPREAD(weights[t] + AT(i)), s);                  \
      }                                                                                         \
      CK_NAME(store)(c + i, relu ? CK_RELU(s) : s);                                             \
      return;                                                                                   \
    }                                                                                           \
    for (; i < count; i++) {                                                                    \
      float s = bias ? bias[AT(i)] : 0;                                                         \
      for (int64_t t = 0; t < taps; t++) s += rows[t][i] * weights[t][AT(i)];                   \
      c[i] = relu && s < 0 ? 0 : s;                                                             \
    }                                                                                           \
  }
#define CK_FIRST(p) CK_SPLAT(*(p))
#define CK_SAME(i) (i)
#define CK_ZERO(i) 0
CK_DEPTHWISE(channels, CK_NAME(load), CK_SAME)
CK_DEPTHWISE(columns, CK_FIRST, CK_ZERO)
#undef CK_DEPTHWISE
#undef CK_FIRST
#undef CK_SAME
#undef CK_ZERO

static void CK_NAME(multiply_add)(int64_t count, const float *x, const float *g, float *d) {
  int64_t i = 0;
  for (; i + CK_LANES <= count; i += CK_LANES) {
    CK_NAME(store)(d + i, CK_FMA(CK_NAME(load)(x + i), CK_NAME(load)(g + i), CK_NAME(load)(d + i)));
  }
  for (; i < count; i++) d[i] += x[i] * g[i];
}

typedef int32_t CK_NAME(mask) __attribute__((vector_size(4 * CK_LANES)));

static float CK_NAME(dot)(int64_t rows, int64_t count, const float *x, int64_t x_row, const float *g,
                          int64_t g_row) {
  // Lanes beyond a row's end count as 0 whatever lies there, NaN included.
  static const int32_t all[2 * CK_LANES] = {CK_MINUS_ONES};
  int64_t whole = count / CK_LANES * CK_LANES;
  CK_NAME(mask) mask;
  memcpy(&mask, all + CK_LANES - (count - whole), sizeof mask);
  CK_VECTOR s = CK_SPLAT(0.0f);
  for (; rows > 0; rows--, x += x_row, g += g_row) {
    for (int64_t i = 0; i < whole; i += CK_LANES) {
      s = CK_FMA(CK_NAME(load)(x + i), CK_NAME(load)(g + i), s);
    }
    if (whole == count) continue;
    CK_VECTOR a = CK_NAME(load)(x + whole), b = CK_NAME(load)(g + whole);
    a = (CK_VECTOR)((CK_NAME(mask))a & mask);
    b = (CK_VECTOR)((CK_NAME(mask))b & mask);
    s = CK_FMA(a, b, s);
  }
  float lanes[CK_LANES], sum = 0;
  CK_NAME(store)(lanes, s);
  for (int k = 0; k < CK_LANES; k++) sum += lanes[k];
  return sum;
}

#define CK_OUTERS(VECTORS)                                                          \
  {CK_NAME(outer_##VECTORS##_1), CK_NAME(outer_##VECTORS##_2), CK_NAME(outer_##VECTORS##_3), \
   CK_NAME(outer_##VECTORS##_4), CK_NAME(outer_##VECTORS##_5), CK_NAME(outer_##VECTORS##_6), \
   CK_NAME(outer_##VECTORS##_7), CK_NAME(outer_##VECTORS##_8)}
static const ck_conv_kernels CK_NAME(kernels) = {
  .rows = CK_ROWS,
  .lanes = CK_LANES,
  .tile = {CK_NAME(tile_1), CK_NAME(tile_2)},
  .outer = {CK_OUTERS(1), CK_OUTERS(2)},
  .depthwise_channels = CK_NAME(depthwise_channels),
  .depthwise_columns = CK_NAME(depthwise_columns),
  .multiply_add = CK_NAME(multiply_add),
  .dot = CK_NAME(dot),
};
#undef CK_OUTERS
