#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

float half_to_float(uint16_t h) {
  int e = h >> 10 & 31, m = h & 1023;
  double x = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? NAN : INFINITY) : ldexp(1024 + m, e - 25);
  return (float)(h >> 15 ? -x : x);
}

// Nearest representable number, ties to the even one, by arithmetic on the scaled value.
uint16_t float_to_half(float f) {
  uint16_t sign = signbit(f) ? 0x8000 : 0;
  double x = fabs((double)f);
  if (isnan(f)) return 0x7e00;
  if (x == 0) return sign;
  if (x >= 65520) return sign | 0x7c00;
  int e;
  (void)frexp(x, &e);
  int unit = e - 11 < -24 ? -24 : e - 11;
  double scaled = x / ldexp(1, unit), down = floor(scaled), rest = scaled - down;
  if (rest > 0.5 || (rest == 0.5 && fmod(down, 2) == 1)) down++;
  // `down` is the mantissa with its leading bit, which carries into the exponent by itself.
  uint32_t bits = unit == -24 ? (uint32_t)down : ((uint32_t)(e + 14) << 10) + (uint32_t)down - 1024;
  return (uint16_t)(bits | sign);
}

uint16_t float_to_bf16(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  if (isnan(f)) return (uint16_t)(u >> 16 | 64);
  uint32_t rest = u & 0xffff, up = u >> 16;
  if (rest > 0x8000 || (rest == 0x8000 && (up & 1))) up++;
  return (uint16_t)up;
}

cell reference_load(ck_dtype t, const void *p) {
  cell x = {.i = 0};
  uint16_t h;
  uint32_t u;
  switch (t) {
    case CK_F32: memcpy(&x.f, p, 4); break;
    case CK_F16: memcpy(&h, p, 2); x.f = half_to_float(h); break;
    case CK_BF16: memcpy(&h, p, 2); u = (uint32_t)h << 16; memcpy(&x.f, &u, 4); break;
    case CK_I8: x.i = *(const int8_t *)p; break;
    case CK_U8: x.i = *(const uint8_t *)p; break;
    case CK_BOOL: x.i = *(const uint8_t *)p != 0; break;
    case CK_I16: x.i = *(const int16_t *)p; break;
    case CK_U16: x.i = *(const uint16_t *)p; break;
    case CK_I32: x.i = *(const int32_t *)p; break;
    case CK_U32: x.i = *(const uint32_t *)p; break;
    case CK_I64: case CK_U64: x.i = *(const int64_t *)p; break;
  }
  return x;
}

void reference_store(ck_dtype t, ck_class cls, void *p, cell x) {
  uint16_t h;
  switch (t) {
    case CK_F32: memcpy(p, &x.f, 4); break;
    case CK_F16: h = float_to_half(x.f); memcpy(p, &h, 2); break;
    case CK_BF16: h = float_to_bf16(x.f); memcpy(p, &h, 2); break;
    case CK_BOOL: *(uint8_t *)p = cls == CK_CLASS_F32 ? x.f != 0 : x.i != 0; break;
    default: memcpy(p, &x.i, (size_t)ck_size(t)); break;  // little endian: the low bits
  }
}

static cell wrap(ck_class cls, int64_t x) {
  return (cell){.i = cls == CK_CLASS_I32 ? (int32_t)x : x};
}
static cell of_float(double x) {
  cell c = {.i = 0};
  c.f = (float)x;
  return c;
}

static double saturate(double x, double low, double high) {
  return isnan(x) ? 0 : x < low ? low : x > high ? high : trunc(x);
}

static int64_t int_pow(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
  uint64_t r = 1, b = (uint64_t)x;
  for (uint64_t e = (uint64_t)y; e; e >>= 1, b *= b) {
    if (e & 1) r *= b;
  }
  return (int64_t)r;
}

