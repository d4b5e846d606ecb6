// Emission of uops: locations, registers, and which body does an instruction.
#include <stdlib.h>
#include <string.h>

#include "ck_map_build.h"

// --- Growing arrays

static bool grow(ck_builder *b, void **items, int32_t count, int32_t *capacity, size_t size) {
  if (count < *capacity) return true;
  int32_t larger = *capacity ? 2 * *capacity : 16;
  void *moved = realloc(*items, (size_t)larger * size);
  if (!moved) {
    b->failed = true;
    return false;
  }
  *items = moved;
  *capacity = larger;
  return true;
}

static void push(ck_builder *b, ck_uop_list *list, ck_uop u) {
  if (!grow(b, (void **)&list->items, list->count, &list->capacity, sizeof u)) return;
  list->items[list->count++] = u;
}

static uint16_t new_location(ck_builder *b, ck_place place, int64_t offset) {
  ck_map *m = b->m;
  enum { MOST = 65000 };
  if (m->location_count >= MOST) b->failed = true;
  if (!grow(b, (void **)&m->locations, m->location_count, &b->location_capacity,
        sizeof *m->locations)) return 0;
  if (b->failed) return 0;
  m->locations[m->location_count] = (ck_map_location){place, offset};
  return (uint16_t)m->location_count++;
}

/// A place of its own in scratch.
static uint16_t new_fixed(ck_builder *b, int64_t bytes) {
  uint16_t l = new_location(b, CK_AT_SCRATCH, 0);
  if (grow(b, (void **)&b->fixed, b->fixed_count, &b->fixed_capacity, sizeof *b->fixed)) {
    b->fixed[b->fixed_count++] = (ck_build_fixed){l, bytes};
  }
  return l;
}

static uint16_t location_of_buffer(ck_builder *b, int32_t buffer) {
  uint16_t l = new_location(b, CK_AT_SCRATCH, 0);
  if (grow(b, (void **)&b->placed, b->placed_count, &b->placed_capacity, sizeof *b->placed)) {
    b->placed[b->placed_count++] = (ck_build_placed){l, buffer};
  }
  return l;
}

/// A free buffer of elements of this size, or a new one. Dedicated ones are never shared.
static int32_t take_buffer(ck_builder *b, int32_t element, bool dedicated) {
  for (int32_t i = 0; i < b->buffer_count && !dedicated; i++) {
    ck_build_buffer *f = &b->buffers[i];
    if (f->free && f->element == element && !f->dedicated) {
      f->free = false;
      return i;
    }
  }
  if (!grow(b, (void **)&b->buffers, b->buffer_count, &b->buffer_capacity, sizeof *b->buffers)) {
    return 0;
  }
  b->buffers[b->buffer_count] = (ck_build_buffer){element, false, dedicated, 0};
  return b->buffer_count++;
}

// --- Values

static const ck_map_inst *inst_of(const ck_builder *b, int32_t i) { return &b->d->insts[i]; }

static bool is_constant(ck_map_op op) {
  return op == CK_MAP_CONST_F32 || op == CK_MAP_CONST_I32 || op == CK_MAP_CONST_I64;
}

static void place_constant(ck_builder *b, int32_t i) {
  const ck_map_inst *inst = inst_of(b, i);
  int64_t bits = inst->imm_i;
  if (inst->op == CK_MAP_CONST_F32) {
    float f = (float)inst->imm_f;
    memcpy(&bits, &f, sizeof f);
  } else if (inst->op == CK_MAP_CONST_I32) {
    int32_t narrow = (int32_t)inst->imm_i;
    memcpy(&bits, &narrow, sizeof narrow);
  }
  b->m->constants[b->constant_count] = bits;
  b->v[i].location = new_location(b, CK_AT_CONSTANT, 8 * b->constant_count++);
}

static int64_t uniform_bytes(const ck_builder *b, int level, int cls) {
  if (level == CK_SINGLE) return 8;
  return ((b->m->tile + 15) & ~(int64_t)15) * ck_class_size(cls);
}

static bool is_single(const ck_builder *b, int32_t i) { return b->v[i].level == CK_SINGLE; }

