"""The self-check of NumPy's struct: a wrong one is refused by name, and calls go on in Python."""

from __future__ import annotations

from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from llvm_text_of import load

import snippets_mlir
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs.array_fields import fields_module
from snippets_mlir.codegen.stubs.interface import ARRAY, OBJECT
from snippets_mlir.codegen.stubs.layout import Layout
from snippets_mlir.runtime.arguments import array_layout
from snippets_mlir.runtime.arguments.array_layout import fields_of, reader, samples, wrong_field
from snippets_mlir.runtime.arguments.c_function import readable_arrays, run_maker


def test_this_numpy_is_known() -> None:
    assert readable_arrays()
    assert array_layout.known_arrays()


def test_samples_differ_in_what_is_compared() -> None:
    facts = [(a.ndim, a.dtype, a.flags.num, a.base is None, a.shape) for a in samples()]
    assert all(len({fact[i] for fact in facts}) > 1 for i in range(5))


def swapped(first: str, second: str) -> Layout:
    """NumPy's struct with two fields in each other's place."""
    names = list(ARRAY.fields)
    i, j = names.index(first), names.index(second)
    names[i], names[j] = names[j], names[i]
    return Layout("Swapped", **{name: ARRAY.fields[name] for name in names})


LONGER = Layout("LongerObject", ob_refcnt="i64", ob_more="i64", ob_type="pointer")
WRONG: dict[str, tuple[Layout, str]] = {
    "data and dimensions": (swapped("data", "dimensions"), "data"),
    "base and descr": (swapped("base", "descr"), "base"),
    "descr and strides": (swapped("descr", "strides"), "descr"),
    "dimensions and strides": (swapped("dimensions", "strides"), "dimensions"),
    "rank and flags": (swapped("nd", "flags"), "nd"),
    "a longer head": (Layout("Longer", **{**ARRAY.fields, "ob_base": LONGER}), "ob_type"),
    "no strides": (
        Layout("Short", **{k: v for k, v in ARRAY.fields.items() if k != "strides"}),
        "base",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_layout_is_refused(case: str) -> None:
    layout, name = WRONG[case]
    loaded = load(fields_module(layout).llvm_text())
    fields = reader(loaded.address("snippets_fields"), layout)
    assert wrong_field(fields) == name


def test_the_right_layout_is_read() -> None:
    loaded = load(fields_module().llvm_text())
    fields = reader(loaded.address("snippets_fields"))
    assert wrong_field(fields) is None
    array = np.zeros((2, 3), np.int16)
    assert fields(array)["ob_type"] == id(np.ndarray)
    assert fields_of(ARRAY)[:2] == list(OBJECT.fields)


def test_a_refusal_is_said_and_calls_go_on(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    loaded = load(fields_module(WRONG["no strides"][0]).llvm_text())

    def wrong_object(name: str) -> LoadedObject:
        return loaded

    monkeypatch.setattr(array_layout, "stub_object", wrong_object)
    assert not unwrap(array_layout.known_arrays)()
    (line,) = capfd.readouterr().err.splitlines()
    assert line == (
        f"snippets_mlir: arrays of NumPy {np.__version__} do not have 'descr' where "
        "PyArrayObject_fields has it; every call is checked in Python"
    )
    monkeypatch.setattr("snippets_mlir.runtime.arguments.c_function.known_arrays", lambda: False)
    assert unwrap(run_maker)() is None
    monkeypatch.setattr("snippets_mlir.runtime.program_facts.run_maker", unwrap(run_maker))
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.abs %x : tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }"""
    compiled: Any = snippets_mlir.compile(text, fallback="error")
    x = np.array([-1, 2, -3, 4], np.float32)
    for _ in range(3):
        np.testing.assert_array_equal(compiled(x), np.abs(x))
    assert compiled._direct is None
