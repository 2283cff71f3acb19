"""The implementations for nodes: an ordered list of rows; the first that fits runs the node.

    Implementation("snippets", validate=...)      a kernel of ours: for every op
    Implementation("onnxruntime", validate=...)   ONNX nodes, and ops that ONNX has
    Implementation("reference", validate=...)     NumPy, by the dialect's own definition
    Implementation("inside", validate=...)        a kernel that onnxruntime calls inside a session

A plugin adds a row for its own kind with `register`. A row says why it does not fit: the text is in
`--explain` and in the error of a forced choice. `offers.py` chooses among rows. Before there are
nodes, a row may claim ops that it computes as a part of its other nodes: they stay out of kernels.
The plan of an ONNX model (`driver/onnx/cuts/engine_cuts.py`) asks the same rows, with `estimate`
for the effect of a cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from xdsl.ir import Operation

from snippets_mlir.analysis.graph.eligibility import why_not
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.attributes import read_kinds_from
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.engine_forms import fits_engine
from snippets_mlir.support.outside import PARTS
from snippets_mlir.targets.implementations.answers import claims_of

if TYPE_CHECKING:
    from snippets_mlir.analysis.cost import Model
    from snippets_mlir.analysis.engine.chains import ChainWork


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
            for a kind that the cost model does not know. `cost` is the cost of a single node.
        chain: nanoseconds of a chain of nodes within a session; None for a kind that runs no
            chains.
        in_sessions: whether neighbours of its kind run together in a session, so that the cost of a
            node does not include the session's start and end.
        claims: the ops of a block that it computes as a part of its other nodes, with the reasons;
            `weighed` says whether a plan weighs the cost of a session's cut.
    """

    kind: str
    validate: Callable[[NodeOp], str | None]
    cost: Callable[[NodeOp], int | None] = lambda node: None
    scratch: Callable[[NodeOp], int | None] = lambda node: None
    estimate: GroupTime | None = None
    chain: Callable[[ChainWork], float] | None = None
    in_sessions: bool = False
    claims: Claims | None = None


class GroupTime(Protocol):
    """See `Implementation.estimate`; `after_session`: whether a session ran just before."""

    def __call__(
        self, model: Model, ops: Sequence[Operation], /, *, after_session: bool = True
    ) -> float:
        """Nanoseconds of one run."""
        ...


class Claims(Protocol):
    """See `Implementation.claims`."""

    def __call__(self, ops: Sequence[Operation], /, *, weighed: bool) -> Mapping[Operation, str]:
        """The ops that the row claims, with the reasons."""
        ...


def claimed(ops: Sequence[Operation], *, weighed: bool = False) -> dict[Operation, str]:
    """The ops of a block that rows claim, with the reasons; the first row that claims one has it.

    Args:
        ops: all ops of the block, in their order.
        weighed: whether a plan weighs the cuts of sessions for the others.
    """
    found: dict[Operation, str] = {}
    for row in reversed(_rows):
        if row.claims is not None:
            found |= claims_of(row, ops, weighed=weighed)
    return found


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


def _kernel(model: Model, ops: Sequence[Operation], /, *, after_session: bool = True) -> float:
    return model.kernel(ops, after_session=after_session)


def _engine(model: Model, ops: Sequence[Operation], /, *, after_session: bool = True) -> float:
    return model.engine(ops)


def _by_itself(estimate: GroupTime, node: NodeOp) -> int | None:
    from snippets_mlir.targets.implementations.costs import node_time

    return node_time(node, [*computing_ops(node)], partial(estimate, after_session=False))


def _engine_claims(ops: Sequence[Operation], /, *, weighed: bool) -> Mapping[Operation, str]:
    from snippets_mlir.targets.implementations.onnxruntime_claims import claims_of_engine

    return claims_of_engine(ops, weighed=weighed)


_rows: list[Implementation] = [
    Implementation(
        "snippets",
        _snippets,
        cost=partial(_by_itself, _kernel),
        estimate=_kernel,
    ),
    Implementation(
        "onnxruntime",
        _onnxruntime,
        cost=partial(_by_itself, _engine),
        estimate=_engine,
        chain=lambda work: work.engine,
        in_sessions=True,
        claims=_engine_claims,
    ),
    Implementation("reference", _reference),
    Implementation("inside", _inside, in_sessions=True, chain=lambda work: work.inside),
]

KINDS = tuple(row.kind for row in _rows)
"""The kinds that no plug-in adds, in order of priority."""


read_kinds_from(lambda: (row.kind for row in _rows))


def implementations() -> tuple[Implementation, ...]:
    """All rows, in order of priority."""
    return tuple(_rows)


def has_rows_of_plugins() -> bool:
    """Whether there are rows besides the rows of `KINDS`."""
    return len(_rows) > len(KINDS)


def implementation(kind: str) -> Implementation | None:
    """The row of a kind, if there is one."""
    return next((row for row in _rows if row.kind == kind), None)


def register(row: Implementation, before: str = "snippets") -> None:
    """Add a row, with a higher priority than that of kind `before`.

    Raises:
        ValueError: its kind already exists, or `before` does not.
    """
    kinds = [known.kind for known in _rows]
    if row.kind in kinds:
        raise ValueError(f"there is an implementation '{row.kind}' already")
    if before not in kinds:
        raise ValueError(f"expected one of {', '.join(kinds)}, found '{before}'")
    _rows.insert(kinds.index(before), row)
    PARTS.setdefault(f"implementation '{row.kind}'", None)
