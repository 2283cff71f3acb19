"""Let memory accesses say what they are about to do.

    %0 = lir.load %x {count = 8 : i64, ...} : tensor<64xf32>

becomes

    %0 = lir.load %x {count = 8 : i64, lir.site = "lir.load of %x at f.mlir:3:8", ...}
        : tensor<64xf32>

and its code writes the site, the address and the counters of the loops around to the record of its
thread first (`dialects/lir/sites.py`). When a signal comes of the access, the runtime prints the
record. The values stay the same; a kernel gets several times slower. Not in the pipelines:
`snippets-run --segfault-detector` and `compile(segfault_detector=True)` put it before
`convert-lir-to-vector`.

Refuses kernels without markers. Source: the guide's segfault detector.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.kernels import for_each_kernel
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of
from snippets_mlir.dialects.lir.sites import SITE
from snippets_mlir.support.diagnostics import describe_value, format_position, position_of


def _array_of(access: MemoryAccessOp) -> str:
    """What an access reads or writes, in a reader's words."""
    if (buffer := buffer_of(access)) is not None:
        output = buffer.decided("output")
        return "a buffer" if output is None else f"a buffer in output {output}"
    if not isinstance(access, StoreOp):
        return describe_value(view_source(access.operands[0]))
    takers = (use.operation for use in access.target.uses)
    results = (taker for taker in takers if isinstance(taker, ResultOp))
    return next((f"output {result.index.value.data}" for result in results), "nothing")


def _plan(kernel: KernelOp) -> dict[MemoryAccessOp, str]:
    """The site of each access of the kernel."""
    return {
        op: f"{op.name} of {_array_of(op)} at {format_position(position_of(op))}"
        for op in kernel.block.ops
        if isinstance(op, MemoryAccessOp)
    }


def _apply(sites: dict[MemoryAccessOp, str]) -> None:
    for op, site in sites.items():
        op.attributes[SITE] = StringAttr(site)


@dataclass(frozen=True)
class LirInsertSegfaultDetectorPass(ModulePass):
    """Give every memory access of every kernel a site."""

    name = "lir-insert-segfault-detector"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Name the accesses of every kernel, which has to have loop markers."""
        for_each_kernel(
            op, ("looped", "expanded", "assigned"), lambda kernel: _apply(_plan(kernel))
        )
