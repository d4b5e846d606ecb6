// Convolution as a matrix product that reads its left operand through pointers: per tile of result
// pixels and tap, one pointer per pixel to the source channels it reads, or to zeros outside the
// source. Nothing is copied, padding and strides cost nothing in the inner loop, and taps that read
// zeros only are left out.
#include <stdlib.h>
#include <string.h>

#include "../include/ck_memory.h"
#include "../include/ck_threads.h"
#include "ck_conv_plan.h"
#include "ck_move.h"
#include "ck_strided.h"

enum { N = 0, C = 1, Y = 2, X = 3 };

// Pixels per block: enough for the weights of a panel to be reused from the second cache, few enough
// for their source rows to stay there beside it.
enum { BLOCK = 96, TABLE = 8192 };

void *ck_conv_alloc(size_t bytes) {
  void *memory = ck_alloc(bytes);
  if (!memory) abort();
  return memory;
}

// MARK: Packed weights

// Per group, panels of `width` columns (the last one vector wide if that is enough), each holding per
// tap and depth one row of columns, zero beyond the last.
typedef struct {
  int64_t width, panels, last_width, group_size, taps;
} packing;

static packing packing_of(const ck_conv_plan *p) {
  int64_t lanes = ck_conv_kernels_current()->lanes;
  packing k = {.width = 2 * lanes, .taps = p->rows.taps * p->cols.taps};
  k.panels = (p->columns + k.width - 1) / k.width;
  k.last_width = p->columns - (k.panels - 1) * k.width <= lanes ? lanes : k.width;
  k.group_size = k.taps * p->depth * ((k.panels - 1) * k.width + k.last_width);
  return k;
}

int64_t ck_conv_packed_count(const ck_conv_plan *p) {
  if (ck_conv_is_depthwise(p)) return p->groups * p->rows.taps * p->cols.taps;
  packing k = packing_of(p);
  return k.group_size * p->groups;
}

typedef struct {
  const ck_conv_plan *p;
  packing k;
  float *packed;
} packer;

// Units are (group, panel, tap).
static void pack_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const packer *w = context;
  const ck_conv_matrix *m = &w->p->weights;
  const packing *k = &w->k;
  for (; begin < end; begin++) {
    int64_t tap = begin % k->taps, panel = begin / k->taps % k->panels, group = begin / k->taps / k->panels;
    int64_t width = panel == k->panels - 1 ? k->last_width : k->width;
    int64_t first = panel * k->width, left = w->p->columns - first, valid = left < width ? left : width;
    const char *from = m->base + ck_size(m->dtype) * (group * m->group + first * m->column +
      tap / w->p->cols.taps * m->y + tap % w->p->cols.taps * m->x);
    float *to = w->packed + group * k->group_size + k->taps * w->p->depth * first + tap * w->p->depth * width;
    for (int64_t d = 0; d < w->p->depth; d++) {
      ck_move_line(valid, from + d * m->depth * ck_size(m->dtype), m->dtype, m->column, to, CK_F32, 1);
      memset(to + valid, 0, (size_t)(width - valid) * sizeof *to);
      to += width;
    }
  }
}

void ck_conv_pack(const ck_conv_plan *p, float *packed) {
  if (ck_conv_is_depthwise(p)) {
    // [tap][channel]: neighbouring channels are worked on together.
    int64_t shape[3] = {p->rows.taps, p->cols.taps, p->groups};
    int64_t from[3] = {p->weights.y, p->weights.x, p->weights.group};
    int64_t to[3] = {p->cols.taps * p->groups, p->groups, 1};
    ck_move(3, shape, p->weights.base, p->weights.dtype, from, packed, CK_F32, to);
    return;
  }
  packer w = {p, packing_of(p), packed};
  double cost = 1.0 * (double)(p->depth * w.k.width);
  ck_parallel(p->groups * w.k.panels * w.k.taps, ck_grain(cost), pack_task, &w);
}

// MARK: Source

