"""Checked answers of the registry's rows: a row of a plug-in may return anything.

The errors name the plug-in, the row and the function: `plugin 'PATH': cost of Implementation
'mine': expected nanoseconds, 0 or more, or None, found 'x'`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, ParamSpec, cast

from xdsl.ir import Operation

from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import from_plugin

if TYPE_CHECKING:
    from snippets_mlir.dialects.program.node import NodeOp
    from snippets_mlir.targets.implementations.registry import Implementation

P = ParamSpec("P")


def refusal_of(row: Implementation, node: NodeOp) -> str | None:
    """Why the row cannot run the node; None if it can.

    Raises:
        CompileError: the row returns neither a reason nor None.
    """
    found: Any = _called(row, "validate", "a function of a node", row.validate, node)
    if found is None or isinstance(found, str):
        return found
    raise _wrong(row, "validate", "a reason or None", found)


def cost_of(row: Implementation, node: NodeOp) -> int | None:
    """Nanoseconds of one run of the node; CompileError if the row returns anything else."""
    found: Any = _called(row, "cost", "a function of a node", row.cost, node)
    return _amount(row, "cost", "nanoseconds", found)


def scratch_of(row: Implementation, node: NodeOp) -> int | None:
    """Bytes of scratchpad of each thread; CompileError if the row returns anything else."""
    found: Any = _called(row, "scratch", "a function of a node", row.scratch, node)
    return _amount(row, "scratch", "bytes", found)


def claims_of(
    row: Implementation, ops: Sequence[Operation], *, weighed: bool
) -> Mapping[Operation, str]:
    """The ops that the row claims, with the reasons; CompileError if it returns anything else."""
    if row.claims is None:
        return {}
    form = "a function (ops, *, weighed)"
    found: Any = _called(row, "claims", form, row.claims, ops, weighed=weighed)
    if not isinstance(found, Mapping):
        raise _wrong(row, "claims", "a dictionary of ops and reasons", found)
    for op, reason in cast("Mapping[Any, Any]", found).items():
        if not isinstance(op, Operation) or not isinstance(reason, str):
            raise _wrong(row, "claims", "a dictionary of ops and reasons", {op: reason})
    return cast("Mapping[Operation, str]", found)


def _amount(row: Implementation, question: str, unit: str, found: Any) -> int | None:
    if found is None:
        return None
    if isinstance(found, Real) and 0 <= (number := float(cast("Any", found))) < inf:
        return int(number)
    raise _wrong(row, question, f"{unit}, 0 or more, or None", found)


def _called(
    row: Implementation,
    question: str,
    form: str,
    function: Callable[P, Any],
    *args: P.args,
    **kwargs: P.kwargs,
) -> Any:
    """The function's answer; CompileError if it does not take these arguments."""
    try:
        return function(*args, **kwargs)
    except TypeError as error:
        trace = error.__traceback__
        if trace is not None and trace.tb_next is not None:  # raised by the function itself
            raise
        raise CompileError(f"{_name(row, question)}: expected {form}: {error}") from error


def _wrong(row: Implementation, question: str, expected: str, found: object) -> CompileError:
    return CompileError(f"{_name(row, question)}: expected {expected}, found {found!r:.80}")


def _name(row: Implementation, question: str) -> str:
    return from_plugin(f"implementation '{row.kind}'", f"{question} of Implementation '{row.kind}'")
