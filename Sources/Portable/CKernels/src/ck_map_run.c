// The executor of compiled programs.
//
// A unit is one row (in a column program: one block of lanes). Rows and blocks are spread over the
// threads; a single long row of an elementwise program is spread by tiles, and one with reductions
// phase by phase, with partial states that are joined in order.
#include <string.h>

#include "ck_map_move.h"
#include "ck_map_plan.h"
#include "ck_map_stage.h"
#include "ck_memory.h"
#include "ck_threads.h"

enum { SCRATCH_SLOT = 3 };

/// One thread at work on a program.
typedef struct {
  const ck_map *m;
  char *scratch;
  void **at;         // the location table
  uintptr_t *start;  // per operand: the slot's address
  uintptr_t *unit;   // where the current unit starts
  uintptr_t *segment;  // where the current segment starts
  int64_t unit_index, lanes;
  int64_t staged_row;  // of the block in the staging buffers
  int64_t digit[CK_MAX_RANK];
} worker;

// Elements of the tile that starts at `begin` of the inner group.
static void fetch(worker *w, const ck_map_operand *o, uintptr_t from, int64_t begin, int64_t n) {
  char *to = w->scratch + o->buffer;
  if (o->slot == CK_SLOT_IOTA) {
    ck_map_count(to, from, o, &w->m->inner, begin, n);
  } else if (o->access == CK_STRIDED) {
    ck_map_pack(to, (const char *)from, o->step, o->element, n);
  } else {
    ck_map_pack_general(to, (const char *)from, o, &w->m->inner, begin, n);
  }
}

static void set_up(worker *w, const ck_map *m, void *const *slots) {
  w->m = m;
  w->scratch = ck_scratch(SCRATCH_SLOT, (size_t)m->scratch_bytes + 3 * 8 * (size_t)m->operand_count);
  w->at = (void **)w->scratch;
  w->start = (uintptr_t *)(w->scratch + m->scratch_bytes);
  w->unit = w->start + m->operand_count;
  w->segment = w->unit + m->operand_count;
  w->unit_index = -1;
  w->staged_row = 0;
  for (int32_t i = 0; i < m->location_count; i++) {
    const ck_map_location *l = &m->locations[i];
    w->at[i] = l->place == CK_AT_CONSTANT ? (char *)m->constants + l->offset : w->scratch + l->offset;
  }
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    w->start[k] = o->slot < 0 ? 0 : (uintptr_t)slots[o->slot] + (uintptr_t)o->offset;
    int64_t n = m->inner.count < m->tile ? m->inner.count : m->tile;
    if (o->periodic) fetch(w, o, w->start[k], 0, n);
  }
  for (int32_t i = 0; i < m->setup_count; i++) {
    const ck_uop *u = &m->uops[i];
    u->body(u, w->at[u->d], w->at[u->a], NULL, NULL, m->tile);
  }
}

// --- Units

static void seek(worker *w, int64_t unit) {
  const ck_map *m = w->m;
  int last = m->outer.rank - 1;
  int64_t block = 0, index = unit;
  if (m->blocks > 1) {
    block = unit % m->blocks;
    index = unit / m->blocks;
  }
  bool next = unit == w->unit_index + 1 && w->unit_index >= 0 && m->blocks == 1 && last >= 0 &&
              w->digit[last] + 1 < m->outer.dims[last];
  w->unit_index = unit;
  if (next) {
    w->digit[last]++;
    for (int32_t k = 0; k < m->operand_count; k++) w->unit[k] += (uintptr_t)m->operands[k].outer[last];
    return;
  }
  for (int i = last; i >= 0; i--) {
    w->digit[i] = index % m->outer.dims[i];
    index /= m->outer.dims[i];
  }
  int64_t lane = block * m->tile;
  w->lanes = m->column ? (m->inner.count - lane < m->tile ? m->inner.count - lane : m->tile) : 1;
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    uintptr_t p = w->start[k];
    for (int i = 0; i <= last; i++) p += (uintptr_t)(w->digit[i] * o->outer[i]);
    if (m->column && o->access != CK_GENERAL) p += (uintptr_t)(lane * o->step);
    w->unit[k] = p;
  }
}

static int64_t lane_of(const worker *w) {
  return w->m->column ? w->unit_index % w->m->blocks * w->m->tile : 0;
}

