"""The version of the installed package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("lucid-mpsgraph")
except PackageNotFoundError:
    # Imported from a source folder.
    __version__ = "0+source"
