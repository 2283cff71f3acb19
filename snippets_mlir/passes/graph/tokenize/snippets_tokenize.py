"""Put the ops of a graph that one kernel can compute together into `snippets.subgraph` ops.

    %0 = snippets.add %x, %y           %2 = snippets.subgraph (%a = %x, %b = %y) {
    %1 = "d.conv"(%x)                    %0 = snippets.add %a, %b
    %2 = snippets.relu %0     becomes    %2 = snippets.relu %0
                                         snippets.yield %2
                                       }
                                       %1 = "d.conv"(%x) {snippets.reason = "d.conv is not an op
                                       of ..."}

The greedy algorithm of the design guide is in `plan.py`, with its rules T1 to T7: what makes a
cycle, what shares no loops, the limits, which reductions share a kernel, what is read through a
view, and what would lose its threads. Reshapes, squeezes and unsqueezes go in where they stand
between ops and all shapes have common factors; elsewhere they are views beside the subgraphs.
Constants of one element go inside, unless they are read through a view; other constants become
inputs. A value that is used outside becomes an output; there may be several. Computing ops of which
nothing is used are erased. Subgraphs that are already in the input stay as they are, but for those
that no kernel can compute, which are taken apart first, as `snippets-unwrap-uncompilable` does:
another partitioner may have run since. Ops that stay outside say why in `snippets.reason`;
`snippets-opt --explain` prints the reasons.

Options: `max-ios` (inputs and outputs of a subgraph) and `max-ops` (its ops), 0 = unlimited.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block
from xdsl.passes import ModulePass

from snippets_mlir.analysis.eligibility import REASON
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.passes.graph.tokenize.groups import is_scalar_constant
from snippets_mlir.passes.graph.tokenize.plan import Tokens, is_reportable, tokens_of
from snippets_mlir.passes.graph.tokenize.subgraphs import make_subgraph
from snippets_mlir.passes.graph.tokenize.unwrapping import unwrap_uncompilable
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import threads_of


def _erase_unused(block: Block) -> None:
    """Erase computing ops that nothing needs: a kernel for them would have no outputs."""
    for op in reversed(list(block.ops)):
        if isinstance(op, ComputeOp) and not any(value.first_use for value in op.results):
            block.erase_op(op)


def _apply(block: Block, tokens: Tokens) -> None:
    """Build the subgraphs and put everything in its order."""
    for place, reason in tokens.reasons.items():
        if is_reportable(op := tokens.ops[place]):
            op.attributes[REASON] = StringAttr(reason)
    constants = [op for op in tokens.ops if is_scalar_constant(op)]
    for node in tokens.order:
        if (group := tokens.groups.get(node)) is not None:
            block.add_op(make_subgraph([tokens.ops[i] for i in group.ops]))
            for place in group.trailing:
                tokens.ops[place].detach()
                block.add_op(tokens.ops[place])
        else:
            op = tokens.ops[node]
            op.detach()
            block.add_op(op)
    for op in constants:
        if not any(value.first_use for value in op.results):
            block.erase_op(op)


@dataclass(frozen=True)
class SnippetsTokenizePass(ModulePass):
    """Gather ops that one kernel can compute into subgraphs."""

    name = "snippets-tokenize"

    max_ios: int = 0
    max_ops: int = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Tokenize every block of every function."""
        if self.max_ios < 0 or self.max_ops < 0:
            raise CompileError("expected max-ios and max-ops of 0 (unlimited) or more")
        threads = threads_of(op)
        for function in op.ops:
            if isinstance(function, FuncOp):
                for block in function.body.blocks:
                    unwrap_uncompilable(block)
                    _erase_unused(block)
                    _apply(block, tokens_of(block, self.max_ios, self.max_ops, threads))
