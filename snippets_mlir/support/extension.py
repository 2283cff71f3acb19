"""Upstream dialects with our own ops in place of ops that xDSL lacks or gets wrong.

An extended dialect keeps upstream's name, attributes and remaining ops, so that the text is MLIR's.
Only the context of our own tools registers it. Upstream passes may still create the replaced class;
`context.rehome` repairs this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialect_interfaces import DialectInterface
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.traits import HasFolder


class Folds(HasFolder):
    """The trait of `HasFolderInterface`, for a class that only overrides the traits of upstream's.

    A class without definition of its own does not collect the traits of its bases.
    """

    @classmethod
    def fold(cls, op: Operation) -> Sequence[SSAValue | Attribute] | None:
        """The result of the op's own `fold`."""
        return cast(HasFolderInterface, op).fold()


def extended(
    upstream: Dialect,
    ops: Sequence[type[Operation]],
    interfaces: Sequence[DialectInterface] = (),
    attributes: Sequence[type[Attribute]] = (),
) -> Dialect:
    """`upstream` with `ops` added, each in place of the op of the same name if there is one.

    `attributes` are added, too; `interfaces` repeats those of upstream's dialect, which has no
    public list of them.
    """
    names = {op.name for op in ops}
    kept = (op for op in upstream.operations if op.name not in names)
    known = [*upstream.attributes, *attributes]
    return Dialect(upstream.name, [*kept, *ops], known, list(interfaces))
