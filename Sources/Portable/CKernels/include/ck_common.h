// Conventions shared by all kernels of the CPU engine.
//
// A compiled program is an array of steps. A step is a kernel and a parameter block that the
// compiler filled in; buffers are named by slot, so one program serves every set of buffers.
#ifndef CK_COMMON_H
#define CK_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CK_MAX_RANK 16
#define CK_ALIGNMENT 64

/// Element types in memory. Arithmetic is done in three compute classes: float32 for the floating
/// types, int32 for integers of up to 32 bits and bool, int64 for the 64-bit ones.
/// (uint32 computes in int64 so that every value is representable.)
typedef enum {
  CK_F32 = 0,
  CK_F16 = 1,
  CK_BF16 = 2,
  CK_I8 = 3,
  CK_I16 = 4,
  CK_I32 = 5,
  CK_I64 = 6,
  CK_U8 = 7,
  CK_BOOL = 8,
  CK_U16 = 9,
  CK_U32 = 10,
  CK_U64 = 11,
} ck_dtype;

static inline int64_t ck_size(ck_dtype t) {
  switch (t) {
    case CK_I8: case CK_U8: case CK_BOOL: return 1;
    case CK_F16: case CK_BF16: case CK_I16: case CK_U16: return 2;
    case CK_F32: case CK_I32: case CK_U32: return 4;
    case CK_I64: case CK_U64: return 8;
  }
  return 0;
}

/// Where an operand lives: byte `offset` into the buffer in `slots[slot]`.
typedef struct {
  int32_t slot;
  int64_t offset;
} ck_ref;

static inline void *ck_at(void *const *slots, ck_ref r) {
  return (char *)slots[r.slot] + r.offset;
}

/// A strided operand: strides in elements, one per dimension of the step's iteration space,
/// 0 where it broadcasts, possibly negative.
typedef struct {
  ck_ref ref;
  ck_dtype dtype;
  int64_t stride[CK_MAX_RANK];
} ck_operand;

/// One kernel invocation. Parameter blocks are plain data and never written by kernels.
typedef void (*ck_kernel)(const void *params, void *const *slots);
typedef struct {
  ck_kernel kernel;
  const void *params;
} ck_step;

void ck_run(const ck_step *steps, int64_t count, void *const *slots);

/// Instruction set chosen at load; `LUCID_ISA=base|avx2|avx512|neon` narrows it, for tests.
typedef enum { CK_ISA_BASE = 0, CK_ISA_AVX2 = 1, CK_ISA_AVX512 = 2, CK_ISA_NEON = 3 } ck_isa;
ck_isa ck_isa_current(void);
const char *ck_isa_name(void);

#ifdef __cplusplus
}
#endif
#endif
