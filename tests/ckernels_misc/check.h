// What the kernel tests share: random strided operands and element access in float64.
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CKernels.h"

static uint64_t check_state = 88172645463325252ull;

static inline uint64_t check_random(void) {
  check_state ^= check_state << 13;
  check_state ^= check_state >> 7;
  return check_state ^= check_state << 17;
}

static inline int64_t check_below(int64_t n) { return (int64_t)(check_random() % (uint64_t)n); }
static inline int64_t check_between(int64_t a, int64_t b) { return a + check_below(b - a + 1); }
static inline double check_unit(void) { return (double)(check_random() >> 11) * 0x1p-53; }

#define CHECK(condition, ...)                                   \
  do {                                                          \
    if (!(condition)) {                                         \
      fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);           \
      fprintf(stderr, __VA_ARGS__);                             \
      fprintf(stderr, "\n");                                    \
      exit(1);                                                  \
    }                                                           \
  } while (0)

/// Small cases mostly run alone, so that the tests do not wait for threads on a busy machine.
static inline void check_threads(int round) { ck_set_num_threads(round % 8 == 0 ? 3 : 1); }

static const char *const check_names[12] = {"f32", "f16", "bf16", "i8",  "i16", "i32",
                                            "i64", "u8",  "bool", "u16", "u32", "u64"};

static inline bool check_floating(ck_dtype t) { return t <= CK_BF16; }

// Half types by their definition, independent of the kernels' bit tricks.
static inline double check_decode(uint32_t bits, int exponent_bits, int mantissa_bits) {
  int sign = (int)(bits >> (exponent_bits + mantissa_bits)) & 1;
  int exponent = (int)(bits >> mantissa_bits) & ((1 << exponent_bits) - 1);
  double mantissa = (double)(bits & ((1u << mantissa_bits) - 1));
  int bias = (1 << (exponent_bits - 1)) - 1;
  double v;
  if (exponent == (1 << exponent_bits) - 1) {
    v = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    v = ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    v = ldexp(mantissa + ldexp(1, mantissa_bits), exponent - bias - mantissa_bits);
  }
  return sign ? -v : v;
}

// The nearest (ties to even) of the finite values and infinity, by search in the ordered encodings.
static inline uint16_t check_encode(double v, int exponent_bits, int mantissa_bits) {
  int sign_bit = exponent_bits + mantissa_bits;
  uint32_t sign = signbit(v) ? 1u << sign_bit : 0, top = ((1u << exponent_bits) - 1) << mantissa_bits;
  if (isnan(v)) return (uint16_t)(sign | top | 1u << (mantissa_bits - 1));
  double a = fabs(v);
  uint32_t low = 0, high = top;
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    if (check_decode(middle, exponent_bits, mantissa_bits) <= a) low = middle; else high = middle;
  }
  if (isinf(a)) return (uint16_t)(sign | top);
  double below = check_decode(low, exponent_bits, mantissa_bits);
  double above = high == top
    ? 2 * check_decode(low, exponent_bits, mantissa_bits) - check_decode(low - 1, exponent_bits, mantissa_bits)
    : check_decode(high, exponent_bits, mantissa_bits);
  bool up = a - below > above - a || (a - below == above - a && (low & 1));
  return (uint16_t)(sign | (up ? high : low));
}

static inline double check_get(const void *base, ck_dtype t, int64_t i) {
  switch (t) {
    case CK_F32: return ((const float *)base)[i];
    case CK_F16: return check_decode(((const uint16_t *)base)[i], 5, 10);
    case CK_BF16: return check_decode(((const uint16_t *)base)[i], 8, 7);
    case CK_I8: return ((const int8_t *)base)[i];
    case CK_I16: return ((const int16_t *)base)[i];
    case CK_I32: return ((const int32_t *)base)[i];
    case CK_I64: return (double)((const int64_t *)base)[i];
    case CK_U8: case CK_BOOL: return ((const uint8_t *)base)[i];
    case CK_U16: return ((const uint16_t *)base)[i];
    case CK_U32: return ((const uint32_t *)base)[i];
    case CK_U64: return (double)((const uint64_t *)base)[i];
  }
  return 0;
}

static inline double check_clip(double v, double low, double high) {
  return isnan(v) ? 0 : v < low ? low : v > high ? high : trunc(v);
}

