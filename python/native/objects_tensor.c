/* objects_tensor.c: the base class of lucid.Tensor: ownership and description of a tensor. */
#include "objects.h"

#include <math.h>
#include <string.h>

static void tensor_dealloc(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  lucid_tensor_release(((lucidpy_tensor *)self)->handle);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(self);
  Py_DECREF(type);
}

/* TensorBase() takes what another tensor holds: TensorBase._make(cls, tensor) in Python. */
static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  (void)args;
  (void)kwargs;
  return PyType_GenericAlloc(type, 0);
}

static int describe(PyObject *self, lucid_tensor_info *info) {
  lucid_tensor *handle = ((lucidpy_tensor *)self)->handle;
  if (handle == NULL) {
    PyErr_SetString(PyExc_RuntimeError, "the tensor was not initialised");
    return -1;
  }
  info->struct_size = sizeof *info;
  lucid_status status = lucid_tensor_describe(handle, info);
  if (status == LUCID_OK) return 0;
  lucidpy_raise(status);
  return -1;
}

static PyObject *extent(const lucid_tensor_info *info, int32_t i) {
  if (info->batch_coefficient[i] == 0) return PyLong_FromLongLong(info->shape[i]);
  return PyObject_CallFunction(lucidpy.symbol, "LLL", (long long)info->batch_coefficient[i],
                               (long long)info->batch_constant[i], (long long)info->shape[i]);
}

static PyObject *get_shape(PyObject *self, void *closure) {
  (void)closure;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  PyObject *items = PyTuple_New(info.rank);
  if (items == NULL) return NULL;
  for (int32_t i = 0; i < info.rank; i++) {
    PyObject *item = extent(&info, i);
    if (item == NULL) {
      Py_DECREF(items);
      return NULL;
    }
    PyTuple_SetItem(items, i, item);
  }
  if (lucidpy.size == NULL) return items;
  PyObject *args = PyTuple_New(1);
  if (args == NULL) {
    Py_DECREF(items);
    return NULL;
  }
  PyTuple_SetItem(args, 0, items);
  newfunc make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
  PyObject *size = make(lucidpy.size, args, NULL);
  Py_DECREF(args);
  return size;
}

static PyObject *get_strides(PyObject *self, void *closure) {
  (void)closure;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  PyObject *items = PyTuple_New(info.rank);
  for (int32_t i = 0; items != NULL && i < info.rank; i++) {
    PyTuple_SetItem(items, i, PyLong_FromLongLong(info.strides[i]));
  }
  return items;
}

static PyObject *get_dtype(PyObject *self, void *closure) {
  (void)closure;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  if (lucidpy.dtypes == NULL) return PyLong_FromLong(info.dtype);
  PyObject *item = PyTuple_GetItem(lucidpy.dtypes, info.dtype);
  Py_XINCREF(item);
  return item;
}

static PyObject *get_device(PyObject *self, void *closure) {
  (void)closure;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  if (lucidpy.devices == NULL) return PyLong_FromLong(info.device);
  PyObject *item = PyTuple_GetItem(lucidpy.devices, info.device);
  Py_XINCREF(item);
  return item;
}

/* The remaining numbers of the description, by their place in the struct. */
enum { FIELD_INT32 = 0, FIELD_BOOL = 1, FIELD_INT64 = 2 };
typedef struct {
  size_t offset;
  int kind;
} field;

static PyObject *get_field(PyObject *self, void *closure) {
  const field *f = closure;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  const char *at = (const char *)&info + f->offset;
  if (f->kind == FIELD_INT64) {
    int64_t value;
    memcpy(&value, at, sizeof value);
    return PyLong_FromLongLong(value);
  }
  int32_t value;
  memcpy(&value, at, sizeof value);
  return f->kind == FIELD_BOOL ? PyBool_FromLong(value) : PyLong_FromLong(value);
}

static PyObject *get_address(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((lucidpy_tensor *)self)->handle);
}