/// The location of a tile full of the single value i.
static uint16_t filled(ck_builder *b, int32_t i, int phase) {
  ck_build_value *v = &b->v[i];
  if (v->filled < 0) {
    int32_t size = (int32_t)ck_class_size(v->cls);
    v->filled = location_of_buffer(b, take_buffer(b, size, true));
    ck_uop u = {
      .body = b->table->fill[size == 8], .d = (uint16_t)v->filled, .a = (uint16_t)v->location,
      .single = CK_WIDTH_FULL};
    push(b, is_constant(inst_of(b, i)->op) ? &b->setup : &b->pre[phase], u);
  }
  return (uint16_t)v->filled;
}

static void touch_operand(ck_builder *b, ck_map_phase *p, uint16_t operand) {
  ck_map *m = b->m;
  for (int32_t i = p->use; i < m->use_count; i++) {
    if (m->uses[i] == operand) return;
  }
  m->uses[m->use_count++] = operand;
  p->use_count++;
}

// --- One instruction

/// The uop of an arithmetic instruction on tiles or lanes (`wide`), or on single values.
static void emit_arithmetic(
  ck_builder *b, ck_uop_list *list, int32_t i, uint16_t destination, int phase, bool wide) {
  const ck_map_inst *inst = inst_of(b, i);
  int count = ck_map_operand_count_of(inst->op);
  int32_t arg[3] = {inst->a, inst->b, inst->c};
  bool splat[3] = {false, false, false};
  for (int k = 0; k < count; k++) splat[k] = wide && is_single(b, arg[k]);
  int cls = b->v[inst->op == CK_MAP_SELECT ? inst->b : inst->a].cls;
  int first = count == 3 ? 1 : 0;  // the pair a variant speaks of
  int variant = !splat[first] ? CK_VV : CK_SV;
  if (count > 1 && splat[first + 1]) variant = splat[first] ? CK_SS : CK_VS;
  const ck_body *bodies = b->table->op[inst->op][cls];
  ck_body body = count == 1 ? bodies[CK_VV] : bodies[variant];
  if (inst->op == CK_MAP_ROUND) body = b->table->round[inst->imm_i];
  if (inst->op == CK_MAP_ROUND && !body) body = b->table->copy[ck_class_size(cls) == 8];
  bool fill_pair = count == 1 || !body;
  if (!body) body = bodies[CK_VV];
  uint16_t at[3] = {0, 0, 0};
  for (int k = 0; k < count; k++) {
    bool fill = splat[k] && (fill_pair || (count == 3 && k == 0));
    at[k] = fill ? filled(b, arg[k], phase) : (uint16_t)b->v[arg[k]].location;
  }
  ck_uop u = {
    .body = body, .d = destination, .a = at[0], .b = at[1], .c = at[2],
    .single = wide ? CK_WIDTH_TILE : CK_WIDTH_ONE};
  push(b, list, u);
}

static ck_body store_body(const ck_builder *b, ck_dtype dtype, int cls) {
  return dtype == CK_BOOL ? b->table->store_bool[cls] : b->table->store[dtype];
}

static void emit_uniform(ck_builder *b, int32_t i) {
  const ck_map_inst *inst = inst_of(b, i);
  ck_build_value *v = &b->v[i];
  bool wide = v->level == CK_PER_LANE;
  if (ck_build_is_load(inst->op)) {
    const ck_map_operand *o = &b->m->operands[v->operand];
    v->location = o->location;
    if (ck_build_is_native(o->dtype)) return;
    v->location = new_fixed(b, uniform_bytes(b, v->level, v->cls));
    ck_uop u = {
      .body = b->table->load[o->dtype], .d = (uint16_t)v->location, .a = o->location,
      .single = wide ? CK_WIDTH_TILE : CK_WIDTH_ONE};
    push(b, &b->pre[v->phase], u);
    return;
  }
  v->location = new_fixed(b, uniform_bytes(b, v->level, v->cls));
  emit_arithmetic(b, &b->pre[v->phase], i, (uint16_t)v->location, v->phase, wide);
}

