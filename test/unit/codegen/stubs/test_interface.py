"""The structs of the stubs: LLVM places every field where `ctypes` does."""

from __future__ import annotations

import ctypes

import pytest
from llvm_text_of import load
from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs import (
    fault_interface,
    interface,
    ort_interface,
    request_interface,
)
from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import POINTER, llvm_type
from snippets_mlir.codegen.stubs.fault_interface import RECORD, SIGACTION
from snippets_mlir.codegen.stubs.interface import PLAN, SPEC, STEP
from snippets_mlir.codegen.stubs.layout import Layout
from snippets_mlir.dialects.lir import sites

LAYOUTS = {
    name: value
    for module in (interface, request_interface, fault_interface, ort_interface)
    for name, value in vars(module).items()
    if isinstance(value, Layout)
}


def offsets(layout: Layout, structure: type[ctypes.Structure], start: int = 0) -> list[int]:
    """Where `ctypes` has the fields, those of structs in it in their place."""
    found: list[int] = []
    for name, field in layout.fields.items():
        place = start + getattr(structure, name).offset
        nested = isinstance(field, Layout)
        found += offsets(field, field.structure, place) if nested else [place]
    return found


def places(body: Body, struct: SSAValue, layout: Layout) -> list[SSAValue]:
    found: list[SSAValue] = []
    for name, field in layout.fields.items():
        place = body.field(struct, layout, name)
        found += places(body, place, field) if isinstance(field, Layout) else [place]
    return found


@pytest.mark.parametrize("name", LAYOUTS)
def test_llvm_and_ctypes_agree(name: str) -> None:
    layout = LAYOUTS[name]
    module = Module()
    body = module.function("f", [POINTER, POINTER])
    struct, words = body.arguments
    addresses = [*places(body, struct, layout), body.place(struct, llvm_type(layout), 1)]
    for index, address in enumerate(addresses):
        body.set_item(
            words, index, body.subtract(body.as_integer(address), body.as_integer(struct))
        )
    body.end()
    loaded = load(module.llvm_text())
    found = (ctypes.c_int64 * len(addresses))()
    base = (ctypes.c_int64 * (layout.bytes // 8 + 1))()
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(loaded.address("f"))(base, found)
    assert list(found) == [*offsets(layout, layout.structure), layout.bytes]


def test_sizes_that_others_count_on() -> None:
    """Words of the plan are 64 bits; records are those of the dialect; `sigaction` is Linux's."""
    for layout in (PLAN, SPEC, STEP):
        assert layout.bytes == 8 * len(layout.fields)
    assert RECORD.bytes == 8 * sites.RECORD_WORDS
    places = {"thread": sites.THREAD, "site": sites.NUMBER, "pointer": sites.ADDRESS}
    places["counters"] = sites.FIRST_LOOP
    assert {name: RECORD.offset(name) // 8 for name in places} == places
    assert SIGACTION.bytes == 152
