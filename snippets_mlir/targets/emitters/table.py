"""The table from op name to emitter that every target starts from."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation

from snippets_mlir.diagnostics import position_of
from snippets_mlir.dialects.snippets.base import tensor_of
from snippets_mlir.errors import CompileError
from snippets_mlir.targets.emitters.arithmetic import ARITHMETIC_EMITTERS
from snippets_mlir.targets.emitters.convert import CONVERT_EMITTERS
from snippets_mlir.targets.emitters.emitter import Emitter
from snippets_mlir.targets.precisions import describe, precisions_of

EMITTERS: dict[str, Emitter] = {**ARITHMETIC_EMITTERS, **CONVERT_EMITTERS}


def emitter_for(op: Operation) -> Emitter:
    """The emitter of a computing op, for the element types of its operands.

    Raises:
        CompileError: there is none, or none for these types; the message says for which there are.
    """
    emitter = EMITTERS.get(op.name)
    if emitter is None:
        raise CompileError(
            f"{op.name} has no emitter; run lir-expand-math before convert-lir-to-vector",
            **position_of(op),
        )
    found = tuple(tensor_of(value).element_type for value in op.operands)
    supported = _supported(type(op), len(found))
    if supported and found not in supported:
        raise CompileError(
            f"{op.name} has no emitter for {describe((found,))}, expected {describe(supported)}; "
            "run snippets-propagate-precision, or insert a snippets.convert_saturation",
            **position_of(op),
        )
    return emitter


_supported = cache(precisions_of)
