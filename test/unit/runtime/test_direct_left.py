"""What the short way through a call leaves to the checked one: all that needs care."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from short_way import TEXT, Array, arrays_of_call, frozen, short_way_of

import snippets_mlir
from snippets_mlir.runtime import program_facts


@pytest.fixture(scope="module")
def compiled() -> Any:
    return snippets_mlir.compile(TEXT, fallback="error")


@pytest.fixture(scope="module")
def direct(compiled: Any) -> Any:
    found = short_way_of(compiled)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def checked() -> Any:
    """The same program without a short way."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(program_facts, "run_maker", lambda: None)
        compiled = snippets_mlir.compile(TEXT, fallback="error")
        x, y, _, _ = arrays_of_call()
        compiled(x, y)
    return compiled


CASES: dict[str, Callable[[Array, Array, Array, Array], tuple[Any, Any, Any, Any]]] = {
    "a list as input": lambda x, y, t, g: (x, y.tolist(), t, g),
    "another type": lambda x, y, t, g: (x.astype(np.float64), y, t, g),
    "another shape": lambda x, y, t, g: (x[:3], y, t, g),
    "a strided input": lambda x, y, t, g: (np.asfortranarray(x), y, t, g),
    "an unaligned input": lambda x, y, t, g: (_unaligned(x), y, t, g),
    "a byte-swapped input": lambda x, y, t, g: (x.astype(">f4"), y, t, g),
    "a strided output": lambda x, y, t, g: (x, y, np.asfortranarray(t), g),
    "a read-only output": lambda x, y, t, g: (x, y, frozen(t), g),
    "an output that is an input": lambda x, y, t, g: (x, y, x, g),
    "a subclass": lambda x, y, t, g: (np.ma.masked_array(x), y, t, g),
}


