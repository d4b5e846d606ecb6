// The convolution steps on oneDNN's primitives.
#include "ck_onednn_conv.h"

#include <string.h>

#include "ck_memory.h"
#include "ck_threads.h"

// In front of packed weights.
typedef struct {
  uint64_t magic;
  int64_t form;
} packed_header;

enum { HEADER_BYTES = 64 };
static const uint64_t packed_magic = 0x6f6e65444e4e7731;

static conv_key make_key(
  int kind, const ck_conv2d_shape *shape, const ck_operand *source, const ck_operand *weights,
  const ck_operand *result) {
  conv_key key = {.kind = kind, .shape = *shape};
  const ck_operand *operands[CONV_OPERANDS] = {source, weights, result};
  for (int i = 0; i < CONV_OPERANDS; i++)
    memcpy(key.strides[i], operands[i]->stride, sizeof key.strides[i]);
  // One thread inside a region: a primitive that starts its own there hangs.
  key.threads = ck_in_parallel() ? 1 : ck_num_threads();
  return key;
}

// Broadcast and reversed operands have no description, empty ones nothing to do here.
static bool serves(const conv_key *key, const ck_operand *const operands[CONV_OPERANDS]) {
  const ck_conv2d_shape *s = &key->shape;
  if (s->batch <= 0 || s->channels_in <= 0 || s->channels_out <= 0) return false;
  if (s->result_height <= 0 || s->result_width <= 0 || s->kernel_y <= 0 || s->kernel_x <= 0)
    return false;
  for (int i = 0; i < CONV_OPERANDS; i++) {
    if (operands[i]->dtype != CK_F32) return false;
    for (int d = 0; d < 4; d++)
      if (key->strides[i][d] <= 0) return false;
  }
  return true;
}

static const int arguments[][CONV_OPERANDS] = {
  [CONV_FORWARD] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST},
  [CONV_DATA_GRADIENT] = {DNNL_ARG_DIFF_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_DST},
  [CONV_WEIGHTS_GRADIENT] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST},
};
static const int outputs[] = {CONV_RESULT, CONV_SOURCE, CONV_WEIGHTS};

static bool reorder(const dnnl_api *api, const conv_operand *o, bool out) {
  dnnl_exec_arg args[2] = {
    {DNNL_ARG_SRC, out ? o->wanted : o->given}, {DNNL_ARG_DST, out ? o->given : o->wanted}};
  return api->primitive_execute(o->reorder, api->stream, 2, args) == 0;
}

// `packed` stands for the weights in the wanted form, when not NULL.
static bool execute(
  const dnnl_api *api, conv_entry *e, void *const pointers[CONV_OPERANDS], void *bias,
  void *packed) {
  const int64_t kind = e->key.kind;
  dnnl_exec_arg args[CONV_OPERANDS + 2];
  void *copies[CONV_OPERANDS + 1] = {NULL};
  size_t sizes[CONV_OPERANDS + 1] = {0};
  int count = 0;
  bool ok = true;
  for (int i = 0; ok && i < CONV_OPERANDS; i++) {
    conv_operand *o = &e->operands[i];
    bool ready = i == CONV_WEIGHTS && packed;
    ok = api->memory_set_data_handle(o->given, pointers[i]) == 0;
    if (o->reorder && ready) {
      ok = ok && api->memory_set_data_handle(o->wanted, packed) == 0;
    } else if (o->reorder) {
      sizes[i] = o->bytes;
      copies[i] = ck_alloc(o->bytes);
      ok = ok && copies[i] && api->memory_set_data_handle(o->wanted, copies[i]) == 0;
      if (ok && outputs[kind] != i) ok = reorder(api, o, false);
    }
    args[count++] = (dnnl_exec_arg){arguments[kind][i], o->wanted};
  }
  if (ok && e->bias) {
    ok = api->memory_set_data_handle(e->bias, bias) == 0;
    args[count++] = (dnnl_exec_arg){DNNL_ARG_BIAS, e->bias};
  }
  if (ok && e->scratch) {
    sizes[CONV_OPERANDS] = e->scratch_bytes;
    copies[CONV_OPERANDS] = ck_alloc(e->scratch_bytes);
    ok = copies[CONV_OPERANDS] &&
         api->memory_set_data_handle(e->scratch, copies[CONV_OPERANDS]) == 0;
    args[count++] = (dnnl_exec_arg){DNNL_ARG_SCRATCHPAD, e->scratch};
  }
  ok = ok && api->primitive_execute(e->primitive, api->stream, count, args) == 0;
  const conv_operand *output = &e->operands[outputs[kind]];
  if (ok && output->reorder) ok = reorder(api, output, true);
  ok = ok && api->stream_wait(api->stream) == 0;
  for (int i = 0; i <= CONV_OPERANDS; i++) ck_free(copies[i], sizes[i]);
  return ok;
}

