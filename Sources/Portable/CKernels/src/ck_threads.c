// One pool for all kernels: OpenMP's when oneDNN brought it, otherwise our own.
//
// Regions are short (microseconds), so workers spin before they sleep, and a region is handed over
// through one cache line per worker. Parts are computed from (count, grain, threads) alone. A part
// whose worker is late, because it slept or the machine is busy, is run by the caller.
#define _GNU_SOURCE
#include "ck_threads.h"

#include <dlfcn.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ck_internal.h"
#include "ck_memory.h"
#include "ck_processors.h"

enum { MAX_THREADS = 256 };

// How long a worker spins before it sleeps: longer than the serial steps between two regions of a
// program, short enough not to burn an idle processor.
static const int64_t spin_nanoseconds = 200 * 1000;

typedef struct {
  ck_task task;
  void *context;
  int64_t count, part;  // the size of every part but the last
  int parts;
} region;

// MARK: State

typedef struct {
  _Alignas(CK_ALIGNMENT) _Atomic uint32_t ticket;  // region to run; changes wake the worker
  _Atomic uint32_t taken;                          // the last ticket whose part was begun
  _Atomic uint32_t sleeping;
} worker;

// Threads spin for a while after a region (OpenMP's as well): until then handing over is cheap.
static const int64_t hot_nanoseconds = 200 * 1000;
static const int64_t hot_least = 3000, cold_least = 24000;
static _Atomic int64_t last_region;  // or last question of ck_parallel_pays

static worker workers[MAX_THREADS];
static int started;  // workers running, under `pool_lock`
static region current;
static _Alignas(CK_ALIGNMENT) _Atomic int pending;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;  // held for the length of a region
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int threads;
static _Atomic bool forked, used;

static _Thread_local bool inside;
static _Thread_local int thread_index;

typedef void (*gomp_parallel)(void (*)(void *), void *, unsigned, unsigned);
typedef int (*omp_get)(void);
static _Atomic(gomp_parallel) start_openmp;
static omp_get openmp_thread, openmp_team;