ck_conv_image ck_conv_channels_last(const char *source, ck_dtype type, const int64_t *stride,
                                    const int64_t shape[4]) {
  ck_conv_image image = {.base = (const float *)source};
  memcpy(image.stride, stride, sizeof image.stride);
  if (type == CK_F32 && (stride[C] == 1 || shape[C] == 1)) return image;
  int64_t own[4] = {shape[C] * shape[Y] * shape[X], 1, shape[C] * shape[X], shape[C]};
  image.bytes = (size_t)(shape[N] * own[N]) * sizeof(float);
  image.copy = ck_conv_alloc(image.bytes);
  ck_move(4, shape, source, type, stride, image.copy, CK_F32, own);
  image.base = image.copy;
  memcpy(image.stride, own, sizeof own);
  return image;
}

void ck_conv_release(ck_conv_image *image) { ck_free(image->copy, image->bytes); }

// MARK: Tiles

typedef struct {
  const ck_conv_plan *p;
  const ck_conv_kernels *kernels;
  packing k;
  const float *packed, *bias;  // bias padded to whole panels per group
  int64_t bias_size;           // per group
  ck_conv_image image;
  const int64_t *down, *across;  // ck_conv_offsets of rows and columns
  const float *zeros;
  int64_t block, chunks, panels_per_chunk, pixels;
  bool direct;  // the kernels may write float32 result rows in place,
  int64_t step;  // which are this far apart
  // Columns of the result in the order they are worked on: those that read the same taps together.
  const int32_t *order;
} conv;

typedef struct {
  const float **rows;   // [tile][tap][row]
  int64_t *weights_at;  // [tile][tap]
  int64_t *taps;        // [tile]
  int64_t *first;       // [row of block]: element offset of the result pixel
} table;

static void find_rows(const conv *v, int64_t pixel, int64_t count, const table *t) {
  const ck_conv_plan *p = v->p;
  int64_t mr = v->kernels->rows, taps = v->k.taps, tiles = (count + mr - 1) / mr;
  int64_t height = p->rows.produced, width = p->cols.produced;
  for (int64_t tile = 0; tile < tiles; tile++) {
    const float **rows = t->rows + tile * taps * mr;
    int64_t used = 0;
    int64_t images[CK_CONV_MAX_ROWS], ys[CK_CONV_MAX_ROWS], xs[CK_CONV_MAX_ROWS];
    int64_t valid = count - tile * mr < mr ? count - tile * mr : mr;
    int64_t at = pixel + tile * mr, x = at % width, y = at / width % height, n = at / width / height;
    for (int64_t m = 0; m < valid; m++) {
      images[m] = n, ys[m] = y, xs[m] = v->order ? v->order[x] : x;
      t->first[tile * mr + m] = n * p->result_stride[N] + y * p->result_stride[Y] + xs[m] * p->result_stride[X];
      if (++x == width) {
        x = 0;
        if (++y == height) y = 0, n++;
      }
    }
    const float *bases[CK_CONV_MAX_ROWS];
    const int64_t *downs[CK_CONV_MAX_ROWS], *acrosses[CK_CONV_MAX_ROWS];
    for (int64_t m = 0; m < valid; m++) {
      bases[m] = v->image.base + images[m] * v->image.stride[N];
      downs[m] = v->down + ys[m] * p->rows.taps;
      acrosses[m] = v->across + xs[m] * p->cols.taps;
    }
    for (int64_t ky = 0; ky < p->rows.taps; ky++) {
      for (int64_t kx = 0; kx < p->cols.taps; kx++) {
        const float **row = rows + used * mr;
        bool any = false;
        for (int64_t m = 0; m < valid; m++) {
          int64_t down = downs[m][ky], across = acrosses[m][kx];
          bool inside = down != CK_CONV_OUTSIDE && across != CK_CONV_OUTSIDE;
          row[m] = inside ? bases[m] + down + across : v->zeros;
          any = any || inside;
        }
        for (int64_t m = valid; m < mr; m++) row[m] = v->zeros;
        if (any) t->weights_at[tile * taps + used++] = ky * p->cols.taps + kx;
      }
    }
    t->taps[tile] = used;
  }
}

