// The vector mathematics; see ck_vmath.h. Polynomials are minimax fits made for this file, relative
// error below 2^-27 unless noted; hexadecimal constants are exact.

#define S(x) v_splat_f32(x)
#define D(x) v_splat_f64(x)
#define CVT_F64(x) __builtin_convertvector(x, v_f64)
#define CVT_F32(x) __builtin_convertvector(x, v_f32)

// --- Exponentials in float.

/// x = n ln 2 + r with |r| <= ln 2 / 2; the rest in two parts because n * ln 2 does not fit.
V_INLINE v_f32 v_exp_reduce(v_f32 x, v_f32 *n) {
  *n = v_rint(x * 0x1.715476p+0f);
  v_f32 r = v_fma(*n, S(-0x1.62e430p-1f), x);
  return v_fma(*n, S(0x1.05c610p-29f), r);
}

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
V_INLINE v_f32 v_exp_poly(v_f32 r) {
  v_f32 q = S(0x1.6a5c3cp-10f);
  q = v_fma(q, r, S(0x1.123aeap-7f));
  q = v_fma(q, r, S(0x1.5558a4p-5f));
  q = v_fma(q, r, S(0x1.555490p-3f));
  return v_fma(q, r, S(0x1.fffffcp-2f));
}

/// exp for x in [-105, 90] or NaN.
V_INLINE v_f32 v_exp_core(v_f32 x) {
  v_f32 n, r = v_exp_reduce(x, &n);
  return v_scale(v_fma(v_exp_poly(r), r * r, r) + 1.0f, n);
}

// exp(-105) rounds to 0 and exp(90) to infinity; NaN passes through v_max and v_min.
V_INLINE v_f32 vm_exp(v_f32 x) { return v_exp_core(v_min(S(90), v_max(S(-105), x))); }

V_INLINE v_f32 vm_exp2(v_f32 x) {
  x = v_min(S(130), v_max(S(-152), x));
  v_f32 n = v_rint(x), r = (x - n) * 0x1.62e430p-1f;
  return v_scale(v_fma(v_exp_poly(r), r * r, r) + 1.0f, n);
}

/// With e = e^-|x| and y = e / (1 + e): 1 - y for positive x and e - e y for negative x. These forms
/// keep denormal results and round less than y itself, whose denominator has lost bits of e.
V_INLINE v_f32 vm_sigmoid(v_f32 x) {
  v_f32 e = v_exp_core(v_max(S(-105), (v_f32)((v_i32)x | INT32_MIN)));
  v_f32 y = e / (e + 1.0f), w = v_sel(x < 0, e, S(1));
  return v_fma(-w, y, w);
}

/// x + x^3 P(x^2) near zero, 1 - 2 / (e^2|x| + 1) beyond. tanh rounds to 1 from 9.02 on.
V_INLINE v_f32 vm_tanh(v_f32 x) {
  v_f32 t = v_min(S(9.25f), v_abs(x)), s = x * x;
  v_f32 p = S(-0x1.99e060p-8f);
  p = v_fma(p, s, S(0x1.58fee4p-6f));
  p = v_fma(p, s, S(-0x1.b92094p-5f));
  p = v_fma(p, s, S(0x1.110cf4p-3f));
  p = v_fma(p, s, S(-0x1.55554ap-2f));
  v_f32 near = v_fma(p, s * x, x);
  v_f32 far = 1.0f - 2.0f / (v_exp_core(t + t) + 1.0f);
  return v_sel(t < 0.55f, near, v_copysign(far, x));
}

