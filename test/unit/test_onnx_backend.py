"""ONNX's node cases through the ONNX backend, with no node run by onnxruntime."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx.backend.base import DeviceType
from onnx_models import model, samples, single, value

from snippets_mlir.errors import CompileError
from snippets_mlir.frontend.onnx.mapping import ROWS
from snippets_mlir.onnx_backend import (
    NOT_SUPPORTED,
    PASSED,
    SnippetsBackend,
    node_cases,
    required,
    run_case,
)
from snippets_mlir.tools.onnx_report import main

with warnings.catch_warnings():
    # ONNX computes NaN and overflow on purpose when it makes its cases.
    warnings.simplefilter("ignore")
    CASES = node_cases()
REQUIRED = [case for case in CASES if required(case.model)]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("case", REQUIRED, ids=lambda c: c.name)
def test_required_case_passes_without_onnxruntime(case: Any):
    outcome = run_case(case, num_threads=1)
    assert outcome.status == PASSED, outcome


def test_every_operator_that_onnx_has_cases_for_is_required():
    """The filter leaves no operator of the mapping out, but those whose types are not compiled."""
    covered = {node.op_type for case in REQUIRED for node in case.model.graph.node}
    tested = {node.op_type for case in CASES for node in case.model.graph.node}
    assert not tested & set(ROWS) - covered
    assert len(REQUIRED) > 250


def test_case_with_another_operator_is_not_supported():
    (case,) = [c for c in CASES if c.name == "test_softmax_axis_0"]
    outcome = run_case(case)
    assert (outcome.status, outcome.detail) == (NOT_SUPPORTED, "Softmax")


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
    made = single("Softmax", [x])
    assert SnippetsBackend.is_compatible(made)
    assert not SnippetsBackend.is_compatible(made, fallback="error")
    (found,) = SnippetsBackend.run_model(made, [x])
    np.testing.assert_allclose(found.sum(), 1, 1e-6)


def test_report(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert main(["--filter", "test_softsign"]) == 0
    assert capsys.readouterr().out.splitlines()[0].startswith("passed: ")
    assert main(["--filter", "softmax_axis_0", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["passed"] == 0
    assert table["not supported"]["Softmax"] >= 1
    assert main(["--filter", "no such case"]) == 1
    assert "no case has 'no such case'" in capsys.readouterr().err
