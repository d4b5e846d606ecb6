// Transposing blocks of 4-byte elements in registers, 4 x 4.

typedef uint32_t v_4x32 __attribute__((vector_size(16)));

V_INLINE v_4x32 load_4x32(const uint32_t *p) {
  v_4x32 v;
  memcpy(&v, p, sizeof v);
  return v;
}

static void transpose4(
  uint32_t *out, int64_t out_stride, const uint32_t *in, int64_t in_stride, int64_t rows,
  int64_t columns) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) {
    // Lines far apart, which the processor does not foresee.
    enum { AHEAD = 32 };
    if (in_stride > AHEAD && i + AHEAD + 4 <= rows) {
      for (int q = 0; q < 4; q++) __builtin_prefetch(in + (i + AHEAD + q) * in_stride);
    }
    int64_t j = 0;
    for (; j + 4 <= columns; j += 4) {
      const uint32_t *p = in + i * in_stride + j;
      v_4x32 r0 = load_4x32(p), r1 = load_4x32(p + in_stride);
      v_4x32 r2 = load_4x32(p + 2 * in_stride), r3 = load_4x32(p + 3 * in_stride);
      v_4x32 a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
      v_4x32 b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
      v_4x32 c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
      v_4x32 e = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
      v_4x32 column[4] = {
        __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
        __builtin_shufflevector(c, e, 0, 1, 4, 5), __builtin_shufflevector(c, e, 2, 3, 6, 7)};
      for (int q = 0; q < 4; q++) memcpy(out + (j + q) * out_stride + i, &column[q], 16);
    }
    for (; j < columns; j++) {
      for (int q = 0; q < 4; q++) out[j * out_stride + i + q] = in[(i + q) * in_stride + j];
    }
  }
  for (; i < rows; i++) {
    for (int64_t j = 0; j < columns; j++) out[j * out_stride + i] = in[i * in_stride + j];
  }
}
