// Shared between the runtime's own files (threads, memory, loader); not for other modules.
#ifndef CK_INTERNAL_H
#define CK_INTERNAL_H

#include "ck_common.h"

/// Makes parallel regions run on OpenMP's pool, so that they and oneDNN's primitives share threads
/// instead of competing for the processors. `library` is a dlopen handle through which libgomp's
/// symbols can be found; false when it lacks them.
bool ck_threads_adopt_openmp(void *library);

/// True in a process forked from one that used threads: OpenMP's pool is dead there.
bool ck_threads_forked(void);

/// Scratch slots beyond the four that step kernels (and hooks called from inside these) may use.
enum {
  CK_SCRATCH_GEMM = 4,  // four slots
  CK_SCRATCH_ATTENTION = 8,  // four slots
  CK_SCRATCH_SLOTS = 12,
};

#endif
