// Convolution primitives by shape. Making one takes milliseconds, so they are kept; the least
// recently used of too many goes.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ck_onednn_conv.h"

enum { ENTRIES = 256, FORMS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static conv_entry *entries[ENTRIES];
static uint64_t clock_stamp;
// Forms of weights that were seen, so that packed weights can name theirs.
static dnnl_memory_desc forms[FORMS];
static int64_t form_count;

void ck_onednn_conv_lock(void) { pthread_mutex_lock(&lock); }
void ck_onednn_conv_unlock(void) { pthread_mutex_unlock(&lock); }

static void set_up(void) {
  pthread_atfork(ck_onednn_conv_lock, ck_onednn_conv_unlock, ck_onednn_conv_unlock);
}

static uint64_t hash_of(const conv_key *key) {
  uint64_t words[sizeof *key / sizeof(uint64_t)], hash = 14695981039346656037ull;
  memcpy(words, key, sizeof words);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    hash = (hash ^ words[i]) * 1099511628211ull;
    hash ^= hash >> 29;
  }
  return hash;
}

static int64_t form_of(const dnnl_api *api, const struct dnnl_memory_desc *desc) {
  for (int64_t i = 0; i < form_count; i++)
    if (api->memory_desc_equal(forms[i], desc)) return i;
  if (form_count == FORMS || api->memory_desc_clone(&forms[form_count], desc) != 0) return -1;
  return form_count++;
}

static void destroy(const dnnl_api *api, conv_entry *e) {
  for (int i = 0; i < CONV_OPERANDS; i++) {
    conv_operand *o = &e->operands[i];
    if (o->given) api->memory_destroy(o->given);
    if (o->wanted && o->wanted != o->given) api->memory_destroy(o->wanted);
    if (o->reorder) api->primitive_destroy(o->reorder);
  }
  if (e->bias) api->memory_destroy(e->bias);
  if (e->scratch) api->memory_destroy(e->scratch);
  if (e->primitive) api->primitive_destroy(e->primitive);
  free(e);
}

// MARK: Making a primitive

typedef struct {
  dnnl_memory_desc given[CONV_OPERANDS];  // as the caller has them
  dnnl_memory_desc asked[CONV_OPERANDS];  // the same, or "any"
  dnnl_memory_desc bias;
} descriptions;

static dnnl_memory_desc describe(
  const dnnl_api *api, int rank, const int64_t *dims, const int64_t *strides) {
  dnnl_memory_desc desc = NULL;
  int status = strides ? api->memory_desc_create_with_strides(&desc, rank, dims, DNNL_F32, strides)
                       : api->memory_desc_create_with_tag(&desc, rank, dims, DNNL_F32, DNNL_TAG_ANY);
  return status == 0 ? desc : NULL;
}

// `in_place`: channels-last images are passed as they lie. Others are reordered to what the
// primitive likes, as weights always are: its fast code knows blocked orders only.
static descriptions describe_all(const dnnl_api *api, const conv_key *key, bool in_place) {
  const ck_conv2d_shape *s = &key->shape;
  descriptions d;
  const int64_t source[4] = {s->batch, s->channels_in, s->source_height, s->source_width};
  const int64_t result[4] = {s->batch, s->channels_out, s->result_height, s->result_width};
  const int64_t *weight_strides = key->strides[CONV_WEIGHTS];
  int64_t out = s->channels_out / s->groups, in = s->channels_in / s->groups;
  int64_t weights[5] = {s->groups, out, in, s->kernel_y, s->kernel_x};
  int64_t grouped[5] = {out * weight_strides[0], weight_strides[0], weight_strides[1],
                        weight_strides[2], weight_strides[3]};
  int skip = s->groups == 1;
  const int64_t *images[CONV_OPERANDS] = {source, NULL, result};
  for (int i = 0; i < CONV_OPERANDS; i++) {
    if (i == CONV_WEIGHTS) {
      d.given[i] = describe(api, 5 - skip, weights + skip, grouped + skip);
      d.asked[i] = describe(api, 5 - skip, weights + skip, NULL);
      continue;
    }
    bool as_is = in_place && key->strides[i][1] == 1;
    d.given[i] = describe(api, 4, images[i], key->strides[i]);
    d.asked[i] = describe(api, 4, images[i], as_is ? key->strides[i] : NULL);
  }
  int64_t one = 1;
  d.bias = key->bias ? describe(api, 1, &s->channels_out, &one) : NULL;
  return d;
}