static cell convert(const ck_map_inst *inst, ck_class cls, cell a) {
  cell r = {.i = 0};
  uint8_t bytes[8] = {0};
  switch (inst->op) {
    case CK_MAP_CAST_F32: return cls == CK_CLASS_F32 ? a : (r.f = (float)a.i, r);
    case CK_MAP_CAST_I32:
      if (cls == CK_CLASS_F32) r.i = (int32_t)saturate(a.f, -2147483648.0, 2147483647.0);
      else r.i = (int32_t)a.i;
      return r;
    case CK_MAP_CAST_I64:
      if (cls != CK_CLASS_F32) return a;
      r.i = a.f >= 0x1p63f ? INT64_MAX : a.f < -0x1p63f ? INT64_MIN : isnan(a.f) ? 0 : (int64_t)a.f;
      return r;
    case CK_MAP_TO_BOOL: r.i = cls == CK_CLASS_F32 ? a.f != 0 : a.i != 0; return r;
    case CK_MAP_BITCAST_F32: { int32_t i = (int32_t)a.i; memcpy(&r.f, &i, 4); return r; }
    case CK_MAP_BITCAST_I32: { int32_t i; memcpy(&i, &a.f, 4); r.i = i; return r; }
    default:  // ROUND
      reference_store((ck_dtype)inst->imm_i, cls, bytes, a);
      return reference_load((ck_dtype)inst->imm_i, bytes);
  }
}

static cell logical(ck_map_op op, bool p, bool q) {
  switch (op) {
    case CK_MAP_AND: return (cell){.i = p && q};
    case CK_MAP_OR: return (cell){.i = p || q};
    case CK_MAP_NAND: return (cell){.i = !(p && q)};
    case CK_MAP_NOR: return (cell){.i = !(p || q)};
    case CK_MAP_XOR: return (cell){.i = p != q};
    default: return (cell){.i = p == q};
  }
}

