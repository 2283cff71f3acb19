"""The direct call takes arrays of every rank, size, dtype and number."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import snippets_mlir
from snippets_mlir.codegen.stubs.interface import PLAN, SPEC
from snippets_mlir.runtime.arguments import c_function as layout
from snippets_mlir.runtime.calls.direct import direct_call
from snippets_mlir.runtime.parallel.threads import forked_flag


def _direct(compiled: Any) -> Any:
    return direct_call(compiled.built().program, compiled.outputs)


SHAPES: tuple[tuple[int, ...], ...] = ((), (0,), (3, 0, 2), (1,), (2, 1, 1, 3))
KINDS = ("f64", "i32", "i64")


@pytest.mark.parametrize(
    ("shape", "kind"),
    [*((shape, "f32") for shape in SHAPES), *(((2, 1, 1, 3), kind) for kind in KINDS)],
)
def test_ranks_and_sizes(shape: tuple[int, ...], kind: str) -> None:
    """Rank 0, no elements, sizes of 1; and types of other sizes and kinds."""
    type = f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %0 = snippets.add %x, %x : {type}
      func.return %0 : {type}
    }}"""
    compiled: Any = snippets_mlir.compile(text, fallback="error")
    found = _direct(compiled)
    dtype = compiled.inputs[0].dtype
    x, out = np.full(shape, 3, dtype), np.zeros(shape, dtype)
    assert found.call((x,), out) is out
    np.testing.assert_array_equal(out, np.full(shape, 6, dtype))
    assert found.call((x.astype(np.uint16),), out) is None
    assert found.call((x,), np.zeros((*shape, 1), dtype)) is None
    assert found.call((np.zeros((*shape, 1), dtype),), out) is None


def accepts(dtype: Any, given: Any) -> bool:
    """Whether a call without steps takes one input and one output for a plan of `dtype`."""
    maker = layout.run_maker()
    assert maker is not None
    spec = {"dtype": id(dtype), "bytes": 2 * dtype.itemsize, "rank": 1, "flags": 0x101}
    spec |= {"places": 0, "first_place": 0, "start": 0, "end": 0}
    size = len(PLAN.fields) + 2 * len(SPEC.fields)
    head = PLAN.words(
        array_type=id(np.ndarray),
        tuple_type=id(tuple),
        none=id(None),
        taken=id(layout.TAKEN),
        runtime=0,
        launch=0,
        forked=forked_flag(),
        times=0,
        release=1,
        inputs=1,
        arrays=2,
        steps=0,
        busy=0,
        first_step=0,
    )
    specs = SPEC.words(**spec, sizes=size) * 2
    plan = np.array([*head, *specs, 2], np.int64).view(layout.Plan)
    out = np.empty(2, given.dtype)
    found = maker(plan)((given,), out)
    assert found is out or found is None
    return found is out


NAMES = ("bfloat16", "float8_e4m3fn", "int4", "float16", "int8", "complex128", "S3", "O", "M8[s]")


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_of_numpy_and_of_ml_dtypes(name: str) -> None:
    """Types of `ml_dtypes` have no buffer protocol; their struct is NumPy's."""
    zeros: Any = np.zeros  # its type of this argument takes long to infer
    given: Any = zeros(2, getattr(ml_dtypes, name, name))
    assert accepts(given.dtype, given)
    assert not accepts(np.dtype(np.float32), given)
    assert not accepts(given.dtype, np.zeros(2, np.float32))
    assert not accepts(given.dtype, given[::-1])


@pytest.mark.parametrize("count", [2, 33, 129])
def test_many_arrays(count: int) -> None:
    names = [f"%x{i}" for i in range(count)]
    lines = [
        f"%{i} = snippets.add {f'%{i - 1}' if i else names[0]}, {name} : tensor<7xf32>"
        for i, name in enumerate(names[1:])
    ]
    parameters = ", ".join(f"{name}: tensor<7xf32>" for name in names)
    text = "\n".join(
        [
            f"func.func @main({parameters}) -> tensor<7xf32> {{",
            *lines,
            f"func.return %{count - 2} : tensor<7xf32>",
            "}",
        ]
    )
    compiled: Any = snippets_mlir.compile(text, fallback="error")
    found = _direct(compiled)
    arrays = [np.full(7, i, np.float32) for i in range(count)]
    out = np.zeros(7, np.float32)
    assert found.call(tuple(arrays), out) is out
    for i in range(count):
        given = [*arrays[:i], arrays[i][:6], *arrays[i + 1 :]]
        assert found.call(tuple(given), out) is None
    np.testing.assert_array_equal(compiled(*arrays), np.full(7, sum(range(count)), np.float32))