static void begin_unit(worker *w, int64_t unit) {
  const ck_map *m = w->m;
  seek(w, unit);
  for (int32_t i = 0; i < m->uniform_count; i++) {
    const ck_map_operand *o = &m->operands[m->uniforms[i]];
    uintptr_t p = w->unit[m->uniforms[i]];
    if (o->access == CK_DIRECT) w->at[o->location] = (void *)p;
    else if (!o->store) fetch(w, o, p, lane_of(w), o->level == CK_SINGLE ? 1 : w->lanes);
  }
}

// The blocks of staged operands of a column program, loads (at the unit's beginning) or stores.
static void move_columns(worker *w, bool store) {
  const ck_map *m = w->m;
  const ck_map_table *table = ck_map_table_current();
  int64_t pitch = ck_map_stage_pitch(m);
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    if (o->access != CK_STAGED || o->store != store) continue;
    char *memory = (char *)w->unit[k], *block = w->scratch + o->buffer;
    if (store) {
      ck_map_stage_drain(table, memory, o->step, block, pitch, o->element, m->segment.count, w->lanes);
    } else {
      ck_map_stage_fill(table, block, pitch, memory, o->step, o->element, m->segment.count, w->lanes);
    }
  }
}

static int64_t width_of(const worker *w, const ck_uop *u, int64_t n) {
  return u->single == CK_WIDTH_TILE ? n : u->single == CK_WIDTH_ONE ? 1 : w->m->tile;
}

static void run_uops(worker *w, int32_t first, int32_t count, int64_t n) {
  void **at = w->at;
  for (const ck_uop *u = &w->m->uops[first], *end = u + count; u < end; u++) {
    u->body(u, at[u->d], at[u->a], at[u->b], at[u->c], width_of(w, u, n));
  }
}

// Stores the uniform values.
static void end_unit(worker *w) {
  const ck_map *m = w->m;
  run_uops(w, m->final, m->final_count, w->lanes);
  for (int32_t i = 0; i < m->uniform_count; i++) {
    const ck_map_operand *o = &m->operands[m->uniforms[i]];
    if (!o->store || o->access == CK_DIRECT) continue;
    ck_map_unpack((char *)w->unit[m->uniforms[i]], w->scratch + o->buffer, o, &m->inner, lane_of(w),
      o->level == CK_SINGLE ? 1 : w->lanes);
  }
}

// --- Tiles

static void seek_segment(worker *w, const ck_map_phase *p, int64_t segment, bool next) {
  const ck_map *m = w->m;
  int last = m->segment.rank - 1;
  if (next && last >= 0 && segment % m->segment.dims[last] != 0) {
    for (int32_t i = 0; i < p->use_count; i++) {
      uint16_t k = m->uses[p->use + i];
      w->segment[k] += (uintptr_t)m->operands[k].segment[last];
    }
    return;
  }
  int64_t digit[CK_MAX_RANK];
  for (int i = last; i >= 0; i--) {
    digit[i] = segment % m->segment.dims[i];
    segment /= m->segment.dims[i];
  }
  for (int32_t i = 0; i < p->use_count; i++) {
    uint16_t k = m->uses[p->use + i];
    const ck_map_operand *o = &m->operands[k];
    uintptr_t q = w->unit[k];
    for (int j = 0; j < m->segment.rank; j++) q += (uintptr_t)(digit[j] * o->segment[j]);
    w->segment[k] = q;
  }
}

static void *staged_row(const worker *w, const ck_map_operand *o, int64_t segment) {
  int64_t row = w->m->column ? segment : w->staged_row;
  return w->scratch + o->buffer + row * ck_map_stage_pitch(w->m) * o->element;
}

// Elements of the tile: of a column program its lanes, in the last of folded segments fewer.
static int64_t lanes_of(const worker *w, int64_t segment) {
  const ck_map *m = w->m;
  if (m->fold <= 1) return w->lanes;
  int64_t groups = m->segment.dims[m->segment.rank - 1];
  int64_t left = m->folded - segment % groups * m->fold;
  return (left < m->fold ? left : m->fold) * w->lanes;
}

