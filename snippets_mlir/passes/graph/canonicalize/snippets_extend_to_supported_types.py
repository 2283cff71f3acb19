"""Compute in element types that kernels support, and round to the original type at stores.

    %1 = snippets.multiply %x, %x : tensor<8xbf16>
    %2 = snippets.exp %1 : tensor<8xbf16>                              becomes

    %3 = snippets.convert_saturation %x : (tensor<8xbf16>) -> tensor<8xf32>
    %4 = snippets.multiply %3, %3 : tensor<8xf32>
    %5 = snippets.exp %4 : tensor<8xf32>
    %2 = snippets.convert_saturation %5 : (tensor<8xf32>) -> tensor<8xbf16>

Kernels load and store 16-bit floats and narrow integers, and compute in wider types. The types are
those of `snippets-propagate-precision`, which does the same inside of subgraphs. This pass runs
before the tokenizer, so that kernels take the ops, and so that decompositions compute in f32.

An op reads the result of another op unrounded, and ops that only move elements move unrounded ones.
So a value is rounded only where it is stored: as a result, as the operand of an op without a
kernel, and at a conversion of the program. With `math=strict` (`snippets-set-target`) each op is
rounded. Integers always wrap in their own type, so results are exact.

Refuses nothing. These ops stay: ops marked `snippets.skipped`; ops whose value depends on their own
element type (`own_type` of the record); and ops of types wider than those of kernels (ui64). The
name is that of MLIR's passes that do this to the `math` and `arith` dialects.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.arithmetic import SquaredDifferenceOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.graph import OpBuilder, in_a_graph, not_skipped
from snippets_mlir.passes.effects import APPROXIMATES, Effect
from snippets_mlir.passes.graph.canonicalize.snippets_propagate_precision import (
    narrow_floats,
    split_squared_difference,
)
from snippets_mlir.passes.graph.canonicalize.widening import elements_of, made_from, widen
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.walking import ops_inside
from snippets_mlir.targets.attributes import machine_of, math_of
from snippets_mlir.targets.precisions import COMPUTED, Precision, converts, precision_for
from snippets_mlir.targets.target_machine import TargetMachine


@dataclass(frozen=True)
class Facts:
    """The machine, whether each op is rounded, and the ops from before the pass."""

    machine: TargetMachine
    is_strict: bool
    old: frozenset[Operation]


def only_moves(op: ComputeOp) -> bool:
    """It moves or converts elements."""
    record = record_of(op.name)
    return record is not None and record.moves


def _results(block: Block) -> Iterator[SSAValue]:
    for op in block.ops:
        yield from op.results
        for region in op.regions:
            for inner in region.blocks:
                yield from _results(inner)


def _is_stored_only(value: SSAValue) -> bool:
    return isinstance(value.type, TensorType) and tensor_of(value).element_type not in COMPUTED


class _Extended(Pattern[ComputeOp, Precision]):
    ops = (ComputeOp,)

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def rewrite(self, op: ComputeOp, match: Precision, rewriter: PatternRewriter) -> None:
        """Convert operands that are not converted yet, and the result back."""
        if self.facts.is_strict and isinstance(op, SquaredDifferenceOp) and narrow_floats(op):
            parts = split_squared_difference(op, rewriter)
        else:
            parts = [op]
        for part in parts:
            build = OpBuilder(part, rewriter)
            widen(build, part, match, self.facts.old, keeps_bits=not self.facts.is_strict)


class MoveUnrounded(_Extended):
    """An op that moves elements moves unrounded ones."""

    name = "move-unrounded"
    conditions = (in_a_graph, not_skipped, only_moves)

    @override
    def match(self, op: ComputeOp) -> Precision | None:
        element = tensor_of(op.results[0]).element_type
        if self.facts.is_strict or {*elements_of(op)} != {element}:
            return None
        for value in op.operands:
            if (wide := made_from(value, self.facts.old)) is not None:
                return (tensor_of(wide).element_type,) * len(op.operands)
        return None


class Extend(_Extended):
    """An op is computed in the first kernel type that holds its operands."""

    name = "extend"
    conditions = (in_a_graph, not_skipped)

    def match(self, op: ComputeOp) -> Precision | None:
        """The types, if they exist and kernels can convert to them."""
        current = elements_of(op)
        precision = precision_for(op, current, self.facts.machine) if current else None
        if precision == current or precision is None:
            return None
        return precision if all(map(converts, current)) else None


@dataclass(frozen=True)
class SnippetsExtendToSupportedTypesPass(PatternPass):
    """Compute in element types that kernels support, and round to the original type at stores."""

    name = "snippets-extend-to-supported-types"
    STAGES: ClassVar[Stages] = Stages(("graph", "subgraphs"))
    MIXES_CLASSES: ClassVar[bool] = False
    EFFECT: ClassVar[Effect] = APPROXIMATES
    PATTERNS = (MoveUnrounded, Extend)

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The module, if an op has a result or operand that kernels do not compute."""
        blocks = (block for op in module.ops for region in op.regions for block in region.blocks)
        values = (v for block in blocks for v in (*block.args, *_results(block)))
        return (module,) if any(map(_is_stored_only, values)) else ()

    @override
    def facts(self, root: Operation) -> tuple[Facts]:
        assert isinstance(root, ModuleOp)
        strict = math_of(root) == "strict"
        return (Facts(machine_of(root), strict, frozenset(ops_inside(root))),)
