// Bodies of the instructions: loops over a tile around expressions of vectors.

#define E_f32 float
#define E_i32 int32_t
#define E_i64 int64_t
#define E_u16 uint16_t
#define E_i16 int16_t
#define E_u8 uint8_t
#define E_i8 int8_t
#define E_u32 uint32_t

V_INLINE v_u32 v_load_u32(const void *p) { return (v_u32)v_load_i32(p); }
V_INLINE v_u32 v_load_n_u32(const void *p, int64_t n) { return (v_u32)v_load_n_i32(p, n); }
V_INLINE void v_store_u32(void *p, v_u32 v) { v_store_i32(p, (v_i32)v); }
V_INLINE void v_store_n_u32(void *p, v_u32 v, int64_t n) { v_store_n_i32(p, (v_i32)v, n); }

#define ARGUMENTS                                                                               \
  const ck_uop *u, void *d, const void *a, const void *b, const void *c, int64_t n
#define USE_ARGUMENTS (void)u, (void)d, (void)a, (void)b, (void)c, (void)n
#define AT(T, p) ((const E_##T *)(p) + i)
#define AT_D(T) ((E_##T *)d + i)

// SETUP runs once, GET(load) makes x, y, z from memory with `load` or its partial form.
#define LOOP(TD, SETUP, GET, EXPR)                                                              \
  {                                                                                             \
    USE_ARGUMENTS;                                                                              \
    int64_t i = 0;                                                                              \
    SETUP;                                                                                      \
    for (; i + CK_VW <= n; i += CK_VW) {                                                        \
      GET(FULL);                                                                                \
      v_store_##TD(AT_D(TD), (EXPR));                                                           \
    }                                                                                           \
    if (i < n) {                                                                                \
      int64_t k = n - i;                                                                        \
      GET(PART);                                                                                \
      v_store_n_##TD(AT_D(TD), (EXPR), k);                                                      \
    }                                                                                           \
  }
// The same with the expression compiled once, for those that are long.
#define LOOP_ONCE(TD, SETUP, GET, EXPR)                                                         \
  {                                                                                             \
    USE_ARGUMENTS;                                                                              \
    SETUP;                                                                                      \
    for (int64_t i = 0; i < n; i += CK_VW) {                                                    \
      int64_t k = n - i;                                                                        \
      GET(EITHER);                                                                              \
      if (__builtin_expect(k >= CK_VW, 1)) {                                                    \
        v_store_##TD(AT_D(TD), (EXPR));                                                         \
      } else {                                                                                  \
        v_store_n_##TD(AT_D(TD), (EXPR), k);                                                    \
      }                                                                                         \
    }                                                                                           \
  }
#define FULL(T, p) v_load_##T(AT(T, p))
#define PART(T, p) v_load_n_##T(AT(T, p), k)
#define EITHER(T, p) (__builtin_expect(k >= CK_VW, 1) ? FULL(T, p) : PART(T, p))
#define ONE(T, p) v_splat_##T(*(const E_##T *)(p))

