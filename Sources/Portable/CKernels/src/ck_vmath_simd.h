// Vectors of CK_VW lanes for one instruction set; included by ck_map_isa_body.h under the set's target
// attribute, with CK_SIMD_AVX512, CK_SIMD_AVX2 or CK_SIMD_NEON defined, or none for the baseline.
//
// All classes use vectors of CK_VW lanes, so that a lane of one class converts to the same lane of
// another; the compiler splits what is wider than a machine register.

#define V_INLINE static inline __attribute__((always_inline, unused))

typedef float v_f32 __attribute__((vector_size(4 * CK_VW)));
typedef int32_t v_i32 __attribute__((vector_size(4 * CK_VW)));
typedef uint32_t v_u32 __attribute__((vector_size(4 * CK_VW)));
typedef double v_f64 __attribute__((vector_size(8 * CK_VW)));
typedef int64_t v_i64 __attribute__((vector_size(8 * CK_VW)));
typedef uint64_t v_u64 __attribute__((vector_size(8 * CK_VW)));
typedef int8_t v_i8 __attribute__((vector_size(CK_VW)));
typedef uint8_t v_u8 __attribute__((vector_size(CK_VW)));
typedef int16_t v_i16 __attribute__((vector_size(2 * CK_VW)));
typedef uint16_t v_u16 __attribute__((vector_size(2 * CK_VW)));

// --- Memory. The `_n` forms touch only the first n (1 ..< CK_VW) elements.

#define V_MEMORY(T, E)                                               \
  V_INLINE v_##T v_load_##T(const void *p) {                         \
    v_##T v;                                                         \
    memcpy(&v, p, sizeof v);                                         \
    return v;                                                        \
  }                                                                  \
  V_INLINE void v_store_##T(void *p, v_##T v) { memcpy(p, &v, sizeof v); } \
  V_INLINE v_##T v_load_n_##T(const void *p, int64_t n) {            \
    v_##T v = {0};                                                   \
    const E *e = p;                                                  \
    for (int64_t i = 0; i < n; i++) v[i] = e[i];                     \
    return v;                                                        \
  }                                                                  \
  V_INLINE void v_store_n_##T(void *p, v_##T v, int64_t n) {         \
    E *e = p;                                                        \
    for (int64_t i = 0; i < n; i++) e[i] = v[i];                     \
  }

#define V_SPLAT(T, E) \
  V_INLINE v_##T v_splat_##T(E x) { return (v_##T){0} + x; }

V_SPLAT(i32, int32_t)
V_SPLAT(i64, int64_t)
V_SPLAT(u32, uint32_t)

V_INLINE v_f32 v_splat_f32(float x) {
  v_f32 v;
  for (int i = 0; i < CK_VW; i++) v[i] = x;  // {0} + x would lose the sign of -0
  return v;
}
V_INLINE v_f64 v_splat_f64(double x) {
  v_f64 v;
  for (int i = 0; i < CK_VW; i++) v[i] = x;
  return v;
}

V_MEMORY(i8, int8_t)
V_MEMORY(u8, uint8_t)
V_MEMORY(i16, int16_t)
V_MEMORY(u16, uint16_t)
V_MEMORY(i64, int64_t)
#if defined(CK_SIMD_AVX512) || defined(CK_SIMD_AVX2)
#define v_load_n_f32 v_load_n_f32_generic
#define v_store_n_f32 v_store_n_f32_generic
#define v_load_n_i32 v_load_n_i32_generic
#define v_store_n_i32 v_store_n_i32_generic
#endif
V_MEMORY(f32, float)
V_MEMORY(i32, int32_t)
#if defined(CK_SIMD_AVX512) || defined(CK_SIMD_AVX2)
#undef v_load_n_f32
#undef v_store_n_f32
#undef v_load_n_i32
#undef v_store_n_i32
#endif
#if defined(CK_SIMD_AVX512)
V_INLINE __mmask16 v_mask(int64_t n) { return (__mmask16)((1u << n) - 1); }
V_INLINE v_f32 v_load_n_f32(const void *p, int64_t n) {
  return (v_f32)_mm512_maskz_loadu_ps(v_mask(n), p);
}
V_INLINE void v_store_n_f32(void *p, v_f32 v, int64_t n) {
  _mm512_mask_storeu_ps(p, v_mask(n), (__m512)v);
}
V_INLINE v_i32 v_load_n_i32(const void *p, int64_t n) {
  return (v_i32)_mm512_maskz_loadu_epi32(v_mask(n), p);
}
V_INLINE void v_store_n_i32(void *p, v_i32 v, int64_t n) {
  _mm512_mask_storeu_epi32(p, v_mask(n), (__m512i)v);
}
#elif defined(CK_SIMD_AVX2)
V_INLINE __m256i v_mask(int64_t n) {
  return (__m256i)((v_i32){0, 1, 2, 3, 4, 5, 6, 7} < v_splat_i32((int32_t)n));
}
V_INLINE v_f32 v_load_n_f32(const void *p, int64_t n) {
  return (v_f32)_mm256_maskload_ps(p, v_mask(n));
}
V_INLINE void v_store_n_f32(void *p, v_f32 v, int64_t n) {
  _mm256_maskstore_ps(p, v_mask(n), (__m256)v);
}
V_INLINE v_i32 v_load_n_i32(const void *p, int64_t n) {
  return (v_i32)_mm256_maskload_epi32(p, v_mask(n));
}
V_INLINE void v_store_n_i32(void *p, v_i32 v, int64_t n) {
  _mm256_maskstore_epi32(p, v_mask(n), (__m256i)v);
}
#endif

