// The caching allocator under every buffer.
#ifndef CK_MEMORY_H
#define CK_MEMORY_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// 64-byte aligned (page aligned above 4 KiB); NULL when the system has no memory. bytes >= 0.
void *ck_alloc(size_t bytes);
/// `bytes` is the size asked for. NULL is allowed.
void ck_free(void *pointer, size_t bytes);
/// Returns cached blocks to the system; the number of bytes returned.
size_t ck_trim(void);

typedef struct {
  int64_t in_use;       // bytes handed out now
  int64_t peak;         // highest in_use since the last reset
  int64_t cached;       // bytes kept for reuse
  int64_t allocations;  // calls to ck_alloc
  int64_t system_allocations;  // those that had to ask the system
} ck_memory_stats;
ck_memory_stats ck_memory_read(void);
void ck_memory_reset_peak(void);

#ifdef __cplusplus
}
#endif
#endif
