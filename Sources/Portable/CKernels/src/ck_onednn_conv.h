// Between the cache of convolution primitives and the steps that run them.
#ifndef CK_ONEDNN_CONV_H
#define CK_ONEDNN_CONV_H

#include "ck_onednn.h"
#include "ck_onednn_api.h"

enum { CONV_FORWARD, CONV_DATA_GRADIENT, CONV_WEIGHTS_GRADIENT };
enum { CONV_SOURCE, CONV_WEIGHTS, CONV_RESULT, CONV_OPERANDS };

/// Everything a primitive is made for. All members are 64-bit: compared and hashed as bytes.
typedef struct {
  int64_t kind, relu, bias, threads;
  ck_conv2d_shape shape;
  int64_t strides[CONV_OPERANDS][4];
} conv_key;

/// An operand as the caller has it and as the primitive wants it.
typedef struct {
  dnnl_memory given, wanted;
  dnnl_primitive reorder;  // between the two, NULL when they are the same
  size_t bytes;            // of the wanted form
} conv_operand;

typedef struct {
  conv_key key;
  uint64_t hash, stamp;
  dnnl_primitive primitive;  // NULL: oneDNN does not serve this one
  conv_operand operands[CONV_OPERANDS];
  dnnl_memory bias, scratch;
  size_t scratch_bytes;
  int64_t weights_form;  // names the wanted form of the weights, -1 when it has no name
} conv_entry;

/// The entry of a key, made when new; NULL without memory. The lock must be held until the caller
/// has done with it.
conv_entry *ck_onednn_conv_entry(const conv_key *key);
void ck_onednn_conv_lock(void);
void ck_onednn_conv_unlock(void);

#endif
