"""Softmax, normalizations and reductions, taken apart, compute the same bits as before."""

from __future__ import annotations

from importlib import import_module
from itertools import product

import numpy as np
import pytest
from dataflow_runs import Array, after, interpreted, same_bits
from sampled import sampled

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i8": np.int8, "ui8": np.uint8}
INF, NAN = float("inf"), float("nan")


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


def special_rows(element: str) -> Array:
    """Rows of 9: random, huge, tiny, equal, zeros of both signs, infinities, NaN."""
    rng = np.random.default_rng(3)
    limit = 1.7e308 if element == "f64" else 3.4e38
    rows = [
        rng.standard_normal(9),
        rng.standard_normal(9) * 1e4,
        rng.standard_normal(9) * 1e-30 + 1000.0,
        np.full(9, 2.5),
        np.array([0.0, -0.0, *[-0.0] * 7]),
        np.full(9, -0.0),
        np.array([limit, -limit, 1.0, *[0.0] * 6]),
        np.array([1.0, NAN, *[0.5] * 7]),
        np.array([1.0, INF, *[0.5] * 7]),
        np.array([1.0, -INF, *[0.5] * 7]),
        np.array([INF, -INF, *[0.5] * 7]),
        np.full(9, -INF),
        np.full(9, INF),
    ]
    with np.errstate(over="ignore"):
        return np.array(rows).astype(DTYPES[element])


def same_before_and_after(text: str, pipeline: str, arrays: list[Array]) -> list[Array]:
    """The results, which have the same bits after `pipeline`."""
    module = after(text, pipeline)
    expected, found = interpreted(text, arrays), interpreted(module, arrays)
    assert all(same_bits(f, e) for f, e in zip(found, expected, strict=True))
    return found


def unary(op: str, attributes: str, shape: tuple[int, ...], element: str) -> str:
    type_ = tensor(shape, element)
    return (
        f"func.func @main(%x: {type_}) -> {type_} {{\n"
        f"  %0 = snippets.{op} %x {{{attributes}}} : {type_}\n  func.return %0 : {type_}\n}}"
    )


