"""The line where a JAX function uses an op that the compiler does not support.

    <string>:7:5: no executor for 'stablehlo.sort': ...
    FILE:3:12: no kernel and no executor for 'stablehlo.sort', which JAX makes of this line

`located(error, lowered)` turns the first message into the second: JAX writes the lines of the
function into the locations of StableHLO.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from snippets_mlir.driver.sources.stablehlo import long_loop_in
from snippets_mlir.integrations.jax_package import load_jax
from snippets_mlir.support.errors import CompileError

_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')
_CALL = "stablehlo.custom_call"
_OP = re.compile(r"'((?:stablehlo|chlo)\.\w+)'")


LONG = "many iterations, or an unknown number of them, for"
"""The warning's text for loops that JAX runs."""


def refuse_keys(avals: Iterable[Any]) -> None:
    """A CompileError if an argument or a result is a key of `jax.random.key`."""
    dtypes = load_jax().dtypes
    for aval in avals:
        if dtypes.issubdtype(aval.dtype, dtypes.prng_key):
            message = "is no array of numbers; pass jax.random.key_data(key), or a key of PRNGKey"
            raise CompileError(f"an argument or result of the type {aval.dtype} {message}")


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
    """The error at the user's line: where the function uses the op that the message names.

    JAX writes calls of other code with attributes and ops that the parser does not know: then the
    message names the call.
    """
    module = lowered.compiler_ir("stablehlo").operation
    found = _OP.search(error.message)
    name = found[1] if found else ""
    names = {op.name for op in _inside(module)}
    if name not in names and _CALL in names:
        name = _CALL
    if not name:
        return error
    missing = f"{what} '{name}', which JAX makes of"
    if (place := _place(module, name)) is None:
        return CompileError(f"{missing} the function")
    file, line, column = place.groups()
    message = f"{missing} this line"
    return CompileError(message, file=file, line=int(line), column=int(column) + 1)


def _place(module: Any, name: str) -> re.Match[str] | None:
    """The user's place of the first op of this name, or of the calls that lead to it."""
    functions = [o.operation for o in module.regions[0].blocks[0]]
    calls = [(f, o) for f in functions for o in _inside(f) if o.name == "func.call"]
    seen = set[str]()
    found = [(f, o) for f in functions for o in _inside(f) if o.name == name]
    while found:
        if place := next((p for _, o in found if (p := _users_place(str(o.location)))), None):
            return place
        symbols = {_symbol(f, "sym_name") for f, _ in found} - seen
        seen |= symbols
        found = [(f, o) for f, o in calls if _symbol(o, "callee") in symbols]
    return None


def _symbol(op: Any, attribute: str) -> str:
    """The name of a function, or of the one that is called."""
    return str(op.attributes[attribute]).strip('@"')


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
