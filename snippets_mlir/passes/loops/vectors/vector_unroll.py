"""Split vectors into vectors of the target: rows of at most `lanes` elements.

    %s = arith.addf %a, %b : vector<2x16xf32>

becomes, for 8 lanes, four

    %s0 = arith.addf %a0, %b0 : vector<8xf32>

Vectors of rank 1 that fit stay. Ops that only move elements (transposes, slices, casts of shape,
broadcasts) become shuffles; reductions and contractions combine pieces; transfers and masks are
split with their rows; block arguments and branches carry all pieces. The pass runs on blocks
(`convert-scf-to-cf`), because structured loops would carry vectors.

While the patterns run, a split value is an `unrealized_conversion_cast` of its pieces; no cast
remains afterwards.

`lanes=0` takes the number of 32-bit elements of the module's target. Other element types get as
many lanes, in more or fewer registers. Refuses vectors at the boundary of a function, and ops
without a row.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.vector.lanes import moves_elements
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.building.lowering import casts_in, drop_casts
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.loops.vectors.unroll_builder import Unroller
from snippets_mlir.passes.loops.vectors.unroll_rows import MOVES, ROWS, Row, unroll_elementwise
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside
from snippets_mlir.targets.attributes import TARGET, machine_of

Branch = cf.BranchOp | cf.ConditionalBranchOp
DEFAULT_LANES = 8
"""Lanes of a module without a target."""


def lanes_of_target(module: ModuleOp) -> int:
    """The number of 32-bit elements in a vector of the module's target."""
    return machine_of(module).lanes if TARGET in module.attributes else DEFAULT_LANES


ALWAYS = frozenset(
    {
        "vector.contract",
        "vector.deinterleave",
        "vector.extract_strided_slice",
        "vector.insert_strided_slice",
        "vector.interleave",
        "vector.multi_reduction",
        "vector.outerproduct",
        "vector.shape_cast",
        "vector.transpose",
    }
)
"""Ops without a form in LLVM on vectors of any rank."""


def without_regions(op: Operation) -> bool:
    """Only ops without regions are split."""
    return not op.regions


def elementwise(op: Operation) -> bool:
    """The op computes each element by itself."""
    named = op.name.split(".")[0] in ("arith", "math") or op.name in ("vector.fma", "ub.poison")
    return named and bool(op.results)


def touches(op: Operation, u: Unroller) -> bool:
    """Whether an op has vectors to split, or no form in LLVM."""
    if op.name in ALWAYS:
        return True
    if op.name == "vector.shuffle" and op.operands[0].type != op.operands[1].type:
        return True
    return any(u.splits(value.type) for value in (*op.operands, *op.results))


def refused(op: Operation, u: Unroller) -> CompileError:
    """The error of an op that cannot be split."""
    return CompileError(
        f"'{op.name}' on vectors of several dimensions, or longer than {u.lanes} elements, "
        "cannot be taken apart",
        **position_of(op),
    )


class _Unrolling(Pattern[Operation, Row]):
    """An op on vectors becomes the result of its row on their pieces."""

    conditions = (without_regions,)

    def __init__(self, u: Unroller) -> None:
        self.u = u

    def row(self, op: Operation) -> Row:
        """The function that makes the pieces of the results."""
        raise NotImplementedError

    @override
    def match(self, op: Operation) -> Row | None:
        return self.row(op) if touches(op, self.u) else None

    def rewrite(self, op: Operation, match: Row, rewriter: PatternRewriter) -> None:
        """Make the pieces of the results, and casts of these."""
        self.u.at(op)
        made = match(op, self.u)
        if made is None:
            raise refused(op, self.u)
        pairs = zip(op.result_types, made, strict=True)
        rewriter.replace(op, [], [self.u.whole(type, pieces) for type, pieces in pairs])


class ByRow(_Unrolling):
    """An op with a row of its own: transfers, masks, reductions, contractions."""

    name = "by-row"
    ops = tuple(ROWS)

    @override
    def row(self, op: Operation) -> Row:
        return ROWS[type(op)]


class MoveElements(_Unrolling):
    """An op that only moves elements is shuffles of pieces."""

    name = "move-elements"
    ops = (Operation,)
    conditions = (without_regions, moves_elements)

    @override
    def row(self, op: Operation) -> Row:
        return MOVES


class Elementwise(_Unrolling):
    """An elementwise op is the same op on each piece."""

    name = "elementwise"
    ops = (Operation,)
    conditions = (without_regions, elementwise)

    @override
    def row(self, op: Operation) -> Row:
        return unroll_elementwise


class BranchWithPieces(Pattern[Branch, Operation]):
    """A branch carries all pieces."""

    name = "branch-with-pieces"
    ops = (cf.BranchOp, cf.ConditionalBranchOp)

    def __init__(self, u: Unroller) -> None:
        self.u = u

    @override
    def match(self, op: Branch) -> Operation | None:
        return op if touches(op, self.u) else None

    def rewrite(self, op: Branch, match: Operation, rewriter: PatternRewriter) -> None:
        """Branch with the pieces instead of the whole values."""
        branch: Operation = (
            cf.BranchOp(op.successor, *self._pieces(op.arguments))
            if isinstance(op, cf.BranchOp)
            else cf.ConditionalBranchOp(
                op.cond,
                op.then_block,
                self._pieces(op.then_arguments),
                op.else_block,
                self._pieces(op.else_arguments),
            )
        )
        branch.location = op.location
        rewriter.replace(op, branch)

    def _pieces(self, values: Sequence[SSAValue]) -> list[SSAValue]:
        return [piece for value in values for piece in self.u.values(value)]


def split_arguments(block: Block, u: Unroller) -> None:
    """Let a block take the pieces of its arguments."""
    for argument in tuple(block.args):
        if not u.splits(argument.type):
            continue
        assert block.first_op is not None
        u.at(block.first_op)
        pieces = [
            block.insert_arg(type, argument.index + k)
            for k, type in enumerate(u.types(argument.type))
        ]
        argument.replace_all_uses_with(u.whole(argument.type, pieces))
        block.erase_arg(argument)


@dataclass(frozen=True)
class VectorUnrollPass(PatternPass):
    """Split vectors into vectors of the target."""

    name = "vector-unroll"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS: ClassVar[tuple[type[AnyPattern], ...]] = (
        BranchWithPieces,
        ByRow,
        MoveElements,
        Elementwise,
    )

    lanes: int = 0
    """The longest vector that stays; 0 for the target's."""

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Arguments of all blocks first, then ops in order; casts of pieces go last."""
        for func in kernel_functions(module):
            given = frozenset(casts_in(func))
            u = Unroller(self.lanes or lanes_of_target(module), given)
            blocks = tuple(func.body.blocks)
            if blocks and any(u.splits(argument.type) for argument in blocks[0].args):
                raise CompileError(
                    f"function @{func.sym_name.data}: expected no vectors of several dimensions, "
                    f"or longer than {u.lanes} elements, as arguments",
                    **position_of(func),
                )
            for block in blocks:
                split_arguments(block, u)
            facts: tuple[Any, ...] = (u,)
            yield func, [pattern(*facts) for pattern in self.enabled()]
            made = dict.fromkeys(cast for cast in casts_in(func) if cast not in given)
            for op in ops_inside(func):
                if touches(op, u) and op not in made:
                    raise refused(op, u)
            drop_casts([*made])
