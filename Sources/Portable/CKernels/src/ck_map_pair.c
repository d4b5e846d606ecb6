// Which instructions run in one pass over the tile, and with what.
#include "ck_map_build.h"

static const ck_map_inst *inst_of(const ck_builder *b, int32_t i) { return &b->d->insts[i]; }

static bool is_tile_f32(const ck_builder *b, int32_t i) {
  return b->v[i].level == CK_PER_ELEMENT && b->v[i].cls == CK_CLASS_F32;
}

static bool is_single(const ck_builder *b, int32_t i) { return b->v[i].level == CK_SINGLE; }

/// The kind of first instruction of a chain, -1: none.
static int first_of(const ck_builder *b, int32_t i, bool *swapped) {
  const ck_map_inst *inst = inst_of(b, i);
  *swapped = false;
  if (inst->op < CK_MAP_ADD || inst->op > CK_MAP_MULTIPLY || !is_tile_f32(b, i)) return -1;
  bool a = is_single(b, inst->a), c = is_single(b, inst->b);
  if (inst->op == CK_MAP_SUBTRACT) {
    return a ? CK_FIRST_SUBTRACT_SV : c ? CK_FIRST_SUBTRACT_VS : CK_FIRST_SUBTRACT_VV;
  }
  *swapped = a;  // sums and products put the single element second
  bool add = inst->op == CK_MAP_ADD;
  if (a || c) return add ? CK_FIRST_ADD_VS : CK_FIRST_MULTIPLY_VS;
  return add ? CK_FIRST_ADD_VV : CK_FIRST_MULTIPLY_VV;
}

/// What instruction i does with the result of `inner`, -1: no chain. The other operand is *other.
static int then_of(const ck_builder *b, int32_t i, int32_t inner, int32_t *other) {
  const ck_map_inst *inst = inst_of(b, i);
  *other = -1;
  switch (inst->op) {
    case CK_MAP_SQUARE: return CK_THEN_SQUARE;
    case CK_MAP_RELU: return CK_THEN_RELU;
    case CK_MAP_EXPONENT: return CK_THEN_EXPONENT;
    case CK_MAP_ADD: case CK_MAP_MULTIPLY: case CK_MAP_SUBTRACT: break;
    default: return -1;
  }
  if (inst->a == inst->b) return -1;
  *other = inst->a == inner ? inst->b : inst->a;
  if (inst->op == CK_MAP_ADD) return CK_THEN_ADD;
  if (inst->op == CK_MAP_MULTIPLY) return CK_THEN_MULTIPLY;
  return inst->a == inner ? CK_THEN_SUBTRACT : CK_THEN_SUBTRACT_FROM;
}

static bool is_product(const ck_builder *b, int32_t i) {
  const ck_map_inst *inst = inst_of(b, i);
  if (!is_tile_f32(b, i)) return false;
  if (inst->op == CK_MAP_SQUARE) return true;
  return inst->op == CK_MAP_MULTIPLY && !is_single(b, inst->a) && !is_single(b, inst->b);
}

static bool fits(const ck_builder *b, int32_t i, int32_t inner) {
  bool swapped;
  int32_t other;
  ck_map_op op = inst_of(b, i)->op;
  if (op == CK_MAP_REDUCE_SUM) return is_product(b, inner);
  if (!is_tile_f32(b, i)) return false;
  if (op == CK_MAP_NEGATIVE) return inst_of(b, inner)->op == CK_MAP_ABSOLUTE;
  return first_of(b, inner, &swapped) >= 0 && then_of(b, i, inner, &other) >= 0;
}

void ck_build_pair(ck_builder *b) {
  // How often each value is read.
  int32_t *uses = b->scratch_counts;
  for (int32_t i = 0; i < b->count; i++) b->v[i].inside = b->v[i].inner = -1, uses[i] = 0;
  for (int32_t i = 0; i < b->count; i++) {
    if (!b->v[i].used) continue;
    for (int k = 0; k < ck_map_operand_count_of(inst_of(b, i)->op); k++) {
      uses[ck_build_argument(inst_of(b, i), k)]++;
    }
  }
  for (int32_t i = 0; i < b->count; i++) {
    ck_build_value *v = &b->v[i];
    if (!v->used || ck_build_is_store(inst_of(b, i)->op)) continue;
    for (int k = 0; k < ck_map_operand_count_of(inst_of(b, i)->op); k++) {
      int32_t inner = ck_build_argument(inst_of(b, i), k);
      ck_build_value *a = &b->v[inner];
      if (v->inner >= 0 || uses[inner] != 1 || a->kept || a->inner >= 0) continue;
      if (a->computed != v->computed || a->level < CK_PER_ELEMENT || !fits(b, i, inner)) continue;
      v->inner = inner;
      a->inside = i;
    }
  }
}

ck_uop ck_build_paired_uop(ck_builder *b, int32_t i, uint16_t destination) {
  const ck_map_inst *inst = inst_of(b, i), *inner = inst_of(b, b->v[i].inner);
  ck_uop u = {.d = destination, .a = (uint16_t)b->v[inner->a].location};
  int count = ck_map_operand_count_of(inner->op);
  u.b = count > 1 ? (uint16_t)b->v[inner->b].location : u.a;
  if (inst->op == CK_MAP_REDUCE_SUM) {
    u.body = b->table->sum_of_products[b->m->column];
  } else if (inst->op == CK_MAP_NEGATIVE) {
    u.body = b->table->negative_absolute;
  } else {
    bool swapped;
    int32_t other;
    int first = first_of(b, b->v[i].inner, &swapped), then = then_of(b, i, b->v[i].inner, &other);
    if (swapped) {
      uint16_t a = u.a;
      u.a = u.b;
      u.b = a;
    }
    u.body = b->table->chain[first][then][other >= 0 && is_single(b, other)];
    if (other >= 0) u.c = (uint16_t)b->v[other].location;
  }
  return u;
}
