// Two instructions in one pass over the tile: a binary one on a and b, then one on its result and
// c. Each rounds by itself, as apart. A tile's pass costs mostly its store, so this nearly halves
// the time of cheap instructions.

#define GET_CHAIN_VV_V(L) v_f32 x = L(f32, a), y = L(f32, b), z = L(f32, c)
#define GET_CHAIN_V_V(L) v_f32 x = L(f32, a), z = L(f32, c)
#define GET_CHAIN_W_V(L) v_f32 y = L(f32, b), z = L(f32, c)
#define SPLAT_X v_f32 x = ONE(f32, a)
#define SPLAT_Y v_f32 y = ONE(f32, b)
#define SPLAT_Z v_f32 z = ONE(f32, c)

// For one first instruction (its name, how x and y are had, the expression): all second ones.
#define CHAINS(P, ONCE, GET2, GET3, FIRST)                                                      \
  static void chain_##P##_add_v(ARGUMENTS) LOOP(f32, ONCE, GET3, (FIRST) + z)                   \
  static void chain_##P##_add_s(ARGUMENTS) LOOP(f32, ONCE; SPLAT_Z, GET2, (FIRST) + z)          \
  static void chain_##P##_sub_v(ARGUMENTS) LOOP(f32, ONCE, GET3, (FIRST) - z)                   \
  static void chain_##P##_sub_s(ARGUMENTS) LOOP(f32, ONCE; SPLAT_Z, GET2, (FIRST) - z)          \
  static void chain_##P##_rsub_v(ARGUMENTS) LOOP(f32, ONCE, GET3, z - (FIRST))                  \
  static void chain_##P##_rsub_s(ARGUMENTS) LOOP(f32, ONCE; SPLAT_Z, GET2, z - (FIRST))         \
  static void chain_##P##_mul_v(ARGUMENTS) LOOP(f32, ONCE, GET3, (FIRST)*z)                     \
  static void chain_##P##_mul_s(ARGUMENTS) LOOP(f32, ONCE; SPLAT_Z, GET2, (FIRST)*z)            \
  static void chain_##P##_square(ARGUMENTS) LOOP(f32, ONCE, GET2, c_square(FIRST))              \
  static void chain_##P##_relu(ARGUMENTS) LOOP(f32, ONCE, GET2, c_relu(FIRST))                  \
  static void chain_##P##_exp(ARGUMENTS) LOOP_ONCE(f32, ONCE, GET2, vm_exp(FIRST))

V_INLINE v_f32 c_square(v_f32 x) { return x * x; }
V_INLINE v_f32 c_relu(v_f32 x) { return v_sel(x < 0, S(0), x); }

CHAINS(add_vv, , GET_VV_f32, GET_CHAIN_VV_V, x + y)
CHAINS(add_vs, SPLAT_Y, GET_X_f32, GET_CHAIN_V_V, x + y)
CHAINS(sub_vv, , GET_VV_f32, GET_CHAIN_VV_V, x - y)
CHAINS(sub_vs, SPLAT_Y, GET_X_f32, GET_CHAIN_V_V, x - y)
CHAINS(sub_sv, SPLAT_X, GET_Y_f32, GET_CHAIN_W_V, x - y)
CHAINS(mul_vv, , GET_VV_f32, GET_CHAIN_VV_V, x *y)
CHAINS(mul_vs, SPLAT_Y, GET_X_f32, GET_CHAIN_V_V, x *y)

#define CHAIN_ROW(P)                                                                            \
  {                                                                                             \
    [CK_THEN_ADD] = {chain_##P##_add_v, chain_##P##_add_s},                                     \
    [CK_THEN_SUBTRACT] = {chain_##P##_sub_v, chain_##P##_sub_s},                                \
    [CK_THEN_SUBTRACT_FROM] = {chain_##P##_rsub_v, chain_##P##_rsub_s},                         \
    [CK_THEN_MULTIPLY] = {chain_##P##_mul_v, chain_##P##_mul_s},                                \
    [CK_THEN_SQUARE] = {chain_##P##_square, chain_##P##_square},                                \
    [CK_THEN_RELU] = {chain_##P##_relu, chain_##P##_relu},                                      \
    [CK_THEN_EXPONENT] = {chain_##P##_exp, chain_##P##_exp},                                    \
  }

// -|x|, as in the stable forms of many functions.
UNARY(f_negative_absolute, f32, f32, (v_f32)(F32_BITS(x) | INT32_MIN))