/// x + x P(x^2) near zero, 1 - exp(-|x| G(|x|)) beyond.
V_INLINE v_f32 vm_erf(v_f32 x) {
  v_f32 t = v_abs(x), s = x * x;
  v_f32 p = S(0x1.4f8f58p-14f);
  p = v_fma(p, s, S(-0x1.a6129cp-11f));
  p = v_fma(p, s, S(0x1.544aaap-8f));
  p = v_fma(p, s, S(-0x1.b80120p-6f));
  p = v_fma(p, s, S(0x1.ce2d64p-4f));
  p = v_fma(p, s, S(-0x1.812740p-2f));
  p = v_fma(p, s, S(0x1.06eba8p-3f));
  v_f32 near = v_fma(x, p, x);

  v_f32 u = v_min(S(3.9296875f), t);  // erf rounds to 1 from 3.92 on
  v_f32 g = S(0x1.8e2364p-17f);
  g = v_fma(g, u, S(-0x1.5926b6p-12f));
  g = v_fma(g, u, S(0x1.e0d1bap-9f));
  g = v_fma(g, u, S(-0x1.863792p-6f));
  g = v_fma(g, u, S(0x1.b3686ep-4f));
  g = v_fma(g, u, S(0x1.452d7ap-1f));
  g = v_fma(g, u, S(0x1.20efbcp+0f));
  v_f32 far = v_copysign(1.0f - v_exp_core(-(g * u)), x);
  return v_sel(t > 0.9375f, far, near);
}

// --- Logarithm in float.

/// x = m 2^n with m in [sqrt(1/2), sqrt(2)): r = m - 1, ln x = n ln 2 + ln(1 + r).
V_INLINE v_f32 vm_log(v_f32 x) {
  v_i32 tiny = x < 0x1p-126f;
  v_f32 y = v_sel(tiny, x * 0x1p23f, x);
  v_i32 k = ((v_i32)y - 0x3f3504f3) >> 23;
  v_f32 r = (v_f32)((v_i32)y - (k << 23)) - 1.0f;
  v_f32 n = CVT_F32(k - (tiny & 23));
  v_f32 p = S(0x1.147b20p-4f);
  p = v_fma(p, r, S(-0x1.de0584p-4f));
  p = v_fma(p, r, S(0x1.e6be9ep-4f));
  p = v_fma(p, r, S(-0x1.fc281ap-4f));
  p = v_fma(p, r, S(0x1.233baap-3f));
  p = v_fma(p, r, S(-0x1.555c48p-3f));
  p = v_fma(p, r, S(0x1.99a476p-3f));
  p = v_fma(p, r, S(-0x1.000006p-2f));
  p = v_fma(p, r, S(0x1.555548p-2f));
  v_f32 s = r * r;
  v_f32 t = v_fma(n, S(0x1.7f7d1cp-20f), p * (s * r));
  t = v_fma(S(-0.5f), s, t);
  v_f32 y1 = v_fma(n, S(0x1.62e4p-1f), r + t);
  v_f32 special = v_sel(x == 0, S(-INFINITY), v_sel(x < 0, S(NAN), x));
  return v_sel((x > 0) & (x < INFINITY), y1, special);
}

// --- Circular functions.

/// The rest r in [-pi/4, pi/4] of |x| modulo pi/2, and the quadrant.
V_INLINE v_f32 v_trig_reduce(v_f32 x, v_i32 *quadrant) {
  v_f32 t = v_abs(x);
  v_f32 n = v_rint(t * 0x1.45f306p-1f);
  v_f32 r = v_fma(n, S(-0x1.921fb6p+0f), t);
  r = v_fma(n, S(0x1.777a5cp-25f), r);
  r = v_fma(n, S(0x1.ee59dap-50f), r);
  v_i32 large = ~(t <= 0x1p15f);
  *quadrant = __builtin_convertvector((v_f32)((v_i32)n & ~large), v_i32);
  if (v_any(large)) {
    for (int i = 0; i < CK_VW; i++) {
      if (large[i]) {
        float rest;
        (*quadrant)[i] = ck_reduce_pi_2(t[i], &rest);
        r[i] = rest;
      }
    }
  }
  return r;
}

V_INLINE v_f32 v_sin_poly(v_f32 r, v_f32 s) {
  v_f32 p = S(0x1.7cd3eep-19f);
  p = v_fma(p, s, S(-0x1.a05bb2p-13f));
  p = v_fma(p, s, S(0x1.111176p-7f));
  p = v_fma(p, s, S(-0x1.555556p-3f));
  return v_fma(p * s, r, r);
}
V_INLINE v_f32 v_cos_poly(v_f32 s) {
  v_f32 p = S(-0x1.361830p-22f);
  p = v_fma(p, s, S(0x1.a071bep-16f));
  p = v_fma(p, s, S(-0x1.6c175ep-10f));
  p = v_fma(p, s, S(0x1.555556p-5f));
  return v_fma(p, s * s, v_fma(S(-0.5f), s, S(1)));
}

