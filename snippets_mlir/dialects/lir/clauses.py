"""The text of `#lir.loop` and `#lir.port`: facts with keywords.

    #lir.loop<0, work 64, inc 16, dim 0, parallel, jam 2>

Mandatory facts come first, in a fixed order. Optional facts follow in any order; each is a clause
with a keyword: `parallel`, `jam 2`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.parser import AttrParser

from snippets_mlir.dialects.builtin.dims import Dim
from snippets_mlir.dialects.builtin.sizes import parse_size


def parse_keyword_int(parser: AttrParser, keyword: str) -> int:
    """Parse the word `keyword`, then an integer; an error at another word."""
    parser.parse_keyword(keyword)
    return parser.parse_integer()


def parse_keyword_size(parser: AttrParser, keyword: str) -> Dim:
    """Parse the word `keyword`, then a size such as `?0*4`; an error at another word."""
    parser.parse_keyword(keyword)
    return parse_size(parser)


def parse_clauses(
    parser: AttrParser, clauses: Mapping[str, Callable[[AttrParser], dict[str, Any]]]
) -> dict[str, Any]:
    """Parse the optional facts after the mandatory ones: any number of `, keyword ...`.

    Returns the fields that the functions of the keywords give; an error at another word.
    """
    fields: dict[str, Any] = {}
    while parser.parse_optional_punctuation(","):
        for keyword, parse in clauses.items():
            if parser.parse_optional_keyword(keyword):
                fields |= parse(parser)
                break
        else:
            *first, last = (f"`{keyword}`" for keyword in clauses)
            parser.raise_error(f"expected {', '.join(first)} or {last}")
    return fields
