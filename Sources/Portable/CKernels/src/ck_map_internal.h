// What the program compiler (ck_map_plan*.c), the executor (ck_map_run.c) and the bodies per
// instruction set (ck_map_isa_body.h) share.
#ifndef CK_MAP_INTERNAL_H
#define CK_MAP_INTERNAL_H

#include "ck_map.h"

/// One operation on a tile: `n` elements from a, b, c to d. Pointers come from the location table.
typedef struct ck_uop ck_uop;
typedef void (*ck_body)(
  const ck_uop *u, void *d, const void *a, const void *b, const void *c, int64_t n);
struct ck_uop {
  ck_body body;
  uint16_t d, a, b, c;  // indices into the location table
  uint16_t single;      // runs on one element whatever the width
};

/// Which operands of a body are single elements (S) that broadcast over the tile.
enum { CK_VV = 0, CK_VS = 1, CK_SV = 2, CK_SS = 3, CK_VARIANTS = 4 };

enum { CK_MAP_OPS = 208, CK_DTYPES = 12 };

/// Pairs of instructions with a body of their own: the first, and what is done with its result.
enum {
  CK_FIRST_ADD_VV, CK_FIRST_ADD_VS, CK_FIRST_SUBTRACT_VV, CK_FIRST_SUBTRACT_VS,
  CK_FIRST_SUBTRACT_SV, CK_FIRST_MULTIPLY_VV, CK_FIRST_MULTIPLY_VS, CK_FIRSTS
};
enum {
  CK_THEN_ADD, CK_THEN_SUBTRACT, CK_THEN_SUBTRACT_FROM, CK_THEN_MULTIPLY, CK_THEN_SQUARE,
  CK_THEN_RELU, CK_THEN_EXPONENT, CK_THENS
};

/// The bodies of one instruction set. A missing body is NULL.
typedef struct {
  /// By instruction, class of the first arithmetic operand, and variant. Unary: only VV. Binary: VV,
  /// VS, SV. SELECT: the variant speaks of b and c. CLAMP: VV and SS, of b and c.
  ck_body op[CK_MAP_OPS][3][CK_VARIANTS];
  /// Contiguous memory to class and back (the class of the type; to bool from any).
  ck_body load[CK_DTYPES];
  ck_body store[CK_DTYPES];
  ck_body store_bool[3];
  ck_body round[CK_DTYPES];
  /// Copies and fills elements of 4 and 8 bytes.
  ck_body copy[2], fill[2];
  /// Reductions by op - CK_MAP_REDUCE_SUM and class: d is the state. `across` reduces the tile to
  /// one value, `lanes` accumulates tiles lane by lane.
  ck_body across[10][3], lanes[10][3];
  /// For rows of one tile of at most CK_SUM_FOLD elements: d is the result itself. Bitwise what
  /// `across` gives. f32 only.
  ck_body once[10], once_sum_of_products;
  /// f32 only: c of a chain is a tile [0] or one element [1]. sum_of_products reduces a * b, across
  /// the tile [0] or by lanes [1].
  ck_body chain[CK_FIRSTS][CK_THENS][2];
  ck_body sum_of_products[2];
  ck_body negative_absolute;
  /// out[j * out_stride + i] = in[i * in_stride + j] for i < rows, j < columns; elements of 4 bytes.
  void (*transpose4)(
    uint32_t *out, int64_t out_stride, const uint32_t *in, int64_t in_stride, int64_t rows,
    int64_t columns);
} ck_map_table;

extern const ck_map_table ck_map_table_base;
#if defined(__x86_64__)
extern const ck_map_table ck_map_table_avx2, ck_map_table_avx512;
#elif defined(__aarch64__)
extern const ck_map_table ck_map_table_neon;
#endif

const ck_map_table *ck_map_table_current(void);

// --- Reduction states.

/// Running sums of a row: element i of the row goes to partial[i % 64], which is folded into `total`
/// every 1024 elements, so the order depends neither on the tile nor on the vector length.
enum { CK_SUM_PARTIALS = 64, CK_SUM_FOLD = 1024 };
/// Rows after which a column's float sum is folded into its double total.
enum { CK_COLUMN_FOLD = 32 };

typedef struct {
  int64_t position;  // elements (lanes: rows) seen so far, counted from the start of the row
  int64_t pending;   // of these, not yet folded into the totals
  int64_t index;     // arg: of the best element
  int64_t any;       // arg, min, max: whether there is a best element
  union {
    double f64;
    float f32;
    int32_t i32;
    int64_t i64;
  } value;
  int64_t lanes;  // state of lanes: their number, and where the arrays are
  int64_t unused[2];
  // across: float partial[64]; lanes: values[lanes] (4 or 8 bytes), then double totals[lanes] for
  // float sums or int32_t indices[lanes] for arg. Each array starts at a multiple of 64 bytes.
  _Alignas(64) char data[];
} ck_reduce_state;

static inline int64_t ck_align64(int64_t n) { return (n + 63) & ~(int64_t)63; }
static inline int64_t ck_class_size(int cls) { return cls == CK_CLASS_I64 ? 8 : 4; }

static inline char *ck_state_second(ck_reduce_state *s, int cls) {
  return s->data + ck_align64(s->lanes * ck_class_size(cls));
}

/// Bytes of a state; lanes = 0 for a reduction across the tile.
int64_t ck_reduce_state_bytes(ck_map_op op, int cls, int64_t lanes);
/// `position`: where in the row this state's elements start.
void ck_reduce_init(ck_map_op op, int cls, ck_reduce_state *s, int64_t lanes, int64_t position);
/// Adds the elements of `from`, which come after those of s.
void ck_reduce_merge(ck_map_op op, int cls, ck_reduce_state *s, ck_reduce_state *from);
/// Joins `groups` groups of lanes into the first.
void ck_reduce_fold(ck_map_op op, int cls, ck_reduce_state *s, int64_t lanes, int64_t groups);
/// Writes the result (lanes of them, or one), of the class of the reduction's result.
void ck_reduce_finish(ck_map_op op, int cls, ck_reduce_state *s, void *out);

float ck_fold_partials(const float *partial);

#endif
