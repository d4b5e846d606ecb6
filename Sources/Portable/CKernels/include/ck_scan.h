// Cumulative operations along one axis.
#ifndef CK_SCAN_H
#define CK_SCAN_H

#include "ck_common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CK_SCAN_SUM = 0, CK_SCAN_PRODUCT = 1, CK_SCAN_MIN = 2, CK_SCAN_MAX = 3 } ck_scan_op;

/// result[p] = op over source[q], q <= p along `axis` (q < p if `exclusive`; from the end if
/// `reverse`). An exclusive scan starts with the neutral value: 0, 1, +inf or the largest integer,
/// -inf or the smallest. Floats accumulate sums and products in float64 and round per element;
/// integers wrap; bool computes in int32 and stores `!= 0`. Minimum and maximum propagate NaN.
///
/// The source and the result have the same shape and type, strides per dimension; the result may be
/// the source.
typedef struct {
  int32_t rank, axis;
  int64_t shape[CK_MAX_RANK];
  ck_scan_op op;
  bool exclusive, reverse;
  ck_operand source;
  ck_operand result;
} ck_scan_params;
void ck_scan(const void *params, void *const *slots);

#ifdef __cplusplus
}
#endif
#endif
