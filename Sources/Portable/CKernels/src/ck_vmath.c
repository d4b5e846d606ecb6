#include "ck_vmath.h"

#include <string.h>

// The first 256 bits of 2/pi after the binary point, behind 32 zero bits.
static const uint32_t two_over_pi[9] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
                                        0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561};

int32_t ck_reduce_pi_2(float x, float *rest) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits &= 0x7fffffff;
  int32_t exponent = (int32_t)(bits >> 23) - 150;  // |x| = mantissa * 2^exponent
  if (bits >= 0x7f800000) {
    *rest = x - x;  // NaN
    return 0;
  }
  uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
  // Bits of 2/pi of weight 2^-j with j < exponent - 1 contribute multiples of 4 and drop out. Take
  // the 96 bits from there; what is behind them adds less than 2^-70.
  int32_t start = exponent - 2 + 32;  // position in the table
  uint32_t word = (uint32_t)start / 32, shift = (uint32_t)start % 32;
  unsigned __int128 window = 0;
  for (uint32_t i = 0; i < 4; i++) {
    window = (window << 32) | (word + i < 9 ? two_over_pi[word + i] : 0);
  }
  window = (window << shift) >> 32;
  // mantissa * window counts units of 2^-94; modulo 4 that is modulo 2^96.
  unsigned __int128 product = (mantissa * window) << 32 >> 32;
  uint32_t quadrant = (uint32_t)((product + ((unsigned __int128)1 << 93)) >> 94);
  __int128 fraction = (__int128)product - (__int128)((unsigned __int128)quadrant << 94);
  *rest = (float)((double)fraction * (0x1p-94 * 0x1.921fb54442d18p+0));
  return (int32_t)(quadrant & 3);
}
