// Fused elementwise and reduction programs ("tile programs").
//
// A program is a list of instructions in SSA form over one iteration space: the value of
// instruction i is named i. There are no registers, phases, or scalar sections to plan: the
// library finds out which values are uniform over the reduced dimensions, orders the work in
// phases, keeps or recomputes what later phases need, reads contiguous operands in place, blocks
// transposed ones and splits the work over threads.
//
//   y = softmax(x) over the last dimension of [rows, n]:
//     dims {rows, n}, reduced = 1 << 1, operands {x: stride {n, 1}, y: stride {n, 1}}
//     0: LOAD operand 0
//     1: REDUCE_MAXIMUM 0
//     2: SUBTRACT 0 1        (1 is uniform over the row and broadcasts)
//     3: EXPONENT 2
//     4: REDUCE_SUM 3
//     5: DIVIDE 3 4
//     6: STORE 5 -> operand 1
//
// Usage: fill a ck_map_desc, call ck_map_create once, put {ck_map_run, program} into the step list.
// A program is immutable; any number of threads may run it at once with different slots.
#ifndef CK_MAP_H
#define CK_MAP_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The class a value is computed in. LOAD takes it from the operand's type: floating types f32;
/// i8, u8, bool, i16, u16, i32 as i32; i64, u32, u64 as i64. A bool value is an i32 that is 0 or 1.
typedef enum { CK_CLASS_F32 = 0, CK_CLASS_I32 = 1, CK_CLASS_I64 = 2 } ck_class;

ck_class ck_class_of(ck_dtype dtype);

/// Rows whose values have to be kept between phases are kept up to this many elements; longer rows
/// are recomputed from the loads in each phase (same result).
#define CK_MAP_ROW_LIMIT 32768

