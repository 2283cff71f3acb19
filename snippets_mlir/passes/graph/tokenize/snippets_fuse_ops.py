"""Put the ops of a graph into `snippets.subgraph` ops by the rules of TVM's FuseOps.

    %0 = onnx.node "Conv"(%x, %w)        %3 = snippets.subgraph (%a = %x, %b = %w) ... attributes
    %1 = snippets.relu %0                         {primitive, sym_name = "fused_conv_relu"} {
    %2 = snippets.stop_fusion %1  becomes  %0 = onnx.node "Conv"(%a, %b)
    %3 = snippets.exp %2                   %1 = snippets.relu %0
                                           snippets.yield %1
                                         }
                                         %4 = snippets.subgraph (%a = %3) ... "fused_exp" {...}

The decision depends on the kinds of ops (`analysis/fusion/kinds.py`, attribute `fuse.pattern`), and
on the op to which all paths from an op lead (`analysis/fusion/rules.py`). The ops keep all their
attributes. The inputs are in the order in which the ops, in graph order, read them. Subgraphs with
a computing op get `primitive`. `snippets.stop_fusion` disappears. Functions with the attribute
`primitive` and existing subgraphs stay.

Options:

* `fuse-opt-level` (2): 0 fuses nothing.
* `max-fuse-depth` (256): the most nodes of a group, including constants inside and tuples.
* `max-function-args` (0, unlimited): the most arguments of a group, including outputs.
* `link-params` (false): whether constants go into the groups that read them.
* `flavor` (relay): `relay` or `relax`; `analysis/fusion/graph_of.py` has the differences.
* `wrap-single` (true): whether a lone op becomes a subgraph.

Refuses an unknown flavor, negative limits and unknown kinds.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import ConstantLike

from snippets_mlir.analysis.fusion.rules import MAX_FUSED_NODES, FusionOptions
from snippets_mlir.dialects.snippets.fusion import StopFusionOp
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.graph.tokenize.fuse_names import FusedNames
from snippets_mlir.passes.graph.tokenize.fuse_plan import (
    FusedBlock,
    FusedGraph,
    FusedGroup,
    computing_names,
    parameters_of,
    plan_groups,
    results_of,
)
from snippets_mlir.passes.plans import PlanPass
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

PRIMITIVE = "primitive"
NAME = "sym_name"


def blocks_to_fuse(module: ModuleOp) -> Iterator[Block]:
    """The blocks of the functions, including regions of ops, but no subgraphs."""
    for function in module.ops:
        if isinstance(function, FuncOp) and PRIMITIVE not in function.attributes:
            yield from _blocks_in(function)


def _blocks_in(op: Operation) -> Iterator[Block]:
    for block in [block for region in op.regions for block in region.blocks]:
        yield block
        for inner in list(block.ops):
            if not isinstance(inner, SubgraphOp):
                yield from _blocks_in(inner)


def _is_linked(value: SSAValue) -> bool:
    owner = value.owner
    return isinstance(owner, Operation) and owner.has_trait(
        ConstantLike, value_if_unregistered=False
    )


def _make_subgraph(group: FusedGroup, *, link_params: bool) -> SubgraphOp:
    """Move the members into a new subgraph in the place of the last one."""
    read, results = parameters_of(group), results_of(group)
    linked = [v for v in read if link_params and _is_linked(v)]
    inputs = [v for v in read if not (link_params and _is_linked(v))]
    last = group.members[-1]
    parent = last.parent
    assert parent is not None
    body = Block(arg_types=[v.type for v in inputs])
    inside: dict[SSAValue, SSAValue] = dict(zip(inputs, body.args, strict=True))
    for value, argument in zip(inputs, body.args, strict=True):
        argument.name_hint = value.name_hint
    for value in linked:
        assert isinstance(value.owner, Operation)
        body.add_op(copy := value.owner.clone())
        inside[value] = copy.results[0]
    subgraph = SubgraphOp(inputs, [v.type for v in results], Region(body))
    subgraph.location = last.location
    parent.insert_op_before(subgraph, last)
    for op in group.members:
        op.detach()
        for index, value in enumerate(op.operands):
            if value in inside:
                op.operands[index] = inside[value]
        body.add_op(op)
    members = set(group.members)
    for value, result in zip(results, subgraph.outputs, strict=True):
        value.replace_uses_with_if(result, lambda use: use.operation not in members)
        result.name_hint = value.name_hint
    body.add_op(YieldOp(results))
    for value in linked:
        if value.first_use is None:
            assert isinstance(value.owner, Operation)
            Rewriter.erase_op(value.owner)
    return subgraph


def _taken_names(module: ModuleOp) -> set[str]:
    subgraphs = (op for op in module.walk() if isinstance(op, SubgraphOp))
    found = (op.get_attr_or_prop(NAME) for op in (*module.ops, *subgraphs))
    return {name.data for name in found if isinstance(name, StringAttr)}


def fusion_options(
    flavor: str, level: int, max_depth: int, max_arguments: int
) -> tuple[Flavor, FusionOptions]:
    """The options of a pass, checked; `CompileError` for a wrong one."""
    flavors = [f.value for f in Flavor]
    if flavor not in flavors:
        hint = close_match(flavor, flavors)
        raise CompileError(f"flavor: expected relay or relax, found '{flavor}'{hint}")
    if level < 0 or max_depth < 1 or max_arguments < 0:
        raise CompileError(
            "expected a fuse-opt-level of 0 or more, a max-fuse-depth of 1 or more and "
            "max-function-args of 0 (unlimited) or more"
        )
    return Flavor(flavor), FusionOptions(level, max_depth, max_arguments)


@dataclass(frozen=True)
class SnippetsFuseOpsPass(PlanPass[ModuleOp, FusedGraph]):
    """Gather ops into subgraphs by the rules of TVM's FuseOps."""

    name = "snippets-fuse-ops"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    MIXES_CLASSES: ClassVar[bool] = False

    fuse_opt_level: int = 2
    max_fuse_depth: int = MAX_FUSED_NODES
    max_function_args: int = 0
    link_params: bool = False
    flavor: str = "relay"
    wrap_single: bool = True

    def units(self, module: ModuleOp) -> Iterable[ModuleOp]:
        """The module: subgraphs of equal structure have one name in it."""
        return (module,)

    def plan(self, unit: ModuleOp) -> FusedGraph:
        """The groups of each block of each function."""
        flavor, options = fusion_options(
            self.flavor, self.fuse_opt_level, self.max_fuse_depth, self.max_function_args
        )
        blocks: list[FusedBlock] = []
        for block in blocks_to_fuse(unit):
            groups = plan_groups(block, flavor, options, wrap_single=self.wrap_single)
            stops = tuple(op for op in block.ops if isinstance(op, StopFusionOp))
            blocks.append(FusedBlock(groups, stops))
        return FusedGraph(tuple(blocks))

    def carry_out(self, unit: ModuleOp, plan: FusedGraph) -> None:
        """Make and name the subgraphs, and erase `stop_fusion`."""
        names = FusedNames(_taken_names(unit))
        for block in plan.blocks:
            for group in block.groups:
                subgraph = _make_subgraph(group, link_params=self.link_params)
                if group.calls:
                    subgraph.attributes[PRIMITIVE] = UnitAttr()
                subgraph.attributes[NAME] = StringAttr(names.name(subgraph, computing_names(group)))
            for stop in block.stops:
                Rewriter.replace_op(stop, [], [stop.operand])
