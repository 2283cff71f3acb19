"""The values that an affine map may take as dimensions and as symbols.

MLIR's rule: a *symbol* is a constant, a value from outside the affine scope or defined at its top
level, or an `affine.apply` of symbols; a *dimension* is a symbol, the induction variable of an
`affine.for` or `affine.parallel`, or an `affine.apply` of dimensions. The affine scope is the body
of the closest function.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

_COMPOSITIONS = ("affine.apply", "affine.delinearize_index", "affine.linearize_index")


def is_scope(op: Operation) -> bool:
    """Whether the body of `op` is an affine scope."""
    return isinstance(op, FuncOp | UnregisteredOp) or op.has_trait(IsolatedFromAbove)


def is_top_level(value: SSAValue) -> bool:
    """Whether `value` is an argument of the body of an affine scope or defined directly in it."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    parent = block.parent_op() if block is not None else None
    return parent is None or is_scope(parent)


def is_symbol(value: SSAValue) -> bool:
    """Whether `value` may be a symbol."""
    if is_top_level(value):
        return True
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        return True
    if isinstance(owner, Operation) and owner.name == "memref.dim":
        return is_top_level(owner.operands[0])
    return _is_composition(value) and all(map(is_symbol, _operands(value)))


def is_dim(value: SSAValue) -> bool:
    """Whether `value` may be a dimension."""
    if is_symbol(value):
        return True
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if isinstance(loop, affine.ForOp):
            return value is owner.args[0]
        return loop is not None and loop.name == "affine.parallel"
    return _is_composition(value) and all(map(is_dim, owner.operands))


def _is_composition(value: SSAValue) -> bool:
    return isinstance(value.owner, Operation) and value.owner.name in _COMPOSITIONS


def _operands(value: SSAValue) -> Sequence[SSAValue]:
    assert isinstance(value.owner, Operation)
    return value.owner.operands


def verify_operands(what: str, map: AffineMap | AffineSet, operands: Sequence[SSAValue]) -> None:
    """Check number and kinds of the operands of a map or set.

    Raises:
        VerifyException: labelled C1 for the number, C2 for an invalid dimension, C3 for an invalid
            symbol.
    """
    expected = map.num_dims + map.num_symbols
    if len(operands) != expected:
        raise VerifyException(
            f"C1: expected {map.num_dims} dimension and {map.num_symbols} symbol operands of the "
            f"{what}, found {len(operands)}"
        )
    for place, value in enumerate(operands):
        if _attached(value) and place < map.num_dims and not is_dim(value):
            raise VerifyException(
                f"C2: operand {place} of the {what} cannot be a dimension: expected an induction "
                "variable of an affine loop, a constant, a value of the function's top level, or "
                "an affine.apply of these"
            )
        if _attached(value) and place >= map.num_dims and not is_symbol(value):
            raise VerifyException(
                f"C3: operand {place} of the {what} cannot be a symbol: expected a constant, a "
                "value of the function's top level, or an affine.apply of these"
            )


def _attached(value: SSAValue) -> bool:
    """Whether `value` is in a region, so that its scope is known."""
    block = value.owner if isinstance(value.owner, Block) else value.owner.parent
    region: Region | None = block.parent if block is not None else None
    return region is not None and region.parent is not None