/// Instructions. a, b, c name earlier values unless stated otherwise. Operands of an arithmetic
/// instruction must have the same class, which is also the class of the result; "-> bool" marks
/// results of class i32 that are 0 or 1. F = f32 only, I = integer classes only.
///
/// Every float32 instruction rounds once, as the same operation alone would: nothing is contracted
/// or reassociated across instructions, so a fused program gives bitwise the result of one-op
/// programs. (Sums excepted: their order depends on the shape, not on what they are fused with.)
/// NaN results carry no particular sign or payload.
typedef enum {
  // Sources. LOAD: a = operand index. CONST: imm_f or imm_i. IOTA: i32, the index along dimension
  // imm_i (of the description's dims).
  CK_MAP_LOAD = 0,
  CK_MAP_CONST_F32 = 1,
  CK_MAP_CONST_I32 = 2,
  CK_MAP_CONST_I64 = 3,
  CK_MAP_IOTA = 4,
  // The block of C in an epilogue program (F).
  CK_MAP_ACCUMULATOR = 5,

  // Sinks; they name no value. STORE: a = value, b = operand index. The value is converted to the
  // operand's type: f32 -> f16/bf16 rounds to nearest even; i32 -> narrower and i64 -> u32/u64 keep
  // the low bits; to bool is x != 0. Value class and class of the operand's type must agree, except
  // that any class may be stored to bool. A value that is uniform over the reduced dimensions may
  // be stored to an operand with stride 0 there (written once) or be broadcast.
  CK_MAP_STORE = 8,
  // a = value (f32): becomes the block of C. Epilogue programs only.
  CK_MAP_STORE_ACCUMULATOR = 9,

  // Conversions. Float to integer truncates toward zero, saturates when out of range, NaN gives 0.
  // i64 to i32 keeps the low 32 bits. Integer to float rounds to nearest even.
  CK_MAP_CAST_F32 = 16,
  CK_MAP_CAST_I32 = 17,
  CK_MAP_CAST_I64 = 18,
  CK_MAP_TO_BOOL = 19,      // x != 0 -> bool (NaN is true)
  CK_MAP_BITCAST_F32 = 20,  // i32 -> f32, same bits
  CK_MAP_BITCAST_I32 = 21,  // f32 -> i32, same bits
  // imm_i = ck_dtype: the value as if stored to that type and loaded again. Put it after each
  // instruction whose result has a type narrower than its class: f16/bf16 round, i8/i16/u8/u16/u32
  // wrap. A no-op for f32, i32, i64, u64.
  CK_MAP_ROUND = 22,

  // Ternary.
  CK_MAP_SELECT = 24,     // a (i32) != 0 ? b : c
  CK_MAP_CLAMP = 25,      // min(max(a, b), c); NaN in a is kept; plain comparisons, else
  CK_MAP_CLAMP_NAN = 26,  // NaN in any operand propagates

  // Unary: 64 + the position in the graph's UnaryOp.
  CK_MAP_IDENTITY = 64,
  CK_MAP_NEGATIVE = 65,
  CK_MAP_ABSOLUTE = 66,
  CK_MAP_SIGN = 67,     // ±0 stay, NaN gives 0
  CK_MAP_SIGNBIT = 68,  // -> bool
  CK_MAP_SQUARE = 69,
  CK_MAP_SQUARE_ROOT = 70,             // F, correctly rounded
  CK_MAP_RECIPROCAL_SQUARE_ROOT = 71,  // F, 1 / sqrt(x), both correctly rounded
  CK_MAP_RECIPROCAL = 72,              // 1 / x, integers as DIVIDE
  CK_MAP_EXPONENT = 73,                // F from here to ERF; see ck_vmath.h for accuracy
  CK_MAP_EXPONENT_BASE2 = 74,
  CK_MAP_EXPONENT_BASE10 = 75,
  CK_MAP_LOGARITHM = 76,
  CK_MAP_LOGARITHM_BASE2 = 77,
  CK_MAP_LOGARITHM_BASE10 = 78,
  CK_MAP_SIN = 79,
  CK_MAP_COS = 80,
  CK_MAP_TAN = 81,
  CK_MAP_SINH = 82,
  CK_MAP_COSH = 83,
  CK_MAP_TANH = 84,
  CK_MAP_ASIN = 85,
  CK_MAP_ACOS = 86,
  CK_MAP_ATAN = 87,
  CK_MAP_ASINH = 88,
  CK_MAP_ACOSH = 89,
  CK_MAP_ATANH = 90,
  CK_MAP_ERF = 91,
  CK_MAP_CEIL = 92,  // these five: integers unchanged
  CK_MAP_FLOOR = 93,
  CK_MAP_ROUND_AWAY = 94,  // to nearest, halves away from zero (the graph's `round`)
  CK_MAP_RINT = 95,        // to nearest, halves to even
  CK_MAP_TRUNCATE = 96,
  CK_MAP_NOT = 97,          // x == 0 -> bool
  CK_MAP_BITWISE_NOT = 98,  // I; ROUND afterwards for narrow types
  // I; counts the bits of the whole class: ROUND to the unsigned type of the same width first.
  CK_MAP_POPULATION_COUNT = 99,
  CK_MAP_IS_INFINITE = 100,  // -> bool
  CK_MAP_IS_FINITE = 101,    // -> bool
  CK_MAP_IS_NAN = 102,       // -> bool
  CK_MAP_RELU = 103,         // x < 0 ? 0 : x, so NaN propagates
  CK_MAP_SIGMOID = 104,      // F

  // Binary: 128 + the position in the graph's BinaryOp.
  CK_MAP_ADD = 128,  // integer arithmetic wraps
  CK_MAP_SUBTRACT = 129,
  CK_MAP_MULTIPLY = 130,
  CK_MAP_DIVIDE = 131,         // integers truncate; x / 0 = 0; MIN / -1 = MIN
  CK_MAP_DIVIDE_NO_NAN = 132,  // 0 where b == 0
  CK_MAP_MODULO = 133,         // C: sign of a; exact. integers: x % 0 = 0
  CK_MAP_FLOOR_MODULO = 134,   // Python: sign of b. integers: x % 0 = 0
  // F: C99 pow. I: repeated multiplication, wrapping; negative exponents: 1, ±1 or 0.
  CK_MAP_POWER = 135,
  CK_MAP_MINIMUM = 136,  // one NaN operand: the other one
  CK_MAP_MAXIMUM = 137,
  CK_MAP_MINIMUM_NAN = 138,  // NaN propagates
  CK_MAP_MAXIMUM_NAN = 139,
  CK_MAP_ATAN2 = 140,  // F
  CK_MAP_EQUAL = 141,  // -> bool, to GREATER_EQUAL
  CK_MAP_NOT_EQUAL = 142,
  CK_MAP_LESS = 143,
  CK_MAP_LESS_EQUAL = 144,
  CK_MAP_GREATER = 145,
  CK_MAP_GREATER_EQUAL = 146,
  CK_MAP_AND = 147,  // logical, of (x != 0) -> bool, to XNOR
  CK_MAP_OR = 148,
  CK_MAP_NAND = 149,
  CK_MAP_NOR = 150,
  CK_MAP_XOR = 151,
  CK_MAP_XNOR = 152,
  CK_MAP_BIT_AND = 153,  // I from here
  CK_MAP_BIT_OR = 154,
  CK_MAP_BIT_XOR = 155,
  CK_MAP_SHIFT_LEFT = 156,  // a shift < 0 or >= width (of the class): 0
  // Arithmetic; a shift < 0 or >= width fills with the sign.
  CK_MAP_SHIFT_RIGHT = 157,

  // Reductions of a over the dimensions in `reduced`: 192 + the position in the graph's ReduceOp.
  // The result is uniform over these dimensions. Empty: 0, 1, the largest, the smallest value of
  // the class (±infinity for f32), true, false; arg: 0.
  CK_MAP_REDUCE_SUM = 192,  // f32: blocked and pairwise, relative error < 1e-6 for 1e6 terms
  CK_MAP_REDUCE_PRODUCT = 193,
  CK_MAP_REDUCE_MINIMUM = 194,  // ignores NaN unless all are
  CK_MAP_REDUCE_MAXIMUM = 195,
  CK_MAP_REDUCE_MINIMUM_NAN = 196,
  CK_MAP_REDUCE_MAXIMUM_NAN = 197,
  CK_MAP_REDUCE_AND = 198,  // of (x != 0) -> bool
  CK_MAP_REDUCE_OR = 199,
  // i32: row-major index within the reduced dimensions of the first smallest / largest element;
  // the first NaN wins.
  CK_MAP_REDUCE_ARG_MINIMUM = 200,
  CK_MAP_REDUCE_ARG_MAXIMUM = 201,
} ck_map_op;

