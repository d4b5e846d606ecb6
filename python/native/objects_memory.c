/*
 * objects_memory.c: memory that Python and the library share: NumPy import, DLPack both ways.
 */
#include "objects.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- Owners to release ---------------------------------------------------------------------- */

/* What keeps imported memory alive. The library may let go of it on any thread, without the GIL, so
 * it only queues the entry; Python releases it at its next import or DLPack call, or operation. */
typedef struct owner {
  struct owner *next;
  PyObject *object;          /* a reference, or NULL */
  void (*deleter)(void *);   /* DLPack's, or NULL */
  void *managed;
} owner;

static _Atomic(owner *) released_owners;

static void owner_release(void *payload) {
  owner *entry = payload;
  owner *head = atomic_load_explicit(&released_owners, memory_order_relaxed);
  do {
    entry->next = head;
  } while (!atomic_compare_exchange_weak_explicit(&released_owners, &head, entry,
                                                  memory_order_release, memory_order_relaxed));
}

void lucidpy_drain(void) {
  if (atomic_load_explicit(&released_owners, memory_order_relaxed) == NULL) return;
  owner *entry = atomic_exchange_explicit(&released_owners, NULL, memory_order_acquire);
  while (entry != NULL) {
    owner *next = entry->next;
    Py_XDECREF(entry->object);
    if (entry->deleter != NULL) entry->deleter(entry->managed);
    free(entry);
    entry = next;
  }
}

/* ---- NumPy ---------------------------------------------------------------------------------- */

static int read_extents(PyObject *sequence, int64_t *out) {
  Py_ssize_t rank = PyTuple_Check(sequence) ? PyTuple_Size(sequence) : -1;
  if (rank < 0 || rank > LUCID_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "expected a tuple of at most %d extents", LUCID_MAX_RANK);
    return -1;
  }
  for (Py_ssize_t i = 0; i < rank; i++) {
    out[i] = PyLong_AsLongLong(PyTuple_GetItem(sequence, i));
    if (out[i] == -1 && PyErr_Occurred()) return -1;
  }
  return (int)rank;
}

PyObject *lucidpy_import(PyObject *self, PyObject *args) {
  (void)self;
  lucidpy_drain();
  PyObject *object, *shape_object, *strides_object;
  unsigned long long address;
  Py_ssize_t byte_count;
  int dtype, device, writable;
  if (!PyArg_ParseTuple(args, "OKniOOip", &object, &address, &byte_count, &dtype, &shape_object,
                        &strides_object, &device, &writable)) {
    return NULL;
  }
  int64_t shape[LUCID_MAX_RANK], strides[LUCID_MAX_RANK];
  int rank = read_extents(shape_object, shape);
  if (rank < 0 || read_extents(strides_object, strides) != rank) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "shape and strides differ in length");
    return NULL;
  }
  owner *entry = calloc(1, sizeof *entry);
  if (entry == NULL) return PyErr_NoMemory();
  Py_INCREF(object);
  entry->object = object;
  lucid_tensor *handle =
      lucid_tensor_import((void *)(uintptr_t)address, (size_t)byte_count, dtype, rank, shape, strides,
                          device, writable, owner_release, entry);
  if (handle == NULL) {
    /* A failed import did not take the memory over. */
    lucidpy_raise(lucid_error_status());
    Py_DECREF(object);
    free(entry);
    return NULL;
  }
  lucidpy_drain();
  return lucidpy_wrap(handle);
}

/* ---- DLPack --------------------------------------------------------------------------------- */

/* The DLPack 1.0 structures, as its specification lays them out. */
typedef struct {
  int32_t device_type;
  int32_t device_id;
} dl_device;
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} dl_type;
typedef struct {
  void *data;
  dl_device device;
  int32_t ndim;
  dl_type dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} dl_tensor;
typedef struct dl_managed {
  dl_tensor tensor;
  void *context;
  void (*deleter)(struct dl_managed *);
} dl_managed;
typedef struct dl_versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(struct dl_versioned *);
  uint64_t flags;
  dl_tensor tensor;
} dl_versioned;

enum { DL_CPU = 1, DL_READ_ONLY = 1 };
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_BOOL = 6 };

static const dl_type dl_types[] = {
    [LUCID_FLOAT32] = {DL_FLOAT, 32, 1}, [LUCID_FLOAT16] = {DL_FLOAT, 16, 1},
    [LUCID_BFLOAT16] = {DL_BFLOAT, 16, 1}, [LUCID_INT8] = {DL_INT, 8, 1},
    [LUCID_INT16] = {DL_INT, 16, 1},     [LUCID_INT32] = {DL_INT, 32, 1},
    [LUCID_INT64] = {DL_INT, 64, 1},     [LUCID_UINT8] = {DL_UINT, 8, 1},
    [LUCID_BOOL] = {DL_BOOL, 8, 1},
};
enum { DL_TYPE_COUNT = sizeof dl_types / sizeof *dl_types };

/* An exported tensor: the structure that others see and the arrays it points to. */
typedef struct {
  dl_managed managed;
  lucid_tensor *handle;
  int64_t shape[LUCID_MAX_RANK];
  int64_t strides[LUCID_MAX_RANK];
} dl_export;

static void export_delete(dl_managed *managed) {
  dl_export *export = managed->context;
  lucid_tensor_unexport(export->handle);
  lucid_tensor_release(export->handle);
  free(export);
}

