"""ONNX's node cases through the ONNX backend, with no node run by onnxruntime."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import op_families
import pytest
from onnx import helper
from onnx.backend.base import DeviceType
from onnx_models import model, samples, single, value
from sampled import sampled
from shape_truth import mistakes_of_case

from snippets_mlir.frontends.onnx.mapping import ROWS
from snippets_mlir.integrations.onnx_backend import SnippetsBackend, parameters
from snippets_mlir.integrations.onnx_cases import (
    ALONG_INPUTS,
    FAILED,
    NOT_ALONE,
    NOT_SUPPORTED,
    PASSED,
    node_cases,
    required,
    run_case,
)
from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools.onnx_report import main


def no_pooling(padded: Any, x_shape: Sequence[int], k: Any, s: Any, out: Any, *_: Any, **__: Any):
    """In place of ONNX's loops over windows: zeros of the right shape."""
    return np.zeros((*x_shape[:2], *out), padded.dtype)


with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
    # ONNX computes NaN and overflow on purpose when it makes its cases.
    warnings.simplefilter("ignore")
    # Three quarters of its time are results of pooling, which is not compiled.
    patch.setattr("onnx.reference.ops.op_pool_common.pool", no_pooling)
    # Half of the rest is the source text of the cases, which ONNX's documentation shows.
    patch.setattr("onnx.backend.test.case.base.process_snippet", lambda *_: ("", ""))  # pyright: ignore
    CASES = node_cases()
ELEMENTWISE = {r.onnx.operator for r in op_families.ELEMENTWISE if r.onnx is not None}
REQUIRED = [case for case in CASES if required(case.model)]


def chosen(cases: Sequence[Any]) -> list[Any]:
    """The cases without those that repeat another one.

    Left out are reductions of random numbers where an example has the same sizes, cases written out
    as functions of the same operators, and attentions that differ from another one in sizes alone:
    `test_onnx_attention.py` interprets all of these. Of attentions that differ in sizes alone, each
    group has another of the sizes. `python -m snippets_mlir.tools.onnx_report` runs all cases.
    """
    names = {case.name for case in cases}
    groups: dict[object, list[Any]] = {}
    for case in cases:
        example = case.name.replace("_random", "_example")
        if case.name == example or example not in names:
            groups.setdefault(_likeness(case), []).append(case)
    return [group[place % len(group)] for place, group in enumerate(groups.values())]


def _likeness(case: Any) -> object:
    """What cases have in common of which one is enough."""
    nodes = case.model.graph.node
    if "_expanded" in case.name:
        return frozenset(node.op_type for node in nodes)
    if [node.op_type for node in nodes] != ["Attention"]:
        return case.name
    types = [value.type.tensor_type for value in case.model.graph.input]
    return (
        *(attribute.name for attribute in nodes[0].attribute),
        *map(bool, (*nodes[0].input, *nodes[0].output)),
        *((type_.elem_type, len(type_.shape.dim)) for type_ in types),
    )


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


def of_each_operator(cases: Sequence[Any], part: int) -> list[Any]:
    """One of each `part` cases that have the same operators.

    Of elementwise operators it is those of one of three: tests of records have the values of all.
    """
    groups: dict[frozenset[str], list[Any]] = {}
    for case in cases:
        groups.setdefault(frozenset(n.op_type for n in case.model.graph.node), []).append(case)
    plain = [next(iter(names)) for names in groups if len(names) == 1 and names <= ELEMENTWISE]
    kept = {name for at in range(0, len(plain), 3) for name in sampled(plain[at : at + 3], 3)}
    left = [g for names, g in groups.items() if not names <= ELEMENTWISE or names & kept]
    return [case for group in left for case in sampled(group, part)]


@pytest.mark.parametrize("case", of_each_operator(chosen(REQUIRED), 8), ids=lambda c: c.name)
def test_required_case_passes_without_onnxruntime(case: Any):
    outcome = run_case(case, num_threads=1)
    assert outcome.status == PASSED, outcome


def test_inferred_shapes_of_cases_with_dynamic_sizes():
    checked = {case.name: mistakes_of_case(case) for case in sampled(chosen(CASES), 2)}
    assert not {name: wrong for name, (wrong, _) in checked.items() if wrong}
    assert sum(unknown for _, unknown in checked.values()) < len(checked) / 8