static void emit_uniform_store(ck_builder *b, int32_t i) {
  const ck_map_inst *inst = inst_of(b, i);
  const ck_map_operand *o = &b->m->operands[b->v[i].operand];
  const ck_build_value *a = &b->v[inst->a];
  bool wide = o->level == CK_PER_LANE;
  uint16_t from = wide && a->level == CK_SINGLE ? filled(b, inst->a, b->m->phase_count - 1)
                                                : (uint16_t)a->location;
  ck_uop u = {
    .body = store_body(b, o->dtype, a->cls), .d = o->location, .a = from,
    .single = wide ? CK_WIDTH_TILE : CK_WIDTH_ONE};
  push(b, &b->final, u);
}

static void emit_reduction(ck_builder *b, int32_t i, int phase) {
  const ck_map_inst *inst = inst_of(b, i);
  ck_map *m = b->m;
  int cls = b->v[inst->a].cls;
  int64_t lanes = m->column ? m->tile : 0;
  ck_map_reduction *r = &m->reductions[m->reduction_count++];
  r->op = inst->op;
  r->cls = cls;
  r->element = (int32_t)ck_class_size(b->v[i].cls);
  r->state = new_fixed(b, ck_reduce_state_bytes(inst->op, cls, lanes));
  r->result = (uint16_t)b->v[i].location;
  r->uop = b->body[phase].count;
  int kind = (int)inst->op - CK_MAP_REDUCE_SUM;
  if (b->v[i].inner >= 0) {
    push(b, &b->body[phase], ck_build_paired_uop(b, i, r->state));
    return;
  }
  ck_uop u = {
    .body = m->column ? b->table->lanes[kind][cls] : b->table->across[kind][cls],
    .d = r->state,
    .a = is_single(b, inst->a) ? filled(b, inst->a, phase) : (uint16_t)b->v[inst->a].location};
  push(b, &b->body[phase], u);
}

// --- Phases

static void find_last_uses(ck_builder *b, int phase) {
  for (int32_t i = 0; i < b->count; i++) b->v[i].last_use = -1;
  for (int32_t i = 0; i < b->count; i++) {
    const ck_map_inst *inst = inst_of(b, i);
    if (!(b->v[i].computed >> phase & 1)) continue;
    // Stores run at once or, those that could not, at the end.
    int32_t when = ck_build_is_store(inst->op) ? b->count : i;
    if (b->v[i].inside >= 0) when = b->v[i].inside;
    for (int k = 0; k < ck_map_operand_count_of(inst->op); k++) {
      ck_build_value *a = &b->v[ck_build_argument(inst, k)];
      if (when > a->last_use) a->last_use = when;
    }
  }
}

// Frees the registers of what instruction i, or the one inside it, reads last.
static void release_arguments(ck_builder *b, int32_t i) {
  for (int32_t of = i; of >= 0; of = of == i ? b->v[i].inner : -1) {
    for (int k = 0; k < ck_map_operand_count_of(inst_of(b, of)->op); k++) {
      ck_build_value *a = &b->v[ck_build_argument(inst_of(b, of), k)];
      if (a->buffer < 0 || a->last_use != i) continue;
      b->buffers[a->buffer].free = true;
      a->buffer = -1;
    }
  }
}

// Whether value i may be computed right where `store` wants it: memory of its class, and nothing
// after it reads in place what the store overwrites.
static bool can_compute_in(const ck_builder *b, int32_t i, int32_t store, int phase) {
  const ck_map_operand *o = &b->m->operands[b->v[store].operand];
  bool in_place = o->access == CK_DIRECT || o->access == CK_STAGED;
  if (!in_place || !ck_build_is_native(o->dtype)) return false;
  for (int32_t j = 0; j < b->count; j++) {
    const ck_build_value *v = &b->v[j];
    if (!ck_build_is_load(inst_of(b, j)->op) || !(v->needs >> phase & 1)) continue;
    if (!ck_build_is_aliased(b, o, &b->m->operands[v->operand])) continue;
    if (v->last_use > i || j > i) return false;
  }
  return true;
}

static int32_t store_to_compute_in(const ck_builder *b, int32_t i, int phase) {
  for (int32_t s = i + 1; s < b->count; s++) {
    if (!ck_build_is_store(inst_of(b, s)->op) || inst_of(b, s)->a != i) continue;
    if (!(b->v[s].computed >> phase & 1) || b->v[s].level < CK_PER_ELEMENT) continue;
    if (can_compute_in(b, i, s, phase)) return s;
  }
  return -1;
}