#define FIELD(name, kind) static field field_##name = {offsetof(lucid_tensor_info, name), kind}
FIELD(rank, FIELD_INT32);
FIELD(is_contiguous, FIELD_BOOL);
FIELD(is_leaf, FIELD_BOOL);
FIELD(requires_grad, FIELD_BOOL);
FIELD(is_view, FIELD_BOOL);
FIELD(is_traced, FIELD_BOOL);
FIELD(is_weak, FIELD_BOOL);
FIELD(has_grad_fn, FIELD_BOOL);
FIELD(version, FIELD_INT64);
FIELD(element_count, FIELD_INT64);
FIELD(storage_offset, FIELD_INT64);
FIELD(storage_id, FIELD_INT64);

static PyGetSetDef tensor_getters[] = {
    {"shape", get_shape, NULL, "The extents, a lucid.Size.", NULL},
    {"_strides", get_strides, NULL, "Steps between elements, in elements.", NULL},
    {"dtype", get_dtype, NULL, "The element type.", NULL},
    {"device", get_device, NULL, "Where the tensor lives.", NULL},
    {"_address", get_address, NULL, "The handle as an integer.", NULL},
    {"ndim", get_field, NULL, "The number of axes.", &field_rank},
    {"is_leaf", get_field, NULL, "Whether gradients accumulate here.", &field_is_leaf},
    {"_requires_grad", get_field, NULL, "Whether gradients are wanted.", &field_requires_grad},
    {"_is_contiguous", get_field, NULL, "Whether elements lie packed.", &field_is_contiguous},
    {"_is_view", get_field, NULL, "Whether this is a view of another tensor.", &field_is_view},
    {"_is_traced", get_field, NULL, "Whether the value is not computed yet.", &field_is_traced},
    {"_is_weak", get_field, NULL, "Whether this stands for a plain number.", &field_is_weak},
    {"_has_grad_fn", get_field, NULL, "Whether an operation's gradient is known.", &field_has_grad_fn},
    {"_version", get_field, NULL, "How often the storage was written.", &field_version},
    {"_element_count", get_field, NULL, "The number of elements.", &field_element_count},
    {"_storage_offset", get_field, NULL, "Where element 0 lies.", &field_storage_offset},
    {"_storage_id", get_field, NULL, "Equal for tensors that share memory.", &field_storage_id},
    {NULL, NULL, NULL, NULL, NULL},
};

static double half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value;
  if (exponent == 31) {
    value = fraction != 0 ? NAN : INFINITY;
  } else if (exponent == 0) {
    value = ldexp(fraction, -24);
  } else {
    value = ldexp(fraction + 1024, exponent - 25);
  }
  return bits & 0x8000 ? -value : value;
}

static PyObject *number_object(int32_t dtype, const void *bytes) {
  union {
    float f32;
    uint32_t bits;
    uint16_t u16;
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
  } v;
  memcpy(&v, bytes, sizeof v);
  switch (dtype) {
    case LUCID_FLOAT32: return PyFloat_FromDouble(v.f32);
    case LUCID_FLOAT16: return PyFloat_FromDouble(half_value(v.u16));
    case LUCID_BFLOAT16: v.bits = (uint32_t)v.u16 << 16; return PyFloat_FromDouble(v.f32);
    case LUCID_INT8: return PyLong_FromLong(v.i8);
    case LUCID_INT16: return PyLong_FromLong(v.i16);
    case LUCID_INT32: return PyLong_FromLong(v.i32);
    case LUCID_INT64: return PyLong_FromLongLong(v.i64);
    case LUCID_UINT8: return PyLong_FromLong(v.u8);
    case LUCID_BOOL: return PyBool_FromLong(v.u8);
    default: PyErr_SetString(PyExc_TypeError, "unknown element type"); return NULL;
  }
}

static const unsigned char item_sizes[] = {4, 2, 2, 1, 2, 4, 8, 1, 1};

/* Tells Python that a recorded value is about to be read, so that it can say which line did; -1 with an
 * exception. Values that are there cost nothing. */
static int note_read(const lucid_tensor_info *info) {
  if (!info->is_traced) return 0;
  PyObject *module = PyImport_ImportModule("lucid._native");
  PyObject *result = module != NULL ? PyObject_CallMethod(module, "on_read", NULL) : NULL;
  Py_XDECREF(module);
  Py_XDECREF(result);
  return result != NULL ? 0 : -1;
}

