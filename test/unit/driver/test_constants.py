"""Weights that are packed while passes run: the same arrays, once for each form; errors arrive."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Event, current_thread
from time import sleep

import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.constant_arrays import array_of
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.driver.building import constants
from snippets_mlir.driver.building.constants import Constants, named_panels
from snippets_mlir.driver.settings import default_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

WEIGHTS = np.random.default_rng(0).standard_normal((70, 100)).astype(np.float32)


@pytest.fixture
def resource(tmp_path: Path) -> str:
    """The weights in a file, as an attribute."""
    np.save(tmp_path / "w.npy", WEIGHTS)
    return f'#snippets.resource<"{tmp_path / "w.npy"}", "w", "{sha256(WEIGHTS.data).hexdigest()}">'


def packed(resource: str) -> str:
    """Two constants of one form, and one of elements in the text."""
    line = f"#snippets.panels<{resource} : tensor<70x100xf32>, width 48> : tensor<3x70x48xf32>"
    other = "#snippets.panels<dense<1.0> : tensor<2x9xf32>, width 8> : tensor<2x2x8xf32>"
    lines = "\n".join(
        f"%{i} = snippets.constant {one}" for i, one in enumerate((line, line, other))
    )
    return f"func.func @f() {{\n{lines}\nfunc.return\n}}"


def test_arrays_are_those_of_one_thread(resource: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = parse_module(packed(resource), default_context())
    assert len(named_panels(module)) == 1
    ops = [op for op in module.walk() if isinstance(op, ConstantOp)]
    wanted = [array_of(op) for op in ops]
    made: list[ConstantOp | ScalarOp] = []

    def counted(op: ConstantOp | ScalarOp, named: Callable[[ResourceAttr], Array]) -> Array:
        made.append(op)
        return array_of(op, named)

    monkeypatch.setattr(constants, "array_of", counted)
    with Constants({}) as held:
        held.begin(module)
        found = [held.array(op) for op in ops]
    for array, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(array, expected)
        assert not array.flags.writeable
    assert np.shares_memory(found[0], found[1])
    assert len(made) == 2


def test_who_asks_for_an_array_helps(resource: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread packs the largest weights, and the caller the others meanwhile."""
    begun, packed_by = Event(), dict[str, str]()
    lines = [
        f"%{width} = snippets.constant #snippets.panels<{resource} : tensor<70x100xf32>, "
        f"width {width}> : tensor<{-(-100 // width)}x70x{width}xf32>"
        for width in (96, 48, 64)  # of 2 x 96, 3 x 48 and 2 x 64 columns
    ]
    text = "func.func @f() {\n" + "\n".join(lines) + "\nfunc.return\n}"
    module = parse_module(text, default_context())
    ops = [op for op in module.walk() if isinstance(op, ConstantOp)]

    def noted(op: ConstantOp | ScalarOp, named: Callable[[ResourceAttr], Array]) -> Array:
        (_, _, width) = op.result.type.get_shape()
        packed_by[str(width)] = current_thread().name
        if width == 96:
            begun.set()
            while len(packed_by) < 3:
                sleep(1e-3)
        return array_of(op, named)

    monkeypatch.setattr(constants, "array_of", noted)
    with Constants({}) as held:
        held.begin(module)
        assert begun.wait(60.0)
        found = [held.array(op) for op in ops]
    for op, array in zip(ops, found, strict=True):
        np.testing.assert_array_equal(array, array_of(op))
    assert packed_by["96"] == "snippets-meanwhile"
    assert {packed_by["48"], packed_by["64"]} == {current_thread().name}


def test_an_error_of_the_thread_is_the_error_of_the_constant(resource: str) -> None:
    missing = resource.replace("w.npy", "gone.npy")
    module = parse_module(packed(missing), default_context())
    op = next(op for op in module.walk() if isinstance(op, ConstantOp))
    with Constants({}) as held:
        held.begin(module)
        with pytest.raises(CompileError, match=r"gone\.npy' that holds the constant 'w'"):
            held.array(op)


def test_a_product_with_packed_weights(resource: str) -> None:
    text = f"""func.func @f(%x: tensor<64x70xf32>) -> tensor<64x100xf32> {{
      %w = snippets.constant {resource} : tensor<70x100xf32>
      %0 = snippets.matmul %x, %w : (tensor<64x70xf32>, tensor<70x100xf32>) -> tensor<64x100xf32>
      func.return %0 : tensor<64x100xf32>
    }}"""
    compiled, x = snippets_mlir.compile(text), np.ones((64, 70), np.float32)
    np.testing.assert_allclose(compiled(x), x @ WEIGHTS, rtol=1e-5, atol=1e-5)
