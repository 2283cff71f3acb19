"""Memory dependences that a loop carries.

Two accesses of one cell, one of them a write, in different iterations of a loop (and in the same
iteration of every enclosing loop) are a dependence that this loop carries. For memrefs whose
subscripts distinguish cells (`aliasing.Alias.SAME`), the question is a system of integer
(in)equalities:

    lower <= iv < upper, iv = lower + step * k     for both iterations, of every loop around them
    indices of the one = indices of the other
    iv of the one < iv of the other                and once more the other way round

and `integer_sets` answers it exactly. Bounds and subscripts may have symbols (any value that is
defined outside of the loop is the same for both), quotients and remainders by constants.

The answer is the cautious "there may be a dependence" for accesses whose subscripts are not affine,
for views of one memory under different subscripts, and for memory of unknown origin. A bound that
is not affine is left out of the system, as is the step of a loop with several lower bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import affine
from xdsl.ir import SSAValue

from snippets_mlir.analysis.loops.affine_access import (
    Access,
    Size,
    bounds_of,
    enclosing_loops,
    is_inside,
    iv_of,
)
from snippets_mlir.analysis.loops.aliasing import Alias, alias
from snippets_mlir.analysis.loops.integer_sets import System
from snippets_mlir.analysis.loops.linear_forms import Floor, Linear

Rename = Callable[[Hashable], Hashable]


@dataclass(frozen=True)
class Instance:
    """A variable in one of the two iterations that are compared."""

    variable: Hashable
    which: int


@dataclass(frozen=True)
class Dependence:
    """Two accesses between which a loop may carry a dependence.

    `exact` when the subscripts were compared: some values of the symbols make one.
    """

    first: Access
    second: Access
    exact: bool


def carried_dependence(loop: affine.ForOp, accesses: Iterable[Access]) -> Dependence | None:
    """The first dependence between some accesses inside of a loop that the loop carries."""
    accesses = tuple(accesses)
    for place, first in enumerate(accesses):
        for second in accesses[place:]:
            if (found := _between(loop, first, second)) is not None:
                return found
    return None


def _between(loop: affine.ForOp, first: Access, second: Access) -> Dependence | None:
    if not (first.writes or second.writes):
        return None
    how = alias(first.memref, second.memref)
    if how is Alias.NONE:
        return None
    if how is Alias.MAY or first.indices is None or second.indices is None:
        return Dependence(first, second, exact=False)
    iv = iv_of(loop)
    rename = [_renaming(loop, which) for which in (0, 1)]
    for sign in (1,) if first is second else (1, -1):
        system = System()
        for which, access in enumerate((first, second)):
            add_domain(system, enclosing_loops(access.op), rename[which])
        difference = _renamed(Linear.variable(iv), rename[1]) - _renamed(
            Linear.variable(iv), rename[0]
        )
        system.inequalities.append(difference * sign - 1)
        for left, right in zip(first.indices, second.indices, strict=True):
            system.equations.append(_renamed(left, rename[0]) - _renamed(right, rename[1]))
        if system.is_satisfiable():
            return Dependence(first, second, exact=True)
    return None


def add_domain(system: System, loops: Iterable[affine.ForOp], rename: Rename) -> None:
    """Constrain the induction variables of loops to the iterations that they run."""
    for loop in loops:
        bounds = bounds_of(loop)
        iv = _renamed(Linear.variable(iv_of(loop)), rename)
        lower = [_renamed(form, rename) for form in bounds.lower or ()]
        system.inequalities += [iv - form for form in lower]
        upper = (_renamed(form, rename) for form in bounds.upper or ())
        system.inequalities += [form - iv - 1 for form in upper]
        if bounds.step != 1 and len(lower) == 1:
            count = Linear.variable(("count", rename(iv_of(loop))))
            system.equations.append(iv - lower[0] - count * bounds.step)
            system.inequalities.append(count)


def _renaming(loop: affine.ForOp, which: int) -> Rename:
    """What is defined inside of a loop gets a name of its own in each of the two iterations."""

    def rename(variable: Hashable) -> Hashable:
        value = variable.memref if isinstance(variable, Size) else variable
        if isinstance(value, SSAValue) and is_inside(cast(SSAValue, value), loop):
            return Instance(variable, which)
        return variable

    return rename


def _renamed(form: Linear, rename: Rename) -> Linear:
    total = Linear(constant=form.constant)
    for variable, coefficient in form.terms:
        if isinstance(variable, Floor):
            new: Hashable = Floor(_renamed(variable.numerator, rename), variable.divisor)
        else:
            new = rename(variable)
        total = total + Linear.variable(new) * coefficient
    return total
