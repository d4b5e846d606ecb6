// Reading index operands: wrapping, range checks, flattening.
#ifndef CK_INDEX_READ_H
#define CK_INDEX_READ_H

#include "../include/ck_common.h"

static inline int64_t ck_read_index(const void *base, ck_dtype type, int64_t element) {
  switch (type) {
    case CK_I32: return ((const int32_t *)base)[element];
    case CK_I64: return ((const int64_t *)base)[element];
    case CK_I8: return ((const int8_t *)base)[element];
    case CK_I16: return ((const int16_t *)base)[element];
    case CK_U8: case CK_BOOL: return ((const uint8_t *)base)[element];
    case CK_U16: return ((const uint16_t *)base)[element];
    case CK_U32: return ((const uint32_t *)base)[element];
    case CK_U64: {
      uint64_t v = ((const uint64_t *)base)[element];
      return v > INT64_MAX ? INT64_MAX : (int64_t)v;
    }
    default: return INT64_MAX;  // floats name no element
  }
}

/// The index in 0 ..< extent, or -1.
static inline int64_t ck_wrap_index(int64_t index, int64_t extent) {
  if (index < 0) index += extent;
  return index >= 0 && index < extent ? index : -1;
}

/// Indices that select among `depth` dimensions at once.
typedef struct {
  const void *base;
  ck_dtype type;
  int64_t count_stride, depth_stride;  // in elements
  int32_t depth;
  const int64_t *extent;  // one per indexed dimension
} ck_index_reader;

/// targets[j] = the row-major position of index tuple begin + j (whose first element is `element`
/// when begin is 0), or -1 if any of it is out of range.
static inline void ck_read_targets(const ck_index_reader *r, int64_t element, int64_t begin,
                                   int64_t count, int64_t *targets) {
  // The usual case, without a choice per index.
  int64_t first = element + begin * r->count_stride, step = r->count_stride;
  if (r->depth == 1 && r->type == CK_I64) {
    const int64_t *indices = (const int64_t *)r->base + first;
    for (int64_t j = 0; j < count; j++) targets[j] = ck_wrap_index(indices[j * step], r->extent[0]);
    return;
  }
  if (r->depth == 1 && r->type == CK_I32) {
    const int32_t *indices = (const int32_t *)r->base + first;
    for (int64_t j = 0; j < count; j++) targets[j] = ck_wrap_index(indices[j * step], r->extent[0]);
    return;
  }
  for (int64_t j = 0; j < count; j++) {
    int64_t at = element + (begin + j) * r->count_stride, target = 0;
    for (int32_t d = 0; d < r->depth && target >= 0; d++) {
      int64_t i = ck_wrap_index(ck_read_index(r->base, r->type, at + d * r->depth_stride), r->extent[d]);
      target = i < 0 ? -1 : target * r->extent[d] + i;
    }
    targets[j] = target;
  }
}

/// The element offset of a row-major position under strides.
static inline int64_t ck_target_offset(int64_t target, int32_t depth, const int64_t *extent,
                                       const int64_t *stride) {
  if (depth == 1) return target * stride[0];
  int64_t offset = 0;
  for (int32_t d = depth - 1; d >= 0; d--) {
    offset += target % extent[d] * stride[d];
    target /= extent[d];
  }
  return offset;
}

#endif
