"""OpenMP runtimes: the possible libraries, and the libraries that this process has loaded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SYSTEM_LIBRARIES = ("libgomp.so.1", "libiomp5.so", "libomp.so.5", "libomp.so")

_NAME = re.compile(r"lib(gomp|iomp5|omp)\b.*\.so")


def libraries() -> Iterator[str]:
    """The libraries of the system, then those of the `intel-openmp` package, if it is installed."""
    yield from SYSTEM_LIBRARIES
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files("intel-openmp") or []
    except PackageNotFoundError:
        return
    yield from (str(f.locate()) for f in listed if f.name.startswith("libiomp5.so"))


def loaded_runtimes() -> set[str]:
    """The paths of libgomp, libiomp5 and libomp in this process; empty if the system does not list
    them.

    A package may have one under its own name, such as `libgomp-24e2ab19.so.1.0.0`.
    """
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    except OSError:
        return set()
    paths = {line.split(maxsplit=5)[5] for line in lines if "/" in line}
    return {path for path in paths if _NAME.match(Path(path).name)}
