#include "../include/ck_copy.h"

#include <string.h>

#include "../include/ck_threads.h"
#include "ck_convert.h"
#include "ck_move.h"
#include "ck_strided.h"

enum {
  LINE = 512,        // elements converted at a time when one side is strided
  TILE_ROWS = 16,    // transposed tiles: result rows of a cache line each in the source,
  TILE_COLUMNS = 64  // and columns enough for several lines of the result
};

typedef struct {
  ck_space space;  // operand 0 is the result, 1 the source
  const char *source;
  char *result;
  ck_dtype source_type, result_type;
  int64_t source_size, result_size;
  bool bits;
  ck_convert_row convert;
  int32_t across;  // the transposed dimension
} mover;

#define STRIDED_LOOP(T)                                                      \
  do {                                                                       \
    const T *s = source;                                                     \
    T *d = result;                                                           \
    if (source_stride == 0) {                                                \
      T v = *s;                                                              \
      if (result_stride == 1) {                                              \
        for (int64_t i = 0; i < count; i++) d[i] = v;                        \
      } else {                                                               \
        for (int64_t i = 0; i < count; i++) d[i * result_stride] = v;        \
      }                                                                      \
    } else if (result_stride == 1) {                                         \
      for (int64_t i = 0; i < count; i++) d[i] = s[i * source_stride];       \
    } else if (source_stride == 1) {                                         \
      for (int64_t i = 0; i < count; i++) d[i * result_stride] = s[i];       \
    } else {                                                                 \
      for (int64_t i = 0; i < count; i++) {                                  \
        d[i * result_stride] = s[i * source_stride];                         \
      }                                                                      \
    }                                                                        \
  } while (0)

static void bits_line(int64_t count, int64_t size, const void *source, int64_t source_stride,
                      void *result, int64_t result_stride) {
  if (source_stride == 1 && result_stride == 1) {
    if (source != result) memcpy(result, source, (size_t)(count * size));
    return;
  }
  switch (size) {
    case 1: STRIDED_LOOP(uint8_t); break;
    case 2: STRIDED_LOOP(uint16_t); break;
    case 4: STRIDED_LOOP(uint32_t); break;
    default: STRIDED_LOOP(uint64_t); break;
  }
}

static void move_line(const mover *m, int64_t count, const char *source, int64_t source_stride,
                      char *result, int64_t result_stride) {
  if (m->bits) {
    bits_line(count, m->result_size, source, source_stride, result, result_stride);
    return;
  }
  if (source_stride == 1 && result_stride == 1) {
    m->convert(source, result, count);
    return;
  }
  uint64_t gathered[LINE], converted[LINE];
  if (source_stride == 0) {
    m->convert(source, converted, 1);
    bits_line(count, m->result_size, converted, 0, result, result_stride);
    return;
  }
  for (int64_t i = 0; i < count; i += LINE) {
    int64_t n = count - i < LINE ? count - i : LINE;
    const char *from = source + i * source_stride * m->source_size;
    char *to = result + i * result_stride * m->result_size;
    if (source_stride != 1) {
      bits_line(n, m->source_size, from, source_stride, gathered, 1);
      from = (const char *)gathered;
    }
    if (result_stride == 1) {
      m->convert(from, to, n);
    } else {
      m->convert(from, converted, n);
      bits_line(n, m->result_size, converted, 1, to, result_stride);
    }
  }
}

// Elements begin ..< end in row-major order, the innermost dimension at a time.
static void rows_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const mover *m = context;
  const ck_space *s = &m->space;
  int32_t outer = s->rank - 1;
  int64_t inner = s->shape[outer], column = begin % inner;
  int64_t rs = s->stride[0][outer], ss = s->stride[1][outer];
  ck_cursor c = ck_cursor_at(s, outer, begin / inner);
  while (begin < end) {
    int64_t n = inner - column < end - begin ? inner - column : end - begin;
    move_line(m, n, m->source + (c.offset[1] + column * ss) * m->source_size, ss,
              m->result + (c.offset[0] + column * rs) * m->result_size, rs);
    begin += n;
    column = 0;
    ck_cursor_next(s, outer, &c);
  }
}

// Rows too short to be lines of their own: the line runs over the next dimension out, in pieces that
// stay in the first cache while the short dimension comes round.
static void short_rows_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const mover *m = context;
  const ck_space *s = &m->space;
  int32_t outer = s->rank - 2;
  int64_t along = s->shape[outer], inner = s->shape[outer + 1], position = begin % along;
  ck_cursor c = ck_cursor_at(s, outer, begin / along);
  while (begin < end) {
    int64_t n = along - position < end - begin ? along - position : end - begin;
    n = n < LINE ? n : LINE;
    for (int64_t j = 0; j < inner; j++) {
      int64_t from = c.offset[1] + position * s->stride[1][outer] + j * s->stride[1][outer + 1];
      int64_t to = c.offset[0] + position * s->stride[0][outer] + j * s->stride[0][outer + 1];
      move_line(m, n, m->source + from * m->source_size, s->stride[1][outer],
                m->result + to * m->result_size, s->stride[0][outer]);
    }
    begin += n;
    position += n;
    if (position < along) continue;
    position = 0;
    ck_cursor_next(s, outer, &c);
  }
}

