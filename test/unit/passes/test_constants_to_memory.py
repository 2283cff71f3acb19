"""Constants in memory: the same bits as without, in fewer instructions and no spills."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.host import host_target

PASS = "llvm-constants-to-memory"
FULL = PIPELINES["snippets-to-llvm"].replace(
    "snippets-set-target", "snippets-set-target{target=x86-64-avx2}", 1
)
VALUES = [0.0, -0.0, 1.5, -1.5, 1e-40, -80.0, 90.0, 1e30, np.inf, -np.inf, np.nan]


def _program(body: str, element: str, pipeline: str) -> snippets_mlir.Compiled:
    type = f"tensor<19x{element}>"
    text = f"""
    func.func @main(%x: {type}) -> {type} {{
      {body.format(type=type)}
      func.return %r : {type}
    }}"""
    return snippets_mlir.compile(text, pipeline=pipeline)


@pytest.mark.skipif(
    not host_target().startswith("x86-64-avx"), reason="this machine has no AVX2 to run it"
)
@pytest.mark.parametrize(
    ("element", "op"), sampled(product(("f32", "f64"), ("gelu", "swish", "tanh")), 2)
)
def test_the_bits_are_the_same(op: str, element: str) -> None:
    body = f"%r = snippets.{op} %x : {{type}}"
    x = np.resize(VALUES, 19).astype({"f32": np.float32, "f64": np.float64}[element])
    plain = _program(body, element, FULL.replace(f",{PASS}", ""))
    changed = _program(body, element, FULL)
    assert "@constant_0" not in plain.kernels[0].ir("llvm")
    assert "@constant_0" in changed.kernels[0].ir("llvm")
    assert plain(x).tobytes() == changed(x).tobytes()


def test_few_constants_stay_where_they_are() -> None:
    text = _program(
        "%r = snippets.exp %x : {type}", "f32", FULL.replace(PASS, f"{PASS}{{keeps=99}}")
    )
    assert "@constant_0" not in text.kernels[0].ir("llvm")


def test_a_negative_number_is_an_error() -> None:
    with pytest.raises(CompileError, match="expected keeps of 0 or more, found -1"):
        _program("%r = snippets.exp %x : {type}", "f32", FULL.replace(PASS, f"{PASS}{{keeps=-1}}"))