// One panel of columns over the pixels of a block; weights_at holds tap numbers until here.
static void panel_tiles(const conv *v, const table *t, int64_t count, int64_t group, int64_t panel,
                        float *c, int64_t ldc, int64_t *weights_at) {
  const ck_conv_plan *p = v->p;
  int64_t mr = v->kernels->rows, taps = v->k.taps, tiles = (count + mr - 1) / mr;
  int64_t width = panel == v->k.panels - 1 ? v->k.last_width : v->k.width, first = panel * v->k.width;
  int64_t left = p->columns - first;
  ck_conv_tile tile = {
    .depth = p->depth,
    .offset = group * p->depth,
    .weights_at = weights_at,
    .weights = v->packed + group * v->k.group_size + taps * p->depth * first,
    .bias = v->bias ? v->bias + group * v->bias_size + first : NULL,
    .relu = p->relu,
    .ldc = ldc,
    .valid_columns = left < width ? left : width,
  };
  for (int64_t i = 0; i < tiles; i++) {
    tile.taps = t->taps[i];
    for (int64_t k = 0; k < tile.taps; k++) weights_at[k] = t->weights_at[i * taps + k] * p->depth * width;
    tile.rows = t->rows + i * taps * mr;
    tile.c = c + i * mr * ldc;
    tile.valid_rows = count - i * mr < mr ? count - i * mr : mr;
    v->kernels->tile[width / v->kernels->lanes - 1](&tile);
  }
}

// Stores a block of finished rows [count][columns] as result pixels, run by run of equal pixel steps.
static void store(const conv *v, const table *t, int64_t count, const float *c, int64_t ldc,
                  int64_t column, int64_t columns) {
  const ck_conv_plan *p = v->p;
  int64_t size = ck_size(p->result_type);
  for (int64_t r = 0; r < count;) {
    int64_t run = 1, step = r + 1 < count ? t->first[r + 1] - t->first[r] : 0;
    while (r + run < count && t->first[r + run] - t->first[r + run - 1] == step) run++;
    int64_t shape[2] = {run, columns}, from[2] = {ldc, 1}, to[2] = {step, p->result_stride[C]};
    char *result = p->result + (t->first[r] + column * p->result_stride[C]) * size;
    ck_move(2, shape, c + r * ldc, CK_F32, from, result, p->result_type, to);
    r += run;
  }
}

// Units are (block of pixels, chunk of panels), panels counted over all groups.
static void tiles_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const conv *v = context;
  const ck_conv_plan *p = v->p;
  int64_t mr = v->kernels->rows, taps = v->k.taps, tiles = (v->block + mr - 1) / mr;
  int64_t all = p->groups * v->k.panels, total_columns = p->groups * p->columns;
  size_t rows_size = (size_t)(tiles * taps * mr) * sizeof(float *);
  size_t ints_size = (size_t)(tiles * taps + tiles + v->block + mr + taps) * sizeof(int64_t);
  // A multiple of two floats: pointers follow.
  size_t tile_size = v->direct ? 0 : (size_t)(v->block * total_columns + 1) / 2 * 2 * sizeof(float);
  size_t bytes = rows_size + ints_size + tile_size;
  char *memory = ck_conv_alloc(bytes);
  float *c = (float *)memory;
  table t = {.rows = (const float **)(memory + tile_size)};
  t.weights_at = (int64_t *)(memory + tile_size + rows_size);
  t.taps = t.weights_at + tiles * taps;
  t.first = t.taps + tiles;
  int64_t *weights_at = t.first + v->block + mr;
  int64_t found = -1;
  for (; begin < end; begin++) {
    int64_t block = begin / v->chunks, chunk = begin % v->chunks, pixel = block * v->block;
    int64_t count = v->pixels - pixel < v->block ? v->pixels - pixel : v->block;
    if (block != found) find_rows(v, pixel, count, &t);
    found = block;
    int64_t low = chunk * v->panels_per_chunk, high = low + v->panels_per_chunk;
    high = high < all ? high : all;
    for (int64_t at = low; at < high; at++) {
      int64_t group = at / v->k.panels, panel = at % v->k.panels;
      int64_t column = group * p->columns + panel * v->k.width;
      if (v->direct) {
        panel_tiles(v, &t, count, group, panel, (float *)p->result + t.first[0] + column,
                    v->step, weights_at);
      } else {
        panel_tiles(v, &t, count, group, panel, c + column, total_columns, weights_at);
      }
    }
    if (low >= high) continue;
    int64_t column = low / v->k.panels * p->columns + low % v->k.panels * v->k.width;
    int64_t past = high == all ? total_columns
      : high / v->k.panels * p->columns + high % v->k.panels * v->k.width;
    float *rows = v->direct ? (float *)p->result + t.first[0] + column : c + column;
    int64_t ld = v->direct ? v->step : total_columns;
    if (p->epilogue) {
      p->epilogue(p->epilogue_params, p->slots, rows, ld, 0, pixel, count, column, past - column);
    }
    if (!v->direct) store(v, &t, count, rows, ld, column, past - column);
  }
  ck_free(memory, bytes);
}