typedef uint32_t four __attribute__((vector_size(16), aligned(4)));

// d[r][c] = s[c][r] for 4-byte elements, rows and columns multiples of 4.
static void transpose_words(int64_t rows, int64_t columns, const uint32_t *s, int64_t ss, uint32_t *d,
                            int64_t ds) {
  for (int64_t c = 0; c < columns; c += 4) {
    for (int64_t r = 0; r < rows; r += 4) {
      const uint32_t *p = s + c * ss + r;
      four v0 = *(const four *)p, v1 = *(const four *)(p + ss);
      four v2 = *(const four *)(p + 2 * ss), v3 = *(const four *)(p + 3 * ss);
      four a = __builtin_shufflevector(v0, v1, 0, 4, 1, 5);
      four b = __builtin_shufflevector(v2, v3, 0, 4, 1, 5);
      four e = __builtin_shufflevector(v0, v1, 2, 6, 3, 7);
      four f = __builtin_shufflevector(v2, v3, 2, 6, 3, 7);
      uint32_t *q = d + r * ds + c;
      *(four *)q = __builtin_shufflevector(a, b, 0, 1, 4, 5);
      *(four *)(q + ds) = __builtin_shufflevector(a, b, 2, 3, 6, 7);
      *(four *)(q + 2 * ds) = __builtin_shufflevector(e, f, 0, 1, 4, 5);
      *(four *)(q + 3 * ds) = __builtin_shufflevector(e, f, 2, 3, 6, 7);
    }
  }
}

typedef uint16_t eight __attribute__((vector_size(16), aligned(2)));

