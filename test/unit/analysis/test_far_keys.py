"""Values of many ops are no masks: neither long chains nor ops that share operands take time."""

from __future__ import annotations

import pytest
from xdsl.ir import SSAValue

from snippets_mlir.analysis.graph.far_keys import Far, elements_of_mask, far_keys
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

T = "tensor<2x2xf32>"
MASK = "[[true, false], [true, true]]"


def module_text(op: str, times: int, first: str) -> str:
    """`op` many times, of `{v}`, after a first value."""
    ops = [f"  %v{i + 1} = {op.format(v=f'%v{i}')} : {T}" for i in range(times)]
    return "\n".join(
        [
            f"func.func @main(%x: {T}) -> {T} {{",
            f"  %m = snippets.constant dense<{MASK}> : tensor<2x2xi1>",
            "  %low = snippets.constant dense<0xFF800000> : tensor<f32>",
            f"  %v0 = {first}",
            *ops,
            f"  func.return %v{times} : {T}",
            "}",
        ]
    )


MASKED = f"snippets.select %m, %x, %low : (tensor<2x2xi1>, {T}, tensor<f32>) -> {T}"
CONSTANT = f"snippets.constant dense<1.0> : {T}"


def last_value(text: str) -> SSAValue:
    module = parse_module(text, make_context())
    (function,) = module.ops
    returned = function.regions[0].block.last_op
    assert returned is not None
    return returned.operands[0]


@pytest.mark.parametrize(("times", "known"), [(40, True), (400, False)])
def test_ops_that_read_a_value_twice(times: int, known: bool):
    """Each op is looked at once: 2^40 ways lead to the first one."""
    double = "snippets.add {v}, {v}"
    found = far_keys(last_value(module_text(double, times, MASKED)), (2, 2))
    assert found == (Far(float("-inf"), 0) if known else None)
    array = elements_of_mask(last_value(module_text(double, times, CONSTANT)))
    assert (array is not None) == known


def test_a_long_chain():
    """The Python stack does not grow with the chain."""
    last = last_value(module_text("snippets.abs {v}", 3000, MASKED))
    assert far_keys(last, (2, 2)) is None
    assert elements_of_mask(last) is None
