"""The interface of onnxruntime that operators are called with, in Python, and calls of them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import addressof, c_int64, c_size_t, c_void_p
from typing import Any

from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs import ort_interface as ort
from snippets_mlir.codegen.stubs.ort_operators import OPERATORS, REGISTER
from snippets_mlir.runtime.parallel.native import KERNEL, Args

STATUS = ctypes.CFUNCTYPE(c_void_p, *[c_void_p] * 5)

PART = ctypes.CFUNCTYPE(None, c_void_p, c_size_t)

LAST = 300
"""More functions than any version uses here."""


class Engine:
    """A table of functions that give tensors of given shapes, or fail at a given call.

    Attributes:
        shapes: those of the inputs.
        calls: the indices of the functions that were called, in order.
        fails: the call that returns a status, by its number in `calls`.
        symbols: the names of the dims of input 0, as C strings.
        told: each output whose shape was said, with the input that has it.
        result: the shape that was asked for.
        operators: those that were added.
        parts: how many ranges were run through `KernelContext_ParallelFor`.
        texts: of the statuses that were made.
    """

    def __init__(self, *shapes: tuple[int, ...]) -> None:
        self.shapes = shapes
        self.calls: list[int] = []
        self.fails: int | None = None
        self.result: tuple[int, ...] | None = None
        self.parts = 0
        self.texts: list[bytes] = []
        self.arrays = [(ctypes.c_float * 64)() for _ in range(len(shapes) + 1)]
        self.operators: list[int] = []
        self.symbols: list[Any] = []
        self.told: list[tuple[int, int]] = []
        self.table = (c_void_p * LAST)()
        self.kept: list[Any] = []
        methods: dict[int, tuple[Callable[..., int | None], int]] = {
            ort.CREATE_STATUS: (self.create_status, 2),
            ort.CREATE_DOMAIN: (self.create_domain, 2),
            ort.ADD_OPERATOR: (self.add_operator, 2),
            ort.ADD_DOMAIN: (self.ignore, 2),
            ort.GET_DATA: (self.get_data, 2),
            ort.GET_RANK: (self.get_rank, 2),
            ort.GET_DIMS: (self.get_dims, 3),
            ort.GET_INFO: (self.get_info, 2),
            ort.GET_INPUT: (self.get_input, 3),
            ort.GET_OUTPUT: (self.get_output, 5),
            ort.RELEASE_INFO: (self.ignore, 1),
            ort.GET_SYMBOLS: (self.get_symbols, 3),
            ort.GET_SHAPE_OF_INPUT: (self.get_input, 3),
            ort.SET_SHAPE_OF_OUTPUT: (self.set_shape, 3),
            ort.PARALLEL_FOR: (self.parallel_for, 5),
        }
        for index, (method, count) in methods.items():
            self.kept.append(STATUS(self.caller(index, method, count)))
            self.table[index] = ctypes.cast(self.kept[-1], c_void_p).value

    def caller(self, index: int, method: Callable[..., int | None], count: int) -> Any:
        """The C function: null pointers are 0, and it may fail instead."""

        def call(*given: int | None) -> int | None:
            self.calls.append(index)
            if self.fails == len(self.calls) - 1:
                return 1234
            return method(*[value or 0 for value in given[:count]])

        return call

    def ignore(self, *_: int) -> None:
        """It does nothing."""

    def create_domain(self, _name: int, domain: int) -> None:
        self.write(domain, 9)

    def add_operator(self, _domain: int, operator: int) -> None:
        self.operators.append(operator)

    def get_input(self, _context: int, index: int, value: int) -> None:
        self.write(value, index + 1)

    def get_info(self, value: int, info: int) -> None:
        self.write(info, value)

    def get_rank(self, info: int, rank: int) -> None:
        self.write(rank, len(self.shapes[info - 1]))

    def write(self, place: int, value: int) -> None:
        c_int64.from_address(place).value = value

    def create_status(self, code: int, text: int) -> int:
        assert code == ort.INVALID_ARGUMENT
        self.texts.append(ctypes.string_at(text))
        return 77

    def get_data(self, value: int, data: int) -> None:
        self.write(data, addressof(self.arrays[value - 1]))

    def get_dims(self, info: int, dims: int, rank: int) -> None:
        assert rank == len(self.shapes[info - 1])
        for i, size in enumerate(self.shapes[info - 1]):
            self.write(dims + 8 * i, size)

    def get_symbols(self, info: int, symbols: int, rank: int) -> None:
        assert rank == len(self.shapes[info - 1])
        for i, name in enumerate(self.symbols):
            self.write(symbols + 8 * i, addressof(name))

    def set_shape(self, _context: int, index: int, info: int) -> None:
        self.told.append((index, info - 1))

    def get_output(self, _context: int, index: int, dims: int, rank: int, value: int) -> None:
        assert index == 0
        self.result = tuple((c_int64 * rank).from_address(dims))
        self.write(value, len(self.arrays))

    def parallel_for(self, _context: int, function: int, total: int, _n: int, data: int) -> None:
        self.parts = total
        for part in range(total):
            PART(function)(data, part)


class Ranges:
    """A kernel that notes the ranges it is called for, and its arguments."""

    def __init__(self, inputs: int) -> None:
        self.inputs = inputs
        self.ranges: list[tuple[int, int, int]] = []
        self.data: list[int] = []
        self.rt: list[int] = []
        self.function = KERNEL(self.run)
        address = ctypes.cast(self.function, c_void_p).value
        assert address is not None
        self.address = address

    def run(self, args: int, begin: int, end: int, thread: int) -> None:
        given: Any = Args.from_address(args)
        self.ranges.append((begin, end, thread))
        self.data = [*(c_int64 * (self.inputs + 1)).from_address(given.data)]
        self.rt = [*(c_int64 * 3).from_address(given.rt)]
        assert given.scratch is None


class Registered:
    """One operator, registered at an `Engine`."""

    def __init__(self, code: LoadedObject, engine: Engine, **fields: int) -> None:
        count = len(engine.shapes)
        self.engine, self.kernel = engine, Ranges(count)
        texts = [b"dims", b"few", b"channels", *(b"input %d" % i for i in range(count))]
        self.texts = (ctypes.c_char_p * len(texts))(*texts)
        self.types = (ctypes.c_int32 * count)(*range(10, 10 + count))
        self.places = (c_int64 * count)(*range(count))
        self.name = ctypes.create_string_buffer(b"Name")
        self.domain = ctypes.create_string_buffer(b"domain")
        made: Any = ort.CUSTOM_OP.structure
        whole = {"inputs": count, "result": 5, "grain": 1, "inner": 1, "domain": 1, "threads": 1}
        pointers = {
            "name": addressof(self.name),
            "kernel": self.kernel.address,
            "types": addressof(self.types),
            "places": addressof(self.places),
            "errors": addressof(self.texts),
        }
        self.struct: Any = made(**{**whole, **pointers, **fields})
        table = ort.TABLE.structure
        self.table = table(domain=addressof(self.domain), count=1, operators=addressof(self.struct))
        self.base = (c_void_p * 2)()
        self.asked: list[int] = []
        self.get_api = ctypes.CFUNCTYPE(c_void_p, ctypes.c_uint32)(self.api)
        self.base[0] = ctypes.cast(self.get_api, c_void_p).value
        word = c_int64.from_address(code.address(OPERATORS))
        word.value = addressof(self.table)
        register = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p)(code.address(REGISTER))
        self.status = register(8, addressof(self.base))
        word.value = 0

    def api(self, version: int) -> int | None:
        self.asked.append(version)
        return addressof(self.engine.table) if self.engine.shapes[0] != (-1,) else None

    def callback(self, field: str, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(getattr(self.struct, field))

    def compute(self) -> int | None:
        function = self.callback("KernelComputeV2", c_void_p, c_void_p, c_void_p)
        found: int | None = function(addressof(self.struct), 6)
        return found