V_INLINE v_f32 vm_sin(v_f32 x) {
  v_i32 q;
  v_f32 r = v_trig_reduce(x, &q), s = r * r;
  v_f32 y = v_sel((q & 1) != 0, v_cos_poly(s), v_sin_poly(r, s));
  return (v_f32)((v_i32)y ^ ((q & 2) << 30) ^ v_sign_bit(x));
}
V_INLINE v_f32 vm_cos(v_f32 x) {
  v_i32 q;
  v_f32 r = v_trig_reduce(x, &q), s = r * r;
  v_f32 y = v_sel((q & 1) != 0, v_sin_poly(r, s), v_cos_poly(s));
  return (v_f32)((v_i32)y ^ (((q + 1) & 2) << 30));
}
V_INLINE v_f32 vm_tan(v_f32 x) {
  v_i32 q;
  v_f32 r = v_trig_reduce(x, &q), s = r * r;
  v_f32 sine = v_sin_poly(r, s), cosine = v_cos_poly(s);
  v_i32 odd = (q & 1) != 0;
  v_f32 y = v_sel(odd, cosine, sine) / v_sel(odd, sine, cosine);
  return (v_f32)((v_i32)y ^ (odd & INT32_MIN) ^ v_sign_bit(x));
}

// --- Functions in double. Without fused operations, so equal on every instruction set.

#define ROUND_MAGIC 0x1.8p52  // adding it leaves an integer in the low bits

/// 2^x for |x| <= 1000 or NaN, relative error 1e-15.
V_INLINE v_f64 d_exp2(v_f64 x) {
  v_f64 t = x + ROUND_MAGIC;
  v_i64 n = (v_i64)t - (v_i64)D(ROUND_MAGIC);
  v_f64 r = (x - (t - ROUND_MAGIC)) * 0x1.62e42fefa39efp-1;
  v_f64 q = D(0x1.27067f8d6ab54p-22);
  q = q * r + 0x1.72ea3649436a7p-19;
  q = q * r + 0x1.a01b7fb6ac070p-16;
  q = q * r + 0x1.a0198c5f6ee32p-13;
  q = q * r + 0x1.6c16c0c609fd2p-10;
  q = q * r + 0x1.11111125f6ea6p-7;
  q = q * r + 0x1.5555555589f32p-5;
  q = q * r + 0x1.5555555550670p-3;
  q = q * r + 0x1.ffffffffffecbp-2;
  return (1.0 + (r + q * (r * r))) * (v_f64)((n + 1023) << 52);
}
V_INLINE v_f64 d_exp(v_f64 x) { return d_exp2(x * 0x1.71547652b82fep+0); }

/// ln m and n of x = m 2^n, for positive finite normal doubles.
V_INLINE v_f64 d_log_parts(v_f64 x, v_f64 *n) {
  v_i64 k = ((v_i64)x - 0x3fe6a09e667f3bcdLL) >> 52;
  v_f64 m = (v_f64)((v_i64)x - (k << 52));
  *n = (v_f64)(k + (v_i64)D(ROUND_MAGIC)) - ROUND_MAGIC;
  v_f64 s = (m - 1.0) / (m + 1.0), z = s * s;
  v_f64 p = D(0x1.2f0e630980108p-4);
  p = p * z + 0x1.39a0ddf61212ep-4;
  p = p * z + 0x1.7466472a511a4p-4;
  p = p * z + 0x1.c71c51e27e40ep-4;
  p = p * z + 0x1.249249421f7cdp-3;
  p = p * z + 0x1.999999997fa84p-3;
  p = p * z + 0x1.5555555555593p-2;
  return (s + s * (z * p)) * 2.0;
}
V_INLINE v_f64 d_log(v_f64 x) {
  v_f64 n, m = d_log_parts(x, &n);
  return n * 0x1.62e42fefa39efp-1 + m;
}
V_INLINE v_f64 d_log2(v_f64 x) {
  v_f64 n, m = d_log_parts(x, &n);
  return n + m * 0x1.71547652b82fep+0;
}