/// Stores `v` by the engine's conversion rules; integers come in exactly representable.
static inline void check_set(void *base, ck_dtype t, int64_t i, double v) {
  switch (t) {
    case CK_F32: ((float *)base)[i] = (float)v; break;
    case CK_F16: ((uint16_t *)base)[i] = check_encode((float)v, 5, 10); break;
    case CK_BF16: ((uint16_t *)base)[i] = check_encode((float)v, 8, 7); break;
    case CK_I8: ((int8_t *)base)[i] = (int8_t)check_clip(v, -128, 127); break;
    case CK_I16: ((int16_t *)base)[i] = (int16_t)check_clip(v, -32768, 32767); break;
    case CK_I32: ((int32_t *)base)[i] = (int32_t)check_clip(v, INT32_MIN, INT32_MAX); break;
    case CK_I64:
      ((int64_t *)base)[i] = v >= 0x1p63 ? INT64_MAX : (int64_t)check_clip(v, -0x1p63, 0x1.fffffffffffffp62);
      break;
    case CK_U8: ((uint8_t *)base)[i] = (uint8_t)check_clip(v, 0, 255); break;
    case CK_BOOL: ((uint8_t *)base)[i] = v != 0; break;
    case CK_U16: ((uint16_t *)base)[i] = (uint16_t)check_clip(v, 0, 65535); break;
    case CK_U32: ((uint32_t *)base)[i] = (uint32_t)check_clip(v, 0, UINT32_MAX); break;
    case CK_U64:
      ((uint64_t *)base)[i] = v >= 0x1p64 ? UINT64_MAX : (uint64_t)check_clip(v, 0, 0x1.fffffffffffffp63);
      break;
  }
}

/// Memory of exactly the operand's extent (so the sanitizer sees any overrun) and the operand over it.
typedef struct {
  char *memory;
  int64_t bytes;
  int64_t start;  // element that index (0, ..., 0) names
  ck_operand operand;
  int32_t rank;
  int64_t shape[CK_MAX_RANK];
} check_tensor;

typedef enum { CHECK_DENSE = 0, CHECK_ANY = 1 } check_layout;

/// `any`: dimensions in a random order, random gaps, random signs.
static inline check_tensor check_tensor_of(ck_dtype t, int32_t rank, const int64_t *shape, check_layout layout,
                                           int32_t slot) {
  check_tensor x = {.rank = rank};
  int32_t order[CK_MAX_RANK];
  for (int32_t d = 0; d < rank; d++) order[d] = d, x.shape[d] = shape[d];
  bool shuffled = layout == CHECK_ANY && check_below(3) != 0, gaps = layout == CHECK_ANY && check_below(2);
  if (shuffled) {
    for (int32_t d = rank - 1; d > 0; d--) {
      int32_t e = (int32_t)check_below(d + 1), o = order[d];
      order[d] = order[e], order[e] = o;
    }
  }
  int64_t step = gaps ? check_between(1, 2) : 1, low = 0, high = 0;
  for (int32_t k = rank - 1; k >= 0; k--) {
    int32_t d = order[k];
    bool negative = layout == CHECK_ANY && check_below(5) == 0;
    x.operand.stride[d] = negative ? -step : step;
    if (shape[d] > 0) *(negative ? &low : &high) += (shape[d] - 1) * (negative ? -step : step);
    step = step * (shape[d] > 0 ? shape[d] : 1) + (gaps ? check_below(3) : 0);
  }
  x.start = -low;
  x.bytes = (high - low + 1) * ck_size(t);
  x.memory = malloc((size_t)x.bytes);
  memset(x.memory, 0x55, (size_t)x.bytes);
  x.operand.dtype = t;
  x.operand.ref = (ck_ref){slot, x.start * ck_size(t)};
  return x;
}

static inline int64_t check_count(const check_tensor *x) {
  int64_t n = 1;
  for (int32_t d = 0; d < x->rank; d++) n *= x->shape[d];
  return n;
}

/// The element number of the row-major position `linear`.
static inline int64_t check_element(const check_tensor *x, int64_t linear) {
  int64_t e = x->start;
  for (int32_t d = x->rank - 1; d >= 0; d--) {
    e += linear % x->shape[d] * x->operand.stride[d];
    linear /= x->shape[d];
  }
  return e;
}

static inline double check_read(const check_tensor *x, int64_t linear) {
  return check_get(x->memory, x->operand.dtype, check_element(x, linear));
}

static inline void check_write(check_tensor *x, int64_t linear, double v) {
  check_set(x->memory, x->operand.dtype, check_element(x, linear), v);
}

/// Values that suit the type; floats also hold NaN, infinities and zeros of both signs if `special`.
static inline void check_fill(check_tensor *x, bool special) {
  int64_t n = check_count(x);
  ck_dtype t = x->operand.dtype;
  for (int64_t i = 0; i < n; i++) {
    double v;
    if (check_floating(t)) {
      static const double odd[6] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 1e-7};
      v = special && check_below(8) == 0 ? odd[check_below(6)] : check_unit() * 4 - 2;
      if (special && check_below(6) == 0) v = v * ldexp(1, (int)check_between(-20, 70));
    } else if (t == CK_BOOL) {
      v = (double)check_below(2);
    } else {
      v = (double)check_between(-200, 200) * (check_below(4) == 0 ? 997.0 : 1.0);
    }
    check_write(x, i, v);
  }
}

static inline void check_free(check_tensor *x) { free(x->memory); }

static inline bool check_same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

#endif