/* _array_interface(typestrs): exports the memory and describes it as NumPy's array interface does. None
 * if gradients are wanted; NotImplemented where NumPy has no such type or there are no elements. */
static PyObject *tensor_array_interface(PyObject *self, PyObject *typestrs) {
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  if (info.requires_grad) Py_RETURN_NONE;
  PyObject *typestr = PyTuple_GetItem(typestrs, info.dtype);
  if (typestr == NULL) return NULL;
  if (typestr == Py_None || info.element_count == 0) Py_RETURN_NOTIMPLEMENTED;
  if (note_read(&info) < 0) return NULL;
  PyObject *shape = PyTuple_New(info.rank);
  PyObject *strides = PyTuple_New(info.rank);
  for (int32_t i = 0; shape != NULL && strides != NULL && i < info.rank; i++) {
    PyTuple_SetItem(shape, i, PyLong_FromLongLong(info.shape[i]));
    PyTuple_SetItem(strides, i, PyLong_FromLongLong(info.strides[i] * item_sizes[info.dtype]));
  }
  void *data = NULL;
  lucid_status status = LUCID_ERROR_MEMORY;
  if (shape != NULL && strides != NULL && !PyErr_Occurred()) {
    Py_BEGIN_ALLOW_THREADS
    status = lucid_tensor_export(((lucidpy_tensor *)self)->handle, &data);
    Py_END_ALLOW_THREADS
    if (status != LUCID_OK) lucidpy_raise(status);
  }
  if (status != LUCID_OK) {
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
  }
  PyObject *interface =
      Py_BuildValue("{s:i,s:O,s:N,s:N,s:(NO)}", "version", 3, "typestr", typestr, "shape", shape,
                    "strides", strides, "data", PyLong_FromVoidPtr(data), Py_False);
  if (interface == NULL) lucid_tensor_unexport(((lucidpy_tensor *)self)->handle);
  return interface;
}

/* _item(): the only element as a Python number; None unless there is exactly one. */
static PyObject *tensor_item(PyObject *self, PyObject *unused) {
  (void)unused;
  lucid_tensor_info info;
  if (describe(self, &info) < 0) return NULL;
  if (info.element_count != 1) Py_RETURN_NONE;
  if (note_read(&info) < 0) return NULL;
  unsigned char bytes[8] = {0};
  lucid_status status;
  Py_BEGIN_ALLOW_THREADS
  status = lucid_tensor_read(((lucidpy_tensor *)self)->handle, bytes, item_sizes[info.dtype]);
  Py_END_ALLOW_THREADS
  return status == LUCID_OK ? number_object(info.dtype, bytes) : lucidpy_raise(status);
}

/* _adopt(other): becomes another handle to what `other` holds. For constructors of subclasses. */
static PyObject *tensor_adopt(PyObject *self, PyObject *other) {
  lucid_tensor *handle = lucidpy_handle(other);
  if (handle == NULL) return NULL;
  lucid_tensor_retain(handle);
  lucid_tensor_release(((lucidpy_tensor *)self)->handle);
  ((lucidpy_tensor *)self)->handle = handle;
  Py_RETURN_NONE;
}

static PyMethodDef tensor_methods[] = {
    {"_adopt", tensor_adopt, METH_O, "Become another handle to what the argument holds."},
    {"_item", tensor_item, METH_NOARGS, "The only element as a number; None unless there is one."},
    {"_array_interface", tensor_array_interface, METH_O, "Exports the memory for NumPy."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot tensor_slots[] = {
    {Py_tp_dealloc, (void *)tensor_dealloc},
    {Py_tp_new, (void *)tensor_new},
    {Py_tp_getset, tensor_getters},
    {Py_tp_methods, tensor_methods},
    {Py_tp_doc, "Owns one tensor of the library."},
    {0, NULL},
};
PyType_Spec lucidpy_tensor_spec = {
    .name = "lucid._lucid.TensorBase",
    .basicsize = sizeof(lucidpy_tensor),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = tensor_slots,
};
