"""Builds the extension module `lucid._lucid` from lucid.h itself."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "Sources" / "CLucid" / "include" / "lucid.h"
NATIVE = Path(__file__).resolve().parent

# Callbacks that Python implements, and the one function of objects.c that cffi calls.
EXTRA = """
int lucidpy_install(uintptr_t dictionary);
extern "Python" lucid_tensor *lucidpy_hook(void *payload, lucid_tensor *gradient, int32_t *failed);
extern "Python" void lucidpy_hook_release(void *payload);
"""


def declarations(header: str) -> str:
    """The header without what only a C compiler needs; cffi parses the rest."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^#(ifndef|endif|include)\b.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"^#define LUCID_H\s*$", "", text, flags=re.MULTILINE)


ffibuilder = FFI()
ffibuilder.cdef(declarations(HEADER.read_text()) + EXTRA)
ffibuilder.set_source(
    "lucid._lucid",
    '#include "objects.h"\nint lucidpy_install(uintptr_t dictionary);\n',
    sources=[
        os.path.relpath(NATIVE / name, ROOT)
        for name in ("objects.c", "objects_memory.c", "objects_tensor.c")
    ],
    include_dirs=[str(NATIVE), str(HEADER.parent)],
    library_dirs=[os.environ.get("LUCID_LIBRARY_DIR", str(ROOT / ".build" / "release"))],
    libraries=["Lucid"],
    extra_compile_args=["-std=c11", "-O2", "-fvisibility=hidden"],
    extra_link_args=[
        "-Wl,-rpath,@loader_path" if sys.platform == "darwin" else "-Wl,-rpath,$ORIGIN"
    ],
    py_limited_api=True,
    define_macros=[("Py_LIMITED_API", "0x030A0000")],
)

if __name__ == "__main__":
    ffibuilder.compile(verbose=True)
