"""Write the data flow of every kernel as OpenVINO IR, which Netron opens, or as a picture.

    snippets-opt model.mlir -p 'snippets-to-lir,lir-serialize-data-flow{path=values.xml}'

The graph has a `Parameter` for each input, a layer for each op and a `Result` for each output, and
an edge for each operand; loop markers are left out: what a loop carries is read from where it
starts, its final value from where it is computed. Options, files and refusals are those of
`lir-serialize-control-flow`. Source: the guide's SerializeDataFlow.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.passes.lir.debug.files import DATA_FLOW, serialize


@dataclass(frozen=True)
class LirSerializeDataFlowPass(ModulePass):
    """Write every kernel's values to files."""

    name = "lir-serialize-data-flow"

    path: str
    format: str = "xml"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Write the files."""
        serialize(kernels_of(op), DATA_FLOW, self.path, self.format)
