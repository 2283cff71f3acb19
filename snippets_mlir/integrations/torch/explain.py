"""The fate of each op of a function: `snippets_mlir.torch.explain(f, *inputs)`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snippets_mlir.integrations.torch.load import load_torch

if TYPE_CHECKING:
    from snippets_mlir.integrations.torch.parts import Parts


@dataclass(frozen=True)
class Row:
    """One op of a graph.

    Attributes:
        op: the ATen op, as in `aten.add.Tensor`.
        kernel: the program that computes it, counted from 0 in its graph; None if torch runs it.
        reason: why torch runs it; empty for an op of a kernel.
        file: the user's file, None if unknown.
        line: the line in it.
    """

    op: str
    kernel: int | None
    reason: str
    file: str | None
    line: int | None

    def __str__(self) -> str:
        """`op: program 0`, or `op: torch: reason`, preceded by the place."""
        where = "" if self.file is None else f"{self.file}:{self.line}: "
        what = f"torch: {self.reason}" if self.kernel is None else f"program {self.kernel}"
        return f"{where}{self.op}: {what}"


class Explanation(tuple[Row, ...]):
    """The ops of all graphs of a function, in order; its text has one line for each."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))


_PLACE = re.compile(r'File "(.*)", line (\d+)')


def place_of(node: Any) -> tuple[str | None, int | None]:
    """File and line of the user's code for a node, if known."""
    places: list[tuple[str, str]] = _PLACE.findall(node.meta.get("stack_trace") or "")
    library = str(Path(load_torch().__file__).parent)
    places = [place for place in places if not place[0].startswith(library)] or places
    return (places[-1][0], int(places[-1][1])) if places else (None, None)


def rows_of(gm: Any, parts: Parts) -> list[Row]:
    """The ops of a graph and their fate."""
    program = {node: index for index, part in enumerate(parts.parts) for node in part}
    return [
        Row(str(node.target), program.get(node), parts.reasons.get(node, ""), *place_of(node))
        for node in gm.graph.nodes
        if hasattr(node.target, "_schema")
    ]


def explain(f: Callable[..., Any], *inputs: Any, **options: Any) -> Explanation:
    """Compile `f` for `inputs` and call it once; returns the fate of each op.

    Args:
        f: a function of tensors, or a module.
        inputs: its inputs.
        options: the options of the backend.

    Raises:
        CompileError: as the backend.
    """
    from snippets_mlir.integrations.torch.backend import backend

    torch = load_torch()
    rows: list[Row] = []
    torch.compile(f, backend=partial(backend, options=options, report=rows.extend))(*inputs)
    return Explanation(rows)
