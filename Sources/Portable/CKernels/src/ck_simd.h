// Float32 vectors of one instruction set, for the bodies of heavy kernels that are compiled once
// per set. The including file defines one of CK_SIMD_{AVX512,AVX2,NEON,BASE} and sets the target
// around this include; everything is static and always inlined.
//
//   VL                  lanes              vf                  the vector
//   v_load(p, n)        first n lanes, others 0; reads no other memory (n <= VL)
//   v_store(p, v, n)    first n lanes
//   v_load_as(p, i, t, n), v_store_as(p, i, v, t, n)   element i of an array of type t
#include "ck_common.h"
#include "ck_half.h"

#define V_INLINE static inline __attribute__((always_inline, unused))

#if defined(CK_SIMD_AVX512)

#define VL 16
typedef __m512 vf;
typedef __m512i vi;
V_INLINE vf v_set1(float x) { return _mm512_set1_ps(x); }
V_INLINE vf v_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
V_INLINE vf v_load_all(const float *p) { return _mm512_loadu_ps(p); }
V_INLINE void v_store_all(float *p, vf v) { _mm512_storeu_ps(p, v); }
V_INLINE __mmask16 v_mask(int64_t n) { return (__mmask16)((1u << n) - 1); }
V_INLINE vf v_load_part(const float *p, int64_t n) { return _mm512_maskz_loadu_ps(v_mask(n), p); }
V_INLINE void v_store_part(float *p, vf v, int64_t n) { _mm512_mask_storeu_ps(p, v_mask(n), v); }
V_INLINE vf v_max(vf a, vf b) { return _mm512_max_ps(a, b); }
V_INLINE vf v_min(vf a, vf b) { return _mm512_min_ps(a, b); }
V_INLINE float v_sum(vf a) { return _mm512_reduce_add_ps(a); }
V_INLINE float v_highest(vf a) { return _mm512_reduce_max_ps(a); }
V_INLINE vf v_from_f16(const uint16_t *p) {
  return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}
V_INLINE void v_to_f16(uint16_t *p, vf v) {
  _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
V_INLINE vf v_from_bf16(const uint16_t *p) {
  __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
  return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}
/// 2^n of whole numbers n in the exponent's range, times x.
V_INLINE vf v_scale2(vf x, vf n) { return _mm512_scalef_ps(x, n); }
V_INLINE vf v_round(vf x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT); }

#elif defined(CK_SIMD_AVX2)