#define UNARY(NAME, TA, TD, EXPR)                                                               \
  static void NAME(ARGUMENTS) LOOP(TD, , GET_X_##TA, EXPR)
#define UNARY_ONCE(NAME, FUNCTION)                                                              \
  static void NAME(ARGUMENTS) {                                                                 \
    USE_ARGUMENTS;                                                                              \
    for (int64_t i = 0; i < n; i += CK_VW) {                                                    \
      int64_t k = n - i;                                                                        \
      v_f32 x = EITHER(f32, a);                                                                 \
      x = FUNCTION(x);                                                                          \
      if (__builtin_expect(k >= CK_VW, 1)) {                                                    \
        v_store_f32(AT_D(f32), x);                                                              \
      } else {                                                                                  \
        v_store_n_f32(AT_D(f32), x, k);                                                         \
      }                                                                                         \
    }                                                                                           \
  }
#define GET_NOTHING(L)
#define GET_X_f32(L) v_f32 x = L(f32, a)
#define GET_X_i32(L) v_i32 x = L(i32, a)
#define GET_X_i64(L) v_i64 x = L(i64, a)
#define GET_X_u16(L) v_u16 x = L(u16, a)
#define GET_X_i16(L) v_i16 x = L(i16, a)
#define GET_X_u8(L) v_u8 x = L(u8, a)
#define GET_X_i8(L) v_i8 x = L(i8, a)
#define GET_X_u32(L) v_u32 x = L(u32, a)

#define GET_VV_f32(L) v_f32 x = L(f32, a), y = L(f32, b)
#define GET_VV_i32(L) v_i32 x = L(i32, a), y = L(i32, b)
#define GET_VV_i64(L) v_i64 x = L(i64, a), y = L(i64, b)
#define GET_Y_f32(L) v_f32 y = L(f32, b)
#define GET_Y_i32(L) v_i32 y = L(i32, b)
#define GET_Y_i64(L) v_i64 y = L(i64, b)

#define BINARY(NAME, T, TD, EXPR)                                                               \
  static void NAME##_vv(ARGUMENTS) LOOP(TD, , GET_VV_##T, EXPR)                                 \
  static void NAME##_vs(ARGUMENTS) LOOP(TD, v_##T y = ONE(T, b), GET_X_##T, EXPR)               \
  static void NAME##_sv(ARGUMENTS) LOOP(TD, v_##T x = ONE(T, a), GET_Y_##T, EXPR)
#define BINARY_LONG(NAME, T, FUNCTION)                                                          \
  static void NAME##_vv(ARGUMENTS) {                                                            \
    USE_ARGUMENTS;                                                                              \
    for (int64_t i = 0; i < n; i += CK_VW) {                                                    \
      int64_t k = n - i;                                                                        \
      v_##T x = EITHER(T, a), y = EITHER(T, b);                                                 \
      x = FUNCTION(x, y);                                                                       \
      if (k >= CK_VW) {                                                                         \
        v_store_##T(AT_D(T), x);                                                                \
      } else {                                                                                  \
        v_store_n_##T(AT_D(T), x, k);                                                           \
      }                                                                                         \
    }                                                                                           \
  }

// Comparison masks as 0 or 1.
#define BIT(m) (-(m))
#define BIT64(m) v_narrow(-(m))
#define F32_BITS(x) ((v_i32)(x))

// --- float32

UNARY(f_negative, f32, f32, (v_f32)(F32_BITS(x) ^ INT32_MIN))
UNARY(f_absolute, f32, f32, v_abs(x))
UNARY(f_sign, f32, f32, v_sel(x > 0, S(1), v_sel(x < 0, S(-1), v_sel(x == 0, x, S(0)))))
UNARY(f_signbit, f32, i32, BIT(F32_BITS(x) >> 31))
UNARY(f_square, f32, f32, x * x)
UNARY(f_square_root, f32, f32, v_sqrt(x))
UNARY(f_reciprocal_square_root, f32, f32, 1.0f / v_sqrt(x))
UNARY(f_reciprocal, f32, f32, 1.0f / x)
UNARY_ONCE(f_exponent, vm_exp)
UNARY_ONCE(f_exponent_base2, vm_exp2)
UNARY_ONCE(f_exponent_base10, vm_exp10)
UNARY_ONCE(f_logarithm, vm_log)
UNARY_ONCE(f_logarithm_base2, vm_log2)
UNARY_ONCE(f_logarithm_base10, vm_log10)
UNARY_ONCE(f_sin, vm_sin)
UNARY_ONCE(f_cos, vm_cos)
UNARY_ONCE(f_tan, vm_tan)
UNARY_ONCE(f_sinh, vm_sinh)
UNARY_ONCE(f_cosh, vm_cosh)
UNARY_ONCE(f_tanh, vm_tanh)
UNARY_ONCE(f_asin, vm_asin)
UNARY_ONCE(f_acos, vm_acos)
UNARY_ONCE(f_atan, vm_atan)
UNARY_ONCE(f_asinh, vm_asinh)
UNARY_ONCE(f_acosh, vm_acosh)
UNARY_ONCE(f_atanh, vm_atanh)
UNARY_ONCE(f_erf, vm_erf)
UNARY_ONCE(f_sigmoid, vm_sigmoid)
UNARY(f_ceil, f32, f32, v_ceil(x))
UNARY(f_floor, f32, f32, v_floor(x))
UNARY(f_rint, f32, f32, v_rint(x))
UNARY(f_truncate, f32, f32, v_trunc(x))
// trunc(x + half) with the half just below 0.5, so that 0.49999997 does not round up; numbers from
// 2^23 on are integers already.
UNARY(f_round_away, f32, f32,
  v_sel(v_abs(x) < 0x1p23f, v_opaque(v_copysign(v_trunc(v_abs(x) + 0x1.fffffep-2f), x)), x))
