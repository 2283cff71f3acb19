"""Which changes of a module are seen, so that it is verified again."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from snippets_mlir.passmanager import verification
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import run_passes
from snippets_mlir.passmanager.unchanged import parts_of, same_parts
from snippets_mlir.support.parsing import parse_module

TEXT = """\
func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.softmax %x {axis = 0 : i64} : tensor<4xf32>
  %1 = snippets.subtract %0, %y : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
"""


def read() -> tuple[ModuleOp, FuncOp, list[Operation]]:
    module = parse_module(TEXT, make_context())
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    return module, function, [*function.body.block.ops]


def operand(function: FuncOp, ops: list[Operation]) -> None:
    ops[1].operands[1] = function.args[0]


def order_of_operands(function: FuncOp, ops: list[Operation]) -> None:
    ops[1].operands = ops[1].operands[::-1]


def result_type(function: FuncOp, ops: list[Operation]) -> None:
    Rewriter.replace_value_with_new_type(ops[0].results[0], f64)


def argument_type(function: FuncOp, ops: list[Operation]) -> None:
    Rewriter.replace_value_with_new_type(function.args[0], f64)


def argument(function: FuncOp, ops: list[Operation]) -> None:
    function.body.block.insert_arg(f64, 2)


def property_of_an_op(function: FuncOp, ops: list[Operation]) -> None:
    ops[0].properties["axis"] = StringAttr("0")


def name_of_an_attribute(function: FuncOp, ops: list[Operation]) -> None:
    function.attributes["a"] = f64


def lost_property(function: FuncOp, ops: list[Operation]) -> None:
    del ops[0].properties["axis"]


def order_of_ops(function: FuncOp, ops: list[Operation]) -> None:
    ops[0].detach()
    function.body.block.insert_op_after(ops[0], ops[1])


def erased_op(function: FuncOp, ops: list[Operation]) -> None:
    function.body.block.erase_op(ops[2])


def empty_block(function: FuncOp, ops: list[Operation]) -> None:
    function.body.add_block(Block())


def split_block(function: FuncOp, ops: list[Operation]) -> None:
    function.body.block.split_before(ops[1])


def attribute_of_the_module(function: FuncOp, ops: list[Operation]) -> None:
    module = function.parent_op()
    assert module is not None
    module.attributes["a"] = f64


CHANGES = (
    *(operand, order_of_operands, result_type, argument_type, argument, property_of_an_op),
    *(name_of_an_attribute, lost_property, order_of_ops, erased_op, empty_block, split_block),
    attribute_of_the_module,
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change: Callable[[FuncOp, list[Operation]], None]) -> None:
    module, function, ops = read()
    before = parts_of(module)
    assert same_parts(before, parts_of(module))
    change(function, ops)
    assert not same_parts(before, parts_of(module))


def test_names_of_values_are_no_parts() -> None:
    module, _, ops = read()
    before = parts_of(module)
    ops[0].results[0].name_hint = "other"
    assert same_parts(before, parts_of(module))


class Nothing(ModulePass):
    """A pass that finds nothing to do."""

    name = "nothing"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Leave the module."""


class Reorder(ModulePass):
    """A pass that breaks dominance."""

    name = "reorder"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Move the first op of each function after the second."""
        for function in op.body.block.ops:
            assert isinstance(function, FuncOp)
            order_of_ops(function, [*function.body.block.ops])


def test_only_changed_modules_are_verified_again(monkeypatch: pytest.MonkeyPatch) -> None:
    module = read()[0]
    verified: list[ModuleOp] = []
    monkeypatch.setattr(verification, "verify_dominance", verified.append)
    run_passes(module, make_context(), [Nothing(), Nothing()], verify_each=True)
    assert len(verified) == 1  # a module from outside is verified once
    run_passes(module, make_context(), [Nothing(), Reorder(), Nothing()], verify_each=True)
    assert len(verified) == 3
