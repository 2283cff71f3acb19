"""Write the control flow of every kernel as OpenVINO IR, which Netron opens, or as a picture.

    snippets-opt model.mlir -p 'snippets-to-lir,lir-mark-loops,
                                lir-serialize-control-flow{path=kernel.xml format=all}'

The graph has a layer for each op, loop markers included, in the order of execution; loops, ports
and all other attributes of an op are attributes of its layer. `format=svg` and `format=html` draw
the ops with loops as boxes around them, and beside them the scratchpad with the lifetimes of the
buffers; `html` adds the text of `lir-debug-print`. `format=all` writes the three side by side.
`path` gets the suffix of the format, and the kernel's name if there are several. The module does
not change. Works at every stage of kernels; refuses unknown formats and files that cannot be
written. Source: the guide's SerializeControlFlow.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.debug.files import CONTROL_FLOW, serialize
from snippets_mlir.passes.lir.kernel_passes import EVERY_STAGE, KernelReportPass


@dataclass(frozen=True)
class LirSerializeControlFlowPass(KernelReportPass):
    """Write every kernel's ops in order to files."""

    name = "lir-serialize-control-flow"
    STAGES: ClassVar[Stages] = EVERY_STAGE

    path: str
    format: str = "xml"

    @override
    def report(self, kernel: KernelOp) -> None:
        serialize(kernel, CONTROL_FLOW, self.path, self.format)
