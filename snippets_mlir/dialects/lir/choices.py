"""The numbers that a call chooses for a kernel, as an attribute of the kernel or its function.

    lir.choices = [[#snippets.size<?1*4 : i64>, 524288 : i64, 128 : i64, 64 : i64, 32 : i64]]

says that `?62` is 128, 64 or 32: the first with which that many times `?1*4` bytes are at most
524288, else the last. `?61` would be the number of a second choice (`dialects/builtin/slots.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dims import Size, symbol
from snippets_mlir.dialects.builtin.size_estimates import CHOSEN, CHOSEN_AS
from snippets_mlir.dialects.builtin.sizes import i64_attr, is_size, size_attr, size_in
from snippets_mlir.dialects.builtin.slots import Choice

ON_KERNEL = "lir.choices"
"""On a `lir.kernel`."""

ON_FUNCTION = "snippets.choices"
"""On the function that a kernel becomes."""


def chosen(index: int) -> Size:
    """The symbol of a choice, by its place."""
    return symbol(CHOSEN - index)


def choices_of(op: Operation) -> tuple[Choice, ...]:
    """The choices of a kernel or its function; ValueError for an attribute of another form."""
    attr = op.attributes.get(ON_KERNEL, op.attributes.get(ON_FUNCTION))
    if attr is None:
        return ()
    entries = list(cast("ArrayAttr[Attribute]", attr)) if isinstance(attr, ArrayAttr) else []
    found = tuple(choice for entry in entries if (choice := _choice_from(entry)) is not None)
    if len(found) != len(entries) or not 0 < len(found) <= len(CHOSEN_AS):
        raise ValueError(
            f"expected up to {len(CHOSEN_AS)} arrays of a size, a limit and falling numbers, "
            f"found {attr}"
        )
    return found


def _choice_from(entry: Attribute) -> Choice | None:
    """One choice; None for an attribute of another form."""
    parts = list(cast("ArrayAttr[Attribute]", entry)) if isinstance(entry, ArrayAttr) else []
    sizes = [size_in(part) for part in parts if is_size(part)]
    size, *numbers = sizes or [0]
    known = [number for number in numbers if isinstance(number, int)]
    if len(sizes) != len(parts) or len(known) != len(parts) - 1 or len(known) < 2:
        return None
    limit, *among = known
    falling = among == sorted(set(among), reverse=True)
    return Choice(size, limit, tuple(among)) if falling and among[-1] >= 0 else None


def choices_attr(choices: Sequence[Choice]) -> Attribute:
    """The attribute of choices."""
    return ArrayAttr(
        [
            ArrayAttr([size_attr(it.size), i64_attr(it.limit), *map(i64_attr, it.among)])
            for it in choices
        ]
    )


def set_choices(kernel: Operation, choices: Sequence[Choice]) -> None:
    """Write the choices of a kernel; nothing for none."""
    if choices:
        kernel.attributes[ON_KERNEL] = choices_attr(choices)