static void keep(ck_builder *b, ck_map_phase *p, const ck_build_value *v) {
  ck_map *m = b->m;
  m->keeps[m->kept_count++] =
    (ck_map_kept){v->kept_location, 0, (int32_t)ck_class_size(v->cls)};
  p->kept_count++;
}

static void emit_element(ck_builder *b, int32_t i, int phase) {
  const ck_map_inst *inst = inst_of(b, i);
  ck_map_phase *p = &b->m->phases[phase];
  ck_build_value *v = &b->v[i];
  bool load = ck_build_is_load(inst->op);
  if (load) touch_operand(b, p, v->operand);
  const ck_map_operand *o = load ? &b->m->operands[v->operand] : NULL;
  if (load && ck_build_is_native(o->dtype) && !v->kept) {
    v->location = o->location;
    return;
  }
  int32_t store = v->kept ? -1 : store_to_compute_in(b, i, phase);
  release_arguments(b, i);
  if (v->kept) {
    v->location = v->kept_location;
  } else if (store >= 0) {
    touch_operand(b, p, b->v[store].operand);
    v->location = b->m->operands[b->v[store].operand].location;
    b->v[store].computed &= ~(1u << phase);  // done by this
  } else {
    v->buffer = take_buffer(b, (int32_t)ck_class_size(v->cls), false);
    v->location = location_of_buffer(b, v->buffer);
  }
  if (load) {
    push(b, &b->body[phase], (ck_uop){
      .body = b->table->load[o->dtype], .d = (uint16_t)v->location, .a = o->location});
  } else if (v->inner >= 0) {
    push(b, &b->body[phase], ck_build_paired_uop(b, i, (uint16_t)v->location));
  } else {
    emit_arithmetic(b, &b->body[phase], i, (uint16_t)v->location, phase, true);
  }
}

static void emit_store(ck_builder *b, int32_t i, int phase) {
  const ck_map_inst *inst = inst_of(b, i);
  const ck_map_operand *o = &b->m->operands[b->v[i].operand];
  const ck_build_value *a = &b->v[inst->a];
  touch_operand(b, &b->m->phases[phase], b->v[i].operand);
  ck_body body = store_body(b, o->dtype, a->cls);
  uint16_t from = (uint16_t)a->location;
  if (is_single(b, inst->a)) {
    if (ck_build_is_native(o->dtype)) body = b->table->fill[o->element == 8];
    else from = filled(b, inst->a, phase);
  }
  push(b, &b->body[phase], (ck_uop){.body = body, .d = o->location, .a = from});
}

static void emit_phase(ck_builder *b, int phase) {
  ck_map *m = b->m;
  ck_map_phase *p = &m->phases[phase];
  p->use = m->use_count;
  p->kept = m->kept_count;
  p->reduction = m->reduction_count;
  for (int32_t i = 0; i < b->buffer_count; i++) b->buffers[i].free = !b->buffers[i].dedicated;
  for (int32_t i = 0; i < b->count; i++) {
    ck_build_value *v = &b->v[i];
    bool reduction = ck_map_is_reduction(inst_of(b, i)->op);
    if (v->level < CK_PER_ELEMENT && v->used && v->phase == phase && !reduction &&
        !is_constant(inst_of(b, i)->op) && !ck_build_is_store(inst_of(b, i)->op)) {
      emit_uniform(b, i);
    }
  }
  find_last_uses(b, phase);
  for (int32_t i = 0; i < b->count; i++) {
    ck_build_value *v = &b->v[i];
    if (v->kept && (v->needs >> phase & 1)) {
      keep(b, p, v);
      v->location = v->kept_location;
    }
    if (!(v->computed >> phase & 1) || ck_build_is_store(inst_of(b, i)->op)) continue;
    if (v->inside >= 0) continue;
    if (ck_map_is_reduction(inst_of(b, i)->op)) {
      emit_reduction(b, i, phase);
      release_arguments(b, i);
    } else {
      emit_element(b, i, phase);
    }
  }
  for (int32_t i = 0; i < b->count; i++) {
    if (ck_build_is_store(inst_of(b, i)->op) && (b->v[i].computed >> phase & 1)) emit_store(b, i, phase);
  }
  for (int32_t i = 0; i < b->count; i++) b->v[i].buffer = -1;
  p->use_count = m->use_count - p->use;
  p->kept_count = m->kept_count - p->kept;
  p->reduction_count = m->reduction_count - p->reduction;
}

