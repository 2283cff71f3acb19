"""Compute every op in a precision that the target has, and keep the element types of values.

    %1 = snippets.add %a, %b : tensor<8xf16>                     becomes

    %2 = snippets.convert_saturation %a : (tensor<8xf16>) -> tensor<8xf32>
    %3 = snippets.convert_saturation %b : (tensor<8xf16>) -> tensor<8xf32>
    %4 = snippets.add %2, %3 : tensor<8xf32>
    %1 = snippets.convert_saturation %4 : (tensor<8xf32>) -> tensor<8xf16>

The table of precisions is `targets/precisions.py`. An op in another precision gets the first one of
the table that holds every value of the operands. Its result is converted back: rounded for floats,
wrapped for integers (`convert_truncation`), so that each op keeps its value. This is exact except
for `fma` of 16-bit floats (rounded twice) and for functions that are approximated anyway.
Attributes are rounded to the old type first, as the op says. A `squared_difference` of 16-bit
floats becomes its two roundings, `subtract` and `multiply`.

Refuses types that no precision holds (ui64), and integers of other widths than 1, 8, 16, 32 and
64. The guide's PropagatePrecision takes the first precision of the table there, which may silently
narrow or turn floats into integers, and it saturates integers.
"""

from dataclasses import dataclass
from typing import ClassVar, TypeVar

from xdsl.dialects.builtin import AnyFloat, FixedBitwidthType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import MultiplyOp, SquaredDifferenceOp, SubtractOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.building.graph import OpBuilder
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.canonicalize.widening import elements_of, widen
from snippets_mlir.passes.graph.graph_passes import SubgraphPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of, ops_inside
from snippets_mlir.targets.attributes import machine_of
from snippets_mlir.targets.precisions import (
    Precision,
    converts,
    describe,
    precision_for,
    supported_precisions,
)
from snippets_mlir.targets.target_machine import TargetMachine

OpT = TypeVar("OpT", bound=ComputeOp)


def _precision(op: ComputeOp, machine: TargetMachine) -> Precision | None:
    """The precision for `op`; None if it stays, CompileError if there is none."""
    current = elements_of(op)
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
        if not converts(element):
            raise CompileError(
                f"{what}: kernels cannot convert {element}; keep the op out of the subgraph",
                **position_of(op),
            )
    return precision


def narrow_floats(op: ComputeOp) -> bool:
    """On floats of fewer than 32 bits."""
    element = tensor_of(op.operands[0]).element_type
    is_narrow = isinstance(element, FixedBitwidthType) and element.bitwidth < 32
    return is_narrow and isinstance(element, AnyFloat)


class _InPrecision(Pattern[OpT, Precision]):
    """Ops that the target computes in another precision."""

    def __init__(self, machine: TargetMachine, old: frozenset[Operation]) -> None:
        self.machine, self.old = machine, old

    def match(self, op: OpT) -> Precision | None:
        """The precision; CompileError if there is none."""
        return _precision(op, self.machine)


def split_squared_difference(op: SquaredDifferenceOp, rewriter: PatternRewriter) -> list[ComputeOp]:
    """Replace `op` by the two ops of its roundings."""
    build = OpBuilder(op, rewriter)
    difference = SubtractOp(op.lhs, op.rhs)
    square = MultiplyOp(build.add(difference), difference)
    build.replace(build.add(square))
    return [difference, square]


class TwoRoundings(_InPrecision[SquaredDifferenceOp]):
    """`squared_difference(x, y)` is `d * d`, where `d = x - y` is rounded."""

    name = "two-roundings"
    ops = (SquaredDifferenceOp,)
    conditions = (narrow_floats,)

    def rewrite(self, op: SquaredDifferenceOp, match: Precision, rewriter: PatternRewriter) -> None:
        """Compute both ops in the precision."""
        for part in split_squared_difference(op, rewriter):
            widen(OpBuilder(part, rewriter), part, match, self.old)


class InPrecision(_InPrecision[ComputeOp]):
    """An op is computed in the precision, between conversions."""

    name = "in-precision"
    ops = (ComputeOp,)

    def rewrite(self, op: ComputeOp, match: Precision, rewriter: PatternRewriter) -> None:
        """Convert operands that are not converted yet, and the result back."""
        widen(OpBuilder(op, rewriter), op, match, self.old)


@dataclass(frozen=True)
class SnippetsPropagatePrecisionPass(SubgraphPatternPass):
    """Compute every op in a precision that the target has."""

    name = "snippets-propagate-precision"
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (TwoRoundings, InPrecision)

    def facts(self, root: Operation) -> tuple[TargetMachine, frozenset[Operation]]:
        """The machine, and the ops from before the pass."""
        return machine_of(module_of(root)), frozenset(ops_inside(root))
