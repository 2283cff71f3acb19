"""The `lir` dialect: the linear IR of the Snippets design guide."""

from xdsl.ir import Dialect

from snippets_mlir.dialects.lir.attributes import LoopAttr, PortAttr
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.markers import LoopBeginOp, LoopEndOp
from snippets_mlir.dialects.lir.memory import BroadcastLoadOp, LoadOp, ResultOp, StoreOp

Lir = Dialect(
    "lir",
    [
        BroadcastLoadOp,
        CallOp,
        KernelOp,
        LoadOp,
        LoopBeginOp,
        LoopEndOp,
        ResultOp,
        StoreOp,
    ],
    [LoopAttr, PortAttr],
)
