"""Take apart the subgraphs that no kernel can compute, so that what is in them still runs.

    %1 = snippets.subgraph (%a = %x, ..)    %0 = onnx.node "Conv"(%x, ..) {snippets.reason =
             {sym_name = "fused_conv_relu"} {        "group @fused_conv_relu: as a whole in .."}
      %0 = onnx.node "Conv"(%a, ..) becomes %1 = snippets.relu %0 {snippets.skipped =
      %1 = snippets.relu %0                          "group @fused_conv_relu: as a whole in .."}
      snippets.yield %1
    }

A subgraph stays when every op in it has a kernel (`analysis/eligibility.py`), or is a reshape,
squeeze or unsqueeze beside such ops: `snippets-eliminate-reshapes` makes views of inputs and
outputs of them, and `snippets-unfuse-unlowerable` is there for what it refuses. Otherwise its ops
go back to where it was:

* as a whole, when onnxruntime knows every op: the computing ops are marked `snippets.skipped`, so
  that they run in one session with the ONNX nodes;
* op by op, otherwise: the ONNX nodes run in onnxruntime, and the ops that have kernels are left for
  `snippets-tokenize`.

The ops that are in no kernel say so in `snippets.reason`, with the name of their group. Outside of
subgraphs fields of tuples that are known become values, and `snippets.stop_fusion` disappears.
"""

from dataclasses import dataclass

from xdsl.ir import Block

from snippets_mlir.passes.graph.graph_passes import GraphPlanPass
from snippets_mlir.passes.graph.tokenize.unwrapping import Unwrappings, plan_unwrapping, unwrap


@dataclass(frozen=True)
class SnippetsUnwrapUncompilablePass(GraphPlanPass[Unwrappings]):
    """Take subgraphs apart that no kernel can compute."""

    name = "snippets-unwrap-uncompilable"

    def plan(self, unit: Block) -> Unwrappings:
        """The subgraphs, and why."""
        return plan_unwrapping(unit)

    def carry_out(self, unit: Block, plan: Unwrappings) -> None:
        """Take them apart."""
        unwrap(unit, plan)
