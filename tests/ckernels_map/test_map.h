// What the parts of the test program share.
#ifndef TEST_MAP_H
#define TEST_MAP_H

#include "CKernels.h"

extern int failures, checks;

void fail(const char *what, const char *detail);
ck_map_inst op(ck_map_op o, int a, int b, int c);
ck_map_inst imm(ck_map_op o, int a, int64_t i);
/// The distance in units of the last place.
double ulps(float got, float want);
/// Creates a program, runs it and destroys it.
void run(const char *what, const ck_map_desc *d, void *const *slots);

/// The most units that an instruction may be off by.
double bound_of(ck_map_op o);

/// Every `step`th float32 bit pattern through each transcendental function.
void test_accuracy(uint32_t step);
void test_power(void);

#endif