// The same for 2-byte elements, in blocks of 8 by 8: three rounds of interleaving.
static void transpose_halves(int64_t rows, int64_t columns, const uint16_t *s, int64_t ss, uint16_t *d,
                             int64_t ds) {
  for (int64_t c = 0; c < columns; c += 8) {
    for (int64_t r = 0; r < rows; r += 8) {
      eight v[8], w[8];
      for (int k = 0; k < 8; k++) v[k] = *(const eight *)(s + (c + k) * ss + r);
      for (int k = 0; k < 4; k++) {
        w[2 * k] = __builtin_shufflevector(v[k], v[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        w[2 * k + 1] = __builtin_shufflevector(v[k], v[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
      }
      for (int k = 0; k < 4; k++) {
        v[2 * k] = __builtin_shufflevector(w[k], w[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        v[2 * k + 1] = __builtin_shufflevector(w[k], w[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
      }
      for (int k = 0; k < 4; k++) {
        w[2 * k] = __builtin_shufflevector(v[k], v[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
        w[2 * k + 1] = __builtin_shufflevector(v[k], v[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
      }
      for (int k = 0; k < 8; k++) *(eight *)(d + (r + k) * ds + c) = w[k];
    }
  }
}

#define TRANSPOSE_LOOP(T)                                                     \
  do {                                                                        \
    const T *s = source;                                                      \
    T *d = result;                                                            \
    for (int64_t c = 0; c < columns; c++) {                                   \
      for (int64_t r = 0; r < rows; r++) d[r * ds + c] = s[c * ss + r];       \
    }                                                                         \
  } while (0)

static void transpose_tile(int64_t size, int64_t rows, int64_t columns, const void *source, int64_t ss,
                           void *result, int64_t ds) {
  switch (size) {
    case 1: TRANSPOSE_LOOP(uint8_t); break;
    case 2:
      if (rows % 8 == 0 && columns % 8 == 0) {
        transpose_halves(rows, columns, source, ss, result, ds);
      } else {
        TRANSPOSE_LOOP(uint16_t);
      }
      break;
    case 4:
      if (rows % 4 == 0 && columns % 4 == 0) {
        transpose_words(rows, columns, source, ss, result, ds);
      } else {
        TRANSPOSE_LOOP(uint32_t);
      }
      break;
    default: TRANSPOSE_LOOP(uint64_t); break;
  }
}

// Units are bands of TILE_ROWS result rows (the transposed dimension); the innermost dimension has
// stride 1 in the result, `across` in the source.
static void transpose_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const mover *m = context;
  const ck_space *s = &m->space;
  int32_t outer = s->rank - 2;
  int64_t height = s->shape[outer], width = s->shape[outer + 1];
  int64_t ds = s->stride[0][outer], ss = s->stride[1][outer + 1];
  int64_t bands = (height + TILE_ROWS - 1) / TILE_ROWS, band = begin % bands;
  uint64_t tile[TILE_ROWS * TILE_COLUMNS];
  ck_cursor c = ck_cursor_at(s, outer, begin / bands);
  for (; begin < end; begin++) {
    int64_t y = band * TILE_ROWS, rows = height - y < TILE_ROWS ? height - y : TILE_ROWS;
    for (int64_t x = 0; x < width; x += TILE_COLUMNS) {
      int64_t columns = width - x < TILE_COLUMNS ? width - x : TILE_COLUMNS;
      const char *from = m->source + (c.offset[1] + x * ss + y) * m->source_size;
      char *to = m->result + (c.offset[0] + y * ds + x) * m->result_size;
      // Through a tile that is in cache: whole lines of the result are then written at once, while
      // pieces of 16 rows a power of two apart would evict each other.
      transpose_tile(m->source_size, rows, columns, from, ss, tile, TILE_COLUMNS);
      for (int64_t r = 0; r < rows; r++) {
        const char *row = (const char *)tile + r * TILE_COLUMNS * m->source_size;
        if (m->bits) {
          memcpy(to + r * ds * m->result_size, row, (size_t)(columns * m->result_size));
        } else {
          m->convert(row, to + r * ds * m->result_size, columns);
        }
      }
    }
    if (++band < bands) continue;
    band = 0;
    ck_cursor_next(s, outer, &c);
  }
}

static int32_t transposed_dimension(const ck_space *s) {
  int32_t inner = s->rank - 1;
  if (s->stride[0][inner] != 1 || s->shape[inner] < 8) return -1;
  if (ck_magnitude(s->stride[1][inner]) <= 1) return -1;
  for (int32_t d = 0; d < inner; d++) {
    if (s->stride[1][d] == 1 && s->shape[d] >= 8) return d;
  }
  return -1;
}

static void move(mover *m) {
  ck_space *s = &m->space;
  int64_t total = ck_product(s->shape, s->rank);
  if (total == 0) return;
  ck_space_simplify(s, 0, true);
  if (s->rank == 0) {
    move_line(m, 1, m->source + s->offset[1] * m->source_size, 1,
              m->result + s->offset[0] * m->result_size, 1);
    return;
  }
  int32_t last = s->rank - 1;
  m->across = transposed_dimension(s);
  if (m->across >= 0) {
    // Bring the transposed dimension next to the innermost one, keeping the order of the others.
    for (int32_t d = m->across; d + 1 < last; d++) ck_space_swap(s, d, d + 1);
    int64_t width = s->shape[last], height = s->shape[last - 1];
    int64_t bands = (height + TILE_ROWS - 1) / TILE_ROWS;
    int64_t units = total / (height * width) * bands;
    ck_parallel(units, ck_grain(0.5 * (double)(TILE_ROWS * width)), transpose_task, m);
    return;
  }
  if (s->rank >= 2 && s->shape[last - 1] < 16 && s->shape[last] > s->shape[last - 1] &&
      ck_magnitude(s->stride[1][last]) > 1 && s->stride[1][last - 1] != 0 &&
      ck_magnitude(s->stride[1][last - 1]) < ck_magnitude(s->stride[1][last])) {
    ck_space_swap(s, last - 1, last);
  }
  int64_t inner = s->shape[last];
  if (s->rank >= 2 && inner < 16 && s->shape[last - 1] > inner) {
    ck_parallel(total / inner, ck_grain((double)inner), short_rows_task, m);
  } else {
    ck_parallel(total, ck_grain(0.3), rows_task, m);
  }
}

static mover mover_of(const void *source, ck_dtype source_type, void *result, ck_dtype result_type) {
  return (mover){
      .source = source,
      .result = result,
      .source_type = source_type,
      .result_type = result_type,
      .source_size = ck_size(source_type),
      .result_size = ck_size(result_type),
      .bits = ck_convert_is_copy(source_type, result_type),
      .convert = ck_convert_for(source_type, result_type),
  };
}

void ck_move(int32_t rank, const int64_t *shape, const void *source, ck_dtype source_type,
             const int64_t *source_stride, void *result, ck_dtype result_type,
             const int64_t *result_stride) {
  mover m = mover_of(source, source_type, result, result_type);
  m.space.rank = rank;
  m.space.operands = 2;
  for (int32_t d = 0; d < rank; d++) {
    m.space.shape[d] = shape[d];
    m.space.stride[0][d] = result_stride[d];
    m.space.stride[1][d] = source_stride[d];
  }
  move(&m);
}

void ck_move_fill(int32_t rank, const int64_t *shape, double value, void *result,
                  ck_dtype result_type, const int64_t *result_stride) {
  static const int64_t still[CK_MAX_RANK];
  ck_bits bits = ck_bits_of(value, result_type);
  ck_move(rank, shape, &bits, result_type, still, result, result_type, result_stride);
}

void ck_move_line(int64_t count, const void *source, ck_dtype source_type, int64_t source_stride,
                  void *result, ck_dtype result_type, int64_t result_stride) {
  if (count <= 0) return;
  mover m = mover_of(source, source_type, result, result_type);
  move_line(&m, count, source, source_stride, result, result_stride);
}

void ck_copy(const void *params, void *const *slots) {
  const ck_copy_params *p = params;
  ck_move(p->rank, p->shape, ck_at(slots, p->source.ref), p->source.dtype, p->source.stride,
          ck_at(slots, p->result.ref), p->result.dtype, p->result.stride);
}

void ck_fill(const void *params, void *const *slots) {
  const ck_fill_params *p = params;
  ck_move_fill(p->rank, p->shape, p->value, ck_at(slots, p->result.ref), p->result.dtype,
               p->result.stride);
}

// A run of result positions along one dimension that read consecutive source positions.
typedef struct {
  int64_t length, start, step;
  bool constant;
} segment;

static int64_t wrap(int64_t p, int64_t n) {
  int64_t q = p % n;
  return q < 0 ? q + n : q;
}

/// The run that begins at position `p` relative to a source of `n` elements, unlimited to the right.
static segment segment_at(ck_pad_mode mode, int64_t n, int64_t p) {
  bool inside = p >= 0 && p < n;
  if (n == 1 && mode == CK_PAD_REFLECT) mode = CK_PAD_EDGE;
  if (inside) return (segment){n - p, p, 1, false};
  switch (mode) {
    case CK_PAD_EDGE:
      return p < 0 ? (segment){-p, 0, 0, false} : (segment){INT64_MAX, n - 1, 0, false};
    case CK_PAD_PERIODIC: return (segment){n - wrap(p, n), wrap(p, n), 1, false};
    case CK_PAD_SYMMETRIC:
    case CK_PAD_REFLECT: {
      int64_t period = mode == CK_PAD_REFLECT ? 2 * n - 2 : 2 * n, q = wrap(p, period);
      if (q < n) return (segment){n - q, q, 1, false};
      return (segment){period - q, mode == CK_PAD_REFLECT ? period - q : period - 1 - q, -1, false};
    }
    default: break;
  }
  return (segment){p < 0 ? -p : INT64_MAX, 0, 0, true};
}

// Every combination of one segment per dimension is a strided copy or a fill.
void ck_pad(const void *params, void *const *slots) {
  const ck_pad_params *p = params;
  const char *source = ck_at(slots, p->source.ref);
  char *result = ck_at(slots, p->result.ref);
  int64_t total[CK_MAX_RANK], position[CK_MAX_RANK];
  segment run[CK_MAX_RANK];
  bool empty = ck_product(p->shape, p->rank) == 0;
  ck_pad_mode mode = empty ? CK_PAD_CONSTANT : p->mode;
  for (int32_t d = 0; d < p->rank; d++) {
    total[d] = p->shape[d] + p->left[d] + p->right[d];
    if (total[d] <= 0) return;
    position[d] = 0;
    run[d] = segment_at(mode, p->shape[d], -p->left[d]);
  }
  for (;;) {
    int64_t box[CK_MAX_RANK], stride[CK_MAX_RANK], from = 0, to = 0;
    bool constant = false;
    for (int32_t d = 0; d < p->rank; d++) {
      int64_t left = total[d] - position[d];
      box[d] = run[d].length < left ? run[d].length : left;
      stride[d] = run[d].step * p->source.stride[d];
      from += run[d].start * p->source.stride[d];
      to += position[d] * p->result.stride[d];
      constant = constant || run[d].constant;
    }
    char *target = result + to * ck_size(p->result.dtype);
    if (constant) {
      ck_move_fill(p->rank, box, p->value, target, p->result.dtype, p->result.stride);
    } else {
      ck_move(p->rank, box, source + from * ck_size(p->source.dtype), p->source.dtype, stride, target,
              p->result.dtype, p->result.stride);
    }
    int32_t d = p->rank - 1;
    for (; d >= 0; d--) {
      position[d] += box[d];
      bool more = position[d] < total[d];
      if (!more) position[d] = 0;
      run[d] = segment_at(mode, p->shape[d], position[d] - p->left[d]);
      if (more) break;
    }
    if (d < 0) return;
  }
}
