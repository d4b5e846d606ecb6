#include "objects.h"

#include <string.h>

lucidpy_registry lucidpy;

/* ---- Errors and wrapping -------------------------------------------------------------------- */

PyObject *lucidpy_raise(lucid_status status) {
  const char *message = lucid_error_message();
  PyObject *type = NULL;
  if (lucidpy.errors != NULL) {
    PyObject *key = PyLong_FromLong(status);
    if (key == NULL) return NULL;
    type = PyDict_GetItemWithError(lucidpy.errors, key);
    Py_DECREF(key);
  }
  if (type == NULL && !PyErr_Occurred()) type = PyExc_RuntimeError;
  if (type != NULL) PyErr_SetString(type, message);
  return NULL;
}

PyObject *lucidpy_wrap(lucid_tensor *handle) {
  if (handle == NULL) return lucidpy_raise(lucid_error_status());
  PyTypeObject *type = lucidpy.tensor != NULL ? lucidpy.tensor : lucidpy.base;
  PyObject *object = PyType_GenericAlloc(type, 0);
  if (object == NULL) {
    lucid_tensor_release(handle);
    return NULL;
  }
  ((lucidpy_tensor *)object)->handle = handle;
  return object;
}

lucid_tensor *lucidpy_handle(PyObject *object) {
  if (!PyObject_TypeCheck(object, lucidpy.base)) {
    PyErr_SetString(PyExc_TypeError, "expected a lucid.Tensor");
    return NULL;
  }
  lucid_tensor *handle = ((lucidpy_tensor *)object)->handle;
  if (handle == NULL) PyErr_SetString(PyExc_RuntimeError, "the tensor was not initialised");
  return handle;
}

/* ---- Plain numbers as operands -------------------------------------------------------------- */

/* Numbers recur (0, 1, 0.5, an epsilon): a direct-mapped table keeps their tensors. */
enum { NUMBER_SLOTS = 256 };
typedef struct {
  uint64_t bits;
  int32_t dtype;
  lucid_tensor *handle;
} number_slot;
static number_slot number_table[NUMBER_SLOTS];

/* A retained tensor for the number. */
static lucid_tensor *number_handle(int32_t dtype, double value, int64_t integer) {
  uint64_t bits = (uint64_t)integer;
  if (dtype == LUCID_FLOAT32) memcpy(&bits, &value, sizeof bits);
  uint64_t hash = (bits ^ (uint64_t)dtype << 7) * 0x9E3779B97F4A7C15u;
  number_slot *slot = &number_table[hash >> 56];
  if (slot->handle == NULL || slot->bits != bits || slot->dtype != dtype) {
    lucid_tensor *made = lucid_tensor_number(dtype, value, integer);
    if (made == NULL) return NULL;
    lucid_tensor_release(slot->handle);
    *slot = (number_slot){bits, dtype, made};
  }
  lucid_tensor_retain(slot->handle);
  return slot->handle;
}

/* 1: `object` is a Python number and *handle its retained tensor (NULL with an exception on failure);
 * 0: it is something else. */
static int number_operand(PyObject *object, lucid_tensor **handle) {
  if (PyBool_Check(object)) {
    *handle = number_handle(LUCID_BOOL, object == Py_True, object == Py_True);
  } else if (PyFloat_Check(object)) {
    *handle = number_handle(LUCID_FLOAT32, PyFloat_AsDouble(object), 0);
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) {
      PyErr_SetString(PyExc_OverflowError, "the integer does not fit int64");
      *handle = NULL;
      return 1;
    }
    *handle = number_handle(LUCID_INT64, (double)value, value);
  } else {
    return 0;
  }
  if (*handle == NULL) lucidpy_raise(lucid_error_status());
  return 1;
}

/* ---- Applying operations -------------------------------------------------------------------- */

enum { INLINE_OPERANDS = 16, INLINE_RESULTS = 16 };

/* Operands as handles. `owned` marks those to release after the call; `kept` holds coerced objects. */
typedef struct {
  lucid_tensor *inline_handles[INLINE_OPERANDS];
  unsigned char inline_owned[INLINE_OPERANDS];
  lucid_tensor **handles;
  unsigned char *owned;
  Py_ssize_t count;
} operand_list;

