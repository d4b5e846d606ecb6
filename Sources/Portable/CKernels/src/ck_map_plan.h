// A compiled program: what ck_map_create makes and ck_map_run reads.
#ifndef CK_MAP_PLAN_H
#define CK_MAP_PLAN_H

#include "ck_map_internal.h"

/// How an operand's elements of one tile lie in memory.
typedef enum {
  CK_DIRECT,   // contiguous: used in place
  CK_STRIDED,  // one stride: copied to and from a contiguous buffer
  CK_GENERAL,  // several dimensions: the same, with an odometer
  CK_STAGED,   // transposed a block at a time; see ck_map_stage.h
} ck_access;

/// A value is the same for all elements, one per lane of a column, or one per element.
typedef enum { CK_SINGLE = 0, CK_PER_LANE = 1, CK_PER_ELEMENT = 2 } ck_level;

/// A loop nest; `stride` arrays of operands run parallel to `dims`.
typedef struct {
  int32_t rank;
  int64_t dims[CK_MAX_RANK];
  int64_t count;
} ck_nest;

enum { CK_MAX_INSTRUCTIONS = 4096 };

/// The slot of the block of C in epilogue programs, and of iotas, whose "address" is the index.
enum { CK_SLOT_ACCUMULATOR = -1, CK_SLOT_IOTA = -2 };

typedef struct {
  int32_t slot;
  int32_t source;  // the description's operand or, for an iota, dimension
  int64_t offset;  // bytes
  int32_t element;  // bytes
  ck_dtype dtype;
  ck_access access;
  ck_level level;
  bool store;
  bool periodic;  // every tile holds the same elements
  uint16_t location;
  int64_t buffer;  // of its tile (CK_STAGED: block) in scratch, for all but CK_DIRECT
  int64_t step;    // bytes from one element of the tile to the next; CK_GENERAL: unused
  // Byte strides.
  int64_t outer[CK_MAX_RANK], segment[CK_MAX_RANK], inner[CK_MAX_RANK];
} ck_map_operand;

typedef struct {
  ck_map_op op;
  int cls;                 // of what is reduced
  int32_t element;         // bytes of a result
  uint16_t state, result;  // locations
  int32_t uop;             // the one that accumulates
} ck_map_reduction;

/// A value kept for the whole row: the location follows the tile.
typedef struct {
  uint16_t location;
  int64_t offset;  // in scratch
  int32_t element;
} ck_map_kept;

typedef struct {
  int32_t pre, pre_count;      // uops on uniform values
  int32_t body, body_count;    // uops on tiles
  int32_t use, use_count;      // indices into `uses`: operands of the tiles
  int32_t kept, kept_count;    // indices into `keeps`
  int32_t reduction, reduction_count;
} ck_map_phase;

/// A location: a constant, a fixed place in scratch, or one that follows the tile.
typedef enum { CK_AT_CONSTANT, CK_AT_SCRATCH, CK_AT_MOVING } ck_place;
typedef struct {
  ck_place place;
  int64_t offset;
} ck_map_location;

struct ck_map {
  // Epilogues: the program that runs along the rows, for blocks of one contiguous column.
  struct ck_map *along_rows;
  // The row is segments x inner; tiles of up to `tile` elements run along inner. With `column`,
  // inner is a block of kept positions (lanes) and the segments are what is reduced.
  ck_nest outer, segment, inner;
  bool column, epilogue, split, empty, staged;
  // A row is one tile whose reductions need no state: the uops after the setup, in a line.
  bool flat;
  int64_t tile, tiles_per_segment;
  int64_t blocks;  // column: of `tile` lanes, per outer index; else 1
  // Columns too few to fill a tile: a tile takes `fold` neighbouring segments, whose partial results
  // are joined at the end. The last segment dimension counts such groups; it had `folded` segments.
  int64_t fold, folded;
  int64_t scratch_bytes;
  double cost;  // nanoseconds per element

  int32_t operand_count, phase_count, uop_count, setup_count;
  int32_t location_count, reduction_count, use_count, kept_count;
  int32_t final, final_count;  // uops that store uniform values, after the last phase
  int32_t uniform_count;       // operands in `uniforms`
  ck_map_operand *operands;
  ck_map_phase *phases;
  ck_uop *uops;  // setup first
  ck_map_location *locations;
  ck_map_reduction *reductions;
  uint16_t *uses, *uniforms;
  ck_map_kept *keeps;
  int64_t *constants;
};

/// Distance of a staged block's rows, in elements.
int64_t ck_map_stage_pitch(const ck_map *m);

/// Uop widths (ck_uop.single).
enum { CK_WIDTH_TILE = 0, CK_WIDTH_ONE = 1, CK_WIDTH_FULL = 2 };

/// Distributes the dimensions over the three nests and fills the operands' strides.
void ck_map_shape(ck_map *m, const ck_map_desc *desc);

bool ck_map_is_reduction(ck_map_op op);
bool ck_map_is_binary(ck_map_op op);
bool ck_map_is_unary(ck_map_op op);
int ck_map_operand_count_of(ck_map_op op);
ck_class ck_map_result_class(const ck_map_inst *i, ck_class a, ck_class b, const ck_operand *operands);

#endif
