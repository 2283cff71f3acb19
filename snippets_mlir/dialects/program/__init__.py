"""The `program` dialect: a whole model as nodes, with the body and implementation of each."""

from xdsl.ir import Dialect

from snippets_mlir.dialects.program.attributes import ImplAttr, MemAttr
from snippets_mlir.dialects.program.data import DataOp, ViewOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.dialects.program.schedule import (
    EventType,
    LaunchOp,
    RecordOp,
    ScheduleOp,
    WaitOp,
)

Program = Dialect(
    "program",
    [
        DataOp,
        GraphOp,
        LaunchOp,
        NodeOp,
        OutputOp,
        RecordOp,
        ScheduleOp,
        ViewOp,
        WaitOp,
        YieldOp,
    ],
    [EventType, ImplAttr, MemAttr],
)
