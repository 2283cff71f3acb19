"""Single ONNX nodes, imported, run by the interpreter and compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx_models import run_reference, single

from snippets_mlir.frontend.onnx import import_model
from snippets_mlir.interpreter import Interpreter

Array = NDArray[Any]


def execute(made: onnx.ModelProto, arrays: Sequence[Array]) -> tuple[Array, ...]:
    """The outputs by the interpreter; no node may be left opaque."""
    module = import_model(made)
    opaque = [op for op in module.walk() if op.name == "onnx.node"]
    assert not opaque, opaque[0]
    return Interpreter(module).run("main", arrays)


def check(
    op: str,
    arrays: Sequence[Array | None],
    *,
    rtol: float = 0.0,
    opset: int = 18,
    outputs: int = 1,
    constants: Sequence[int] = (),
    **attributes: Any,
) -> None:
    """One node on `arrays` gives what onnxruntime gives, dtype and shape included."""
    made = single(op, arrays, opset=opset, outputs=outputs, constants=constants, **attributes)
    fed = [a for i, a in enumerate(arrays) if a is not None and i not in constants]
    for found, wanted in zip(execute(made, fed), run_reference(made, fed), strict=True):
        assert found.dtype == wanted.dtype
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol, rtol / 10)
