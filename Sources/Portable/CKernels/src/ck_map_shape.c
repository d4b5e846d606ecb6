// From the description's dimensions to loop nests.
//
// Dimensions of size 1 are dropped, the kept ones are ordered by the strides of the operand that
// matters most, neighbours that every operand walks alike are merged, and the result is cut into
// outer loops, the segments of a row, and what a tile runs along.
#include "ck_map_plan.h"
#include "ck_map_stage.h"

enum {
  // A dimension this long fills vectors and amortises a tile's overhead by itself.
  LONG_DIMENSION = 64,
  // A flattened group of short dimensions is extended to this many elements.
  GROUP = 512,
};

typedef struct {
  int64_t size;
  bool reduced;
  int source;  // the description's dimension whose strides it has
} dimension;

// Byte stride of operand k along description dimension `dim`.
static int64_t stride_of(const ck_map *m, const ck_map_desc *d, int32_t k, int dim) {
  const ck_map_operand *o = &m->operands[k];
  if (o->slot == CK_SLOT_IOTA) return o->source == dim;
  if (o->slot == CK_SLOT_ACCUMULATOR) return dim == 2 ? 4 : 0;
  return d->operands[o->source].stride[dim] * o->element;
}

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

// The operand whose memory order decides: for elementwise programs the largest store, else the
// largest load.
static int32_t leading_operand(const ck_map *m, const ck_map_desc *d) {
  int32_t best = -1;
  double most = -1;
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    if (o->slot < 0 || o->store != (d->reduced == 0)) continue;
    double elements = 1;
    for (int i = 0; i < d->rank; i++) {
      if (stride_of(m, d, k, i) != 0) elements *= (double)d->dims[i];
    }
    if (elements > most) most = elements, best = k;
  }
  return best;
}

// Stable insertion sort by descending stride of the leading operand; what it broadcasts along stays
// outside.
static void order(dimension *dims, int count, const ck_map *m, const ck_map_desc *d, int32_t lead) {
  if (lead < 0) return;
  for (int i = 1; i < count; i++) {
    dimension x = dims[i];
    int64_t key = magnitude(stride_of(m, d, lead, x.source));
    int j = i;
    for (; j > 0; j--) {
      int64_t before = magnitude(stride_of(m, d, lead, dims[j - 1].source));
      if (before == 0 || key == 0 || before >= key) break;
      dims[j] = dims[j - 1];
    }
    dims[j] = x;
  }
}

static int merge(dimension *dims, int count, const ck_map *m, const ck_map_desc *d) {
  int out = 0;
  for (int i = 0; i < count; i++) {
    bool joined = false;
    if (out > 0 && dims[out - 1].reduced == dims[i].reduced) {
      joined = true;
      for (int32_t k = 0; k < m->operand_count && joined; k++) {
        joined = stride_of(m, d, k, dims[out - 1].source) ==
                 stride_of(m, d, k, dims[i].source) * dims[i].size;
      }
    }
    if (joined) {
      dims[i].size *= dims[out - 1].size;
      dims[out - 1] = dims[i];
    } else {
      dims[out++] = dims[i];
    }
  }
  return out;
}

enum { NEST_OUTER, NEST_SEGMENT, NEST_INNER };

static void put(ck_map *m, const ck_map_desc *d, int which, const dimension *dims, int count) {
  ck_nest *nest = which == NEST_OUTER ? &m->outer : which == NEST_SEGMENT ? &m->segment : &m->inner;
  nest->rank = count;
  nest->count = 1;
  for (int i = 0; i < count; i++) {
    nest->dims[i] = dims[i].size;
    nest->count *= dims[i].size;
    for (int32_t k = 0; k < m->operand_count; k++) {
      ck_map_operand *o = &m->operands[k];
      int64_t *strides = which == NEST_OUTER     ? o->outer
                         : which == NEST_SEGMENT ? o->segment
                                                 : o->inner;
      strides[i] = stride_of(m, d, k, dims[i].source);
    }
  }
}

