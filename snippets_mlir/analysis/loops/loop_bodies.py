"""The loops of an affine nest with independent iterations, and the values that vary in them.

*Parallel* (`why_not_parallel`): the loop carries no value that is not a reduction, no dependence
through memory, and its body does nothing whose effect is unknown.

*Vectorizable* (`varying_dim`): all ops have a vector form, and each access either does not depend
on the induction variable, or steps through one dim of its memref with it, element by element. This
is the same dim for all accesses, counted from the innermost.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import affine, arith, vector
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import MemoryEffectKind, get_effects, is_side_effect_free

from snippets_mlir.analysis.loops.affine_access import (
    Access,
    access_of,
    bounds_of,
    iv_of,
    memref_type,
)
from snippets_mlir.analysis.loops.dependence import carried_dependence
from snippets_mlir.analysis.loops.linear_forms import Linear
from snippets_mlir.analysis.loops.reductions import reductions_of
from snippets_mlir.dialects.memref.layout import layout_of
from snippets_mlir.support.diagnostics import describe_value

INVARIANT = -1
"""The varying dim of values that do not depend on the loop."""


@dataclass(frozen=True)
class Refusal:
    """The reason why something stays unchanged, and the op that causes it."""

    op: Operation
    reason: str


def why_not_parallel(loop: affine.ForOp, *, with_reductions: bool) -> Refusal | None:
    """Why the iterations of a loop have to run in order, or None when they need not.

    Args:
        loop: the loop.
        with_reductions: whether carried values may be reductions.
    """
    if loop.inits:
        if not with_reductions:
            return Refusal(loop, "it carries values from one iteration to the next")
        if isinstance(found := reductions_of(loop), str):
            return Refusal(loop, found)
    accesses: list[Access] = []
    for op in loop.body.walk():
        if isinstance(op, affine.LoadOp | affine.StoreOp):
            accesses.append(access_of(op))
        elif not is_harmless(op):
            return Refusal(op, f"'{op.name}' may read or write memory in a way that is not known")
    if (found := carried_dependence(loop, accesses)) is None:
        return None
    name = describe_value(found.second.memref)
    if found.exact:
        return Refusal(found.second.op, f"iterations depend on one another through {name}")
    other = describe_value(found.first.memref)
    if found.first.memref is found.second.memref:
        if found.first.indices is not None and found.second.indices is not None:
            return Refusal(found.second.op, f"different subscripts of {name} may be one cell")
        return Refusal(found.second.op, f"a subscript of {name} is not affine")
    return Refusal(found.second.op, f"{other} and {name} may share memory")


def is_harmless(op: Operation) -> bool:
    """Whether an op cannot order iterations: it has no effects but, perhaps, an allocation."""
    if isinstance(op, affine.ForOp | affine.IfOp | affine.YieldOp):
        return True
    if is_side_effect_free(op):
        return True
    effects = get_effects(op)
    return effects is not None and all(e.kind is MemoryEffectKind.ALLOC for e in effects)


def is_scalar(type_: Attribute) -> bool:
    """Whether a type may be the element of a vector."""
    return isinstance(type_, IntegerType | IndexType | AnyFloat)


def varying_dim(loop: affine.ForOp) -> int | Refusal:
    """The dim that a loop's accesses step through, counted from the innermost one as 0.

    Returns:
        `INVARIANT` when no access depends on the loop, or why the loop has no vector form.
    """
    found, where = INVARIANT, None
    for op in loop.body.walk():
        if (refusal := _unvectorizable(op)) is not None:
            return refusal
        if not isinstance(op, affine.LoadOp | affine.StoreOp):
            continue
        dim = access_dim(access_of(op), iv_of(loop))
        if isinstance(dim, str):
            return Refusal(op, dim)
        if dim == INVARIANT:
            continue
        if found not in (INVARIANT, dim):
            assert where is not None
            return Refusal(
                op,
                f"{describe_value(where)} varies in dim {found} from the innermost, "
                f"{describe_value(access_of(op).memref)} in dim {dim}",
            )
        found, where = dim, access_of(op).memref
    return found


def _unvectorizable(op: Operation) -> Refusal | None:
    if isinstance(op, affine.IfOp):
        return Refusal(op, "there is an affine.if in the loop")
    if op.regions and not isinstance(op, affine.ForOp):
        return Refusal(op, f"there is a region of '{op.name}' in the loop")
    if isinstance(op, vector.TransferReadOp | vector.TransferWriteOp):
        return Refusal(op, "the loop is vectorized already")
    for value in (*op.operands, *op.results):
        type_ = value.type
        if isinstance(type_, MemRefType) and value not in op.results:
            type_ = type_.element_type  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not is_scalar(type_):  # pyright: ignore[reportUnknownArgumentType]
            return Refusal(op, f"there are no vectors of {type_}")
    return None


def access_dim(access: Access, iv: SSAValue) -> int | str:
    """The dim in which an access steps with an induction variable, counted from the innermost.

    Returns:
        `INVARIANT`, or why the elements of consecutive iterations are not side by side.
    """
    name = describe_value(access.memref)
    layout = layout_of(memref_type(access.memref))
    if layout is None or layout[0][-1:] not in ((), (1,)):
        return f"the innermost stride of {name} is not known to be 1"
    if access.indices is None:
        return f"a subscript of {name} is not affine"
    dims = [d for d, index in enumerate(access.indices) if index.mentions(iv)]
    if not dims:
        return INVARIANT
    if len(dims) > 1:
        return f"the induction variable is in {len(dims)} subscripts of {name}"
    if not _is_contiguous(access.indices[dims[0]], iv):
        return f"consecutive iterations do not take consecutive elements of {name}"
    return len(access.indices) - 1 - dims[0]


def _is_contiguous(index: Linear, iv: SSAValue) -> bool:
    """Whether a subscript grows by 1 with the induction variable."""
    return index.coefficient(iv) == 1 and not (index - Linear.variable(iv)).mentions(iv)


def step_refusal(loop: affine.ForOp) -> Refusal | None:
    """Why lanes cannot be the iterations of a loop, which are `step` apart."""
    bounds = bounds_of(loop)
    trips = bounds.trip_count()
    if bounds.step != 1 and (trips is None or trips > 1):
        return Refusal(loop, f"its step is {bounds.step}, lanes are 1 apart")
    return None


def is_elementwise(op: Operation) -> bool:
    """Whether an op on vectors treats each element like a scalar."""
    return op.name.startswith(("arith.", "math.")) and not isinstance(op, arith.ConstantOp)
