"""Upstream dialects with ops of our own in place of those xDSL lacks or gets wrong.

An extended dialect keeps upstream's name, attributes and remaining ops, so that the text is MLIR's.
It is registered in the context of our own tools only; passes of upstream may still create the class
that was replaced, which `context.rehome` repairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialect_interfaces import DialectInterface
from xdsl.ir import Dialect, Operation


def extended(
    upstream: Dialect,
    ops: Sequence[type[Operation]],
    interfaces: Sequence[DialectInterface] = (),
) -> Dialect:
    """`upstream` with `ops` added, each in place of the op of the same name if there is one.

    `interfaces` repeats those of upstream's dialect, which has no public list of them.
    """
    names = {op.name for op in ops}
    kept = (op for op in upstream.operations if op.name not in names)
    return Dialect(upstream.name, [*kept, *ops], list(upstream.attributes), list(interfaces))
