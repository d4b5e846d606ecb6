// The part of oneDNN's C interface (version 3) that is used, declared here because neither the
// library nor its headers are there when this is built.
#ifndef CK_ONEDNN_API_H
#define CK_ONEDNN_API_H

#include <stddef.h>
#include <stdint.h>

#define DNNL_RANK 12

typedef int64_t dnnl_dims[DNNL_RANK];
typedef struct dnnl_engine *dnnl_engine;
typedef struct dnnl_stream *dnnl_stream;
typedef struct dnnl_memory *dnnl_memory;
typedef struct dnnl_memory_desc *dnnl_memory_desc;
typedef struct dnnl_primitive_desc *dnnl_primitive_desc;
typedef struct dnnl_primitive *dnnl_primitive;
typedef struct dnnl_primitive_attr *dnnl_primitive_attr;
typedef struct dnnl_post_ops *dnnl_post_ops;

typedef struct {
  int major, minor, patch;
  const char *hash;
  unsigned cpu_runtime, gpu_runtime;
} dnnl_version_info;

typedef struct {
  int arg;
  dnnl_memory memory;
} dnnl_exec_arg;

enum {
  DNNL_RUNTIME_OMP = 2,
  DNNL_ENGINE_CPU = 1,
  DNNL_STREAM_DEFAULT = 1,
  DNNL_F32 = 3,
  DNNL_TAG_ANY = 1,
  DNNL_FORWARD_TRAINING = 64,
  DNNL_FORWARD_INFERENCE = 96,
  DNNL_CONVOLUTION_AUTO = 3,
  DNNL_ELTWISE_RELU = 0x20,
  DNNL_SCRATCHPAD_USER = 1,
  DNNL_QUERY_IMPLEMENTATION = 8,
  DNNL_QUERY_SRC = 129,
  DNNL_QUERY_DIFF_SRC = 130,
  DNNL_QUERY_WEIGHTS = 131,
  DNNL_QUERY_DIFF_WEIGHTS = 132,
  DNNL_QUERY_DST = 133,
  DNNL_QUERY_DIFF_DST = 134,
  DNNL_QUERY_SCRATCHPAD = 136,
  DNNL_ARG_SRC = 1,
  DNNL_ARG_DST = 17,
  DNNL_ARG_WEIGHTS = 33,
  DNNL_ARG_BIAS = 41,
  DNNL_ARG_SCRATCHPAD = 80,
  DNNL_ARG_DIFF_SRC = 129,
  DNNL_ARG_DIFF_DST = 145,
  DNNL_ARG_DIFF_WEIGHTS = 161,
};