// One tile: n elements from `begin` of the inner group, whose operands start at `from`.
static void run_span(
  worker *w, const ck_map_phase *p, const uintptr_t *from, int64_t segment, int64_t begin, int64_t n) {
  const ck_map *m = w->m;
  void **at = w->at;
  int64_t place = m->column ? lane_of(w) : begin;
  for (int32_t i = 0; i < p->use_count; i++) {
    uint16_t k = m->uses[p->use + i];
    const ck_map_operand *o = &m->operands[k];
    uintptr_t q = from[k];
    if (o->access != CK_GENERAL) q += (uintptr_t)(begin * o->step);
    if (o->access == CK_DIRECT) at[o->location] = (void *)q;
    else if (o->access == CK_STAGED) at[o->location] = staged_row(w, o, segment);
    else if (!o->store && !o->periodic) fetch(w, o, q, place, n);
  }
  int64_t row_size = m->column ? m->tile : m->inner.count;
  for (int32_t i = 0; i < p->kept_count; i++) {
    const ck_map_kept *kept = &m->keeps[p->kept + i];
    at[kept->location] = w->scratch + kept->offset + (segment * row_size + begin) * kept->element;
  }
  for (const ck_uop *u = &m->uops[p->body], *end = u + p->body_count; u < end; u++) {
    u->body(u, at[u->d], at[u->a], at[u->b], at[u->c], n);
  }
  for (int32_t i = 0; i < p->use_count; i++) {
    uint16_t k = m->uses[p->use + i];
    const ck_map_operand *o = &m->operands[k];
    if (!o->store || o->access == CK_DIRECT || o->access == CK_STAGED) continue;
    uintptr_t q = from[k];
    if (o->access != CK_GENERAL) q += (uintptr_t)(begin * o->step);
    ck_map_unpack((char *)q, w->scratch + o->buffer, o, &m->inner, place, n);
  }
}

// The tiles first ..< last of the row.
static void run_tiles(worker *w, const ck_map_phase *p, int64_t first, int64_t last) {
  const ck_map *m = w->m;
  if (first >= last) return;
  int64_t per_segment = m->tiles_per_segment;
  int64_t segment = first / per_segment, tile = first % per_segment;
  for (int64_t t = first; t < last; segment++, tile = 0) {
    seek_segment(w, p, segment, t > first);
    for (; tile < per_segment && t < last; tile++, t++) {
      int64_t begin = tile * m->tile, n = m->column ? lanes_of(w, segment) : m->inner.count - begin;
      run_span(w, p, w->segment, segment, begin, n < m->tile ? n : m->tile);
    }
  }
}

static int64_t tiles_per_row(const ck_map *m) { return m->segment.count * m->tiles_per_segment; }

// How many elements of the row (lanes: segments) precede tile t.
static int64_t position_of(const ck_map *m, int64_t t) {
  if (m->column) return t;
  return t / m->tiles_per_segment * m->inner.count + t % m->tiles_per_segment * m->tile;
}

static void begin_reductions(worker *w, const ck_map_phase *p, int64_t tile) {
  const ck_map *m = w->m;
  for (int32_t i = 0; i < p->reduction_count; i++) {
    const ck_map_reduction *r = &m->reductions[p->reduction + i];
    ck_reduce_init(
      r->op, r->cls, w->at[r->state], m->column ? w->lanes * m->fold : 0, tile ? position_of(m, tile) : 0);
  }
}

// Asks for the next row's operands while this one is at work: rows often are one page, at whose end
// the processor's own prefetcher stops.
static void prefetch_next(const worker *w) {
  enum { LINE = 64, MOST = 8192 };
  const ck_map *m = w->m;
  int last = m->outer.rank - 1;
  if (last < 0 || m->column || m->segment.rank > 0) return;
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *o = &m->operands[k];
    if (o->access != CK_DIRECT || o->level < CK_PER_ELEMENT || o->outer[last] == 0) continue;
    int64_t bytes = m->inner.count * o->element;
    if (bytes > MOST || bytes < LINE) continue;
    const char *p = (const char *)(w->unit[k] + (uintptr_t)o->outer[last]);
    // A constant hint: reading and writing differ.
    if (o->store) {
      for (int64_t i = 0; i < bytes; i += LINE) __builtin_prefetch(p + i, 1, 2);
    } else {
      for (int64_t i = 0; i < bytes; i += LINE) __builtin_prefetch(p + i, 0, 2);
    }
  }
}

