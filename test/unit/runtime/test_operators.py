"""Kernels as custom operators of onnxruntime: values, shapes, errors."""

from __future__ import annotations

import numpy as np
import pytest
from operator_sessions import (
    BLOCK,
    BLOCKS,
    FLAT,
    ROW,
    ROWS,
    SCALAR,
    Node,
    binary,
    numbers,
    operator,
)
from runnable import HOST

from snippets_mlir.runtime.engine.operators import Operator, supported

pytestmark = pytest.mark.skipif(supported() is not None, reason=str(supported()))

SIZES = [0, 1, 15, 16, 17, 32767, 100_000]


@pytest.fixture(scope="module")
def multiply() -> Operator:
    return binary("Mul", "multiply", FLAT, FLAT)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", SIZES)
def test_flat(multiply: Operator, size: int, threads: int) -> None:
    x, y = numbers(size), numbers(size)[::-1].copy()
    with np.errstate(invalid="ignore"):
        expected = x * y
    node = Node(multiply._replace(threads=threads))
    for _ in range(2):
        np.testing.assert_array_equal(node(x, y), expected)
    x = np.nan_to_num(x, nan=-0.0)  # signs of zeros count, those of NaN do not
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(np.signbit(node(x, -x)), np.signbit(x * -x))


def test_aligned_kernels_run_on_arrays_of_any_address() -> None:
    body = "%s = snippets.multiply %x0, %x1 : T\n%r = snippets.tanh %s : T"
    made = operator("Tanh", body, FLAT, FLAT, threads=2)
    assert bool(made.aligned) is (HOST.name == "x86-64-avx512")
    node, plain = Node(made), Node(made._replace(aligned=0))
    room = np.random.default_rng(2).standard_normal(70_003).astype(np.float32)
    for first in range(4):
        x = room[first : first + 70_000]
        np.testing.assert_allclose(node(x, x), np.tanh(x * x), rtol=1e-6, atol=1e-7)
        np.testing.assert_array_equal(node(x, x), plain(x, x))


def test_a_chain_with_scalars() -> None:
    body = """
    %s = snippets.multiply %x0, %x1 : (T, tensor<f32>) -> T
    %t = snippets.add %s, %x2 : T
    %r = snippets.maximum %t, %x3 : (T, tensor<f32>) -> T"""
    node = Node(operator("Chain", body, FLAT, SCALAR, FLAT, SCALAR, threads=2))
    x, z = numbers(3, 1000), numbers(3, 1000)
    for a, b in ((np.float32(2), np.float32(-1)), (np.full((1, 1), 3, "f"), np.zeros(1, "f"))):
        with np.errstate(invalid="ignore"):
            expected = np.maximum(x * a + z, b)
        np.testing.assert_array_equal(node(x, np.asarray(a), z, np.asarray(b)), expected)


@pytest.mark.parametrize("last", [SCALAR, FLAT])
def test_as_many_inputs_as_there_may_be(last: str) -> None:
    lines = ["%s1 = snippets.add %x0, %x1 : T"]
    lines += [f"%s{i} = snippets.add %s{i - 1}, %x{i} : T" for i in range(2, 63)]
    lines += [f"%r = snippets.multiply %s62, %x63 : (T, {last}) -> T"]
    node = Node(operator("Sum", "\n".join(lines), *[FLAT] * 63, last))
    arrays = [np.full(20, i, np.float32) for i in range(63)]
    factor = np.float32(3) if last == SCALAR else np.full(20, 3, np.float32)
    np.testing.assert_array_equal(node(*arrays, np.asarray(factor)), np.full(20, 3 * 1953, "f"))
    with pytest.raises(Exception, match=r"snippets.Sum: input 63 does not have"):
        node(*arrays, np.ones(2, "f"))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "shape",
    [(1, 1, 1), (2, 3, 5), (2, 32, 7, 9), (1, 48, 60, 60), (1, 2, 1, 3, 2, 2), (3, 4, 1, 1)],
)
def test_rows_of_planes(shape: tuple[int, ...], threads: int) -> None:
    node = Node(binary("Gate", "multiply", ROWS, ROW, threads=threads))
    x, gate = numbers(*shape), numbers(*shape[:2], *[1] * (len(shape) - 2))
    with np.errstate(invalid="ignore"):
        expected = x * gate
    np.testing.assert_array_equal(node(x, gate), expected)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("shape", [(1, 16, 1), (2, 32, 7, 9), (1, 64, 60, 60), (3, 48, 2, 1, 2)])
def test_blocks_of_channels(shape: tuple[int, ...], threads: int) -> None:
    node = Node(binary("Gate", "multiply", BLOCKS, BLOCK, inner=16, threads=threads))
    x, gate = numbers(*shape), numbers(*shape[:2], *[1] * (len(shape) - 2))
    blocks = shape[0], shape[1] // 16
    with np.errstate(invalid="ignore"):
        expected = x.reshape(*blocks, -1, 16) * gate.reshape(*blocks, 1, 16)
    np.testing.assert_array_equal(node(x, gate), expected.reshape(shape))


def test_planes_take_inputs_of_all_three_shapes() -> None:
    body = f"""
    %s = snippets.multiply %x0, %x1 : (T, {ROW}) -> T
    %t = snippets.add %s, %x2 : T
    %r = snippets.add %t, %x3 : (T, tensor<f32>) -> T"""
    node = Node(operator("Planes", body, ROWS, ROW, ROWS, SCALAR, threads=2))
    shapes = ((2, 3, 4, 5), (2, 3, 1, 1), (2, 3, 4, 5), (1,))
    random = np.random.default_rng(3)
    x, gate, z, one = (random.random(shape).astype(np.float32) for shape in shapes)
    np.testing.assert_allclose(node(x, gate, z, one), x * gate + z + one, rtol=1e-6)


