"""Softmaxes whose maximum passes over NaN: special values on every target, and their code."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from dataflow_runs import Array, after, compiled, interpreted, same_bits
from runnable import RUNNABLE
from sampled import sampled

from snippets_mlir.inspect.opt import assembly_text
from snippets_mlir.passes.pipelines import SNIPPETS_TO_LIR
from snippets_mlir.targets.host import host_target

PASS = "snippets-relax-maxima"
INF, NAN = np.inf, np.nan
SPECIAL = (
    [NAN],
    [-INF],
    [INF],
    [NAN, -INF],
    [-INF, NAN],
    [NAN, INF],
    [INF, NAN],
    [-INF, 1.0],
    [0.0, -0.0],
    [-0.0, 0.0],
    [-0.0],
    [-INF, -0.0],
    [3e38, -3e38],
    [1e-45, -1e-45],
)
SOFTMAX = "%y = snippets.divide %e, %s : ({x}, {r}) -> {x}"
LOGARITHM = "%l = snippets.log %s : {r}\n"
LOG_SOFTMAX = "%p = snippets.subtract %d, %l : ({x}, {r}) -> {x}"
LOG_SUM_EXP = "%z = snippets.add %l, %m : {r}"
FORMS: dict[str, tuple[str, tuple[str, ...]]] = {
    "softmax": (SOFTMAX, ("%y",)),
    "log_softmax": (LOGARITHM + LOG_SOFTMAX, ("%p",)),
    "log_sum_exp": (LOGARITHM + LOG_SUM_EXP, ("%z",)),
    "all": ("\n".join((LOGARITHM, SOFTMAX, LOG_SOFTMAX, LOG_SUM_EXP)), ("%y", "%p", "%z")),
}


def rows(form: str, shape: tuple[int, int], element: str = "f32") -> str:
    """A softmax, or what is like it, over the rows of `shape`, written out."""
    x, r = f"tensor<{shape[0]}x{shape[1]}x{element}>", f"tensor<{shape[0]}x1x{element}>"
    lines, results = FORMS[form]
    types = ", ".join(r if name == "%z" else x for name in results)
    outputs = ", ".join(f"%r#{index}" for index in range(len(results)))
    return f"""func.func @main(%x: {x}) -> ({types}) {{
      %r:{len(results)} = snippets.subgraph (%a = %x) : ({x}) -> ({types}) {{
        %m = snippets.reduce_max %a {{axes = array<i64: 1>, keep_dims}} : ({x}) -> {r}
        %d = snippets.subtract %a, %m : ({x}, {r}) -> {x}
        %e = snippets.exp %d : {x}
        %s = snippets.reduce_sum %e {{axes = array<i64: 1>, keep_dims}} : ({x}) -> {r}
        {lines.format(x=x, r=r)}
        snippets.yield {", ".join(results)} : {types}
      }}
      func.return {outputs} : {types}
    }}"""


def special_rows(columns: int, dtype: type[np.floating] = np.float32) -> Array:
    """Rows of special values only, and a NaN or an infinity at each end among random numbers."""
    rng = np.random.default_rng(columns)
    only = [np.resize(np.array(values, dtype), columns) for values in SPECIAL]
    mixed = rng.standard_normal((8, columns)).astype(dtype)
    for row, value in zip(mixed, (NAN, NAN, INF, INF, -INF, -INF), strict=False):
        row[0] = value
    mixed[1::2] = mixed[1::2, ::-1]
    mixed[6, columns // 2] = NAN
    return np.concatenate([np.stack(only), mixed])


@pytest.mark.parametrize(("form", "columns"), sampled(product(FORMS, [1, 2, 15, 16, 17, 200]), 2))
def test_no_result_changes(form: str, columns: int) -> None:
    for dtype, element in ((np.float32, "f32"), (np.float64, "f64")):
        x = special_rows(columns, dtype)
        text = rows(form, x.shape, element)
        module = after(text, PASS)
        assert [op.name for op in module.walk() if "reduce_max" in op.name] == [
            "snippets.reduce_maxnum"
        ]
        for found, expected in zip(interpreted(module, [x]), interpreted(text, [x]), strict=True):
            assert same_bits(found, expected)


def to_lir(target: str, relaxed: bool = True) -> str:
    """The pipeline to the linear IR for a target, with the pass or without it."""
    names = [name for name in SNIPPETS_TO_LIR[1:] if name != PASS]
    if relaxed:
        names.insert(names.index("snippets-share-reciprocals"), PASS)
    return ",".join((f"snippets-set-target{{target={target}}}", *names))


@pytest.mark.parametrize(
    ("columns", "target"), sampled([(n, target) for n in (1, 17, 70) for target in RUNNABLE], 2)
)
def test_kernels_keep_nan_and_infinities(target: str, columns: int) -> None:
    """Bit by bit what kernels with the strict maximum compute."""
    x = special_rows(columns)
    text = rows("all", x.shape)
    results, expected = (
        compiled(after(text, to_lir(target, relaxed)), [x]) for relaxed in (True, False)
    )
    bad = ~(np.isfinite(x) | (x == -INF)).all(1) | (x == -INF).all(1)
    for found, wanted in zip(results, expected, strict=True):
        assert same_bits(found, wanted)
        nan = np.isnan(found)
        assert (nan.all(1) == bad).all()
        assert (nan.any(1) == bad).all()


@pytest.mark.parametrize("target", RUNNABLE)
@pytest.mark.parametrize("columns", [17, 70])
def test_the_maximum_itself_passes_over_nan(target: str, columns: int) -> None:
    """The largest of what is no NaN, in kernels as in the interpreter; zeros of either sign."""
    x = special_rows(columns)
    t, r = f"tensor<{len(x)}x{columns}xf32>", f"tensor<{len(x)}xf32>"
    text = f"""func.func @main(%x: {t}) -> {r} {{
      %0 = snippets.reduce_maxnum %x {{axes = array<i64: 1>}} : ({t}) -> {r}
      func.return %0 : {r}
    }}"""
    expected = np.fmax.reduce(x, axis=1, initial=np.float32(-INF))
    np.testing.assert_array_equal(interpreted(text, [x])[0], expected)
    (found,) = compiled(after(text, to_lir(target)), [x])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("target", "keeps"), [("x86-64-avx512", "vpmovd2m"), ("x86-64-avx2", "vcmpunordps")]
)
def test_a_maximum_is_one_instruction(target: str, keeps: str) -> None:
    """What keeps NaN is in the code of a maximum, and not in that of a softmax."""
    x, r = "tensor<4x64xf32>", "tensor<4xf32>"
    largest = f"snippets.reduce_max %x {{axes = array<i64: 1>}} : ({x}) -> {r}"
    for op, result in ((f"snippets.softmax %x {{axis = 1 : i64}} : {x}", x), (largest, r)):
        text = f"func.func @main(%x: {x}) -> {result} {{ %0 = {op} func.return %0 : {result} }}"
        code = assembly_text(after(text, f"{to_lir(target)},lir-to-vector,vector-to-llvm"))
        assert "vmaxps" in code
        assert (keeps in code) == (op == largest)


def test_the_order_of_dims_does_not_matter() -> None:
    """Along the first axis the lanes are rows of their own, and the tail has lanes of no row."""
    x = np.ascontiguousarray(special_rows(9).T)
    text = f"""func.func @main(%x: tensor<9x{x.shape[1]}xf32>) -> tensor<9x{x.shape[1]}xf32> {{
      %0 = snippets.softmax %x {{axis = 0 : i64}} : tensor<9x{x.shape[1]}xf32>
      func.return %0 : tensor<9x{x.shape[1]}xf32>
    }}"""
    (found,) = compiled(after(text, to_lir(host_target())), [x])
    (expected,) = interpreted(text, [x])
    assert (np.isnan(found) == np.isnan(expected)).all()
    np.testing.assert_allclose(found, expected, 1e-6, 1e-30)
