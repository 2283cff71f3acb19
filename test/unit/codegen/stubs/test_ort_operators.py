"""The callbacks of custom operators, called with a table of C functions in onnxruntime's place."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Iterator
from ctypes import Structure, addressof, byref, c_size_t, c_void_p

import pytest
from engine_interface import Engine, Registered
from llvm_text_of import load

from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs import ort_interface as ort
from snippets_mlir.codegen.stubs.ort_operators import REGISTER, operators_module


@pytest.fixture(scope="module")
def code() -> LoadedObject:
    return load(operators_module().llvm_text(), 2)


def test_registration_and_what_an_operator_says_of_itself(code: LoadedObject) -> None:
    made = Registered(code, Engine((2,), (2,)))
    this, engine = addressof(made.struct), made.engine
    assert made.status is None
    assert made.asked == [ort.VERSION] == [made.struct.version]
    assert engine.calls == [ort.CREATE_DOMAIN, ort.ADD_OPERATOR, ort.ADD_DOMAIN]
    assert engine.operators == [this]
    kernel = c_void_p()
    create = made.callback("CreateKernelV2", c_void_p, *[c_void_p] * 4)
    assert create(this, addressof(engine.table), 5, byref(kernel)) is None
    assert kernel.value == this
    assert made.callback("GetName", ctypes.c_char_p, c_void_p)(this) == b"Name"
    assert made.callback("GetExecutionProviderType", c_void_p, c_void_p)(this) is None
    of_index = (ctypes.c_int32, c_void_p, c_size_t)
    assert [made.callback("GetInputType", *of_index)(this, i) for i in (0, 1)] == [10, 11]
    assert made.callback("GetOutputType", *of_index)(this, 0) == 5
    for field in ("GetInputCharacteristic", "GetOutputCharacteristic", "GetInputMemoryType"):
        assert made.callback(field, *of_index)(this, 0) == 0
    assert made.callback("GetInputTypeCount", c_size_t, c_void_p)(this) == 2
    assert made.callback("GetOutputTypeCount", c_size_t, c_void_p)(this) == 1
    made.callback("KernelDestroy", None, c_void_p)(kernel)


def test_without_a_table_or_the_version_nothing_is_registered(code: LoadedObject) -> None:
    made = Registered(code, Engine((-1,)))
    assert (made.status, made.engine.calls, made.struct.api) == (None, [], None)
    register = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p)(code.address(REGISTER))
    assert register(8, addressof(made.base)) is None
    assert made.asked == [ort.VERSION]  # by the first call


@pytest.mark.parametrize("call", range(3))
def test_errors_of_registration_are_passed_on(code: LoadedObject, call: int) -> None:
    engine = Engine((2,))
    engine.fails = call
    made = Registered(code, engine)
    assert made.status == 1234
    assert len(engine.calls) == call + 1


def test_errors_of_a_call_are_passed_on_and_shapes_are_released(code: LoadedObject) -> None:
    made = Registered(code, Engine((40_000, 1), (1,)), scalars=2, threads=2)
    engine = made.engine
    status = 0
    for call in itertools.count():
        engine.calls.clear()
        made.kernel.ranges.clear()
        engine.fails = call
        status = made.compute()
        if len(engine.calls) == call:
            break
        if engine.calls[call] != ort.RELEASE_INFO:  # it returns nothing
            assert status == 1234
            assert not made.kernel.ranges
        assert engine.calls.count(ort.RELEASE_INFO) == sum(
            index == ort.GET_INFO and i != call for i, index in enumerate(engine.calls)
        )
    assert status is None
    assert engine.calls[-1] == ort.PARALLEL_FOR
    assert len(made.kernel.ranges) == 2


def partitions(code: LoadedObject) -> Iterator[tuple[Registered, int]]:
    for size, grain, threads in itertools.product(
        (1, 15, 16, 17, 16384, 16385, 32768, 32769, 50_001), (1, 16, 100_000), (1, 2, 3, 8)
    ):
        yield Registered(code, Engine((size,)), grain=grain, threads=threads), size


def test_ranges_cover_the_domain_once_in_multiples_of_the_grain(code: LoadedObject) -> None:
    for made, size in partitions(code):
        assert made.compute() is None
        ranges, grain = made.kernel.ranges, made.struct.grain
        assert [begin for begin, _, _ in ranges] == [0, *(end for _, end, _ in ranges[:-1])]
        assert ranges[-1][1] == size
        assert [part for _, _, part in ranges] == [*range(len(ranges))]
        assert all(begin % grain == 0 and begin < end for begin, end, _ in ranges)
        most = min(made.struct.threads, -(-size // 16384), -(-size // grain))
        assert len(ranges) <= most
        assert len(ranges) == (made.engine.parts or 1)
        assert (most == 1) == (made.engine.parts == 0)


def test_arguments_of_a_flat_kernel(code: LoadedObject) -> None:
    made = Registered(code, Engine((2, 3), (3,), ()), scalars=4)
    made.engine.shapes = ((1, 3), (3,), ())
    made.places[:] = [2, 0, 1]
    assert made.compute() is None
    arrays = [addressof(array) for array in made.engine.arrays]
    assert made.kernel.data == [arrays[1], arrays[2], arrays[0], arrays[3]]
    assert made.kernel.rt == [3, 1, 1]
    assert made.engine.result == (1, 3)


@pytest.mark.parametrize(
    ("shape", "inner", "rt"),
    [
        ((2, 32, 3, 5), 1, [960, 15, 64]),
        ((2, 32, 3, 5), 8, [960, 15, 8]),
        ((2, 32, 3, 5), 16, [960, 15, 4]),
        ((1, 16, 1), 16, [16, 1, 1]),
    ],
)
@pytest.mark.parametrize("domain", [(1,), (2,), (1, 2)])
def test_arguments_of_a_kernel_of_planes(
    code: LoadedObject,
    shape: tuple[int, ...],
    inner: int,
    rt: list[int],
    domain: tuple[int, ...],
) -> None:
    gate = (*shape[:2], *[1] * (len(shape) - 2))
    mask = sum(1 << slot for slot in domain)
    made = Registered(code, Engine(shape, gate), form=1, inner=inner, planes=2, domain=mask)
    assert made.compute() is None
    assert made.kernel.rt == rt
    expected = 1
    for slot in domain:
        expected *= rt[slot]
    assert made.kernel.ranges == [(0, expected, 0)]


@pytest.mark.parametrize(
    ("shapes", "fields", "text"),
    [
        ([(1,) * 17], {}, b"dims"),
        ([(4,), (1,) * 17], {}, b"input 1"),
        ([(4,), (4,), (1, 4)], {}, b"input 2"),
        ([(2, 16)], {"form": 1}, b"few"),
        ([(2, 12, 3)], {"form": 1, "inner": 8}, b"channels"),
        ([(2, 8, 3), (2, 8)], {"form": 1, "planes": 2}, b"input 1"),
        ([(4,), (4,)], {"scalars": 2}, b"input 1"),
    ],
)
def test_wrong_inputs_are_errors_before_there_is_an_output(
    code: LoadedObject, shapes: list[tuple[int, ...]], fields: dict[str, int], text: bytes
) -> None:
    made = Registered(code, Engine(*shapes), **fields)
    assert made.compute() == 77
    assert made.engine.texts == [text]
    assert made.engine.result is None
    assert not made.kernel.ranges


@pytest.mark.parametrize(
    ("shape", "form"),
    [
        ((0,), ort.FLAT),
        ((3, 0), ort.FLAT),
        ((0, 16, 3), ort.PLANES),
        ((2, 0, 3), ort.PLANES),
        ((2, 16, 0), ort.PLANES),
    ],
)
@pytest.mark.parametrize("domain", [1, 2, 4, 6])
def test_an_empty_input_makes_an_empty_output(
    code: LoadedObject, shape: tuple[int, ...], form: int, domain: int
) -> None:
    made = Registered(code, Engine(shape), form=form, inner=16, domain=domain)
    assert made.compute() is None
    assert made.engine.result == shape
    assert not made.kernel.ranges


@pytest.mark.parametrize(
    ("shape", "names", "told"),
    [
        ((2, 3), ["", ""], True),
        ((-1, 3), ["n", ""], True),
        ((-1, 3), ["", ""], False),
        ((3, -1), ["", ""], False),
        ((3, -1, -1), ["", "n", "m"], True),
        ((), [], False),
        ((1,) * 16, [""] * 16, True),
        ((1,) * 17, [""] * 17, False),
    ],
)
def test_the_shape_of_the_output_is_that_of_input_0(
    code: LoadedObject, shape: tuple[int, ...], names: list[str], *, told: bool
) -> None:
    made = Registered(code, Engine(shape, (5, 5)))
    engine, function = made.engine, made.callback("InferOutputShapeFn", *[c_void_p] * 3)
    engine.symbols = [ctypes.create_string_buffer(name.encode()) for name in names]
    for call in range(6):
        engine.calls.clear()
        engine.fails = call
        status = function(addressof(made.struct), 6)
        if len(engine.calls) == call:
            assert status is None
            break
        assert status == 1234
        assert not engine.told
    assert engine.told == ([(0, 0)] if told else [])


def test_the_struct_is_that_of_the_header() -> None:
    """A version number, then 25 pointers to functions."""
    assert ort.CUSTOM_OP.offset("CreateKernel") == 8
    assert ort.CUSTOM_OP.offset("ReleaseAliasMap") == 25 * 8
    assert issubclass(ort.API_BASE.structure, Structure)
