"""PyTorch, imported on demand, and the parts of it that this package needs."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import Any

from snippets_mlir.support.errors import CompileError

OLDEST = (2, 13)
"""The oldest version whose graphs the tests compile."""


@cache
def load_torch() -> Any:
    """The module `torch`.

    Raises:
        CompileError: it is not installed, or older than `OLDEST`.
    """
    needed = f"PyTorch {'.'.join(map(str, OLDEST))} or newer is needed"
    try:
        torch = import_module("torch")
    except ImportError as error:
        raise CompileError(f"{needed}: pip install snippets-mlir[torch] ({error})") from None
    found = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if found is None or (int(found[1]), int(found[2])) < OLDEST:
        raise CompileError(f"{needed}, found {torch.__version__}")
    return torch
