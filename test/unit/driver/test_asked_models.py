"""ONNX models whose steps the registry chooses: rows of plug-ins with costs, forced kinds, cuts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from image_models import HARD_SWISH, between_convolutions
from onnx import helper
from onnx_models import model, value
from xdsl.ir import Operation

import snippets_mlir
from snippets_mlir.analysis.cost import Model
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts, plan_cuts
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.implementations import registry

ROW = """
from snippets_mlir.extend import ComputeOp, Implementation
from snippets_mlir.targets.implementations.registry import computing_ops

def refusal(node):
    return None if all(isinstance(op, ComputeOp) for op in computing_ops(node)) else "not ours"

IMPLEMENTATIONS = [Implementation("mine", refusal, cost=lambda node: {cost})]
"""


def chain(rows: int | str) -> onnx.ModelProto:
    """Elu and Mul between two nodes that onnxruntime alone runs."""
    nodes = [
        helper.make_node("ReverseSequence", ["x", "lengths"], ["a"], name="before"),
        helper.make_node("Elu", ["a"], ["model/b"], name="soft"),
        helper.make_node("Mul", ["model/b", "a"], ["c"], name="gate"),
        helper.make_node("ReverseSequence", ["c", "lengths"], ["y"], name="after"),
    ]
    lengths = {"lengths": np.full(64, 1, np.int64)}
    return model(nodes, [value("x", (rows, 64))], ["y"], lengths)


def kinds(program: Any) -> Counter[str]:
    """How many nodes of the program have an implementation of each kind."""
    return Counter(re.findall(r'impl<"([\w-]+)"', program.ir("program")))


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry is as it was when the test ends."""
    monkeypatch.setattr(registry, "_rows", [*registry.implementations()])


@cache
def called(size: int) -> tuple[onnx.ModelProto, Any, Any]:
    """A model, an array for it, and the result without a plug-in."""
    made = chain(size)
    x = np.random.default_rng(0).standard_normal((size, 64)).astype(np.float32)
    return made, x, snippets_mlir.compile(made, num_threads=1)(x)


def compiled(made: onnx.ModelProto, tmp_path: Path, cost: str, **options: Any) -> Any:
    """The program of a model with a plug-in whose row has a cost."""
    plugin = tmp_path / "mine.py"
    plugin.write_text(ROW.format(cost=cost))
    return snippets_mlir.compile(made, plugins=[plugin], num_threads=1, **options)


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize(
    ("size", "cost", "expected"),
    [
        (1 << 15, "1000", {"mine": 1, "onnxruntime": 2}),  # less than a kernel, and it pays
        (1 << 15, "10**9", {"snippets": 1, "onnxruntime": 2}),  # a kernel costs less, and pays
        (1 << 15, "None", {"mine": 1, "onnxruntime": 2}),  # no cost: its priority
        (4, "100", {}),  # less than a kernel, and the cut costs more than it saves
        (4, "None", {"mine": 1, "onnxruntime": 2}),
    ],
)
def test_a_row_of_a_plugin_wins_a_candidate_by_its_cost(
    tmp_path: Path, size: int, cost: str, expected: dict[str, int]
) -> None:
    made, x, plain = called(size)
    program = compiled(made, tmp_path, cost)
    np.testing.assert_allclose(program(x), plain, rtol=1e-5, atol=1e-6)
    if expected:
        assert kinds(program) == Counter(expected)
    assert bool(program.kernels) == ("snippets" in expected)
    (line,) = program.cuts
    assert line.startswith("mine:" if "mine" in expected else "kernel:" if expected else "engine:")


@pytest.mark.usefixtures("rows")
def test_a_row_is_asked_for_the_sizes_of_each_call(tmp_path: Path) -> None:
    """The same model: small calls stay one session, large ones are cut for the row."""
    made = chain("n")
    program, plain = compiled(made, tmp_path, "1000"), snippets_mlir.compile(made)
    for size, expected in ((1 << 15, 3), (4, 1), (1 << 15, 3), (1, 1)):
        x = np.random.default_rng(size).standard_normal((size, 64)).astype(np.float32)
        np.testing.assert_allclose(program(x), plain(x), rtol=1e-5, atol=1e-6)
        assert sum(kinds(program).values()) == expected, size
    (line,) = program.cuts
    assert line.endswith("dynamic dims count as 64")