// --- Selection: masks are 0 or -1 per lane.

V_INLINE v_f32 v_sel(v_i32 m, v_f32 a, v_f32 b) {
  return (v_f32)((m & (v_i32)a) | (~m & (v_i32)b));
}
V_INLINE v_i32 v_sel_i32(v_i32 m, v_i32 a, v_i32 b) { return (m & a) | (~m & b); }
V_INLINE v_i64 v_sel_i64(v_i64 m, v_i64 a, v_i64 b) { return (m & a) | (~m & b); }
V_INLINE v_f64 v_sel_f64(v_i64 m, v_f64 a, v_f64 b) {
  return (v_f64)((m & (v_i64)a) | (~m & (v_i64)b));
}
V_INLINE int v_any(v_i32 m) {
  int32_t any = 0;
  for (int i = 0; i < CK_VW; i++) any |= m[i];
  return any != 0;
}

// --- What the language cannot say: rounding, square root, fused multiply-add, scaling.

#if defined(CK_SIMD_AVX512)

V_INLINE v_f32 v_fma(v_f32 a, v_f32 b, v_f32 c) {
  return (v_f32)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
V_INLINE v_f32 v_sqrt(v_f32 a) { return (v_f32)_mm512_sqrt_ps((__m512)a); }
V_INLINE v_f32 v_rint(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, 8); }
V_INLINE v_f32 v_floor(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, 9); }
V_INLINE v_f32 v_ceil(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, 10); }
V_INLINE v_f32 v_trunc(v_f32 a) { return (v_f32)_mm512_roundscale_ps((__m512)a, 11); }

#elif defined(CK_SIMD_AVX2)