static void destroy_descriptions(const dnnl_api *api, descriptions *d) {
  for (int i = 0; i < CONV_OPERANDS; i++) {
    if (d->given[i]) api->memory_desc_destroy(d->given[i]);
    if (d->asked[i]) api->memory_desc_destroy(d->asked[i]);
  }
  if (d->bias) api->memory_desc_destroy(d->bias);
}

static dnnl_primitive_attr make_attributes(const dnnl_api *api, bool relu) {
  dnnl_primitive_attr attributes = NULL;
  dnnl_post_ops operations = NULL;
  if (api->primitive_attr_create(&attributes) != 0) return NULL;
  bool ok = api->primitive_attr_set_scratchpad_mode(attributes, DNNL_SCRATCHPAD_USER) == 0;
  if (ok && relu) {
    ok = api->post_ops_create(&operations) == 0 &&
         api->post_ops_append_eltwise(operations, DNNL_ELTWISE_RELU, 0, 0) == 0 &&
         api->primitive_attr_set_post_ops(attributes, operations) == 0;
    if (operations) api->post_ops_destroy(operations);
  }
  if (ok) return attributes;
  api->primitive_attr_destroy(attributes);
  return NULL;
}

static dnnl_primitive_desc make_description(
  const dnnl_api *api, const conv_key *key, const descriptions *d) {
  const ck_conv2d_shape *s = &key->shape;
  const int64_t strides[2] = {s->stride_y, s->stride_x};
  const int64_t gaps[2] = {s->dilation_y - 1, s->dilation_x - 1};
  const int64_t left[2] = {s->pad_top, s->pad_left};
  const int64_t right[2] = {
    (s->result_height - 1) * s->stride_y + (s->kernel_y - 1) * s->dilation_y + 1 -
      s->source_height - s->pad_top,
    (s->result_width - 1) * s->stride_x + (s->kernel_x - 1) * s->dilation_x + 1 -
      s->source_width - s->pad_left};
  for (int i = 0; i < CONV_OPERANDS; i++)
    if (!d->given[i] || !d->asked[i]) return NULL;
  if (key->bias && !d->bias) return NULL;
  dnnl_primitive_attr attributes = make_attributes(api, key->relu);
  if (!attributes) return NULL;
  dnnl_primitive_desc forward = NULL, backward = NULL;
  int status = api->convolution_forward_primitive_desc_create(
    &forward, api->engine,
    key->kind == CONV_FORWARD ? DNNL_FORWARD_INFERENCE : DNNL_FORWARD_TRAINING,
    DNNL_CONVOLUTION_AUTO, d->asked[CONV_SOURCE], d->asked[CONV_WEIGHTS], d->bias,
    d->asked[CONV_RESULT], strides, gaps, left, right, attributes);
  if (status == 0 && key->kind == CONV_DATA_GRADIENT) {
    status = api->convolution_backward_data_primitive_desc_create(
      &backward, api->engine, DNNL_CONVOLUTION_AUTO, d->asked[CONV_SOURCE],
      d->asked[CONV_WEIGHTS], d->asked[CONV_RESULT], strides, gaps, left, right, forward,
      attributes);
  } else if (status == 0 && key->kind == CONV_WEIGHTS_GRADIENT) {
    status = api->convolution_backward_weights_primitive_desc_create(
      &backward, api->engine, DNNL_CONVOLUTION_AUTO, d->asked[CONV_SOURCE],
      d->asked[CONV_WEIGHTS], NULL, d->asked[CONV_RESULT], strides, gaps, left, right, forward,
      attributes);
  }
  api->primitive_attr_destroy(attributes);
  if (key->kind == CONV_FORWARD) return status == 0 ? forward : NULL;
  if (forward) api->primitive_desc_destroy(forward);
  return status == 0 ? backward : NULL;
}

// Its reference code is a hundred times slower than our own kernels.
static bool is_fast(const dnnl_api *api, dnnl_primitive_desc description) {
  const char *name = NULL;
  int status = api->primitive_desc_query(description, DNNL_QUERY_IMPLEMENTATION, 0, (void *)&name);
  return status == 0 && name && strncmp(name, "ref", 3) != 0;
}