REFUSING = """
from snippets_mlir.extend import Implementation

IMPLEMENTATIONS = [Implementation("never", lambda node: "it never runs anything")]
"""


@pytest.mark.usefixtures("rows")
def test_rows_that_take_nothing_change_nothing(tmp_path: Path) -> None:
    """A model keeps its kernels inside of the session, and its cuts."""
    (tmp_path / "never.py").write_text(REFUSING)
    for made in (between_convolutions(HARD_SWISH, 64, (4, 3, 96, 96)), chain(1 << 15)):
        plain = snippets_mlir.compile(made, num_threads=1)
        program = snippets_mlir.compile(made, num_threads=1, plugins=[tmp_path / "never.py"])
        assert plain.kernels
        assert [k.ops for k in program.kernels] == [k.ops for k in plain.kernels]
        assert program.cuts == plain.cuts


@pytest.mark.parametrize(
    ("force", "expected"),
    [
        ("model_b:snippets", {"snippets": 1, "onnxruntime": 2}),  # its candidate does not pay
        ("soft:snippets", {"snippets": 1, "onnxruntime": 2}),  # the node, not its result
        ("model/*:snippets", {"snippets": 1, "onnxruntime": 2}),  # its result in the model
        ("gate:reference", {"reference": 1, "onnxruntime": 2}),
        ("soft:onnxruntime", {"onnxruntime": 1}),
        ("before:onnxruntime", {"onnxruntime": 1}),
        ("*:onnxruntime", {"onnxruntime": 1}),
    ],
)
def test_what_is_not_forced_is_chosen_by_the_cost_model(
    force: str, expected: dict[str, int]
) -> None:
    """A kernel does not pay for a few numbers: nothing but what is forced leaves the session."""
    made = chain(4)
    x = np.random.default_rng(0).standard_normal((4, 64)).astype(np.float32)
    program = snippets_mlir.compile(made, num_threads=1, force_impl=[force])
    np.testing.assert_allclose(
        program(x), snippets_mlir.compile(made, num_threads=1)(x), rtol=1e-5, atol=1e-6
    )
    assert kinds(program) == Counter(expected)


def planned(made: onnx.ModelProto) -> Cuts:
    """The plan of a model."""
    return plan_cuts(import_graph(prepare_model(made)), "x86-64-avx2", 1)


def test_the_plan_has_the_costs_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a row of the registry says is what the plan weighs."""
    (before,) = planned(chain(1 << 15)).candidates

    def slow(model: Model, ops: Sequence[Operation], /, *, after_session: bool = True) -> float:
        return 10.0**12

    rows = [
        replace(row, estimate=slow) if row.kind == "snippets" else row
        for row in registry.implementations()
    ]
    monkeypatch.setattr(registry, "_rows", rows)
    cuts = planned(chain(1 << 15))
    (after,) = cuts.candidates
    assert (after.engine, after.cut) == (before.engine, before.cut)
    assert before.kernel < 10.0**12 == after.kernel
    assert not cuts.kernels


def test_ops_forced_elsewhere_are_no_end_of_a_session() -> None:
    """A kernel beside what NumPy runs cuts half of a session, not a whole one."""
    (plain,) = planned(chain(1 << 15)).candidates
    imported = import_graph(prepare_model(chain(1 << 15)))
    product = next(op for op in imported.origins if op.name == "snippets.multiply")
    cuts = plan_cuts(imported, "x86-64-avx2", 1, forced={product: "reference"})
    (half,) = cuts.candidates
    assert half.ops == ("snippets.elu",)
    assert 0 < half.cut < plain.cut
