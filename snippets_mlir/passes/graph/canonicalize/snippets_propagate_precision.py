"""Compute every op in a precision that the target has, and keep the element types of its values.

    %1 = snippets.add %a, %b : tensor<8xf16>                     becomes

    %2 = snippets.convert_saturation %a : (tensor<8xf16>) -> tensor<8xf32>
    %3 = snippets.convert_saturation %b : (tensor<8xf16>) -> tensor<8xf32>
    %4 = snippets.add %2, %3 : tensor<8xf32>
    %1 = snippets.convert_saturation %4 : (tensor<8xf32>) -> tensor<8xf16>

The table of precisions is `targets/precisions.py`. An op whose precision is not in it gets the
first one there that holds every value of the operands. Its result is converted back: rounded for
floats, wrapped for integers (`convert_truncation`), so that each op keeps the value that its text
says. That is exact but for `fma` of 16-bit floats (rounded twice) and for the functions that are
approximated anyway. Attributes are rounded to the old type first, as the op says; a
`squared_difference` of 16-bit floats becomes its two roundings, `subtract` and `multiply`.

Refuses types that no precision holds (ui64, odd widths), and those that the target cannot convert
(f16 on `generic`). The guide's PropagatePrecision takes the first precision of the
table there, which may narrow or turn floats into integers in silence, and saturates integers.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import (
    AnyFloat,
    FixedBitwidthType,
    FloatAttr,
    IntegerAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.integers import integers_of
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp, SquaredDifferenceOp, SubtractOp
from snippets_mlir.dialects.snippets.base import ComputeOp, UnaryOp
from snippets_mlir.dialects.snippets.conversion import ConvertSaturationOp, ConvertTruncationOp
from snippets_mlir.dialects.snippets.internal import LookupOp
from snippets_mlir.dialects.snippets.reduction import ReduceMaxOp, ReduceMinOp
from snippets_mlir.passes.building.graph import OpBuilder, made_reader
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of, ops_inside
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.machine import TargetMachine
from snippets_mlir.targets.precisions import (
    Precision,
    converts,
    describe,
    precision_for,
    supported_precisions,
)

OpT = TypeVar("OpT", bound=ComputeOp)


def _elements(op: Operation) -> Precision:
    return tuple(tensor_of(value).element_type for value in op.operands)


def _precision(op: ComputeOp, machine: TargetMachine) -> Precision | None:
    """The precision to compute `op` in, None when it stays; CompileError when there is none."""
    current = _elements(op)
    precision = precision_for(op, current, machine)
    if precision == current:
        return None
    what = f"{op.name} of {', '.join(map(str, current))}"
    if precision is None:
        raise CompileError(
            f"{what}: no precision of target {machine.name} holds these values, "
            f"expected {describe(supported_precisions(op, machine))}; "
            "insert a snippets.convert_saturation",
            **position_of(op),
        )
    for element in current:
        if not converts(machine, element):
            raise CompileError(
                f"{what}: target {machine.name} cannot convert {element}; "
                "choose another target or keep the op out of the subgraph",
                **position_of(op),
            )
    return precision


def _rounded(attr: Attribute, element: Attribute) -> Attribute | None:
    """A number of an op on `element` in the precision and range of that type, None for text."""
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


def _operand(
    build: OpBuilder, value: SSAValue, element: Attribute, old: frozenset[Operation]
) -> SSAValue:
    """`value` with elements of a type that holds its own; converted once for all readers."""
    type_ = tensor_of(value)
    if type_.element_type == element:
        return value
    wide = tensor_type(element, shape_of(type_))

    def converts_alike(op: Operation) -> bool:
        return isinstance(op, ConvertSaturationOp) and op.result.type == wide

    known = made_reader(value, old, converts_alike)
    return known or build.add(ConvertSaturationOp(value, element))


def _widen(
    build: OpBuilder, op: ComputeOp, precision: Precision, old: frozenset[Operation]
) -> None:
    """Replace `op` by one of `precision` between conversions."""
    element = tensor_of(op.joined_operands[0]).element_type
    wide = precision[-1]
    operands = [
        _operand(build, value, target, old)
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
        # The largest of nothing is the lowest number of the type, which has to stay it.
        clamps = isinstance(element, AnyFloat) or isinstance(op, ReduceMaxOp | ReduceMinOp)
        back = ConvertSaturationOp if clamps else ConvertTruncationOp
        value = build.add(back(value, result.element_type))
    build.replace(value)


def narrow_floats(op: ComputeOp) -> bool:
    """On floats of fewer than 32 bits."""
    element = tensor_of(op.operands[0]).element_type
    is_narrow = isinstance(element, FixedBitwidthType) and element.bitwidth < 32
    return is_narrow and isinstance(element, AnyFloat)


class _InPrecision(Pattern[OpT, Precision]):
    """What the target has another precision for."""

    def __init__(self, machine: TargetMachine, old: frozenset[Operation]) -> None:
        self.machine, self.old = machine, old

    def match(self, op: OpT) -> Precision | None:
        """The precision; CompileError when there is none."""
        return _precision(op, self.machine)


class TwoRoundings(_InPrecision[SquaredDifferenceOp]):
    """`squared_difference(x, y)` is `d * d`, where `d = x - y` is rounded."""

    name = "two-roundings"
    ops = (SquaredDifferenceOp,)
    conditions = (narrow_floats,)

    def rewrite(self, op: SquaredDifferenceOp, match: Precision, rewriter: PatternRewriter) -> None:
        """Compute both ops in the precision."""
        build = OpBuilder(op, rewriter)
        difference = SubtractOp(op.lhs, op.rhs)
        square = MultiplyOp(build.add(difference), difference)
        build.replace(build.add(square))
        for part in (difference, square):
            _widen(OpBuilder(part, rewriter), part, match, self.old)


class InPrecision(_InPrecision[ComputeOp]):
    """An op is computed in the precision, between conversions."""

    name = "in-precision"
    ops = (ComputeOp,)

    def rewrite(self, op: ComputeOp, match: Precision, rewriter: PatternRewriter) -> None:
        """Convert what is not converted yet, and the result back."""
        _widen(OpBuilder(op, rewriter), op, match, self.old)


@dataclass(frozen=True)
class SnippetsPropagatePrecisionPass(SubgraphPatternPass):
    """Compute every op in a precision that the target has."""

    name = "snippets-propagate-precision"
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (TwoRoundings, InPrecision)

    def facts(self, root: Operation) -> tuple[TargetMachine, frozenset[Operation]]:
        """The machine, and the ops that are there before."""
        return machine_of(module_of(root)), frozenset(ops_inside(root))
