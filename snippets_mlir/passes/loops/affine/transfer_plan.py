"""Plan how a load or store of a vectorized nest becomes a vector transfer.

Each dim of the vector has the dim of the memref that its loop steps through, or none, which repeats
the element (`0` in the permutation map). With loops %i and %j for dims 0 and 1:

    affine.load %A[%i, %j]      (d0, d1) -> (d0, d1)
    affine.load %A[%j, %i]      (d0, d1) -> (d1, d0)
    affine.load %B[%j]          (d0) -> (0, d0)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import affine

from snippets_mlir.analysis.loops.affine_access import Access, access_of, bounds_of, iv_of, size_of
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.analysis.loops.loop_bodies import INVARIANT, Refusal, access_dim
from snippets_mlir.support.diagnostics import describe_value


@dataclass(frozen=True)
class Transfer:
    """One `vector.transfer_read` or `vector.transfer_write`.

    Args:
        dims: for each vector dim the memref's dim, None to repeat one element.
        in_bounds: for each vector dim, whether every lane is an iteration of the scalar loop (which
            accesses nothing outside of the memref), or one element is repeated.
        mask: the vector dims whose lanes past the end of the loop must not be stored, sorted.
    """

    dims: tuple[int | None, ...]
    in_bounds: tuple[bool, ...]
    mask: tuple[int, ...] = ()

    def __str__(self) -> str:
        walked = ["repeating it" if d is None else f"along dim {d}" for d in self.dims]
        masked = ", masked" if self.mask else ""
        return ", ".join(walked) + masked

    def mask_order(self) -> tuple[int, ...]:
        """The vector dims in the order of the memref's dims: the shape of the mask of a store."""
        places = [(dim, place) for place, dim in enumerate(self.dims) if dim is not None]
        return tuple(place for _, place in sorted(places))


def is_whole(loop: affine.ForOp, size: int) -> bool:
    """Whether the iterations of a loop fill vectors of a size without a remainder."""
    bounds = bounds_of(loop)
    if bounds.trip_count() == 0 or size == 1:
        return True
    if bounds.step != 1 or bounds.lower is None or bounds.upper is None:
        return False
    if len(bounds.lower) != 1 or len(bounds.upper) != 1:
        return False
    extent = bounds.upper[0] - bounds.lower[0]
    return extent.constant % size == 0 and all(c % size == 0 for _, c in extent.terms)


def end_of(loop: affine.ForOp) -> Linear | None:
    """One past the last iteration, counted in steps of 1 from the lower bound."""
    bounds = bounds_of(loop)
    trips = bounds.trip_count()
    if bounds.lower is not None and trips is not None:
        return bounds.lower[0] + trips
    known = bounds.step == 1 and bounds.upper is not None and len(bounds.upper) == 1
    return bounds.upper[0] if known and bounds.upper else None


def plan_transfer(
    op: affine.LoadOp | affine.StoreOp,
    loops: Mapping[int, affine.ForOp],
    sizes: tuple[int, ...],
    whole: frozenset[affine.ForOp],
) -> Transfer | Refusal:
    """Plan the transfer of an access.

    Args:
        op: the access.
        loops: the vectorized loops around it by their vector dims.
        sizes: the shape of the vector.
        whole: the loops with an iteration for every lane.
    """
    access = access_of(op)
    name = describe_value(access.memref)
    dims: list[int | None] = []
    for place in range(len(sizes)):
        loop = loops.get(place)
        from_innermost = INVARIANT if loop is None else access_dim(access, iv_of(loop))
        if isinstance(from_innermost, str):
            return Refusal(op, from_innermost)
        assert access.indices is not None or from_innermost == INVARIANT
        rank = len(access.indices or ())
        dims.append(None if from_innermost == INVARIANT else rank - 1 - from_innermost)
    used = [dim for dim in dims if dim is not None]
    if len(set(used)) != len(used):
        return Refusal(op, f"two vectorized loops step through one dim of {name}")
    if access.writes and len(used) != len(sizes):
        return Refusal(op, f"{name} is stored to without all vectorized loops in the subscripts")
    in_bounds = tuple(dim is None or loops[p] in whole for p, dim in enumerate(dims))
    if not access.writes:
        return Transfer(tuple(dims), in_bounds)
    mask = tuple(
        place
        for place, dim in enumerate(dims)
        if not in_bounds[place] and dim is not None and not _ends_with(access, dim, loops[place])
    )
    return Transfer(tuple(dims), in_bounds, mask)


def _ends_with(access: Access, dim: int, loop: affine.ForOp) -> bool:
    """Whether the subscript past the last iteration is outside of the memref."""
    last = end_of(loop)
    if last is None or access.indices is None:
        return False
    end = access.indices[dim] - Linear.variable(iv_of(loop)) + last
    beyond = end - size_of(access.memref, dim)
    return beyond.is_constant() and beyond.constant >= 0