static void operands_clear(operand_list *list) {
  for (Py_ssize_t i = 0; i < list->count; i++) {
    if (list->owned[i]) lucid_tensor_release(list->handles[i]);
  }
  if (list->handles != list->inline_handles) PyMem_Free(list->handles);
  if (list->owned != list->inline_owned) PyMem_Free(list->owned);
}

static int operands_reserve(operand_list *list, Py_ssize_t count) {
  list->count = 0;
  list->handles = list->inline_handles;
  list->owned = list->inline_owned;
  if (count <= INLINE_OPERANDS) return 0;
  list->handles = PyMem_Calloc((size_t)count, sizeof *list->handles);
  list->owned = PyMem_Calloc((size_t)count, 1);
  if (list->handles == NULL || list->owned == NULL) {
    operands_clear(list);
    PyErr_NoMemory();
    return -1;
  }
  return 0;
}

static int operands_append(operand_list *list, PyObject *object) {
  lucid_tensor *handle = NULL;
  unsigned char owned = 0;
  if (PyObject_TypeCheck(object, lucidpy.base)) {
    handle = ((lucidpy_tensor *)object)->handle;
  } else if (object != Py_None) {
    owned = 1;
    if (!number_operand(object, &handle)) {
      PyObject *tensor = PyObject_CallFunctionObjArgs(lucidpy.coerce, object, NULL);
      if (tensor == NULL) return -1;
      handle = lucidpy_handle(tensor);
      if (handle != NULL) lucid_tensor_retain(handle);
      Py_DECREF(tensor);
    }
    if (handle == NULL) return -1;
  }
  list->handles[list->count] = handle;
  list->owned[list->count++] = owned;
  return 0;
}

/* Applies and leaves results (each with a reference) in `results`; -1 with an exception. */
static int apply_raw(PyObject *op, PyObject *attributes, PyObject *const *objects, Py_ssize_t count,
                     lucid_tensor **results, size_t capacity, size_t *result_count) {
  lucidpy_drain();
  unsigned long number = PyLong_AsUnsignedLong(op);
  if (number == (unsigned long)-1 && PyErr_Occurred()) return -1;
  char *bytes = NULL;
  Py_ssize_t byte_count = 0;
  if (PyBytes_AsStringAndSize(attributes, &bytes, &byte_count) < 0) return -1;
  operand_list list;
  if (operands_reserve(&list, count) < 0) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (operands_append(&list, objects[i]) < 0) {
      operands_clear(&list);
      return -1;
    }
  }
  lucid_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_apply((uint32_t)number, list.handles, (size_t)list.count, bytes, (size_t)byte_count,
                       results, capacity, result_count);
  Py_END_ALLOW_THREADS
  operands_clear(&list);
  if (status != LUCID_OK) {
    lucidpy_raise(status);
    return -1;
  }
  return 0;
}

/* The object for a result: an argument that is given back is the caller's own object. */
static PyObject *wrap_result(lucid_tensor *result, PyObject *arguments) {
  Py_ssize_t count = arguments != NULL ? PyTuple_Size(arguments) : 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *object = PyTuple_GetItem(arguments, i);
    if (PyObject_TypeCheck(object, lucidpy.base) && ((lucidpy_tensor *)object)->handle == result) {
      lucid_tensor_release(result);
      Py_INCREF(object);
      return object;
    }
  }
  return lucidpy_wrap(result);
}

static PyObject *wrap_all(lucid_tensor **results, size_t count, PyObject *arguments) {
  PyObject *tuple = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; i < count; i++) {
    PyObject *item = tuple != NULL ? wrap_result(results[i], arguments) : NULL;
    if (item == NULL) {
      if (tuple == NULL) lucid_tensor_release(results[i]);
      for (size_t j = i + 1; j < count; j++) lucid_tensor_release(results[j]);
      Py_XDECREF(tuple);
      return NULL;
    }
    PyTuple_SetItem(tuple, (Py_ssize_t)i, item);
  }
  return tuple;
}

