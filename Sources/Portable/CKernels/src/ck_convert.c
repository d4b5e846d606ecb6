#include "ck_convert.h"

#include "ck_target.h"

#if defined(__aarch64__)
#define CK_HARDWARE_F16 1
#else
#define CK_HARDWARE_F16 0
#endif
#define CK_NAME(x) x##_base
#include "ck_convert_body.h"
#undef CK_NAME
#undef CK_HARDWARE_F16

#if CK_X86
#define CK_HARDWARE_F16 1
CK_TARGET_AVX2_BEGIN
#define CK_NAME(x) x##_avx2
#include "ck_convert_body.h"
#undef CK_NAME
CK_TARGET_END
CK_TARGET_AVX512_BEGIN
#define CK_NAME(x) x##_avx512
#include "ck_convert_body.h"
#undef CK_NAME
CK_TARGET_END
#endif

ck_convert_row ck_convert_for(ck_dtype source, ck_dtype result) {
#if CK_X86
  switch (ck_isa_current()) {
    case CK_ISA_AVX512: return table_avx512[source][result];
    case CK_ISA_AVX2: return table_avx2[source][result];
    default: break;
  }
#endif
  return table_base[source][result];
}

bool ck_convert_is_copy(ck_dtype source, ck_dtype result) {
  if (source == result) return true;
  if (ck_is_float(source) || ck_is_float(result) || result == CK_BOOL) return false;
  return ck_size(source) == ck_size(result);
}

// The same limits as the loops, in float64: every float32 bound is exact here, and the 32-bit ones
// can be the true maxima.
static int64_t to_int64(double v) {
  if (!(v == v)) return 0;
  if (v >= 0x1p63) return INT64_MAX;
  return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static uint64_t to_uint64(double v) {
  if (!(v > 0)) return 0;
  return v >= 0x1p64 ? UINT64_MAX : (uint64_t)v;
}

static int64_t clamped(double v, int64_t low, int64_t high) {
  int64_t i = to_int64(v);
  return i < low ? low : i > high ? high : i;
}

ck_bits ck_bits_of(double v, ck_dtype type) {
  ck_bits b = {.u64 = 0};
  switch (type) {
    case CK_F32: b.u32 = ck_float_bits((float)v); break;
    case CK_F16: b.u16 = ck_to_f16((float)v); break;
    case CK_BF16: b.u16 = ck_to_bf16((float)v); break;
    case CK_I8: b.u8 = (uint8_t)clamped(v, INT8_MIN, INT8_MAX); break;
    case CK_I16: b.u16 = (uint16_t)clamped(v, INT16_MIN, INT16_MAX); break;
    case CK_I32: b.u32 = (uint32_t)clamped(v, INT32_MIN, INT32_MAX); break;
    case CK_I64: b.u64 = (uint64_t)to_int64(v); break;
    case CK_U8: b.u8 = (uint8_t)clamped(v, 0, UINT8_MAX); break;
    case CK_BOOL: b.u8 = v != 0; break;
    case CK_U16: b.u16 = (uint16_t)clamped(v, 0, UINT16_MAX); break;
    case CK_U32: b.u32 = (uint32_t)clamped(v, 0, UINT32_MAX); break;
    case CK_U64: b.u64 = to_uint64(v); break;
  }
  return b;
}