// Whether two trailing dimensions of an elementwise program make one group at no cost: every operand
// is contiguous over both or repeats along the first, so that its tile can be packed once for all.
static bool repeats(const dimension *dims, int count, const ck_map *m, const ck_map_desc *d) {
  if (d->reduced || count < 2 || dims[count - 1].size > GROUP) return false;
  int outer = dims[count - 2].source, inner = dims[count - 1].source;
  for (int32_t k = 0; k < m->operand_count; k++) {
    int64_t step = stride_of(m, d, k, inner), next = stride_of(m, d, k, outer);
    if (next == step * dims[count - 1].size && step == m->operands[k].element) continue;
    if (next != 0 || m->operands[k].store) return false;
    for (int i = 0; i < count - 2; i++) {
      if (stride_of(m, d, k, dims[i].source) != 0) return false;
    }
  }
  return true;
}

// How many trailing dimensions make the inner group.
static int group(const dimension *dims, int count, const ck_map *m, const ck_map_desc *d) {
  if (count == 0) return 0;
  if (repeats(dims, count, m, d)) return 2;
  if (dims[count - 1].size >= LONG_DIMENSION) return 1;
  int taken = 0;
  int64_t size = 1;
  while (taken < count && size < GROUP) size *= dims[count - 1 - taken++].size;
  return taken;
}

// Whether rows are processed many at a time, lane by lane: where the kept dimension is contiguous,
// or rows are too short to fill a tile.
static bool wants_columns(
  const dimension *kept, int kept_count, const dimension *reduced, int reduced_count,
  const ck_map *m, const ck_map_desc *d, int32_t lead) {
  enum { SHORT_ROW = 32, ENOUGH_ROWS = 32 };
  if (kept_count == 0 || reduced_count == 0) return false;
  int64_t rows = 1, length = 1;
  for (int i = 0; i < kept_count; i++) rows *= kept[i].size;
  for (int i = 0; i < reduced_count; i++) length *= reduced[i].size;
  if (rows < 4) return false;
  if (lead < 0) return false;
  int64_t along_kept = magnitude(stride_of(m, d, lead, kept[kept_count - 1].source));
  int64_t along_reduced = magnitude(stride_of(m, d, lead, reduced[reduced_count - 1].source));
  if (along_kept == 0) return false;
  if (along_reduced != 0 && along_reduced < along_kept) return length < SHORT_ROW && rows >= ENOUGH_ROWS;
  return kept[kept_count - 1].size >= 4 || length < SHORT_ROW;
}

static void describe_access(ck_map *m) {
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    bool varies_inner = false, varies_segment = false;
    for (int i = 0; i < m->inner.rank; i++) varies_inner |= o->inner[i] != 0;
    for (int i = 0; i < m->segment.rank; i++) varies_segment |= o->segment[i] != 0;
    if (varies_segment) o->level = CK_PER_ELEMENT;
    else if (varies_inner) o->level = m->column ? CK_PER_LANE : CK_PER_ELEMENT;
    else o->level = CK_SINGLE;
    // One stride for the whole group when its dimensions follow each other.
    int last = m->inner.rank - 1;
    o->step = last < 0 ? o->element : o->inner[last];
    bool one = true;
    for (int i = last; i > 0; i--) one &= o->inner[i - 1] == o->inner[i] * m->inner.dims[i];
    if (!one) o->access = CK_GENERAL;
    else if (o->level == CK_SINGLE) o->access = CK_DIRECT;
    else o->access = o->step == o->element ? CK_DIRECT : CK_STRIDED;
    if (m->epilogue && o->store) {
      o->level = CK_PER_ELEMENT;
      o->access = o->step == o->element ? CK_DIRECT : CK_STRIDED;
    }
    if (o->slot == CK_SLOT_IOTA) o->access = one ? CK_STRIDED : CK_GENERAL;
  }
}

