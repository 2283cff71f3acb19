"""Unroll StableHLO loops with a small known number of iterations.

    %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
      %c = stablehlo.constant dense<2> : tensor<i32>
      %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %n = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.tanh %v : tensor<4xf32>
      stablehlo.return %n, %w : tensor<i32>, tensor<4xf32>
    }

becomes

    %0 = stablehlo.tanh %x : tensor<4xf32>
    %1 = stablehlo.tanh %0 : tensor<4xf32>

(besides the constants). JAX's `fori_loop` and `scan` are such loops. Integers that an iteration
computes from known integers become its constants, so that slices at the counter are slices at
constant places. Outer loops come first; their iterations then give values to the loops inside. A
loop stays if its condition depends on other values, if it would become more than `max-ops` ops
(counted over all loops of a function, without constants), or if its body would run more than
`max-iterations` times, including the iterations of outer loops (0: any number). Exact.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np
from typing_extensions import override
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, ModuleOp, TensorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.snippets.values.constant import constant_array
from snippets_mlir.dialects.stablehlo.control import WhileOp
from snippets_mlir.dialects.stablehlo.movement import ConstantOp
from snippets_mlir.dialects.stablehlo.values import evaluate, value_of
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import ops_inside, ops_of

Known = dict[SSAValue, Array]
"""The known values, each one integer or truth value."""


def is_one_integer(value: SSAValue) -> bool:
    """Whether a value is one integer or truth value."""
    if not is_tensor(value.type) or any(size != 1 for size in shape_of(value)):
        return False
    return isinstance(tensor_of(value).element_type, IntegerType)


def known_value(value: SSAValue, known: Known) -> Array | None:
    """The integer of a value, from `known` or a constant; None if it is unknown."""
    if (found := known.get(value)) is not None:
        return found
    owner = value.owner
    if isinstance(owner, ConstantOp) and is_one_integer(value):
        return constant_array(owner.value)
    return None


def computed(op: Operation, operands: Sequence[SSAValue], known: Known) -> Array | None:
    """The integer that an op of known operands computes; None for other ops."""
    if op.regions or len(op.results) != 1 or not is_one_integer(op.results[0]):
        return None
    values = [known_value(operand, known) for operand in operands]
    if value_of(op) is None:
        return None
    found = [value for value in values if value is not None]
    if len(found) < len(values):
        return None
    with np.errstate(all="ignore"):
        (result,) = evaluate(op, found)
    return result


def run_known(block: Block, values: Sequence[Array | None]) -> list[Array | None]:
    """The results of a block for partly known arguments."""
    known: Known = {a: v for a, v in zip(block.args, values, strict=True) if v is not None}
    for op in ops_of(block):
        if (found := computed(op, op.operands, known)) is not None:
            known[op.results[0]] = found
    assert block.last_op is not None
    return [known_value(operand, known) for operand in block.last_op.operands]


def size_of(loop: WhileOp) -> int:
    """The ops of an iteration, without constants."""
    return max(1, sum(not isinstance(op, ConstantOp) for op in ops_inside(loop)))


def iterations_of(loop: WhileOp, most: int) -> int | None:
    """The number of iterations of a loop, if it is known and at most `most`."""
    values = [known_value(operand, {}) for operand in loop.inputs]
    for count in range(most + 1):
        (goes_on,) = run_known(loop.cond.block, values)
        if goes_on is None:
            return None
        if not goes_on:
            return count
        values = run_known(loop.body.block, values)
    return None


def constant(value: Array, like: SSAValue) -> ConstantOp:
    """A constant of one integer in the type of another value."""
    type_ = cast("TensorType[IntegerType]", tensor_of(like))
    dense: Attribute = DenseIntOrFPElementsAttr.from_list(type_, [int(value.reshape(()))])
    return ConstantOp.create(result_types=[type_], properties={"value": dense})


class UnrollLoop(Pattern[WhileOp, int]):
    """A loop of a known count is the ops of its iterations.

    The counts are facts: those of outermost loops with few iterations.
    """

    name = "unroll-loop"
    ops = (WhileOp,)

    def __init__(self, counts: Mapping[WhileOp, int]) -> None:
        self.counts = counts

    @override
    def match(self, op: WhileOp) -> int | None:
        return self.counts.get(op)

    def rewrite(self, op: WhileOp, match: int, rewriter: PatternRewriter) -> None:
        """Replace the loop by the ops of its iterations."""
        body, values = op.body.block, list(op.inputs)
        for _ in range(match):
            mapping: dict[SSAValue, SSAValue] = dict(zip(body.args, values, strict=True))
            *ops, end = ops_of(body)
            for inner in ops:
                operands = [mapping.get(operand, operand) for operand in inner.operands]
                if (found := computed(inner, operands, {})) is not None:
                    copy: Operation = constant(found, inner.results[0])
                else:
                    copy = inner.clone(mapping)
                rewriter.insert(copy, InsertPoint.before(op))
                mapping.update(zip(inner.results, copy.results, strict=True))
            values = [mapping.get(operand, operand) for operand in end.operands]
        rewriter.replace(op, [], values)


@dataclass(frozen=True)
class UnrollStablehloWhilePass(PatternPass):
    """Replace loops of StableHLO by their iterations."""

    name = "unroll-stablehlo-while"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    PATTERNS: ClassVar[tuple[type[AnyPattern], ...]] = (UnrollLoop,)

    max_ops: int = 1024
    max_iterations: int = 0

    def prepare(self, module: ModuleOp) -> None:
        """CompileError for options out of range."""
        if min(self.max_ops, self.max_iterations) < 0:
            raise CompileError("expected a max-ops and max-iterations of 0 or more")

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Sweeps through each function, until none of its outermost loops may be unrolled.

        If two loops are side by side, the second one waits for the next sweep, so that the place of
        the first one's iterations is known.
        """
        enabled = self.enabled()
        for function in ops_of(module.body.block) if enabled else ():
            found = (op for op in ops_inside(function) if isinstance(op, WhileOp))
            waiting = {loop: 1 for loop in found if loop.parent_op() is function}
            left = self.max_ops
            while counts := self._counts(waiting, left):
                left -= sum(count * size_of(loop) for loop, count in counts.items())
                places = [
                    (loop.prev_op, loop.next_op, count * waiting.pop(loop))
                    for loop, count in counts.items()
                ]
                facts: tuple[Any, ...] = (counts,)
                yield function, [pattern(*facts) for pattern in enabled]
                block = function.regions[0].block
                for before, after, times in places:
                    waiting |= dict.fromkeys(loops_between(block, before, after), times)

    def _counts(self, waiting: Mapping[WhileOp, int], left: int) -> dict[WhileOp, int]:
        """How often loops run their bodies; each loop itself runs as often as in `waiting`.

        Loops that would become more than `left` ops together, or run too often, have no count.
        """
        counts: dict[WhileOp, int] = {}
        for loop, times in waiting.items():
            most = left // size_of(loop)
            if self.max_iterations:
                most = min(most, self.max_iterations // times)
            if loop.prev_op in counts or loop.next_op in counts:
                continue
            if (count := iterations_of(loop, most)) is not None:
                counts[loop] = count
                left -= count * size_of(loop)
        return counts


def loops_between(block: Block, before: Operation | None, after: Operation | None) -> list[WhileOp]:
    """The loops between two ops of a block."""
    op = block.first_op if before is None else before.next_op
    found: list[WhileOp] = []
    while op is not None and op is not after:
        if isinstance(op, WhileOp):
            found.append(op)
        op = op.next_op
    return found
