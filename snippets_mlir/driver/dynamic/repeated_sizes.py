"""Sizes of broadcasts that their operands do not have.

    %n = snippets.broadcast %one : (tensor<f32>) -> tensor<?xf32>
    %y = snippets.add %n, %x : tensor<?xf32>

The `?` of `%n` is the size of `%x`, which `%n` meets. At first it is a symbol that no input has;
`specialize.py` copies the program again when an op determines it. If all sizes that it meets are
1, it is 1.
"""

from __future__ import annotations

from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.dims import MAX_SYMBOLS, Dim, Size, symbol, terms_of
from snippets_mlir.dialects.builtin.slots import FIRST_OFFSET

OWN = range(FIRST_OFFSET, MAX_SYMBOLS)
"""The symbols that stand for such sizes; sizes of inputs have those before."""


class RepeatedSizes:
    """The sizes of the dims of broadcasts, as far as they are known."""

    def __init__(self) -> None:
        """Nothing is known at first."""
        self._sizes: dict[tuple[Operation, int], Dim] = {}

    def of(self, op: Operation, dim: int) -> Dim:
        """The size of a dim of the result of `op`, a symbol if it is not known."""
        if (op, dim) not in self._sizes:
            used = {_own_symbol(size) for size in self._sizes.values()}
            free = next((index for index in OWN if index not in used), MAX_SYMBOLS)
            self._sizes[op, dim] = symbol(free)
        return self._sizes[op, dim]

    def learn(self, first: Dim, second: Dim) -> bool:
        """Record that two sizes are equal; False if this determines no size of a broadcast.

        A size that may be negative for some sizes of inputs is accepted only if another value has
        it.
        """
        zero = first - second
        for monomial, factor in terms_of(zero):
            among = [other for other, _ in terms_of(zero) if set(monomial) & set(other)]
            if len(monomial) != 1 or monomial[0] not in OWN or abs(factor) != 1 or len(among) > 1:
                continue
            own = symbol(monomial[0])
            size = own - zero * factor
            is_new = _own_symbol(size) is None and is_undetermined(size)
            is_there = size in (first, second)
            if not is_new and (is_there or all(f > 0 for _, f in terms_of(size))):
                self._replace(own, size)
                return True
        return False

    def unknown(self) -> Operation | None:
        """The first broadcast with a size that is not determined."""
        return next((op for (op, _), size in self._sizes.items() if is_undetermined(size)), None)

    def settle(self) -> None:
        """Let the sizes that are not determined be 1."""
        for key, size in self._sizes.items():
            if is_undetermined(size):
                self._sizes[key] = 1

    def _replace(self, own: Size, size: Dim) -> None:
        for key, known in self._sizes.items():
            if known == own:
                self._sizes[key] = size


def _own_symbol(size: Dim) -> int | None:
    """The symbol of a broadcast that `size` is, if it is one."""
    match terms_of(size):
        case (((index,), 1),) if index in OWN:
            return index
        case _:
            return None


def is_undetermined(size: Dim) -> bool:
    """Whether a size is that of a broadcast and not known, or follows from such a size."""
    return any(index in OWN for monomial, _ in terms_of(size) for index in monomial)
