"""Outline parallel loops into functions, so that several threads can run them.

    func.func @f(%x: f32, %A: memref<?xf32>, %n: index) {
      scf.parallel (%i) = (%c0) to (%n) step (%c1) {
        memref.store %x, %A[%i] : memref<?xf32>
      }
    }

becomes

    func.func private @f_parallel0(%begin: index, %end: index, %x: f32, %A: memref<?xf32>) {
      scf.parallel (%i) = (%first) to (%last) step (%c1) {      // iterations %begin to %end
        memref.store %x, %A[%i] : memref<?xf32>
      }
      func.return
    }
    func.func @f(%x: f32, %A: memref<?xf32>, %n: index) {
      func.call @f_parallel0(%c0, %count, %x, %A) {snippets.grain = 8192 : i64}
        : (index, index, f32, memref<?xf32>) -> ()
    }

`snippets.grain` allows the range between the first two operands to be split into pieces of that
many iterations, which may run in any order or in parallel; `convert-func-to-llvm` makes the
threads. In a nest of parallel loops, the outermost one with enough iterations for all threads is
split. Loops that reduce are split into `CHUNKS` pieces for any number of threads. The results of
the pieces are combined in order, so from two threads on they do not depend on the number of
threads.

A module for one thread does not change. A loop stays, with the reason in `snippets.reason`, if a
reduction is not one op with a neutral element, or if the loop needs an outside vector that is not
made only of scalars. Reduced floats are combined in another order; all else is exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from snippets_mlir.dialects.scf import ParallelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.building.affine_values import INDEX, IndexBuilder
from snippets_mlir.passes.building.conversion import GRAIN, kernel_functions
from snippets_mlir.passes.building.reduction_kinds import combining_op
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.loops.parallel.loop_captures import argument_attributes
from snippets_mlir.passes.loops.parallel.parallel_plan import (
    CHUNKS,
    Plan,
    is_in_no_other_parallel_loop,
    names_of,
    plan_of,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.attribute_names import REASON, THREADS
from snippets_mlir.support.walking import module_of


def _before_end(block: Block, end: Operation) -> IndexBuilder:
    """A builder before `end`, which it puts at the end of `block`."""
    block.add_op(end)
    return IndexBuilder(end)


def _cut(plan: Plan, b: IndexBuilder, first: SSAValue, last: SSAValue) -> None:
    """Give the loop the iterations from `first` to `last` of its dim."""
    loop, rank = plan.loop, len(plan.loop.step)
    lower, step = loop.lowerBound[plan.dim], loop.step[plan.dim]
    for place, number in ((plan.dim, first), (rank + plan.dim, last)):
        loop.operands[place] = b.add(arith.AddiOp(lower, b.add(arith.MuliOp(number, step))))


def _count(plan: Plan, b: IndexBuilder) -> SSAValue:
    """The number of iterations of the split dim."""
    loop, dim = plan.loop, plan.dim
    extent = b.add(arith.SubiOp(loop.upperBound[dim], loop.lowerBound[dim]))
    zero, one = b.constant(0), b.constant(1)
    quotient = b.add(arith.DivSIOp(b.add(arith.SubiOp(extent, one)), loop.step[dim]))
    return b.select("sgt", extent, zero, b.add(arith.AddiOp(quotient, one)), zero)


def _chunks(plan: Plan, b: IndexBuilder, iterations: SSAValue) -> SSAValue:
    """The number of pieces of iterations that reduce."""
    pieces = b.add(arith.DivUIOp(iterations, b.constant(plan.grain)))
    pieces = b.add(arith.MinSIOp(pieces, b.constant(CHUNKS)))
    return b.add(arith.MaxSIOp(pieces, b.constant(1)))


def _body(plan: Plan, block: Block) -> None:
    """Run the iterations from the first argument of `block` to the second."""
    _before_end(block, func.ReturnOp()).put(plan.loop)
    plan.captures.move_in(plan.loop, block.args[2:])
    _cut(plan, IndexBuilder(plan.loop), *block.args[:2])


def _reducing_body(plan: Plan, block: Block) -> None:
    """Run the pieces from the first argument of `block` to the second, each into its partials.

    The third and fourth argument are the number of iterations and of pieces; the partials come
    last.
    """
    begin, end, iterations, chunks = block.args[:4]
    loop = plan.loop
    outer = _before_end(block, func.ReturnOp())
    each = outer.add(arith.DivUIOp(iterations, chunks))
    more = outer.add(arith.RemUIOp(iterations, chunks))
    one = outer.constant(1)
    body = Block(arg_types=[INDEX])
    outer.put(scf.ForOp(begin, end, one, (), Region(body)))
    (chunk,) = body.args
    inner = _before_end(body, scf.YieldOp())
    ends: list[SSAValue] = []
    for place in (chunk, inner.add(arith.AddiOp(chunk, one))):
        extra = inner.add(arith.MinSIOp(place, more))
        ends.append(inner.add(arith.AddiOp(inner.add(arith.MuliOp(place, each)), extra)))
    inits = 3 * len(loop.step)
    for place, value in enumerate(plan.neutral):
        loop.operands[inits + place] = inner.add(arith.ConstantOp(value))
    inner.put(loop)
    plan.captures.move_in(loop, block.args[4:])
    _cut(plan, IndexBuilder(loop), *ends)
    partials = block.args[len(block.args) - len(loop.results) :]
    for partial, result in zip(partials, loop.results, strict=True):
        inner.put(memref.StoreOp.get(result, partial, (chunk,)))


def _combined(
    plan: Plan, b: IndexBuilder, chunks: SSAValue, partials: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The results of the loop: its first values and the partials, in order."""
    inits = tuple(plan.loop.initVals)
    body = Block(arg_types=[INDEX, *(init.type for init in inits)])
    loop = scf.ForOp(b.constant(0), chunks, b.constant(1), inits, Region(body))
    results: list[SSAValue] = []
    for kind, old, partial in zip(plan.kinds, body.args[1:], partials, strict=True):
        load = memref.LoadOp.get(partial, (body.args[0],))
        combine = combining_op(kind, old, load.res)
        body.add_ops([load, combine])
        results.append(combine.results[0])
    body.add_op(scf.YieldOp(*results))
    b.put(loop)
    return loop.results


