"""The base class of ops that are often created and often tested with `isinstance`.

    class TypedOp(Op, ABC): ...

Four things are faster than with xDSL's `IRDLOperation`; together they save 5 to 10 % of the first
compilation of a process:

* `isinstance` uses inheritance alone. xDSL's ops are Python's abstract base classes. Their
  `isinstance` is a Python function, and its first negative answer for a class searches all
  subclasses. Nothing is registered as a virtual subclass of an op.
* The constructor of an op without regions reads the definition of its class once, not once per op.
* A named operand or result is read from the op's tuple. xDSL makes a view of all operands for it.
* Ops are hashed by `object.__hash__`, which is identity as in xDSL, without a call of Python.

Classes, answers, ops and errors are the same as with `IRDLOperation`; a test compares them. One
thing differs: two ops are structurally equivalent only if their results have the same types. xDSL
does not check this, and `cse` would confuse a body that converts to i8 with one that converts to
i32.
"""

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple, cast

from typing_extensions import override
from xdsl.ir import Attribute, BlockArgument, IRNode, Operation, OpResult, SSAValue
from xdsl.irdl import (
    BeforeVariadicSingleAccessor,
    IRDLOperation,
    OpDef,
    OptionalDef,
    VariadicDef,
    VarIRConstruct,
)

from snippets_mlir.support.creating import Defaults, defaults_of, fill
from snippets_mlir.support.walking import operands_of

_VALUES = frozenset((OpResult, BlockArgument))
_item = cast("Callable[[Sequence[SSAValue], int], Any]", vars(tuple)["__getitem__"])
"""An item of xDSL's `SSAValues`, whose own method is in Python."""


class OpClass(ABCMeta):
    """A metaclass without virtual subclasses: only real instances count for `isinstance`."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__

    def __setattr__(cls, name: str, value: Any) -> None:
        """Set an attribute; `irdl_op_definition` sets the accessors of operands and results."""
        if type(value) is BeforeVariadicSingleAccessor:
            fast = _FAST.get(value.construct)
            value = value if fast is None else fast(value.construct, value.idx)
        super().__setattr__(name, value)


@dataclass(frozen=True)
class _OperandAccessor(BeforeVariadicSingleAccessor):
    """A named operand."""

    @override
    def __get__(self, obj: Operation, objtype: object = None) -> SSAValue:
        return _item(operands_of(obj), self.idx)


@dataclass(frozen=True)
class _ResultAccessor(BeforeVariadicSingleAccessor):
    """A named result."""

    @override
    def __get__(self, obj: Operation, objtype: object = None) -> OpResult:
        return _item(obj.results, self.idx)


_FAST = {VarIRConstruct.OPERAND: _OperandAccessor, VarIRConstruct.RESULT: _ResultAccessor}


class Op(IRDLOperation, metaclass=OpClass):
    """An `IRDLOperation` that is faster to make, to test, to hash and to read."""

    __hash__ = object.__hash__
    __eq__ = object.__eq__  # pyright: ignore[reportAssignmentType]

    def __init__(
        self,
        *,
        operands: Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None]
        | None = None,
        result_types: Sequence[Attribute | Sequence[Attribute] | None] | None = None,
        properties: Mapping[str, Attribute | None] | None = None,
        **others: Any,
    ) -> None:
        """As `IRDLOperation`, which makes ops with more than values, types and properties."""
        form = None if others else _form(type(self))
        if form is not None:
            values = _values(operands or (), form.operands)
            types = _types(result_types or (), form.results)
            if values is not None and types is not None:
                held = {k: v for k, v in (properties or {}).items() if v is not None}
                fill(self, form.defaults, values, types, held)
                Operation.__post_init__(self)  # xDSL's `ImplicitBuilder` may insert the op
                return
        super().__init__(
            operands=operands, result_types=result_types, properties=properties, **others
        )

    @override
    def is_structurally_equivalent(
        self, other: IRNode, context: dict[IRNode | SSAValue, IRNode | SSAValue] | None = None
    ) -> bool:
        """As in xDSL, and with results of the same types."""
        return (
            isinstance(other, Operation)
            and self.result_types == other.result_types
            and super().is_structurally_equivalent(other, context)
        )


class _Form(NamedTuple):
    """Defaults of a definition, and for each operand and each result whether it is a list."""

    defaults: Defaults
    operands: tuple[bool, ...]
    results: tuple[bool, ...]


@cache
def _form(cls: type[IRDLOperation]) -> _Form | None:
    """None for a class with regions, successors, optional values, segments, ..."""
    definition: OpDef = cls.get_irdl_definition()
    defaults = defaults_of(cls)
    found = [found for _, found in (*definition.operands, *definition.results)]
    if defaults is None or definition.options or definition.regions or definition.successors:
        return None
    if any(isinstance(part, OptionalDef) for part in found):
        return None
    lists = tuple(isinstance(part, VariadicDef) for part in found)
    count = len(definition.operands)
    return _Form(defaults, lists[:count], lists[count:])


def _values(given: Sequence[Any], lists: Sequence[bool]) -> list[SSAValue] | None:
    """All operands; None if one is neither a value nor an allowed list of values."""
    if len(given) != len(lists):
        return None
    found: list[SSAValue] = []
    for value, is_list in zip(given, lists, strict=True):
        if value.__class__ in _VALUES:
            found.append(value)
        elif is_list and isinstance(value, (list, tuple)):
            found += value
        else:
            return None
    return found if all(value.__class__ in _VALUES for value in found) else None


def _types(given: Sequence[Any], lists: Sequence[bool]) -> list[Attribute] | None:
    """All types of results; None if one is neither a type nor an allowed list of types."""
    if len(given) != len(lists):
        return None
    found: list[Attribute] = []
    for type_, is_list in zip(given, lists, strict=True):
        if is_list and isinstance(type_, (list, tuple)):
            found += type_
        elif isinstance(type_, Attribute):
            found.append(type_)
        else:
            return None
    return found
