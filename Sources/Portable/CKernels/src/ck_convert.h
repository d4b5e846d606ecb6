// Element conversions, the ones every storing kernel uses.
#ifndef CK_CONVERT_H
#define CK_CONVERT_H

#include "../include/ck_common.h"

/// Converts `count` contiguous elements; source and result do not overlap, or are the same memory
/// with types of the same size.
typedef void (*ck_convert_row)(const void *source, void *result, int64_t count);
ck_convert_row ck_convert_for(ck_dtype source, ck_dtype result);

/// True if converting is copying bits.
bool ck_convert_is_copy(ck_dtype source, ck_dtype result);

/// One element of `type` with value `v`, converted as float64.
typedef union {
  uint8_t u8;
  uint16_t u16;
  uint32_t u32;
  uint64_t u64;
} ck_bits;
ck_bits ck_bits_of(double v, ck_dtype type);

static inline bool ck_is_float(ck_dtype t) { return t == CK_F32 || t == CK_F16 || t == CK_BF16; }

static inline uint32_t ck_float_bits(float f) {
  union { float f; uint32_t u; } v = {.f = f};
  return v.u;
}

static inline float ck_bits_float(uint32_t u) {
  union { uint32_t u; float f; } v = {.u = u};
  return v.f;
}

static inline float ck_from_bf16(uint16_t h) { return ck_bits_float((uint32_t)h << 16); }

/// Nearest even; a NaN stays a (quiet) NaN.
static inline uint16_t ck_to_bf16(float f) {
  uint32_t u = ck_float_bits(f);
  uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
  return (uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? (u >> 16) | 0x40u : rounded);
}

/// Without float16 instructions: scaling by 2^112 gives the exponent its float32 bias and renormalises
/// subnormals in one multiplication; infinities and NaN get the maximal exponent back.
static inline float ck_from_f16(uint16_t h) {
  uint32_t magnitude = h & 0x7fffu;
  float scaled = ck_bits_float(magnitude << 13) * 0x1p112f;
  uint32_t u = magnitude >= 0x7c00u ? (magnitude << 13) | 0x7f800000u : ck_float_bits(scaled);
  return ck_bits_float(u | (uint32_t)(h & 0x8000u) << 16);
}

/// Nearest even. Below 2^-14 the sum with 0.5 leaves the subnormal's bits at the bottom of the
/// mantissa, rounded by the hardware's own addition.
static inline uint16_t ck_to_f16(float f) {
  uint32_t u = ck_float_bits(f), sign = (u >> 16) & 0x8000u;
  u &= 0x7fffffffu;
  uint32_t normal = (u - 0x38000000u + 0xfffu + ((u >> 13) & 1u)) >> 13;
  uint32_t small = ck_float_bits(ck_bits_float(u) + 0.5f) - 0x3f000000u;
  uint32_t special = u > 0x7f800000u ? 0x7e00u | ((u >> 13) & 0x3ffu) : 0x7c00u;
  uint32_t h = u < 0x38800000u ? small : u >= 0x477ff000u ? special : normal;
  return (uint16_t)(h | sign);
}

#endif