typedef struct {
  ck_map_op op;
  int32_t a, b, c;
  int64_t imm_i;
  double imm_f;
} ck_map_inst;

/// What a program computes. Plain data, copied by ck_map_create.
///
/// Dimensions may come in any order and number; the library drops, merges and reorders them.
/// Elements of different output positions may be computed in any order and on any thread. An
/// operand that is stored must not overlap memory that any other operand reads or writes, with one
/// exception: a STORE operand with the same ref, dtype and strides as a LOAD operand (in place).
typedef struct {
  int32_t rank;  // 0 ... CK_MAX_RANK; rank 0 is one element
  int64_t dims[CK_MAX_RANK];
  /// Bit d set: the reductions run over dimension d. 0 for elementwise programs.
  uint32_t reduced;
  /// Nonzero: a program for ck_map_epilogue. Then rank = 3, dims (batch, row, column) are upper
  /// bounds, reduced = 0.
  int32_t epilogue;
  int32_t operand_count;
  int32_t inst_count;  // at most 4096
  const ck_operand *operands;
  const ck_map_inst *insts;
} ck_map_desc;

/// NULL when the description is valid, else what is wrong with it (a static text).
const char *ck_map_check(const ck_map_desc *desc);

typedef struct ck_map ck_map;

/// Compiles a program (some microseconds); NULL when it is invalid or memory ran out.
ck_map *ck_map_create(const ck_map_desc *desc);
/// NULL is allowed.
void ck_map_destroy(ck_map *program);

/// The kernel: `params` is a ck_map. Any shape goes: elementwise, row and column reductions,
/// reductions of everything to one value. Uses ck_scratch slot 3.
void ck_map_run(const void *params, void *const *slots);

/// Runs an epilogue program on a finished block of a matrix product, rows row0 ..< row0 + rows and
/// columns col0 ..< col0 + cols of matrix `batch`, at `c` with row distance `ldc`. `params` is a
/// ck_map made with `epilogue`; its other operands are indexed by (batch, row, column). Safe inside
/// parallel regions. Uses ck_scratch slot 3.
void ck_map_epilogue(
  const void *params, void *const *slots, float *c, int64_t ldc, int64_t batch, int64_t row0,
  int64_t rows, int64_t col0, int64_t cols);

#ifdef __cplusplus
}
#endif
#endif
