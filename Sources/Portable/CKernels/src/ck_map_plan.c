// From instructions to phases of uops.
//
// Values uniform over the row are computed once per row, before the tiles of the phase in which
// they become known. The others are computed as late as possible; one needed in several phases is
// kept for the row when that fits, else computed again. Registers are tile buffers, handed out by a
// linear scan; a value that is stored to contiguous memory of its own type is computed in place.
#include "ck_map_plan.h"

#include <stdlib.h>
#include <string.h>

#include "ck_map_build.h"
#include "ck_map_stage.h"

static bool is_store(ck_map_op op) { return op == CK_MAP_STORE || op == CK_MAP_STORE_ACCUMULATOR; }
static bool is_load(ck_map_op op) {
  return op == CK_MAP_LOAD || op == CK_MAP_IOTA || op == CK_MAP_ACCUMULATOR;
}

static bool is_native(ck_dtype t) {
  return t == CK_F32 || t == CK_I32 || t == CK_I64 || t == CK_U64;
}

static int32_t argument(const ck_map_inst *i, int k) { return k == 0 ? i->a : k == 1 ? i->b : i->c; }

// --- Operands

// The same operand both loaded and stored becomes two.
static uint16_t add_operand(ck_builder *b, const ck_map_operand *o) {
  ck_map *m = b->m;
  for (int32_t k = 0; k < m->operand_count; k++) {
    const ck_map_operand *p = &m->operands[k];
    if (p->slot == o->slot && p->source == o->source && p->store == o->store) return (uint16_t)k;
  }
  m->operands[m->operand_count] = *o;
  return (uint16_t)m->operand_count++;
}

static void collect_operands(ck_builder *b) {
  for (int32_t i = 0; i < b->count; i++) {
    const ck_map_inst *inst = &b->d->insts[i];
    ck_map_operand o = {.element = 4, .dtype = CK_F32, .store = is_store(inst->op)};
    if (inst->op == CK_MAP_LOAD || inst->op == CK_MAP_STORE) {
      o.source = inst->op == CK_MAP_LOAD ? inst->a : inst->b;
      const ck_operand *from = &b->d->operands[o.source];
      o.slot = from->ref.slot;
      o.offset = from->ref.offset;
      o.dtype = from->dtype;
      o.element = (int32_t)ck_size(from->dtype);
    } else if (inst->op == CK_MAP_IOTA) {
      o.slot = CK_SLOT_IOTA;
      o.source = (int32_t)inst->imm_i;
      o.dtype = CK_I32;
    } else if (inst->op == CK_MAP_ACCUMULATOR || inst->op == CK_MAP_STORE_ACCUMULATOR) {
      o.slot = CK_SLOT_ACCUMULATOR;
    } else {
      continue;
    }
    b->v[i].operand = add_operand(b, &o);
  }
}

// In place: stored where it is loaded from.
static bool is_aliased(const ck_builder *b, const ck_map_operand *store, const ck_map_operand *load) {
  if (load->store || load->slot != store->slot || load->slot == CK_SLOT_IOTA) return false;
  if (load->slot == CK_SLOT_ACCUMULATOR) return true;
  const ck_operand *p = &b->d->operands[store->source], *q = &b->d->operands[load->source];
  return p->ref.offset == q->ref.offset && p->dtype == q->dtype;
}
static bool has_alias(const ck_builder *b, const ck_map_operand *store) {
  for (int32_t k = 0; k < b->m->operand_count; k++) {
    if (is_aliased(b, store, &b->m->operands[k])) return true;
  }
  return false;
}

// --- Levels and phases

static void find_levels(ck_builder *b) {
  const ck_map *m = b->m;
  for (int32_t i = 0; i < b->count; i++) {
    const ck_map_inst *inst = &b->d->insts[i];
    ck_build_value *v = &b->v[i];
    int args = ck_map_operand_count_of(inst->op);
    ck_class cls[2] = {CK_CLASS_F32, CK_CLASS_F32};
    for (int k = 0; k < args; k++) {
      const ck_build_value *a = &b->v[argument(inst, k)];
      if (k < 2) cls[k] = (ck_class)a->cls;
      if (a->level > v->level) v->level = a->level;
      int ready = a->phase + (ck_map_is_reduction(b->d->insts[argument(inst, k)].op) ? 1 : 0);
      if (ready > v->phase) v->phase = (uint8_t)ready;
    }
    if (!is_store(inst->op)) v->cls = (uint8_t)ck_map_result_class(inst, cls[0], cls[1], b->d->operands);
    if (is_load(inst->op)) v->level = (uint8_t)m->operands[v->operand].level;
    if (is_store(inst->op)) v->level = (uint8_t)m->operands[v->operand].level;
    if (ck_map_is_reduction(inst->op)) v->level = m->column ? CK_PER_LANE : CK_SINGLE;
    if (v->phase + 1 > m->phase_count) b->m->phase_count = v->phase + 1;
  }
}

