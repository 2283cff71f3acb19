"""Names of values as hints, to which xDSL's printer may add numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.ir import SSAValue

_NUMBERS_AT_END = re.compile(r"(_[0-9]+)+\Z")


@lru_cache(maxsize=1 << 14)
def ssa_name(name: str) -> str:
    """An SSA name as near to `name` as the syntax allows: `387` is `v387`, `conv_1` is `conv.1`.

    xDSL treats `_` and a number at the end as its own suffix, which distinguishes equal names.
    """
    text = re.sub(r"[^\w$.-]", "_", name, flags=re.ASCII)
    text = re.sub(r"_(\d+)\Z", r".\1", text)
    return f"v{text}" if text[:1].isdigit() else text


def settle_hint(value: SSAValue) -> None:
    """Drop all numbers from the end of a value's name; if nothing remains, the value has no name.

    xDSL drops the last one (`a_1_2` becomes `a_1`), and one more with each copy: a copy of a value
    whose name is used up (`_1`) fails, and two values may be printed under one name.
    """
    hint = value.name_hint
    if hint is not None and not hint[-1:].strip("0123456789"):
        value.name_hint = _NUMBERS_AT_END.sub("", hint) or None


def settle_hints(module: ModuleOp) -> None:
    """`settle_hint` for all values of a module that another parser has read."""
    for op in module.walk():
        for value in op.results:
            settle_hint(value)
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    settle_hint(argument)
