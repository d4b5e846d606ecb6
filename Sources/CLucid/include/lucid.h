/*
 * lucid.h: the C interface of Lucid.
 *
 * Conventions
 * -----------
 * Functions are named lucid_<noun>_<verb>. They return a lucid_status (0 on success, a fixed negative
 * number on failure) or a handle (NULL on failure). After a failure lucid_error_message() describes
 * what went wrong, on the calling thread, until the next failing call on that thread.
 *
 * Handles are opaque and reference counted. A function that returns a handle gives the caller one
 * reference; lucid_<noun>_release drops it, accepts NULL, cannot fail and leaves the error message
 * alone. The order in which handles are released never matters. Arguments are borrowed.
 *
 * Structs that cross the boundary start with `struct_size`, which the caller sets to sizeof the
 * struct; they only ever grow at the end.
 *
 * All functions may be called from any thread. Nothing unwinds or aborts across this boundary,
 * whatever the arguments, as long as pointers are valid.
 */
#ifndef LUCID_H
#define LUCID_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when a function changes meaning or disappears. */
#define LUCID_ABI_VERSION 1
#define LUCID_MAX_RANK 16

typedef int32_t lucid_status;
enum {
  LUCID_OK = 0,
  LUCID_ERROR_VALUE = -1,       /* right type, wrong value */
  LUCID_ERROR_SHAPE = -2,       /* shapes do not fit */
  LUCID_ERROR_DTYPE = -3,       /* element type not allowed */
  LUCID_ERROR_INDEX = -4,       /* index or axis out of range */
  LUCID_ERROR_MEMORY = -5,      /* out of memory, or too large to address */
  LUCID_ERROR_UNSUPPORTED = -6, /* understood but not available */
  LUCID_ERROR_RUNTIME = -7,     /* the state does not allow the call */
  LUCID_ERROR_DEVICE = -8,      /* unknown or mixed devices */
  LUCID_ERROR_STALE = -9,       /* a plan's assumptions do not hold for this call: trace again */
  LUCID_ERROR_TYPE = -10        /* wrong type */
};

enum {
  LUCID_FLOAT32 = 0, LUCID_FLOAT16 = 1, LUCID_BFLOAT16 = 2, LUCID_INT8 = 3, LUCID_INT16 = 4,
  LUCID_INT32 = 5, LUCID_INT64 = 6, LUCID_UINT8 = 7, LUCID_BOOL = 8
};

enum { LUCID_CPU = 0, LUCID_METAL = 1 };

typedef struct lucid_tensor lucid_tensor;
typedef struct lucid_generator lucid_generator;
typedef struct lucid_trace lucid_trace;
typedef struct lucid_plan lucid_plan;

/* ---- Library -------------------------------------------------------------------------------- */

/* The version this library was built with; compare with LUCID_ABI_VERSION. */
int32_t lucid_abi_version(void);
/* A hash of the operation catalog: generated bindings compare it before they use dense numbers. */
uint64_t lucid_catalog_hash(void);
/* The message of the last failure on this thread; never NULL. Valid until the next failure. */
const char *lucid_error_message(void);
/* Its status: what a function that returns NULL failed with. LUCID_OK before any failure. */
lucid_status lucid_error_status(void);
/* What computes, for people: "MPSGraph-compatible CPU engine, AVX-512, oneDNN 3.2, 2 threads". The
 * string is valid until the next call on this thread. */
const char *lucid_backend_description(void);
/* Whether tensors labelled `device` can be made. */
int32_t lucid_device_available(int32_t device);

