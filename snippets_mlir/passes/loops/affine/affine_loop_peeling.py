"""Split a loop so that the length of its first part is a multiple of a size.

    affine.for %i = 0 to %n { ... }

becomes, with size=8,

    affine.for %i = 0 to affine_map<()[s0] -> (s0 floordiv 8 * 8)>()[%n] { ... }
    affine.for %i = max affine_map<()[s0] -> (0, s0 floordiv 8 * 8)>()[%n] to %n { ... }

Run it before `affine-super-vectorize` with the same size: the first part then needs no masks, all
its transfers are in bounds, and only the few iterations of the second part are masked. That matters
if masked accesses are slow (AVX2) and loops are long. Carried values go through both parts.

Only innermost loops with step 1 and one affine lower and upper bound are split. Loops stay if their
length is already a multiple, or if they have fewer constant iterations than the size. Exact: the
iterations and their order are the same. `scf-for-loop-peeling` does the same for `scf.for`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from typing_extensions import override
from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap, AffineSymExpr
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.analysis.loops.affine_access import bounds_of
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.loops.affine.transfer_plan import is_whole
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Split:
    """Where to split a loop.

    The last result of `map` is one past the first part; the second part begins at the greatest
    result.
    """

    map: AffineMap
    operands: tuple[SSAValue, ...]


def of_step_one_between_two_bounds(loop: affine.ForOp) -> bool:
    """One lower and one upper bound, both affine, and step 1."""
    bounds = bounds_of(loop)
    return bounds.step == 1 and len(bounds.lower or ()) == len(bounds.upper or ()) == 1


def innermost(loop: affine.ForOp) -> bool:
    """There is no loop in it."""
    return not any(isinstance(inner, affine.ForOp) for inner in loop.body.walk())


def _shifted(map: AffineMap, dims: int, symbols: int) -> AffineExpr:
    """The first result of a map, with its operands after others."""
    return map.results[0].replace_dims_and_symbols(
        [AffineDimExpr(dims + k) for k in range(map.num_dims)],
        [AffineSymExpr(symbols + k) for k in range(map.num_symbols)],
    )


def _with_bounds(
    loop: affine.ForOp,
    lower: tuple[AffineMapAttr, tuple[SSAValue, ...]] | None = None,
    upper: tuple[AffineMapAttr, tuple[SSAValue, ...]] | None = None,
    inits: tuple[SSAValue, ...] | None = None,
) -> affine.ForOp:
    """A loop with the body of another one, and the given bounds."""
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


class Peel(Pattern[affine.ForOp, Split]):
    """A loop is its first iterations, a multiple of a size, and then the others."""

    name = "peel"
    ops = (affine.ForOp,)
    conditions = (of_step_one_between_two_bounds, innermost)

    def __init__(self, size: int) -> None:
        self._size = size

    def match(self, op: affine.ForOp) -> Split | None:
        """The split, unless the loop is shorter than the size or already a multiple of it."""
        trips = bounds_of(op).trip_count()
        if is_whole(op, self._size) or (trips is not None and trips < self._size):
            return None
        lower, upper = op.lowerBoundMap.data, op.upperBoundMap.data
        low = _shifted(lower, 0, 0)
        dims, symbols = lower.num_dims + upper.num_dims, lower.num_symbols + upper.num_symbols
        high = _shifted(upper, lower.num_dims, lower.num_symbols)
        middle = low + (high - low) // self._size * self._size
        first, second = list(op.lowerBoundOperands), list(op.upperBoundOperands)
        operands = (
            *first[: lower.num_dims],
            *second[: upper.num_dims],
            *first[lower.num_dims :],
            *second[upper.num_dims :],
        )
        # A known length is at least the size, so the middle is not below the lower bound.
        results = (low, middle) if trips is None else (middle,)
        return Split(AffineMap(dims, symbols, results), operands)

    def rewrite(self, op: affine.ForOp, match: Split, rewriter: PatternRewriter) -> None:
        """Replace the loop by two loops."""
        middle, rest = match.map.results[-1], op.clone()
        end = AffineMapAttr(AffineMap(match.map.num_dims, match.map.num_symbols, (middle,)))
        first = _with_bounds(op, upper=(end, match.operands))
        start = (AffineMapAttr(match.map), match.operands)
        second = _with_bounds(rest, lower=start, inits=first.results)
        rest.erase()
        rewriter.insert([first, second])
        for old, new in zip(op.results, second.results, strict=True):
            new.name_hint = old.name_hint
        rewriter.replace(op, [], second.results)


@dataclass(frozen=True, kw_only=True)
class AffineLoopPeelingPass(PatternPass):
    """Split loops so that the length of the first part is a multiple of a size."""

    name = "affine-loop-peeling"
    STAGES: ClassVar[Stages] = Stages(("loops",))
    PATTERNS = (Peel,)

    size: int

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The module.

        Raises:
            CompileError: the size is not positive.
        """
        if self.size < 1:
            raise CompileError(f"size takes 1 or more, found {self.size}")
        return (module,)

    @override
    def facts(self, root: Operation) -> tuple[Any, ...]:
        return (self.size,)
