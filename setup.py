"""Builds the Swift library and the extension module, and puts both into the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
LIBRARY = "libLucid.dylib" if sys.platform == "darwin" else "libLucid.so"


def swift_build() -> Path:
    """Builds the library and returns its directory.

    LUCID_LIBRARY_DIR names a directory where it is already built.
    """
    given = os.environ.get("LUCID_LIBRARY_DIR")
    if given:
        return Path(given)
    if shutil.which("swift") is None:
        raise SystemExit("lucid: Swift 6.3 or later is needed to build (https://swift.org/install)")
    command = [
        "swift",
        "build",
        "-c",
        "release",
        "-Xswiftc",
        "-static-stdlib",
        "--product",
        "Lucid",
    ]
    jobs = os.environ.get("LUCID_BUILD_JOBS")
    if jobs:
        command += ["-j", jobs]
    subprocess.run(command, cwd=ROOT, check=True)
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Path(shown.stdout.strip())


class build_native(build_ext):
    """Compiles the extension against the library and copies the library beside it."""

    def run(self) -> None:
        directory = swift_build()
        for extension in self.extensions:
            extension.library_dirs = [str(directory)]
        super().run()
        target = Path(self.get_ext_fullpath("lucid._lucid")).parent
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(directory / LIBRARY, target / LIBRARY)
        if sys.platform == "linux" and shutil.which("strip"):
            subprocess.run(["strip", "--strip-unneeded", str(target / LIBRARY)], check=True)


class abi3_wheel(bdist_wheel):
    """The wheel serves every Python from 3.10 on."""

    def finalize_options(self) -> None:
        self.py_limited_api = "cp310"
        super().finalize_options()


setup(
    package_dir={"": "python"},
    cffi_modules=["python/native/ffibuilder.py:ffibuilder"],
    cmdclass={"build_ext": build_native, "bdist_wheel": abi3_wheel},
)