def _partials(plan: Plan, function: func.FuncOp) -> list[SSAValue]:
    """Memory for the results of the pieces, allocated at the start of the function."""
    first = function.body.blocks[0].first_op
    assert first is not None
    b = IndexBuilder(first)
    return [b.add(memref.AllocaOp.get(type, None, [CHUNKS])) for type in plan.loop.result_types]


def _outline(plan: Plan, function: func.FuncOp, name: str, rewriter: PatternRewriter) -> None:
    """Move the loop into a function `name` and call that."""
    loop, b = plan.loop, IndexBuilder(plan.loop)
    iterations, zero = _count(plan, b), b.constant(0)
    captured = list(plan.captures.values)
    if plan.kinds:
        chunks, partials, grain = _chunks(plan, b, iterations), _partials(plan, function), 1
        given = [zero, chunks, iterations, chunks, *captured, *partials]
    else:
        chunks, partials, grain = zero, (), plan.grain
        given = [zero, iterations, *captured]
    call = func.CallOp(name, given, [])
    call.attributes[GRAIN] = IntegerAttr(grain, i64)
    b.put(call)
    results = _combined(plan, b, chunks, partials) if plan.kinds else ()
    for old, new in zip(loop.results, results, strict=True):
        new.name_hint = old.name_hint
        rewriter.replace_all_uses_with(old, new)
    loop.detach()
    block = Block(arg_types=[value.type for value in given])
    (_reducing_body if plan.kinds else _body)(plan, block)
    made = func.FuncOp(
        name, ([value.type for value in given], []), Region(block), visibility="private"
    )
    made.location = loop.location
    made.arg_attrs = argument_attributes(given)
    rewriter.insert(made, InsertPoint.after(function))


def _threads(module: ModuleOp) -> int:
    """The number of threads; 0: it is chosen at run time."""
    threads = module.attributes.get(THREADS)
    return threads.value.data if isinstance(threads, IntegerAttr) else 1


class OutlineLoop(Pattern[ParallelOp, Plan | str]):
    """A parallel loop is a call of a function that runs a range of its iterations."""

    name = "outline-loop"
    ops = (ParallelOp,)
    conditions = (is_in_no_other_parallel_loop,)

    def __init__(
        self, function: func.FuncOp, names: Mapping[ParallelOp, str], threads: int
    ) -> None:
        self.function = function
        self.names = names
        self.threads = threads

    def match(self, op: ParallelOp) -> Plan | str:
        """How the loop becomes a function, or why it stays."""
        return plan_of(op, self.threads)

    def rewrite(self, op: ParallelOp, match: Plan | str, rewriter: PatternRewriter) -> None:
        """Outline the loop, or note why it stays."""
        if isinstance(match, str):
            op.attributes[REASON] = StringAttr(match)
        else:
            _outline(match, self.function, self.names[op], rewriter)


@dataclass(frozen=True)
class OutlineParallelLoopsPass(PatternPass):
    """Outline parallel loops into functions for threads."""

    name = "outline-parallel-loops"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    EFFECT: ClassVar[Effect] = REASSOCIATES
    PATTERNS = (OutlineLoop,)

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The functions, if there may be threads."""
        functions = () if _threads(module) == 1 else kernel_functions(module)
        return [function for function in functions if isinstance(function, func.FuncOp)]

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The function, the names of the new functions, and the number of threads."""
        assert isinstance(root, func.FuncOp)
        threads = _threads(module_of(root))
        return root, names_of(root, threads), threads
