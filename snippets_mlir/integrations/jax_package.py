"""JAX, imported on demand, and the parts of it that this package needs."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from snippets_mlir.support.errors import CompileError

OLDEST = (0, 7)
"""The oldest version of JAX whose foreign function interface is known."""


@cache
def imported() -> Any:
    """The package, or the reason why it is missing: a second import of a broken package has another
    error.
    """
    try:
        return import_module("jax")
    except (ImportError, RuntimeError) as error:  # RuntimeError: jaxlib is of another version
        return " ".join(str(error).split())


def load_jax() -> Any:
    """The package JAX.

    Raises:
        CompileError: it is not installed, or older than `OLDEST`, or its jaxlib does not fit.
    """
    needed = f"JAX {'.'.join(map(str, OLDEST))} or newer is needed"
    jax = imported()
    if isinstance(jax, str):
        raise CompileError(f"{needed}: pip install 'snippets-mlir[jax]' ({jax})")
    found = re.match(r"(\d+)\.(\d+)", jax.__version__)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise CompileError(f"{needed}, found {jax.__version__}")
    return jax