// name, parameters; all return a status, 0 for success, unless listed in DNNL_OTHERS.
#define DNNL_FUNCTIONS(F)                                                                         \
  F(engine_create, (dnnl_engine *, int kind, size_t index))                                      \
  F(stream_create, (dnnl_stream *, dnnl_engine, unsigned flags))                                 \
  F(stream_wait, (dnnl_stream))                                                                  \
  F(memory_desc_create_with_strides,                                                             \
    (dnnl_memory_desc *, int rank, const int64_t *dims, int type, const int64_t *strides))       \
  F(memory_desc_create_with_tag,                                                                 \
    (dnnl_memory_desc *, int rank, const int64_t *dims, int type, int tag))                      \
  F(memory_desc_clone, (dnnl_memory_desc *, const struct dnnl_memory_desc *))                    \
  F(memory_desc_destroy, (dnnl_memory_desc))                                                     \
  F(memory_create,                                                                               \
    (dnnl_memory *, const struct dnnl_memory_desc *, dnnl_engine, void *handle))                 \
  F(memory_set_data_handle, (dnnl_memory, void *handle))                                         \
  F(memory_destroy, (dnnl_memory))                                                               \
  F(primitive_attr_create, (dnnl_primitive_attr *))                                              \
  F(primitive_attr_set_scratchpad_mode, (dnnl_primitive_attr, int mode))                         \
  F(primitive_attr_set_post_ops, (dnnl_primitive_attr, const struct dnnl_post_ops *))            \
  F(primitive_attr_destroy, (dnnl_primitive_attr))                                               \
  F(post_ops_create, (dnnl_post_ops *))                                                          \
  F(post_ops_append_eltwise, (dnnl_post_ops, int algorithm, float alpha, float beta))            \
  F(post_ops_destroy, (dnnl_post_ops))                                                           \
  F(convolution_forward_primitive_desc_create,                                                   \
    (dnnl_primitive_desc *, dnnl_engine, int kind, int algorithm,                                \
     const struct dnnl_memory_desc *source, const struct dnnl_memory_desc *weights,              \
     const struct dnnl_memory_desc *bias, const struct dnnl_memory_desc *result,                 \
     const int64_t *strides, const int64_t *dilations, const int64_t *left,                      \
     const int64_t *right, const struct dnnl_primitive_attr *))                                  \
  F(convolution_backward_data_primitive_desc_create,                                             \
    (dnnl_primitive_desc *, dnnl_engine, int algorithm, const struct dnnl_memory_desc *source,   \
     const struct dnnl_memory_desc *weights, const struct dnnl_memory_desc *result,              \
     const int64_t *strides, const int64_t *dilations, const int64_t *left,                      \
     const int64_t *right, const struct dnnl_primitive_desc *hint,                               \
     const struct dnnl_primitive_attr *))                                                        \
  F(convolution_backward_weights_primitive_desc_create,                                          \
    (dnnl_primitive_desc *, dnnl_engine, int algorithm, const struct dnnl_memory_desc *source,   \
     const struct dnnl_memory_desc *weights, const struct dnnl_memory_desc *bias,                \
     const struct dnnl_memory_desc *result, const int64_t *strides, const int64_t *dilations,    \
     const int64_t *left, const int64_t *right, const struct dnnl_primitive_desc *hint,          \
     const struct dnnl_primitive_attr *))                                                        \
  F(reorder_primitive_desc_create,                                                               \
    (dnnl_primitive_desc *, const struct dnnl_memory_desc *from, dnnl_engine,                    \
     const struct dnnl_memory_desc *to, dnnl_engine, const struct dnnl_primitive_attr *))        \
  F(primitive_desc_query,                                                                        \
    (const struct dnnl_primitive_desc *, int what, int index, void *result))                     \
  F(primitive_desc_destroy, (dnnl_primitive_desc))                                               \
  F(primitive_create, (dnnl_primitive *, const struct dnnl_primitive_desc *))                    \
  F(primitive_execute,                                                                           \
    (const struct dnnl_primitive *, dnnl_stream, int count, const dnnl_exec_arg *))              \
  F(primitive_destroy, (dnnl_primitive))

typedef struct {
#define DNNL_MEMBER(name, parameters) int(*name) parameters;
  DNNL_FUNCTIONS(DNNL_MEMBER)
#undef DNNL_MEMBER
  const dnnl_version_info *(*version)(void);
  const struct dnnl_memory_desc *(*primitive_desc_query_md)(
    const struct dnnl_primitive_desc *, int what, int index);
  int (*memory_desc_equal)(const struct dnnl_memory_desc *, const struct dnnl_memory_desc *);
  size_t (*memory_desc_get_size)(const struct dnnl_memory_desc *);
  // OpenMP's per-thread setting, which decides how many threads a primitive is made for.
  void (*set_threads)(int);
  int (*get_threads)(void);
  void *library;
  dnnl_engine engine;
  dnnl_stream stream;
} dnnl_api;

/// The loaded library, or NULL.
const dnnl_api *ck_onednn_api(void);

/// Moves the engine's regions to the threads that primitives use; before the first one runs.
void ck_onednn_use_threads(void);

#endif
