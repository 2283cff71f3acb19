"""Memory of the CPU bound to a session: as onnxruntime's own methods do, or by them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import parser

from snippets_mlir.runtime.engine import cpu_binding
from snippets_mlir.runtime.engine.cpu_binding import binders

MODEL = """<ir_version: 9, opset_import: ["" : 18]>
doubled (float[n, 3] x) => (float[n, 3] y, bool[n, 3] z) {
  y = Add(x, x)
  z = Greater(y, x)
}"""


class Public:
    """An `io_binding` of another form: it has its public methods alone."""

    def __init__(self, binding: Any) -> None:
        self.bind_input, self.bind_output = binding.bind_input, binding.bind_output


@pytest.mark.parametrize("form", ["inner", "public", "no device"])
def test_a_session_runs_on_what_is_bound(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on what is bound again, elsewhere and with other sizes."""
    if form == "no device":
        monkeypatch.setattr(cpu_binding, "_cpu", lambda: None)
    session: Any = onnxruntime.InferenceSession(parser.parse_model(MODEL).SerializeToString())
    binding = session.io_binding()
    bind_input, bind_output = binders(Public(binding) if form == "public" else binding)
    for rows in (4, 1, 4):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3) - 2
        y, z = np.full_like(x, np.nan), np.zeros(x.shape, np.bool_)
        bind_input("x", np.float32, x.shape, x.ctypes.data)
        bind_output("y", np.float32, y.shape, y.ctypes.data)
        bind_output("z", np.bool_, z.shape, z.ctypes.data)
        session.run_with_iobinding(binding)
        np.testing.assert_array_equal(y, x + x)
        np.testing.assert_array_equal(z, x > 0)


def test_what_is_no_output_is_refused() -> None:
    session: Any = onnxruntime.InferenceSession(parser.parse_model(MODEL).SerializeToString())
    _, bind_output = binders(session.io_binding())
    with pytest.raises(RuntimeError, match="w"):
        bind_output("w", np.float32, (1, 3), np.zeros((1, 3), np.float32).ctypes.data)


def test_the_installed_engine_has_the_form_that_is_fast() -> None:
    session: Any = onnxruntime.InferenceSession(parser.parse_model(MODEL).SerializeToString())
    assert session.io_binding()._iobinding is not None
    assert cpu_binding._cpu() is not None  # pyright: ignore[reportPrivateUsage]