/* Numbers about the process. Fields are set up to the given struct_size. */
typedef struct {
  uint32_t struct_size;
  int32_t threads;
  int64_t live_tensors;       /* handles not yet released */
  int64_t memory_allocated;   /* bytes in live buffers */
  int64_t memory_peak;
  int64_t memory_cached;      /* bytes kept for reuse */
  int64_t executables;        /* live compiled executables */
  int64_t executable_hits, executable_misses, executable_evictions;
  int64_t op_cache_entries, op_cache_hits, op_cache_misses;
  int64_t kernel_launches;
} lucid_stats;
lucid_status lucid_stats_read(lucid_stats *stats);
lucid_status lucid_memory_reset_peak(void);
/* Drops caches that hold memory: recycled buffers, and, if `executables`, compiled code. */
lucid_status lucid_caches_clear(int32_t executables);
lucid_status lucid_threads_set(int32_t count);
/* Waits until everything this thread has started is done. */
lucid_status lucid_synchronize(void);
/* Tells the engine where a math library may be found (a directory); ignored on macOS. */
void lucid_library_path_add(const char *directory);

/* ---- Tensors -------------------------------------------------------------------------------- */

typedef struct {
  uint32_t struct_size;
  int32_t dtype;
  int32_t device;
  int32_t rank;
  int32_t is_contiguous;
  int32_t is_leaf;
  int32_t requires_grad;
  int32_t is_view;
  int32_t is_traced;        /* not yet computed: reading a value runs what was recorded */
  int32_t is_weak;          /* made by lucid_tensor_number */
  int32_t has_grad_fn;
  int64_t version;          /* of the storage; every write adds one */
  int64_t element_count;
  int64_t storage_offset;   /* in elements */
  uint64_t storage_id;      /* equal for tensors that share memory */
  int64_t shape[LUCID_MAX_RANK];
  int64_t strides[LUCID_MAX_RANK];           /* in elements */
  int64_t batch_coefficient[LUCID_MAX_RANK]; /* extent = coefficient * batch + batch_constant; 0: static */
  int64_t batch_constant[LUCID_MAX_RANK];
} lucid_tensor_info;
/* During a dynamic trace `shape` holds the traced call's numbers. */
lucid_status lucid_tensor_describe(const lucid_tensor *tensor, lucid_tensor_info *info);
void lucid_tensor_retain(lucid_tensor *tensor);
void lucid_tensor_release(lucid_tensor *tensor);

/* A new tensor with a copy of `byte_count` packed row-major bytes, or zeros if `data` is NULL. */
lucid_tensor *lucid_tensor_create(int32_t dtype, int32_t rank, const int64_t *shape, int32_t device,
                                  const void *data, size_t byte_count);
/* A tensor over the caller's memory, which must stay valid until `release(payload)` is called (from
 * any thread, once). Strides are in elements. Memory that is not 64-byte aligned, not contiguous or
 * read-only (`writable` 0) is copied at once and released. */
lucid_tensor *lucid_tensor_import(void *data, size_t byte_count, int32_t dtype, int32_t rank,
                                  const int64_t *shape, const int64_t *strides, int32_t device,
                                  int32_t writable, void (*release)(void *payload), void *payload);
/* A rank-0 tensor that stands for a number of the host language: its type yields in promotion.
 * dtype is LUCID_BOOL, LUCID_INT64 or LUCID_FLOAT32. */
lucid_tensor *lucid_tensor_number(int32_t dtype, double value, int64_t integer);

/* Copies the elements, packed row-major, to `destination`. Runs what is pending. */
lucid_status lucid_tensor_read(lucid_tensor *tensor, void *destination, size_t byte_count);
/* Gives the address of element 0, for reading and writing through the tensor's strides. Until the
 * matching lucid_tensor_unexport the storage keeps its place and results are written into it. */
lucid_status lucid_tensor_export(lucid_tensor *tensor, void **data);
void lucid_tensor_unexport(lucid_tensor *tensor);
/* Says that the host wrote through an exported address. */
lucid_status lucid_tensor_mark_written(lucid_tensor *tensor);

/* destination[...] = source, broadcast and converted; what `copy_` and in-place operations do. With
 * grad mode on it is differentiated. */