static void run_row(worker *w, int64_t unit) {
  const ck_map *m = w->m;
  begin_unit(w, unit);
  if (m->column && m->staged) move_columns(w, false);
  int64_t tiles = tiles_per_row(m);
  for (int32_t i = 0; i < m->phase_count; i++) {
    const ck_map_phase *p = &m->phases[i];
    run_uops(w, p->pre, p->pre_count, w->lanes);
    if (p->body_count == 0) continue;
    begin_reductions(w, p, 0);
    run_tiles(w, p, 0, tiles);
    if (i == 0) prefetch_next(w);
    for (int32_t j = 0; j < p->reduction_count; j++) {
      const ck_map_reduction *r = &m->reductions[p->reduction + j];
      if (m->fold > 1) ck_reduce_fold(r->op, r->cls, w->at[r->state], w->lanes, m->fold);
      ck_reduce_finish(r->op, r->cls, w->at[r->state], w->at[r->result]);
    }
  }
  if (m->column && m->staged) move_columns(w, true);
  end_unit(w);
}

typedef struct {
  const ck_map *m;
  void *const *slots;
  // Split rows:
  int32_t phase;
  int64_t chunks;
  char *states;   // per unit and chunk, the states of the phase's reductions
  char *results;  // per unit, the results of all reductions
  int64_t state_bytes, result_bytes;
} job;

static void rows_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const job *j = context;
  worker w;
  set_up(&w, j->m, j->slots);
  for (int64_t unit = begin; unit < end; unit++) run_row(&w, unit);
}

// Rows of one tile: operands are placed once, then all uops run in a line.
static void flat_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const job *j = context;
  const ck_map *m = j->m;
  worker w;
  set_up(&w, m, j->slots);
  void **at = w.at;
  for (int32_t i = 0; i < m->kept_count; i++) {
    at[m->keeps[i].location] = w.scratch + m->keeps[i].offset;
  }
  int64_t n = m->inner.count;
  const ck_uop *first = m->uops + m->setup_count, *last = m->uops + m->uop_count;
  const ck_uop *pause = first + m->phases[0].pre_count + m->phases[0].body_count;
  for (int64_t unit = begin; unit < end; unit++) {
    seek(&w, unit);
    for (int32_t k = 0; k < m->operand_count; k++) {
      const ck_map_operand *o = &m->operands[k];
      if (o->access == CK_DIRECT) at[o->location] = (void *)w.unit[k];
      else if (!o->store && !o->periodic) fetch(&w, o, w.unit[k], 0, o->level == CK_SINGLE ? 1 : n);
    }
    for (const ck_uop *u = first; u < last; u++) {
      if (u == pause && unit + 1 < end) prefetch_next(&w);
      u->body(u, at[u->d], at[u->a], at[u->b], at[u->c], width_of(&w, u, n));
    }
    for (int32_t k = 0; k < m->operand_count; k++) {
      const ck_map_operand *o = &m->operands[k];
      if (!o->store || o->access == CK_DIRECT) continue;
      ck_map_unpack((char *)w.unit[k], w.scratch + o->buffer, o, &m->inner, 0, o->level == CK_SINGLE ? 1 : n);
    }
  }
}

static void tiles_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const job *j = context;
  const ck_map *m = j->m;
  worker w;
  set_up(&w, m, j->slots);
  int64_t tiles = tiles_per_row(m);
  while (begin < end) {
    int64_t unit = begin / tiles, first = begin % tiles;
    int64_t last = first + (end - begin) < tiles ? first + (end - begin) : tiles;
    begin_unit(&w, unit);
    run_uops(&w, m->phases[0].pre, m->phases[0].pre_count, w.lanes);
    run_tiles(&w, &m->phases[0], first, last);
    if (last == tiles) end_unit(&w);
    begin += last - first;
  }
}

// --- Blocks of rows with transposed operands

