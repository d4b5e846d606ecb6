// What a valid program is.
#include "ck_map_plan.h"

ck_class ck_class_of(ck_dtype dtype) {
  switch (dtype) {
    case CK_F32: case CK_F16: case CK_BF16: return CK_CLASS_F32;
    case CK_I64: case CK_U32: case CK_U64: return CK_CLASS_I64;
    default: return CK_CLASS_I32;
  }
}

bool ck_map_is_reduction(ck_map_op op) {
  return op >= CK_MAP_REDUCE_SUM && op <= CK_MAP_REDUCE_ARG_MAXIMUM;
}
bool ck_map_is_binary(ck_map_op op) { return op >= CK_MAP_ADD && op <= CK_MAP_SHIFT_RIGHT; }
bool ck_map_is_unary(ck_map_op op) {
  return (op >= CK_MAP_IDENTITY && op <= CK_MAP_SIGMOID) ||
         (op >= CK_MAP_CAST_F32 && op <= CK_MAP_ROUND);
}

int ck_map_operand_count_of(ck_map_op op) {
  if (ck_map_is_unary(op) || ck_map_is_reduction(op)) return 1;
  if (ck_map_is_binary(op)) return 2;
  switch (op) {
    case CK_MAP_SELECT: case CK_MAP_CLAMP: case CK_MAP_CLAMP_NAN: return 3;
    case CK_MAP_STORE: case CK_MAP_STORE_ACCUMULATOR: return 1;
    default: return 0;
  }
}

static bool gives_bool(ck_map_op op) {
  switch (op) {
    case CK_MAP_TO_BOOL: case CK_MAP_SIGNBIT: case CK_MAP_NOT: case CK_MAP_IS_INFINITE:
    case CK_MAP_IS_FINITE: case CK_MAP_IS_NAN: case CK_MAP_REDUCE_AND: case CK_MAP_REDUCE_OR:
    case CK_MAP_REDUCE_ARG_MINIMUM: case CK_MAP_REDUCE_ARG_MAXIMUM:
      return true;
    default: return op >= CK_MAP_EQUAL && op <= CK_MAP_XNOR;
  }
}

ck_class ck_map_result_class(
  const ck_map_inst *i, ck_class a, ck_class b, const ck_operand *operands) {
  switch (i->op) {
    case CK_MAP_LOAD: return ck_class_of(operands[i->a].dtype);
    case CK_MAP_CONST_F32: case CK_MAP_ACCUMULATOR: case CK_MAP_CAST_F32: case CK_MAP_BITCAST_F32:
      return CK_CLASS_F32;
    case CK_MAP_CONST_I32: case CK_MAP_IOTA: case CK_MAP_CAST_I32: case CK_MAP_BITCAST_I32:
      return CK_CLASS_I32;
    case CK_MAP_CONST_I64: case CK_MAP_CAST_I64: return CK_CLASS_I64;
    case CK_MAP_SELECT: return b;
    default: return gives_bool(i->op) ? CK_CLASS_I32 : a;
  }
}

static bool is_known(ck_map_op op) {
  return op <= CK_MAP_ACCUMULATOR || op == CK_MAP_STORE || op == CK_MAP_STORE_ACCUMULATOR ||
         ck_map_operand_count_of(op) > 0;
}

// A type's memory may hold what the class computes in.
static bool storable(ck_dtype dtype, ck_class cls) {
  return dtype == CK_BOOL || ck_class_of(dtype) == cls;
}

static const char *check_operands(const ck_map_desc *d) {
  for (int32_t k = 0; k < d->operand_count; k++) {
    if (d->operands[k].ref.slot < 0) return "an operand has a negative slot";
    if ((unsigned)d->operands[k].dtype > CK_U64) return "an operand has an unknown type";
  }
  return NULL;
}

static const char *check_store(const ck_map_desc *d, const ck_map_inst *i, ck_class cls, bool uniform) {
  if (i->b < 0 || i->b >= d->operand_count) return "STORE: no such operand";
  const ck_operand *o = &d->operands[i->b];
  if (!storable(o->dtype, cls)) return "STORE: the value's class is not the operand's";
  for (int32_t dim = 0; dim < d->rank; dim++) {
    if (d->dims[dim] <= 1 || o->stride[dim] != 0) continue;
    if (!(d->reduced >> dim & 1)) return "STORE: a stride of 0 along a dimension that is kept";
    if (!uniform) return "STORE: a stride of 0 along a dimension over which the value varies";
  }
  return NULL;
}

