// Accuracy of the vector mathematics, for readers; the functions themselves are in ck_vmath_body.h and
// exist once per instruction set.
//
//   exp, tanh, sigmoid, erf                       float arithmetic with fused multiply-add, <= 2 ULP
//   exp2, log, sin, cos, tan                      the same, <= 4 ULP (measured: below 2)
//   exp10, log2, log10, sinh, cosh, asin, acos,
//   atan, atan2, asinh, acosh, atanh, pow         double arithmetic inside, <= 1 ULP
//
// over all float32 inputs: denormals are neither flushed on input nor on output, infinities, NaN and
// signed zeros follow C99. sin, cos and tan reduce arguments of any size exactly. pow of exactly
// representable results (2^3, (-2)^3, 0.25^0.5) is exact.
//
// All instruction sets run the same operations in the same order, so they give the same bits, except
// the x86-64 baseline, which has no fused multiply-add and goes through double (another last bit
// about once in 2^29 operations).
#ifndef CK_VMATH_H
#define CK_VMATH_H

#include <math.h>
#include <stdint.h>

/// |x| modulo pi/2 for large finite x: the quadrant (0 ... 3) and the rest in [-pi/4, pi/4].
int32_t ck_reduce_pi_2(float x, float *rest);

#endif
