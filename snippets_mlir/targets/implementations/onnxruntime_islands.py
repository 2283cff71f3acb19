"""Islands: ops between convolutions whose kernel saves less than the session's cut costs.

    %0 = onnx.node "Concat"(%a, %b)
    %1 = snippets.multiply %0, %s        an island: the engine computes its operand,
    %2 = snippets.add %1, %t             and a convolution of the engine reads its result
    %3 = snippets.relu %2
    %4 = onnx.node "Conv"(%3, %w)

A kernel for n ops reads and writes the image once; the engine does it n times. But the engine keeps
images in its own blocked layout and memory. Around a kernel, images are reordered and copied out of
this layout and back into it, and two sessions start instead of one. The model, in nanoseconds, for
an image of B bytes (docs/kernel-measurements.md has densenet121):

    saved = passes * B * 0.2         passes: of all ops but one; 5 for a function such as tanh
    cost  = 100 000 + B * 2

An island is left to the engine if `saved < cost`. Rules:

* J1: all ops are elementwise, known to the engine (`PASSES`), on float32 images [N, C, H, W] of
  known sizes, and connected by their values;
* J2: a node or an op that the engine fuses computes one of their operands, not a constant;
* J3: one of `IMAGE_NODES` reads one of their results.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.analysis.engine.images import IMAGE_NODES
from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_estimates import assumed
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.registry import DerivedTable, records
from snippets_mlir.dialects.snippets.shapes import is_static
from snippets_mlir.targets.implementations.onnxruntime_rules import (
    is_engine_constant,
    is_f32_tensor,
)

PASSES: Mapping[str, int] = DerivedTable(
    lambda: {r.name: r.engine.passes for r in records() if r.engine is not None and r.engine.passes}
)
"""Ops that the engine has, and how often it could read and write the image in the time of each."""

FIRST_OPSET = 7

# Nanoseconds on two threads of a server CPU.
PASS_BYTE = 0.2
"""For one op of the engine to read and write a byte of an image."""
CUT = 100_000.0
"""To end a session, run a kernel and start another session."""
CUT_BYTE = 2.0
"""To convert a byte of an image from the engine's layout and memory, and back."""


@dataclass(frozen=True)
class Island:
    """Ops that a cut would take out of the engine.

    Attributes:
        ops: the ops, in their order.
        size: bytes of their largest result.
    """

    ops: tuple[ComputeOp, ...]
    size: int

    @property
    def saved(self) -> float:
        """Nanoseconds that one kernel saves."""
        passes = sum(PASSES[op.name] for op in self.ops) - 1
        return passes * self.size * PASS_BYTE

    @property
    def cost(self) -> float:
        """Nanoseconds that the cut costs."""
        return CUT + self.size * CUT_BYTE

    @property
    def reason(self) -> str:
        """The text of `snippets.skipped`."""
        saved, cost = self.saved / 1e6, self.cost / 1e6
        return (
            f"onnxruntime keeps images in a layout of its own (island: a kernel saves {saved:.2f} "
            f"ms and costs {cost:.2f} ms)"
        )


def _is_image_op(op: Operation) -> bool:
    """Whether J1 holds for `op`."""
    if not isinstance(op, ComputeOp) or op.name not in PASSES:
        return False
    shape = shape_of(op.results[0])
    images = all(is_f32_tensor(v) for v in (*op.operands, *op.results))
    return why_not(op) is None and images and len(shape) == 4 and is_static(shape)


def _joined(ops: Iterable[ComputeOp]) -> list[list[ComputeOp]]:
    """The groups of ops that are connected by values, each in its order."""
    groups: dict[Operation | Block, list[ComputeOp]] = {}
    for op in ops:
        known = {id(g): g for v in op.operands if (g := groups.get(v.owner)) is not None}
        group = [member for g in known.values() for member in g] + [op]
        groups.update(dict.fromkeys(group, group))
    return list({id(group): group for group in groups.values()}.values())


def _is_modern(node: NodeOp) -> bool:
    return not node.domain.data and node.version.value.data >= FIRST_OPSET


def _reads_engine(op: ComputeOp, marked: Collection[Operation]) -> bool:
    """Whether J2 holds for `op`."""

    def comes(value: SSAValue) -> bool:
        owner = value.owner
        in_engine = isinstance(owner, NodeOp) or owner in marked
        return in_engine and not is_engine_constant(value)

    return any(map(comes, op.operands))


def _feeds_images(op: ComputeOp) -> bool:
    """Whether J3 holds for `op`."""
    readers = (use.operation for use in op.results[0].uses)
    return any(
        isinstance(r, NodeOp) and r.op_type.data in IMAGE_NODES and _is_modern(r) for r in readers
    )


def plan_islands(ops: Sequence[Operation], marked: Collection[Operation]) -> list[Island]:
    """The islands of a block that are left to the engine; `marked` ops already belong to it."""
    free = [op for op in ops if op not in marked and _is_image_op(op)]
    islands: list[Island] = []
    for group in _joined([op for op in free if isinstance(op, ComputeOp)]):
        if not any(_reads_engine(op, marked) for op in group):
            continue
        if not any(map(_feeds_images, group)):
            continue
        size = max(4 * assumed(prod(shape_of(op.results[0]))) for op in group)
        island = Island(tuple(group), size)
        if island.saved < island.cost:
            islands.append(island)
    return islands
