"""`ops_inside` gives what `Operation.walk` gives, and stands edits of the op it has just given."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation, Region

from snippets_mlir.support.walking import operands_of, ops_inside, ops_of


def op(*blocks: list[AnyOp]) -> AnyOp:
    return AnyOp(regions=[Region([Block(ops) for ops in blocks])] if blocks else [])


def nested() -> ModuleOp:
    """Ops with no, one, several and empty blocks, at both ends of blocks and between others."""
    return ModuleOp(
        [op(), op([op([op()]), op()], [], [op()]), op([]), op(), op([op([op(), op([op()])])])]
    )


def test_the_order_is_that_of_the_text() -> None:
    module = nested()
    assert list(ops_inside(module)) == list(module.walk())[1:]
    assert list(ops_inside(ModuleOp([]))) == []


def test_each_op_may_be_erased_when_it_is_given() -> None:
    module = nested()
    outermost = list(module.ops)
    met: list[Operation] = []
    for inner in ops_inside(module):
        if inner.parent_op() is module:
            inner.detach()
            met.append(inner)
    assert met == outermost
    assert not list(module.ops)


def test_operands_are_those_of_now() -> None:
    first, second = (AnyOp(result_types=[i64]) for _ in range(2))
    reader = AnyOp(operands=[first.results[0]])
    assert tuple(operands_of(reader)) == tuple(reader.operands) == (first.results[0],)
    reader.operands[0] = second.results[0]
    assert tuple(operands_of(reader)) == tuple(reader.operands) == (second.results[0],)
    assert tuple(operands_of(first)) == ()


def test_the_ops_of_a_block_are_those_of_the_moment() -> None:
    block = Block([op(), op([op()]), op()])
    found = ops_of(block)
    assert found == list(block.ops)
    block.erase_op(found[0])
    assert len(found) == 3
    assert ops_of(block) == found[1:] == list(block.ops)
    assert ops_of(Block()) == []
