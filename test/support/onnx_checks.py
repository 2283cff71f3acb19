"""Single ONNX nodes, imported, run by the interpreter and compared with onnxruntime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx_models import run_reference, single

from snippets_mlir.frontends.onnx import import_model
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


def ops_of(made: onnx.ModelProto | str) -> list[str]:
    """The names of the ops of the imported function."""
    return [
        op.name
        for op in import_model(made).walk()
        if not op.name.startswith(("func.", "builtin.")) and "constant" not in op.name
    ]


def reasons_of(made: onnx.ModelProto) -> list[str]:
    """Why nodes of the imported function are opaque."""
    return [
        str(op.attributes["snippets.reason"])
        for op in import_model(made).walk()
        if op.name == "onnx.node"
    ]