/* apply(op, attributes, *operands) -> Tensor: the first result. */
static PyObject *py_apply(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs < 2) {
    PyErr_SetString(PyExc_TypeError, "apply(op, attributes, *operands)");
    return NULL;
  }
  lucid_tensor *results[INLINE_RESULTS];
  size_t count = 0;
  if (apply_raw(args[0], args[1], args + 2, nargs - 2, results, INLINE_RESULTS, &count) < 0) return NULL;
  if (count == 0) {
    PyErr_SetString(PyExc_RuntimeError, "the operation gave no result");
    return NULL;
  }
  for (size_t i = 1; i < count; i++) lucid_tensor_release(results[i]);
  return lucidpy_wrap(results[0]);
}

/* apply_many(op, attributes, capacity, *operands) -> tuple of up to `capacity` tensors. */
static PyObject *py_apply_many(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs < 3) {
    PyErr_SetString(PyExc_TypeError, "apply_many(op, attributes, capacity, *operands)");
    return NULL;
  }
  size_t capacity = PyLong_AsSize_t(args[2]);
  if (capacity == (size_t)-1 && PyErr_Occurred()) return NULL;
  lucid_tensor *inline_results[INLINE_RESULTS];
  lucid_tensor **results = inline_results;
  if (capacity > INLINE_RESULTS) {
    if (capacity > (size_t)PY_SSIZE_T_MAX / sizeof *results) return PyErr_NoMemory();
    results = PyMem_Malloc(capacity * sizeof *results);
    if (results == NULL) return PyErr_NoMemory();
  }
  size_t count = 0;
  PyObject *tuple = NULL;
  if (apply_raw(args[0], args[1], args + 3, nargs - 3, results, capacity, &count) == 0) {
    tuple = wrap_all(results, count, NULL);
  }
  if (results != inline_results) PyMem_Free(results);
  return tuple;
}

/* run_plan(plan address, arguments tuple, capacity) -> tuple of tensors. */
static PyObject *py_run_plan(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs != 3 || !PyTuple_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "run_plan(plan address, arguments tuple, capacity)");
    return NULL;
  }
  lucid_plan *plan = PyLong_AsVoidPtr(args[0]);
  size_t capacity = PyLong_AsSize_t(args[2]);
  if (PyErr_Occurred()) return NULL;
  Py_ssize_t count = PyTuple_Size(args[1]);
  operand_list list;
  if (operands_reserve(&list, count) < 0) return NULL;
  for (Py_ssize_t i = 0; i < count; i++) {
    if (operands_append(&list, PyTuple_GetItem(args[1], i)) < 0) {
      operands_clear(&list);
      return NULL;
    }
  }
  lucid_tensor *inline_results[INLINE_RESULTS];
  lucid_tensor **results = inline_results;
  if (capacity > INLINE_RESULTS) {
    results = PyMem_Calloc(capacity, sizeof *results);
    if (results == NULL) {
      operands_clear(&list);
      return PyErr_NoMemory();
    }
  }
  size_t result_count = 0;
  lucid_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_plan_run(plan, list.handles, (size_t)list.count, results, capacity, &result_count);
  Py_END_ALLOW_THREADS
  operands_clear(&list);
  PyObject *tuple =
      status == LUCID_OK ? wrap_all(results, result_count, args[1]) : lucidpy_raise(status);
  if (results != inline_results) PyMem_Free(results);
  return tuple;
}

/* call_plan(plan address, arguments tuple, capacity) -> Tensor, or a tuple of tensors if there are
 * several; NotImplemented if the plan does not fit the arguments. The path of repeated calls. */
static PyObject *py_call_plan(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs != 3 || !PyTuple_Check(args[1])) {
    PyErr_SetString(PyExc_TypeError, "call_plan(plan address, arguments tuple, capacity)");
    return NULL;
  }
  lucid_plan *plan = PyLong_AsVoidPtr(args[0]);
  size_t capacity = PyLong_AsSize_t(args[2]);
  if (PyErr_Occurred()) return NULL;
  lucidpy_drain();
  lucid_tensor *handles[INLINE_OPERANDS];
  lucid_tensor *results[INLINE_RESULTS];
  Py_ssize_t count = PyTuple_Size(args[1]);
  if (count > INLINE_OPERANDS || capacity > INLINE_RESULTS) Py_RETURN_NOTIMPLEMENTED;
  /* Within another recording the call becomes part of that graph: a run would read its values. */
  if (lucid_trace_current() != NULL) Py_RETURN_NOTIMPLEMENTED;
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *object = PyTuple_GetItem(args[1], i);
    if (!PyObject_TypeCheck(object, lucidpy.base)) Py_RETURN_NOTIMPLEMENTED;
    handles[i] = ((lucidpy_tensor *)object)->handle;
  }
  size_t result_count = 0;
  lucid_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_plan_run(plan, handles, (size_t)count, results, capacity, &result_count);
  Py_END_ALLOW_THREADS
  if (status == LUCID_ERROR_STALE) Py_RETURN_NOTIMPLEMENTED;
  if (status != LUCID_OK) return lucidpy_raise(status);
  return result_count == 1 ? wrap_result(results[0], args[1]) : wrap_all(results, result_count, args[1]);
}

