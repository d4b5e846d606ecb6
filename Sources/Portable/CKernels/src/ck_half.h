// Scalar conversions of the half types. Bit arithmetic: they must work without F16C.
#ifndef CK_HALF_H
#define CK_HALF_H

#include <stdint.h>
#include <string.h>

static inline float ck_bits_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static inline uint32_t ck_float_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  return bits;
}

static inline float ck_from_bf16(uint16_t h) { return ck_bits_float((uint32_t)h << 16); }

static inline uint16_t ck_to_bf16(float f) {
  uint32_t bits = ck_float_bits(f);
  // A NaN whose payload is in the low half must not round to infinity.
  if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float ck_from_f16(uint16_t h) {
  uint32_t sign = (uint32_t)(h & 0x8000) << 16;
  uint32_t magnitude = h & 0x7fff;
  // Multiplying by 2^112 rebases the exponent and normalises subnormals in one go.
  if (magnitude < 0x7c00)
    return ck_bits_float(sign | ck_float_bits(ck_bits_float(magnitude << 13) * 0x1p112f));
  uint32_t quiet = magnitude > 0x7c00 ? 0x400000 : 0;
  return ck_bits_float(sign | 0x7f800000 | quiet | (magnitude & 0x3ff) << 13);
}

static inline uint16_t ck_to_f16(float f) {
  uint32_t bits = ck_float_bits(f);
  uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00 | (magnitude >> 13 & 0x1ff));
  if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00);  // 65520 and more round to inf
  // Below 2^-14 the result is subnormal: adding 0.5 lets the adder round at its last place.
  if (magnitude < 0x38800000) {
    uint32_t r = ck_float_bits(ck_bits_float(magnitude) + 0.5f) - ck_float_bits(0.5f);
    return (uint16_t)(sign | r);
  }
  uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1) - (112u << 23);
  return (uint16_t)(sign | rounded >> 13);
}

#endif
