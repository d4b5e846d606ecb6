// Strided copies on plain pointers, for kernels that convert or start their operands.
#ifndef CK_MOVE_H
#define CK_MOVE_H

#include "../include/ck_common.h"

/// ck_copy and ck_fill on pointers; strides in elements.
void ck_move(int32_t rank, const int64_t *shape, const void *source, ck_dtype source_type,
             const int64_t *source_stride, void *result, ck_dtype result_type,
             const int64_t *result_stride);
void ck_move_fill(int32_t rank, const int64_t *shape, double value, void *result,
                  ck_dtype result_type, const int64_t *result_stride);

/// One line of `count` elements, on the calling thread.
void ck_move_line(int64_t count, const void *source, ck_dtype source_type, int64_t source_stride,
                  void *result, ck_dtype result_type, int64_t result_stride);

#endif