static cell op_float(const ck_map_inst *inst, cell ca, cell cb, cell cc) {
  double a = ca.f, b = cb.f, c = cc.f;
  bool nan = isnan(a) || isnan(b);
  switch (inst->op) {
    case CK_MAP_CLAMP: {
      double x = a < b ? b : a;
      return of_float(x > c ? c : x);
    }
    case CK_MAP_CLAMP_NAN: {
      if (nan || isnan(c)) return of_float(NAN);
      double x = a < b ? b : a;
      return of_float(x > c ? c : x);
    }
    case CK_MAP_IDENTITY: return ca;
    case CK_MAP_NEGATIVE: return of_float(-a);
    case CK_MAP_ABSOLUTE: return of_float(fabs(a));
    case CK_MAP_SIGN: return of_float(a > 0 ? 1 : a < 0 ? -1 : isnan(a) ? 0 : a);
    case CK_MAP_SIGNBIT: return (cell){.i = signbit(ca.f) != 0};
    case CK_MAP_SQUARE: return of_float(a * a);
    case CK_MAP_SQUARE_ROOT: return of_float(sqrt(a));
    case CK_MAP_RECIPROCAL_SQUARE_ROOT: return of_float(1.0 / (double)(float)sqrt(a));
    case CK_MAP_RECIPROCAL: return of_float(1.0 / a);
    case CK_MAP_EXPONENT: return of_float(exp(a));
    case CK_MAP_EXPONENT_BASE2: return of_float(exp2(a));
    case CK_MAP_EXPONENT_BASE10: return of_float((double)powl(10, a));
    case CK_MAP_LOGARITHM: return of_float(log(a));
    case CK_MAP_LOGARITHM_BASE2: return of_float(log2(a));
    case CK_MAP_LOGARITHM_BASE10: return of_float(log10(a));
    case CK_MAP_SIN: return of_float(sin(a));
    case CK_MAP_COS: return of_float(cos(a));
    case CK_MAP_TAN: return of_float(tan(a));
    case CK_MAP_SINH: return of_float(sinh(a));
    case CK_MAP_COSH: return of_float(cosh(a));
    case CK_MAP_TANH: return of_float(tanh(a));
    case CK_MAP_ASIN: return of_float(asin(a));
    case CK_MAP_ACOS: return of_float(acos(a));
    case CK_MAP_ATAN: return of_float(atan(a));
    case CK_MAP_ASINH: return of_float(asinh(a));
    case CK_MAP_ACOSH: return of_float(acosh(a));
    case CK_MAP_ATANH: return of_float(atanh(a));
    case CK_MAP_ERF: return of_float(erf(a));
    case CK_MAP_CEIL: return of_float(ceil(a));
    case CK_MAP_FLOOR: return of_float(floor(a));
    case CK_MAP_ROUND_AWAY: return of_float(round(a));
    case CK_MAP_RINT: return of_float(rint(a));
    case CK_MAP_TRUNCATE: return of_float(trunc(a));
    case CK_MAP_NOT: return (cell){.i = a == 0};
    case CK_MAP_IS_INFINITE: return (cell){.i = isinf(a) != 0};
    case CK_MAP_IS_FINITE: return (cell){.i = isfinite(a) != 0};
    case CK_MAP_IS_NAN: return (cell){.i = isnan(a) != 0};
    case CK_MAP_RELU: return of_float(a < 0 ? 0 : a);
    case CK_MAP_SIGMOID: return of_float(1 / (1 + exp(-a)));
    case CK_MAP_ADD: return of_float(a + b);
    case CK_MAP_SUBTRACT: return of_float(a - b);
    case CK_MAP_MULTIPLY: return of_float(a * b);
    case CK_MAP_DIVIDE: return of_float(a / b);
    case CK_MAP_DIVIDE_NO_NAN: return of_float(b == 0 ? 0 : a / b);
    case CK_MAP_MODULO: return of_float(fmod(a, b));
    case CK_MAP_FLOOR_MODULO: {
      double r = fmod(a, b);
      return of_float(r != 0 && (r < 0) != (b < 0) ? (float)r + (float)b : r);
    }
    case CK_MAP_POWER: return of_float(pow(a, b));
    case CK_MAP_MINIMUM: return of_float(fmin(a, b));
    case CK_MAP_MAXIMUM: return of_float(fmax(a, b));
    case CK_MAP_MINIMUM_NAN: return of_float(nan ? (double)NAN : fmin(a, b));
    case CK_MAP_MAXIMUM_NAN: return of_float(nan ? (double)NAN : fmax(a, b));
    case CK_MAP_ATAN2: return of_float(atan2(a, b));
    case CK_MAP_EQUAL: return (cell){.i = a == b};
    case CK_MAP_NOT_EQUAL: return (cell){.i = a != b};
    case CK_MAP_LESS: return (cell){.i = a < b};
    case CK_MAP_LESS_EQUAL: return (cell){.i = a <= b};
    case CK_MAP_GREATER: return (cell){.i = a > b};
    case CK_MAP_GREATER_EQUAL: return (cell){.i = a >= b};
    default: return logical(inst->op, a != 0, b != 0);
  }
}

