"""Creating ops of known classes at half the cost of `Operation.create`.

    created(llvm.AddOp, (a, b), (i64,), {"overflowFlags": flags})     as llvm.AddOp.create(...)
    cloned(op, mapping)                                               as op.clone(mapping)
    put_before(op, anchor), put_at_end(op, block)                     as block.insert_op_before(...)

xDSL's `create` looks up the defaults of properties and attributes in the definition of the class
each time, and sets operands as if the op already had some. Here defaults are looked up once per
class. All fields of an op are the same as xDSL's; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects.builtin import UNKNOWN_LOC, LocationAttr
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, OptionalDef

from snippets_mlir.support.walking import operands_of

OpT = TypeVar("OpT", bound=Operation)

Defaults = tuple[tuple[tuple[str, Attribute], ...], tuple[tuple[str, Attribute], ...]]


def created(
    cls: type[OpT],
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    properties: Mapping[str, Attribute] | None = None,
    *,
    attributes: Mapping[str, Attribute] | None = None,
    successors: Sequence[Block] = (),
    location: LocationAttr | None = None,
) -> OpT:
    """An op without regions, as `cls.create` makes it; nothing is verified."""
    defaults = defaults_of(cls)
    if defaults is None or successors:
        return cls.create(
            operands=operands,
            result_types=result_types,
            properties=properties or {},
            attributes=attributes or {},
            successors=successors,
            location=location,
        )
    op = cls.__new__(cls)
    fill(op, defaults, operands, result_types, properties, attributes, location)
    return op


def fill(
    op: Operation,
    defaults: Defaults,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    properties: Mapping[str, Attribute] | None = None,
    attributes: Mapping[str, Attribute] | None = None,
    location: LocationAttr | None = None,
) -> None:
    """Initialize a new op without regions and successors, as `Operation.__init__` does.

    `defaults` are the defaults of its class.
    """
    op.properties = {} if properties is None else dict(properties)
    op.attributes = {} if attributes is None else dict(attributes)
    for name, value in defaults[0]:
        op.properties.setdefault(name, value)
    for name, value in defaults[1]:
        op.attributes.setdefault(name, value)
    op.location = UNKNOWN_LOC if location is None else location
    op.regions = ()
    op.results = SSAValues([OpResult(t, op, place) for place, t in enumerate(result_types)])
    # Like `op.operands = operands`, for an op that has none.
    values = SSAValues(operands)
    uses = tuple([Use(op, place) for place in range(len(values))])
    for value, use in zip(values, uses, strict=True):  # like `value.add_use(use)`
        first = value.first_use
        if first is not None:
            use._next_use = first  # pyright: ignore[reportPrivateUsage]
            first._prev_use = use  # pyright: ignore[reportPrivateUsage]
        value.first_use = use
    op._operands = values  # pyright: ignore[reportPrivateUsage]
    op._operand_uses = uses  # pyright: ignore[reportPrivateUsage]


def put_before(op: Operation, anchor: Operation) -> None:
    """Insert an op that is in no block and has no regions before `anchor`, which is in a block."""
    block, before = anchor.parent, anchor._prev_op  # pyright: ignore[reportPrivateUsage]
    assert block is not None
    assert op.parent is None
    op.parent = block
    op._prev_op, op._next_op = before, anchor  # pyright: ignore[reportPrivateUsage]
    anchor._prev_op = op  # pyright: ignore[reportPrivateUsage]
    if before is None:
        block._first_op = op  # pyright: ignore[reportPrivateUsage]
    else:
        before._next_op = op  # pyright: ignore[reportPrivateUsage]


def put_at_end(op: Operation, block: Block) -> None:
    """Append an op that is in no block and has no regions to `block`."""
    assert op.parent is None
    op.parent = block
    last = block._last_op  # pyright: ignore[reportPrivateUsage]
    op._prev_op = last  # pyright: ignore[reportPrivateUsage]
    block._last_op = op  # pyright: ignore[reportPrivateUsage]
    if last is None:
        block._first_op = op  # pyright: ignore[reportPrivateUsage]
    else:
        last._next_op = op  # pyright: ignore[reportPrivateUsage]


def forget(op: Operation) -> None:
    """As `op.drop_all_references()`, for an op that is no longer in a block."""
    if op.regions or op._successors:  # pyright: ignore[reportPrivateUsage]
        op.drop_all_references()
        return
    for value, use in zip(op._operands, op._operand_uses, strict=True):  # pyright: ignore[reportPrivateUsage]
        before, after = use._prev_use, use._next_use  # pyright: ignore[reportPrivateUsage]
        if after is not None:
            after._prev_use = before  # pyright: ignore[reportPrivateUsage]
        if before is None:
            value.first_use = after
        else:
            before._next_use = after  # pyright: ignore[reportPrivateUsage]
    op._operand_uses = ()  # pyright: ignore[reportPrivateUsage]


def cloned(op: OpT, mapping: dict[SSAValue, SSAValue]) -> OpT:
    """A copy of `op` whose operands are replaced by `mapping`; its results are added there.

    It keeps the names of values and the location of `op`.
    """
    if op.regions:
        return op.clone(mapping)
    copy = created(
        type(op),
        [mapping.get(value, value) for value in operands_of(op)],
        [result.type for result in op.results],
        op.properties,
        attributes=op.attributes,
        successors=op.successors,
        location=op.location,
    )
    for old, new in zip(op.results, copy.results, strict=True):
        mapping[old] = new
        new._name = old._name  # pyright: ignore[reportPrivateUsage]
    return copy


@cache
def defaults_of(cls: type[Operation]) -> Defaults | None:
    """The defaults of a class's properties and attributes; None if `create` does more."""
    if not issubclass(cls, IRDLOperation) or cls.__post_init__ is not IRDLOperation.__post_init__:
        return None
    definition = cls.get_irdl_definition()
    properties = (
        (name, found.default_value)
        for name, found in definition.properties.items()
        if not isinstance(found, OptionalDef) and found.default_value is not None
    )
    attributes = (
        (name, found.default_value)
        for name, found in definition.attributes.items()
        if not isinstance(found, OptionalDef) and found.default_value is not None
    )
    return tuple(properties), tuple(attributes)
