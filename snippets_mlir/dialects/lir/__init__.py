"""The `lir` dialect: the linear IR of the Snippets design guide."""

from xdsl.ir import Dialect

from snippets_mlir.dialects.builtin.sizes import SizesAttr
from snippets_mlir.dialects.lir.brgemm import BrgemmCopyBOp, BrgemmOp
from snippets_mlir.dialects.lir.buffer import BufferOp
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.gather import GatherOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopAttr
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp
from snippets_mlir.dialects.lir.panels import PanelsOp
from snippets_mlir.dialects.lir.part import PartOp
from snippets_mlir.dialects.lir.perf_count import PerfCountBeginOp, PerfCountEndOp
from snippets_mlir.dialects.lir.ports import PortAttr
from snippets_mlir.dialects.lir.reduction import AccumulateOp, FillOp, HorizonOp
from snippets_mlir.dialects.lir.scan import LastLaneOp, PrefixOp, ScanOp
from snippets_mlir.dialects.lir.spills import (
    MoveOp,
    RegSpillBeginOp,
    RegSpillEndOp,
    ReloadOp,
    SpillOp,
)

Lir = Dialect(
    "lir",
    [
        AccumulateOp,
        BrgemmCopyBOp,
        BrgemmOp,
        BroadcastLoadOp,
        BufferOp,
        CallOp,
        FillOp,
        GatherOp,
        HorizonOp,
        KernelOp,
        LastLaneOp,
        LoadOp,
        LoopBeginOp,
        LoopEndOp,
        MoveOp,
        PanelsOp,
        PartOp,
        PerfCountBeginOp,
        PerfCountEndOp,
        PrefixOp,
        RegSpillBeginOp,
        RegSpillEndOp,
        ReloadOp,
        ResultOp,
        ScanOp,
        SpillOp,
        StoreOp,
    ],
    [LoopAttr, PortAttr, SizesAttr],
)
