// Counter-based random numbers.
#ifndef CK_RANDOM_H
#define CK_RANDOM_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Words of philox4x32-10 (Salmon and others, 2011): element i is word (offset + i) % 4 of the block
/// numbered (offset + i) / 4. The key is the seed's low and high 32 bits; the counter is the block
/// number in words 0 (low) and 1 (high), words 2 and 3 are 0. seed and offset are int64 [1], taken as
/// unsigned, in memory at run time; `result` is `count` contiguous uint32.
typedef struct {
  int64_t count;
  ck_ref seed;
  ck_ref offset;
  ck_ref result;
} ck_philox_params;
void ck_philox(const void *params, void *const *slots);

/// `count` words starting at word `offset` under `seed`: what ck_philox writes, for callers that
/// transform a tile of words at a time. Runs on the calling thread.
void ck_philox_words(uint64_t seed, uint64_t offset, int64_t count, uint32_t *words);

/// One block: ten rounds on `counter` under `key`, as published.
void ck_philox_block(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4]);

#ifdef __cplusplus
}
#endif
#endif
