"""Shapes that are inferred with symbols, against those that onnxruntime finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from shape_models import PATTERNS, down_and_up, feeds_of, parsed
from shape_truth import mistakes, unknown

from snippets_mlir.frontends.onnx import import_model, prepare_model
from snippets_mlir.frontends.onnx.mapping import ROWS
from snippets_mlir.frontends.onnx.shapes import infer_shapes, symbol
from snippets_mlir.frontends.onnx.shapes.assumptions import Assumptions
from snippets_mlir.frontends.onnx.shapes.dims import evaluate
from snippets_mlir.frontends.onnx.shapes.rules import RULES


@pytest.mark.parametrize("name", PATTERNS)
def test_patterns_of_exporters(name: str) -> None:
    model = parsed(PATTERNS[name])
    inferred = infer_shapes(model)
    assert unknown(model, inferred) == []
    for b, s in ((2, 5), (3, 16), (7, 9)):
        feeds = feeds_of(model, {"b": b, "s": s, "t": s})
        assert mistakes(model, feeds, inferred) == []


def test_symbols_and_equalities() -> None:
    model = parsed("""
        g (float[n, ?] x, float[n, k] y, float[?, 4] z) => (float[m, 4] r) {
            a = Add (x, y)
            r = MatMul (a, z)
        }""")
    inferred = infer_shapes(model)
    n, k = symbol("n"), symbol("x.1")
    assert inferred.symbols == {
        "n": ("x", 0),
        "x.1": ("x", 1),
        "y.0": ("y", 0),
        "k": ("y", 1),
        "z.0": ("z", 0),
    }
    assert inferred.equalities == ((n, symbol("y.0")), (k, symbol("k")), (k, symbol("z.0")))
    assert inferred.types["r"].shape == (n, 4)
    assert inferred.types["z"].shape == (k, 4)
    feeds = {"x": np.ones((3, 1)), "y": np.ones((3, 5)), "z": np.ones((5, 4))}
    floats = {k: v.astype(np.float32) for k, v in feeds.items()}
    assert mistakes(model, floats, inferred) is None, "the sizes are not equal: 1 is broadcast"


def test_a_sum_of_sizes_is_not_0_if_one_of_them_may_be():
    """A cache has no rows before the first tokens."""
    b, p, s = map(symbol, "bps")
    assumptions = Assumptions()
    assert assumptions.is_positive(b * p + b * s)
    assert assumptions.is_positive(b * 4)
    for values, holds in (((2, 0, 5), True), ((2, 3, 0), True), ((2, 0, 0), False)):
        known = dict(zip("bps", values, strict=True))
        assert holds == all(evaluate(x, known) == evaluate(y, known) for x, y in assumptions.pairs)
    assert assumptions.is_positive(s * 2)
    assert assumptions.is_positive(p + s)
    assert len(assumptions.pairs) == 3, "p + s is not 0 if s is not"


def test_nothing_is_assumed_when_asked():
    model = parsed("""
        g (float[n, k] x, float[n, 5] y) => (float[m, l] r) {
            a = Relu (x)
            b = Add (a, y)
            r = Concat <axis = 1> (b, y)
        }""")
    assumed, certain = infer_shapes(model), infer_shapes(model, assume=False)
    assert assumed.types["a"].shape == (symbol("n"), 5), "k is 5, or 1 where it is broadcast"
    assert certain.types["a"].shape == (symbol("n"), symbol("k"))
    assert certain.equalities == ()
    assert certain.types["r"].shape == (symbol("y.0"), 10)


def test_sizes_of_a_preparedparsed():
    """One prepared model serves imports with and without numbers for its expressions."""
    model = parsed(PATTERNS["slice of a buffer"])
    prepared = prepare_model(model)
    dynamic = str(import_model(prepared))
    assert "tensor<?x?x8xf32>" in dynamic
    numbers = {"b": 101, "s": 103}
    placed = str(import_model(prepared, sizes=lambda size: size.evaluate(numbers)))
    assert "tensor<101x103x8xf32>" in placed
    assert "dense<103>" not in placed, "a number that replaces a size is no constant"


def test_a_prepared_model_reads_large_constants_once(tmp_path: Path):
    model = parsed("""
        g (float[n, 200] x) => (float[n, 200] y) <float[200, 200] w> { y = MatMul (x, w) }""")
    path = tmp_path / "m.onnx"
    path.write_bytes(model.SerializeToString())
    prepared = prepare_model(path)
    first = str(import_model(prepared))
    model.graph.initializer[0].ClearField("raw_data")
    prepared.model.graph.initializer[0].ClearField("raw_data")
    assert "#snippets.resource" in first
    assert str(import_model(prepared)) == first


def test_large_tensors_are_never_looked_at():
    """2^40 elements, and constants whose data is in a file that does not exist."""
    model = parsed("""
        g (float[1099511627776] x, int64[s] k) => (float[m] y) {
            zero = Constant <value_int = 0> ()
            one = Constant <value_int = 1> ()
            size = Size (x)
            all = Range (zero, size, one)
            floats = Cast <to = 1> (all)
            z = Add (floats, x)
            half = Add (z, w)
            y = Concat <axis = 0> (half, z)
        }""")
    tensor = model.graph.initializer.add()
    tensor.name, tensor.data_type, tensor.data_location = "w", 1, onnx.TensorProto.EXTERNAL
    tensor.dims.append(1 << 40)
    inferred = infer_shapes(model)
    assert inferred.types["half"].shape == (1 << 40,)
    assert inferred.types["y"].shape == (1 << 41,)
    assert "all" not in inferred.elements


def test_expressions_do_not_explode():
    """A size that is squared again and again."""
    nodes = "".join(f"s{i + 1} = Mul (s{i}, s{i}) " for i in range(60))
    model = parsed(f"g (float[n] x) => (int64[1] s60) {{ s0 = Shape (x) {nodes} }}")
    elements = infer_shapes(model).elements
    assert str(elements["s2"][0]) == "n*n*n*n"
    assert elements["s60"][0] is None


def test_declared_shapes_refine_unknown_ones_alone():
    model = parsed("""
        g (float[n] x) => (int64[1, 7] i) <int64[1, 3] a, float[k] b> {
            i = NonZero (x)
            b = Relu (x)
            a = NonZero (b)
        }""")
    types = infer_shapes(model).types
    assert types["i"].shape == (1, 7)
    assert types["b"].shape == (symbol("n"),), "a declared name is no proof"


def test_branches_and_bodies_assume_nothing():
    model = parsed("""
        g (bool c, float[n] x, float[m] y) => (float[k] r, float[l] t) {
            r = If (c) <
                then_branch = a () => (float[p] u) { u = Add (x, y) },
                else_branch = b () => (float[q] v) { v = Identity (x) }
            >
            two = Constant <value_int = 2> ()
            t, s = Loop (two, , x) <
                body = d (int64 i, bool go, float[j] f) => (bool h, float[z] w, float[o] e) {
                    h = Identity (go)
                    w = Relu (f)
                    e = Neg (y)
                }
            >
        }""")
    inferred = infer_shapes(model)
    assert inferred.equalities == ()
    assert inferred.types["r"].shape == (None,)
    assert inferred.types["t"].shape == (symbol("n"),)
    assert inferred.types["s"].shape is not None
    assert inferred.types["s"].shape[1:] == (symbol("m"),)
    x, y = np.ones(4, np.float32), np.ones(1, np.float32)
    assert mistakes(model, {"c": np.array(True), "x": x, "y": y}, inferred) == []


def test_each_mapped_operator_has_a_rule():
    assert not [name for name in ROWS if ("", name) not in RULES]


def test_windows_larger_than_the_tensor():
    """onnxruntime takes them once; a model of symbols assumes that they are not."""
    model = parsed("""
        g (float[1, 1, h, 4] x) => (float[1, 1, k, 1] y) {
            a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
            b = MaxPool <kernel_shape = [2, 1], strides = [2, 1]> (a)
            y = AveragePool <kernel_shape = [2, 2], strides = [2, 1], ceil_mode = 1> (b)
        }""")
    for assume in (True, False):
        inferred = infer_shapes(model, assume=assume)
        assert unknown(model, inferred) == []
        for h, fits in ((1, False), (2, False), (3, False), (4, True), (9, True), (32, True)):
            found = mistakes(model, feeds_of(model, {"h": h}), inferred)
            assert found == ([] if fits or not assume else None)


def test_element_types_are_those_of_the_operator_table() -> None:
    from onnx import TensorProto, defs

    from snippets_mlir.frontends.onnx.shapes import element_types, schemas
    from snippets_mlir.frontends.onnx.shapes.rules import RULES

    found: dict[tuple[str, int], set[object]] = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain in element_types.DOMAINS and (schema.domain, schema.name) in RULES:
            sources = schemas.element_sources(schema.name, schema.since_version, schema.domain)
            for output, source in enumerate(sources):
                found.setdefault((schema.name, output), set()).add(source)
    assert len(found) > 150
    for (name, output), sources in found.items():
        if name in ("And", "Not", "Or", "Xor"):  # of bools alone, as their operands are
            assert sources == {("type", TensorProto.BOOL)}
            assert element_types.source_of(name, output) == element_types.FIRST
        elif element_types.is_stated(name, output):
            assert sources == {element_types.source_of(name, output)}, name
        elif not output:
            assert len(sources) > 1, name


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_sizes_that_go_down_and_up_again(levels: int) -> None:
    """A size that has to be a multiple of another is one, and elements are counted alike."""
    model = down_and_up(levels)
    inferred = infer_shapes(model)
    assert unknown(model, inferred) == []
    n, step = symbol("n"), 2**levels
    names = [f"(h + {step - 1})//{step}", f"(w + {step - 1})//{step}"]
    assert list(inferred.definitions) == names
    low = [symbol(name) for name in names]
    assert inferred.types["x"].shape == (n, 2, *(size * step for size in low))
    assert inferred.types[f"u{levels}"].shape == (n, 2, *low)
    assert inferred.types["u0"].shape == (n, 2 + 2 * levels, *(size * step for size in low))
    for h, w in ((step, 3 * step), (8 * step, 5 * step)):
        x = np.ones((2, 2, h, w), np.float32)
        assert mistakes(model, {"x": x}, inferred) == []
    known = inferred.with_defined({"n": 2, "h": 3 * step, "w": 5 * step})
    assert [known[name] for name in names] == [3, 5]


def test_sizes_that_stay_down() -> None:
    """Without a join nothing is equal, and no size has a name of its own."""
    model = parsed("""
        g (float[n, 2, h, w] x) => (float[n, 2, i, j] y) {
            a = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
            y = Relu (a)
        }""")
    inferred = infer_shapes(model)
    assert inferred.definitions == {}
    assert inferred.types["x"].shape == (symbol("n"), 2, symbol("h"), symbol("w"))


def test_a_reshape_to_sizes_of_its_operand_takes_them_for_no_marker():
    model = parsed("""
        g (float[b, 1, t, 8] x) => (float[b, n, 2, 4] y)
        <int64[1] one = {1}, int64[1] two = {2}, int64[2] tail = {-1, 4}, int64[1] zero = {0}>
        {
            p = MaxPool <kernel_shape = [6, 1], strides = [3, 1]> (x)
            q = Squeeze (p, one)
            shape = Shape (q)
            sizes = Slice (shape, zero, two)
            wanted = Concat <axis = 0> (sizes, tail)
            y = Reshape (q, wanted)
        }""")
    inferred = infer_shapes(model)
    operand = inferred.types["q"].shape
    assert operand is not None
    assert inferred.types["y"].shape == (symbol("b"), operand[1], 2, 4)
    assert mistakes(model, {"x": np.ones((3, 1, 9, 8), np.float32)}, inferred) == []
