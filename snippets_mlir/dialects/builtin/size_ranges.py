"""The ranges that a module states for sizes that are known only at run time.

    snippets.size_ranges = [[#snippets.size<?0 : i64>, 32 : i64],
                            [#snippets.size<?1 : i64>, 0 : i64, 2049 : i64]]

says that `?0` is 32 or more, and `?1` less than 2049. Only decisions between correct alternatives
depend on the ranges: the code is correct for all sizes, and slower for sizes out of range.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, ModuleOp
from xdsl.ir import Attribute

from snippets_mlir.dialects.builtin.dims import Dim, Size
from snippets_mlir.dialects.builtin.sizes import SizeAttr, i64_attr, size_attr
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError

SIZE_RANGES = "snippets.size_ranges"


class SizeRange(NamedTuple):
    """The possible values of a size: `least` or more, and less than `below` if that is not None."""

    least: int = 0
    below: int | None = None


def range_of(size: Dim, ranges: Mapping[Dim, SizeRange]) -> SizeRange:
    """The known range of a size; a number is in the range that contains only this number."""
    if isinstance(size, int):
        return SizeRange(size, size + 1)
    return ranges.get(size, SizeRange())


def set_size_ranges(module: ModuleOp, ranges: Mapping[Size, SizeRange]) -> None:
    """Write the ranges on a module; nothing for none."""
    if ranges:
        written = [
            ArrayAttr([size_attr(size), *(i64_attr(n) for n in limits if n is not None)])
            for size, limits in ranges.items()
        ]
        module.attributes[SIZE_RANGES] = ArrayAttr(written)


def size_ranges_of(module: ModuleOp) -> Mapping[Dim, SizeRange]:
    """The ranges that a module has; CompileError if the attribute is malformed."""
    attr = module.attributes.get(SIZE_RANGES)
    if attr is None:
        return {}
    if isinstance(attr, ArrayAttr):
        found = [_range_from(entry) for entry in cast("ArrayAttr[Attribute]", attr)]
        if None not in found:
            return dict(entry for entry in found if entry is not None)
    raise CompileError(
        f"{SIZE_RANGES}: expected arrays of a size, the least number and the one it is less than, "
        f"as [[#snippets.size<?0 : i64>, 0 : i64, 32 : i64]], found {attr}",
        **position_of(module),
    )


def _range_from(entry: Attribute) -> tuple[Dim, SizeRange] | None:
    """A size and its range; None for an attribute of another form."""
    parts = list(cast("ArrayAttr[Attribute]", entry)) if isinstance(entry, ArrayAttr) else []
    limits = [part.value.data for part in parts[1:] if isinstance(part, IntegerAttr)]
    if len(parts) not in (2, 3) or len(limits) != len(parts) - 1:
        return None
    return (parts[0].size, SizeRange(*limits)) if isinstance(parts[0], SizeAttr) else None
