"""Compute an op in another precision: shared code of the passes that use the target's types.

`snippets_propagate_precision.py` has the rules and an example.
"""

from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, f64, i64
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp, UnaryOp
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.cumulative import CumMaxOp, CumMinOp
from snippets_mlir.dialects.snippets.internal import LookupOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp
from snippets_mlir.passes.building.graph import OpBuilder, made_reader
from snippets_mlir.targets.precisions import Precision

EXTREMES = (ReduceMaxOp, ReduceMinOp, CumMaxOp, CumMinOp)
"""Ops that may give the largest or least of no elements."""


def elements_of(op: Operation) -> Precision:
    """The element types of the operands, which are the precision of `op`."""
    return tuple(tensor_of(value).element_type for value in op.operands)


def _rounded(attr: Attribute, element: Attribute) -> Attribute | None:
    """A number of an op on `element` in the precision and range of that type; None for text."""
    if isinstance(attr, FloatAttr) and isinstance(element, AnyFloat):
        import numpy as np

        from snippets_mlir.dialects.builtin.dtypes import numpy_dtype, round_to

        value = round_to(np.asarray(attr.value.data, np.float64), numpy_dtype(element))
        return FloatAttr(float(value), f64)
    if isinstance(attr, IntegerAttr) and (integers := integers_of(element)) is not None:
        value = max(integers.smallest, min(attr.value.data, integers.largest))
        return IntegerAttr(value, i64)
    return None


def _properties(op: ComputeOp, element: Attribute) -> dict[str, Attribute]:
    """The properties of `op` as the op on `element` reads them."""
    if not isinstance(op, UnaryOp):
        return dict(op.properties)
    return {name: _rounded(attr, element) or attr for name, attr in op.properties.items()}


def made_from(value: SSAValue, old: frozenset[Operation]) -> SSAValue | None:
    """The wider float that a conversion of this pass has rounded to `value`."""
    if not isinstance(value, OpResult) or value.op in old:
        return None
    is_float = isinstance(tensor_of(value).element_type, AnyFloat)
    return value.op.operand if is_float and isinstance(value.op, ConvertSaturationOp) else None


def _operand(
    build: OpBuilder,
    value: SSAValue,
    element: Attribute,
    old: frozenset[Operation],
    keeps_bits: bool,
) -> SSAValue:
    """`value` with elements of a type that holds its own; converted once for all readers."""
    type_ = tensor_of(value)
    if type_.element_type == element:
        return value
    wide = tensor_type(element, shape_of(type_))
    if keeps_bits and (unrounded := made_from(value, old)) is not None and unrounded.type == wide:
        return unrounded

    def converts_alike(op: Operation) -> bool:
        return isinstance(op, ConvertSaturationOp) and op.result.type == wide

    known = made_reader(value, old, converts_alike)
    return known or build.add(ConvertSaturationOp(value, element))


def widen(
    build: OpBuilder,
    op: ComputeOp,
    precision: Precision,
    old: frozenset[Operation],
    *,
    keeps_bits: bool = False,
) -> None:
    """Replace `op` by one of `precision` between conversions.

    With `keeps_bits`, the op reads values of other ops of the pass before they are rounded; `old`
    are the ops from before the pass.
    """
    element = tensor_of(op.joined_operands[0]).element_type
    wide = precision[-1]
    operands = [
        _operand(build, value, target, old, keeps_bits)
        for value, target in zip(op.operands, precision, strict=True)
    ]
    result = tensor_of(op.results[0])
    follows = result.element_type == element and not isinstance(op, LookupOp)
    produced = wide if follows else result.element_type
    same = type(op).create(
        operands=operands,
        result_types=[tensor_type(produced, shape_of(result))],
        properties=_properties(op, element),
        attributes=op.attributes,
    )
    value = build.add(same)
    if produced != result.element_type:
        # The largest of no elements is the lowest number of the type, and has to stay so.
        clamps = isinstance(element, AnyFloat) or isinstance(op, EXTREMES)
        back = ConvertSaturationOp if clamps else ConvertTruncationOp
        value = build.add(back(value, result.element_type))
    build.replace(value)
