// Transposed loads. A tile runs along one dimension; an operand whose contiguous dimension is
// another one would touch a cache line per element. Such operands are staged: for a block of rows
// along their contiguous dimension at once, transposed into a buffer from which the rows' tiles
// then read in place.
#ifndef CK_MAP_STAGE_H
#define CK_MAP_STAGE_H

#include "ck_map_plan.h"

enum {
  CK_STAGE_ROWS = 16,   // a cache line of floats
  CK_STAGE_TILE = 256,  // 16 rows of it fill half of the first-level cache
  CK_STAGE_PITCH = CK_STAGE_TILE + 16,  // so that the rows' cache sets differ
};

/// Marks operands as CK_STAGED and makes their contiguous dimension the last outer one, where that
/// pays.
void ck_map_stage(ck_map *m);

/// Rows 0 ..< rows of a block: n elements each, `step` bytes apart, neighbouring rows adjacent.
void ck_map_stage_fill(
  const ck_map_table *table, char *to, const char *from, int64_t step, int32_t element, int64_t rows,
  int64_t n);

#endif