// MARK: Small pieces

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void futex_wait(_Atomic uint32_t *word, uint32_t expected) {
  (void)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word) {
  (void)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

// OpenMP's workers and ours do not survive fork.
static void in_child(void) {
  if (atomic_load(&used)) atomic_store(&forked, true);
  started = 0;
  pthread_mutex_init(&pool_lock, NULL);
}

static void set_up(void) {
  pthread_atfork(NULL, NULL, in_child);
  int count = ck_processors_available();
  int unset = 0;
  (void)atomic_compare_exchange_strong(
    &threads, &unset, count > MAX_THREADS ? MAX_THREADS : count);
}

static void run_part(const region *r, int index) {
  int64_t begin = r->part * index;
  int64_t end = index == r->parts - 1 ? r->count : begin + r->part;
  inside = true;
  int outer = thread_index;
  thread_index = index;
  r->task(r->context, begin, end, index);
  thread_index = outer;
  inside = false;
}

// MARK: Own pool

// Whoever gets this runs the part of `ticket`. Every ticket is taken before the next is given, so the
// one before it is what must be there.
static bool take(worker *w, uint32_t ticket) {
  uint32_t before = ticket - 1;
  return atomic_compare_exchange_strong(&w->taken, &before, ticket);
}

static void *work(void *argument) {
  worker *self = argument;
  int index = (int)(self - workers);
  uint32_t seen = 0;
  for (;;) {
    int64_t deadline = 0;
    uint32_t ticket;
    for (unsigned spins = 0;; spins++) {
      ticket = atomic_load_explicit(&self->ticket, memory_order_acquire);
      if (ticket != seen) break;
      relax();
      if (spins % 256 != 255) continue;
      // A few microseconds without work: where a busy machine has put the caller behind this worker
      // on one processor, it goes first.
      sched_yield();
      int64_t t = now();
      if (deadline == 0) deadline = t + spin_nanoseconds;
      if (t < deadline) continue;
      atomic_store(&self->sleeping, 1);
      if (atomic_load(&self->ticket) == seen) futex_wait(&self->ticket, seen);
      atomic_store(&self->sleeping, 0);
    }
    seen = ticket;
    if (!take(self, ticket)) continue;
    run_part(&current, index);
    atomic_fetch_sub_explicit(&pending, 1, memory_order_release);
  }
  return NULL;
}

// Starts workers 1 ..< count; the number of threads there are, the caller included.
static int start_workers(int count) {
  while (started < count - 1) {
    worker *w = &workers[started + 1];
    atomic_store(&w->ticket, 0);
    atomic_store(&w->taken, 0);
    atomic_store(&w->sleeping, 0);
    pthread_t thread;
    // Signals belong to the host's threads.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failed = pthread_create(&thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (failed) break;
    pthread_detach(thread);
    started++;
  }
  return started + 1;
}

// False when the workers cannot be had; then nothing was run.
static bool run_own(const region *r) {
  if (start_workers(r->parts) < r->parts) return false;
  current = *r;
  atomic_store_explicit(&pending, r->parts - 1, memory_order_relaxed);
  for (int i = 1; i < r->parts; i++) {
    // Sequentially consistent with the worker's `sleeping` store: one of the two sees the other.
    atomic_fetch_add(&workers[i].ticket, 1);
    if (atomic_load(&workers[i].sleeping)) futex_wake(&workers[i].ticket);
  }
  run_part(r, 0);
  for (int i = 1; i < r->parts; i++) {
    if (!take(&workers[i], atomic_load_explicit(&workers[i].ticket, memory_order_relaxed))) continue;
    run_part(r, i);
    atomic_fetch_sub_explicit(&pending, 1, memory_order_relaxed);
  }
  for (unsigned spins = 0; atomic_load_explicit(&pending, memory_order_acquire) > 0; spins++) {
    relax();
    // With more threads than processors the missing part may need this one.
    if (spins > 1000) sched_yield();
  }
  return true;
}

// MARK: OpenMP's pool

static void openmp_body(void *argument) {
  const region *r = argument;
  int team = openmp_team();
  // OpenMP may give fewer threads than asked for; the parts stay the same.
  for (int i = openmp_thread(); i < r->parts; i += team) run_part(r, i);
}

bool ck_threads_adopt_openmp(void *library) {
  omp_get thread, team;
  gomp_parallel start;
  // dlsym returns an object pointer; POSIX blesses this way of making it a function.
  *(void **)&start = dlsym(library, "GOMP_parallel");
  *(void **)&thread = dlsym(library, "omp_get_thread_num");
  *(void **)&team = dlsym(library, "omp_get_num_threads");
  if (!start || !thread || !team) return false;
  openmp_thread = thread;
  openmp_team = team;
  atomic_store(&start_openmp, start);
  return true;
}

bool ck_threads_forked(void) { return atomic_load(&forked); }

// MARK: Public

int ck_num_threads(void) {
  if (atomic_load_explicit(&forked, memory_order_relaxed)) return 1;
  int count = atomic_load_explicit(&threads, memory_order_relaxed);
  if (count > 0) return count;
  (void)pthread_once(&once, set_up);
  return atomic_load(&threads);
}

void ck_set_num_threads(int count) {
  (void)pthread_once(&once, set_up);
  if (count < 1) count = 1;
  atomic_store(&threads, count > MAX_THREADS ? MAX_THREADS : count);
}

bool ck_in_parallel(void) { return inside; }

bool ck_parallel_pays(int64_t nanoseconds) {
  if (nanoseconds < hot_least || inside) return false;
  if (nanoseconds >= cold_least) return true;
  // Asking counts too: a run of such work wakes the threads once and then keeps them awake.
  int64_t time = now();
  return time - atomic_exchange_explicit(&last_region, time, memory_order_relaxed) < hot_nanoseconds;
}

void ck_parallel(int64_t count, int64_t grain, ck_task task, void *context) {
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  if (inside) {
    task(context, 0, count, thread_index);
    return;
  }
  int team = count > grain ? ck_num_threads() : 1;
  int64_t grains = (count - 1) / grain + 1;
  int64_t per = (grains - 1) / team + 1;
  region r = {
    .task = task,
    .context = context,
    .count = count,
    .part = per * grain,
    .parts = (int)((grains - 1) / per + 1),
  };
  if (r.parts == 1) {
    task(context, 0, count, 0);
    return;
  }
  (void)pthread_once(&once, set_up);
  // Another host thread is in a region: the same parts, here, one after another.
  if (pthread_mutex_trylock(&pool_lock) == 0) {
    atomic_store_explicit(&used, true, memory_order_relaxed);
    gomp_parallel start = atomic_load_explicit(&start_openmp, memory_order_acquire);
    bool ran = true;
    if (start) {
      start(openmp_body, &r, (unsigned)r.parts, 0);
    } else {
      ran = run_own(&r);
    }
    atomic_store_explicit(&last_region, now(), memory_order_relaxed);
    pthread_mutex_unlock(&pool_lock);
    if (ran) return;
  }
  for (int i = 0; i < r.parts; i++) run_part(&r, i);
}

// MARK: Scratch

typedef struct {
  void *pointer;
  size_t bytes;
} scratch;

static _Thread_local scratch scratches[CK_SCRATCH_SLOTS];
static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;

static void free_scratch(void *argument) {
  scratch *s = argument;
  for (int i = 0; i < CK_SCRATCH_SLOTS; i++) {
    ck_free(s[i].pointer, s[i].bytes);
    s[i] = (scratch){0};
  }
}

static void make_key(void) { (void)pthread_key_create(&scratch_key, free_scratch); }

void *ck_scratch(int slot, size_t bytes) {
  scratch *s = &scratches[slot];
  if (bytes > s->bytes || !s->pointer) {
    (void)pthread_once(&scratch_once, make_key);
    (void)pthread_setspecific(scratch_key, scratches);
    ck_free(s->pointer, s->bytes);
    // Growing by half at least keeps a slowly rising need from allocating every time.
    size_t wanted = s->bytes + s->bytes / 2;
    s->bytes = bytes > wanted ? bytes : wanted;
    s->pointer = ck_alloc(s->bytes);
    if (!s->pointer) {
      s->bytes = bytes;
      s->pointer = ck_alloc(bytes);
    }
    // Kernels have no way to report; scratch is small beside the buffers that were allocated.
    if (!s->pointer) abort();
  }
  return s->pointer;
}
