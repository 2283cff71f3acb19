"""What may run a node of a program: an ordered list of rows, the first that fits runs it.

    Implementation("snippets", validate=...)      a kernel of ours: every op can be in one
    Implementation("onnxruntime", validate=...)   ONNX nodes, and ops that ONNX has
    Implementation("reference", validate=...)     NumPy, by the dialect's own definition
    Implementation("inside", validate=...)        a kernel that onnxruntime calls inside a session

A plugin adds a row for its own kind with `register`. A row says why it does not fit: the text is in
`--explain` and in the error of a forced choice. `offers.py` chooses among rows. The plan of an ONNX
model (`driver/onnx/engine_cuts.py`) asks the same rows, with `estimate` for what a cut changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from xdsl.ir import Operation

from snippets_mlir.analysis.eligibility import why_not
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.engine_forms import fits_engine
from snippets_mlir.support.outside import PARTS

if TYPE_CHECKING:
    from snippets_mlir.analysis.cost import Model


def computing_ops(node: NodeOp) -> Iterator[Operation]:
    """The ops of a node's body that compute: no constants, no terminator."""
    last = node.block.last_op
    return (
        op for op in node.block.ops if op is not last and not isinstance(op, ConstantOp | ScalarOp)
    )


@dataclass(frozen=True)
class Implementation:
    """A kind of implementation.

    Attributes:
        kind: its name in `impl<...>`.
        validate: why it cannot run a node; None if it can.
        cost: nanoseconds of one run on one thread, if it has an estimate (`costs.py`).
        scratch: bytes of scratchpad that each thread needs.
        estimate: nanoseconds of a group of ops in a graph, by the cost model of that graph; None
            for a kind that the cost model does not know. `cost` is that of a node by itself.
        in_sessions: whether neighbours of its kind run together in a session, so that the cost of
            a node says nothing of the session's start and end.
    """

    kind: str
    validate: Callable[[NodeOp], str | None]
    cost: Callable[[NodeOp], int | None] = lambda node: None
    scratch: Callable[[NodeOp], int | None] = lambda node: None
    estimate: Callable[[Model, Sequence[Operation]], float] | None = None
    in_sessions: bool = False


def _snippets(node: NodeOp) -> str | None:
    ops = list(computing_ops(node))
    if not ops:
        return "it computes nothing"
    for op in ops:
        if not isinstance(op, CallOp) and (reason := why_not(op)) is not None:
            return reason
    return None


def _onnxruntime(node: NodeOp) -> str | None:
    for op in computing_ops(node):
        if not isinstance(op, OnnxNodeOp) and not fits_engine(op):
            return f"{op.name} on these types has no node of ONNX"
    return None


def _reference(node: NodeOp) -> str | None:
    for op in computing_ops(node):
        if not isinstance(op, ComputeOp):
            return f"{op.name} has no definition in NumPy"
    return None


def _inside(node: NodeOp) -> str | None:
    return "chains of elementwise nodes in the session of an ONNX model have kernels inside it"


def _kernel_in(model: Model, ops: Sequence[Operation]) -> float:
    return model.kernel(ops)


def _kernel_alone(model: Model, ops: Sequence[Operation]) -> float:
    return model.kernel(ops, after_session=False)


def _engine_in(model: Model, ops: Sequence[Operation]) -> float:
    return model.engine(ops)


def _by_itself(estimate: Callable[[Model, Sequence[Operation]], float], node: NodeOp) -> int | None:
    from snippets_mlir.targets.implementations.costs import node_time

    return node_time(node, [*computing_ops(node)], estimate)


_rows: list[Implementation] = [
    Implementation(
        "snippets",
        _snippets,
        cost=partial(_by_itself, _kernel_alone),
        estimate=_kernel_in,
    ),
    Implementation(
        "onnxruntime",
        _onnxruntime,
        cost=partial(_by_itself, _engine_in),
        estimate=_engine_in,
        in_sessions=True,
    ),
    Implementation("reference", _reference),
    Implementation("inside", _inside, in_sessions=True),
]

KINDS = tuple(row.kind for row in _rows)
"""The kinds that no plug-in adds, in order of priority."""


def implementations() -> tuple[Implementation, ...]:
    """All rows, in order of priority."""
    return tuple(_rows)


def has_rows_of_plugins() -> bool:
    """Whether there are rows beside those of `KINDS`."""
    return len(_rows) > len(KINDS)


def implementation(kind: str) -> Implementation | None:
    """The row of a kind, if there is one."""
    return next((row for row in _rows if row.kind == kind), None)


def register(row: Implementation, before: str = "snippets") -> None:
    """Add a row, with a higher priority than that of kind `before`.

    Raises:
        ValueError: its kind is there already, or `before` is not.
    """
    kinds = [known.kind for known in _rows]
    if row.kind in kinds:
        raise ValueError(f"there is an implementation '{row.kind}' already")
    if before not in kinds:
        raise ValueError(f"expected one of {', '.join(kinds)}, found '{before}'")
    _rows.insert(kinds.index(before), row)
    PARTS.setdefault(f"implementation '{row.kind}'", None)