static void capsule_delete(PyObject *capsule) {
  /* A consumer renames the capsule and calls the deleter itself. */
  if (!PyCapsule_IsValid(capsule, "dltensor")) return;
  dl_managed *managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (managed != NULL) managed->deleter(managed);
}

PyObject *lucidpy_to_dlpack(PyObject *self, PyObject *args) {
  (void)self;
  PyObject *object;
  if (!PyArg_ParseTuple(args, "O", &object)) return NULL;
  lucid_tensor *handle = lucidpy_handle(object);
  if (handle == NULL) return NULL;
  lucid_tensor_info info = {.struct_size = sizeof info};
  lucid_status status = lucid_tensor_describe(handle, &info);
  if (status != LUCID_OK) return lucidpy_raise(status);
  void *data = NULL;
  status = lucid_tensor_export(handle, &data);
  if (status != LUCID_OK) return lucidpy_raise(status);
  dl_export *export = calloc(1, sizeof *export);
  if (export == NULL) {
    lucid_tensor_unexport(handle);
    return PyErr_NoMemory();
  }
  lucid_tensor_retain(handle);
  export->handle = handle;
  memcpy(export->shape, info.shape, sizeof export->shape);
  memcpy(export->strides, info.strides, sizeof export->strides);
  export->managed = (dl_managed){
      .tensor = {.data = data,
                 .device = {DL_CPU, 0},
                 .ndim = info.rank,
                 .dtype = dl_types[info.dtype],
                 .shape = export->shape,
                 .strides = export->strides},
      .context = export,
      .deleter = export_delete,
  };
  PyObject *capsule = PyCapsule_New(&export->managed, "dltensor", capsule_delete);
  if (capsule == NULL) export_delete(&export->managed);
  return capsule;
}

static int dl_dtype(dl_type type) {
  for (int i = 0; i < DL_TYPE_COUNT; i++) {
    if (dl_types[i].code == type.code && dl_types[i].bits == type.bits && type.lanes == 1) return i;
  }
  return -1;
}

PyObject *lucidpy_from_dlpack(PyObject *self, PyObject *args) {
  (void)self;
  lucidpy_drain();
  PyObject *capsule;
  int device;
  if (!PyArg_ParseTuple(args, "Oi", &capsule, &device)) return NULL;
  dl_tensor *tensor;
  void *managed;
  void (*deleter)(void *);
  int writable = 1;
  const char *used;
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    dl_versioned *versioned = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (versioned == NULL) return NULL;
    if (versioned->major != 1) {
      PyErr_Format(PyExc_BufferError, "DLPack %u is not supported; 1.x is", versioned->major);
      return NULL;
    }
    tensor = &versioned->tensor;
    managed = versioned;
    deleter = (void (*)(void *))versioned->deleter;
    writable = (versioned->flags & DL_READ_ONLY) == 0;
    used = "used_dltensor_versioned";
  } else {
    dl_managed *plain = PyCapsule_GetPointer(capsule, "dltensor");
    if (plain == NULL) return NULL;
    tensor = &plain->tensor;
    managed = plain;
    deleter = (void (*)(void *))plain->deleter;
    used = "used_dltensor";
  }
  int dtype = dl_dtype(tensor->dtype);
  if (dtype < 0) {
    PyErr_Format(PyExc_TypeError,
                 "DLPack type (code %d, %d bits) has no counterpart; convert to float32 first",
                 tensor->dtype.code, tensor->dtype.bits);
    return NULL;
  }
  if (tensor->device.device_type != DL_CPU) {
    PyErr_Format(PyExc_BufferError, "memory of DLPack device type %d cannot be used; copy it to the CPU",
                 tensor->device.device_type);
    return NULL;
  }
  if (tensor->ndim < 0 || tensor->ndim > LUCID_MAX_RANK) {
    PyErr_Format(PyExc_ValueError, "%d axes are more than %d", tensor->ndim, LUCID_MAX_RANK);
    return NULL;
  }
  int64_t packed[LUCID_MAX_RANK];
  int64_t count = 1, reach = 0;
  for (int i = tensor->ndim - 1; i >= 0; i--) {
    packed[i] = count;
    if (__builtin_mul_overflow(count, tensor->shape[i], &count)) {
      PyErr_SetString(PyExc_ValueError, "the DLPack tensor is too large");
      return NULL;
    }
  }
  const int64_t *strides = tensor->strides != NULL ? tensor->strides : packed;
  for (int i = 0; i < tensor->ndim; i++) reach += (tensor->shape[i] - 1) * strides[i];
  size_t byte_count = count == 0 ? 0 : (size_t)(reach + 1) * (tensor->dtype.bits / 8);
  owner *entry = calloc(1, sizeof *entry);
  if (entry == NULL) return PyErr_NoMemory();
  entry->deleter = deleter;
  entry->managed = managed;
  lucid_tensor *handle = lucid_tensor_import(
      (char *)tensor->data + tensor->byte_offset, byte_count, dtype, tensor->ndim, tensor->shape, strides,
      device, writable, owner_release, entry);
  if (handle == NULL) {
    free(entry);
    return lucidpy_raise(lucid_error_status());
  }
  PyCapsule_SetName(capsule, used);
  lucidpy_drain();
  return lucidpy_wrap(handle);
}