UNARY(f_not, f32, i32, BIT(x == 0))
UNARY(f_is_infinite, f32, i32, BIT(v_abs(x) == INFINITY))
UNARY(f_is_finite, f32, i32, BIT(v_abs(x) < INFINITY))
UNARY(f_is_nan, f32, i32, BIT(x != x))
UNARY(f_relu, f32, f32, v_sel(x < 0, S(0), x))
UNARY(f_to_bool, f32, i32, BIT(x != 0))
UNARY(f_to_i32, f32, i32, v_f32_to_i32(x))
UNARY(f_to_i64, f32, i64, v_f32_to_i64(x))

BINARY(f_add, f32, f32, x + y)
BINARY(f_subtract, f32, f32, x - y)
BINARY(f_multiply, f32, f32, x *y)
BINARY(f_divide, f32, f32, x / y)
BINARY(f_divide_no_nan, f32, f32, (v_f32)(F32_BITS(x / y) & (y != 0)))
BINARY_LONG(f_modulo, f32, vm_fmod)
BINARY_LONG(f_floor_modulo, f32, vm_floor_mod)
BINARY_LONG(f_power, f32, vm_pow)
BINARY_LONG(f_atan2, f32, vm_atan2)
BINARY(f_minimum, f32, f32, v_sel((x < y) | v_nan(y), x, y))
BINARY(f_maximum, f32, f32, v_sel((x > y) | v_nan(y), x, y))
BINARY(f_minimum_nan, f32, f32, v_sel((x < y) | v_nan(x), x, y))
BINARY(f_maximum_nan, f32, f32, v_sel((x > y) | v_nan(x), x, y))
BINARY(f_equal, f32, i32, BIT(x == y))
BINARY(f_not_equal, f32, i32, BIT(x != y))
BINARY(f_less, f32, i32, BIT(x < y))
BINARY(f_less_equal, f32, i32, BIT(x <= y))
BINARY(f_greater, f32, i32, BIT(x > y))
BINARY(f_greater_equal, f32, i32, BIT(x >= y))
BINARY(f_and, f32, i32, BIT((x != 0) & (y != 0)))
BINARY(f_or, f32, i32, BIT((x != 0) | (y != 0)))
BINARY(f_nand, f32, i32, BIT(~((x != 0) & (y != 0))))
BINARY(f_nor, f32, i32, BIT(~((x != 0) | (y != 0))))
BINARY(f_xor, f32, i32, BIT((x != 0) ^ (y != 0)))
BINARY(f_xnor, f32, i32, BIT(~((x != 0) ^ (y != 0))))

// --- Integers: one text for both classes; BIT_OF turns a mask into an i32 bool.

V_INLINE v_i32 v_popcount_i32(v_i32 s) {
  v_u32 x = (v_u32)s;
  x = x - ((x >> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >> 2) & 0x33333333);
  x = (x + (x >> 4)) & 0x0f0f0f0f;
  x = x + (x >> 8);
  return (v_i32)((x + (x >> 16)) & 0x3f);
}
V_INLINE v_i64 v_popcount_i64(v_i64 s) {
  v_u64 x = (v_u64)s;
  x = x - ((x >> 1) & 0x5555555555555555u);
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  x = x + (x >> 8);
  x = x + (x >> 16);
  return (v_i64)((x + (x >> 32)) & 0x7f);
}

