"""Write the control flow of every kernel as OpenVINO IR, which Netron opens, or as a picture.

    snippets-opt model.mlir -p 'snippets-to-lir,lir-mark-loops,
                                lir-serialize-control-flow{path=kernel.xml format=all}'

The graph has a layer for each op, loop markers included, in the order of execution; loops, ports
and all other attributes of an op are attributes of its layer. `format=svg` and `format=html` draw
the ops with loops as boxes around them, and beside them the scratchpad with the lifetimes of the
buffers; `html` adds the text of `lir-debug-print`. `format=all` writes the three side by side.
`path` gets the suffix of the format, and the name of the kernel when there are several. The module
stays as it is. Works at every stage of kernels; refuses unknown formats and files that cannot be
written. Source: the guide's SerializeControlFlow.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.passes.lir.debug.files import CONTROL_FLOW, serialize


@dataclass(frozen=True)
class LirSerializeControlFlowPass(ModulePass):
    """Write every kernel's ops in order to files."""

    name = "lir-serialize-control-flow"

    path: str
    format: str = "xml"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Write the files."""
        serialize(kernels_of(op), CONTROL_FLOW, self.path, self.format)
