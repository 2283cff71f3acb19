"""The checks of the arrays that a program is called with."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from snippets_mlir.runtime.arguments.arrays import (
    TensorSpec,
    as_array,
    check_outputs,
    dense,
    dtype_from_name,
    is_dense,
    overlaps_itself,
)

X = TensorSpec("x", (2, 3), np.dtype(np.float32))


def test_an_array_that_fits_is_not_copied():
    array = np.ones((2, 3), np.float32)
    assert as_array("input", X, array) is array
    assert dense(array) is array


@pytest.mark.parametrize("dtype", ["float64", "int32", "bool", "complex64", "object", "U3"])
def test_a_wrong_dtype_is_a_type_error_that_names_the_input(dtype: str):
    with pytest.raises(TypeError, match=r"^input 'x': expected float32, found "):
        as_array("input", X, np.zeros((2, 3), dtype))


def test_a_foreign_byte_order_is_a_type_error():
    with pytest.raises(TypeError, match=r"^input 'x': .*byte order, found >f4"):
        as_array("input", X, np.zeros((2, 3), ">f4"))


NUMBERS: list[tuple[str, Any]] = [
    ("float32", [[1.5, -0.0, 3], (4, float("inf"), 6)]),
    ("float64", [[1, 2, 3], [4, 5, 6]]),
    ("float16", 2.5),
    ("int8", (-128, 127)),
    ("uint64", [2**64 - 1]),
    ("bool", [True, False]),
    ("int32", []),
    ("float32", [[], []]),
]


@pytest.mark.parametrize(("dtype", "value"), NUMBERS)
def test_python_numbers_take_the_element_type(dtype: str, value: Any):
    expected = np.array(value, dtype)
    spec = TensorSpec("x", expected.shape, expected.dtype)
    found = as_array("input", spec, value)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn"])
def test_python_numbers_take_the_types_of_ml_dtypes(name: str):
    dtype = np.dtype(getattr(ml_dtypes, name))
    found = as_array("input", TensorSpec("x", (2,), dtype), [1, -2.5])
    assert found.dtype == dtype
    assert found.tolist() == [1, -2.5]


@pytest.mark.parametrize(
    ("dtype", "value", "found"),
    [
        ("int32", [1.0, 2.0], "float64"),
        ("int32", [True, False], "bool"),
        ("float32", [True, 1.5], "float64"),
        ("bool", [0, 1], "int64"),
        ("float32", [np.float64(1), 2.0], "float64"),
        ("float32", [1j, 1.0], "complex128"),
        ("float32", ["1", "2"], "<U1"),
        ("float32", [None, 1.0], "object"),
    ],
)
def test_numbers_of_another_kind_are_refused(dtype: str, value: Any, found: str):
    with pytest.raises(TypeError, match=rf"^input 'x': expected {dtype}, found {found}"):
        as_array("input", TensorSpec("x", (2,), np.dtype(dtype)), value)


def test_lists_that_are_no_arrays_are_refused():
    with pytest.raises(TypeError, match=r"^input 'x': expected an array: "):
        as_array("input", X, [[1.0], [1.0, 2.0]])
    endless: list[Any] = []
    endless.append(endless)
    for value in (None, endless):
        with pytest.raises(TypeError, match=r"^input 'x': "):
            as_array("input", X, value)


@pytest.mark.parametrize(("dtype", "value"), [("uint8", 256), ("uint8", -1), ("int64", 2**63)])
def test_an_integer_beyond_the_type_is_a_value_error(dtype: str, value: int):
    with pytest.raises(ValueError, match=r"^input 'x': .*(out of bounds|too large)"):
        as_array("input", TensorSpec("x", (1,), np.dtype(dtype)), [value])


def test_a_masked_array_is_refused():
    with pytest.raises(TypeError, match=r"^input 'x': .*masked"):
        as_array("input", X, np.ma.zeros((2, 3), np.float32))


@pytest.mark.parametrize(
    ("shape", "message"),
    [((3, 2), r"expected shape \(2, 3\), found \(3, 2\)"), ((6,), "expected rank 2"), ((), "rank")],
)
def test_a_wrong_shape_is_a_value_error(shape: tuple[int, ...], message: str):
    with pytest.raises(ValueError, match=rf"^input 'x': .*{message}"):
        as_array("input", X, np.zeros(shape, np.float32))


def test_a_dynamic_dim_takes_any_size():
    spec = TensorSpec("x", (None, 3), np.dtype(np.float32))
    assert as_array("input", spec, np.zeros((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(ValueError, match=r"expected shape \(\?, 3\)"):
        as_array("input", spec, np.zeros((1, 4), np.float32))
    assert str(spec) == "x: ?x3xfloat32"


def unaligned(shape: tuple[int, ...]) -> np.ndarray:
    raw = np.zeros(int(np.prod(shape)) * 4 + 1, np.uint8)
    return raw[1:].view(np.float32).reshape(shape)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(3, 2).T,
        np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2],
        np.arange(6, dtype=np.float32)[::-1].reshape(2, 3)[::-1],
        np.broadcast_to(np.float32(3), (2, 3)),
        unaligned((2, 3)),
    ],
    ids=["transposed", "strided", "reversed", "broadcast", "unaligned"],
)
def test_what_a_kernel_cannot_read_is_copied(array: np.ndarray):
    assert not is_dense(array)
    copy = dense(array)
    assert is_dense(copy)
    np.testing.assert_array_equal(copy, array)


def test_rank_0_and_empty_arrays_keep_their_shape():
    assert dense(unaligned(())).shape == ()
    assert is_dense(np.zeros((3, 0, 2), np.float32))


def test_outputs_one_array_or_a_sequence():
    array = np.zeros((2, 3), np.float32)
    assert check_outputs([X], array, []) == [array]
    assert check_outputs([X], (array,), [])[0] is array
    with pytest.raises(ValueError, match=r"expected 1 array\(s\) for 'x', found 2"):
        check_outputs([X], [array, array.copy()], [])
    with pytest.raises(TypeError, match="expected an array or a sequence"):
        check_outputs([X], 3, [])
    with pytest.raises(TypeError, match=r"^output 'x': expected an array, found list"):
        check_outputs([X], [[1.0]], [])


def test_wrong_outputs_are_named():
    with pytest.raises(TypeError, match=r"^output 'x': expected float32, found float64"):
        check_outputs([X], np.zeros((2, 3)), [])
    with pytest.raises(ValueError, match=r"^output 'x': expected shape"):
        check_outputs([X], np.zeros((3, 2), np.float32), [])
    frozen = np.zeros((2, 3), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match=r"^output 'x': is read-only"):
        check_outputs([X], frozen, [])


def test_outputs_must_not_overlap():
    memory = np.zeros(12, np.float32)
    first, second = memory[:6].reshape(2, 3), memory[6:].reshape(2, 3)
    y = TensorSpec("y", (2, 3), np.dtype(np.float32))
    assert len(check_outputs([X, y], [first, second], [])) == 2
    with pytest.raises(ValueError, match=r"^output 'y': overlaps output 'x' in memory"):
        check_outputs([X, y], [first, memory[3:9].reshape(2, 3)], [])
    with pytest.raises(ValueError, match=r"^output 'x': overlaps input 'a' in memory"):
        check_outputs([X], first, [("a", memory[5:6])])
    with pytest.raises(ValueError, match=r"^output 'x': overlaps input 'a' in memory"):
        check_outputs([X], first, [("a", first)])


def test_interleaved_views_do_not_overlap():
    memory = np.zeros((2, 6), np.float32)
    assert check_outputs([X], memory[:, ::2], [("a", memory[:, 1::2])])


def test_an_output_that_overlaps_itself_is_refused():
    memory = np.zeros(3, np.float32)
    twice = np.lib.stride_tricks.as_strided(memory, (2, 3), (0, 4))
    window = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (2, 3), (4, 4))
    for array in (twice, window):
        assert overlaps_itself(array)
        with pytest.raises(ValueError, match=r"^output 'x': overlaps itself"):
            check_outputs([X], array, [])
    assert not overlaps_itself(np.zeros((2, 3), np.float32).T[::-1])
    assert not overlaps_itself(np.zeros((2, 0)))


def test_dtypes_by_name():
    assert dtype_from_name("float32") == np.float32
    assert dtype_from_name("bool") == np.bool_