static void append(ck_map *m, const ck_uop_list *list, int32_t *start, int32_t *count) {
  *start = m->uop_count;
  *count = list->count;
  if (list->count) memcpy(m->uops + m->uop_count, list->items, (size_t)list->count * sizeof *list->items);
  m->uop_count += list->count;
}

bool ck_build_emit(ck_builder *b) {
  ck_map *m = b->m;
  m->phases = calloc((size_t)m->phase_count, sizeof *m->phases);
  int64_t uses = ((int64_t)m->operand_count + 1) * m->phase_count;
  m->uses = calloc((size_t)uses, sizeof *m->uses);
  m->uniforms = calloc((size_t)m->operand_count + 1, sizeof *m->uniforms);
  m->keeps = calloc((size_t)(b->count + 1) * (size_t)m->phase_count, sizeof *m->keeps);
  m->reductions = calloc((size_t)b->count + 1, sizeof *m->reductions);
  m->constants = calloc((size_t)b->count + 1, sizeof *m->constants);
  if (!m->phases || !m->uses || !m->uniforms || !m->keeps || !m->reductions || !m->constants) return false;
  for (int32_t k = 0; k < m->operand_count; k++) {
    ck_map_operand *o = &m->operands[k];
    if (o->level < CK_PER_ELEMENT) m->uniforms[m->uniform_count++] = (uint16_t)k;
    o->location = o->access == CK_DIRECT || o->access == CK_STAGED ? new_location(b, CK_AT_MOVING, 0)
                                         : location_of_buffer(b, take_buffer(b, o->element, true));
  }
  for (int32_t i = 0; i < b->count; i++) {
    ck_build_value *v = &b->v[i];
    v->location = v->filled = v->buffer = -1;
    if (!v->used) continue;
    if (is_constant(inst_of(b, i)->op)) place_constant(b, i);
    if (ck_map_is_reduction(inst_of(b, i)->op)) v->location = new_fixed(b, uniform_bytes(b, v->level, v->cls));
    if (v->kept) v->kept_location = new_location(b, CK_AT_MOVING, 0);
  }
  for (int p = 0; p < m->phase_count && !b->failed; p++) emit_phase(b, p);
  for (int32_t i = 0; i < b->count && !b->failed; i++) {
    if (ck_build_is_store(inst_of(b, i)->op) && b->v[i].level < CK_PER_ELEMENT) emit_uniform_store(b, i);
  }
  int64_t total = b->setup.count + b->final.count;
  for (int p = 0; p < m->phase_count; p++) total += b->pre[p].count + b->body[p].count;
  m->uops = calloc((size_t)total + 1, sizeof *m->uops);
  if (!m->uops || b->failed) return false;
  int32_t start;
  append(m, &b->setup, &start, &m->setup_count);
  for (int p = 0; p < m->phase_count; p++) {
    append(m, &b->pre[p], &m->phases[p].pre, &m->phases[p].pre_count);
    append(m, &b->body[p], &m->phases[p].body, &m->phases[p].body_count);
    ck_map_phase *phase = &m->phases[p];
    for (int32_t k = 0; k < phase->reduction_count; k++) {
      m->reductions[phase->reduction + k].uop += phase->body;
    }
  }
  append(m, &b->final, &m->final, &m->final_count);
  return true;
}

bool ck_build_allocate(ck_builder *b) {
  b->v = calloc((size_t)b->count + 1, sizeof *b->v);
  b->scratch_counts = calloc((size_t)b->count + 1, sizeof *b->scratch_counts);
  b->m->operands = calloc((size_t)b->count + 1, sizeof *b->m->operands);
  return b->v && b->scratch_counts && b->m->operands;
}

void ck_build_release(ck_builder *b) {
  free(b->v);
  free(b->scratch_counts);
  free(b->setup.items);
  free(b->final.items);
  for (int p = 0; p < CK_MAX_PHASES; p++) {
    free(b->pre[p].items);
    free(b->body[p].items);
  }
  free(b->buffers);
  free(b->fixed);
  free(b->placed);
  free(b);
}
