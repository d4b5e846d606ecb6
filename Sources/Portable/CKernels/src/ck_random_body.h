// Several blocks at a time, one per lane; CK_NAME(x) adds the instruction set's suffix.
//
// Words live in 64-bit lanes, because the instruction that multiplies 32 by 32 to 64 bits takes them
// there and ignores what the upper halves hold. So nothing is masked or moved between rounds.

/// Blocks block ..< block + CK_PHILOX_LANES, four words each.
static void CK_NAME(philox_lanes)(const uint32_t key[2], uint64_t block, uint32_t *words) {
  uint64_t x0[CK_PHILOX_LANES], x1[CK_PHILOX_LANES], x2[CK_PHILOX_LANES], x3[CK_PHILOX_LANES];
  for (int i = 0; i < CK_PHILOX_LANES; i++) {
    x0[i] = block + (uint64_t)i;
    x1[i] = x0[i] >> 32;
    x2[i] = x3[i] = 0;
  }
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < CK_PHILOX_ROUNDS; round++) {
    for (int i = 0; i < CK_PHILOX_LANES; i++) {
      uint64_t p0 = (x0[i] & 0xffffffffu) * CK_PHILOX_M0, p1 = (x2[i] & 0xffffffffu) * CK_PHILOX_M1;
      x0[i] = (p1 >> 32) ^ x1[i] ^ k0;
      x1[i] = p1;
      x2[i] = (p0 >> 32) ^ x3[i] ^ k1;
      x3[i] = p0;
    }
    k0 += CK_PHILOX_W0;
    k1 += CK_PHILOX_W1;
  }
  for (int i = 0; i < CK_PHILOX_LANES; i++) {
    words[4 * i] = (uint32_t)x0[i];
    words[4 * i + 1] = (uint32_t)x1[i];
    words[4 * i + 2] = (uint32_t)x2[i];
    words[4 * i + 3] = (uint32_t)x3[i];
  }
}
