// Sixteen blocks at a time, one per lane; CK_NAME(x) adds the instruction set's suffix.

// The product's two halves by 64-bit multiplication of zero-extended lanes, which every instruction
// set has; the compiler joins the lanes again.
static inline void CK_NAME(multiply)(const uint32_t *a, uint32_t by, uint32_t *high, uint32_t *low) {
  for (int i = 0; i < CK_PHILOX_LANES; i++) {
    uint64_t product = (uint64_t)a[i] * by;
    high[i] = (uint32_t)(product >> 32);
    low[i] = (uint32_t)product;
  }
}

/// Blocks block ..< block + CK_PHILOX_LANES, four words each.
static void CK_NAME(philox_lanes)(const uint32_t key[2], uint64_t block, uint32_t *words) {
  uint32_t x0[CK_PHILOX_LANES], x1[CK_PHILOX_LANES], x2[CK_PHILOX_LANES], x3[CK_PHILOX_LANES];
  uint32_t h0[CK_PHILOX_LANES], l0[CK_PHILOX_LANES], h1[CK_PHILOX_LANES], l1[CK_PHILOX_LANES];
  for (int i = 0; i < CK_PHILOX_LANES; i++) {
    uint64_t number = block + (uint64_t)i;
    x0[i] = (uint32_t)number;
    x1[i] = (uint32_t)(number >> 32);
    x2[i] = x3[i] = 0;
  }
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < CK_PHILOX_ROUNDS; round++) {
    CK_NAME(multiply)(x0, CK_PHILOX_M0, h0, l0);
    CK_NAME(multiply)(x2, CK_PHILOX_M1, h1, l1);
    for (int i = 0; i < CK_PHILOX_LANES; i++) {
      x0[i] = h1[i] ^ x1[i] ^ k0;
      x1[i] = l1[i];
      x2[i] = h0[i] ^ x3[i] ^ k1;
      x3[i] = l0[i];
    }
    k0 += CK_PHILOX_W0;
    k1 += CK_PHILOX_W1;
  }
  for (int i = 0; i < CK_PHILOX_LANES; i++) {
    words[4 * i] = x0[i];
    words[4 * i + 1] = x1[i];
    words[4 * i + 2] = x2[i];
    words[4 * i + 3] = x3[i];
  }
}
