# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""The text of a traced function is that of its module, and a cached program needs no module."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numpy_expressions import expression
from sampled import sampled
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from snippets_mlir import CompileError, jit
from snippets_mlir.driver.settings import default_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

X = np.ones((4, 6), np.float32)
WIDE = np.ones(6)

FUNCTIONS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "an argument": (lambda x: x, (X,)),
    "no argument": (lambda: np.float32(1), ()),
    "names": (lambda größe, _, x_1: größe + _ * x_1, (X, X, X)),
    "a tree": (lambda d: (d["a b"].sum(0), d["%"] * 2), ({"a b": X, "%": WIDE},)),
    "two types": (lambda x, y: x + y, (X, WIDE)),
    "comparisons": (lambda x: np.where(x > 0, x, 1) + (x == 2), (X,)),
    "attributes": (lambda x: x.sum(1, keepdims=True) + x.max(), (X,)),
    "slices": (lambda x: x[1:, ::-1] - x[:-1], (X,)),
    "constants": (lambda x: x * np.arange(6, dtype="f4") + np.array([0.0, -0.0] * 3), (X,)),
    "integers": (lambda x: x + np.uint8(200) - (x > 3), (np.arange(6, dtype="u1"),)),
    "regions": (lambda x: np.cumsum(x, 0) + np.pad(x, 0), (X,)),
    "halves": (lambda x: x * 0.1 + np.float16(3), (X.astype("f2"),)),
    "special numbers": (
        lambda x: x * -0.0 + np.float32("nan") - np.inf + 1e-42 + 16777217.0 + 0.1,
        (X,),
    ),
    "special numbers of float64": (lambda x: x * -0.0 + np.nan - np.inf + 5e-324 + 0.1, (WIDE,)),
}


def same_text(text: str) -> None:
    assert print_module(parse_module(text, default_context())) == text


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_text_is_that_of_the_module(name: str) -> None:
    function, arguments = FUNCTIONS[name]
    same_text(jit(function).lower(*arguments).text)


def test_names_of_arguments_may_have_letters_of_all_languages() -> None:
    np.testing.assert_array_equal(jit(lambda größe: größe + 1)(WIDE), WIDE + 1)


@pytest.mark.parametrize("seed", sampled(range(60), 6))
def test_random_expressions_have_the_text_of_their_module(seed: int) -> None:
    text, arrays = expression(random.Random(seed))
    function = eval(f"lambda x, y, z: {text}", {"np": np})
    same_text(jit(function).lower(**arrays).text)
    try:
        lowered = jit(function).lower(**arrays, dynamic=True)
    except CompileError:
        return
    same_text(lowered.text)


def calls(function: Callable[[], object]) -> Counter[str]:
    """How often each Python function is called, and as `C` how often those in C are."""
    found: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            found[frame.f_code.co_qualname] += 1
        elif event == "c_call":
            found["C"] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return found


def test_a_cached_trace_makes_no_module(
    cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fresh() -> Any:
        return jit(lambda x: np.tanh(x) * 2 + 1)

    x = np.ones(64, np.float32)
    fresh()(x)
    fresh()(x)
    for made in (ModuleOp, FuncOp):
        monkeypatch.setattr(made, "__init__", lambda *_: pytest.fail("a module is made"))
    monkeypatch.setattr(Path, "home", lambda: pytest.fail("the directory is looked up again"))
    modules = {*sys.modules}
    again, results = fresh(), list[Any]()
    counted = calls(lambda: results.append(again(x)))
    assert {*sys.modules} == modules
    np.testing.assert_allclose(results[0], np.tanh(x) * 2 + 1, rtol=1e-6)
    # 2,400 with Python 3.11; 4,500 when a module was made and printed.
    assert counted.total() < 3000, counted.most_common(20)
