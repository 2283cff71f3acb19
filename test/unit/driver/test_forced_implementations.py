"""`force_impl` and rows of plug-ins on sources that are no graphs: functions, ONNX, StableHLO."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnx.helper
import onnx.parser
import pytest
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.implementations import registry

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def inputs_of(program: Any) -> list[Any]:
    """Random arrays for a program; dynamic sizes are 3."""
    rng = np.random.default_rng(0)
    shapes = [tuple(d if isinstance(d, int) else 3 for d in spec.shape) for spec in program.inputs]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def as_tuple(results: Any) -> tuple[Any, ...]:
    """The results of a call; one result comes without a tuple."""
    return cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)


def kinds(program: Any) -> Counter[str]:
    """How many nodes of the program that ran last have an implementation of each kind."""
    return Counter(re.findall(r'impl<"([\w-]+)"', program.ir("program")))


@pytest.mark.parametrize(
    ("name", "forced", "expected"),
    sampled(
        [
            ("two_outputs.mlir", ["*:reference"], {"reference": 2}),
            ("softmax.mlir", ["y:reference"], {"snippets": 1, "reference": 1}),
            ("softmax.mlir", ["*:snippets"], {"snippets": 1}),
            ("opaque.mlir", ["tanh:onnxruntime", "sigmoid:onnxruntime"], {"onnxruntime": 1}),
            ("attention.mlir", ["softmax:reference"], {"snippets": 2, "reference": 1}),
            ("mlp.onnx", ["probabilities:reference"], {"snippets": 2, "reference": 1}),
            ("silu.stablehlo.mlir", ["*:reference"], {"reference": 1}),
            ("dynamic.mlir", ["*:reference"], {"reference": 2}),
            ("image.onnx", ["h*:snippets"], {"snippets": 1, "onnxruntime": 2}),
            (
                "image.onnx",
                ["h0:reference", "h1:snippets"],
                {"snippets": 1, "reference": 1, "onnxruntime": 2},
            ),
        ],
        2,
    ),
)
def test_forced_steps_compute_the_same(
    name: str, forced: list[str], expected: dict[str, int]
) -> None:
    plain = snippets_mlir.compile(EXAMPLES / name)
    program = snippets_mlir.compile(EXAMPLES / name, force_impl=forced)
    arrays = inputs_of(plain)
    for _ in range(2):
        found, wanted = program(*arrays), plain(*arrays)
        for a, b in zip(as_tuple(found), as_tuple(wanted), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-6)
    assert kinds(program) == Counter(expected)


FOLDED = [
    "t = Transpose <perm = [1, 0]> (y) z = MatMul (x, t)",
    "s = Neg (x) t = Neg (s) z = Add (t, y)",
    "t = Sin (x) s = Sin (y) z = Tanh (x)",
]
"""In a product, of one another, unused."""


@pytest.mark.parametrize(("nodes", "kind"), alternating(FOLDED, ["snippets", "reference"]))
def test_a_pattern_matches_nodes_that_are_folded(nodes: str, kind: str) -> None:
    """A pattern that matches it alone is an error."""
    text = f"g (float[3, 3] x, float[3, 3] y) => (float[3, 3] z) {{ {nodes} }}"
    model = onnx.helper.make_model(onnx.parser.parse_graph(text))
    program = snippets_mlir.compile(model, force_impl=[f"*:{kind}"])
    assert {*kinds(program)} == {kind}
    arrays = inputs_of(program)
    np.testing.assert_allclose(
        program(*arrays), snippets_mlir.compile(model)(*arrays), rtol=2e-6, atol=2e-6
    )
    with pytest.raises(
        CompileError, match=r"no node matches 't'|'t' matches only nodes that are opt"
    ):
        snippets_mlir.compile(model, force_impl=["t:snippets"])


def test_a_function_of_numpy_arrays() -> None:
    @snippets_mlir.jit(force_impl=["tanh:reference"])
    def f(x: Any) -> Any:
        return np.tanh(x) * 2 + x

    x = np.linspace(-2, 2, 19, dtype=np.float32)
    np.testing.assert_allclose(f(x), np.tanh(x) * 2 + x, rtol=1e-6)
    assert kinds(f.lower(x).compile()) == Counter(snippets=1, reference=1)


def test_a_forced_program_is_another_one_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path))
    path = EXAMPLES / "two_outputs.mlir"
    plain = snippets_mlir.compile(path)
    forced = snippets_mlir.compile(path, force_impl=["gelu:reference"])
    again = snippets_mlir.compile(path, force_impl=["gelu:reference"])
    assert kinds(plain) == Counter(snippets=1)
    assert kinds(forced) == kinds(again) == Counter(snippets=1, reference=1)
    arrays = inputs_of(plain)
    for program in (forced, again):
        for a, b in zip(program(*arrays), plain(*arrays), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-6)


def test_what_cannot_run_is_refused() -> None:
    with pytest.raises(CompileError, match=r"onnxruntime is forced and refused it: snippets.softm"):
        snippets_mlir.compile(EXAMPLES / "softmax.mlir", force_impl=["y:onnxruntime"])
    with pytest.raises(CompileError, match='no node matches \'z\'; there are "add", "mult'):
        snippets_mlir.compile(EXAMPLES / "softmax.mlir", force_impl=["z:reference"])
    with pytest.raises(CompileError, match="found 'cuda'"):
        snippets_mlir.compile(EXAMPLES / "mlp.onnx", force_impl=["z:cuda"])


SMALL = """
from math import prod
from snippets_mlir.extend import Implementation, shape_of

def refusal(node):
    return None if all(prod(shape_of(v)) < 8 for v in node.outputs) else "it is large"

IMPLEMENTATIONS = [Implementation("small-steps", refusal)]
"""

FUNCTION = """func.func @main(%x: tensor<{size}xf32>) -> tensor<{size}xf32> {{
  %y = snippets.tanh %x : tensor<{size}xf32>
  func.return %y : tensor<{size}xf32>
}}"""


def test_rows_of_plugins_run_steps_of_functions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row before `snippets` takes what it fits, and nothing else."""
    monkeypatch.setattr(registry, "_rows", [*registry.implementations()])
    (tmp_path / "small.py").write_text(SMALL)
    for size, kind in ((7, "small-steps"), (8, "snippets")):
        text = FUNCTION.format(size=size)
        program = snippets_mlir.compile(text, plugins=[tmp_path / "small.py"])
        assert kinds(program) == Counter([kind])
        x = np.linspace(-1, 1, size, dtype=np.float32)
        np.testing.assert_allclose(program(x), np.tanh(x), rtol=1e-6)