#define INTEGER_FUNCTIONS(T, E, U, VU)                                                          \
  V_INLINE v_##T v_div_##T(v_##T x, v_##T y) {                                                  \
    E p[CK_VW], q[CK_VW];                                                                       \
    memcpy(p, &x, sizeof x);                                                                    \
    memcpy(q, &y, sizeof y);                                                                    \
    for (int i = 0; i < CK_VW; i++) {                                                           \
      p[i] = q[i] == 0 ? 0 : q[i] == -1 ? (E)(0 - (U)p[i]) : (E)(p[i] / q[i]);                  \
    }                                                                                           \
    memcpy(&x, p, sizeof x);                                                                    \
    return x;                                                                                   \
  }                                                                                             \
  V_INLINE v_##T v_mod_##T(v_##T x, v_##T y) {                                                  \
    E p[CK_VW], q[CK_VW];                                                                       \
    memcpy(p, &x, sizeof x);                                                                    \
    memcpy(q, &y, sizeof y);                                                                    \
    for (int i = 0; i < CK_VW; i++) p[i] = q[i] == 0 || q[i] == -1 ? 0 : (E)(p[i] % q[i]);      \
    memcpy(&x, p, sizeof x);                                                                    \
    return x;                                                                                   \
  }                                                                                             \
  V_INLINE v_##T v_floor_mod_##T(v_##T x, v_##T y) {                                            \
    v_##T r = v_mod_##T(x, y);                                                                  \
    return r + (y & (r != 0) & ((r ^ y) < 0));                                                  \
  }                                                                                             \
  V_INLINE v_##T v_pow_##T(v_##T x, v_##T y) {                                                  \
    E p[CK_VW], q[CK_VW];                                                                       \
    memcpy(p, &x, sizeof x);                                                                    \
    memcpy(q, &y, sizeof y);                                                                    \
    for (int i = 0; i < CK_VW; i++) {                                                           \
      U base = (U)p[i], r = 1;                                                                  \
      if (q[i] < 0) {                                                                           \
        r = p[i] == 1 ? 1 : p[i] == -1 ? ((q[i] & 1) ? (U)-1 : 1) : 0;                          \
      } else {                                                                                  \
        for (U e = (U)q[i]; e; e >>= 1, base *= base) r *= (e & 1) ? base : 1;                  \
      }                                                                                         \
      p[i] = (E)r;                                                                              \
    }                                                                                           \
    memcpy(&x, p, sizeof x);                                                                    \
    return x;                                                                                   \
  }                                                                                             \
  V_INLINE v_##T v_shl_##T(v_##T x, v_##T y) {                                                  \
    VU in = (VU)((VU)y < (U)(8 * sizeof(E))), s = (VU)y & (U)(8 * sizeof(E) - 1);               \
    return (v_##T)(((VU)x << s) & in);                                                          \
  }                                                                                             \
  V_INLINE v_##T v_shr_##T(v_##T x, v_##T y) {                                                  \
    v_##T in = (v_##T)((VU)y < (U)(8 * sizeof(E))), last = v_splat_##T(8 * sizeof(E) - 1);           \
    return x >> ((y & in) | (last & ~in));                                                      \
  }

