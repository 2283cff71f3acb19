"""The outside values that a region needs, and how it gets them as a function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, MemRefType, UnitAttr, VectorType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.traits import ConstantLike, is_side_effect_free

from snippets_mlir.analysis.loops.aliasing import is_marked
from snippets_mlir.support.attribute_names import NO_ALIAS


@dataclass(frozen=True)
class Captures:
    """The values from outside that an op and its regions use.

    Attributes:
        values: those that become arguments, in the order of their use.
        copied: ops that are copied inside instead: constants, globals, and ops that make vectors,
            which functions generally do not take; each after its operands.
    """

    values: tuple[SSAValue, ...]
    copied: tuple[Operation, ...]

    def move_in(self, op: Operation, given: Sequence[SSAValue]) -> None:
        """Let `op`, which is in a new place, and its regions use `given` for `values`."""
        block = op.parent
        assert block is not None
        arguments = dict(zip(self.values, given, strict=False))
        for made in self.copied:
            copy = made.clone(dict(arguments))
            block.insert_op_before(copy, op)
            arguments.update(zip(made.results, copy.results, strict=True))
        for inner in op.walk():
            for place, value in enumerate(inner.operands):
                if value in arguments:
                    inner.operands[place] = arguments[value]


def captures_of(op: Operation, operands: tuple[SSAValue, ...]) -> Captures | str:
    """The captures of `op` for its `operands` and regions; or why it cannot be moved."""
    values: dict[SSAValue, None] = {}
    copied: dict[Operation, None] = {}
    for value in (*operands, *_used(op)):
        if not _take(value, values, copied):
            return f"it needs a {value.type} from outside, which no function takes"
    return Captures(tuple(values), tuple(copied))


def _used(op: Operation) -> Iterator[SSAValue]:
    """Values from outside that the regions of `op` use."""
    for inner in op.walk():
        if inner is not op:
            yield from (value for value in inner.operands if not _inside(value, op))


def _inside(value: SSAValue, op: Operation) -> bool:
    owner = value.owner
    if isinstance(owner, Block):
        above = owner.parent_op()
        return above is not None and op.is_ancestor(above)
    return op.is_ancestor(owner)


def _take(value: SSAValue, values: dict[SSAValue, None], copied: dict[Operation, None]) -> bool:
    """Note that `value` is needed; False if it cannot be passed in."""
    owner = value.owner
    if value in values or owner in copied:
        return True
    if isinstance(owner, Operation) and not owner.regions:
        constant = owner.has_trait(ConstantLike) or isinstance(owner, memref.GetGlobalOp)
        if constant or (not _passable(value) and is_side_effect_free(owner)):
            if not all(_take(operand, values, copied) for operand in owner.operands):
                return False
            copied[owner] = None
            return True
    values[value] = None
    return _passable(value)


def _passable(value: SSAValue) -> bool:
    return value.type.name != VectorType.name


def argument_attributes(given: Sequence[SSAValue]) -> ArrayAttr[DictionaryAttr] | None:
    """Arguments stay distinct memory if all memory comes from arguments of the outer function."""
    marks = [is_marked(value) for value in given]
    memory = [value for value in given if isinstance(value.type, MemRefType)]
    fresh = memref.AllocOp | memref.AllocaOp
    if not any(marks) or not all(
        isinstance(value, BlockArgument) or isinstance(value.owner, fresh) for value in memory
    ):
        return None
    return ArrayAttr([DictionaryAttr({NO_ALIAS: UnitAttr()} if own else {}) for own in marks])
