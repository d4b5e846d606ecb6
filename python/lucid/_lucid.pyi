"""The extension module: cffi's view of lucid.h."""

from typing import Any

ffi: Any
lib: Any