#define INTEGER_BODIES(P, T, E, VU, BIT_OF)                                                     \
  UNARY(P##_negative, T, T, (v_##T)(-(VU)x))                                                    \
  UNARY(P##_absolute, T, T, (v_##T)(((VU)x ^ (VU)(x < 0)) - (VU)(x < 0)))                       \
  UNARY(P##_sign, T, T, (x < 0) - (x > 0))                                                      \
  UNARY(P##_signbit, T, i32, BIT_OF(x < 0))                                                     \
  UNARY(P##_square, T, T, (v_##T)((VU)x * (VU)x))                                               \
  UNARY(P##_reciprocal, T, T, x &((x == 1) | (x == -1)))                                        \
  UNARY(P##_not, T, i32, BIT_OF(x == 0))                                                        \
  UNARY(P##_bitwise_not, T, T, ~x)                                                              \
  UNARY(P##_population_count, T, T, v_popcount_##T(x))                                          \
  UNARY(P##_is_finite, T, i32, BIT_OF(x == x))                                                  \
  UNARY(P##_is_nan, T, i32, BIT_OF(x != x))                                                     \
  UNARY(P##_relu, T, T, x & ~(x < 0))                                                           \
  UNARY(P##_to_bool, T, i32, BIT_OF(x != 0))                                                    \
  UNARY(P##_to_f32, T, f32, __builtin_convertvector(x, v_f32))                                  \
  BINARY(P##_add, T, T, (v_##T)((VU)x + (VU)y))                                                 \
  BINARY(P##_subtract, T, T, (v_##T)((VU)x - (VU)y))                                            \
  BINARY(P##_multiply, T, T, (v_##T)((VU)x * (VU)y))                                            \
  BINARY_LONG(P##_divide, T, v_div_##T)                                                         \
  BINARY_LONG(P##_modulo, T, v_mod_##T)                                                         \
  BINARY_LONG(P##_floor_modulo, T, v_floor_mod_##T)                                             \
  BINARY_LONG(P##_power, T, v_pow_##T)                                                          \
  BINARY(P##_minimum, T, T, v_sel_##T(x < y, x, y))                                             \
  BINARY(P##_maximum, T, T, v_sel_##T(x > y, x, y))                                             \
  BINARY(P##_equal, T, i32, BIT_OF(x == y))                                                     \
  BINARY(P##_not_equal, T, i32, BIT_OF(x != y))                                                 \
  BINARY(P##_less, T, i32, BIT_OF(x < y))                                                       \
  BINARY(P##_less_equal, T, i32, BIT_OF(x <= y))                                                \
  BINARY(P##_greater, T, i32, BIT_OF(x > y))                                                    \
  BINARY(P##_greater_equal, T, i32, BIT_OF(x >= y))                                             \
  BINARY(P##_and, T, i32, BIT_OF((x != 0) & (y != 0)))                                          \
  BINARY(P##_or, T, i32, BIT_OF((x != 0) | (y != 0)))                                           \
  BINARY(P##_nand, T, i32, BIT_OF(~((x != 0) & (y != 0))))                                      \
  BINARY(P##_nor, T, i32, BIT_OF(~((x != 0) | (y != 0))))                                       \
  BINARY(P##_xor, T, i32, BIT_OF((x != 0) ^ (y != 0)))                                          \
  BINARY(P##_xnor, T, i32, BIT_OF(~((x != 0) ^ (y != 0))))                                      \
  BINARY(P##_bit_and, T, T, x &y)                                                               \
  BINARY(P##_bit_or, T, T, x | y)                                                               \
  BINARY(P##_bit_xor, T, T, x ^ y)                                                              \
  BINARY(P##_shift_left, T, T, v_shl_##T(x, y))                                                 \
  BINARY(P##_shift_right, T, T, v_shr_##T(x, y))

INTEGER_FUNCTIONS(i32, int32_t, uint32_t, v_u32)
INTEGER_FUNCTIONS(i64, int64_t, uint64_t, v_u64)
INTEGER_BODIES(i, i32, int32_t, v_u32, BIT)
INTEGER_BODIES(l, i64, int64_t, v_u64, BIT64)

UNARY(i_is_infinite, i32, i32, x ^ x)
UNARY(l_is_infinite, i64, i32, v_narrow(x ^ x))
UNARY(i_to_i64, i32, i64, v_widen(x))
UNARY(l_to_i32, i64, i32, v_narrow(x))

// --- Ternary: condition or clamped value in a.

#define SELECT(P, T, MASK, SELECT_T)                                                            \
  static void P##_select_vv(ARGUMENTS)                                                          \
    LOOP(T, , GET_SELECT_VV_##T, SELECT_T(MASK(x), y, z))                                       \
  static void P##_select_vs(ARGUMENTS)                                                          \
    LOOP(T, v_##T z = ONE(T, c), GET_SELECT_VS_##T, SELECT_T(MASK(x), y, z))                    \
  static void P##_select_sv(ARGUMENTS)                                                          \
    LOOP(T, v_##T y = ONE(T, b), GET_SELECT_SV_##T, SELECT_T(MASK(x), y, z))                    \
  static void P##_select_ss(ARGUMENTS)                                                          \
    LOOP(T, v_##T y = ONE(T, b); v_##T z = ONE(T, c), GET_X_i32, SELECT_T(MASK(x), y, z))
#define GET_SELECT_VV(T, L) v_i32 x = L(i32, a); v_##T y = L(T, b), z = L(T, c)
#define GET_SELECT_VS(T, L) v_i32 x = L(i32, a); v_##T y = L(T, b)
#define GET_SELECT_SV(T, L) v_i32 x = L(i32, a); v_##T z = L(T, c)
#define GET_SELECT_VV_f32(L) GET_SELECT_VV(f32, L)
#define GET_SELECT_VS_f32(L) GET_SELECT_VS(f32, L)
#define GET_SELECT_SV_f32(L) GET_SELECT_SV(f32, L)
#define GET_SELECT_VV_i32(L) GET_SELECT_VV(i32, L)
#define GET_SELECT_VS_i32(L) GET_SELECT_VS(i32, L)
#define GET_SELECT_SV_i32(L) GET_SELECT_SV(i32, L)
#define GET_SELECT_VV_i64(L) GET_SELECT_VV(i64, L)
#define GET_SELECT_VS_i64(L) GET_SELECT_VS(i64, L)
#define GET_SELECT_SV_i64(L) GET_SELECT_SV(i64, L)
#define MASK32(x) ((x) != 0)
#define MASK64(x) v_widen((x) != 0)
SELECT(f, f32, MASK32, v_sel)
SELECT(i, i32, MASK32, v_sel_i32)
SELECT(l, i64, MASK64, v_sel_i64)

#define CLAMP(P, T, EXPR)                                                                       \
  static void P##_vv(ARGUMENTS) LOOP(T, , GET_XYZ_##T, EXPR)                                    \
  static void P##_ss(ARGUMENTS)                                                                 \
    LOOP(T, v_##T y = ONE(T, b); v_##T z = ONE(T, c), GET_X_##T, EXPR)
#define GET_XYZ_f32(L) v_f32 x = L(f32, a), y = L(f32, b), z = L(f32, c)
#define GET_XYZ_i32(L) v_i32 x = L(i32, a), y = L(i32, b), z = L(i32, c)
#define GET_XYZ_i64(L) v_i64 x = L(i64, a), y = L(i64, b), z = L(i64, c)
V_INLINE v_f32 v_clamp(v_f32 x, v_f32 low, v_f32 high) {
  x = v_sel(x < low, low, x);
  return v_sel(x > high, high, x);
}
V_INLINE v_f32 v_clamp_nan(v_f32 x, v_f32 low, v_f32 high) {
  x = v_sel((x < low) | v_nan(low), low, x);
  return v_sel((x > high) | v_nan(high), v_sel(v_nan(x), x, high), x);
}
V_INLINE v_i32 v_clamp_i32(v_i32 x, v_i32 low, v_i32 high) {
  x = v_sel_i32(x < low, low, x);
  return v_sel_i32(x > high, high, x);
}
V_INLINE v_i64 v_clamp_i64(v_i64 x, v_i64 low, v_i64 high) {
  x = v_sel_i64(x < low, low, x);
  return v_sel_i64(x > high, high, x);
}
CLAMP(f_clamp, f32, v_clamp(x, y, z))
CLAMP(f_clamp_nan, f32, v_clamp_nan(x, y, z))
CLAMP(i_clamp, i32, v_clamp_i32(x, y, z))
CLAMP(l_clamp, i64, v_clamp_i64(x, y, z))

// --- Memory types.

UNARY(load_f16, u16, f32, v_from_f16(x))
UNARY(load_bf16, u16, f32, v_from_bf16(x))
UNARY(load_i8, i8, i32, __builtin_convertvector(x, v_i32))
UNARY(load_u8, u8, i32, __builtin_convertvector(x, v_i32))
UNARY(load_bool, u8, i32, BIT(__builtin_convertvector(x, v_i32) != 0))
UNARY(load_i16, i16, i32, __builtin_convertvector(x, v_i32))
UNARY(load_u16, u16, i32, __builtin_convertvector(x, v_i32))
UNARY(load_u32, u32, i64, __builtin_convertvector(x, v_i64))
UNARY(store_f16, f32, u16, v_to_f16(x))
UNARY(store_bf16, f32, u16, v_to_bf16(x))
UNARY(store_8, i32, u8, __builtin_convertvector((v_u32)x, v_u8))
UNARY(store_16, i32, u16, __builtin_convertvector((v_u32)x, v_u16))
UNARY(store_u32, i64, u32, __builtin_convertvector((v_u64)x, v_u32))
UNARY(store_bool_f, f32, u8, __builtin_convertvector((v_u32)BIT(x != 0), v_u8))
UNARY(store_bool_i, i32, u8, __builtin_convertvector((v_u32)BIT(x != 0), v_u8))
UNARY(store_bool_l, i64, u8, __builtin_convertvector((v_u32)BIT64(x != 0), v_u8))
UNARY(round_f16, f32, f32, v_from_f16(v_to_f16(x)))
UNARY(round_bf16, f32, f32, v_from_bf16(v_to_bf16(x)))
UNARY(round_i8, i32, i32, (v_i32)((v_u32)x << 24) >> 24)
UNARY(round_u8, i32, i32, x & 0xff)
UNARY(round_i16, i32, i32, (v_i32)((v_u32)x << 16) >> 16)
UNARY(round_u16, i32, i32, x & 0xffff)
UNARY(round_u32, i64, i64, x & 0xffffffff)
UNARY(copy_4, i32, i32, x)
UNARY(copy_8, i64, i64, x)
static void fill_4(ARGUMENTS) LOOP(i32, v_i32 x = ONE(i32, a), GET_NOTHING, x)
static void fill_8(ARGUMENTS) LOOP(i64, v_i64 x = ONE(i64, a), GET_NOTHING, x)