static cell op_int(const ck_map_inst *inst, ck_class cls, cell ca, cell cb, cell cc) {
  int64_t a = ca.i, b = cb.i, c = cc.i;
  uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  int64_t width = cls == CK_CLASS_I32 ? 32 : 64;
  bool inside = b >= 0 && b < width;
  switch (inst->op) {
    case CK_MAP_CLAMP: case CK_MAP_CLAMP_NAN: {
      int64_t x = a < b ? b : a;
      return (cell){.i = x > c ? c : x};
    }
    case CK_MAP_NEGATIVE: return wrap(cls, (int64_t)(0 - ua));
    case CK_MAP_ABSOLUTE: return wrap(cls, a < 0 ? (int64_t)(0 - ua) : a);
    case CK_MAP_SIGN: return (cell){.i = (a > 0) - (a < 0)};
    case CK_MAP_SIGNBIT: return (cell){.i = a < 0};
    case CK_MAP_SQUARE: return wrap(cls, (int64_t)(ua * ua));
    case CK_MAP_RECIPROCAL: return (cell){.i = a == 1 || a == -1 ? a : 0};
    case CK_MAP_NOT: return (cell){.i = a == 0};
    case CK_MAP_BITWISE_NOT: return wrap(cls, ~a);
    case CK_MAP_POPULATION_COUNT: {
      int64_t n = 0;
      for (int64_t k = 0; k < width; k++) n += ua >> k & 1;
      return (cell){.i = n};
    }
    case CK_MAP_IS_INFINITE: case CK_MAP_IS_NAN: return (cell){.i = 0};
    case CK_MAP_IS_FINITE: return (cell){.i = 1};
    case CK_MAP_RELU: return (cell){.i = a < 0 ? 0 : a};
    case CK_MAP_ADD: return wrap(cls, (int64_t)(ua + ub));
    case CK_MAP_SUBTRACT: return wrap(cls, (int64_t)(ua - ub));
    case CK_MAP_MULTIPLY: return wrap(cls, (int64_t)(ua * ub));
    case CK_MAP_DIVIDE: case CK_MAP_DIVIDE_NO_NAN:
      return wrap(cls, b == 0 ? 0 : b == -1 ? (int64_t)(0 - ua) : a / b);
    case CK_MAP_MODULO: return (cell){.i = b == 0 || b == -1 ? 0 : a % b};
    case CK_MAP_FLOOR_MODULO: {
      int64_t r = b == 0 || b == -1 ? 0 : a % b;
      return (cell){.i = r != 0 && (r < 0) != (b < 0) ? r + b : r};
    }
    case CK_MAP_POWER: return wrap(cls, int_pow(a, b));
    case CK_MAP_MINIMUM: case CK_MAP_MINIMUM_NAN: return (cell){.i = a < b ? a : b};
    case CK_MAP_MAXIMUM: case CK_MAP_MAXIMUM_NAN: return (cell){.i = a > b ? a : b};
    case CK_MAP_EQUAL: return (cell){.i = a == b};
    case CK_MAP_NOT_EQUAL: return (cell){.i = a != b};
    case CK_MAP_LESS: return (cell){.i = a < b};
    case CK_MAP_LESS_EQUAL: return (cell){.i = a <= b};
    case CK_MAP_GREATER: return (cell){.i = a > b};
    case CK_MAP_GREATER_EQUAL: return (cell){.i = a >= b};
    case CK_MAP_BIT_AND: return (cell){.i = a & b};
    case CK_MAP_BIT_OR: return (cell){.i = a | b};
    case CK_MAP_BIT_XOR: return (cell){.i = a ^ b};
    case CK_MAP_SHIFT_LEFT: return wrap(cls, inside ? (int64_t)(ua << b) : 0);
    case CK_MAP_SHIFT_RIGHT: return (cell){.i = inside ? a >> b : a < 0 ? -1 : 0};
    case CK_MAP_IDENTITY: case CK_MAP_CEIL: case CK_MAP_FLOOR: case CK_MAP_ROUND_AWAY:
    case CK_MAP_RINT: case CK_MAP_TRUNCATE:
      return ca;
    default: return logical(inst->op, a != 0, b != 0);
  }
}

cell reference_op(const ck_map_inst *inst, ck_class cls, cell a, cell b, cell c) {
  if (inst->op >= CK_MAP_CAST_F32 && inst->op <= CK_MAP_ROUND) return convert(inst, cls, a);
  if (inst->op == CK_MAP_SELECT) return a.i != 0 ? b : c;
  return cls == CK_CLASS_F32 ? op_float(inst, a, b, c) : op_int(inst, cls, a, b, c);
}