static PyObject *py_wrap(PyObject *self, PyObject *address) {
  (void)self;
  void *handle = PyLong_AsVoidPtr(address);
  if (handle == NULL && PyErr_Occurred()) return NULL;
  return lucidpy_wrap(handle);
}

/* number(value) -> Tensor: what a Python number is as an operand. */
static PyObject *py_number(PyObject *self, PyObject *value) {
  (void)self;
  lucid_tensor *handle = NULL;
  if (!number_operand(value, &handle)) {
    PyErr_SetString(PyExc_TypeError, "expected a bool, int or float");
    return NULL;
  }
  return handle != NULL ? lucidpy_wrap(handle) : NULL;
}

/* 0 bool, 1 integer, 2 floating point, by element type: in-place results may go up, not down. */
static const signed char categories[] = {2, 2, 2, 1, 1, 1, 1, 1, 0};

/* Whether in-place operations may write `source` to `target`. */
static int storable(const lucid_tensor_info *target, const lucid_tensor_info *source) {
  if (categories[source->dtype] > categories[target->dtype] || source->rank > target->rank) return 0;
  for (int32_t i = 1; i <= source->rank; i++) {
    int64_t extent = source->shape[source->rank - i];
    if (extent != 1 && extent != target->shape[target->rank - i]) return 0;
  }
  return 1;
}

/* store(target, source): writes and gives True, or False where types or shapes forbid it. */
static PyObject *py_store(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs != 2) {
    PyErr_SetString(PyExc_TypeError, "store(target, source)");
    return NULL;
  }
  lucid_tensor *target = lucidpy_handle(args[0]);
  lucid_tensor *source = target != NULL ? lucidpy_handle(args[1]) : NULL;
  if (source == NULL) return NULL;
  lucid_tensor_info to = {.struct_size = sizeof to}, from = {.struct_size = sizeof from};
  lucid_status status = lucid_tensor_describe(target, &to);
  if (status == LUCID_OK) status = lucid_tensor_describe(source, &from);
  if (status != LUCID_OK) return lucidpy_raise(status);
  if (!storable(&to, &from)) Py_RETURN_FALSE;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_tensor_assign(target, source);
  Py_END_ALLOW_THREADS
  if (status != LUCID_OK) return lucidpy_raise(status);
  Py_RETURN_TRUE;
}

/* assign(target, source): the same without asking about types. */
static PyObject *py_assign(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (nargs != 2) {
    PyErr_SetString(PyExc_TypeError, "assign(target, source)");
    return NULL;
  }
  lucid_tensor *target = lucidpy_handle(args[0]);
  lucid_tensor *source = target != NULL ? lucidpy_handle(args[1]) : NULL;
  if (source == NULL) return NULL;
  lucid_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_tensor_assign(target, source);
  Py_END_ALLOW_THREADS
  if (status != LUCID_OK) return lucidpy_raise(status);
  Py_RETURN_NONE;
}

/* recorded(*objects): whether an operation on them is recorded for gradients. */
static PyObject *py_recorded(PyObject *self, PyObject *const *args, Py_ssize_t nargs) {
  (void)self;
  if (lucid_grad_mode() != LUCID_GRAD_ON) Py_RETURN_FALSE;
  for (Py_ssize_t i = 0; i < nargs; i++) {
    if (!PyObject_TypeCheck(args[i], lucidpy.base)) continue;
    lucid_tensor *handle = lucidpy_handle(args[i]);
    if (handle == NULL) return NULL;
    lucid_tensor_info info = {.struct_size = sizeof info};
    lucid_status status = lucid_tensor_describe(handle, &info);
    if (status != LUCID_OK) return lucidpy_raise(status);
    if (info.requires_grad) Py_RETURN_TRUE;
  }
  Py_RETURN_FALSE;
}

