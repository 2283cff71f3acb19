"""Topologies by hand: connections by id, mistakes that name both ids, the founding example."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    f32,
    i8,
    i64,
)
from xdsl.ir import SSAValue

import snippets_mlir
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.rectifiers import ReluOp
from snippets_mlir.frontends.topology import Topology
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

POOLS = Path(__file__).parents[3] / "docs" / "examples" / "programs" / "pools.mlir"
UNOPTIMISED = (
    "snippets-set-target,program-select-implementations,program-lower-implementations{merge=false}"
)
VECTOR = TensorType(f32, [4])


def pools() -> Topology:
    """The example of the founding document; ids are named before they are added."""
    small, both = TensorType(i8, [1, 1, 2, 7]), TensorType(i8, [1, 2, 2, 7])

    def pool(x: SSAValue) -> NodeOp:
        sizes = {"kernel_shape": [2, 2], "strides": [1, 1]}
        lists = {name: DenseArrayBase.from_list(i64, numbers) for name, numbers in sizes.items()}
        return NodeOp("MaxPool", [x], [small], version=13, attributes={**lists})

    def concat(*parts: SSAValue) -> NodeOp:
        axis = {"axis": IntegerAttr(1, i64)}
        return NodeOp("Concat", parts, [both], version=13, attributes={**axis})

    def copy(x: SSAValue) -> NodeOp:
        return NodeOp("Identity", [x], [both], version=13)

    t = Topology()
    t.add("copy", copy, ["concat"])
    t.add("concat", concat, ["pool0", "pool1"])
    t.add("pool0", pool, ["input0"])
    t.add("pool1", pool, ["input1"])
    t.input("input0", TensorType(i8, [1, 1, 3, 8]))
    t.input("input1", TensorType(i8, [1, 1, 3, 8]))
    t.output("copy")
    return t


def pooled(x: Any) -> Any:
    """The largest element of each 2x2 window."""
    return np.maximum.reduce([x[:, :, i : i + 2, j : j + 7] for i in (0, 1) for j in (0, 1)])


def sample() -> tuple[Any, Any]:
    """Two inputs with the extremes of int8."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-128, 128, (1, 1, 3, 8)).astype(np.int8) for _ in range(2))
    a[0, 0, 0, :2] = [-128, 127]
    return a, b


@pytest.mark.parametrize(
    ("pipeline", "executed"),
    [(None, ["pool0"]), (UNOPTIMISED, ["pool0", "pool1", "concat", "copy"])],
)
@pytest.mark.parametrize("source", ["text", "python"])
def test_the_founding_example(source: str, pipeline: str | None, executed: list[str]) -> None:
    """Optimised it is one session that names all ids, else a step for each."""
    given = POOLS.read_text(encoding="utf-8") if source == "text" else pools().module()
    program = snippets_mlir.compile(given, pipeline=pipeline)
    a, b = sample()
    expected = np.concatenate([pooled(a), pooled(b)], 1)
    np.testing.assert_array_equal(program.run({"input0": a, "input1": b})["copy"], expected)
    steps: Any = program.manifest["steps"]
    assert [step["node"] for step in steps] == executed
    named = [name for step in steps for name in (step["node"], *step["fused"])]
    assert sorted(named) == ["concat", "copy", "pool0", "pool1"]


def test_text_and_python_are_the_same_graph() -> None:
    ctx = make_context()
    text = parse_module(POOLS.read_text(encoding="utf-8"), ctx)
    made = parse_module(print_module(pools().module()), ctx)
    assert text.is_structurally_equivalent(made)


def test_a_value_is_read_twice_and_constants_are_named_late() -> None:
    t = Topology()
    t.input("x", VECTOR)
    t.add("twice", AddOp, ["x", "x"])
    t.add("sum", AddOp, ["twice", "w"])
    t.data("w", DenseIntOrFPElementsAttr.from_list(VECTOR, [1.0, 2.0, 3.0, 4.0]))
    t.output("sum", "y")
    t.output("twice")
    x = np.array([-0.0, 1, np.inf, -5], np.float32)
    y, twice = Interpreter(t.module()).run("main", [x])
    np.testing.assert_array_equal(twice, x + x)
    np.testing.assert_array_equal(y, x + x + np.arange(1, 5, dtype=np.float32))


def test_two_of_one_id_are_refused() -> None:
    t = Topology()
    t.input("x", VECTOR)
    t.add("a", ReluOp, ["x"])
    with pytest.raises(CompileError, match='two have the id "a": a primitive on "x", and a prim'):
        t.add("a", ReluOp, ["b"])
    with pytest.raises(CompileError, match='two have the id "x": an input, and a constant'):
        t.data("x", DenseIntOrFPElementsAttr.from_list(VECTOR, [1.0]))


def test_a_missing_id_is_refused() -> None:
    t = Topology()
    t.input("input0", VECTOR)
    t.add("a", ReluOp, ["input1"])
    with pytest.raises(CompileError, match='"a" reads "input1", which is not in the topology; did'):
        t.module()


def test_a_missing_output_is_refused() -> None:
    t = Topology()
    t.output("y")
    with pytest.raises(CompileError, match='the output reads "y", which is not in the topology'):
        t.module()
    t.input("x", VECTOR)
    with pytest.raises(CompileError, match='two outputs have the name "y": "y" and "x"'):
        t.output("x", "y")


def test_a_cycle_is_refused() -> None:
    t = Topology()
    t.add("a", ReluOp, ["c"])
    t.add("b", ReluOp, ["a"])
    t.add("c", ReluOp, ["b"])
    message = '"a" and "b" need each other: "a" reads "c" reads "b" reads "a"'
    with pytest.raises(CompileError, match=message):
        t.module()


MISTAKES: dict[str, tuple[Any, list[str], str]] = {
    "arity": (AddOp, ["x"], '"a": AddOp makes no op of ("x": tensor<4xf32>): BinaryOp.__init__() '),
    "shapes": (
        AddOp,
        ["x", "z"],
        '"a": AddOp makes no op of ("x": tensor<4xf32>, "z": tensor<5xf32>): C4: snippets.add oper',
    ),
    "not an op": (type, ["x"], '"a": type makes no op of ("x": tensor<4xf32>): expected an op, fo'),
    "no op": (int, ["x"], '"a": int makes no op of ("x": tensor<4xf32>): int() argument'),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_function_that_makes_no_op_is_refused(case: str) -> None:
    make, inputs, message = MISTAKES[case]
    t = Topology()
    t.input("x", VECTOR)
    t.input("z", TensorType(f32, [5]))
    t.add("a", make, inputs)
    t.output("a")
    with pytest.raises(CompileError, match=f"^{re.escape(message)}"):
        t.module()


def test_what_is_no_id_is_refused() -> None:
    t = Topology()
    t.input("x", VECTOR)
    with pytest.raises(CompileError, match=r"^\"a\": expected a list of ids as inputs, found 'x'$"):
        t.add("a", ReluOp, "x")
    for do in (lambda: t.add("", ReluOp, ["x"]), lambda: t.input("", VECTOR)):
        with pytest.raises(CompileError, match="expected an id, found an empty one"):
            do()
    with pytest.raises(CompileError, match='the output of "x": expected a name, found an empty'):
        t.output("x", "")


def test_a_topology_without_outputs_is_refused() -> None:
    t = Topology()
    t.input("x", VECTOR)
    with pytest.raises(CompileError, match=r"^@main: expected at least one output, found none$"):
        t.module()
