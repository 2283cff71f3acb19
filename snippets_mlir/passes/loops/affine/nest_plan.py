"""Plan the vectorization of a loop nest: this module decides everything and changes nothing.

`plan_nest` takes a root loop, the vector dim of each matched loop, and the sizes of the vector. It
returns a `NestPlan` with the ops to build, or a `Refusal` that leaves the nest: one op without a
vector form is enough.

Lanes past the end of a loop compute values that no op reads. Three rules keep them harmless:

* a store takes only whole vectors (the number of iterations is a multiple), or ends where its
  memref ends (`vector.transfer_write` stops there by itself), or gets a mask;
* a reduction takes the neutral element in those lanes;
* an integer division divides by 1 in those lanes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import affine, arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from snippets_mlir.analysis.loops.affine_access import bounds_of, is_inside, iv_of
from snippets_mlir.analysis.loops.loop_bodies import Refusal, is_elementwise, is_scalar
from snippets_mlir.analysis.loops.reductions import Reduction, reductions_of
from snippets_mlir.passes.loops.affine.transfer_plan import Transfer, is_whole, plan_transfer
from snippets_mlir.support.diagnostics import describe_value

LARGEST_STEP = (1 << 63) - 1

TRAPPING = frozenset(
    f"arith.{name}"
    for name in ("divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi")
)
"""Ops that are undefined for a divisor of 0, and for the lowest integer by -1."""


@dataclass(frozen=True)
class NestPlan:
    """A nest to vectorize, and the ops to build for its ops.

    `dims` has the vector dim of each vectorized loop, `whole` the loops with a multiple of the
    vector's size as iterations. `transfers` has all loads and stores, `guarded` the divisions that
    need a mask, `reductions` the carried values of the loop that is vectorized along them.
    """

    root: affine.ForOp
    sizes: tuple[int, ...]
    dims: tuple[tuple[affine.ForOp, int], ...]
    whole: frozenset[affine.ForOp]
    transfers: tuple[tuple[affine.LoadOp | affine.StoreOp, Transfer], ...]
    guarded: frozenset[Operation]
    reductions: tuple[Reduction, ...]

    def __str__(self) -> str:
        loops = [describe_value(iv_of(loop)) for loop, _ in self.dims]
        whole = " whole" if len(self.whole) == len(self.dims) else ""
        lines = [f"{' '.join(loops)}:{whole} vectors of {'x'.join(map(str, self.sizes))}"]
        for op, transfer in self.transfers:
            verb = "write" if isinstance(op, affine.StoreOp) else "read"
            lines.append(f"  {verb} {describe_value(op.memref)} {transfer}")
        lines += [f"  reduce by {reduction.kind}" for reduction in self.reductions]
        lines += [f"  divide by 1 past the end: {len(self.guarded)}"] * bool(self.guarded)
        return "\n".join(lines)


@dataclass
class _Planner:
    root: affine.ForOp
    sizes: tuple[int, ...]
    dims: Mapping[affine.ForOp, int]
    whole: frozenset[affine.ForOp]
    vectors: set[SSAValue] = field(default_factory=set[SSAValue])
    transfers: list[tuple[affine.LoadOp | affine.StoreOp, Transfer]] = field(
        default_factory=list[tuple[affine.LoadOp | affine.StoreOp, Transfer]]
    )
    guarded: set[Operation] = field(default_factory=set[Operation])

    def visit(self, op: Operation) -> Refusal | None:
        """Plan one op; ops are visited parents first, in the order of the text."""
        match op:
            case affine.ForOp():
                return self._loop(op)
            case affine.YieldOp():
                return self._vector_operands(op, op.operands)
            case arith.ConstantOp():
                return None
            case affine.ApplyOp():
                return self._scalar_operands(op, op.operands)
            case affine.LoadOp() | affine.StoreOp():
                return self._access(op)
            case _:
                return self._elementwise(op)

    def _loop(self, loop: affine.ForOp) -> Refusal | None:
        operands = (*loop.lowerBoundOperands, *loop.upperBoundOperands)
        if (refusal := self._scalar_operands(loop, operands)) is not None:
            return refusal
        bounds = bounds_of(loop)
        for outer in self._around(loop):
            for form in (*(bounds.lower or ()), *(bounds.upper or ())):
                if form.mentions(iv_of(outer)):
                    return Refusal(loop, "its bounds differ between the lanes of a loop around it")
        if loop in self.dims:
            return self._vectorized_loop(loop)
        if (refusal := self._vector_operands(loop, loop.inits)) is not None:
            return refusal
        self.vectors.update(loop.body.block.args[1:], loop.results)
        return None

    def _vectorized_loop(self, loop: affine.ForOp) -> Refusal | None:
        bounds, size = bounds_of(loop), self.sizes[self.dims[loop]]
        last = max(abs(f.constant) for f in (*(bounds.upper or ()), *(bounds.lower or ())))
        if last + bounds.step * size > LARGEST_STEP:
            return Refusal(loop, f"step {bounds.step} times {size} does not fit into 64 bits")
        if not loop.inits:
            return None
        if bounds.step != 1:
            return Refusal(loop, "it is a reduction, and its step is not 1")
        if loop is not self.root:
            return Refusal(loop, "it is a reduction inside of another vectorized loop")
        self.vectors.update(loop.body.block.args[1:])
        return None

    def _access(self, op: affine.LoadOp | affine.StoreOp) -> Refusal | None:
        if is_inside(op.memref, self.root):
            return Refusal(op, f"{describe_value(op.memref)} is made in the loop")
        if (refusal := self._scalar_operands(op, op.indices)) is not None:
            return refusal
        if isinstance(op, affine.StoreOp):
            if (refusal := self._vector_operands(op, (op.value,))) is not None:
                return refusal
        elif not is_identity(op.map.data) and self._has_apply(op.indices):
            return Refusal(op, "its map takes the result of an affine.apply")
        loops = {self.dims[loop]: loop for loop in self._around(op)}
        transfer = plan_transfer(op, loops, self.sizes, self.whole)
        if isinstance(transfer, Refusal):
            return transfer
        self.transfers.append((op, transfer))
        self.vectors.update(op.results)
        return None

    def _elementwise(self, op: Operation) -> Refusal | None:
        if not is_elementwise(op):
            return Refusal(op, f"'{op.name}' has no vector form")
        if (refusal := self._vector_operands(op, op.operands)) is not None:
            return refusal
        around = self._around(op)
        if (op.name in TRAPPING or op.name == "math.ipowi") and not self.whole.issuperset(around):
            if op.name not in TRAPPING or len(around) != len(self.sizes):
                return Refusal(op, f"'{op.name}' may trap in the lanes past the end of the loop")
            self.guarded.add(op)
        self.vectors.update(op.results)
        return None

    def _around(self, op: Operation) -> list[affine.ForOp]:
        """The vectorized loops around an op."""
        return [loop for loop in self.dims if loop is not op and loop.is_ancestor(op)]

    def _has_apply(self, operands: Sequence[SSAValue]) -> bool:
        return any(isinstance(operand.owner, affine.ApplyOp) for operand in operands)

    def _scalar_operands(self, op: Operation, operands: Sequence[SSAValue]) -> Refusal | None:
        """Whether all of them are still scalars in the vectorized nest."""
        for value in operands:
            if is_inside(value, self.root) and not self._stays_scalar(value):
                return Refusal(op, f"it takes {describe_value(value)}, a vector, as an index")
        return None

    def _stays_scalar(self, value: SSAValue) -> bool:
        if isinstance(value.owner, Block):
            loop = value.owner.parent_op()
            return isinstance(loop, affine.ForOp) and value is iv_of(loop)
        return isinstance(value.owner, affine.ApplyOp | arith.ConstantOp)

    def _vector_operands(self, op: Operation, operands: Sequence[SSAValue]) -> Refusal | None:
        """Whether all of them have a vector form: vectors, constants, and uniform values."""
        for value in operands:
            if value in self.vectors or isinstance(value.owner, arith.ConstantOp):
                continue
            name = describe_value(value)
            if not is_scalar(value.type):
                return Refusal(op, f"it takes {name} of type {value.type}")
            if not is_inside(value, self.root):
                continue
            loop = value.owner.parent_op()
            if isinstance(value.owner, affine.ApplyOp):
                return Refusal(op, f"it takes {name}, the result of an affine.apply, as a value")
            if loop in self.dims:
                return Refusal(op, f"it takes {name}, the index of a vectorized loop, as a value")
        return None


def is_identity(map: AffineMap) -> bool:
    """Whether the results of a map are its dims; it has no symbols."""
    return map == AffineMap.identity(map.num_dims)


def plan_nest(
    root: affine.ForOp, dims: Mapping[affine.ForOp, int], sizes: tuple[int, ...]
) -> NestPlan | Refusal:
    """Plan to vectorize a nest.

    Args:
        root: the outermost loop; one of `dims`.
        dims: the loops to vectorize, each with its dim of the vector.
        sizes: the shape of the vector.
    """
    whole = frozenset(loop for loop, dim in dims.items() if is_whole(loop, sizes[dim]))
    planner = _Planner(root, sizes, dims, whole)
    for op in root.walk():
        if (refusal := planner.visit(op)) is not None:
            return refusal
    reductions = reductions_of(root) if root.inits else ()
    if isinstance(reductions, str):
        return Refusal(root, reductions)
    transfers, guarded = tuple(planner.transfers), frozenset(planner.guarded)
    return NestPlan(root, sizes, tuple(dims.items()), whole, transfers, guarded, reductions)
