"""Group the ops of a graph into `snippets.subgraph` ops that one kernel can compute.

    %0 = snippets.add %x, %y           %2 = snippets.subgraph (%a = %x, %b = %y) {
    %1 = "d.conv"(%x)                    %0 = snippets.add %a, %b
    %2 = snippets.relu %0     becomes    %2 = snippets.relu %0
                                         snippets.yield %2
                                       }
                                       %1 = "d.conv"(%x) {snippets.reason = "d.conv is not an op
                                       of ..."}

The greedy algorithm of the design guide is in `plan.py`, with its rules T1 to T8: cycles, shared
loops, limits, reductions that share a kernel, operands read through a view, lost parallelism, and
the ops beside a matrix product. `product_rows.py` has the rules T9 to T15: which ops before a
product, and which norms after it, are in its kernel, and why others are not. Reshapes, squeezes and
unsqueezes go in if they stand between ops and all shapes have common factors; elsewhere they are
views beside the subgraphs. Constants of one element go inside, unless they are read through a view;
other constants become inputs. A value that is used outside becomes an output; there may be several.
Computing ops without a use are erased. Existing subgraphs stay, except those that no kernel can
compute, for example from another partitioner: they are taken apart first, as by
`snippets-unwrap-uncompilable`. Ops outside get the reason in `snippets.reason`; `snippets-opt
--explain` prints the reasons.

Options: `max-ios` (inputs and outputs of a subgraph) and `max-ops` (its ops), 0 = unlimited.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation

from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.groups import is_scalar_constant
from snippets_mlir.passes.graph.tokenize.machine_facts import machine_facts
from snippets_mlir.passes.graph.tokenize.plan import tokens_of
from snippets_mlir.passes.graph.tokenize.snippets_unwrap_uncompilable import UNWRAPPING
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.passes.graph.tokenize.tokens import Token, Tokens, is_reportable
from snippets_mlir.passes.patterns import sweep
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.walking import module_of


def _is_used(op: Operation) -> bool:
    return any(value.first_use for value in op.results)


def _erase_unused(block: Block) -> None:
    """Erase dead computing ops: a kernel for them would have no outputs."""
    for op in reversed(list(block.ops)):
        if isinstance(op, ComputeOp) and not _is_used(op):
            block.erase_op(op)


@dataclass(frozen=True)
class SnippetsTokenizePass(GraphPlanPass[Tokens]):
    """Gather ops that one kernel can compute into subgraphs."""

    name = "snippets-tokenize"
    STAGES: ClassVar[Stages] = Stages(("graph",), "subgraphs")

    max_ios: int = 0
    max_ops: int = 0

    def units(self, module: ModuleOp) -> Iterable[Block]:
        """The blocks of the functions, without subgraphs and dead ops."""
        if self.max_ios < 0 or self.max_ops < 0:
            raise CompileError("expected max-ios and max-ops of 0 (unlimited) or more")
        sweep(module, [pattern() for pattern in UNWRAPPING])
        for block in super().units(module):
            _erase_unused(block)
            yield block

    def plan(self, unit: Block) -> Tokens:
        """The groups of ops, and the order of groups and other ops."""
        function = unit.parent_op()
        assert function is not None
        machine = machine_facts(module_of(function))
        return tokens_of(unit, self.max_ios, self.max_ops, machine, copies=True)

    def carry_out(self, unit: Block, plan: Tokens) -> None:
        """Build the subgraphs, and put groups and ops in their order."""
        for op, reason in plan.reasons:
            if is_reportable(op):
                op.attributes[REASON] = StringAttr(reason)
        for node in plan.order:
            if isinstance(node, Token):
                unit.add_op(make_subgraph(node.ops))
            for op in node.trailing if isinstance(node, Token) else (node,):
                op.detach()
                unit.add_op(op)
        for node in plan.order:
            if not isinstance(node, Token) and is_scalar_constant(node) and not _is_used(node):
                unit.erase_op(node)