V_INLINE v_f32 v_fma(v_f32 a, v_f32 b, v_f32 c) {
  return (v_f32)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
V_INLINE v_f32 v_sqrt(v_f32 a) { return (v_f32)_mm256_sqrt_ps((__m256)a); }
V_INLINE v_f32 v_rint(v_f32 a) { return (v_f32)_mm256_round_ps((__m256)a, 8); }
V_INLINE v_f32 v_floor(v_f32 a) { return (v_f32)_mm256_round_ps((__m256)a, 9); }
V_INLINE v_f32 v_ceil(v_f32 a) { return (v_f32)_mm256_round_ps((__m256)a, 10); }
V_INLINE v_f32 v_trunc(v_f32 a) { return (v_f32)_mm256_round_ps((__m256)a, 11); }

#elif defined(CK_SIMD_NEON)

V_INLINE v_f32 v_fma(v_f32 a, v_f32 b, v_f32 c) {
  return (v_f32)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
V_INLINE v_f32 v_sqrt(v_f32 a) { return (v_f32)vsqrtq_f32((float32x4_t)a); }
V_INLINE v_f32 v_rint(v_f32 a) { return (v_f32)vrndnq_f32((float32x4_t)a); }
V_INLINE v_f32 v_floor(v_f32 a) { return (v_f32)vrndmq_f32((float32x4_t)a); }
V_INLINE v_f32 v_ceil(v_f32 a) { return (v_f32)vrndpq_f32((float32x4_t)a); }
V_INLINE v_f32 v_trunc(v_f32 a) { return (v_f32)vrndq_f32((float32x4_t)a); }

#else

// The product of two float32 is exact in double, so this differs from a true fused multiply-add
// only where rounding twice does (about once in 2^29).
V_INLINE v_f32 v_fma(v_f32 a, v_f32 b, v_f32 c) {
  v_f64 r = __builtin_convertvector(a, v_f64) * __builtin_convertvector(b, v_f64) +
            __builtin_convertvector(c, v_f64);
  return __builtin_convertvector(r, v_f32);
}
V_INLINE v_f32 v_sqrt(v_f32 a) {
#if defined(__SSE2__)
  return (v_f32)_mm_sqrt_ps((__m128)a);
#else
  v_f32 r;
  for (int i = 0; i < CK_VW; i++) r[i] = sqrtf(a[i]);
  return r;
#endif
}
// Adding and taking away 2^23 leaves no fraction bits; from there on every float is an integer.
V_INLINE v_f32 v_rint(v_f32 a) {
  v_i32 sign = (v_i32)a & INT32_MIN;
  v_f32 magnitude = (v_f32)((v_i32)a & INT32_MAX);
  v_f32 r = (magnitude + 0x1p23f) - 0x1p23f;
  r = (v_f32)((v_i32)r | sign);
  return v_sel(magnitude < 0x1p23f, r, a);
}
V_INLINE v_f32 v_with_sign(v_f32 r, v_f32 a) {
  return (v_f32)(((v_i32)r & INT32_MAX) | ((v_i32)a & INT32_MIN));
}
V_INLINE v_f32 v_floor(v_f32 a) {
  v_f32 r = v_rint(a);
  return v_with_sign(r - (v_f32)((r > a) & (v_i32)v_splat_f32(1)), a);
}
V_INLINE v_f32 v_ceil(v_f32 a) {
  v_f32 r = v_rint(a);
  return v_with_sign(r + (v_f32)((r < a) & (v_i32)v_splat_f32(1)), a);
}
V_INLINE v_f32 v_trunc(v_f32 a) {
  v_f32 magnitude = (v_f32)((v_i32)a & INT32_MAX);
  return v_with_sign(v_floor(magnitude), a);
}

#endif

/// Square root in double, in machine registers of D lanes.
#define V_SQRT_F64(D, REGISTER, SQRT)                                        \
  V_INLINE v_f64 v_sqrt_f64(v_f64 a) {                                       \
    double in[CK_VW], out[CK_VW];                                            \
    memcpy(in, &a, sizeof a);                                                \
    for (int i = 0; i < CK_VW; i += D) {                                     \
      REGISTER r;                                                            \
      memcpy(&r, in + i, sizeof r);                                          \
      r = SQRT(r);                                                           \
      memcpy(out + i, &r, sizeof r);                                         \
    }                                                                        \
    memcpy(&a, out, sizeof a);                                               \
    return a;                                                                \
  }
#if defined(CK_SIMD_AVX512)
V_SQRT_F64(8, __m512d, _mm512_sqrt_pd)
#elif defined(CK_SIMD_AVX2)
V_SQRT_F64(4, __m256d, _mm256_sqrt_pd)
#elif defined(CK_SIMD_NEON)
V_SQRT_F64(2, float64x2_t, vsqrtq_f64)
#elif defined(__SSE2__)
V_SQRT_F64(2, __m128d, _mm_sqrt_pd)
#else
V_SQRT_F64(1, double, sqrt)
#endif

/// p * 2^n for integral n in [-300, 300], rounded once; p is a normal number near 1.
V_INLINE v_f32 v_scale(v_f32 p, v_f32 n) {
#if defined(CK_SIMD_AVX512)
  return (v_f32)_mm512_scalef_ps((__m512)p, (__m512)n);
#else
  // In two steps, the first of which is exact, so that denormal results round once.
  v_i32 k = __builtin_convertvector(n, v_i32), half = k >> 1;
  v_f32 first = (v_f32)((half + 127) << 23), second = (v_f32)((k - half + 127) << 23);
  return p * first * second;
#endif
}

V_INLINE v_f32 v_abs(v_f32 a) { return (v_f32)((v_i32)a & INT32_MAX); }
V_INLINE v_i32 v_sign_bit(v_f32 a) { return (v_i32)a & INT32_MIN; }
V_INLINE v_f32 v_copysign(v_f32 magnitude, v_f32 sign) {
  return (v_f32)(((v_i32)magnitude & INT32_MAX) | v_sign_bit(sign));
}
/// The same value, which the compiler cannot merge with what follows. Clang 21 miscompiles a
/// selection between x and a copysign that takes its sign from x (AVX-512: it commutes the masked
/// vpternlogd and permutes its truth table wrongly).
V_INLINE v_f32 v_opaque(v_f32 x) {
#if defined(CK_SIMD_AVX512)
  __asm__("" : "+v"(x));
#endif
  return x;
}
/// b where either is NaN, as the x86 instructions.
V_INLINE v_f32 v_min(v_f32 a, v_f32 b) { return v_sel(a < b, a, b); }
V_INLINE v_f32 v_max(v_f32 a, v_f32 b) { return v_sel(a > b, a, b); }
V_INLINE v_i32 v_nan(v_f32 a) { return a != a; }

// --- Conversions between the classes and memory types.

V_INLINE v_i32 v_f32_to_i32(v_f32 x) {
  v_i32 in = (x >= -0x1p31f) & (x < 0x1p31f);
  v_i32 r = __builtin_convertvector((v_f32)((v_i32)x & in), v_i32) & in;
  r |= (x >= 0x1p31f) & INT32_MAX;
  return r | ((x < -0x1p31f) & INT32_MIN);
}
V_INLINE v_i64 v_widen(v_i32 x) { return __builtin_convertvector(x, v_i64); }
#define v_narrow(x) __builtin_convertvector((x), v_i32)
V_INLINE v_i64 v_f32_to_i64(v_f32 x) {
  v_i32 in = (x >= -0x1p63f) & (x < 0x1p63f);
  v_i64 r = __builtin_convertvector((v_f32)((v_i32)x & in), v_i64);
  r |= v_widen(x >= 0x1p63f) & INT64_MAX;
  return r | (v_widen(x < -0x1p63f) & INT64_MIN);
}

V_INLINE v_f32 v_from_bf16(v_u16 h) {
  return (v_f32)(__builtin_convertvector(h, v_u32) << 16);
}
V_INLINE v_u16 v_to_bf16(v_f32 x) {
  v_u32 u = (v_u32)x;
  v_u32 r = u + 0x7fff + ((u >> 16) & 1);
  v_u32 nan = (v_u32)v_nan(x);
  r = (r & ~nan) | ((u | 0x400000) & nan);
  return __builtin_convertvector(r >> 16, v_u16);
}

#if defined(CK_SIMD_AVX512)
V_INLINE v_f32 v_from_f16(v_u16 h) { return (v_f32)_mm512_cvtph_ps((__m256i)h); }
V_INLINE v_u16 v_to_f16(v_f32 x) { return (v_u16)_mm512_cvtps_ph((__m512)x, 8); }
#elif defined(CK_SIMD_AVX2)
V_INLINE v_f32 v_from_f16(v_u16 h) { return (v_f32)_mm256_cvtph_ps((__m128i)h); }
V_INLINE v_u16 v_to_f16(v_f32 x) { return (v_u16)_mm256_cvtps_ph((__m256)x, 8); }
#elif defined(CK_SIMD_NEON)
V_INLINE v_f32 v_from_f16(v_u16 h) { return (v_f32)vcvt_f32_f16(vreinterpret_f16_u16((uint16x4_t)h)); }
V_INLINE v_u16 v_to_f16(v_f32 x) {
  return (v_u16)vreinterpret_u16_f16(vcvt_f16_f32((float32x4_t)x));
}
#else
// Through float arithmetic, which handles denormals: the exponent bits are rebased by a multiply.
V_INLINE v_f32 v_from_f16(v_u16 h) {
  v_u32 u = __builtin_convertvector(h, v_u32);
  v_u32 magnitude = (u & 0x7fff) << 13, sign = (u & 0x8000) << 16;
  v_f32 r = (v_f32)magnitude * 0x1p112f;
  v_u32 special = (v_u32)(magnitude >= 0x0f800000u);
  v_u32 bits = ((v_u32)r & ~special) | ((magnitude | 0x7f800000u) & special);
  v_u32 quiet = (v_u32)((v_i32)(magnitude > 0x0f800000u)) & 0x400000u;
  return (v_f32)(bits | quiet | sign);
}
V_INLINE v_u16 v_to_f16(v_f32 x) {
  v_u32 u = (v_u32)x, sign = (u >> 16) & 0x8000, m = u & 0x7fffffff;
  // Below 2^-14 the result is denormal: adding 0.5 leaves its 10 bits, rounded, at the bottom.
  v_u32 denormal = (v_u32)((v_f32)m + 0.5f) - 0x3f000000u;
  v_u32 normal = (m - 0x38000000u + 0xfff + ((m >> 13) & 1)) >> 13;
  v_u32 small = (v_u32)(m < 0x38800000u), big = (v_u32)(m >= 0x477ff000u);
  v_u32 nan = (v_u32)(m > 0x7f800000u);
  v_u32 r = (denormal & small) | (normal & ~small);
  r = (r & ~big) | (0x7c00 & big);
  r = (r & ~nan) | ((0x7e00 | ((m >> 13) & 0x3ff)) & nan);
  return __builtin_convertvector(r | sign, v_u16);
}
#endif