static float *padded_bias(const ck_conv_plan *p, const packing *k, int64_t *per_group, size_t *bytes) {
  if (!p->bias) return NULL;
  *per_group = k->panels * k->width;
  *bytes = (size_t)(*per_group * p->groups) * sizeof(float);
  float *bias = ck_conv_alloc(*bytes);
  memset(bias, 0, *bytes);
  for (int64_t g = 0; g < p->groups; g++) {
    ck_move_line(p->columns, p->bias + g * p->columns * p->bias_stride * ck_size(p->bias_type), p->bias_type,
                 p->bias_stride, bias + g * *per_group, CK_F32, 1);
  }
  return bias;
}

// Columns grouped by their remainder: with a divisor, neighbours read different taps.
static int32_t *grouped_columns(const ck_conv_side *s) {
  if (s->divisor == 1) return NULL;
  int32_t *order = ck_conv_alloc((size_t)s->produced * sizeof *order);
  int64_t next = 0;
  for (int64_t r = 0; r < s->divisor; r++) {
    for (int64_t x = r; x < s->produced; x += s->divisor) order[next++] = (int32_t)x;
  }
  return order;
}

static void tiles(const ck_conv_plan *p);

// A source of few channels (an image) has little to do per tap. Where the taps of a row are neighbours,
// in a copy with zeros around each row, the row counts as one tap of all its channels. The packed
// weights are in that order already.
static bool is_thin(const ck_conv_plan *p) {
  return p->groups == 1 && p->depth <= 8 && p->cols.taps > 1 && p->cols.reach == 1 && p->cols.divisor == 1;
}

static void thin_tiles(const ck_conv_plan *p, const float *packed) {
  int64_t wide = (p->cols.produced - 1) * p->cols.step + p->cols.taps, channels = p->depth;
  int64_t shape[4] = {p->batch, channels, p->rows.size, 0};
  int64_t own[4] = {p->rows.size * wide * channels, 1, wide * channels, channels};
  // Source columns first ..< past are kept, from `shift` on in the copy.
  int64_t first = p->cols.start > 0 ? p->cols.start : 0, past = p->cols.start + wide;
  past = past < p->cols.size ? past : p->cols.size;
  size_t bytes = (size_t)(p->batch * own[N] + 1) * sizeof(float);
  float *copy = ck_conv_alloc(bytes);
  if (first > p->cols.start || past < p->cols.start + wide) memset(copy, 0, bytes);
  shape[X] = past - first;
  if (shape[X] > 0) {
    ck_move(4, shape, p->source + first * p->source_stride[X] * ck_size(p->source_type), p->source_type,
            p->source_stride, copy + (first - p->cols.start) * channels, CK_F32, own);
  }
  ck_conv_plan row = *p;
  row.packed = packed;
  row.depth = p->cols.taps * channels;
  row.cols.taps = 1;
  row.cols.start = 0;
  row.cols.size = wide;
  row.source = (const char *)copy;
  row.source_type = CK_F32;
  memcpy(row.source_stride, own, sizeof own);
  tiles(&row);
  ck_free(copy, bytes);
}