lucid_status lucid_tensor_assign(lucid_tensor *destination, lucid_tensor *source);
/* `tensor` takes over the storage, shape and type of `source` (the setter of `.data`). */
lucid_status lucid_tensor_set_data(lucid_tensor *tensor, lucid_tensor *source);
/* The same storage without history. */
lucid_tensor *lucid_tensor_detach(lucid_tensor *tensor);
/* Observably a copy under another device label; the same handle retained if it is already there. */
lucid_tensor *lucid_tensor_to_device(lucid_tensor *tensor, int32_t device);

/* ---- Operations ----------------------------------------------------------------------------- */

/* Applies an operation by its dense catalog number. `operands` may hold NULL for optional ones.
 * `attributes` are 64-bit little-endian words in declared order: int as is, float bit-cast, bool 0/1,
 * dtype and choice their number, lists a count then the words, extents ("dims") constant then batch
 * coefficient each, optional a presence word then the value. Gives up to `capacity` results. */
lucid_status lucid_apply(uint32_t op, lucid_tensor *const *operands, size_t operand_count,
                         const void *attributes, size_t attribute_bytes, lucid_tensor **results,
                         size_t capacity, size_t *result_count);

/* ---- Gradients ------------------------------------------------------------------------------ */

lucid_status lucid_tensor_set_requires_grad(lucid_tensor *tensor, int32_t requires_grad);
/* The accumulated gradient with a reference for the caller; NULL without error if there is none. */
lucid_tensor *lucid_tensor_grad(lucid_tensor *tensor);
lucid_status lucid_tensor_set_grad(lucid_tensor *tensor, lucid_tensor *gradient /* or NULL */);
/* Keeps the gradient of a tensor that is not a leaf. */
lucid_status lucid_tensor_retain_grad(lucid_tensor *tensor);
/* Calls `hook(payload, gradient)` when the tensor's gradient is known; it returns a replacement with
 * a reference, or NULL to leave it; an error is reported by *failed = 1. Gives an id for removal. */
typedef lucid_tensor *(*lucid_hook)(void *payload, lucid_tensor *gradient, int32_t *failed);
lucid_status lucid_tensor_add_hook(lucid_tensor *tensor, lucid_hook hook, void *payload,
                                   void (*release)(void *payload), int64_t *id);
lucid_status lucid_tensor_remove_hook(lucid_tensor *tensor, int64_t id);
/* A name of the operation that made the tensor ("MulBackward"), NULL for none. Static storage. */
const char *lucid_tensor_grad_fn_name(lucid_tensor *tensor);

enum { LUCID_RETAIN_GRAPH = 1, LUCID_CREATE_GRAPH = 2, LUCID_ALLOW_UNUSED = 4 };
/* Accumulates into the leaves' gradients. A NULL cotangent means ones of a one-element tensor. */
lucid_status lucid_backward(lucid_tensor *const *outputs, lucid_tensor *const *cotangents,
                            size_t count, uint32_t flags);
/* Gradients with respect to `inputs` into `results` (NULL where unused and allowed). */
lucid_status lucid_gradients(lucid_tensor *const *outputs, lucid_tensor *const *cotangents,
                             size_t count, lucid_tensor *const *inputs, size_t input_count,
                             uint32_t flags, lucid_tensor **results);

enum { LUCID_GRAD_OFF = 0, LUCID_GRAD_ON = 1, LUCID_INFERENCE = 2 };
/* Sets this thread's mode and returns the earlier one. */
int32_t lucid_grad_mode_set(int32_t mode);
int32_t lucid_grad_mode(void);

/* ---- Random --------------------------------------------------------------------------------- */

/* A stream of random numbers: a seed and how many draws were made. */
lucid_generator *lucid_generator_create(int64_t seed);
/* The process's default, borrowed reference retained for the caller. */
lucid_generator *lucid_generator_default(void);
void lucid_generator_release(lucid_generator *generator);
lucid_status lucid_generator_get(lucid_generator *generator, int64_t *seed, int64_t *offset);
lucid_status lucid_generator_set(lucid_generator *generator, int64_t seed, int64_t offset);
/* The generator that this thread's next operations draw from; NULL for the default. */
lucid_status lucid_generator_use(lucid_generator *generator);

