"""What a cut carries past its kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

from snippets_mlir.analysis.engine.costs import Estimate
from snippets_mlir.driver.onnx.cuts.engine_cuts import plan_cuts
from snippets_mlir.driver.onnx.template import Numbering
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.targets.engine import ENGINE

IMAGE = 4 * 8 * 64 * 64
"""Bytes of an image of 8 channels."""


def gate(*, size: int = 64, beside: bool, folded: bool = False) -> Estimate:
    """The estimate of a Sin on the means of a convolution's image, which a later node reads again.

    `beside` says whether it is read after the Sin, or before; `folded` whether the weights of the
    last convolution are computed from constants.
    """
    w: dict[str, Any] = {"w": np.zeros((8, 8, 1, 1), np.float32)}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"]),
        helper.make_node("GlobalAveragePool", ["a"], ["m"]),
        helper.make_node("Sin", ["m"], ["s"]),
        helper.make_node("Conv", ["s", "w"], ["c"]),
        helper.make_node("Concat", ["a" if beside else "m", "c"], ["y"], axis=0),
    ]
    if beside:
        nodes[4:] = [
            helper.make_node("Conv", ["a", "w"], ["b"]),
            helper.make_node("GlobalAveragePool", ["b"], ["n"]),
            helper.make_node("Concat", ["n", "c"], ["y"], axis=0),
        ]
    if folded:
        w |= {"q": np.zeros((8, 8, 1, 1), np.int8), "scale": np.array(1, np.float32)}
        nodes[3].input[1] = "v"
        nodes.insert(0, helper.make_node("DequantizeLinear", ["q", "scale"], ["v"]))
    made = model(nodes, [value("x", [1, 8, size, size])], [value("y", [2, 8, 1, 1])], w)
    prepared, numbering = prepare_model(made), Numbering()
    imported = import_graph(prepared, sizes=numbering.number, hashed=False)
    (found,) = plan_cuts(imported, "x86-64-avx512", 1).candidates
    assert found.ops == ("snippets.sin",)
    return found


def test_an_image_that_crosses_the_cut_changes_its_layout_twice() -> None:
    apart, beside = gate(beside=False), gate(beside=True)
    assert beside.cut - apart.cut == pytest.approx(2 * ENGINE.layout_byte * IMAGE)
    assert beside.engine == apart.engine


def test_what_the_engine_folds_does_not_cross() -> None:
    assert gate(beside=True, folded=True).cut == gate(beside=True).cut


def test_a_large_model_drives_the_program_out_of_the_caches() -> None:
    # Three images of 4 MiB each.
    warm, cold = gate(beside=False), gate(size=512, beside=False)
    assert cold.cut - warm.cut == pytest.approx(ENGINE.cold)
    assert ENGINE.change(1, ENGINE.cache + 1) - ENGINE.change(1) == ENGINE.cold
