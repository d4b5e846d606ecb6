// One pool of threads for the whole engine.
#ifndef CK_THREADS_H
#define CK_THREADS_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Work on the half-open range [begin, end). `thread` is in 0 ..< ck_num_threads().
typedef void (*ck_task)(void *context, int64_t begin, int64_t end, int thread);

/// Splits 0 ..< count into one contiguous, statically computed part per thread (so results are
/// repeatable for a thread count), each a multiple of `grain` except the last; runs on the caller
/// alone when count <= grain, inside another parallel region, or in a forked child.
void ck_parallel(int64_t count, int64_t grain, ck_task task, void *context);

/// True inside a parallel region, where kernels must not start another.
bool ck_in_parallel(void);

int ck_num_threads(void);
void ck_set_num_threads(int count);

/// Whether work that takes one thread this long is worth a region now: a few microseconds are just
/// after another region, more when the threads have gone to sleep. False inside a region. The
/// answer varies from call to call, so nothing that changes results may depend on it.
bool ck_parallel_pays(int64_t nanoseconds);

/// Per-thread scratch of at least `bytes`, 64-byte aligned, kept for the next call.
/// Contents are undefined; valid until the same thread asks again for the same `slot` (0 ..< 4).
void *ck_scratch(int slot, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
