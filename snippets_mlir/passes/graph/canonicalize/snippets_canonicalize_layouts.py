"""Give the inputs of subgraphs their memory layouts, and the values of the body the same rank.

With `snippets-canonicalize-layouts{layouts=NCHW16c,CHW}`, one layout for each input,

    func.func @main(%x: tensor<2x40x5x7xf32>, %y: tensor<1x5x7xf32>) -> tensor<2x40x5x7xf32> {
      %0 = snippets.subgraph (%a = %x, %b = %y) : ... {
        %1 = snippets.add %a, %b : (...) -> tensor<2x40x5x7xf32>                 becomes

    func.func @main(%x: tensor<2x3x5x7x16xf32>, %y: tensor<1x5x7xf32>)
        -> tensor<2x3x5x7x16xf32> {
      %0 = snippets.subgraph (%a = %x, %b = %y) : ... {
        %1 = snippets.reshape %b : (tensor<1x5x7xf32>) -> tensor<1x1x5x7x1xf32>
        %2 = snippets.add %a, %1 : (...) -> tensor<2x3x5x7x16xf32>

The layout of the highest rank is the base. Blocked inputs, whose layout repeats an axis, get the
blocked shape. Inputs of lower rank get dims of size 1, and one of these is last if the base is
blocked. The body is computed in blocks: it has the values of the planar body, rearranged. The
padding of the last block is undefined. `-` is an input without a layout: planar, of any rank below
the base's. The attribute `snippets.layouts` of a subgraph overrides the option. Outside, arguments
and results of the function take the blocked types; other values are rearranged there, constants at
compile time. Without blocked inputs only ranks change. A body whose ops count dims (reductions,
normalisations, reshapes, ...) then stays.

Refuses: names that are no layout, and layouts of another rank than the input; blocked layouts other
than the base; a planar layout of the base's rank that differs from it; blocks in a body whose ops
count dims; a planar input, or a blocked one of size 1 along the blocked axis, where the other size
is needed; a value that would have to be padded outside. Source: the guide's Canonicalization.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.conversion import BroadcastLikeOp, ReshapeOp
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, broadcast_shapes, format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import RETYPES, Effect
from snippets_mlir.passes.graph.canonicalize.boundary import (
    called_in,
    listed,
    retype_input,
    retype_result,
)
from snippets_mlir.passes.graph.canonicalize.layout_constants import rearranged
from snippets_mlir.passes.graph.canonicalize.layout_plan import Plan, plan_of
from snippets_mlir.passes.graph.canonicalize.layouts import (
    Layout,
    from_blocked,
    to_blocked,
    with_rank,
    without_rank,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

LAYOUTS = "snippets.layouts"


def _rearrangeable(subgraph: SubgraphOp, layout: Layout, planar: Shape) -> None:
    """CompileError unless a value inside of a function can be rearranged outside."""
    size = layout.axis_size(planar)
    if planar.count(DYNAMIC) > 1 or (size != 1 and (size == DYNAMIC or size % layout.block)):
        raise CompileError(
            f"a value of shape {format_shape(planar)} inside of a function cannot be rearranged to "
            f"{layout.name} without padding; let it be an argument or a result of the function",
            **position_of(subgraph),
        )


def _apply_input(
    subgraph: SubgraphOp, index: int, plan: Plan, base: Layout, called: frozenset[str]
) -> None:
    value, layout = subgraph.inputs[index], plan.layouts[index]
    type_ = tensor_of(value)
    planar = shape_of(type_)

    def rearrange(value: SSAValue) -> list[Operation]:
        _rearrangeable(subgraph, base, planar)
        return to_blocked(value, base)

    if layout == base:
        if base.blocked:
            blocked = tensor_type(type_.element_type, base.shape(planar))
            retype_input(subgraph, index, blocked, rearrange, called)
    elif 0 < len(planar) < base.rank:
        argument = subgraph.block.args[index]
        append = int(base.blocked)
        normal = with_rank(argument, base.rank - len(planar) - append, append)
        argument.replace_all_uses_with(normal.results[0])
        normal.operands[0] = argument
        Rewriter.insert_op(normal, InsertPoint.at_start(subgraph.block))


def _result_shape(op: ComputeOp, base: Layout) -> Shape:
    """The shape of an op whose operands are in their layouts."""
    if isinstance(op, BroadcastLikeOp):
        return base.shape(shape_of(op.result))
    shape = broadcast_shapes(*(shape_of(value) for value in op.operands))
    if shape is None:
        found = ", ".join(str(value.type) for value in op.operands)
        raise CompileError(
            f"{op.name} does not broadcast in layout {base.name}: {found}", **position_of(op)
        )
    return shape


def _apply_body(block: Block, base: Layout, rewriter: PatternRewriter) -> None:
    """Retype the body from its arguments, which have their types."""
    for op in list(block.ops):
        if isinstance(op, ConstantOp):
            if tensor_of(op.result).get_num_dims():
                constant = rearranged(op, base)
                constant.location = op.location
                rewriter.replace(op, constant)
        elif isinstance(op, ComputeOp) and not isinstance(op, WholeTensorOp | ReshapeOp):
            type_ = tensor_type(tensor_of(op.results[0]).element_type, _result_shape(op, base))
            if type_ != op.results[0].type:
                Rewriter.replace_value_with_new_type(op.results[0], type_)


def _apply_output(
    subgraph: SubgraphOp, index: int, base: Layout, type_: Attribute, called: frozenset[str]
) -> None:
    planar = shape_of(subgraph.outputs[index])

    def back(value: SSAValue) -> list[Operation]:
        _rearrangeable(subgraph, base, planar)
        return from_blocked(value, base, planar)

    retype_result(subgraph, index, type_, back, called)


class LayOut(Pattern[SubgraphOp, Plan]):
    """A subgraph on planar values becomes one on values in layouts, rearranged outside of it."""

    name = "lay-out"
    ops = (SubgraphOp,)

    def __init__(self, layouts: tuple[str, ...], called: frozenset[str]) -> None:
        self.layouts = layouts
        self.called = called

    def match(self, op: SubgraphOp) -> Plan | None:
        """The layouts that the attribute, else the option, lists."""
        plan = plan_of(op, listed(op, LAYOUTS, self.layouts))
        return plan if plan.base is not None or LAYOUTS in op.attributes else None

    def rewrite(self, op: SubgraphOp, match: Plan, rewriter: PatternRewriter) -> None:
        """Retype the inputs, the body and the results."""
        op.attributes.pop(LAYOUTS, None)
        if (base := match.base) is None:
            return
        for index in range(len(match.layouts)):
            _apply_input(op, index, match, base, self.called)
        _apply_body(op.block, base, rewriter)
        terminator = op.block.last_op
        assert terminator is not None
        for index, value in enumerate(terminator.operands):
            type_ = tensor_of(op.outputs[index])
            if value.type == type_:
                continue
            if base.blocked:
                _apply_output(op, index, base, value.type, self.called)
            else:
                planar = without_rank(value, tensor_of(value).get_num_dims() - type_.get_num_dims())
                rewriter.insert(planar, InsertPoint.before(terminator))
                terminator.operands[index] = planar.results[0]


@dataclass(frozen=True)
class SnippetsCanonicalizeLayoutsPass(PatternPass):
    """Give inputs of subgraphs their layouts in memory."""

    name = "snippets-canonicalize-layouts"
    STAGES: ClassVar[Stages] = Stages(("subgraphs",))
    EFFECT: ClassVar[Effect] = RETYPES
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (LayOut,)

    layouts: tuple[str, ...] = ()

    def facts(self, root: Operation) -> tuple[tuple[str, ...], frozenset[str]]:
        """The option, and the functions whose types stay."""
        return self.layouts, called_in(root)
