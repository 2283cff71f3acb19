"""Take vectors apart into vectors of the target: rows of at most so many elements.

    %s = arith.addf %a, %b : vector<2x16xf32>

becomes, for 8 lanes, four

    %s0 = arith.addf %a0, %b0 : vector<8xf32>

Vectors of rank 1 that fit stay as they are. Ops that only move elements (transposes, slices, casts
of shape, broadcasts) become shuffles; reductions and contractions combine pieces; transfers and
masks are taken apart with their rows; block arguments and branches carry all pieces. It runs on
blocks (`convert-scf-to-cf`), because structured loops would carry vectors.

`lanes=0` takes the number of 32-bit elements of the module's target; other element types get as
many lanes, in more or fewer registers. Refuses vectors at the boundary of a function, and ops
without a row.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import cf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.dialects.vector.lanes import moves_elements
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.building.conversion import kernel_functions
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.loops.vectors.unroll_builder import Unroller
from snippets_mlir.passes.loops.vectors.unroll_rows import MOVES, ROWS, unroll_elementwise
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET, machine_of

DEFAULT_LANES = 8
"""Lanes of a module without a target."""


def lanes_of_target(module: ModuleOp) -> int:
    """The number of 32-bit elements in a vector of the module's target."""
    return machine_of(module).lanes if TARGET in module.attributes else DEFAULT_LANES


def _is_elementwise(op: Operation) -> bool:
    return op.name.split(".")[0] in ("arith", "math") or op.name in ("vector.fma", "ub.poison")


def _split_arguments(block: Block, u: Unroller) -> None:
    for argument in tuple(block.args):
        if not u.splits(argument.type):
            continue
        pieces = [
            block.insert_arg(type, argument.index + k)
            for k, type in enumerate(u.types(argument.type))
        ]
        u.remember(argument, pieces)


def _expanded(values: tuple[SSAValue, ...], u: Unroller) -> list[SSAValue]:
    return [piece for value in values for piece in u.values(value)]


def _branch(op: Operation, u: Unroller) -> Operation:
    if isinstance(op, cf.BranchOp):
        return cf.BranchOp(op.successor, *_expanded(tuple(op.arguments), u))
    assert isinstance(op, cf.ConditionalBranchOp)
    return cf.ConditionalBranchOp(
        op.cond,
        op.then_block,
        _expanded(tuple(op.then_arguments), u),
        op.else_block,
        _expanded(tuple(op.else_arguments), u),
    )


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


def _touches(op: Operation, u: Unroller) -> bool:
    if op.name in ALWAYS:
        return True
    if op.name == "vector.shuffle" and op.operands[0].type != op.operands[1].type:
        return True
    return any(u.splits(value.type) for value in (*op.operands, *op.results))


def _unroll(op: Operation, u: Unroller) -> None:
    u.at(op)
    if isinstance(op, cf.BranchOp | cf.ConditionalBranchOp):
        u.insert(_branch(op, u))
        return
    row = ROWS.get(op.__class__)
    if row is None and moves_elements(op):
        row = MOVES
    if row is None and _is_elementwise(op) and op.results:
        row = unroll_elementwise
    pieces = None if row is None or op.regions else row(op, u)
    if pieces is None:
        raise CompileError(
            f"'{op.name}' on vectors of several dimensions, or longer than {u.lanes} elements, "
            "cannot be taken apart",
            **position_of(op),
        )
    for result, made in zip(op.results, pieces, strict=True):
        if u.splits(result.type):
            u.remember(result, made)
        else:
            made[0].name_hint = made[0].name_hint or result.name_hint
            result.replace_all_uses_with(made[0])


@dataclass(frozen=True)
class VectorUnrollPass(Pass):
    """Take vectors apart into vectors of the target."""

    name = "vector-unroll"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    EFFECT: ClassVar[Effect] = REASSOCIATES

    lanes: int = 0
    """The longest vector that stays; 0 for the target's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Arguments of all blocks first, then ops in order; the old ones go last."""
        for func in kernel_functions(op):
            u = Unroller(self.lanes or lanes_of_target(op))
            blocks = tuple(func.body.blocks)
            if blocks and any(u.splits(argument.type) for argument in blocks[0].args):
                raise CompileError(
                    f"function @{func.sym_name.data}: expected no vectors of several dimensions, "
                    f"or longer than {u.lanes} elements, as arguments",
                    **position_of(func),
                )
            for block in blocks:
                _split_arguments(block, u)
            old = [inner for block in blocks for inner in block.ops if _touches(inner, u)]
            for inner in old:
                _unroll(inner, u)
            for inner in reversed(old):
                inner.detach()
                inner.erase(safe_erase=False)
            for block in blocks:
                for argument in tuple(block.args):
                    if u.splits(argument.type):
                        block.erase_arg(argument, safe_erase=False)
