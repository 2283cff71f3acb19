"""Sizes that get a name because another size is a multiple of them.

    x[h] -> a window of stride 2 -> [(h + 1)//2] -> upsampled -> [2*((h + 1)//2)], beside x[h]
    2*((h + 1)//2) == h       d = (h + 1)//2, and h is 2*d

No polynomial in `h` is `h/2`; with a name for the smallest size, all sizes are polynomials in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from snippets_mlir.frontends.onnx.shapes.bounds import substitute
from snippets_mlir.frontends.onnx.shapes.dims import Dim, Size, call, make, symbol
from snippets_mlir.frontends.onnx.shapes.terms import Atom, Call, Monomial


class Nameable(NamedTuple):
    """A call that can get a name.

    Attributes:
        inner: the call.
        outer: an atom in its arguments.
        others: the formula of `outer`, in terms with `inner`.
    """

    inner: Call
    outer: Atom
    others: Mapping[Monomial, int]

    @property
    def size(self) -> Dim:
        """The call as a size."""
        return call(self.inner.op, self.inner.args)

    def solution(self, name: str) -> Size | None:
        """The formula of `outer` with `name` for the call; None if `outer` is left in it."""
        found = substitute(make(self.others), {self.inner: symbol(name)})
        holds_itself = isinstance(found, Dim) and self.outer in found.atoms
        return None if holds_itself else found


def nameable(terms: Mapping[Monomial, int]) -> Nameable | None:
    """The call that is to get a name in terms whose sum is 0."""
    calls = [m[0] for m in terms if len(m) == 1 and isinstance(m[0], Call)]
    for monomial, coefficient in terms.items():
        if len(monomial) != 1 or abs(coefficient) != 1:
            continue
        outer = monomial[0]
        others = {m: -coefficient * c for m, c in terms.items() if m != monomial}
        around = [c for c in calls if c != outer and outer in call(c.op, c.args).atoms]
        if len(around) == 1 and not any(outer in other for other in others):
            return Nameable(around[0], outer, others)
    return None