typedef struct {
  const dnnl_api *api;
  conv_entry *entry;
  int outer_threads;
} session;

// Looks the primitive up and sets OpenMP for it. When true, end_session must follow.
static bool begin_session(session *s, const conv_key *key) {
  s->api = ck_onednn_api();
  if (!s->api) return false;
  ck_onednn_use_threads();
  ck_onednn_conv_lock();
  s->outer_threads = s->api->get_threads();
  s->api->set_threads((int)key->threads);
  s->entry = ck_onednn_conv_entry(key);
  return true;
}

static void end_session(const session *s) {
  s->api->set_threads(s->outer_threads);
  ck_onednn_conv_unlock();
}

static bool run(
  const conv_key *key, const ck_operand *const operands[CONV_OPERANDS], void *bias, void *packed,
  void *const *slots) {
  session s;
  if (!serves(key, operands) || !begin_session(&s, key)) return false;
  bool ok = false;
  if (s.entry && s.entry->primitive) {
    void *pointers[CONV_OPERANDS];
    for (int i = 0; i < CONV_OPERANDS; i++) pointers[i] = ck_at(slots, operands[i]->ref);
    const packed_header *header = packed;
    bool fits = header && header->magic == packed_magic && header->form == s.entry->weights_form &&
                header->form >= 0;
    ok = execute(s.api, s.entry, pointers, bias, fits ? (char *)packed + HEADER_BYTES : NULL);
  }
  end_session(&s);
  return ok;
}

// MARK: Forward

typedef struct {
  const ck_conv2d_params *params;
  void *const *slots;
} hook_context;

static void run_hook(void *context, int64_t begin, int64_t end, int thread) {
  enum { BLOCK_FLOATS = 8192 };
  (void)thread;
  const hook_context *h = context;
  const ck_conv2d_params *p = h->params;
  float *c = ck_at(h->slots, p->result.ref);
  int64_t cols = p->shape.channels_out, ldc = p->result.stride[3];
  int64_t rows = 1 + BLOCK_FLOATS / cols;
  for (int64_t i = begin; i < end; i += rows) {
    int64_t n = end - i < rows ? end - i : rows;
    p->epilogue(p->epilogue_params, h->slots, c + i * ldc, ldc, 0, i, n, 0, cols);
  }
}

// The hook sees the result as one matrix, a row per pixel.
static bool is_matrix(const ck_conv2d_params *p) {
  const int64_t *s = p->result.stride;
  return s[1] == 1 && s[2] == s[3] * p->shape.result_width &&
         s[0] == s[2] * p->shape.result_height;
}

static conv_key forward_key(const ck_conv2d_params *p) {
  conv_key key = make_key(CONV_FORWARD, &p->shape, &p->source, &p->weights, &p->result);
  key.relu = p->relu;
  key.bias = p->bias.ref.slot >= 0;
  return key;
}

static bool bias_serves(const ck_conv2d_params *p) {
  return p->bias.ref.slot < 0 ||
         (p->bias.dtype == CK_F32 && (p->bias.stride[0] == 1 || p->shape.channels_out == 1));
}

