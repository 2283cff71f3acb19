"""Positions of errors, and their text.

Every op that our parser creates carries its location in the text. `position_of` returns it,
`verify_module` runs the verifiers and points at the invalid op, `render` prints an error in the
form that editors and `expected-error` comments understand:

    model.mlir:3:8: error: 'snippets.add' op C4: shapes 4x8 and 4x9 do not broadcast
      %2 = snippets.add %0, %1 : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<4x8xf32>
           ^
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict

from xdsl.dialects.builtin import (
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    ModuleOp,
    NameLoc,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.support.errors import CompileError, depth_of, one_line, with_rule
from snippets_mlir.support.verifying import WrongInside, verify


class Position(TypedDict):
    """A place in a text, in the form of `CompileError`'s keyword arguments; None: unknown."""

    file: str | None
    line: int | None
    column: int | None


NOWHERE = Position(file=None, line=None, column=None)


def position_of_location(location: Attribute) -> Position:
    """The first file position inside a location attribute."""
    match location:
        case FileLineColLoc():
            return Position(
                file=location.filename.data,
                line=location.line.data,
                column=location.column.data,
            )
        case NameLoc():
            return position_of_location(location.location)
        case CallSiteLoc():
            return position_of_location(location.callee)
        case FusedLoc():
            for part in getattr(location.locations, "data", ()):
                if (position := position_of_location(part))["file"] is not None:
                    return position
            return NOWHERE
        case _:
            return NOWHERE


def position_of(op: Operation) -> Position:
    """The position of an op: its own location, else the location of the nearest enclosing op."""
    around: Operation | None = op
    while around is not None:
        position = position_of_location(around.location)
        if position["file"] is not None:
            return position
        around = around.parent_op()
    return NOWHERE


def format_position(position: Position) -> str:
    """`file:line:col` as far as known, else `an unknown place`."""
    parts = (position["file"], position["line"], position["column"])
    return ":".join(str(part) for part in parts if part is not None) or "an unknown place"


def describe_value(value: SSAValue) -> str:
    """A value for readers: its name in the text, else its defining op."""
    if value.name_hint:
        return f"%{value.name_hint}"
    if isinstance(value.owner, Operation):
        return f"the result of '{value.owner.name}'"
    return "a block argument"


# Exceptions of verifiers. xDSL's verifiers raise several kinds for attributes of the wrong class,
# which text in generic form may have.
_WRONG_IR = (VerifyException, AttributeError, TypeError, ValueError, LookupError, AssertionError)


def verify_error(op: Operation, error: Exception) -> CompileError:
    """The error of one op's verifier, with the op's name and position."""
    message = one_line(str(error))
    if isinstance(error, WrongInside):
        op = error.op
    if not isinstance(error, VerifyException):
        message = f"'{op.name}' op is malformed: {message or type(error).__name__}"
    elif op.name not in message:
        message = f"'{op.name}' op {message}"
    return CompileError(message, **position_of(op))


def verify_module(module: ModuleOp) -> None:
    """Run all verifiers.

    Raises:
        CompileError: an op is wrong; the error has the position of the innermost such op.
    """
    try:
        with depth_of("the program"):
            verify(module)
    except CompileError:
        raise
    except Exception as error:
        if not _is_of_wrong_ir(error):
            raise
        raise _locate(module, error) from error


def _is_of_wrong_ir(error: Exception) -> bool:
    """Whether a verifier rejects the IR; some of xDSL's raise a plain `Exception`."""
    return isinstance(error, _WRONG_IR) or type(error) is Exception


def _locate(module: ModuleOp, error: Exception) -> CompileError:
    """Find again the op whose verifier raised; ops inside are verified before their parent."""
    for op in _innermost_first(module):
        try:
            op.verify(verify_nested_ops=False)
            for region in op.regions:
                for block in region.blocks:
                    if block.first_op is None:
                        block.verify()
        except Exception as found:
            if not _is_of_wrong_ir(found):
                raise
            return verify_error(op, found)
    if isinstance(error, WrongInside):
        return verify_error(error.op, error)
    return CompileError(one_line(str(error)), **position_of(module))


def _innermost_first(op: Operation) -> list[Operation]:
    ops: list[Operation] = []
    for region in op.regions:
        for block in region.blocks:
            for inner in block.ops:
                ops.extend(_innermost_first(inner))
    ops.append(op)
    return ops


def close_match(name: str, candidates: Sequence[str]) -> str:
    """` (did you mean 'x'?)` for the candidate nearest to `name`, or nothing."""
    from difflib import get_close_matches

    found = get_close_matches(name, candidates, n=1, cutoff=0.6)
    return f"; did you mean '{found[0]}'?" if found else ""


def render(
    error: CompileError,
    sources: Mapping[str, str] | None = None,
    *,
    severity: str = "error",
    default_file: str | None = None,
) -> str:
    """An error as the tools print it: position, severity, message, source line and caret.

    Args:
        error: the error.
        sources: texts by file name; without the text no source line is shown.
        severity: `error`, `warning`, `remark` or `note`.
        default_file: the name to print if the error has none.
    """
    file = error.file or default_file
    where = ":".join(str(p) for p in (file, error.line, error.column) if p is not None)
    message = with_rule(error.message)
    head = f"{where}: {severity}: {message}" if where else f"{severity}: {message}"
    text = (sources or {}).get(error.file or "")
    if text is None or error.line is None:
        return head
    lines = text.split("\n")
    if not 0 < error.line <= len(lines):
        return head
    line = lines[error.line - 1].rstrip("\r")
    column = min(error.column or 1, len(line) + 1)
    caret = "".join("\t" if c == "\t" else " " for c in line[: column - 1]) + "^"
    return f"{head}\n{line}\n{caret}"
