"""A program whose broadcasts have sizes that other values have, checked before its first call.

    %n = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>

If the inputs have known sizes, the program gets all sizes here. Otherwise each call decides them
(`repeated_sizes.py`).
"""

from __future__ import annotations

from contextlib import suppress

from xdsl.dialects.builtin import ModuleOp, UnrankedTensorType

from snippets_mlir.dialects.builtin.dims import TooManySizesError
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.program.host import find_entry
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.driver.dynamic.specialize import specialize
from snippets_mlir.driver.dynamic.templates import template_for


def with_broadcast_sizes(module: ModuleOp, entry: str) -> ModuleOp:
    """`module`, or a copy in which the broadcasts of `entry` have known sizes.

    Raises:
        CompileError: no value determines a size of a broadcast.
    """
    function = find_entry(module, entry)
    types = function.function_type.inputs.data
    if any(isinstance(t, UnrankedTensorType) for t in types):
        return module
    if not any(isinstance(op, BroadcastLikeOp) and _repeats(op) for op in function.walk()):
        return module
    shapes = tuple(shape_of(t) if is_tensor(t) else () for t in types)
    places = [(i, d) for i, s in enumerate(shapes) for d, n in enumerate(s) if n == DYNAMIC]
    if not places:
        return specialize(module, entry, shapes, complete=True)
    unknown = tuple(tuple(n if isinstance(n, int) and n >= 0 else -1 for n in s) for s in shapes)
    with suppress(TooManySizesError):
        template_for(module, entry, places, (None,) * len(places), unknown, complete=True)
    return module


def _repeats(op: BroadcastLikeOp) -> bool:
    """Whether a dynamic size of the result is that of no dim of the operand."""
    shape, result = shape_of(op.operand), shape_of(op.result)
    padded = (1,) * (len(result) - len(shape)) + shape
    return any(pair == (1, DYNAMIC) for pair in zip(padded, result, strict=True))
