"""Ops that are made without asking their definition are those that xDSL makes."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects import arith, cf, llvm
from xdsl.dialects.builtin import StringAttr, UnitAttr, f32, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def

from snippets_mlir.dialects.arith import CmpiOp
from snippets_mlir.dialects.llvm.memory import LoadOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.support.creating import cloned, created, forget, put_at_end, put_before


@irdl_op_definition
class DefaultsOp(IRDLOperation):
    """Has a property with a default, and an optional one."""

    name = "test.defaults"
    given = prop_def(StringAttr, default_value=StringAttr("default"))
    maybe = opt_prop_def(StringAttr)


class MoreOp(DefaultsOp):
    """Does more when it is made."""

    def __post_init__(self) -> None:
        """Leave a mark."""
        super().__post_init__()
        self.attributes["made"] = UnitAttr()


CASES: list[tuple[type[Operation], dict[str, Attribute]]] = [
    (arith.AddfOp, {"fastmath": arith.FastMathFlagsAttr("none")}),
    (arith.AddfOp, {}),
    (arith.AddiOp, {}),
    (llvm.AddOp, {}),
    (CmpiOp, {}),
    (LoadOp, {}),
    (GEPOp, {}),
    (DefaultsOp, {}),
    (DefaultsOp, {"given": StringAttr("other"), "maybe": StringAttr("there")}),
    (MoreOp, {}),
]


def fields_of(op: Operation) -> dict[str, Any]:
    """What an op holds, in order, and what its operands say of it."""
    return {
        "class": type(op),
        "operands": tuple(op.operands),
        "types": [(r.type, r.index, r.op is op, r.name_hint) for r in op.results],
        "properties": list(op.properties.items()),
        "attributes": list(op.attributes.items()),
        "location": op.location,
        "regions": op.regions,
        "successors": tuple(op.successors),
        "parent": op.parent,
        "uses": [[use.index for use in v.uses if use.operation is op] for v in op.operands],
        "neighbours": (op.next_op, op.prev_op),
    }


@pytest.mark.parametrize(("cls", "properties"), CASES)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_an_op_has_all_that_create_gives(
    cls: type[Operation], properties: dict[str, Attribute], count: int
) -> None:
    block = Block(arg_types=[f32, i32])
    for operands in (block.args[:count], block.args[:1] * count):
        for types in ((), (f32,), (f32, i64)):
            attributes = {"kept": UnitAttr()}
            expected = cls.create(
                operands=operands,
                result_types=types,
                properties=properties,
                attributes=attributes,
            )
            found = created(cls, operands, types, properties, attributes=attributes)
            assert fields_of(found) == fields_of(expected)
            assert found.properties is not properties
            assert found.attributes is not attributes
            block.add_op(found)
            assert block.last_op is found


def test_a_branch_has_its_successor() -> None:
    block, target = Block(arg_types=[f32]), Block(arg_types=[f32])
    branch = created(cf.BranchOp, block.args, successors=[target])
    block.add_op(branch)
    assert branch.successor is target
    assert tuple(branch.operands) == tuple(block.args)


def test_operands_can_be_changed_and_the_op_erased() -> None:
    block = Block(arg_types=[f32, f32])
    a, b = block.args
    op = created(arith.AddfOp, (a, a), (f32,))
    block.add_op(op)
    op.operands = [b, a]
    assert [(use.operation, use.index) for use in a.uses] == [(op, 1)]
    assert [(use.operation, use.index) for use in b.uses] == [(op, 0)]
    block.erase_op(op)
    assert a.first_use is None
    assert b.first_use is None


def _ops() -> list[Operation]:
    a, b = Block(arg_types=[f32, f32]).args
    op = created(arith.AddfOp, (a, b), (f32,), attributes={"kept": UnitAttr()})
    op.result.name_hint = "sum"
    return [op, created(DefaultsOp)]


@pytest.mark.parametrize("op", _ops(), ids=lambda op: op.name)
def test_a_copy_is_that_of_clone(op: Operation) -> None:
    other = Block(arg_types=[f32]).args[0]
    mapping: dict[SSAValue, SSAValue] = {value: other for value in op.operands[:1]}
    ours, theirs = dict(mapping), dict(mapping)
    found, expected = cloned(op, ours), op.clone(theirs)
    assert fields_of(found) == fields_of(expected)
    assert found.properties is not op.properties
    assert [ours[r] for r in op.results] == list(found.results)
    assert ours.keys() == theirs.keys()


def places_of(block: Block) -> list[tuple[Operation, object, object, object]]:
    """The ops of a block, each with its block and its neighbours."""
    ops = [op for op in block.ops]
    assert list(reversed(block.ops)) == ops[::-1]
    assert (block.first_op, block.last_op) == ((ops[0], ops[-1]) if ops else (None, None))
    return [(op, op.parent, op.prev_op, op.next_op) for op in ops]


def test_ops_are_put_where_blocks_put_them() -> None:
    block, first = Block(), created(llvm.UndefOp, (), (i64,))
    put_at_end(first, block)
    assert places_of(block) == [(first, block, None, None)]
    last, before, between = (created(llvm.UndefOp, (), (i64,)) for _ in range(3))
    put_at_end(last, block)
    put_before(before, first)
    put_before(between, last)
    assert [op for op, *_ in places_of(block)] == [before, first, between, last]
    assert all(parent is block for _, parent, *_ in places_of(block))
    block.erase_op(first)
    assert [op for op, *_ in places_of(block)] == [before, between, last]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_an_op_that_is_forgotten_reads_nothing(order: tuple[int, ...]) -> None:
    value = created(llvm.UndefOp, (), (i64,)).results[0]
    readers = [created(llvm.AddOp, (value, value), (i64,)) for _ in range(3)]
    for place in order:
        assert readers[place] in [use.operation for use in value.uses]
        forget(readers[place])
        assert readers[place] not in [use.operation for use in value.uses]
    assert value.first_use is None
    assert list(value.uses) == []


def test_a_branch_that_is_forgotten_leaves_its_block() -> None:
    target = Block()
    branch = cf.BranchOp(target)
    assert target.first_use is not None
    forget(branch)
    assert target.first_use is None