ck_class reference_class(const ck_map_desc *d, int v) {
  const ck_map_inst *i = &d->insts[v];
  ck_map_op o = i->op;
  if (o == CK_MAP_LOAD) return ck_class_of(d->operands[i->a].dtype);
  if (o == CK_MAP_CONST_F32 || o == CK_MAP_CAST_F32 || o == CK_MAP_BITCAST_F32) return CK_CLASS_F32;
  if (o == CK_MAP_CONST_I64 || o == CK_MAP_CAST_I64) return CK_CLASS_I64;
  if (o == CK_MAP_CONST_I32 || o == CK_MAP_IOTA || o == CK_MAP_CAST_I32 || o == CK_MAP_BITCAST_I32 ||
      o == CK_MAP_TO_BOOL || o == CK_MAP_SIGNBIT || (o >= CK_MAP_EQUAL && o <= CK_MAP_XNOR) ||
      o == CK_MAP_NOT || (o >= CK_MAP_IS_INFINITE && o <= CK_MAP_IS_NAN) || o >= CK_MAP_REDUCE_AND) {
    return CK_CLASS_I32;
  }
  return reference_class(d, o == CK_MAP_SELECT ? i->b : i->a);
}

typedef struct {
  double f;
  int64_t i, at, count;
  bool nan;
} sum;

static void accumulate(ck_map_op op, ck_class cls, sum *s, cell x) {
  double v = cls == CK_CLASS_F32 ? (double)x.f : (double)x.i;
  bool minimum = op == CK_MAP_REDUCE_MINIMUM || op == CK_MAP_REDUCE_MINIMUM_NAN ||
                 op == CK_MAP_REDUCE_ARG_MINIMUM;
  switch (op) {
    case CK_MAP_REDUCE_SUM: s->f += v; s->i = (int64_t)((uint64_t)s->i + (uint64_t)x.i); break;
    case CK_MAP_REDUCE_PRODUCT: s->f *= v; s->i = (int64_t)((uint64_t)s->i * (uint64_t)x.i); break;
    case CK_MAP_REDUCE_AND: s->i = s->i && v != 0; break;
    case CK_MAP_REDUCE_OR: s->i = s->i || v != 0; break;
    default: {
      bool plain = op == CK_MAP_REDUCE_MINIMUM || op == CK_MAP_REDUCE_MAXIMUM;
      bool isn = cls == CK_CLASS_F32 && isnan(x.f);
      bool better = s->count == 0;
      if (s->count && !isn && !s->nan) {
        better = cls == CK_CLASS_F32 ? (minimum ? x.f < s->f : x.f > s->f)
                                     : (minimum ? x.i < s->i : x.i > s->i);
      }
      if (s->count && plain && s->nan && !isn) better = true;
      if (s->count && !plain && !s->nan && isn) better = true;
      if (better) {
        s->f = v;
        s->i = x.i;
        s->nan = isn;
        s->at = s->count;
      }
    }
  }
  s->count++;
}

static cell finish(ck_map_op op, ck_class cls, const sum *s) {
  if (op >= CK_MAP_REDUCE_ARG_MINIMUM) return (cell){.i = s->at};
  if (op == CK_MAP_REDUCE_AND || op == CK_MAP_REDUCE_OR) return (cell){.i = s->i};
  bool minimum = op == CK_MAP_REDUCE_MINIMUM || op == CK_MAP_REDUCE_MINIMUM_NAN;
  if (s->count == 0 && op >= CK_MAP_REDUCE_MINIMUM) {
    if (cls == CK_CLASS_F32) return of_float(minimum ? (double)INFINITY : -(double)INFINITY);
    if (cls == CK_CLASS_I32) return (cell){.i = minimum ? INT32_MAX : INT32_MIN};
    return (cell){.i = minimum ? INT64_MAX : INT64_MIN};
  }
  return cls == CK_CLASS_F32 ? of_float(s->nan ? (double)NAN : s->f) : wrap(cls, s->i);
}

static int64_t offset_of(const ck_map_desc *d, const int64_t *stride, int64_t element, int64_t *index) {
  int64_t offset = 0;
  for (int i = d->rank - 1; i >= 0; i--) {
    int64_t digit = element % d->dims[i];
    element /= d->dims[i];
    if (index) index[i] = digit;
    if (stride) offset += digit * stride[i];
  }
  return offset;
}

