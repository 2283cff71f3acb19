"""The dominance checker, on single blocks, control flow and nested regions."""

from __future__ import annotations

import pytest
from xdsl.dialects.func import FuncOp

from snippets_mlir.checkers.dominance import dominator_tree, verify_dominance
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

HEAD = "func.func @f(%c: i1, %a: i32) -> i32 {\n"

RIGHT = {
    "argument of a block": "cf.br ^b(%a : i32)\n^b(%x: i32):\nfunc.return %x : i32",
    "loop": (
        "cf.br ^b(%a : i32)\n^b(%x: i32):\n%y = arith.addi %x, %x : i32\n"
        "cf.cond_br %c, ^b(%y : i32), ^e\n^e:\nfunc.return %y : i32"
    ),
    "blocks out of order": (
        "cf.br ^b\n^e:\nfunc.return %x : i32\n^b:\n%x = arith.addi %a, %a : i32\ncf.br ^e"
    ),
    "outer value in a region": (
        "%x = scf.if %c -> (i32) {\nscf.yield %a : i32\n} else {\nscf.yield %a : i32\n}\n"
        "func.return %x : i32"
    ),
    "block that is not reached": (
        "func.return %a : i32\n^dead:\n%x = arith.addi %y, %y : i32\n"
        "%y = arith.addi %x, %x : i32\ncf.br ^dead"
    ),
    "predecessor that is not reached": (
        "%x = arith.addi %a, %a : i32\ncf.br ^e\n^dead:\ncf.br ^e\n^e:\nfunc.return %x : i32"
    ),
}

WRONG = {
    "later in the block": (
        "%x = arith.addi %y, %a : i32\n%y = arith.addi %a, %a : i32\nfunc.return %x : i32",
        "operand #0 of 'arith.addi'",
        2,
    ),
    "its own result": ("%x = arith.addi %x, %a : i32\nfunc.return %x : i32", "operand #0", 2),
    "one of two paths": (
        "cf.cond_br %c, ^l, ^r\n^l:\n%x = arith.addi %a, %a : i32\ncf.br ^e\n^r:\ncf.br ^e\n"
        "^e:\nfunc.return %x : i32",
        "%x, does not dominate this use; it is defined at t:4:1",
        9,
    ),
}


def check(body: str) -> None:
    verify_dominance(parse_module(f"{HEAD}{body}\n}}", make_context(), "t"))


@pytest.mark.parametrize("body", RIGHT.values(), ids=list(RIGHT))
def test_accepts(body: str):
    check(body)


@pytest.mark.parametrize(("body", "message", "line"), WRONG.values(), ids=list(WRONG))
def test_rejects(body: str, message: str, line: int):
    with pytest.raises(CompileError) as caught:
        check(body)
    assert message in caught.value.message
    assert (caught.value.file, caught.value.line) == ("t", line)


def test_rejects_values_that_leave_their_region():
    """The text cannot say this, a pass can do it."""
    body = (
        "scf.if %c {\n%x = arith.addi %a, %a : i32\n} else {\n%y = arith.muli %a, %a : i32\n}\n"
        "func.return %a : i32"
    )
    for name, message in (("func.return", "'func.return'"), ("arith.muli", "'arith.muli'")):
        module = parse_module(f"{HEAD}{body}\n}}", make_context(), "t")
        verify_dominance(module)
        ops = {op.name: op for op in module.walk()}
        ops[name].operands[0] = ops["arith.addi"].results[0]
        with pytest.raises(CompileError, match=f"operand #0 of {message}"):
            verify_dominance(module)


def test_dominator_tree_of_a_ladder():
    """Blocks that are joined from everywhere hang under the entry."""
    body = (
        (
            "cf.cond_br %c, ^1, ^2\n^1:\ncf.cond_br %c, ^2, ^3\n^2:\ncf.cond_br %c, ^3, ^1\n"
            "^3:\nfunc.return %a : i32"
        )
        .replace("^1", "^p")
        .replace("^2", "^q")
        .replace("^3", "^r")
    )
    module = parse_module(f"{HEAD}{body}\n}}", make_context(), "t")
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    blocks = list(function.body.blocks)
    tree = dominator_tree(function.body)
    assert set(tree[blocks[0]]) == set(blocks[1:])


def test_long_chain_of_blocks_does_not_recurse():
    chain = "".join(f"cf.br ^n{i}\n^n{i}:\n" for i in range(2000))
    check(f"%x = arith.addi %a, %a : i32\n{chain}func.return %x : i32")
