// Transposed operands. A tile runs along one dimension; an operand whose contiguous dimension is
// another one would touch a cache line per element. Such operands are staged, in two ways:
//
// Elementwise programs: loads are transposed for a block of rows along their contiguous dimension,
// into a buffer from which the rows' tiles then read in place.
// Column programs over short rows: a unit is some hundred rows, whose loads are transposed at its
// beginning and whose stores at its end; in between, tiles run across the rows.
#ifndef CK_MAP_STAGE_H
#define CK_MAP_STAGE_H

#include "ck_map_plan.h"

enum {
  CK_STAGE_ROWS = 16,   // a cache line of floats
  CK_STAGE_TILE = 256,  // 16 rows of it fill half of the first-level cache
  CK_STAGE_LONGEST = 64,  // row that is staged in column programs
};

/// Marks operands as CK_STAGED and makes their contiguous dimension the last outer one, where that
/// pays.
void ck_map_stage(ck_map *m);

/// A block of `rows` x n elements: in memory the rows' elements are neighbours and the n of a row
/// `step` bytes apart; staged, rows are `pitch` elements apart and their elements neighbours.
void ck_map_stage_fill(
  const ck_map_table *table, char *to, int64_t pitch, const char *from, int64_t step,
  int32_t element, int64_t rows, int64_t n);
void ck_map_stage_drain(
  const ck_map_table *table, char *to, int64_t step, const char *from, int64_t pitch,
  int32_t element, int64_t rows, int64_t n);

/// out[j][i] = in[i][j] for i < rows, j < columns; strides in bytes.
void ck_map_transpose(
  const ck_map_table *table, char *out, int64_t out_stride, const char *in, int64_t in_stride,
  int32_t element, int64_t rows, int64_t columns);

#endif
