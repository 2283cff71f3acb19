"""The calls in which a loop of a dynamic kernel runs: `for ?0 below 6`, `for ?0 from 6`."""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import override
from xdsl.parser import AttrParser

from snippets_mlir.dialects.builtin.dims import Dim, format_size, static_size
from snippets_mlir.dialects.builtin.sizes import parse_size
from snippets_mlir.dialects.lir.clauses import parse_keyword_int


@dataclass(frozen=True)
class Calls:
    """The calls in which a loop runs: `size` is less than `bound`, or is not if not `below`."""

    size: Dim
    below: bool
    bound: int

    @override
    def __str__(self) -> str:
        return f"{format_size(self.size)} {'below' if self.below else 'from'} {self.bound}"

    @property
    def include_it(self) -> bool:
        """Whether they include the call that the kernel, whose sizes are known, is made for."""
        return (static_size(self.size) < self.bound) == self.below


def parse_calls(parser: AttrParser) -> Calls:
    """Parse the text after `for`."""
    size = parse_size(parser)
    below = parser.parse_optional_keyword("below") is not None
    bound = parser.parse_integer() if below else parse_keyword_int(parser, "from")
    return Calls(size, below, bound)
