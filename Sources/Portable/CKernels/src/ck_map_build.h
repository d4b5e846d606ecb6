// The working state of ck_map_create.
#ifndef CK_MAP_BUILD_H
#define CK_MAP_BUILD_H

#include "ck_map_plan.h"
#include "ck_threads.h"

typedef struct {
  uint8_t cls, level;
  uint8_t phase;      // reductions: in which they run; others: from which on they can be computed
  bool used, kept;
  uint32_t needs;     // phases whose tiles read it
  uint32_t computed;  // phases whose tiles compute it (stores: store it)
  uint16_t operand;   // loads and stores
  int32_t location;   // in the phase being emitted, -1: none
  int32_t filled;     // location of a tile full of this uniform value, -1: none
  int32_t buffer;     // the register it occupies, -1: none
  int32_t last_use;   // within the phase being emitted
  int32_t inside;     // the instruction that computes this value in its own pass, -1: none
  int32_t inner;      // the value that is computed inside this instruction, -1: none
  uint16_t kept_location;
} ck_build_value;

/// A buffer of one tile.
typedef struct {
  int32_t element;
  bool free, dedicated;
  int64_t offset;
} ck_build_buffer;

typedef struct {
  uint16_t location;
  int64_t bytes;
} ck_build_fixed;
typedef struct {
  uint16_t location;
  int32_t buffer;
} ck_build_placed;

typedef struct {
  ck_uop *items;
  int32_t count, capacity;
} ck_uop_list;

enum { CK_MAX_PHASES = 32 };

typedef struct {
  ck_map *m;
  const ck_map_desc *d;
  const ck_map_table *table;
  int32_t count;
  ck_build_value *v;
  int32_t *scratch_counts;  // one per instruction
  ck_uop_list setup, final, pre[CK_MAX_PHASES], body[CK_MAX_PHASES];
  ck_build_buffer *buffers;
  int32_t buffer_count, buffer_capacity;
  ck_build_fixed *fixed;
  int32_t fixed_count, fixed_capacity;
  ck_build_placed *placed;
  int32_t placed_count, placed_capacity;
  int32_t location_capacity, constant_count;
  bool failed;
} ck_builder;

bool ck_build_allocate(ck_builder *b);
bool ck_build_emit(ck_builder *b);
/// Finds the pairs of instructions that run in one pass.
void ck_build_pair(ck_builder *b);
/// The uop of an instruction that has another inside.
ck_uop ck_build_paired_uop(ck_builder *b, int32_t i, uint16_t destination);
void ck_build_release(ck_builder *b);

/// float, int32, int64, uint64: memory is the class's own representation.
bool ck_build_is_native(ck_dtype t);
bool ck_build_is_store(ck_map_op op);
bool ck_build_is_load(ck_map_op op);
int32_t ck_build_argument(const ck_map_inst *i, int k);
/// Whether `s` stores where `l` loads.
bool ck_build_is_aliased(const ck_builder *b, const ck_map_operand *s, const ck_map_operand *l);

#endif