static uint32_t lowest(uint32_t mask) { return mask & (0 - mask); }

// A load in place costs nothing to repeat.
static bool is_free(const ck_builder *b, int32_t i) {
  const ck_build_value *v = &b->v[i];
  if (!is_load(b->d->insts[i].op)) return false;
  const ck_map_operand *o = &b->m->operands[v->operand];
  return is_native(o->dtype) && (o->access == CK_DIRECT || o->access == CK_STAGED);
}

static void find_needs(ck_builder *b) {
  ck_map *m = b->m;
  uint32_t last = 1u << (m->phase_count - 1);
  int64_t row = m->segment.count * (m->column ? m->tile : m->inner.count);
  int64_t kept_bytes = 0;
  for (int32_t i = b->count - 1; i >= 0; i--) {
    const ck_map_inst *inst = &b->d->insts[i];
    ck_build_value *v = &b->v[i];
    if (is_store(inst->op)) {
      v->used = true;
      b->v[inst->a].used = true;
      continue;  // its phase is settled with the value's
    }
    if (!v->used) continue;
    for (int k = 0; k < ck_map_operand_count_of(inst->op); k++) b->v[argument(inst, k)].used = true;
    // The stores of this value, in a phase in which it is computed anyway.
    for (int32_t s = i + 1; s < b->count; s++) {
      const ck_map_inst *store = &b->d->insts[s];
      if (!is_store(store->op) || store->a != i || b->v[s].level < CK_PER_ELEMENT) continue;
      int ready = v->phase + (ck_map_is_reduction(inst->op) ? 1 : 0);
      uint32_t when = v->needs && v->level == CK_PER_ELEMENT ? lowest(v->needs) : 1u << ready;
      if (has_alias(b, &m->operands[b->v[s].operand])) when = last;
      b->v[s].computed = when;
      if (v->level == CK_PER_ELEMENT) v->needs |= when;
    }
    if (ck_map_is_reduction(inst->op)) {
      v->computed = 1u << v->phase;
    } else if (v->level == CK_PER_ELEMENT) {
      int64_t bytes = row * ck_class_size(v->cls);
      bool several = v->needs != lowest(v->needs);
      v->kept = several && !is_free(b, i) && !m->split && row <= CK_MAP_ROW_LIMIT &&
                kept_bytes + bytes <= 1 << 20;
      if (v->kept) kept_bytes += ck_align64(bytes);
      v->computed = v->kept ? lowest(v->needs) : v->needs;
    } else {
      continue;
    }
    for (int k = 0; k < ck_map_operand_count_of(inst->op); k++) {
      ck_build_value *a = &b->v[argument(inst, k)];
      if (a->level == CK_PER_ELEMENT) a->needs |= v->computed;
    }
  }
}

// --- Sizes

// Whether tiles run again after a reduction.
static bool has_later_tiles(const ck_builder *b) {
  for (int32_t i = 0; i < b->count; i++) {
    if (b->v[i].level == CK_PER_ELEMENT && b->v[i].phase > 0) return true;
  }
  return false;
}

// Takes back what fold_columns did: later tiles need the joined results.
static void unfold(ck_map *m) {
  int last = m->segment.rank - 1;
  m->segment.count = m->segment.count / m->segment.dims[last] * m->folded;
  m->segment.dims[last] = m->folded;
  for (int32_t k = 0; k < m->operand_count; k++) m->operands[k].segment[last] /= m->fold;
  m->fold = 1;
}