def _unaligned(array: Array) -> Array:
    raw = np.zeros(array.nbytes + 1, np.uint8)
    copy = raw[1:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


@pytest.mark.parametrize("case", CASES)
def test_it_leaves_what_needs_care(direct: Any, case: str) -> None:
    x, y, total, larger = CASES[case](*arrays_of_call())
    assert direct.call((x, y), (total, larger)) is None
    assert not larger.any()


@pytest.mark.parametrize("case", CASES)
def test_both_ways_say_the_same(compiled: Any, checked: Any, case: str) -> None:
    compiled(*arrays_of_call()[:2])

    def outcome(program: Any) -> Any:
        x, y, total, larger = CASES[case](*arrays_of_call())
        try:
            program(x, y, out=(total, larger))
        except (TypeError, ValueError) as error:
            return type(error), str(error)
        return np.asarray(total).tobytes(), larger.tobytes()

    assert compiled._direct is not None
    assert outcome(compiled) == outcome(checked)


WRONG = {
    "an input of another type": ("input 'arg1': expected float32, found float64", TypeError),
    "a wide output": ("output 'out0': expected float32, found float64", TypeError),
    "another shape": ("input 'arg0': expected shape (4, 5), found (3, 5)", ValueError),
    "another rank": ("input 'arg0': expected rank 2, shape (4, 5), found rank 1", ValueError),
    "a read-only output": ("output 'out0': is read-only", ValueError),
    "an output that is an input": ("output 'out0': overlaps input 'arg0'", ValueError),
    "one output twice": ("output 'out1': overlaps output 'out0' in memory", ValueError),
    "an output in an input": ("output 'out0': overlaps input 'arg0' in memory", ValueError),
    "a broadcast output": ("output 'out0': overlaps itself", ValueError),
    "a list as output": ("output 'out0': expected an array, found list", TypeError),
    "too few outputs": ("out: expected 2 array(s) for 'out0', 'out1', found 1", ValueError),
    "no sequence": ("out: expected an array or a sequence of arrays, found int", TypeError),
}


def _wrong(case: str) -> tuple[Any, Any, Any]:
    x, y, total, larger = arrays_of_call()
    memory = np.zeros((8, 5), np.float32)
    given: dict[str, tuple[Any, Any, Any]] = {
        "an input of another type": (x, y.astype(np.float64), (total, larger)),
        "a wide output": (x, y, (total.astype(np.float64), larger)),
        "another shape": (x[:3], y, (total, larger)),
        "another rank": (x.ravel(), y, (total, larger)),
        "a read-only output": (x, y, (frozen(total), larger)),
        "an output that is an input": (x, y, (x, larger)),
        "one output twice": (x, y, (memory[:4], memory.view(np.bool_)[:4, :5])),
        "an output in an input": (memory[:4], y, (memory[2:6], larger)),
        "a broadcast output": (x, y, (_spread(), larger)),
        "a list as output": (x, y, (total.tolist(), larger)),
        "too few outputs": (x, y, total),
        "no sequence": (x, y, 1),
    }
    return given[case]


def _spread() -> Array:
    return np.lib.stride_tricks.as_strided(np.zeros(5, np.float32), (4, 5), (0, 4))


@pytest.mark.parametrize("way", ["short", "checked"])
@pytest.mark.parametrize("case", WRONG)
def test_messages(compiled: Any, checked: Any, case: str, way: str) -> None:
    program = compiled if way == "short" else checked
    program(*arrays_of_call()[:2])
    x, y, out = _wrong(case)
    message, kind = WRONG[case]
    with pytest.raises(kind) as raised:
        program(x, y, out=out)
    assert str(raised.value).startswith(message)


def test_a_wrong_number_of_arrays_is_left(compiled: Any, direct: Any) -> None:
    x, y, total, larger = arrays_of_call()
    for inputs in ((), (x,), (x, y, x)):
        assert direct.call(inputs, (total, larger)) is None
        with pytest.raises(TypeError, match=r"expected 2 input\(s\)"):
            compiled(*inputs, out=(total, larger))
    assert direct.call((x, y), total) is None
    assert direct.call((x, y), (total, larger, total)) is None


@pytest.mark.parametrize(
    "other", [None, 1, "x", object(), [1.0], (), {}, np.float32(1), np.ndarray]
)
def test_what_is_no_array_is_left(direct: Any, other: Any) -> None:
    x, y, total, larger = arrays_of_call()
    assert direct.call((other, y), (total, larger)) is None
    assert direct.call((x, y), (total, other)) is None
    assert other is None or direct.call((x, y), other) is None


class Inputs(tuple[Any, ...]):
    """A tuple of another class."""


class Marked(np.ndarray[Any, Any]):
    """An array of another class, with the same struct."""


WITH_METADATA: Any = np.dtype(np.float32, metadata={"unit": "m"})


def test_classes_are_compared_by_identity(direct: Any) -> None:
    x, y, total, larger = arrays_of_call()
    assert direct.call(Inputs((x, y)), (total, larger)) is None
    assert direct.call([x, y], (total, larger)) is None
    assert direct.call((x, y), Inputs((total, larger))) is None
    assert direct.call((x.view(Marked), y), (total, larger)) is None
    assert direct.call((x, y), (total.view(Marked), larger)) is None
    assert not total.any()
    assert direct.call((x, y), (total, larger)) is not None


def test_dtypes_are_compared_by_identity(direct: Any) -> None:
    """An equal dtype that is another object is left to the checked way, which takes it."""
    x, y, total, larger = arrays_of_call()
    marked = x.view(WITH_METADATA)
    assert marked.dtype == x.dtype
    assert direct.call((marked, y), (total, larger)) is None
    assert not total.any()


PLACES: dict[str, Callable[[Array], Array]] = {
    "negative strides": lambda x: x[::-1],
    "a stride of two rows": lambda x: np.repeat(x, 2, 0)[::2],
    "a broadcast row": lambda x: np.broadcast_to(x[0], x.shape),
    "a transposed array": lambda x: np.ascontiguousarray(x.T).T,
}


@pytest.mark.parametrize("case", PLACES)
def test_strides_are_refused_by_the_flags(direct: Any, compiled: Any, case: str) -> None:
    x, y, total, larger = arrays_of_call()
    strided = PLACES[case](x)
    assert direct.call((strided, y), (total, larger)) is None
    np.testing.assert_array_equal(compiled(strided, y)[0], strided + y)
