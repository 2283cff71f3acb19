"""Remainders of sizes, as shapes follow from them: Mod of known integers."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.frontends.onnx.shapes import infer_shapes


def remainders(divisors: list[int], fmod: int) -> onnx.ModelProto:
    """`Mod` of the sizes 7 and -7 by divisors, and something that a kernel computes."""
    nodes = [
        helper.make_node("Mod", ["a", "b"], ["c"], fmod=fmod),
        helper.make_node("Relu", ["x"], ["y"]),
    ]
    constants = {"a": np.array([7, -7]), "b": np.array(divisors)}
    return model(nodes, [value("x", [2, 3])], ["c", "y"], constants)


@pytest.mark.parametrize("fmod", [0, 1])
@pytest.mark.parametrize("divisors", [[3, 3], [-3, -3], [5, -5], [1, 7]])
def test_remainders_are_those_of_numpy(divisors: list[int], fmod: int):
    a, b = np.array([7, -7]), np.array(divisors)
    wanted = np.fmod(a, b) if fmod else np.mod(a, b)
    found = infer_shapes(remainders(divisors, fmod)).elements["c"]
    assert list(found.flat) == list(wanted)


@pytest.mark.parametrize("fmod", [0, 1])
def test_a_remainder_by_zero_is_no_known_number(fmod: int):
    snippets_mlir.compile(remainders([0, 3], fmod), mark_skipped="none")
