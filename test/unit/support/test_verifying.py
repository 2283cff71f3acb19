"""The verifier that reads definitions once says what xDSL says."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random

import pytest
from sampled import sampled
from stage_kernels import KERNELS
from xdsl.dialects import test
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IntegerType,
    ModuleOp,
    StringAttr,
    TensorType,
    f32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    VarOperand,
    VarOpResult,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import SameOperandsAndResultType

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.verifying import verifies, verify

STAGES = [
    "",
    "snippets-tokenize",
    "snippets-to-lir",
    "snippets-to-lir,lir-to-vector",
    "snippets-to-llvm",
]
CHANGES = 12
"""Wrong ops that are made of each module."""


def module_of(name: str, pipeline: str) -> ModuleOp:
    ctx = make_context()
    module = parse_module(KERNELS[name], ctx)
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    return module


def xdsl_verifies(op: Operation) -> bool:
    try:
        op.verify()
    except Exception:
        return False
    return True


def changes(op: Operation) -> Iterator[str]:
    """Changes of one op that may make it wrong."""
    for name in (*op.properties, *op.attributes):
        yield f"drop {name}"
        yield f"text {name}"
    yield from ("unknown", "unknown property", "first type", "last type", "move first", "move last")
    for place in range(len(op.operands)):
        yield f"without {place}"
        yield f"twice {place}"


def change(op: Operation, what: str) -> None:
    word, _, name = what.partition(" ")
    if word in ("drop", "text"):
        held = op.properties if name in op.properties else op.attributes
        if word == "drop":
            del held[name]
        else:
            held[name] = StringAttr("text")
    elif what == "unknown":
        op.attributes["unknown"] = StringAttr("text")
    elif what == "unknown property":
        op.properties["unknown"] = StringAttr("text")
    elif word in ("first", "last") and op.operands:
        other = test.TestOp(result_types=[i64]).results[0]
        op.operands[0 if word == "first" else -1] = other
    elif word == "move" and (block := op.parent) is not None:
        op.detach()
        if name == "first" and block.first_op is not None:
            block.insert_op_before(op, block.first_op)
        else:
            block.add_op(op)
    elif word in ("without", "twice"):
        values, place = list(op.operands), int(name)
        op.operands = (
            values[:place] + [values[place]] * (2 * (word == "twice")) + values[place + 1 :]
        )


@pytest.mark.parametrize(
    ("pipeline", "name"), sampled(product(STAGES, ["broadcasts", "integers", "bools"]), 3)
)
def test_the_answer_is_that_of_xdsl(name: str, pipeline: str) -> None:
    module = module_of(name, pipeline)
    assert verifies(module)
    assert xdsl_verifies(module)
    drawn = Random(f"{name} {pipeline}")
    every = [
        (place, what) for place, op in enumerate(module.walk()) for what in changes(op) if place
    ]
    refused = 0
    for place, what in drawn.sample(every, min(CHANGES, len(every))):
        changed = module.clone()
        change([*changed.walk()][place], what)
        expected = xdsl_verifies(changed)
        assert verifies(changed) == expected, (place, what, str(changed))
        refused += not expected
    assert refused


@irdl_op_definition
class ListsOp(IRDLOperation):
    """A list between values, and one result that may have any type."""

    name = "test.lists"
    first = operand_def(i64)
    several: VarOperand = var_operand_def(i64)
    last = operand_def(i64)
    result = result_def(AnyAttr())


@irdl_op_definition
class OptionalOp(IRDLOperation):
    """A value that may be missing."""

    name = "test.optional"
    first = operand_def(i64)
    maybe = opt_operand_def(i64)


@pytest.mark.parametrize("count", range(6))
@pytest.mark.parametrize("cls", [ListsOp, OptionalOp])
def test_lists_of_operands(cls: type[Operation], count: int) -> None:
    value = test.TestOp(result_types=[i64]).results[0]
    results = [i64] if cls is ListsOp else []
    for wrong in (None, *range(count)):
        operands = [value] * count
        if wrong is not None:
            operands[wrong] = test.TestOp(result_types=[StringAttr("text")]).results[0]
        op = cls.create(operands=operands, result_types=results)
        assert verifies(op) == xdsl_verifies(op)
        assert verifies(op) == (wrong is None and (count >= 2 if results else count in (1, 2)))


def test_a_block_without_a_region_and_an_op_of_another_block() -> None:
    module = module_of("broadcasts", "")
    op = next(iter(module.body.block.ops)).regions[0].block.first_op
    assert op is not None
    op.parent = Block()
    assert not verifies(module)
    with pytest.raises(ValueError, match="Parent pointer"):
        verify(module)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("isolated", [False, True])
def test_values_that_an_isolated_op_may_read(isolated: bool, deep: bool) -> None:
    value = test.TestOp(result_types=[i64])
    reader: Operation = test.TestOp(operands=[value.results[0]])
    if deep:
        reader = test.TestOp(regions=[Region(Block([reader, test.TestTermOp()]))])
    module = ModuleOp([value, ModuleOp([reader]) if isolated else reader])
    assert verifies(module) == xdsl_verifies(module) == (not isolated)


@irdl_op_definition
class SameOp(IRDLOperation):
    """Values of one type, or of types that agree."""

    name = "test.same"
    read: VarOperand = var_operand_def(AnyAttr())
    made: VarOpResult = var_result_def(AnyAttr())
    traits = traits_def(SameOperandsAndResultType())


@pytest.mark.parametrize(
    ("operands", "results", "expected"),
    [
        ([i64, IntegerType(64)], [i64], True),
        ([i64], [i64, i64], True),
        ([i64], [f32], False),
        ([i64, f32], [i64], False),
        ([i64], [i64, f32], False),
        ([TensorType(f32, [DYNAMIC_INDEX])], [TensorType(f32, [4])], True),
        ([TensorType(f32, [5])], [TensorType(f32, [4])], False),
        ([TensorType(f32, [4])], [f32], False),
        ([], [i64], False),
        ([i64], [], False),
        ([], [], False),
    ],
)
def test_types_that_have_to_agree(
    operands: list[Attribute], results: list[Attribute], expected: bool
) -> None:
    op = SameOp.create(operands=test.TestOp(result_types=operands).results, result_types=results)
    assert verifies(op) == xdsl_verifies(op) == expected