static PyObject *py_detach(PyObject *self, PyObject *tensor) {
  (void)self;
  lucid_tensor *handle = lucidpy_handle(tensor);
  return handle != NULL ? lucidpy_wrap(lucid_tensor_detach(handle)) : NULL;
}

/* ---- Module --------------------------------------------------------------------------------- */

/* register(tensor, size, dtypes, devices, errors, symbol, coerce) */
static PyObject *py_register(PyObject *self, PyObject *args) {
  (void)self;
  PyObject *tensor, *size, *dtypes, *devices, *errors, *symbol, *coerce;
  if (!PyArg_ParseTuple(args, "OOO!O!O!OO", &tensor, &size, &PyTuple_Type, &dtypes, &PyTuple_Type,
                        &devices, &PyDict_Type, &errors, &symbol, &coerce)) {
    return NULL;
  }
  /* Registered objects live as long as the process. */
  Py_INCREF(args);
  lucidpy.tensor = (PyTypeObject *)tensor;
  lucidpy.size = (PyTypeObject *)size;
  lucidpy.dtypes = dtypes;
  lucidpy.devices = devices;
  lucidpy.errors = errors;
  lucidpy.symbol = symbol;
  lucidpy.coerce = coerce;
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"apply", (PyCFunction)(void (*)(void))py_apply, METH_FASTCALL, "apply(op, attributes, *operands)"},
    {"apply_many", (PyCFunction)(void (*)(void))py_apply_many, METH_FASTCALL,
     "apply_many(op, attributes, capacity, *operands)"},
    {"run_plan", (PyCFunction)(void (*)(void))py_run_plan, METH_FASTCALL,
     "run_plan(plan address, arguments, capacity)"},
    {"store", (PyCFunction)(void (*)(void))py_store, METH_FASTCALL,
     "store(target, source): whether types and shapes allowed to write"},
    {"assign", (PyCFunction)(void (*)(void))py_assign, METH_FASTCALL, "assign(target, source)"},
    {"recorded", (PyCFunction)(void (*)(void))py_recorded, METH_FASTCALL,
     "recorded(*objects): whether an operation on them is recorded for gradients"},
    {"detach", py_detach, METH_O, "detach(tensor)"},
    {"call_plan", (PyCFunction)(void (*)(void))py_call_plan, METH_FASTCALL,
     "call_plan(plan address, arguments, capacity)"},
    {"wrap", py_wrap, METH_O, "wrap(address): a Tensor that takes over the reference"},
    {"number", py_number, METH_O, "number(value): a Python number as a tensor"},
    {"import_memory", lucidpy_import, METH_VARARGS,
     "import_memory(owner, address, bytes, dtype, shape, strides, device, writable)"},
    {"from_dlpack", lucidpy_from_dlpack, METH_VARARGS, "from_dlpack(capsule, device)"},
    {"to_dlpack", lucidpy_to_dlpack, METH_VARARGS, "to_dlpack(tensor, device type)"},
    {"register", py_register, METH_VARARGS, "Gives the module its Python classes."},
    {NULL, NULL, 0, NULL},
};

/* Called once through cffi, which released the GIL, with the address of a dict to fill. */
int lucidpy_install(uintptr_t dictionary) {
  PyGILState_STATE state = PyGILState_Ensure();
  PyObject *target = (PyObject *)dictionary;
  int status = -1;
  lucidpy.base = (PyTypeObject *)PyType_FromSpec(&lucidpy_tensor_spec);
  if (lucidpy.base != NULL && PyDict_SetItemString(target, "TensorBase", (PyObject *)lucidpy.base) == 0) {
    status = 0;
    for (PyMethodDef *def = functions; status == 0 && def->ml_name != NULL; def++) {
      PyObject *function = PyCFunction_NewEx(def, NULL, NULL);
      status = function != NULL ? PyDict_SetItemString(target, def->ml_name, function) : -1;
      Py_XDECREF(function);
    }
  }
  if (status != 0) PyErr_Print();
  PyGILState_Release(state);
  return status;
}