@pytest.mark.parametrize("shape", [(0, 32, 4), (2, 0, 4), (2, 16, 0), (2, 16, 3, 0, 5)])
def test_empty_planes(shape: tuple[int, ...]) -> None:
    gate = numbers(*shape[:2], *[1] * (len(shape) - 2))
    for types, inner in (((ROWS, ROW), 1), ((BLOCKS, BLOCK), 16)):
        node = Node(binary("Gate", "multiply", *types, inner=inner, threads=2))
        assert node(numbers(*shape), gate).shape == shape


@pytest.mark.parametrize("shape", [(), (1,), (2, 0, 3), (2,) * 16])
def test_any_rank_up_to_sixteen(multiply: Operator, shape: tuple[int, ...]) -> None:
    x = np.asarray(numbers(*shape))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(Node(multiply)(x, x), x * x)


@pytest.mark.parametrize(
    "shape", [(3, 4), ("n", 4), ("n", "m", 1), (1,), (None, 4), (), None, (1,) * 16, (1,) * 17]
)
def test_the_shape_of_the_output_is_known_if_it_can_be(
    multiply: Operator, shape: tuple[int | str | None, ...] | None
) -> None:
    """An unknown shape is None to a session's caller as no dims are: it gives no shape then."""
    node = Node(multiply, shape=shape)
    told = None not in shape and 1 <= len(shape) <= 16 if shape is not None else False
    (output,) = node.session.get_outputs()
    assert output.shape == ([*shape] if told and shape else [])
    if shape is None or len(shape) < 17:
        x = np.ones([3 if isinstance(s, str | None) else s for s in shape or ()], np.float32)
        np.testing.assert_array_equal(node(x, x), x)


def test_nodes_after_an_operator_may_take_its_memory(multiply: Operator) -> None:
    """onnxruntime's `Relu` works in place on the output, and gives the right result."""
    import onnx

    values = [onnx.helper.make_tensor_value_info(n, 1, ["n"]) for n in ("x", "y")]
    nodes = [
        onnx.helper.make_node("Mul", ["x", "x"], ["a"], domain="snippets"),
        onnx.helper.make_node("Neg", ["a"], ["b"]),
        onnx.helper.make_node("Mul", ["b", "x"], ["c"], domain="snippets"),
        onnx.helper.make_node("Relu", ["c"], ["y"]),
    ]
    graph = onnx.helper.make_graph(nodes, "g", values[:1], values[1:])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("snippets", 1)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    node = Node(multiply, model=model.SerializeToString())
    x = np.random.default_rng(4).standard_normal(1000).astype(np.float32)
    (y,) = node.session.run(None, {"x": x})
    np.testing.assert_array_equal(y, np.maximum(-(x * x) * x, 0))


WRONG = [
    ((4,), (3,)),
    ((4,), (5,)),
    ((4,), (1,)),
    ((4,), ()),
    ((3, 4), (4,)),
    ((1, 4), (4, 1)),  # as many elements, but the sum would have 16
    ((2, 3), (3, 2)),
    ((4,), (1, 4)),  # the result would have two dims
    ((), (1,)),
    ((0,), (1,)),
    ((1,), (0,)),
]


@pytest.mark.parametrize(("first", "second"), WRONG)
def test_another_shape_is_an_error(
    multiply: Operator, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    node = Node(multiply)
    with pytest.raises(Exception, match=r"snippets.Mul: input 1 does not have the sizes of input"):
        node(np.ones(first, "f"), np.ones(second, "f"))
    x = np.ones((1, 1, 4), np.float32)
    np.testing.assert_array_equal(node(x, 2 * x[0, 0]), 2 * x)  # ones at the front may be missing


def test_scalars_of_another_shape_are_an_error() -> None:
    node = Node(binary("Scale", "multiply", FLAT, SCALAR))
    for shape in ((4,), (0,), (1, 1), (2,)):
        with pytest.raises(Exception, match=r"snippets.Scale: input 1 does not have one element"):
            node(np.ones(4, "f"), np.ones(shape, "f"))


@pytest.mark.parametrize("gate", [(2, 32), (2, 32, 1, 2), (2, 16, 1, 1), (32, 1, 1), (1, 32, 1, 1)])
def test_gates_of_another_shape_are_an_error(gate: tuple[int, ...]) -> None:
    for types, inner in (((ROWS, ROW), 1), ((BLOCKS, BLOCK), 16)):
        node = Node(binary("Gate", "multiply", *types, inner=inner))
        with pytest.raises(Exception, match=r"Gate: input 1 does not have the sizes \[N, C, 1"):
            node(np.ones((2, 32, 3, 2), "f"), np.ones(gate, "f"))


def test_input_0_of_another_rank_or_number_of_channels_is_an_error(multiply: Operator) -> None:
    x = np.ones((1,) * 17, np.float32)
    with pytest.raises(Exception, match=r"snippets.Mul: input 0 has more than 16 dims"):
        Node(multiply)(x, x)
    gate = Node(binary("Gate", "multiply", BLOCKS, BLOCK, inner=16))
    with pytest.raises(Exception, match=r"input 0 has fewer than 3 dims"):
        gate(np.ones((2, 16), "f"), np.ones((2, 16), "f"))
    with pytest.raises(Exception, match=r"channels of input 0 are no multiple of 16"):
        gate(np.ones((2, 17, 3), "f"), np.ones((2, 17, 1), "f"))
