// Threads, scratch and the allocator.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CKernels.h"
#include "test.h"

// MARK: Threads

typedef struct {
  _Atomic int hits[1000];
  _Atomic int calls;
  int64_t grain;
  _Atomic int bad;
} cover;

static void nested(void *context, int64_t begin, int64_t end, int thread) {
  (void)thread;
  atomic_fetch_add((_Atomic int64_t *)context, end - begin);
}

static void touch(void *context, int64_t begin, int64_t end, int thread) {
  cover *c = context;
  atomic_fetch_add(&c->calls, 1);
  if (thread < 0 || thread >= ck_num_threads() || begin % c->grain) atomic_fetch_add(&c->bad, 1);
  for (int64_t i = begin; i < end; i++) atomic_fetch_add(&c->hits[i], 1);
  _Atomic int64_t sum = 0;
  ck_parallel(100, 1, nested, (void *)&sum);
  if (sum != 100) atomic_fetch_add(&c->bad, 1);
  memset(ck_scratch(1, 5000), thread, 5000);
}

static void check_cover(int threads, int64_t count, int64_t grain) {
  static cover c;
  memset(&c, 0, sizeof c);
  c.grain = grain;
  ck_parallel(count, grain, touch, &c);
  int wrong = 0;
  for (int64_t i = 0; i < 1000; i++) wrong += c.hits[i] != (i < count);
  CHECK(wrong == 0, "%d of %d not covered once, %d threads", wrong, (int)count, threads);
  CHECK(c.bad == 0, "%d threads, count %d, grain %d", threads, (int)count, (int)grain);
  CHECK(c.calls <= threads, "%d calls", c.calls);
  if (count <= grain) CHECK(c.calls <= 1, "%d calls", c.calls);
}

static void *from_other_thread(void *argument) {
  (void)argument;
  for (int i = 0; i < 200; i++) check_cover(ck_num_threads(), 37 + i, 4);
  return NULL;
}

static void test_threads(void) {
  const int counts[] = {1, 2, 8, 3, 2};
  for (int t = 0; t < 5; t++) {
    ck_set_num_threads(counts[t]);
    CHECK(ck_num_threads() == counts[t], "%d", ck_num_threads());
    for (int64_t count = 0; count < 1000; count += 1 + count / 3)
      for (int64_t grain = 1; grain < 300; grain *= 3) check_cover(counts[t], count, grain);
  }
  CHECK(!ck_in_parallel(), "outside");
  ck_set_num_threads(2);
  pthread_t thread;
  pthread_create(&thread, NULL, from_other_thread, NULL);
  pthread_join(thread, NULL);
  usleep(20000);  // the workers go to sleep
  check_cover(2, 999, 1);

  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    int alone = ck_num_threads() == 1;
    check_cover(1, 999, 1);
    void *p = ck_alloc(1 << 20);
    memset(p, 1, 1 << 20);
    ck_free(p, 1 << 20);
    _exit(alone && failures == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0, "the forked child gave %d", status);
  check_cover(2, 999, 1);
}

// MARK: Memory

typedef struct {
  unsigned char *pointer;
  size_t bytes;
  unsigned char mark;
} held;

static void *churn(void *argument) {
  unsigned long long seed = (unsigned long long)(uintptr_t)argument;
  held slots[32] = {0};
  for (int i = 0; i < 3000; i++) {
    held *h = &slots[next_random(&seed) % 32];
    if (h->pointer) {
      CHECK(h->pointer[0] == h->mark && h->pointer[h->bytes - 1] == h->mark, "overlap");
      ck_free(h->pointer, h->bytes);
      h->pointer = NULL;
      continue;
    }
    h->bytes = 1 + next_random(&seed) % ((size_t)1 << (4 + next_random(&seed) % 18));
    h->pointer = ck_alloc(h->bytes);
    h->mark = (unsigned char)i;
    h->pointer[0] = h->pointer[h->bytes - 1] = h->mark;
    CHECK((uintptr_t)h->pointer % (h->bytes > 4096 ? 4096 : 64) == 0, "alignment");
  }
  for (int i = 0; i < 32; i++) ck_free(slots[i].pointer, slots[i].bytes);
  return NULL;
}

static void test_memory(void) {
  ck_memory_stats before = ck_memory_read();
  pthread_t threads[4];
  for (uintptr_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, churn, (void *)(i + 1));
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  ck_memory_stats after = ck_memory_read();
  CHECK(after.in_use == before.in_use, "%lld leaked", (long long)(after.in_use - before.in_use));

  void *zero = ck_alloc(0);
  CHECK(zero != NULL, "zero bytes");
  ck_free(zero, 0);
  ck_free(NULL, 10);
  CHECK(ck_alloc(SIZE_MAX) == NULL, "absurd");
  CHECK(ck_alloc((size_t)1 << 62) == NULL, "absurd");
  CHECK(ck_alloc((size_t)1 << 50) == NULL, "more than an address space");

  // The cache is bounded: rising sizes would otherwise keep all of them.
  for (size_t mib = 8; mib <= 200; mib += 8) {
    void *p = ck_alloc(mib << 20);
    ck_free(p, mib << 20);
  }
  CHECK(ck_memory_read().cached <= (int64_t)256 << 20, "%lld", (long long)ck_memory_read().cached);
  ck_trim();
  CHECK(ck_memory_read().cached == 0, "trim");

  void *p = ck_alloc(5 << 20);
  ck_memory_stats first = ck_memory_read();
  ck_free(p, 5 << 20);
  p = ck_alloc((5 << 20) - 100);
  ck_memory_stats second = ck_memory_read();
#if !TEST_ASAN
  CHECK(second.system_allocations == first.system_allocations, "not recycled");
#endif
  CHECK(second.allocations == first.allocations + 1, "counted");
  ck_memory_reset_peak();
  CHECK(ck_memory_read().peak == ck_memory_read().in_use, "peak");
  ck_free(p, (5 << 20) - 100);
}

int main(void) {
  test_threads();
  test_memory();
  return finish("runtime");
}
