"""MLIR's kinds of reduction: the op that combines two values, and the neutral element.

Kinds have the names of `affine.parallel` and `memref.atomic_rmw` ("addf", "maxs", ...).
"""

from __future__ import annotations

from math import inf, nan
from typing import cast

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import element_of

_OPS: dict[str, type[Operation]] = {
    "addf": arith.AddfOp,
    "addi": arith.AddiOp,
    "andi": arith.AndIOp,
    "maximumf": arith.MaximumfOp,
    "maxnumf": arith.MaxnumfOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumfOp,
    "minnumf": arith.MinnumfOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulfOp,
    "muli": arith.MuliOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
}
_FLOATS = {
    "addf": -0.0,
    "mulf": 1.0,
    "maximumf": -inf,
    "minimumf": inf,
    "maxnumf": nan,
    "minnumf": nan,
}


def kind_of(op: Operation) -> str | None:
    """The kind of the op `op`, None for any other op."""
    return next((kind for kind, cls in _OPS.items() if isinstance(op, cls)), None)


def combining_op(kind: str, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """The `arith` op that combines two values; KeyError for "assign"."""
    cls = _OPS[kind]
    properties: dict[str, Attribute] = {}
    if "fastmath" in cls.get_irdl_definition().properties:  # pyright: ignore
        properties["fastmath"] = arith.FastMathFlagsAttr("none")
    if cls in (arith.AddiOp, arith.MuliOp):
        properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
    return cls.create(operands=[lhs, rhs], result_types=[lhs.type], properties=properties)


def combining_region(kind: str, value: SSAValue) -> Region:
    """The region of `scf.reduce` for values of that type."""
    block = Block(arg_types=[value.type, value.type])
    combined = combining_op(kind, block.args[0], block.args[1])
    block.add_ops([combined, scf.ReduceReturnOp(combined.results[0])])
    return Region(block)


def neutral_element(kind: str, type: Attribute) -> Attribute | None:
    """The neutral constant, None for a kind or type without one.

    The sum starts at -0.0, because 0.0 + -0.0 is 0.0.
    """
    element = element_of(type)
    scalar: Attribute | None = None
    if kind in _FLOATS and isinstance(element, AnyFloat):
        scalar = FloatAttr(_FLOATS[kind], element)
    elif kind in _OPS and kind not in _FLOATS:
        value = _integer(kind, 64 if integers_of(element) is None else _width(element))
        scalar = IntegerAttr(value, cast("AnyFloat", element))  # pyright: ignore
    if scalar is None or element == type:
        return scalar
    raw = cast("IntegerAttr", scalar).value.data
    return DenseIntOrFPElementsAttr.from_list(type, [raw])  # pyright: ignore


def _width(element: Attribute) -> int:
    facts = integers_of(element)
    assert facts is not None
    return facts.width


def _integer(kind: str, width: int) -> int:
    """The neutral integer of `width` bits, as a signed number."""
    smallest, largest = -(1 << (width - 1)), (1 << (width - 1)) - 1
    return {
        "addi": 0,
        "andi": -1,
        "maxs": smallest,
        "maxu": 0,
        "mins": largest,
        "minu": -1,
        "muli": 1,
        "ori": 0,
        "xori": 0,
    }[kind]
