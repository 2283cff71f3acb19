"""Mark arguments whose memory a pass has taken as distinct.

    func.func @f(%A: memref<8xf32>, %B: memref<8xf32>)
    func.func @f(%A: memref<8xf32>, %B: memref<8xf32> {llvm.noalias})    when %B is stored to

Affine passes take different arguments as different memory. Their changes are correct only then, so
they mark the arguments that are stored to; calls from Python check the marks.
"""

from __future__ import annotations

from xdsl.dialects import affine, func, vector
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, UnitAttr
from xdsl.ir import SSAValue

from snippets_mlir.analysis.loops.aliasing import root_of
from snippets_mlir.support.attribute_names import NO_ALIAS


def mark_distinct(function: func.FuncOp) -> None:
    """Mark the memrefs among a function's arguments that it stores to, if there is another one."""
    arguments = function.body.blocks[0].args
    memrefs = [argument for argument in arguments if isinstance(argument.type, MemRefType)]
    if len(memrefs) < 2:
        return
    roots = {root_of(target) for target in _stored(function)}
    known = function.arg_attrs.data if function.arg_attrs is not None else ()
    attributes = [dict(a.data) for a in known] or [{} for _ in arguments]
    for argument, own in zip(arguments, attributes, strict=True):
        if argument in roots:
            own[NO_ALIAS] = UnitAttr()
    if any(attributes):
        function.arg_attrs = ArrayAttr([DictionaryAttr(own) for own in attributes])


def _stored(function: func.FuncOp) -> list[SSAValue]:
    """The memrefs that a function stores to."""
    found: list[SSAValue] = []
    for op in function.walk():
        if isinstance(op, affine.StoreOp):
            found.append(op.memref)
        elif isinstance(op, vector.TransferWriteOp):
            found.append(op.source)
    return found