#define VL 8
typedef __m256 vf;
V_INLINE vf v_set1(float x) { return _mm256_set1_ps(x); }
V_INLINE vf v_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
V_INLINE vf v_load_all(const float *p) { return _mm256_loadu_ps(p); }
V_INLINE void v_store_all(float *p, vf v) { _mm256_storeu_ps(p, v); }
V_INLINE __m256i v_mask(int64_t n) {
  static const int32_t ramp[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
  return _mm256_loadu_si256((const __m256i *)(ramp + 8 - n));
}
V_INLINE vf v_load_part(const float *p, int64_t n) { return _mm256_maskload_ps(p, v_mask(n)); }
V_INLINE void v_store_part(float *p, vf v, int64_t n) { _mm256_maskstore_ps(p, v_mask(n), v); }
V_INLINE vf v_max(vf a, vf b) { return _mm256_max_ps(a, b); }
V_INLINE vf v_min(vf a, vf b) { return _mm256_min_ps(a, b); }
V_INLINE float v_sum(vf a) {
  __m128 s = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_add_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_add_ss(s, _mm_shuffle_ps(s, s, 1)));
}
V_INLINE float v_highest(vf a) {
  __m128 s = _mm_max_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  s = _mm_max_ps(s, _mm_movehl_ps(s, s));
  return _mm_cvtss_f32(_mm_max_ss(s, _mm_shuffle_ps(s, s, 1)));
}
V_INLINE vf v_from_f16(const uint16_t *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}
V_INLINE void v_to_f16(uint16_t *p, vf v) {
  _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
V_INLINE vf v_from_bf16(const uint16_t *p) {
  __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}
// In two factors, each of which is a normal number, so that subnormal results round once.
V_INLINE vf v_scale2(vf x, vf n) {
  __m256i whole = _mm256_cvtps_epi32(n);
  __m256i half = _mm256_srai_epi32(whole, 1);
  __m256i bias = _mm256_set1_epi32(127);
  __m256i first = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
  __m256i second =
    _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, half), bias), 23);
  return x * _mm256_castsi256_ps(first) * _mm256_castsi256_ps(second);
}
V_INLINE vf v_round(vf x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

#else  // four lanes: NEON, or whatever the compiler has

#define VL 4
typedef float vf __attribute__((vector_size(16)));
typedef int32_t vi __attribute__((vector_size(16)));
V_INLINE vf v_set1(float x) { return (vf){x, x, x, x}; }
#if defined(CK_SIMD_NEON)
V_INLINE vf v_fma(vf a, vf b, vf c) {
  return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
}
#else
V_INLINE vf v_fma(vf a, vf b, vf c) { return a * b + c; }
#endif
V_INLINE vf v_load_all(const float *p) {
  vf v;
  memcpy(&v, p, sizeof v);
  return v;
}
V_INLINE void v_store_all(float *p, vf v) { memcpy(p, &v, sizeof v); }
V_INLINE vf v_load_part(const float *p, int64_t n) {
  vf v = {0};
  for (int64_t i = 0; i < n; i++) v[i] = p[i];
  return v;
}
V_INLINE void v_store_part(float *p, vf v, int64_t n) {
  for (int64_t i = 0; i < n; i++) p[i] = v[i];
}
V_INLINE vf v_select(vi mask, vf a, vf b) { return (vf)((mask & (vi)a) | (~mask & (vi)b)); }
// As x86 has it: the second operand when either is NaN.
V_INLINE vf v_max(vf a, vf b) { return v_select((vi)(a > b), a, b); }
V_INLINE vf v_min(vf a, vf b) { return v_select((vi)(a < b), a, b); }
V_INLINE float v_sum(vf a) { return (a[0] + a[2]) + (a[1] + a[3]); }
V_INLINE float v_highest(vf a) {
  float x = a[0] > a[1] ? a[0] : a[1];
  float y = a[2] > a[3] ? a[2] : a[3];
  return x > y ? x : y;
}
V_INLINE vf v_from_f16(const uint16_t *p) {
  return (vf){ck_from_f16(p[0]), ck_from_f16(p[1]), ck_from_f16(p[2]), ck_from_f16(p[3])};
}
V_INLINE void v_to_f16(uint16_t *p, vf v) {
  for (int i = 0; i < VL; i++) p[i] = ck_to_f16(v[i]);
}
V_INLINE vf v_from_bf16(const uint16_t *p) {
  return (vf){ck_from_bf16(p[0]), ck_from_bf16(p[1]), ck_from_bf16(p[2]), ck_from_bf16(p[3])};
}
V_INLINE vf v_scale2(vf x, vf n) {
  vi whole = __builtin_convertvector(n, vi);
  vi half = whole >> 1;
  vf first = (vf)((half + 127) << 23);
  vf second = (vf)((whole - half + 127) << 23);
  return x * first * second;
}
// To even, by pushing the fraction out of the significand; |x| < 2^22.
V_INLINE vf v_round(vf x) {
  vf magic = v_set1(0x1.8p23f);
  return (x + magic) - magic;
}

#endif

// MARK: Common to all

V_INLINE vf v_zero(void) { return v_set1(0); }

V_INLINE vf v_load(const float *p, int64_t n) {
  return n >= VL ? v_load_all(p) : v_load_part(p, n);
}

V_INLINE void v_store(float *p, vf v, int64_t n) {
  if (n >= VL) {
    v_store_all(p, v);
  } else {
    v_store_part(p, v, n);
  }
}

V_INLINE float scalar_load(const void *p, int64_t i, ck_dtype t) {
  if (t == CK_F32) return ((const float *)p)[i];
  uint16_t h = ((const uint16_t *)p)[i];
  return t == CK_F16 ? ck_from_f16(h) : ck_from_bf16(h);
}

V_INLINE void scalar_store(void *p, int64_t i, float x, ck_dtype t) {
  if (t == CK_F32) {
    ((float *)p)[i] = x;
  } else {
    ((uint16_t *)p)[i] = t == CK_F16 ? ck_to_f16(x) : ck_to_bf16(x);
  }
}

V_INLINE vf v_load_as(const void *p, int64_t i, ck_dtype t, int64_t n) {
  if (t == CK_F32) return v_load((const float *)p + i, n);
  const uint16_t *h = (const uint16_t *)p + i;
  uint16_t part[VL] = {0};
  if (n < VL) {
    for (int64_t j = 0; j < n; j++) part[j] = h[j];
    h = part;
  }
  return t == CK_F16 ? v_from_f16(h) : v_from_bf16(h);
}

V_INLINE void v_store_as(void *p, int64_t i, vf v, ck_dtype t, int64_t n) {
  if (t == CK_F32) {
    v_store((float *)p + i, v, n);
    return;
  }
  uint16_t *h = (uint16_t *)p + i;
  if (t == CK_F16) {
    uint16_t part[VL];
    uint16_t *to = n >= VL ? h : part;
    v_to_f16(to, v);
    if (n < VL)
      for (int64_t j = 0; j < n; j++) h[j] = part[j];
    return;
  }
  float lanes[VL];
  v_store_all(lanes, v);
  for (int64_t j = 0; j < (n < VL ? n : VL); j++) h[j] = ck_to_bf16(lanes[j]);
}

// In place transposition of a VL x VL block: step d exchanges the off-diagonal d x d blocks.
#define V_UP(l, d) ((l) & (d) ? VL + (l) - (d) : (l))
#define V_LOW(l, d) ((l) & (d) ? VL + (l) : (l) + (d))
#define V_LANES4(at, d, o) at((o), d), at((o) + 1, d), at((o) + 2, d), at((o) + 3, d)
#if VL == 16
#define V_LANES(at, d) \
  V_LANES4(at, d, 0), V_LANES4(at, d, 4), V_LANES4(at, d, 8), V_LANES4(at, d, 12)
#elif VL == 8
#define V_LANES(at, d) V_LANES4(at, d, 0), V_LANES4(at, d, 4)
#else
#define V_LANES(at, d) V_LANES4(at, d, 0)
#endif

#define V_EXCHANGE(r, d)                                                       \
  for (int i = 0; i < VL; i++) {                                               \
    if (i & (d)) continue;                                                     \
    vf upper = __builtin_shufflevector(r[i], r[i + (d)], V_LANES(V_UP, d));    \
    r[i + (d)] = __builtin_shufflevector(r[i], r[i + (d)], V_LANES(V_LOW, d)); \
    r[i] = upper;                                                              \
  }

V_INLINE void v_transpose(vf r[VL]) {
  _Pragma("GCC unroll 16") V_EXCHANGE(r, 1)
  _Pragma("GCC unroll 16") V_EXCHANGE(r, 2)
#if VL >= 8
  _Pragma("GCC unroll 16") V_EXCHANGE(r, 4)
#endif
#if VL >= 16
  _Pragma("GCC unroll 16") V_EXCHANGE(r, 8)
#endif
}
