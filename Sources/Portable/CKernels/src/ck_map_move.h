// Copies between strided memory and contiguous tiles.
#ifndef CK_MAP_MOVE_H
#define CK_MAP_MOVE_H

#include "ck_map_plan.h"

/// n elements of `element` bytes, `step` bytes apart.
void ck_map_pack(char *to, const char *from, int64_t step, int32_t element, int64_t n);
/// Elements begin ..< begin + n of the flattened nest, which starts at `from`.
void ck_map_pack_general(
  char *to, const char *from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n);
/// The way back. For CK_STRIDED operands `to` is the first element, for others the nest's start.
void ck_map_unpack(
  char *to, const char *from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n);
/// An iota's tile: the addresses themselves.
void ck_map_count(
  char *to, uintptr_t from, const ck_map_operand *o, const ck_nest *inner, int64_t begin, int64_t n);

#endif