/// atan of x >= 0 (infinity too).
V_INLINE v_f64 d_atan(v_f64 x) {
  v_i64 inverse = x > 1.0;
  v_f64 y = v_sel_f64(inverse, 1.0 / x, x);
  v_i64 turned = y > 0x1.a827999fcef32p-2;  // tan(pi/8)
  v_f64 z = v_sel_f64(turned, (y - 1.0) / (y + 1.0), y), s = z * z;
  v_f64 p = D(0x1.5c631fce3e138p-6);
  p = p * s + -0x1.6521842c30572p-5;
  p = p * s + 0x1.d258dc80af89bp-5;
  p = p * s + -0x1.10059f595fbf6p-4;
  p = p * s + 0x1.3afc447a477f1p-4;
  p = p * s + -0x1.745bc46cb2245p-4;
  p = p * s + 0x1.c71c65df16f9ap-4;
  p = p * s + -0x1.24924905b39e7p-3;
  p = p * s + 0x1.999999994a2f8p-3;
  p = p * s + -0x1.555555555531fp-2;
  v_f64 a = z + z * (s * p);
  a = v_sel_f64(turned, 0x1.921fb54442d18p-1 + a, a);
  return v_sel_f64(inverse, 0x1.921fb54442d18p+0 - a, a);
}

/// Where x <= 0, infinite or NaN, a logarithm is not y.
V_INLINE v_f32 v_log_specials(v_f32 x, v_f32 y) {
  v_f32 special = v_sel(x == 0, S(-INFINITY), v_sel(x < 0, S(NAN), x));
  return v_sel((x > 0) & (x < INFINITY), y, special);
}
V_INLINE v_f32 vm_log2(v_f32 x) { return v_log_specials(x, CVT_F32(d_log2(CVT_F64(x)))); }
V_INLINE v_f32 vm_log10(v_f32 x) {
  return v_log_specials(x, CVT_F32(d_log2(CVT_F64(x)) * 0x1.34413509f79ffp-2));
}
V_INLINE v_f32 vm_exp10(v_f32 x) {
  x = v_min(S(40), v_max(S(-48), x));
  return CVT_F32(d_exp2(CVT_F64(x) * 0x1.a934f0979a371p+1));
}

// Below 2^-12 in magnitude, x itself is nearer to each of the odd functions than half an ULP.
V_INLINE v_f32 v_odd_tiny(v_f32 x, v_f32 y) {
  return v_sel(v_abs(x) < 0x1p-12f, x, v_opaque(v_copysign(y, x)));
}
V_INLINE v_f32 vm_sinh(v_f32 x) {
  v_f64 e = d_exp(CVT_F64(v_min(S(100), v_abs(x))));
  return v_odd_tiny(x, CVT_F32((e - 1.0 / e) * 0.5));
}
V_INLINE v_f32 vm_cosh(v_f32 x) {
  v_f64 e = d_exp(CVT_F64(v_min(S(100), v_abs(x))));
  return CVT_F32((e + 1.0 / e) * 0.5);
}
V_INLINE v_f32 vm_asinh(v_f32 x) {
  v_f64 a = CVT_F64(v_abs(x));
  v_f32 y = CVT_F32(d_log(a + v_sqrt_f64(a * a + 1.0)));
  return v_odd_tiny(x, v_sel(v_abs(x) < INFINITY, y, v_abs(x)));
}
V_INLINE v_f32 vm_acosh(v_f32 x) {
  v_f64 a = CVT_F64(x);
  v_f32 y = CVT_F32(d_log(a + v_sqrt_f64((a - 1.0) * (a + 1.0))));
  return v_sel((x >= 1) & (x < INFINITY), y, v_sel(x < 1, S(NAN), x));
}
V_INLINE v_f32 vm_atanh(v_f32 x) {
  v_f64 a = CVT_F64(v_abs(x));
  v_f32 y = CVT_F32(d_log((1.0 + a) / (1.0 - a)) * 0.5);
  v_f32 edge = v_sel(v_abs(x) == 1, S(INFINITY), S(NAN));
  return v_odd_tiny(x, v_sel(v_abs(x) < 1, y, edge));
}
V_INLINE v_f32 vm_atan(v_f32 x) {
  v_f32 y = CVT_F32(d_atan(CVT_F64(v_abs(x))));
  return v_odd_tiny(x, y);
}
V_INLINE v_f64 d_asin(v_f64 a) { return d_atan(a / v_sqrt_f64((1.0 - a) * (1.0 + a))); }
V_INLINE v_f32 vm_asin(v_f32 x) {
  return v_odd_tiny(x, CVT_F32(d_asin(CVT_F64(v_abs(x)))));
}
V_INLINE v_f32 vm_acos(v_f32 x) {
  v_f64 a = d_asin(CVT_F64(v_abs(x)));
  v_i64 negative = v_widen(x < 0);
  return CVT_F32(0x1.921fb54442d18p+0 + v_sel_f64(negative, a, -a));
}
V_INLINE v_f32 vm_atan2(v_f32 y, v_f32 x) {
  v_f32 ay = v_abs(y), ax = v_abs(x);
  v_i32 steep = ay > ax;
  v_f32 low = v_sel(steep, ax, ay), high = v_sel(steep, ay, ax);
  v_f64 q = CVT_F64(low) / CVT_F64(high);
  q = v_sel_f64(v_widen(low == 0), D(0), q);             // 0 / 0 counts as 0
  q = v_sel_f64(v_widen(low == INFINITY), D(1), q);      // infinity / infinity as 1
  v_f64 a = d_atan(q);
  a = v_sel_f64(v_widen(steep), 0x1.921fb54442d18p+0 - a, a);
  a = v_sel_f64(v_widen((v_i32)x >> 31), 0x1.921fb54442d18p+1 - a, a);
  v_f32 r = v_copysign(CVT_F32(a), y);
  return v_sel(v_nan(x) | v_nan(y), x + y, r);
}

