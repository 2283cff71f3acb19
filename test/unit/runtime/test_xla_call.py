"""The handler of XLA's calls, called with frames of C structs in XLA's place; no JAX is needed."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import Structure, addressof, c_char_p, c_int64, c_void_p, sizeof
from typing import Any

import numpy as np
import pytest

from snippets_mlir import compile
from snippets_mlir.codegen.stubs import xla_interface as xla
from snippets_mlir.codegen.stubs.layout import Layout
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver.programs.static import StaticProgram
from snippets_mlir.runtime.calls.xla_call import call_site, handler_address
from snippets_mlir.runtime.program import Program

TEXT = """
func.func @main(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %s = snippets.add %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %p = snippets.multiply %x, %y : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %s, %p : tensor<4x3xf32>, tensor<4x3xf32>
}
"""
X, Y = np.arange(12, dtype=np.float32).reshape(4, 3), np.array([1, 2, 3], np.float32)
HANDLER = ctypes.CFUNCTYPE(c_void_p, c_void_p)
CREATE = ctypes.CFUNCTYPE(c_void_p, c_void_p)


class Xla:
    """Calls the handler as XLA does."""

    def __init__(self, minor: int = 3) -> None:
        self.handler = HANDLER(handler_address(minor))
        self.errors: list[tuple[int, str]] = []
        self._create = CREATE(self._new_error)
        create = ctypes.cast(self._create, c_void_p).value
        self.api = self.struct(xla.API, error_create=create)

    def struct(self, layout: Layout, **fields: Any) -> Structure:
        """A struct with its size and some fields; the others are zero."""
        made = layout.structure(**fields)
        if "struct_size" in layout.fields:
            setattr(made, "struct_size", layout.bytes)
        return made

    def _new_error(self, address: int) -> int:
        error: Any = xla.ERROR.structure.from_address(address)
        assert error.struct_size == xla.ERROR.offset("errc") + 4
        text = c_char_p(error.message).value
        assert text is not None
        self.errors.append((error.errc, text.decode()))
        return len(self.errors)

    def buffer(self, array: Array) -> Structure:
        """A buffer, which keeps its sizes."""
        dims = (c_int64 * array.ndim)(*array.shape)
        data, place = array.ctypes.data, addressof(dims)
        made = self.struct(xla.BUFFER, data=data, rank=array.ndim, dims=place)
        made.kept = dims
        return made

    def call(
        self,
        attributes: Sequence[int],
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        change: Callable[[Any], None] | None = None,
    ) -> tuple[int, str] | None:
        """The error of a call, or None; `change` edits the frame before it."""
        numbers = [c_int64(number) for number in attributes]
        scalars = [self.struct(xla.SCALAR, value=addressof(number)) for number in numbers]
        buffers = [[self.buffer(a) for a in arrays] for arrays in (inputs, outputs)]
        lists = [_pointers(structs) for structs in (*buffers, scalars)]
        frame: Any = self.struct(
            xla.FRAME,
            api=addressof(self.api),
            args=self.struct(xla.BUFFERS, size=len(inputs), items=addressof(lists[0])),
            rets=self.struct(xla.BUFFERS, size=len(outputs), items=addressof(lists[1])),
            attrs=self.struct(xla.ATTRIBUTES, size=len(numbers), attrs=addressof(lists[2])),
        )
        if change is not None:
            change(frame)
        found: int | None = self.handler(addressof(frame))
        return None if found is None else self.errors[found - 1]


def _pointers(structs: Sequence[Structure]) -> Any:
    return (c_void_p * len(structs))(*[addressof(s) for s in structs])


def program() -> Program:
    compiled = compile(TEXT, num_threads=1)
    assert isinstance(compiled, StaticProgram)
    return compiled.build_for(()).program


@pytest.fixture(scope="module")
def site() -> list[int]:
    return [*call_site(program()).values()]


def results() -> list[Array]:
    return [np.zeros_like(X), np.zeros_like(X)]


def test_results_are_written_in_place(site: list[int]) -> None:
    for factor in (1, 2):
        found = results()
        assert Xla().call(site, [X * factor, Y], found) is None
        np.testing.assert_array_equal(found[0], X * factor + Y)
        np.testing.assert_array_equal(found[1], X * factor * Y)


def test_two_call_sites_have_memory_of_their_own() -> None:
    of_program = program()
    first, second = (call_site(of_program) for _ in range(2))
    assert list(first) == ["process", "program"]  # XLA sorts them by name
    assert first["process"] == second["process"]
    assert first["program"] != second["program"]


def test_registration_gets_the_version() -> None:
    for minor, answer in ((1, 1), (3, 3), (9, xla.NEWEST)):
        host = Xla(minor)
        metadata: Any = host.struct(xla.METADATA, traits=7)
        base = host.struct(xla.EXTENSION, type=xla.METADATA_TYPE)
        extension = xla.METADATA_EXTENSION.structure(
            extension_base=base, metadata=addressof(metadata)
        )
        frame = host.struct(xla.FRAME, extension_start=addressof(extension))
        assert host.handler(addressof(frame)) is None
        version = metadata.api_version
        assert (version.major_version, version.minor_version) == (0, answer)
        assert metadata.traits == 0


def test_another_process_is_an_error(site: list[int]) -> None:
    for attributes in ([], site[:1], [site[0] + 1, site[1]], [*site, 0]):
        found = Xla().call(attributes, [X, Y], results())
        assert found is not None
        assert found[0] == xla.FAILED_PRECONDITION
        assert "compiled in another process" in found[1]


def test_other_arrays_are_an_error_and_nothing_is_written(site: list[int]) -> None:
    wrong: tuple[list[Array], ...] = ([X], [X, Y, Y], [X[:3], Y], [X, X], [X.reshape(3, 4), Y])
    for inputs in wrong:
        outputs = results()
        found = Xla().call(site, inputs, outputs)
        assert found is not None
        assert found[0] == xla.INVALID_ARGUMENT
        assert "not those of the kernel's shapes" in found[1]
        assert not any(o.any() for o in outputs)
    assert Xla().call(site, [X, Y], results()) is None  # the network is free again


@pytest.mark.parametrize("part", ["args", "rets", "attrs"])
def test_structs_of_other_sizes_are_an_error(site: list[int], part: str) -> None:
    def change(frame: Any) -> None:
        getattr(frame, part).struct_size += 8

    found = Xla().call(site, [X, Y], results(), change)
    assert found is not None
    assert found[0] == xla.FAILED_PRECONDITION
    assert "structs of other sizes" in found[1]


def test_structs_have_the_sizes_of_the_header() -> None:
    """The values that jaxlib 0.7 and 0.10 give, on 64 bits."""
    sizes = {
        "ATTRIBUTES": 48,
        "BUFFER": 48,
        "BUFFERS": 40,
        "FRAME": 168,
        "VERSION": 24,
    }
    assert {n: sizeof(getattr(xla, n).structure) for n in sizes} == sizes
