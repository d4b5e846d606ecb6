// The instruction set is chosen once; every kernel family dispatches on it.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ck_common.h"

static const char *const names[] = {"base", "avx2", "avx512", "neon"};

static ck_isa detect(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CK_ISA_BASE;
  if (
    __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
    __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return CK_ISA_AVX512;
  return CK_ISA_AVX2;
#elif defined(__aarch64__)
  return CK_ISA_NEON;
#else
  return CK_ISA_BASE;
#endif
}

// LUCID_ISA may only narrow: a set the processor lacks would fault.
static ck_isa choose(void) {
  ck_isa found = detect();
  const char *wish = getenv("LUCID_ISA");
  if (!wish) return found;
  for (int i = 0; i < 4; i++) {
    if (strcmp(wish, names[i]) != 0) continue;
    if (found == CK_ISA_NEON) return i == CK_ISA_BASE ? CK_ISA_BASE : found;
    return i <= (int)found ? (ck_isa)i : found;
  }
  return found;
}

ck_isa ck_isa_current(void) {
  static _Atomic int cached = -1;
  int isa = atomic_load_explicit(&cached, memory_order_relaxed);
  if (isa < 0) {
    isa = (int)choose();
    atomic_store_explicit(&cached, isa, memory_order_relaxed);
  }
  return (ck_isa)isa;
}

const char *ck_isa_name(void) { return names[ck_isa_current()]; }

void ck_run(const ck_step *steps, int64_t count, void *const *slots) {
  for (int64_t i = 0; i < count; i++) steps[i].kernel(steps[i].params, slots);
}
