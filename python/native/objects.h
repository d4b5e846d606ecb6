/*
 * objects.h: the Python objects of the hot path, in C.
 *
 * cffi calls the library function by function; that is right for everything but applying an
 * operation and reading a tensor's description, where building argument arrays and finalisers in
 * Python would cost more than small operations themselves. This file is part of the cffi module and
 * uses only the stable ABI (3.10).
 */
#ifndef LUCID_PYTHON_OBJECTS_H
#define LUCID_PYTHON_OBJECTS_H

#include <Python.h>
#include <lucid.h>

/* What owns a reference to a tensor of the library; the base of lucid.Tensor. */
typedef struct {
  PyObject_HEAD
  lucid_tensor *handle;
} lucidpy_tensor;

/* What Python registers once at import. */
typedef struct {
  PyTypeObject *base;      /* lucid._lucid's TensorBase */
  PyTypeObject *tensor;    /* lucid.Tensor, what results are made of */
  PyTypeObject *size;      /* lucid.Size, a tuple */
  PyObject *dtypes;        /* tuple: dtype objects by number */
  PyObject *devices;       /* tuple: device objects by number */
  PyObject *errors;        /* dict: status -> exception class */
  PyObject *symbol;        /* callable (coefficient, constant, value) -> symbolic integer */
  PyObject *coerce;        /* callable (object) -> Tensor for operands that are not plain numbers */
} lucidpy_registry;
extern lucidpy_registry lucidpy;

/* Sets the exception that belongs to a failed status; returns NULL. */
PyObject *lucidpy_raise(lucid_status status);
/* Wraps a handle whose reference it takes; NULL handle: raises. */
PyObject *lucidpy_wrap(lucid_tensor *handle);
/* The handle of a tensor object, or NULL with an exception. */
lucid_tensor *lucidpy_handle(PyObject *object);

/* The base class (objects_tensor.c). */
extern PyType_Spec lucidpy_tensor_spec;

/* Memory of Python objects handed to the library (objects_memory.c). */
PyObject *lucidpy_import(PyObject *self, PyObject *args);
PyObject *lucidpy_from_dlpack(PyObject *self, PyObject *args);
PyObject *lucidpy_to_dlpack(PyObject *self, PyObject *args);
/* Releases what the library no longer needs; cheap when there is nothing. Needs the GIL. */
void lucidpy_drain(void);

#endif
