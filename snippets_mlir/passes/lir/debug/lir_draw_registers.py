"""Draw which register holds which value over time.

    snippets-opt model.mlir -p 'snippets-to-lir,...,lir-assign-registers,
                                lir-draw-registers{path=registers.svg}'

The picture has a row for each op and a column for each register. A box is a value, from its
defining op to its last reader. Pointers have the registers `gpr0`, `gpr1`, ...; a spilled value is
in the register of its definition. If there are several kernels, `path` gets the kernel's name. The
module does not change. Refuses kernels whose ports have no registers, and files that cannot be
written. Source: the guide's DebugPrint of live ranges, as a picture.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.debug.files import write_svg
from snippets_mlir.passes.lir.debug.kernel_view import view_of
from snippets_mlir.passes.lir.debug.live_range_picture import held_values, live_range_svg
from snippets_mlir.passes.lir.kernel_passes import KernelReportPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class LirDrawRegistersPass(KernelReportPass):
    """Write a picture of the registers of every kernel."""

    name = "lir-draw-registers"
    STAGES: ClassVar[Stages] = Stages(("looped", "assigned", "expanded"))

    path: str

    @override
    def report(self, kernel: KernelOp) -> None:
        view = view_of(kernel)
        if not held_values(view):
            raise CompileError(
                f"@{view.name} has no registers; run lir-init-live-ranges and "
                "lir-assign-registers before",
                **position_of(kernel),
            )
        write_svg(kernel, self.path, live_range_svg(view))