static void staged_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const job *j = context;
  const ck_map *m = j->m;
  const ck_map_phase *p = &m->phases[0];
  const ck_map_table *table = ck_map_table_current();
  worker w;
  set_up(&w, m, j->slots);
  int64_t along = m->outer.dims[m->outer.rank - 1], tiles = m->tiles_per_segment;
  int64_t blocks = (along + CK_STAGE_ROWS - 1) / CK_STAGE_ROWS;
  for (int64_t index = begin; index < end; index++) {
    int64_t tile = index % tiles, block = index / tiles;
    int64_t first = block % blocks * CK_STAGE_ROWS, start = block / blocks * along + first;
    int64_t rows = along - first < CK_STAGE_ROWS ? along - first : CK_STAGE_ROWS;
    int64_t at = tile * m->tile, n = m->inner.count - at < m->tile ? m->inner.count - at : m->tile;
    seek(&w, start);
    for (int32_t k = 0; k < m->operand_count; k++) {
      const ck_map_operand *o = &m->operands[k];
      if (o->access != CK_STAGED) continue;
      const char *from = (const char *)(w.unit[k] + (uintptr_t)(at * o->step));
      ck_map_stage_fill(
        table, w.scratch + o->buffer, ck_map_stage_pitch(m), from, o->step, o->element, rows, n);
    }
    for (w.staged_row = 0; w.staged_row < rows; w.staged_row++) {
      begin_unit(&w, start + w.staged_row);
      run_uops(&w, p->pre, p->pre_count, 1);
      run_tiles(&w, p, tile, tile + 1);
    }
  }
}

// --- Split rows

static int64_t reduction_bytes(const ck_map *m, const ck_map_reduction *r) {
  return ck_align64(ck_reduce_state_bytes(r->op, r->cls, m->column ? m->tile : 0));
}
static int64_t result_bytes(const ck_map *m) {
  return m->column ? ck_align64(8 * ((m->tile + 15) & ~(int64_t)15)) : 64;
}

// What the phases before `phase` found, from the unit's results.
static void recall(worker *w, const job *j, int64_t unit) {
  const ck_map *m = w->m;
  begin_unit(w, unit);
  for (int32_t i = 0; i <= j->phase; i++) {
    const ck_map_phase *p = &m->phases[i];
    run_uops(w, p->pre, p->pre_count, w->lanes);
    if (i == j->phase) break;
    for (int32_t k = p->reduction; k < p->reduction + p->reduction_count; k++) {
      const ck_map_reduction *r = &m->reductions[k];
      memcpy(w->at[r->result], j->results + unit * j->result_bytes + k * result_bytes(m),
        (size_t)((m->column ? w->lanes : 1) * r->element));
    }
  }
}

static void split_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const job *j = context;
  const ck_map *m = j->m;
  const ck_map_phase *p = &m->phases[j->phase];
  worker w;
  set_up(&w, m, j->slots);
  int64_t tiles = tiles_per_row(m);
  for (int64_t index = begin; index < end; index++) {
    int64_t unit = index / j->chunks, chunk = index % j->chunks;
    recall(&w, j, unit);
    int64_t first = tiles * chunk / j->chunks, last = tiles * (chunk + 1) / j->chunks;
    begin_reductions(&w, p, first);
    if (p->body_count) run_tiles(&w, p, first, last);
    char *to = j->states + index * j->state_bytes;
    for (int32_t k = p->reduction; k < p->reduction + p->reduction_count; k++) {
      const ck_map_reduction *r = &m->reductions[k];
      int64_t bytes = reduction_bytes(m, r);
      memcpy(to, w.at[r->state], (size_t)bytes);
      to += bytes;
    }
    if (j->phase == m->phase_count - 1 && chunk == 0) end_unit(&w);
  }
}

static void join(const job *j, int64_t units) {
  const ck_map *m = j->m;
  const ck_map_phase *p = &m->phases[j->phase];
  for (int64_t unit = 0; unit < units; unit++) {
    int64_t at = 0;
    for (int32_t k = p->reduction; k < p->reduction + p->reduction_count; k++) {
      const ck_map_reduction *r = &m->reductions[k];
      char *states = j->states + unit * j->chunks * j->state_bytes + at;
      ck_reduce_state *sum = (ck_reduce_state *)states;
      for (int64_t chunk = 1; chunk < j->chunks; chunk++) {
        ck_reduce_merge(r->op, r->cls, sum, (ck_reduce_state *)(states + chunk * j->state_bytes));
      }
      if (m->fold > 1) ck_reduce_fold(r->op, r->cls, sum, m->tile / m->fold, m->fold);
      ck_reduce_finish(
        r->op, r->cls, sum, j->results + unit * j->result_bytes + k * result_bytes(m));
      at += reduction_bytes(m, r);
    }
  }
}