/* ---- Compilation ---------------------------------------------------------------------------- */

enum { LUCID_TRACE_DYNAMIC = 1, LUCID_TRACE_FULL = 2 /* a value read is an error */ };
/* Starts recording on this thread: from now on operations record instead of running. `batch` is the
 * leading extent of this call for a dynamic trace. One trace per thread. */
lucid_trace *lucid_trace_begin(uint32_t flags, int64_t batch);
/* Declares the next argument: inside the trace the returned tensor stands for it. With `symbolic` its
 * leading extent is the batch. Alias pattern: the same tensor twice gives the same stand-in. */
lucid_tensor *lucid_trace_argument(lucid_trace *trace, lucid_tensor *argument, int32_t symbolic);
/* Ends recording. The traced tensors become concrete: the graph is compiled and run once. `plan`
 * repeats it; it is NULL if a value was read meanwhile (lucid_trace_reason says where) and the rest ran
 * eagerly. `outputs` are the function's results, in order; concrete ones are captured constants of
 * this call, i.e. returned as they are. */
lucid_status lucid_trace_end(lucid_trace *trace, lucid_tensor *const *outputs, size_t count,
                             lucid_plan **plan);
/* After an exception of the traced function: performs the writes made before it and stops. */
void lucid_trace_abort(lucid_trace *trace);
/* Runs what was recorded and continues eagerly; `reason` is kept for the user. */
lucid_status lucid_trace_flush(lucid_trace *trace, const char *reason);
/* Says that the function needs the batch's number: the plan then holds for this batch only. `reason` is
 * kept for the user. */
lucid_status lucid_trace_specialise(lucid_trace *trace, const char *reason);
/* Why the trace cannot be repeated, NULL if it can. Valid until the next call on this thread. */
const char *lucid_trace_reason(const lucid_trace *trace);
/* This thread's trace, borrowed; NULL if none is recording. */
lucid_trace *lucid_trace_current(void);
void lucid_trace_release(lucid_trace *trace);

/* Runs a plan with fresh arguments (same count, types and, but for the batch, shapes as traced). Results
 * get one reference each. Writes that the function made are performed. LUCID_ERROR_STALE if the batch
 * does not fulfil what the trace assumed. */
lucid_status lucid_plan_run(lucid_plan *plan, lucid_tensor *const *arguments, size_t count,
                            lucid_tensor **results, size_t capacity, size_t *result_count);
void lucid_plan_release(lucid_plan *plan);
/* Tensors that the function reached by itself (parameters, buffers, globals), in plan order. */
lucid_status lucid_plan_captured(lucid_plan *plan, lucid_tensor **captured, size_t capacity,
                                 size_t *count);
/* Replaces captured tensor `index`; the type and shape must agree. */
lucid_status lucid_plan_rebind(lucid_plan *plan, size_t index, lucid_tensor *tensor);

typedef struct {
  uint32_t struct_size;
  int32_t is_dynamic;         /* one executable serves every batch */
  int64_t nodes;              /* of the optimised graph */
  int64_t arguments, captured, results, writes, draws;
  uint64_t executable_id;
  double trace_ms, lower_ms, compile_ms, last_run_ms;
  int64_t runs;
} lucid_plan_info;
lucid_status lucid_plan_describe(lucid_plan *plan, lucid_plan_info *info);
/* Text about a plan: 0 the graph as text, 1 as JSON, 2 the engine's program, 3 why the batch is
 * fixed. Free with lucid_string_free. */
char *lucid_plan_dump(lucid_plan *plan, int32_t form);
void lucid_string_free(char *string);

#ifdef __cplusplus
}
#endif
#endif