static void choose_sizes(ck_builder *b) {
  enum { MOST_LANES = 512, FEWEST_LANES = 64, WORTH_SPLITTING = 60000 };
  ck_map *m = b->m;
  int threads = ck_num_threads();
  int64_t rows = m->outer.count, row = m->segment.count * m->inner.count;
  m->blocks = 1;
  if (m->column) {
    int64_t lanes = m->inner.count < MOST_LANES ? m->inner.count : MOST_LANES;
    if (m->fold > 1 && has_later_tiles(b)) unfold(m);
    if (has_later_tiles(b)) {
      while (m->segment.count * lanes > CK_MAP_ROW_LIMIT && lanes > FEWEST_LANES) lanes /= 2;
    }
    int64_t share = ck_align64((m->inner.count + threads - 1) / threads);
    bool few = m->fold == 1 && rows < threads;  // folded segments are of whole rows of lanes
    if (few && lanes > share && share >= FEWEST_LANES) lanes = share;
    m->tile = lanes * m->fold;
    m->blocks = (m->inner.count + lanes - 1) / lanes;
    m->tiles_per_segment = 1;
    rows *= m->blocks;
    row = m->segment.count * m->tile;
  }
  bool balanced = rows >= 4 * threads || rows % threads == 0;
  bool staged = m->column && m->staged;
  m->split = b->d->reduced && threads > 1 && !staged && !balanced &&
             (double)row * (double)rows * m->cost > WORTH_SPLITTING;
}

static double cost_of(const ck_builder *b) {
  double cost = 0;
  for (int32_t i = 0; i < b->count; i++) {
    ck_map_op op = b->d->insts[i].op;
    bool heavy = (op >= CK_MAP_EXPONENT && op <= CK_MAP_ERF) || op == CK_MAP_SIGMOID ||
                 (op >= CK_MAP_DIVIDE && op <= CK_MAP_POWER) || op == CK_MAP_ATAN2;
    cost += heavy ? 0.5 : 0.1;
  }
  return cost;
}

// The tile of a row: as long as everything in use stays in the first-level cache. A power of two
// that divides CK_SUM_FOLD, so that sums do not depend on it.
static void finish_sizes(ck_builder *b) {
  enum { CACHE = 24 << 10 };
  ck_map *m = b->m;
  if (!m->column) {
    int64_t bytes = 0;
    for (int32_t i = 0; i < b->buffer_count; i++) bytes += b->buffers[i].element;
    m->tile = bytes * 1024 <= CACHE ? 1024 : bytes * 512 <= CACHE ? 512 : 256;
    if (m->staged) m->tile = CK_STAGE_TILE;
    if (m->inner.rank > 1 && b->d->reduced == 0) {  // whole periods; nothing is summed here
      int64_t period = m->inner.count / m->inner.dims[0];
      if (period > 0 && period <= m->tile) m->tile -= m->tile % period;
      else for (int32_t k = 0; k < m->operand_count; k++) m->operands[k].periodic = false;
    }
    int64_t whole = m->inner.count < 64 ? 64 : ck_align64(m->inner.count);
    if (m->tile > whole && !m->epilogue) m->tile = whole;
    m->tiles_per_segment = (m->inner.count + m->tile - 1) / m->tile;
  }
  int64_t at = ck_align64((int64_t)m->location_count * (int64_t)sizeof(void *));
  at += ck_align64((int64_t)(2 * m->operand_count + 1) * (int64_t)sizeof(char *));
  for (int32_t i = 0; i < b->fixed_count; i++) {
    m->locations[b->fixed[i].location].offset = at;
    at += ck_align64(b->fixed[i].bytes);
  }
  for (int32_t i = 0; i < b->buffer_count; i++) {
    b->buffers[i].offset = at;
    at += ck_align64(((m->tile + 15) & ~(int64_t)15) * b->buffers[i].element);
  }
  for (int32_t i = 0; i < b->placed_count; i++) {
    m->locations[b->placed[i].location].offset = b->buffers[b->placed[i].buffer].offset;
  }
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    if (o->access == CK_STAGED) {
      o->buffer = at;
      int64_t rows = m->column ? m->segment.count : CK_STAGE_ROWS;
      at += ck_align64(rows * ck_map_stage_pitch(m) * o->element);
    } else if (o->access != CK_DIRECT) {
      o->buffer = m->locations[o->location].offset;
    }
  }
  int64_t row = m->segment.count * (m->column ? m->tile : m->inner.count);
  for (int32_t i = 0; i < m->kept_count; i++) {
    // A value kept over several phases has an entry in each, and one place.
    ck_map_location *l = &m->locations[m->keeps[i].location];
    if (l->offset == 0) {
      l->offset = at;
      at += ck_align64(row * m->keeps[i].element + 64);
    }
    m->keeps[i].offset = l->offset;
  }
  m->scratch_bytes = at;
}

