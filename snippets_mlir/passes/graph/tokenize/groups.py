"""Groups of ops that go into one subgraph: their reads and writes, and the loops they need."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.graph.loop_space import is_read_as_view, outside_values, space_of
from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp


def is_scalar_constant(op: Operation | Block) -> bool:
    """Whether `op` is a constant of one element, which lives inside of kernels."""
    if isinstance(op, ScalarOp):
        return True
    return (
        isinstance(op, ConstantOp)
        and isinstance(op.value, DenseIntOrFPElementsAttr)
        and tensor_of(op.result).element_count() == 1
    )


def goes_inside(op: Operation, index: int) -> bool:
    """Whether operand `index` of `op` is a scalar constant that is copied into its subgraph.

    An operand that `op` reads through a view has to be an input, even if it has one element. So
    have the parts of a concat, because their rank matters.
    """
    if isinstance(op, ConcatOp) or not is_scalar_constant(op.operands[index].owner):
        return False
    return not is_read_as_view(op, index)


@dataclass
class Group:
    """Ops that go into one subgraph.

    Attributes:
        ops: places of the ops in the block.
        shapes: the shapes that the loops of the ops walk.
        shape: the broadcast of `shapes`.
        reads: values from outside, with the number of reads; scalar constants, which go inside, do
            not count.
        writes: values of the ops that are read outside, with the number of reads.
        summed: the shape that the reductions of the group read; None if it has none.
        reduced: the dims of these reductions, counted from the last.
        outside: values that the ops read and that no op of the group may compute.
        is_refined: whether there are views between the ops: the shapes are those of a refinement.
        products: the matrix products of the group; several of them read one left operand.
        is_plain: whether each op, except transposes and the products, computes every element from
            the elements at its place.
        trailing: places of views of the group's values that come after the subgraph.
        hung: the results of these views.
    """

    ops: list[int]
    shapes: set[Shape]
    shape: Shape
    reads: dict[SSAValue, int]
    writes: dict[SSAValue, int]
    summed: Shape | None
    reduced: frozenset[int]
    outside: set[SSAValue]
    is_refined: bool = False
    products: tuple[MatMulOp, ...] = ()
    is_plain: bool = True
    trailing: list[int] = field(default_factory=list[int])
    hung: set[SSAValue] = field(default_factory=set[SSAValue])

    @staticmethod
    def of(op: Operation, place: int) -> "Group":
        """The group of one op, at its place in the text."""
        space = space_of(op)
        reads: dict[SSAValue, int] = {}
        for index, value in enumerate(op.operands):
            if not goes_inside(op, index):
                reads[value] = reads.get(value, 0) + 1
        writes: dict[SSAValue, int] = {v: v.uses.get_length() for v in op.results if v.first_use}
        summed = space.shape if space.reduced else None
        return Group(
            [place],
            {space.shape},
            space.shape,
            reads,
            writes,
            summed,
            space.reduced,
            outside_values(op, space),
            products=(op,) if isinstance(op, MatMulOp) else (),
            is_plain=isinstance(op, MatMulOp | TransposeOp) or not isinstance(op, WholeTensorOp),
        )

    def ios_with(self, other: "Group") -> int:
        """Inputs and outputs of the merged group, in time of the smaller one's size."""
        count = len(self.reads) + len(self.writes)
        for value, times in other.reads.items():
            if value in self.writes:
                count -= self.writes[value] == times
            else:
                count += value not in self.reads
        for value, times in other.writes.items():
            inside = self.reads.get(value, 0)
            count += (inside < times) - (inside > 0)
        return count

    def feeds(self, other: "Group", *, smaller: "Group") -> bool:
        """Whether `other` reads a value of this group or a view; `smaller` is one of the two."""
        if smaller is self:
            return any(v in other.reads for values in (self.writes, self.hung) for v in values)
        return any(value in self.writes or value in self.hung for value in other.reads)

    def hang(self, op: Operation, place: int) -> None:
        """Place a view of one of the group's values after the group."""
        self.trailing.append(place)
        self.hung.update(op.results)

    def absorb(self, other: "Group", shape: Shape) -> "Group":
        """Add the ops of the other group; its loops and ours broadcast to `shape`."""
        self.ops += other.ops
        self.shapes |= other.shapes
        self.shape = shape
        self.summed = self.summed or other.summed
        self.reduced |= other.reduced
        self.outside |= other.outside
        self.products += other.products
        self.is_plain &= other.is_plain
        self.trailing += other.trailing
        self.hung |= other.hung
        for value, times in other.writes.items():
            if (left := times - self.reads.pop(value, 0)) > 0:
                self.writes[value] = left
        for value, times in other.reads.items():
            if value not in self.writes:
                self.reads[value] = self.reads.get(value, 0) + times
            elif self.writes[value] > times:
                self.writes[value] -= times
            else:
                del self.writes[value]
        return self

    def with_view(self, view: "Group") -> "Group":
        """Add a view of an input that no loop of the group walks."""
        shapes = set(self.shapes)
        self.absorb(view, self.shape)
        self.shapes = shapes
        self.outside &= self.reads.keys()
        return self


def inputs_of(members: Sequence[Operation]) -> list[SSAValue]:
    """Values that the members read from outside, in order of first use; no scalar constants."""
    inside = set(members)
    found: dict[SSAValue, None] = {}
    for op in members:
        for index, value in enumerate(op.operands):
            if value.owner not in inside and not goes_inside(op, index):
                found[value] = None
    return list(found)