def per_channel(op: str, attributes: str, shape: tuple[int, ...], count: int) -> str:
    x, p = tensor(shape, "f32"), tensor((shape[1],), "f32")
    names = [f"%p{i}" for i in range(count)]
    return (
        f"func.func @main(%x: {x}, {', '.join(f'{n}: {p}' for n in names)}) -> {x} {{\n"
        f"  %0 = snippets.{op} %x, {', '.join(names)} {{{attributes}}} : "
        f"({x}, {', '.join(p for _ in names)}) -> {x}\n  func.return %0 : {x}\n}}"
    )


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_softmax_of_special_rows(op: str, element: str) -> None:
    x = special_rows(element)
    text = unary(op, "axis = 1 : i64", x.shape, element)
    (found,) = same_before_and_after(text, "snippets-decompose-softmax", [x])
    with np.errstate(all="ignore"):
        wide = x.astype(np.longdouble)
        distance = wide - wide.max(1, keepdims=True)
        total = np.exp(distance).sum(1, keepdims=True)
        wide = np.exp(distance) / total if op == "softmax" else distance - np.log(total)
        oracle = wide.astype(x.dtype)
    info = np.finfo(x.dtype)
    absolute = float(info.tiny if op == "softmax" else 4 * info.eps)
    np.testing.assert_allclose(found, oracle, rtol=20 * float(info.eps), atol=absolute)
    assert np.isnan(found[7:9]).all()
    assert np.isnan(found[10:]).all()
    assert not np.isnan(found[9]).any()


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (1, 1), (4, 1), (2, 3, 1, 5)])
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_softmax_of_every_axis(op: str, shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(5).standard_normal(shape).astype(np.float32)
    for axis in range(len(shape)):
        text = unary(op, f"axis = {axis} : i64", shape, "f32")
        same_before_and_after(text, "snippets-decompose-softmax", [x])


NORMS = (
    "layer_norm %x {axis = 1 : i64, epsilon = 1.0e-5 : f64}",
    "rms_norm %x {axis = 1 : i64, epsilon = 1.0e-6 : f64}",
    "mvn %x {axes = array<i64: 1>, epsilon = 1.0e-9 : f64, normalize_variance}",
    "mvn %x {axes = array<i64: 0, 1>, epsilon = 1.0e-9 : f64}",
    'mvn %x {axes = array<i64: 1>, epsilon = 0.1 : f64, eps_mode = "outside_sqrt", '
    "normalize_variance}",
)


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("norm", NORMS)
def test_norms_of_special_rows(norm: str, element: str) -> None:
    x = special_rows(element)
    op, _, attributes = norm.partition(" %x {")
    text = unary(op, attributes.rstrip("}"), x.shape, element)
    same_before_and_after(text, "snippets-decompose-norms", [x])


def test_layer_norm_is_close_to_the_real_value() -> None:
    """Far from zero, where squares minus the squared mean would have no digit left."""
    x = (np.random.default_rng(6).standard_normal((7, 300)) + 1000.0).astype(np.float32)
    text = unary("layer_norm", "axis = 1 : i64, epsilon = 1.0e-5 : f64", x.shape, "f32")
    (found,) = same_before_and_after(text, "snippets-decompose-norms", [x])
    wide = x.astype(np.float64)
    distance = wide - wide.mean(1, keepdims=True)
    oracle = distance / np.sqrt((distance * distance).mean(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(found, oracle, atol=2e-4)


CHANNELS = [
    ("group_norm", "num_groups = 3 : i64, ", (2, 6, 5), 2),
    ("group_norm", "num_groups = 1 : i64, ", (2, 6, 5), 2),
    ("group_norm", "num_groups = 6 : i64, ", (2, 6, 5, 3), 2),
    ("group_norm", "num_groups = 2 : i64, ", (3, 6), 2),
    ("group_norm", "num_groups = 1 : i64, ", (2, 1, 4), 2),
    ("group_norm", "num_groups = 2 : i64, ", (2, 6, 0), 2),
    ("group_norm", "num_groups = 2 : i64, ", (0, 6, 4), 2),
    ("group_norm", "num_groups = 2 : i64, ", (2, 0, 4), 2),
    ("instance_norm", "", (2, 3, 4, 5), 2),
    ("instance_norm", "", (2, 3), 2),
    ("instance_norm", "", (2, 3, 0), 2),
    ("batch_norm", "", (2, 3, 4), 4),
    ("batch_norm", "", (2, 3), 4),
]


@pytest.mark.parametrize(("op", "attributes", "shape", "count"), CHANNELS)
def test_norms_over_channels(op: str, attributes: str, shape: tuple[int, ...], count: int) -> None:
    rng = np.random.default_rng(7)
    x = rng.standard_normal(shape).astype(np.float32)
    parameters = [rng.random(shape[1]).astype(np.float32) for _ in range(count)]
    text = per_channel(op, f"{attributes}epsilon = 1.0e-5 : f64", shape, count)
    same_before_and_after(text, "snippets-decompose-norms", [x, *parameters])


def test_group_norm_is_close_to_the_real_value() -> None:
    rng = np.random.default_rng(8)
    x, s, b = (rng.standard_normal(n).astype(np.float32) for n in ((2, 6, 50), 6, 6))
    text = per_channel("group_norm", "num_groups = 3 : i64, epsilon = 1.0e-5 : f64", x.shape, 2)
    (found,) = same_before_and_after(text, "snippets-decompose-norms", [x, s, b])
    groups = x.astype(np.float64).reshape(2, 3, 100)
    distance = groups - groups.mean(2, keepdims=True)
    normal = distance / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    oracle = normal.reshape(x.shape) * s[:, None] + b[:, None]
    np.testing.assert_allclose(found, oracle, atol=1e-5)


KINDS = ("sum", "mean", "max", "min", "prod")
AXES = ((), (0,), (1,), (2,), (0, 2), (0, 1, 2))
SHAPES = ((2, 3, 4), (1, 3, 1), (2, 0, 4), (1, 1, 1), (0, 1, 3))


def all_reductions(shape: tuple[int, ...], element: str) -> str:
    """A function with every reduction of an array."""
    lines: list[str] = []
    types: list[str] = []
    for kind, axes, keep in product(KINDS, AXES, (True, False)):
        kept = [1 if d in axes else s for d, s in enumerate(shape) if keep or d not in axes]
        types.append(tensor(tuple(kept), element))
        named = f"array<i64: {', '.join(map(str, axes))}>" if axes else "array<i64>"
        lines.append(
            f"  %{len(lines)} = snippets.reduce_{kind} %x {{axes = {named}"
            f"{', keep_dims' if keep else ''}}} : ({tensor(shape, element)}) -> {types[-1]}"
        )
    names = ", ".join(f"%{i}" for i in range(len(lines)))
    body = "\n".join(lines)
    return (
        f"func.func @main(%x: {tensor(shape, element)}) -> ({', '.join(types)}) {{\n{body}\n"
        f"  func.return {names} : {', '.join(types)}\n}}"
    )


@pytest.mark.parametrize(
    ("shape", "element"),
    sampled([*product(SHAPES, ("f32", "ui8")), *product(SHAPES[:1], ("f64", "i32", "i8"))], 3),
)
def test_reductions(shape: tuple[int, ...], element: str) -> None:
    rng = np.random.default_rng(9)
    dtype = np.dtype(DTYPES[element])
    if dtype.kind == "f":
        values = np.array([0.0, -0.0, 1.5, -2.5, INF, -INF, NAN])
        arrays = [rng.choice(v, shape).astype(dtype) for v in (values, values[:4], values[:2])]
        arrays.append(np.full(shape, -0.0, dtype))
    else:
        info = np.iinfo(dtype.name)
        arrays = [rng.integers(info.min, info.max, shape, dtype, endpoint=True)]
        arrays += [np.full(shape, info.min, dtype), np.full(shape, info.max, dtype)]
    text = all_reductions(shape, element)
    before, module = after(text, "cse"), after(text, "snippets-decompose-reductions")
    for x in arrays:
        expected, found = interpreted(before, [x]), interpreted(module, [x])
        assert all(same_bits(f, e) for f, e in zip(found, expected, strict=True))
    assert "snippets.reduce_mean" not in {op.name for op in module.walk()}


@pytest.mark.parametrize(
    ("op", "attributes"),
    [
        ("softmax", "axis = 1 : i64"),
        ("log_softmax", "axis = 0 : i64"),
        ("layer_norm", "axis = 1 : i64, epsilon = 1.0e-3 : f64"),
        ("rms_norm", "axis = 0 : i64, epsilon = 1.0e-3 : f64"),
        ("reduce_mean", "axes = array<i64>"),
    ],
)
@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_16_bit_floats_are_rounded_once(op: str, attributes: str, element: str) -> None:
    """They are computed in f32."""
    dtype = import_module("ml_dtypes").bfloat16 if element == "bf16" else np.float16
    x = (np.random.default_rng(10).standard_normal((3, 400)) * 9).astype(dtype)
    pipeline = "snippets-decompose-softmax,snippets-decompose-norms,snippets-decompose-reductions"
    same_before_and_after(unary(op, attributes, x.shape, element), pipeline, [x])


def test_means_of_16_bit_floats() -> None:
    """Their count would not fit, nor would their sum."""
    x = np.full((2, 70000), 3.0, np.float16)
    text = (
        "func.func @main(%x: tensor<2x70000xf16>) -> tensor<2xf16> {\n"
        "  %0 = snippets.reduce_mean %x {axes = array<i64: 1>} : "
        "(tensor<2x70000xf16>) -> tensor<2xf16>\n  func.return %0 : tensor<2xf16>\n}"
    )
    for pipeline in ("snippets-decompose-reductions", "snippets-split-reductions"):
        (found,) = same_before_and_after(text, pipeline, [x])
        assert found.tolist() == [3.0, 3.0]
