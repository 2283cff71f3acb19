"""What plug-ins registered for the whole process, for parts that do not load the dialects.

`dialects/snippets/registry.py` fills `OPS` and `DIALECTS`: contexts know these ops and their
dialects. `PARTS` says where each op, target and implementation is from, for the keys of the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from time import time
from typing import Any, NamedTuple

IMPORTED_AT = time()
"""When this package was imported, in seconds of the epoch."""

OPS: dict[str, type[Any]] = {}
"""Name of an op, with its dialect's -> its class."""

DIALECTS: dict[str, Callable[[], Any]] = {}
"""Name of a dialect -> what makes one of its ops; for plug-ins that define none themselves."""


class PlugIn(NamedTuple):
    """A plug-in that was loaded.

    Attributes:
        name: what it was called by whoever asked for it.
        code: its module, the path of a file of patterns, or an object in place of a module.
    """

    name: str
    code: object


PARTS: dict[str, PlugIn | None] = {}
"""`op 'mine.twice'`, `target 'mine'`, `implementation 'mine'` -> its plug-in; None for none."""
