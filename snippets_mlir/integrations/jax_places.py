"""The line where a JAX function uses an op that the compiler does not support.

    <string>:7:5: no executor for 'stablehlo.sort': ...
    FILE:3:12: no kernel and no executor for 'stablehlo.sort', which JAX makes of this line

`located(error, lowered)` turns the first message into the second: JAX writes the lines of the
function into the locations of StableHLO.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snippets_mlir.driver.sources.stablehlo import long_loop_in
from snippets_mlir.support.errors import CompileError

_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')
_OP = re.compile(r"'((?:stablehlo|chlo)\.\w+)'")


LONG = "many iterations, or an unknown number of them, for"
"""The warning's text for loops that JAX runs."""


def refuse_long_loops(lowered: Any) -> None:
    """A CompileError, at the user's line, if there is a loop that JAX runs in less time."""
    try:
        if not long_loop_in(lowered.as_text()):
            return
    except CompileError:  # `compile` reports it, too
        return
    raise located(CompileError("'stablehlo.while'"), lowered, LONG)


def located(
    error: CompileError, lowered: Any, what: str = "no kernel and no executor for"
) -> CompileError:
    """The error at the user's line: where the function uses the op that the message names."""
    if (found := _OP.search(error.message)) is None:
        return error
    missing = f"{what} '{found[1]}', which JAX makes of"
    if (place := _place(lowered.compiler_ir("stablehlo").operation, found[1])) is None:
        return CompileError(f"{missing} the function")
    file, line, column = place.groups()
    message = f"{missing} this line"
    return CompileError(message, file=file, line=int(line), column=int(column) + 1)


def _place(module: Any, name: str) -> re.Match[str] | None:
    """The place of the first op of this name, or of the call of the function that has it."""
    functions = [o.operation for o in module.regions[0].blocks[0]]
    for function in functions:
        for op in _inside(function):
            if op.name != name:
                continue
            if place := _users_place(str(op.location)):
                return place
            symbol = str(function.attributes["sym_name"]).strip('"')
            calls = (o for f in functions for o in _inside(f) if o.name == "func.call")
            for call in calls:
                if str(call.attributes["callee"]) == f"@{symbol}":
                    return _users_place(str(call.location))
    return None


def _users_place(location: str) -> re.Match[str] | None:
    """The innermost place of a location that is not in this package."""
    own = str(Path(__file__).parents[1])
    return next((p for p in _PLACE.finditer(location) if not p[1].startswith(own)), None)


def _inside(op: Any) -> Iterator[Any]:
    """The ops in the regions of an op of jaxlib, at every depth."""
    for region in op.regions:
        for block in region:
            for inner in block:
                yield inner.operation
                yield from _inside(inner.operation)