// The number of the row an element belongs to: its kept indices.
static int64_t row_of(const ck_map_desc *d, int64_t element) {
  int64_t index[CK_MAX_RANK], row = 0;
  offset_of(d, NULL, element, index);
  for (int i = 0; i < d->rank; i++) {
    if (!(d->reduced >> i & 1)) row = row * d->dims[i] + index[i];
  }
  return row;
}

static void reduce(const ck_map_desc *d, const ck_map_inst *inst, ck_class cls, const cell *a, cell *out, int64_t total, int64_t rows) {
  sum *sums = calloc((size_t)rows + 1, sizeof *sums);
  for (int64_t r = 0; r < rows; r++) {
    sums[r].f = sums[r].i = inst->op == CK_MAP_REDUCE_PRODUCT || inst->op == CK_MAP_REDUCE_AND;
  }
  for (int64_t e = 0; e < total; e++) accumulate(inst->op, cls, &sums[row_of(d, e)], a[e]);
  for (int64_t e = 0; e < total; e++) out[e] = finish(inst->op, cls, &sums[row_of(d, e)]);
  out[total] = finish(inst->op, cls, &sums[0]);  // for empty rows
  free(sums);
}

void reference_run(const ck_map_desc *d, void *const *slots) {
  int64_t total = 1, rows = 1;
  for (int i = 0; i < d->rank; i++) {
    total *= d->dims[i];
    if (!(d->reduced >> i & 1)) rows *= d->dims[i];
  }
  cell **v = calloc((size_t)d->inst_count, sizeof *v);
  for (int n = 0; n < d->inst_count; n++) {
    const ck_map_inst *inst = &d->insts[n];
    cell *out = v[n] = calloc((size_t)total + 1, sizeof *out);
    if (inst->op >= CK_MAP_REDUCE_SUM) {
      reduce(d, inst, reference_class(d, inst->a), v[inst->a], out, total, rows);
      continue;
    }
    for (int64_t e = 0; e < total; e++) {
      int64_t index[CK_MAX_RANK];
      switch (inst->op) {
        case CK_MAP_LOAD: {
          const ck_operand *o = &d->operands[inst->a];
          int64_t at = offset_of(d, o->stride, e, NULL) * ck_size(o->dtype);
          out[e] = reference_load(o->dtype, (char *)ck_at(slots, o->ref) + at);
          break;
        }
        case CK_MAP_CONST_F32: out[e] = of_float(inst->imm_f); break;
        case CK_MAP_CONST_I32: out[e].i = (int32_t)inst->imm_i; break;
        case CK_MAP_CONST_I64: out[e].i = inst->imm_i; break;
        case CK_MAP_IOTA: offset_of(d, NULL, e, index); out[e].i = index[inst->imm_i]; break;
        case CK_MAP_STORE: break;
        default: {
          cell zero = {.i = 0};
          int count = inst->op == CK_MAP_SELECT || inst->op == CK_MAP_CLAMP || inst->op == CK_MAP_CLAMP_NAN ? 3 : inst->op >= CK_MAP_ADD ? 2 : 1;
          out[e] = reference_op(inst, reference_class(d, inst->op == CK_MAP_SELECT ? inst->b : inst->a),
            v[inst->a][e], count > 1 ? v[inst->b][e] : zero, count > 2 ? v[inst->c][e] : zero);
        }
      }
    }
  }
  // Stores last, so that in-place programs read what was there.
  for (int n = 0; n < d->inst_count; n++) {
    const ck_map_inst *inst = &d->insts[n];
    if (inst->op != CK_MAP_STORE) continue;
    const ck_operand *o = &d->operands[inst->b];
    ck_class cls = reference_class(d, inst->a);
    if (total == 0 && rows == 1) reference_store(o->dtype, cls, ck_at(slots, o->ref), v[inst->a][0]);
    for (int64_t e = 0; e < total; e++) {
      int64_t at = offset_of(d, o->stride, e, NULL) * ck_size(o->dtype);
      reference_store(o->dtype, cls, (char *)ck_at(slots, o->ref) + at, v[inst->a][e]);
    }
  }
  for (int n = 0; n < d->inst_count; n++) free(v[n]);
  free(v);
}