static bool run_split(job *j, int64_t units) {
  const ck_map *m = j->m;
  int64_t tiles = tiles_per_row(m);
  j->chunks = ck_num_threads();
  if (j->chunks > tiles) j->chunks = tiles;
  if (j->chunks < 1) j->chunks = 1;
  for (int32_t i = 0; i < m->phase_count; i++) {
    int64_t bytes = 0;
    for (int32_t k = 0; k < m->phases[i].reduction_count; k++) {
      bytes += reduction_bytes(m, &m->reductions[m->phases[i].reduction + k]);
    }
    if (bytes > j->state_bytes) j->state_bytes = bytes;
  }
  j->result_bytes = m->reduction_count * result_bytes(m);
  size_t states = (size_t)(units * j->chunks * j->state_bytes);
  size_t results = (size_t)(units * j->result_bytes);
  j->states = ck_alloc(states + results);
  if (!j->states) return false;
  j->results = j->states + states;
  for (j->phase = 0; j->phase < m->phase_count; j->phase++) {
    bool tiled = m->phases[j->phase].body_count > 0;
    if (!tiled && j->phase < m->phase_count - 1) continue;
    if (tiled) {
      ck_parallel(units * j->chunks, 1, split_task, j);
      join(j, units);
    } else {
      int64_t chunks = j->chunks;
      j->chunks = 1;
      split_task(j, 0, units, 0);
      j->chunks = chunks;
    }
  }
  ck_free(j->states, states + results);
  return true;
}

// --- Entries

void ck_map_run(const void *params, void *const *slots) {
  enum { WORTH_THREADS = 20000 };
  const ck_map *m = params;
  if (m->empty) return;
  job j = {.m = m, .slots = slots};
  int64_t units = m->outer.count * m->blocks, tiles = tiles_per_row(m);
  bool reduces = m->reduction_count > 0 || m->phase_count > 1;
  double row = m->cost * (double)m->segment.count * (double)(m->column ? m->tile : m->inner.count);
  bool small = row * (double)units < WORTH_THREADS;
  if (m->split && !ck_in_parallel() && run_split(&j, units)) return;
  int64_t count = reduces ? units : units * tiles;
  ck_task task = reduces ? rows_task : tiles_task;
  if (m->flat) {
    count = units;
    task = flat_task;
  } else if (m->staged && !m->column) {
    int64_t along = m->outer.dims[m->outer.rank - 1];
    count = units / along * ((along + CK_STAGE_ROWS - 1) / CK_STAGE_ROWS) * tiles;
    task = staged_task;
  }
  if (small) task(&j, 0, count, 0);
  else ck_parallel(count, 1, task, &j);
}

void ck_map_epilogue(
  const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
  int64_t rows, int64_t col0, int64_t cols) {
  const ck_map *m = params;
  if (cols == 1 && ldc == 1 && m->along_rows) {
    m = m->along_rows;
    int64_t row = row0;
    row0 = col0, cols = rows;
    col0 = row, rows = 1;
  }
  const ck_map_phase *p = &m->phases[0];
  worker w;
  set_up(&w, m, slots);
  w.lanes = 1;
  for (int64_t row = row0; row < row0 + rows; row++, c += ldc) {
    for (int32_t k = 0; k < m->operand_count; k++) {
      const ck_map_operand *o = &m->operands[k];
      w.unit[k] = o->slot == CK_SLOT_ACCUMULATOR
                    ? (uintptr_t)c
                    : w.start[k] + (uintptr_t)(batch * o->outer[0] + row * o->outer[1] + col0 * o->step);
      if (o->level != CK_SINGLE) continue;
      if (o->access == CK_DIRECT) w.at[o->location] = (void *)w.unit[k];
      else fetch(&w, o, w.unit[k], 0, 1);
    }
    run_uops(&w, p->pre, p->pre_count, 1);
    for (int64_t begin = 0; begin < cols; begin += m->tile) {
      run_span(&w, p, w.unit, 0, begin, cols - begin < m->tile ? cols - begin : m->tile);
    }
  }
}

const ck_map_table *ck_map_table_current(void) {
#if defined(__x86_64__)
  if (ck_isa_current() == CK_ISA_AVX512) return &ck_map_table_avx512;
  if (ck_isa_current() == CK_ISA_AVX2) return &ck_map_table_avx2;
#elif defined(__aarch64__)
  if (ck_isa_current() == CK_ISA_NEON) return &ck_map_table_neon;
#endif
  return &ck_map_table_base;
}