// Also finds each value's class and whether it is uniform over the reduced dimensions.
static const char *check_instruction(
  const ck_map_desc *d, int32_t index, ck_class *cls, bool *uniform, uint8_t *depth) {
  const ck_map_inst *i = &d->insts[index];
  if (!is_known(i->op)) return "unknown instruction";
  if (ck_map_is_reduction(i->op) && !d->reduced) return "a reduction without reduced dimensions";
  if (i->op == CK_MAP_ACCUMULATOR && !d->epilogue) return "ACCUMULATOR outside an epilogue";
  if (i->op == CK_MAP_STORE_ACCUMULATOR && !d->epilogue) return "STORE_ACCUMULATOR outside an epilogue";
  int32_t value[3] = {i->a, i->b, i->c};
  int count = ck_map_operand_count_of(i->op);
  ck_class of[3] = {CK_CLASS_F32, CK_CLASS_F32, CK_CLASS_F32};
  uniform[index] = true;
  depth[index] = 0;
  for (int k = 0; k < count; k++) {
    int32_t v = value[k];
    if (v < 0 || v >= index) return "an instruction names a value that is not before it";
    if (d->insts[v].op == CK_MAP_STORE || d->insts[v].op == CK_MAP_STORE_ACCUMULATOR) {
      return "an instruction names a store, which has no value";
    }
    of[k] = cls[v];
    uniform[index] &= uniform[v];
    uint8_t deep = (uint8_t)(depth[v] + (ck_map_is_reduction(d->insts[v].op) ? 1 : 0));
    if (deep > depth[index]) depth[index] = deep;
  }
  if (depth[index] > 30) return "more than 30 reductions that depend on each other";
  if (count == 2 && of[0] != of[1]) return "operands of different classes";
  if (count == 3 && of[1] != of[2]) return "operands of different classes";
  if (count == 3 && i->op != CK_MAP_SELECT && of[0] != of[1]) return "operands of different classes";
  if (i->op == CK_MAP_SELECT && of[0] != CK_CLASS_I32) return "SELECT: the condition is not an i32";
  if (i->op == CK_MAP_LOAD && (i->a < 0 || i->a >= d->operand_count)) return "LOAD: no such operand";
  if (i->op == CK_MAP_IOTA && (i->imm_i < 0 || i->imm_i >= d->rank)) return "IOTA: no such dimension";
  if (i->op == CK_MAP_ROUND) {
    if (i->imm_i < 0 || i->imm_i > CK_U64) return "ROUND: unknown type";
    if (ck_class_of((ck_dtype)i->imm_i) != of[0]) return "ROUND: the type is of another class";
  } else if (count > 0 && !ck_map_is_reduction(i->op) && i->op != CK_MAP_STORE &&
             i->op != CK_MAP_STORE_ACCUMULATOR) {
    ck_class arithmetic = i->op == CK_MAP_SELECT ? of[1] : of[0];
    if (!ck_map_table_base.op[i->op][arithmetic][CK_VV]) return "no such instruction for this class";
  }
  if (i->op == CK_MAP_STORE_ACCUMULATOR && of[0] != CK_CLASS_F32) return "STORE_ACCUMULATOR: not f32";
  cls[index] = ck_map_result_class(i, of[0], of[1], d->operands);
  if (ck_map_is_reduction(i->op)) uniform[index] = true;
  if (i->op == CK_MAP_LOAD) {
    for (int32_t dim = 0; dim < d->rank; dim++) {
      if (d->reduced >> dim & 1 && d->operands[i->a].stride[dim] != 0) uniform[index] = false;
    }
  }
  if (i->op == CK_MAP_IOTA) uniform[index] = !(d->reduced >> i->imm_i & 1);
  if (i->op == CK_MAP_STORE) return check_store(d, i, of[0], uniform[index]);
  return NULL;
}

const char *ck_map_check(const ck_map_desc *d) {
  if (d->rank < 0 || d->rank > CK_MAX_RANK) return "rank out of range";
  for (int32_t i = 0; i < d->rank; i++) {
    if (d->dims[i] < 0) return "a dimension is negative";
  }
  if (d->reduced >> d->rank) return "a reduced dimension is out of range";
  if (d->inst_count < 0 || d->inst_count > CK_MAX_INSTRUCTIONS) return "too many instructions";
  if (d->operand_count < 0 || d->operand_count > CK_MAX_INSTRUCTIONS) return "too many operands";
  if (d->epilogue && (d->rank != 3 || d->reduced)) return "an epilogue has rank 3 and no reductions";
  const char *problem = check_operands(d);
  ck_class cls[CK_MAX_INSTRUCTIONS];
  bool uniform[CK_MAX_INSTRUCTIONS];
  uint8_t depth[CK_MAX_INSTRUCTIONS];
  for (int32_t i = 0; i < d->inst_count && !problem; i++) {
    problem = check_instruction(d, i, cls, uniform, depth);
  }
  return problem;
}