bool ck_onednn_conv2d(const ck_conv2d_params *p, void *const *slots) {
  if (!ck_onednn_available() || !bias_serves(p) || (p->epilogue && !is_matrix(p))) return false;
  const conv_key key = forward_key(p);
  const ck_operand *operands[CONV_OPERANDS] = {&p->source, &p->weights, &p->result};
  void *bias = key.bias ? ck_at(slots, p->bias.ref) : NULL;
  void *packed = p->packed.slot >= 0 && slots[p->packed.slot] ? ck_at(slots, p->packed) : NULL;
  if (!run(&key, operands, bias, packed, slots)) return false;
  if (p->epilogue) {
    hook_context h = {p, slots};
    int64_t rows = p->shape.batch * p->shape.result_height * p->shape.result_width;
    ck_parallel(rows, 1 + 16384 / p->shape.channels_out, run_hook, &h);
  }
  return true;
}

int64_t ck_onednn_conv2d_pack_size(const ck_conv2d_params *p) {
  const ck_operand *operands[CONV_OPERANDS] = {&p->source, &p->weights, &p->result};
  const conv_key key = forward_key(p);
  session s;
  if (!bias_serves(p) || !serves(&key, operands) || !begin_session(&s, &key)) return 0;
  int64_t bytes = 0;
  if (s.entry && s.entry->primitive && s.entry->operands[CONV_WEIGHTS].reorder)
    bytes = HEADER_BYTES + (int64_t)s.entry->operands[CONV_WEIGHTS].bytes;
  end_session(&s);
  return bytes;
}

bool ck_onednn_conv2d_pack(const ck_conv2d_params *p, void *const *slots) {
  const ck_operand *operands[CONV_OPERANDS] = {&p->source, &p->weights, &p->result};
  const conv_key key = forward_key(p);
  session s;
  if (!bias_serves(p) || !serves(&key, operands) || !begin_session(&s, &key)) return false;
  bool ok = false;
  if (s.entry && s.entry->primitive && s.entry->operands[CONV_WEIGHTS].reorder) {
    const conv_operand *o = &s.entry->operands[CONV_WEIGHTS];
    char *packed = ck_at(slots, p->packed);
    packed_header header = {packed_magic, -1};
    ok = s.api->memory_set_data_handle(o->given, ck_at(slots, p->weights.ref)) == 0 &&
         s.api->memory_set_data_handle(o->wanted, packed + HEADER_BYTES) == 0 &&
         reorder(s.api, o, false) && s.api->stream_wait(s.api->stream) == 0;
    // Without a form it fits nothing, and the weights are read.
    if (ok) header.form = s.entry->weights_form;
    memcpy(packed, &header, sizeof header);
  }
  end_session(&s);
  return ok;
}

bool ck_onednn_conv2d_owns(const void *packed) {
  return ((const packed_header *)packed)->magic == packed_magic;
}

// MARK: Gradients

bool ck_onednn_conv2d_data_gradient(
  const ck_conv2d_data_gradient_params *p, void *const *slots) {
  // Only the transposed convolution has a bias; oneDNN's gradient has none.
  if (!ck_onednn_available() || p->bias.ref.slot >= 0) return false;
  const conv_key key =
    make_key(CONV_DATA_GRADIENT, &p->shape, &p->source_gradient, &p->weights, &p->gradient);
  const ck_operand *operands[CONV_OPERANDS] = {&p->source_gradient, &p->weights, &p->gradient};
  return run(&key, operands, NULL, NULL, slots);
}

bool ck_onednn_conv2d_weights_gradient(
  const ck_conv2d_weights_gradient_params *p, void *const *slots) {
  if (!ck_onednn_available()) return false;
  const conv_key key =
    make_key(CONV_WEIGHTS_GRADIENT, &p->shape, &p->source, &p->weights_gradient, &p->gradient);
  const ck_operand *operands[CONV_OPERANDS] = {&p->source, &p->weights_gradient, &p->gradient};
  return run(&key, operands, NULL, NULL, slots);
}
