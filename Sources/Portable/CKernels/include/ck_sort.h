// Sorting along one axis.
#ifndef CK_SORT_H
#define CK_SORT_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sort, arg-sort and top-k: the first `k` elements of every line along `axis` in sorted order.
///
/// Stable: equal elements keep their order of index, also when descending. NaN counts as larger than
/// every number and equal to itself: last when ascending, first when descending; -0 equals +0.
/// k == shape[axis] sorts; a smaller k is topK (`descending`) or bottomK (ascending).
///
/// `shape` is the source's; `values` (of the source's type) and `indices` (CK_I32) have k elements
/// along the axis. Either may be absent: ref.slot < 0. All operands strided per dimension; none
/// may overlap another.
typedef struct {
  int32_t rank, axis;
  int64_t shape[CK_MAX_RANK];
  int64_t k;
  bool descending;
  ck_operand source;
  ck_operand values;
  ck_operand indices;
} ck_sort_params;
void ck_sort(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