def test_pooling_is_not_compiled():
    assert not {"AveragePool", "LpPool", "MaxPool"} & set(ROWS)


def test_every_operator_that_onnx_has_cases_for_is_required():
    """The filter leaves no operator of the mapping out, but those whose types are not compiled."""
    covered = {node.op_type for case in REQUIRED for node in case.model.graph.node}
    tested = {node.op_type for case in CASES for node in case.model.graph.node}
    assert tested & set(ROWS) - covered == {*NOT_ALONE, *ALONG_INPUTS}
    assert len(REQUIRED) > 500
    assert len(chosen(REQUIRED)) > 380


def test_case_with_another_operator_is_not_supported():
    (case,) = [c for c in CASES if c.name == "test_det_2d"]
    outcome = run_case(case)
    assert (outcome.status, outcome.detail) == (NOT_SUPPORTED, "Det")


def test_backend_interface():
    x = samples(np.float32, 4)
    node = helper.make_node("Relu", ["x"], ["y"])
    (found,) = SnippetsBackend.run_node(node, [x], fallback="error")
    np.testing.assert_array_equal(found, np.maximum(x, 0))
    made = model([node], [value("x", [4])], ["y"])
    for inputs in ([x], {"x": x}, x):
        (found,) = SnippetsBackend.prepare(made).run(inputs)
        np.testing.assert_array_equal(found, np.maximum(x, 0))
    assert SnippetsBackend.supports_device("CPU")
    assert not SnippetsBackend.supports_device("CUDA")
    assert DeviceType.CPU == 0
    with pytest.raises(CompileError, match="expected the device CPU, found CUDA"):
        SnippetsBackend.prepare(made, "CUDA")


def test_fallback_is_an_option():
    x = samples(np.float32, 4)
    made = single("LpNormalization", [x], p=1)
    assert SnippetsBackend.is_compatible(made)
    assert not SnippetsBackend.is_compatible(made, fallback="error")
    (found,) = SnippetsBackend.run_model(made, [x])
    np.testing.assert_allclose(np.abs(found).sum(), 1, 1e-6)


def test_axes_are_parameters():
    """A model whose inputs say axes is compiled once for each of their values, when it runs."""
    x = samples(np.float32, 6).reshape(2, 3)
    made = single("ReduceSum", [x, np.array([0])], result=value("y0", [None, None]))
    assert parameters(made) == ("x1",)
    rep = SnippetsBackend.prepare(made, fallback="error")
    for axis in (0, 1, -1, 0):
        (found,) = rep.run([x, np.array([axis])])
        np.testing.assert_allclose(found, x.sum(axis, keepdims=True), 1e-6)
    with pytest.raises(CompileError, match=r"C7: snippets\.reduce_sum"):
        rep.run({"x0": x, "x1": np.array([2])})
    assert parameters(single("ReduceSum", [x, np.array([0])], constants=[1])) == ()


def test_wrong_results_and_errors_are_failures():
    (case,) = [c for c in CASES if c.name == "test_reduce_sum_keepdims_example"]
    ((inputs, expected),) = case.data_sets
    for data, detail in (
        ((inputs, [expected[0] + 1]), "output 0"),
        ((inputs, [expected[0][..., 0]]), "expected float32"),
        (([inputs[0], inputs[1] + 9], expected), "C7"),
    ):
        outcome = run_case(dataclasses.replace(as_case(case), data_sets=[data]))
        assert outcome.status == FAILED
        assert detail in outcome.detail


@dataclasses.dataclass(frozen=True)
class OneCase:
    name: str
    model: Any
    data_sets: Any
    rtol: float
    atol: float


def as_case(case: Any) -> OneCase:
    """A copy of a case of ONNX."""
    return OneCase(case.name, case.model, case.data_sets, case.rtol, case.atol)


def test_report(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert main(["--filter", "test_softsign"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("passed: ")
    assert main(["--filter", "det_2d", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["passed"] == 0
    assert table["not supported"]["Det"] >= 1
    assert main(["--filter", "no such case"]) == 1
    assert "no case has 'no such case'" in capsys.readouterr().err
