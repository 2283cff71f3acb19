"""Split a loop so that its first part is a multiple of a size long.

    affine.for %i = 0 to %n { ... }

becomes, with size=8,

    affine.for %i = 0 to affine_map<()[s0] -> (s0 floordiv 8 * 8)>()[%n] { ... }
    affine.for %i = max affine_map<()[s0] -> (0, s0 floordiv 8 * 8)>()[%n] to %n { ... }

Before `affine-super-vectorize` with the same size: the first part needs no masks then, all its
transfers are in bounds, and only the few iterations of the second pay for theirs. That matters
where masked accesses are slow (AVX2) and loops are long. Carried values go through both parts.

Only innermost loops, of step 1 and with one affine lower and upper bound, are split; loops that are
a multiple long already, and loops of fewer constant iterations than the size, stay as they are.
Exact: the iterations and their order are the same. As `scf-for-loop-peeling` does for `scf.for`.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.affine_access import bounds_of
from snippets_mlir.passes.loops.affine.transfer_plan import is_whole
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Split:
    """Where to split a loop.

    The last result of `map` is one past the first part; the second part begins at the greatest of
    all results.
    """

    loop: affine.ForOp
    map: AffineMap
    operands: tuple[SSAValue, ...]


def _plan(op: Operation, size: int) -> Split | None:
    """The split of a loop, None when it stays as it is."""
    if not isinstance(op, affine.ForOp) or is_whole(op, size):
        return None
    bounds, trips = bounds_of(op), bounds_of(op).trip_count()
    if bounds.step != 1 or len(bounds.lower or ()) != 1 or len(bounds.upper or ()) != 1:
        return None
    if trips is not None and trips < size:
        return None
    if any(isinstance(inner, affine.ForOp) for inner in op.body.walk()):
        return None
    lower, upper = op.lowerBoundMap.data, op.upperBoundMap.data
    low = _shifted(lower, 0, 0)
    dims, symbols = lower.num_dims + upper.num_dims, lower.num_symbols + upper.num_symbols
    high = _shifted(upper, lower.num_dims, lower.num_symbols)
    middle = low + (high - low) // size * size
    first, second = list(op.lowerBoundOperands), list(op.upperBoundOperands)
    operands = (
        *first[: lower.num_dims],
        *second[: upper.num_dims],
        *first[lower.num_dims :],
        *second[upper.num_dims :],
    )
    # Where the length is known, it is at least the size, and the middle not below the lower bound.
    results = (low, middle) if trips is None else (middle,)
    return Split(op, AffineMap(dims, symbols, results), operands)


def _shifted(map: AffineMap, dims: int, symbols: int) -> AffineExpr:
    """The first result of a map, its operands behind so many others."""
    return map.results[0].replace_dims_and_symbols(
        [AffineDimExpr(dims + k) for k in range(map.num_dims)],
        [AffineSymExpr(symbols + k) for k in range(map.num_symbols)],
    )


def _apply(plan: Split) -> None:
    """Put two loops in place of one."""
    loop, middle = plan.loop, plan.map.results[-1]
    rest = loop.clone()
    end = AffineMapAttr(AffineMap(plan.map.num_dims, plan.map.num_symbols, (middle,)))
    first = _with_bounds(loop, upper=(end, plan.operands))
    start = (AffineMapAttr(plan.map), plan.operands)
    second = _with_bounds(rest, lower=start, inits=first.results)
    rest.erase()
    Rewriter.insert_op([first, second], InsertPoint.before(loop))
    for old, new in zip(loop.results, second.results, strict=True):
        new.name_hint = old.name_hint
    Rewriter.replace_op(loop, [], second.results)


def _with_bounds(
    loop: affine.ForOp,
    lower: tuple[AffineMapAttr, tuple[SSAValue, ...]] | None = None,
    upper: tuple[AffineMapAttr, tuple[SSAValue, ...]] | None = None,
    inits: tuple[SSAValue, ...] | None = None,
) -> affine.ForOp:
    """A loop with the body of another one, and what is given of it."""
    low = lower or (loop.lowerBoundMap, tuple(loop.lowerBoundOperands))
    high = upper or (loop.upperBoundMap, tuple(loop.upperBoundOperands))
    new = affine.ForOp.from_region(
        low[1],
        high[1],
        tuple(loop.inits) if inits is None else inits,
        loop.result_types,
        low[0],
        high[0],
        loop.detach_region(loop.body),
        loop.step,
    )
    new.attributes.update(loop.attributes)
    new.location = loop.location
    return new


@dataclass(frozen=True)
class AffineLoopPeelingPass(ModulePass):
    """Split loops so that the first part is a multiple long."""

    name = "affine-loop-peeling"

    size: int

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Split every innermost loop that can be.

        Raises:
            CompileError: the size is not positive.
        """
        if self.size < 1:
            raise CompileError(f"size takes 1 or more, found {self.size}")
        for plan in [_plan(inner, self.size) for inner in list(op.walk())]:
            if plan is not None:
                _apply(plan)
