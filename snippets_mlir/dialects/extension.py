"""Upstream dialects with ops of our own in place of those xDSL lacks or gets wrong.

An extended dialect keeps upstream's name, attributes and remaining ops, so that the text is MLIR's. It is
registered in the context of our own tools only; passes of upstream may still create the class that was replaced, which
`rehome` repairs.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialect_interfaces import DialectInterface
from xdsl.ir import Block, Dialect, Operation, Region


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
    return Dialect(upstream.name, [*kept, *ops], list(upstream.attributes), interfaces)


def rehome(root: Operation, ctx: Context) -> int:
    """Give every op under `root` the class that `ctx` has for its name.

    Ops of another class of the same name (made by a pass of upstream) are rebuilt in place with the same
    operands, results, properties, attributes, regions and location. Returns how many were rebuilt.
    """
    classes: dict[str, type[Operation] | None] = {}
    wrong: list[tuple[Operation, type[Operation]]] = []
    for op in root.walk():
        name = op.name
        if name not in classes:
            classes[name] = ctx.get_optional_op(name)
        known = classes[name]
        if known is not None and type(op) is not known and known.name == name:
            wrong.append((op, known))
    for op, known in wrong:
        if op is root:
            raise ValueError(f"the root op {op.name!r} cannot be given another class")
        _rebuild(op, known)
    return len(wrong)


def _rebuild(op: Operation, cls: type[Operation]) -> None:
    block = op.parent
    regions: list[Region] = [op.detach_region(region) for region in tuple(op.regions)]
    new = cls.create(
        operands=op.operands,
        result_types=op.result_types,
        properties=op.properties,
        attributes=op.attributes,
        location=op.location,
        successors=op.successors,
        regions=regions,
    )
    if isinstance(block, Block):
        block.insert_op_before(new, op)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
