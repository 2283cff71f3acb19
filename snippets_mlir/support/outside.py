"""Ops that plug-ins registered, for parts of the package that do not load the dialects.

`dialects/snippets/registry.py` fills the tables. Contexts know these ops and their dialects, and
programs are not kept on disk while there are any: their code is in no key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OPS: dict[str, type[Any]] = {}
"""Name of an op, with its dialect's -> its class."""

DIALECTS: dict[str, Callable[[], Any]] = {}
"""Name of a dialect -> what makes one of its ops; for plug-ins that define none themselves."""