static const int queries[][CONV_OPERANDS] = {
  [CONV_FORWARD] = {DNNL_QUERY_SRC, DNNL_QUERY_WEIGHTS, DNNL_QUERY_DST},
  [CONV_DATA_GRADIENT] = {DNNL_QUERY_DIFF_SRC, DNNL_QUERY_WEIGHTS, DNNL_QUERY_DIFF_DST},
  [CONV_WEIGHTS_GRADIENT] = {DNNL_QUERY_SRC, DNNL_QUERY_DIFF_WEIGHTS, DNNL_QUERY_DIFF_DST},
};
// The operand that the primitive writes.
static const int outputs[] = {CONV_RESULT, CONV_SOURCE, CONV_WEIGHTS};

static bool make_operand(
  const dnnl_api *api, conv_operand *o, const struct dnnl_memory_desc *given,
  const struct dnnl_memory_desc *wanted, bool output) {
  if (!wanted || api->memory_create(&o->given, given, api->engine, NULL) != 0) return false;
  o->bytes = api->memory_desc_get_size(wanted);
  if (api->memory_desc_equal(given, wanted)) {
    o->wanted = o->given;
    return true;
  }
  if (api->memory_create(&o->wanted, wanted, api->engine, NULL) != 0) return false;
  dnnl_primitive_desc description = NULL;
  int status = api->reorder_primitive_desc_create(
    &description, output ? wanted : given, api->engine, output ? given : wanted, api->engine,
    NULL);
  if (status == 0) status = api->primitive_create(&o->reorder, description);
  if (description) api->primitive_desc_destroy(description);
  return status == 0;
}

static bool make_entry(
  const dnnl_api *api, conv_entry *e, const descriptions *d, dnnl_primitive_desc description) {
  const conv_key *key = &e->key;
  for (int i = 0; i < CONV_OPERANDS; i++) {
    const struct dnnl_memory_desc *wanted =
      api->primitive_desc_query_md(description, queries[key->kind][i], 0);
    if (!make_operand(api, &e->operands[i], d->given[i], wanted, outputs[key->kind] == i))
      return false;
    if (i == CONV_WEIGHTS) e->weights_form = form_of(api, wanted);
  }
  if (d->bias && api->memory_create(&e->bias, d->bias, api->engine, NULL) != 0) return false;
  const struct dnnl_memory_desc *scratch =
    api->primitive_desc_query_md(description, DNNL_QUERY_SCRATCHPAD, 0);
  e->scratch_bytes = scratch ? api->memory_desc_get_size(scratch) : 0;
  if (
    e->scratch_bytes > 0 && api->memory_create(&e->scratch, scratch, api->engine, NULL) != 0)
    return false;
  return api->primitive_create(&e->primitive, description) == 0;
}

static conv_entry *make(const dnnl_api *api, const conv_key *key) {
  conv_entry *e = NULL;
  // First with images in place; where that has no fast code, reordered.
  for (int attempt = 0; attempt < 2; attempt++) {
    if (e) destroy(api, e);
    e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->key = *key;
    descriptions d = describe_all(api, key, attempt == 0);
    dnnl_primitive_desc description = make_description(api, key, &d);
    bool made = description && is_fast(api, description) && make_entry(api, e, &d, description);
    if (description) api->primitive_desc_destroy(description);
    destroy_descriptions(api, &d);
    if (made) return e;
    if (e->primitive) api->primitive_destroy(e->primitive);
    e->primitive = NULL;
  }
  return e;
}

// MARK: Looking one up

conv_entry *ck_onednn_conv_entry(const conv_key *key) {
  const dnnl_api *api = ck_onednn_api();
  (void)pthread_once(&once, set_up);
  uint64_t hash = hash_of(key);
  int oldest = 0;
  for (int i = 0; i < ENTRIES; i++) {
    conv_entry *e = entries[i];
    if (!e) {
      oldest = i;
      break;
    }
    if (e->hash == hash && memcmp(&e->key, key, sizeof *key) == 0) {
      e->stamp = ++clock_stamp;
      return e;
    }
    if (e->stamp < entries[oldest]->stamp) oldest = i;
  }
  conv_entry *e = make(api, key);
  if (!e) return NULL;
  if (entries[oldest]) destroy(api, entries[oldest]);
  e->hash = hash;
  e->stamp = ++clock_stamp;
  entries[oldest] = e;
  return e;
}
