// A caching allocator: fresh memory costs a page fault per 4 KiB, recycled memory nothing.
//
// Sizes are rounded up to a class: four per power of two, so little is wasted, then to alignment.
// Freed blocks go to their class's list and to one list by age; when the cache holds more than
// its limit, the oldest blocks go back to the system. The links live in the free blocks.
#define _GNU_SOURCE
#include "ck_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#define CK_NO_CACHE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CK_NO_CACHE 1
#endif
#endif
#ifndef CK_NO_CACHE
#define CK_NO_CACHE 0
#endif

enum {
  PAGE = 4096,
  // From here on blocks come from mmap, so that releasing one really returns it.
  MAP_BYTES = 256 << 10,
  // Huge pages need 2 MiB of aligned memory; below twice that they seldom fit.
  HUGE_BYTES = 4 << 20,
  CLASSES = 4 * 64,
};

// More than any machine has; an overflowed product of sizes must not reach the system.
static const size_t most_bytes = (size_t)1 << 46;
static const size_t least_limit = (size_t)256 << 20;

typedef struct block block;
struct block {
  block *next, *previous;    // in the class, most recent first
  block *younger, *older;    // over all classes
  size_t bytes;              // of the class
  int class_index;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static block *lists[CLASSES];
static block *youngest, *oldest;
static ck_memory_stats stats;
static int64_t highest_ever;

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void after_fork(void) { pthread_mutex_unlock(&lock); }
static void set_up(void) { pthread_atfork(before_fork, after_fork, after_fork); }

// The class that holds `bytes`, and its size. Class sizes are (4 + q) << s, at least 64.
static int class_of(size_t bytes, size_t *size) {
  if (bytes <= 64) {
    *size = 64;
    return 0;
  }
  int top = 63 - __builtin_clzll((unsigned long long)bytes - 1);
  int shift = top - 2;
  size_t quarter = ((bytes - 1) >> shift) + 1;  // 5 ... 8
  size_t rounded = quarter << shift;
  int index = 4 * shift + (int)(quarter - 4);
  // Keep the alignment inside the smallest classes and whole pages above 4 KiB.
  size_t unit = rounded > PAGE ? PAGE : CK_ALIGNMENT;
  *size = (rounded + unit - 1) & ~(unit - 1);
  return index;
}

static void *system_alloc(size_t size) {
  if (size >= MAP_BYTES && !CK_NO_CACHE) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= HUGE_BYTES) (void)madvise(p, size, MADV_HUGEPAGE);
#endif
    return p;
  }
  void *p = NULL;
  if (posix_memalign(&p, size > PAGE ? PAGE : CK_ALIGNMENT, size) != 0) return NULL;
  return p;
}

static void system_free(void *p, size_t size) {
  if (size >= MAP_BYTES && !CK_NO_CACHE) {
    (void)munmap(p, size);
  } else {
    free(p);
  }
}

static void unlink_block(block *b) {
  if (b->previous) {
    b->previous->next = b->next;
  } else {
    lists[b->class_index] = b->next;
  }
  if (b->next) b->next->previous = b->previous;
  if (b->younger) {
    b->younger->older = b->older;
  } else {
    youngest = b->older;
  }
  if (b->older) {
    b->older->younger = b->younger;
  } else {
    oldest = b->younger;
  }
  stats.cached -= (int64_t)b->bytes;
}

static void link_block(block *b) {
  b->previous = NULL;
  b->next = lists[b->class_index];
  if (b->next) b->next->previous = b;
  lists[b->class_index] = b;
  b->younger = NULL;
  b->older = youngest;
  if (youngest) {
    youngest->younger = b;
  } else {
    oldest = b;
  }
  youngest = b;
  stats.cached += (int64_t)b->bytes;
}

// Takes the oldest blocks until at most `limit` bytes stay; returns them linked by `older`.
static block *evict(size_t limit) {
  block *out = NULL;
  while (oldest && (size_t)stats.cached > limit) {
    block *b = oldest;
    unlink_block(b);
    b->older = out;
    out = b;
  }
  return out;
}

static size_t release(block *b) {
  size_t total = 0;
  while (b) {
    block *next = b->older;
    total += b->bytes;
    system_free(b, b->bytes);
    b = next;
  }
  return total;
}

static void count_use(size_t bytes) {
  stats.in_use += (int64_t)bytes;
  if (stats.in_use > stats.peak) stats.peak = stats.in_use;
  if (stats.in_use > highest_ever) highest_ever = stats.in_use;
}

void *ck_alloc(size_t bytes) {
  if (bytes > most_bytes) return NULL;
  (void)pthread_once(&once, set_up);
  size_t size;
  int index = class_of(bytes, &size);
  pthread_mutex_lock(&lock);
  stats.allocations++;
  block *b = lists[index];
  if (b) {
    unlink_block(b);
    count_use(bytes);
    pthread_mutex_unlock(&lock);
    return b;
  }
  stats.system_allocations++;
  pthread_mutex_unlock(&lock);
  void *p = system_alloc(size);
  if (!p && ck_trim() > 0) p = system_alloc(size);
  if (!p) return NULL;
  pthread_mutex_lock(&lock);
  count_use(bytes);
  pthread_mutex_unlock(&lock);
  return p;
}

void ck_free(void *pointer, size_t bytes) {
  if (!pointer) return;
  size_t size;
  int index = class_of(bytes, &size);
  block *out = NULL;
  pthread_mutex_lock(&lock);
  stats.in_use -= (int64_t)bytes;
  if (!CK_NO_CACHE) {
    block *b = pointer;
    b->bytes = size;
    b->class_index = index;
    link_block(b);
    size_t limit = (size_t)highest_ever > least_limit ? (size_t)highest_ever : least_limit;
    out = evict(limit);
  }
  pthread_mutex_unlock(&lock);
  if (CK_NO_CACHE) {
    free(pointer);
  } else if (out) {
    release(out);
  }
}

size_t ck_trim(void) {
  pthread_mutex_lock(&lock);
  block *out = evict(0);
  highest_ever = stats.in_use;
  pthread_mutex_unlock(&lock);
  return release(out);
}

ck_memory_stats ck_memory_read(void) {
  pthread_mutex_lock(&lock);
  ck_memory_stats copy = stats;
  pthread_mutex_unlock(&lock);
  return copy;
}

void ck_memory_reset_peak(void) {
  pthread_mutex_lock(&lock);
  stats.peak = stats.in_use;
  pthread_mutex_unlock(&lock);
}
