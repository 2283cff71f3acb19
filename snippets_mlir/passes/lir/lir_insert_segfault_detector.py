"""Record each memory access before it runs, to report the one that raises a signal.

    %0 = lir.load %x {count = 8 : i64, ...} : tensor<64xf32>

becomes

    %0 = lir.load %x {count = 8 : i64, lir.site = "lir.load of %x at f.mlir:3:8", ...}
        : tensor<64xf32>

and its code first writes the site, the address and the counters of the outer loops to the record of
its thread (`dialects/lir/sites.py`). If the access raises a signal, the runtime prints the record.
The values stay the same; a kernel gets several times slower. Not in the pipelines: `snippets-run
--segfault-detector` and `compile(segfault_detector=True)` put it before `convert-lir-to-vector`.

Refuses kernels without markers. Source: the guide's segfault detector.
"""

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import StringAttr
from xdsl.pattern_rewriter import PatternRewriter

from snippets_mlir.dialects.lir.access import view_source
from snippets_mlir.dialects.lir.memory import MemoryAccessOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.pointers import buffer_of
from snippets_mlir.dialects.lir.sites import SITE
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPatternPass
from snippets_mlir.passes.patterns import Pattern
from snippets_mlir.support.diagnostics import describe_value, format_position, position_of


def _array_of(access: MemoryAccessOp) -> str:
    """A readable description of the memory of an access."""
    if (buffer := buffer_of(access)) is not None:
        output = buffer.decided("output")
        return "a buffer" if output is None else f"a buffer in output {output}"
    if not isinstance(access, StoreOp):
        return describe_value(view_source(access.operands[0]))
    takers = (use.operation for use in access.target.uses)
    results = (taker for taker in takers if isinstance(taker, ResultOp))
    return next((f"output {result.index.value.data}" for result in results), "nothing")


class NamedSite(Pattern[MemoryAccessOp, str]):
    """An access names its array and its position in the source."""

    name = "named-site"
    ops = (MemoryAccessOp,)

    def match(self, op: MemoryAccessOp) -> str:
        """The report on the access: the op, its array, and its position in the source."""
        return f"{op.name} of {_array_of(op)} at {format_position(position_of(op))}"

    @override
    def rewrite(self, op: MemoryAccessOp, match: str, rewriter: PatternRewriter) -> None:
        op.attributes[SITE] = StringAttr(match)


@dataclass(frozen=True)
class LirInsertSegfaultDetectorPass(KernelPatternPass):
    """Give every memory access of every kernel a site."""

    name = "lir-insert-segfault-detector"
    STAGES: ClassVar[Stages] = Stages(("looped", "expanded", "assigned"))
    SIDE_EFFECTS: ClassVar[bool] = True
    PATTERNS = (NamedSite,)
