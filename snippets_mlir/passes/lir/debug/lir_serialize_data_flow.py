"""Write the data flow of every kernel as OpenVINO IR, which Netron opens, or as a picture.

    snippets-opt model.mlir -p 'snippets-to-lir,lir-serialize-data-flow{path=values.xml}'

The graph has a `Parameter` for each input, a layer for each op, a `Result` for each output, and an
edge for each operand. Loop markers are left out: the edge of a carried value comes from its start,
and that of a final value from the op that computes it. Options, files and refusals are as in
`lir-serialize-control-flow`. Source: the guide's SerializeDataFlow.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.debug.files import DATA_FLOW, serialize
from snippets_mlir.passes.lir.kernel_passes import EVERY_STAGE, KernelReportPass


@dataclass(frozen=True)
class LirSerializeDataFlowPass(KernelReportPass):
    """Write every kernel's values to files."""

    name = "lir-serialize-data-flow"
    STAGES: ClassVar[Stages] = EVERY_STAGE

    path: str
    format: str = "xml"

    @override
    def report(self, kernel: KernelOp) -> None:
        serialize(kernel, DATA_FLOW, self.path, self.format)
