// philox4x32-10 against the known answers published with Random123, and ck_philox against its blocks.
#include "check.h"

int main(void) {
  static const struct {
    uint32_t counter[4], key[2], words[4];
  } known[3] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (int k = 0; k < 3; k++) {
    uint32_t words[4];
    ck_philox_block(known[k].counter, known[k].key, words);
    CHECK(memcmp(words, known[k].words, sizeof words) == 0, "known answer %d", k);
  }
  static const int64_t offsets[6] = {0, 1, 3, 4294967295ll * 4 - 30, 1ll << 40, 17};
  for (int k = 0; k < 60; k++) {
    int64_t count = k % 10 == 9 ? 100003 : check_below(300), seed = (int64_t)check_random();
    int64_t offset = k < 6 ? offsets[k] : (int64_t)(check_random() >> 2);
    uint32_t *result = malloc((size_t)(count + 1) * sizeof *result);
    ck_philox_params p = {.count = count, .seed = {0, 0}, .offset = {1, 0}, .result = {2, 0}};
    void *slots[3] = {&seed, &offset, result};
    ck_philox(&p, slots);
    for (int64_t i = 0; i < count; i++) {
      uint64_t word = (uint64_t)offset + (uint64_t)i, block = word / 4;
      uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
      uint32_t key[2] = {(uint32_t)seed, (uint32_t)((uint64_t)seed >> 32)}, words[4];
      ck_philox_block(counter, key, words);
      CHECK(result[i] == words[word % 4], "word %lld", (long long)i);
    }
    free(result);
  }
  printf("random: ok (%s)\n", ck_isa_name());
  return 0;
}
