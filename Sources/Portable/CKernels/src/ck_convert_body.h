// One conversion loop per pair of types, compiled once per instruction set: CK_NAME(x) adds the
// instruction set's suffix, CK_HARDWARE_F16 says that float16 conversions are instructions.

#if CK_HARDWARE_F16
static inline float CK_NAME(load_f16)(uint16_t h) {
  union { uint16_t u; _Float16 f; } v = {.u = h};
  return (float)v.f;
}
static inline uint16_t CK_NAME(store_f16)(float f) {
  union { _Float16 f; uint16_t u; } v = {.f = (_Float16)f};
  return v.u;
}
#else
static inline float CK_NAME(load_f16)(uint16_t h) { return ck_from_f16(h); }
static inline uint16_t CK_NAME(store_f16)(float f) { return ck_to_f16(f); }
#endif

// The limits are the nearest floats within the type's range; what lies beyond them saturates.
#define CK_SATURATE(D, LOW, HIGH, MIN, MAX)                          \
  static inline D CK_NAME(to_##D)(float f) {                         \
    float g = f >= (LOW) ? f : (LOW);                                \
    g = g <= (HIGH) ? g : (HIGH);                                    \
    D d = (D)g;                                                      \
    d = f > (HIGH) ? (MAX) : d;                                      \
    d = f < (LOW) ? (MIN) : d;                                       \
    return f == f ? d : 0;                                           \
  }
CK_SATURATE(int8_t, -128.0f, 127.0f, INT8_MIN, INT8_MAX)
CK_SATURATE(uint8_t, 0.0f, 255.0f, 0, UINT8_MAX)
CK_SATURATE(int16_t, -32768.0f, 32767.0f, INT16_MIN, INT16_MAX)
CK_SATURATE(uint16_t, 0.0f, 65535.0f, 0, UINT16_MAX)
CK_SATURATE(int32_t, -2147483648.0f, 2147483520.0f, INT32_MIN, INT32_MAX)
CK_SATURATE(uint32_t, 0.0f, 4294967040.0f, 0, UINT32_MAX)
CK_SATURATE(int64_t, -0x1p63f, 0x1.fffffep62f, INT64_MIN, INT64_MAX)
CK_SATURATE(uint64_t, 0.0f, 0x1.fffffep63f, 0, UINT64_MAX)
#undef CK_SATURATE

#define CK_LOOP(FROM, TO, S, D, EXPRESSION)                                               \
  static void CK_NAME(FROM##_##TO)(const void *source, void *result, int64_t count) {     \
    const S *s = source;                                                                  \
    D *d = result;                                                                        \
    for (int64_t i = 0; i < count; i++) {                                                 \
      EXPRESSION;                                                                         \
    }                                                                                     \
  }

#define CK_FROM_FLOAT(FROM, S, LOAD)                                                      \
  CK_LOOP(FROM, f32, S, float, d[i] = LOAD(s[i]))                                         \
  CK_LOOP(FROM, f16, S, uint16_t, d[i] = CK_NAME(store_f16)(LOAD(s[i])))                  \
  CK_LOOP(FROM, bf16, S, uint16_t, d[i] = ck_to_bf16(LOAD(s[i])))                         \
  CK_LOOP(FROM, i8, S, int8_t, d[i] = CK_NAME(to_int8_t)(LOAD(s[i])))                     \
  CK_LOOP(FROM, i16, S, int16_t, d[i] = CK_NAME(to_int16_t)(LOAD(s[i])))                  \
  CK_LOOP(FROM, i32, S, int32_t, d[i] = CK_NAME(to_int32_t)(LOAD(s[i])))                  \
  CK_LOOP(FROM, i64, S, int64_t, d[i] = CK_NAME(to_int64_t)(LOAD(s[i])))                  \
  CK_LOOP(FROM, u8, S, uint8_t, d[i] = CK_NAME(to_uint8_t)(LOAD(s[i])))                   \
  CK_LOOP(FROM, boolean, S, uint8_t, d[i] = LOAD(s[i]) != 0)                              \
  CK_LOOP(FROM, u16, S, uint16_t, d[i] = CK_NAME(to_uint16_t)(LOAD(s[i])))                \
  CK_LOOP(FROM, u32, S, uint32_t, d[i] = CK_NAME(to_uint32_t)(LOAD(s[i])))                \
  CK_LOOP(FROM, u64, S, uint64_t, d[i] = CK_NAME(to_uint64_t)(LOAD(s[i])))

#define CK_FROM_INTEGER(FROM, S)                                                          \
  CK_LOOP(FROM, f32, S, float, d[i] = (float)s[i])                                        \
  CK_LOOP(FROM, f16, S, uint16_t, d[i] = CK_NAME(store_f16)((float)s[i]))                 \
  CK_LOOP(FROM, bf16, S, uint16_t, d[i] = ck_to_bf16((float)s[i]))                        \
  CK_LOOP(FROM, i8, S, int8_t, d[i] = (int8_t)s[i])                                       \
  CK_LOOP(FROM, i16, S, int16_t, d[i] = (int16_t)s[i])                                    \
  CK_LOOP(FROM, i32, S, int32_t, d[i] = (int32_t)s[i])                                    \
  CK_LOOP(FROM, i64, S, int64_t, d[i] = (int64_t)s[i])                                    \
  CK_LOOP(FROM, u8, S, uint8_t, d[i] = (uint8_t)s[i])                                     \
  CK_LOOP(FROM, boolean, S, uint8_t, d[i] = s[i] != 0)                                    \
  CK_LOOP(FROM, u16, S, uint16_t, d[i] = (uint16_t)s[i])                                  \
  CK_LOOP(FROM, u32, S, uint32_t, d[i] = (uint32_t)s[i])                                  \
  CK_LOOP(FROM, u64, S, uint64_t, d[i] = (uint64_t)s[i])

CK_FROM_FLOAT(f32, float, )
CK_FROM_FLOAT(f16, uint16_t, CK_NAME(load_f16))
CK_FROM_FLOAT(bf16, uint16_t, ck_from_bf16)
CK_FROM_INTEGER(i8, int8_t)
CK_FROM_INTEGER(i16, int16_t)
CK_FROM_INTEGER(i32, int32_t)
CK_FROM_INTEGER(i64, int64_t)
CK_FROM_INTEGER(u8, uint8_t)
CK_FROM_INTEGER(boolean, uint8_t)
CK_FROM_INTEGER(u16, uint16_t)
CK_FROM_INTEGER(u32, uint32_t)
CK_FROM_INTEGER(u64, uint64_t)
#undef CK_LOOP
#undef CK_FROM_FLOAT
#undef CK_FROM_INTEGER

#define CK_ROW(S)                                                                         \
  {CK_NAME(S##_f32), CK_NAME(S##_f16), CK_NAME(S##_bf16),    CK_NAME(S##_i8),             \
   CK_NAME(S##_i16), CK_NAME(S##_i32), CK_NAME(S##_i64),     CK_NAME(S##_u8),             \
   CK_NAME(S##_boolean), CK_NAME(S##_u16), CK_NAME(S##_u32), CK_NAME(S##_u64)}
static const ck_convert_row CK_NAME(table)[12][12] = {
    CK_ROW(f32), CK_ROW(f16), CK_ROW(bf16),    CK_ROW(i8),  CK_ROW(i16), CK_ROW(i32),
    CK_ROW(i64), CK_ROW(u8),  CK_ROW(boolean), CK_ROW(u16), CK_ROW(u32), CK_ROW(u64),
};
#undef CK_ROW
