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

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from snippets_mlir.passes.graph.tokenize.unwrapping import unwrap_uncompilable


@dataclass(frozen=True)
class SnippetsUnwrapUncompilablePass(ModulePass):
    """Take subgraphs apart that no kernel can compute."""

    name = "snippets-unwrap-uncompilable"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Look at every subgraph of every function."""
        for function in op.ops:
            if isinstance(function, FuncOp):
                for block in function.body.blocks:
                    unwrap_uncompilable(block)
