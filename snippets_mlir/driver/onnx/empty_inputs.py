"""Which sizes of a call may be 0 in a program for symbolic sizes: those of an empty cache.

    %past : tensor<1x4x?0x32xf32>, %new : tensor<1x4x?1x32xf32>
    %keys = snippets.concat %past, %new {axis = 2}  : .. -> tensor<1x4x(?0 + ?1)x32xf32>

A decoder gets its first tokens with a cache of no rows: `?0` is 0. The code for symbols is right
for sizes of 0: the loops that store this part of the concat do not run. A symbol may be 0 if

* only inputs have no elements then, and concats of them alone, which are these inputs;
* concats, or nodes of onnxruntime, read these inputs. A reduction would have a value of its own.

Other calls with a size of 0 run as one session.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.dims import Dim, Size, terms_of
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp


def symbols_that_may_be_zero(module: ModuleOp) -> tuple[int, ...]:
    """The symbols that may be 0 in a call of the one function of `module`."""
    found: set[int] = set()
    refused: set[int] = set()
    for op in module.walk():
        is_function = isinstance(op.parent_op(), ModuleOp)
        for argument in (a for region in op.regions for block in region.blocks for a in block.args):
            admitted = is_function and _is_joined(argument)
            (found if admitted else refused).update(_emptied_by(argument))
        for result in op.results:
            if not (isinstance(op, ConcatOp) and _is_joined(result)):
                refused |= _emptied_by(result)
    return tuple(sorted(found - refused))


def _is_joined(value: SSAValue) -> bool:
    """Whether concats and nodes of onnxruntime alone read a value."""
    return all(isinstance(use.operation, ConcatOp | NodeOp) for use in value.uses)


def _emptied_by(value: SSAValue) -> set[int]:
    """The symbols without which a value has no elements: all terms of a size have them."""
    sizes = shape_of(value) if is_tensor(value.type) else ()
    return {symbol for size in sizes for symbol in _factors(size)}


def _factors(size: Dim) -> frozenset[int]:
    """The symbols in all terms of a size."""
    if not isinstance(size, Size):
        return frozenset()
    first, *others = (frozenset(monomial) for monomial, _ in terms_of(size))
    return first.intersection(*others)
