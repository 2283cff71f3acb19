"""Groups with reshapes, squeezes and unsqueezes between their ops.

    %0 = snippets.multiply %x, %x                         4x6
    %1 = snippets.reshape %0 : 4x6 -> 4x2x3               between: in the group, in no loop
    %2 = snippets.reduce_sum %1 {axes = array<i64: 2>}    4x2x3 -> 4x2

Two groups that a view connects become one if shapes exist in which all views between their ops are
the identity (`analysis/graph/reshape_refinement.py`), and T2 and T5 hold for these shapes. Dims
that a reduction drops, the groups of a group_norm and its parameters are also such views. Only the
operand of a transpose has to come from outside in any case.
"""

from collections.abc import Sequence
from itertools import chain

from xdsl.ir import Operation, SSAValue

from snippets_mlir.analysis.graph.loop_space import LoopSpace, refined_space, without_ones_in_front
from snippets_mlir.analysis.graph.reshape_refinement import plan_refinement
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.layout import TransposeOp
from snippets_mlir.dialects.snippets.shapes import broadcast_shapes
from snippets_mlir.passes.graph.tokenize.groups import Group, inputs_of
from snippets_mlir.support.walking import used_outside

MAX_OPS = 32
"""The most ops of such a group: its shapes are computed anew at each merge."""


def needs_refinement(large: Group, small: Group) -> bool:
    """Whether the merged group has a view between its ops."""
    if large.is_refined or small.is_refined:
        return True
    return any(v in large.hung for v in small.reads) or any(v in large.reads for v in small.hung)


def _views_between(
    ops: Sequence[Operation], places: Sequence[int], trailing: Sequence[int]
) -> set[int]:
    """The places in `trailing` of the views between two of the ops."""
    by_result: dict[SSAValue, int] = {ops[place].results[0]: place for place in trailing}
    found: set[int] = set()
    queue = [v for place in places for v in ops[place].operands]
    while queue:
        place = by_result.get(queue.pop())
        if place is not None and place not in found:
            found.add(place)
            queue += ops[place].operands
    return found


def _common_space(spaces: Sequence[LoopSpace]) -> LoopSpace | None:
    """T2 and T5 for the ops of a refined group: the shape of all loops, and the reduced dims."""
    shape = broadcast_shapes(*(space.shape for space in spaces))
    if shape is None or all(space.shape != shape for space in spaces):
        return None
    reducing = [space for space in spaces if space.reduced]
    wanted = without_ones_in_front(shape)
    if any(without_ones_in_front(s.shape) != wanted for s in reducing):
        return None
    if len({space.reduced for space in reducing}) > 1:
        return None
    return LoopSpace(shape, reducing[0].reduced if reducing else frozenset())


def merge_refined(ops: Sequence[Operation], a: Group, b: Group) -> Group | None:
    """The group of the ops of both and the views between them, or None if there is none."""
    own, trailing = [*a.ops, *b.ops], [*a.trailing, *b.trailing]
    if len(own) > MAX_OPS or a.products or b.products:
        return None
    between = _views_between(ops, own, trailing)
    places = sorted(chain(own, between))
    members = [ops[place] for place in places]
    inside = set(members)
    if any(isinstance(op, TransposeOp) and op.operand.owner in inside for op in members):
        return None
    plan = plan_refinement(members)
    if plan is None:
        return None
    spaces = [s for op in members if isinstance(op, ComputeOp) and (s := refined_space(op, plan))]
    common = _common_space(spaces)
    if common is None:
        return None
    left = [place for place in trailing if place not in between]
    return Group(
        ops=places,
        shapes={space.shape for space in spaces},
        shape=common.shape,
        reads=dict.fromkeys(inputs_of(members), 1),
        writes=dict.fromkeys(used_outside(members, set(members)), 1),
        summed=common.shape if common.reduced else None,
        reduced=common.reduced,
        outside=a.outside | b.outside,
        is_refined=True,
        is_plain=False,
        trailing=left,
        hung={result for place in left for result in ops[place].results},
    )
