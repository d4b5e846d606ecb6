// An independent evaluation of programs, one element at a time, in double and int64.
#ifndef REFERENCE_H
#define REFERENCE_H

#include "CKernels.h"

typedef union {
  float f;
  int64_t i;
} cell;

/// Result of an arithmetic instruction (one rounding from double for f32). `cls`: of the operands.
cell reference_op(const ck_map_inst *inst, ck_class cls, cell a, cell b, cell c);
/// Runs a program on `slots`; stores go there too.
void reference_run(const ck_map_desc *d, void *const *slots);

cell reference_load(ck_dtype t, const void *p);
void reference_store(ck_dtype t, ck_class cls, void *p, cell x);
ck_class reference_class(const ck_map_desc *d, int inst);

float half_to_float(uint16_t h);
uint16_t float_to_half(float f);
uint16_t float_to_bf16(float f);

#endif
