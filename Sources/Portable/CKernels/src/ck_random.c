#include "../include/ck_random.h"

#include <string.h>

#include "../include/ck_threads.h"
#include "ck_strided.h"
#include "ck_target.h"

// Constants and round count of philox4x32-10 as published.
#define CK_PHILOX_ROUNDS 10
#define CK_PHILOX_M0 0xD2511F53u
#define CK_PHILOX_M1 0xCD9E8D57u
#define CK_PHILOX_W0 0x9E3779B9u
#define CK_PHILOX_W1 0xBB67AE85u

// As many lanes as keep their state in registers.
#define CK_PHILOX_LANES 8
#define CK_NAME(x) x##_base
#include "ck_random_body.h"
#undef CK_NAME
#if CK_X86
CK_TARGET_AVX2_BEGIN
#define CK_NAME(x) x##_avx2
#include "ck_random_body.h"
#undef CK_NAME
CK_TARGET_END
CK_TARGET_AVX512_BEGIN
#undef CK_PHILOX_LANES
#define CK_PHILOX_LANES 16
#define CK_NAME(x) x##_avx512
#include "ck_random_body.h"
#undef CK_NAME
CK_TARGET_END
#endif

enum { MAX_BATCH = 4 * 16 };

typedef struct {
  void (*lanes)(const uint32_t key[2], uint64_t block, uint32_t *words);
  int64_t batch;  // words per call
} philox;

static philox philox_for_isa(void) {
#if CK_X86
  switch (ck_isa_current()) {
    case CK_ISA_AVX512: return (philox){philox_lanes_avx512, 64};
    case CK_ISA_AVX2: return (philox){philox_lanes_avx2, 32};
    default: break;
  }
#endif
  return (philox){philox_lanes_base, 32};
}

void ck_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]) {
  uint32_t x0 = counter[0], x1 = counter[1], x2 = counter[2], x3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < CK_PHILOX_ROUNDS; round++) {
    uint64_t p0 = (uint64_t)x0 * CK_PHILOX_M0, p1 = (uint64_t)x2 * CK_PHILOX_M1;
    x0 = (uint32_t)(p1 >> 32) ^ x1 ^ k0;
    x1 = (uint32_t)p1;
    x2 = (uint32_t)(p0 >> 32) ^ x3 ^ k1;
    x3 = (uint32_t)p0;
    k0 += CK_PHILOX_W0;
    k1 += CK_PHILOX_W1;
  }
  words[0] = x0, words[1] = x1, words[2] = x2, words[3] = x3;
}

void ck_philox_words(uint64_t seed, uint64_t offset, int64_t count, uint32_t *words) {
  const philox p = philox_for_isa();
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t partial[MAX_BATCH];
  for (int64_t i = 0; i < count;) {
    uint64_t word = offset + (uint64_t)i, skip = word % 4;
    if (skip == 0 && count - i >= p.batch) {
      p.lanes(key, word / 4, words + i);
      i += p.batch;
      continue;
    }
    int64_t n = p.batch - (int64_t)skip;
    n = n < count - i ? n : count - i;
    p.lanes(key, word / 4, partial);
    memcpy(words + i, partial + skip, (size_t)n * sizeof *words);
    i += n;
  }
}

typedef struct {
  uint64_t seed, offset;
  uint32_t *words;
} draw;

static void draw_task(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  const draw *d = context;
  ck_philox_words(d->seed, d->offset + (uint64_t)begin, end - begin, d->words + begin);
}

void ck_philox(const void *params, void *const *slots) {
  const ck_philox_params *p = params;
  int64_t seed, offset;
  memcpy(&seed, ck_at(slots, p->seed), sizeof seed);
  memcpy(&offset, ck_at(slots, p->offset), sizeof offset);
  draw d = {(uint64_t)seed, (uint64_t)offset, ck_at(slots, p->result)};
  ck_parallel(p->count, ck_grain(0.5) / 64 * 64, draw_task, &d);
}