// Few columns, contiguous with the segment dimension: the tile takes several segments.
static void fold_columns(ck_map *m, const ck_map_desc *d) {
  int last = m->segment.rank - 1;
  if (!m->column || m->inner.rank != 1 || m->inner.count > GROUP / 2 || last < 0) return;
  for (int32_t i = 0; i < d->inst_count; i++) {
    ck_map_op op = d->insts[i].op;
    if (op == CK_MAP_REDUCE_ARG_MINIMUM || op == CK_MAP_REDUCE_ARG_MAXIMUM) return;
  }
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    bool follows = o->access == CK_DIRECT && o->segment[last] == m->inner.count * o->step;
    bool fits = o->level == CK_SINGLE || (o->level == CK_PER_ELEMENT ? follows && !o->store : o->store);
    if (!fits) return;
  }
  m->fold = GROUP / m->inner.count;
  m->folded = m->segment.dims[last];
  if (m->fold > m->folded) m->fold = m->folded;
  if (m->fold <= 1) {
    m->fold = 1;
    return;
  }
  m->segment.dims[last] = (m->folded + m->fold - 1) / m->fold;
  m->segment.count = m->segment.count / m->folded * m->segment.dims[last];
  for (int32_t k = 0; k < m->operand_count; k++) m->operands[k].segment[last] *= m->fold;
}

// Loads whose tiles are all alike, given tiles of whole periods (see finish_sizes).
static void find_periodic(ck_map *m, const ck_map_desc *d) {
  if (d->reduced || m->epilogue || m->segment.rank > 0 || m->inner.rank < 2) return;
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    o->periodic = !o->store && o->access == CK_GENERAL && o->inner[0] == 0;
    for (int i = 0; i < m->outer.rank; i++) o->periodic &= o->outer[i] == 0;
  }
}

void ck_map_shape(ck_map *m, const ck_map_desc *d) {
  dimension kept[CK_MAX_RANK], reduced[CK_MAX_RANK];
  int kept_count = 0, reduced_count = 0;
  for (int i = 0; i < d->rank; i++) {
    if (d->dims[i] == 1 && !d->epilogue) continue;
    bool r = d->reduced >> i & 1;
    dimension x = {d->dims[i], r, i};
    if (r) reduced[reduced_count++] = x;
    else kept[kept_count++] = x;
  }
  int32_t lead = leading_operand(m, d);
  m->fold = 1;
  if (d->epilogue) {
    put(m, d, NEST_OUTER, kept, 2);
    put(m, d, NEST_SEGMENT, NULL, 0);
    put(m, d, NEST_INNER, kept + 2, 1);
    describe_access(m);
    return;
  }
  order(kept, kept_count, m, d, lead);
  bool has_arg = false;
  for (int32_t i = 0; i < d->inst_count; i++) {
    has_arg |= d->insts[i].op == CK_MAP_REDUCE_ARG_MINIMUM || d->insts[i].op == CK_MAP_REDUCE_ARG_MAXIMUM;
  }
  if (!has_arg) order(reduced, reduced_count, m, d, lead);  // the index needs the given order
  kept_count = merge(kept, kept_count, m, d);
  reduced_count = merge(reduced, reduced_count, m, d);
  m->column = wants_columns(kept, kept_count, reduced, reduced_count, m, d, lead);
  if (m->column || d->reduced == 0) {
    int inner = group(kept, kept_count, m, d);
    put(m, d, NEST_OUTER, kept, kept_count - inner);
    put(m, d, NEST_INNER, kept + kept_count - inner, inner);
    put(m, d, NEST_SEGMENT, reduced, reduced_count);
  } else {
    int inner = group(reduced, reduced_count, m, d);
    put(m, d, NEST_OUTER, kept, kept_count);
    put(m, d, NEST_SEGMENT, reduced, reduced_count - inner);
    put(m, d, NEST_INNER, reduced + reduced_count - inner, inner);
  }
  describe_access(m);  ck_map_stage(m);
  fold_columns(m, d);
  find_periodic(m, d);
}