V_INLINE v_f32 vm_pow(v_f32 x, v_f32 y) {
  v_f32 ax = v_abs(x);
  v_f64 l = d_log2(CVT_F64(ax));
  l = v_sel_f64(v_widen(ax == 0), D(-INFINITY), l);
  l = v_sel_f64(v_widen(ax == INFINITY), D(INFINITY), l);
  v_f64 t = CVT_F64(y) * l;
  t = v_sel_f64(t > 160.0, D(160), v_sel_f64(t < -160.0, D(-160), t));
  t = v_sel_f64(v_widen((ax == 1) | (y == 0)), D(0), t);
  v_f32 r = CVT_F32(d_exp2(t));
  // The sign of a negative base; floats from 2^24 on are even integers.
  v_f32 half = y * 0.5f;
  v_i32 integral = v_trunc(y) == y, odd = integral & (v_trunc(half) != half);
  r = (v_f32)((v_i32)r | (v_sign_bit(x) & odd));
  r = v_sel((x < 0) & ~integral & (ax < INFINITY) & ~v_nan(y), S(NAN), r);
  v_i32 nan = (v_nan(x) & (y != 0)) | (v_nan(y) & (x != 1));
  return v_sel(nan, x + y, r);
}

// --- Remainders, exact.

V_INLINE v_f32 vm_fmod(v_f32 a, v_f32 b) {
  v_f32 q = v_trunc(a / b);
  v_f32 r = v_fma(-q, b, a), ab = v_abs(b);
  // The quotient may have rounded up across an integer.
  r = v_sel((r != 0) & ((v_sign_bit(r) ^ v_sign_bit(a)) != 0), r + v_copysign(ab, a), r);
  r = v_sel(v_abs(r) >= ab, r - v_copysign(ab, a), r);
  r = v_copysign(r, a);
  v_i32 slow = ~(v_abs(q) < 0x1p22f) | (ab == INFINITY) | (ab < 0x1p-100f);
  if (v_any(slow)) {
    for (int i = 0; i < CK_VW; i++) {
      if (slow[i]) r[i] = fmodf(a[i], b[i]);
    }
  }
  return r;
}
V_INLINE v_f32 vm_floor_mod(v_f32 a, v_f32 b) {
  v_f32 r = vm_fmod(a, b);
  v_i32 other = (r != 0) & ((v_sign_bit(r) ^ v_sign_bit(b)) != 0);
  return v_sel(other, r + b, r);
}
