// A tiny harness: checks count, the first failures are printed, main returns whether all passed.
#ifndef CK_TEST_H
#define CK_TEST_H

#include <stdio.h>
#include <stdlib.h>

// Under the address sanitizer the allocator does not recycle.
#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif

static int checks, failures;

#define CHECK(condition, ...)                                       \
  do {                                                              \
    checks++;                                                       \
    if (!(condition) && failures++ < 20) {                          \
      fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition); \
      fprintf(stderr, __VA_ARGS__);                                 \
      fputc('\n', stderr);                                          \
    }                                                               \
  } while (0)

static inline int finish(const char *name) {
  printf("%s: %d checks, %d failures\n", name, checks, failures);
  return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

// A small generator, so that failures repeat.
static inline unsigned long long next_random(unsigned long long *state) {
  *state = *state * 6364136223846793005ull + 1442695040888963407ull;
  return *state >> 33;
}

static inline float random_float(unsigned long long *state) {
  return (float)((double)next_random(state) / (double)(1ull << 30) - 1.0);
}

#endif
