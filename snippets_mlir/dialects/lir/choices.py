"""The number that a call chooses for a kernel, as an attribute of the kernel or its function.

    lir.choices = [[#snippets.size<?1*4 : i64>, 524288 : i64, 128 : i64, 64 : i64, 32 : i64]]

says that `?62` is 128, 64 or 32: the first with which that many times `?1*4` bytes are at most
524288, else the last.
"""

from __future__ import annotations

from typing import cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dims import symbol
from snippets_mlir.dialects.builtin.size_estimates import CHOSEN
from snippets_mlir.dialects.builtin.sizes import i64_attr, is_size, size_attr, size_in
from snippets_mlir.dialects.builtin.slots import Choice

ON_KERNEL = "lir.choices"
"""On a `lir.kernel`."""

ON_FUNCTION = "snippets.choices"
"""On the function that a kernel becomes."""


CHOSEN_SIZE = symbol(CHOSEN)
"""The chosen number, in sizes."""


def choice_of(op: Operation) -> Choice | None:
    """The choice of a kernel or its function; ValueError for an attribute of another form."""
    attr = op.attributes.get(ON_KERNEL, op.attributes.get(ON_FUNCTION))
    if attr is None:
        return None
    entries = list(cast("ArrayAttr[Attribute]", attr)) if isinstance(attr, ArrayAttr) else []
    choice = _choice_from(entries[0]) if len(entries) == 1 else None
    if choice is None:
        raise ValueError(f"expected one array of a size, a limit and falling numbers, found {attr}")
    return choice


def _choice_from(entry: Attribute) -> Choice | None:
    """A choice; None for an attribute of another form."""
    parts = list(cast("ArrayAttr[Attribute]", entry)) if isinstance(entry, ArrayAttr) else []
    sizes = [size_in(part) for part in parts if is_size(part)]
    size, *numbers = sizes or [0]
    known = [number for number in numbers if isinstance(number, int)]
    if len(sizes) != len(parts) or len(known) != len(parts) - 1 or len(known) < 2:
        return None
    limit, *among = known
    falling = among == sorted(set(among), reverse=True)
    return Choice(size, limit, tuple(among)) if falling and among[-1] >= 0 else None


def set_choice(kernel: Operation, choice: Choice) -> None:
    """Write the choice of a kernel."""
    numbers = map(i64_attr, (choice.limit, *choice.among))
    kernel.attributes[ON_KERNEL] = ArrayAttr([ArrayAttr([size_attr(choice.size), *numbers])])
