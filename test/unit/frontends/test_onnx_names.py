"""Names of ONNX values as names of SSA values, and errors of any type as one of ours."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, silu, value

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module


def test_names_that_are_numbers():
    nodes = [
        helper.make_node("Sigmoid", ["387"], ["388"]),
        helper.make_node("Mul", ["387", "388"], ["389"]),
    ]
    m = snippets_mlir.compile(model(nodes, [value("387", [4])], [value("389", [4])]))
    x = np.linspace(-2, 2, 4, dtype=np.float32)
    np.testing.assert_allclose(m.run({"387": x})["389"], silu(x), 1e-6)


def test_numbers_in_names_stay_with_their_values():
    nodes = [
        helper.make_node("Abs", ["12"], ["conv_7"]),
        helper.make_node("Exp", ["conv_7"], ["conv_3"]),
        helper.make_node("Neg", ["conv_3"], ["conv_1_2"]),
    ]
    text = print_module(import_model(model(nodes, [value("12", [4])], [value("conv_1_2", [4])])))
    assert "%conv.7 = snippets.abs %v12" in text
    assert "%conv.3 = snippets.exp %conv.7" in text
    assert "%conv_1.2 = snippets.negative %conv.3" in text


def test_names_that_become_equal_stay_distinct():
    names = ["a b", "a_b", "a:b", "a.b"]
    nodes = [helper.make_node("Sub", names[:2], ["y"]), helper.make_node("Sub", names[2:], ["z"])]
    made = model(nodes, [value(n, [2]) for n in names], ["y", "z"])
    x = [np.array([n, -n], np.float32) for n in (1, 20, 300, 4000)]
    m = snippets_mlir.compile(made)
    found = m.run(dict(zip(names, x, strict=True)))
    np.testing.assert_array_equal(found["y"], x[0] - x[1])
    np.testing.assert_array_equal(found["z"], x[2] - x[3])


@pytest.mark.parametrize("error", [ValueError, KeyError, RecursionError, TypeError, MemoryError])
def test_an_import_fails_with_one_kind_of_error(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
):
    def fail(*_: object) -> None:
        raise error("words of a library")

    monkeypatch.setattr("snippets_mlir.frontends.onnx.graph.GraphImport.run", fail)
    made = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", [2])], ["y"])
    with pytest.raises(CompileError, match=f"imported: {error.__name__}: .*words of a library"):
        snippets_mlir.compile(made, fallback="error")
