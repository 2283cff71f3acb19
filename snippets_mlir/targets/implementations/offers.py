"""The offers of the registry's rows for a node, and the choice among them.

    mine         90 ns                           a row of a plug-in, with a cost
    snippets     120 ns
    onnxruntime  refused: ... has no node of ONNX
    reference                                    it fits, and has no cost
    -> mine, which costs less than snippets; if it cost 130 ns: snippets

The first row that fits runs a node, but a row with a cost leaves the node to a later row that costs
less. Only costs for the whole run of a node are compared. The cost of a kind whose nodes run
together in a session is not compared, because the start and end of the session decide
(`driver/onnx/cuts/engine_cuts.py` weighs those). A row without a cost has only its priority.

Kernels inside the single session of a model are weighed as a whole against kernels that cut it: the
session is either cut or not (`stays_whole`).

A node of ONNX that the plan of a model's cuts leaves to onnxruntime (`snippets.skipped` says why)
belongs to that row: the plan has already considered the other rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr

from snippets_mlir.dialects.onnx.ops import NodeOp as OnnxNodeOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations.answers import cost_of, refusal_of
from snippets_mlir.targets.implementations.registry import (
    Implementation,
    computing_ops,
    implementation,
    implementations,
)

if TYPE_CHECKING:
    from snippets_mlir.analysis.engine.chains import ChainWork


@dataclass(frozen=True)
class Offer:
    """The offer of one row for a node.

    Attributes:
        row: the row.
        reason: why it cannot run the node; None if it can.
        cost: nanoseconds of one run on one thread, if it has an estimate.
    """

    row: Implementation
    reason: str | None
    cost: int | None

    @property
    def kind(self) -> str:
        """The offered kind of implementation, as in `impl` of a node."""
        return self.row.kind


def offers_of(node: NodeOp) -> tuple[Offer, ...]:
    """The offer of each row for a node, in order of priority."""
    left = _left_to_engine(node)
    found: list[Offer] = []
    for row in implementations():
        reason = refusal_of(row, node) if left is None or row.in_sessions else left
        found.append(Offer(row, reason, None if reason is not None else cost_of(row, node)))
    return tuple(found)


def _left_to_engine(node: NodeOp) -> str | None:
    """Why a plan of cuts leaves the node to onnxruntime; None if it does not."""
    reasons: list[str] = []
    for op in computing_ops(node):
        mark = op.attributes.get(SKIPPED)
        if not isinstance(op, OnnxNodeOp) or not isinstance(mark, StringAttr):
            return None
        reasons.append(mark.data)
    return reasons[0] if reasons else None


def best_of(offers: Sequence[Offer]) -> Offer | None:
    """The offer that runs a node; None if no row fits. See the module."""
    best: Offer | None = None
    for offer in offers:
        if offer.reason is not None:
            continue
        if best is None or _costs_less(offer, best):
            best = offer
    return best


def _costs_less(offer: Offer, best: Offer) -> bool:
    known = offer.cost is not None and best.cost is not None and offer.cost < best.cost
    return known and not (offer.row.in_sessions or best.row.in_sessions)


def chain_time(kind: str, work: ChainWork) -> float:
    """Nanoseconds of a chain within a session, by the row of a kind that runs such chains."""
    row = implementation(kind)
    assert row is not None
    assert row.chain is not None
    return row.chain(work)


WORTH = 25_000.0
"""Nanoseconds of a call that kernels inside have to save: two sessions of one model differ by as
much."""


def stays_whole(inside: float, cut: float) -> bool:
    """Whether a model stays one session with kernels inside, rather than cut by kernels beside it.

    Args:
        inside: nanoseconds of a call that the kernels inside save.
        cut: the savings of the kernels beside sessions, minus the cost of the cuts; 0 if none pays
            off.
    """
    return inside >= max(cut, WORTH)


def check_kept(node: NodeOp) -> None:
    """Check the implementation of a node in the text, if there is one.

    Other laws check the bodies of kernels, and passes of plug-ins may give nodes other bodies.

    Raises:
        CompileError: the implementation does not exist, runs in sessions and cannot run the node,
            or is `reference` for a node of ONNX.
    """
    kind, id_ = node.kind, node.id.data
    if kind is None:
        return
    row = implementation(kind)
    if row is None:
        kinds = [known.kind for known in implementations()]
        raise CompileError(
            f"\"{id_}\": expected impl<...> of {', '.join(kinds)}, found '{kind}'"
            f"{close_match(kind, kinds)}",
            **position_of(node),
        )
    has_engine_nodes = any(isinstance(op, OnnxNodeOp) for op in computing_ops(node))
    is_checked = row.in_sessions or (kind == "reference" and has_engine_nodes)
    if is_checked and (reason := refusal_of(row, node)) is not None:
        raise CompileError(f'"{id_}": impl<"{kind}"> refused it: {reason}', **position_of(node))