// Rows of one tile reduce without states, where there are bodies for it.
static void make_flat(ck_builder *b) {
  ck_map *m = b->m;
  if (m->column || m->epilogue || m->split || m->staged) return;
  if (m->segment.count != 1 || m->tiles_per_segment != 1) return;
  ck_body once[CK_MAX_INSTRUCTIONS];
  for (int32_t i = 0; i < m->reduction_count; i++) {
    const ck_map_reduction *r = &m->reductions[i];
    const ck_uop *u = &m->uops[r->uop];
    bool products = u->body == b->table->sum_of_products[0];
    once[i] = products ? b->table->once_sum_of_products : b->table->once[r->op - CK_MAP_REDUCE_SUM];
    if (r->cls != CK_CLASS_F32 || r->op > CK_MAP_REDUCE_MAXIMUM_NAN || !once[i]) return;
  }
  for (int32_t i = 0; i < m->reduction_count; i++) {
    ck_uop *u = &m->uops[m->reductions[i].uop];
    u->body = once[i];
    u->d = m->reductions[i].result;
  }
  m->flat = true;
}

static ck_map *compile(const ck_map_desc *desc) {
  ck_map *m = calloc(1, sizeof *m);
  ck_builder *b = calloc(1, sizeof *b);
  if (!m || !b) {
    free(m);
    free(b);
    return NULL;
  }
  b->m = m;
  b->d = desc;
  b->table = ck_map_table_current();
  b->count = desc->inst_count;
  m->phase_count = 1;
  m->epilogue = desc->epilogue != 0;
  for (int i = 0; i < desc->rank; i++) {
    m->empty |= desc->dims[i] == 0 && !(desc->reduced >> i & 1);
  }
  bool fine = ck_build_allocate(b);
  if (fine) {
    m->cost = cost_of(b);
    collect_operands(b);
    ck_map_shape(m, desc);
    find_levels(b);
    choose_sizes(b);
    find_needs(b);
    ck_build_pair(b);
    fine = ck_build_emit(b);
  }
  if (fine) {
    finish_sizes(b);
    make_flat(b);
  }
  ck_build_release(b);
  if (!fine) {
    ck_map_destroy(m);
    return NULL;
  }
  return m;
}

// The epilogue with the roles of rows and columns exchanged.
static ck_map *compile_along_rows(const ck_map_desc *desc) {
  ck_map_desc d = *desc;
  d.dims[1] = desc->dims[2];
  d.dims[2] = desc->dims[1];
  ck_operand *operands = calloc((size_t)d.operand_count + 1, sizeof *operands);
  ck_map_inst *insts = calloc((size_t)d.inst_count + 1, sizeof *insts);
  ck_map *m = NULL;
  if (operands && insts) {
    for (int32_t k = 0; k < d.operand_count; k++) {
      operands[k] = desc->operands[k];
      operands[k].stride[1] = desc->operands[k].stride[2];
      operands[k].stride[2] = desc->operands[k].stride[1];
    }
    for (int32_t i = 0; i < d.inst_count; i++) {
      insts[i] = desc->insts[i];
      if (insts[i].op == CK_MAP_IOTA && insts[i].imm_i > 0) insts[i].imm_i = 3 - insts[i].imm_i;
    }
    d.operands = operands;
    d.insts = insts;
    m = compile(&d);
  }
  free(operands);
  free(insts);
  return m;
}

ck_map *ck_map_create(const ck_map_desc *desc) {
  if (ck_map_check(desc)) return NULL;
  ck_map *m = compile(desc);
  if (!m || !desc->epilogue) return m;
  m->along_rows = compile_along_rows(desc);
  if (!m->along_rows) {
    ck_map_destroy(m);
    return NULL;
  }
  return m;
}

void ck_map_destroy(ck_map *m) {
  if (!m) return;
  ck_map_destroy(m->along_rows);
  free(m->operands);
  free(m->phases);
  free(m->uops);
  free(m->locations);
  free(m->reductions);
  free(m->uses);
  free(m->uniforms);
  free(m->keeps);
  free(m->constants);
  free(m);
}

bool ck_build_is_native(ck_dtype t) { return is_native(t); }
bool ck_build_is_store(ck_map_op op) { return is_store(op); }
bool ck_build_is_load(ck_map_op op) { return is_load(op); }
int32_t ck_build_argument(const ck_map_inst *i, int k) { return argument(i, k); }
bool ck_build_is_aliased(const ck_builder *b, const ck_map_operand *s, const ck_map_operand *l) {
  return is_aliased(b, s, l);
}