void ck_conv_tiles(const ck_conv_plan *p) {
  if (p->batch * p->rows.produced * p->cols.produced == 0 || p->columns == 0) return;
  if (p->packed) {
    if (is_thin(p)) thin_tiles(p, p->packed); else tiles(p);
    return;
  }
  size_t bytes = (size_t)(ck_conv_packed_count(p) + 1) * sizeof(float);
  float *packed = ck_conv_alloc(bytes);
  ck_conv_pack(p, packed);
  ck_conv_plan own = *p;
  own.packed = packed;
  if (is_thin(p)) thin_tiles(p, packed); else tiles(&own);
  ck_free(packed, bytes);
}

static void tiles(const ck_conv_plan *p) {
  int64_t pixels = p->batch * p->rows.produced * p->cols.produced;
  conv v = {.p = p, .kernels = ck_conv_kernels_current(), .k = packing_of(p), .pixels = pixels};
  int64_t shape[4] = {p->batch, p->groups * p->depth, p->rows.size, p->cols.size};
  v.packed = p->packed;
  size_t bias_bytes = 0, zeros_bytes = (size_t)(shape[C] + 1) * sizeof(float);
  float *bias = padded_bias(p, &v.k, &v.bias_size, &bias_bytes);
  v.bias = bias;
  float *zeros = ck_conv_alloc(zeros_bytes);
  memset(zeros, 0, zeros_bytes);
  v.zeros = zeros;
  int32_t *order = grouped_columns(&p->cols);
  v.order = order;
  v.image = ck_conv_channels_last(p->source, p->source_type, p->source_stride, shape);
  int64_t downs = p->rows.produced * p->rows.taps, acrosses = p->cols.produced * p->cols.taps;
  size_t offset_bytes = (size_t)(downs + acrosses) * sizeof(int64_t);
  int64_t *offsets = ck_conv_alloc(offset_bytes);
  ck_conv_offsets(&p->rows, v.image.stride[Y], offsets);
  ck_conv_offsets(&p->cols, v.image.stride[X], offsets + downs);
  v.down = offsets;
  v.across = offsets + downs;

  const int64_t *rs = p->result_stride;
  v.step = p->cols.produced > 1 ? rs[X] : p->rows.produced > 1 ? rs[Y] : rs[N];
  v.direct = !order && p->result_type == CK_F32 && (rs[C] == 1 || p->groups * p->columns == 1) &&
    (p->rows.produced == 1 || rs[Y] == p->cols.produced * v.step) &&
    (p->batch == 1 || rs[N] == p->rows.produced * p->cols.produced * v.step);
  int64_t mr = v.kernels->rows, threads = ck_num_threads(), panels = p->groups * v.k.panels;
  int64_t fair = (pixels / (3 * threads) + mr - 1) / mr * mr, table = TABLE / v.k.taps / mr * mr;
  v.block = BLOCK / mr * mr;
  if (table < v.block) v.block = table;
  if (fair < v.block) v.block = fair;
  if (v.block < mr) v.block = mr;
  int64_t blocks = (pixels + v.block - 1) / v.block;
  v.chunks = blocks >= 2 * threads ? 1 : panels < threads ? panels : threads;
  v.panels_per_chunk = (panels + v.chunks - 1) / v.chunks;
  // About 50 multiply-adds a nanosecond.
  double cost = (double)(v.block * v.panels_per_chunk * v.k.width * v.k.taps) * (double)p->depth * 0.02;
  ck_parallel(blocks * v.chunks, ck_grain(cost), tiles_task, &v);

  ck_free(offsets, offset_bytes);
  ck_conv_release(&v.image);
  ck_free(order, (size_t)p->cols.produced * sizeof *order);
  ck_free(zeros, zeros_bytes);
  ck_free(bias, bias_bytes);
}
