"""What opening a session leaves behind beside the session."""

from __future__ import annotations

from time import process_time, sleep

import numpy as np
from onnx import helper
from onnx_models import model, value

from snippets_mlir.runtime.opening import open_session


def spun(threads: int) -> float:
    """Seconds of the processor that a new session takes while nothing runs in it."""
    relu = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", (4,))], ["y"], {})
    session = open_session(relu.SerializeToString(), threads)
    begin = process_time()
    sleep(0.01)
    used = process_time() - begin
    np.testing.assert_array_equal(session([np.array([-1, 0, 1, 2], np.float32)])[0], [0, 0, 1, 2])
    return used


def test_threads_of_a_new_session_sleep():
    """They would spin for 2 ms each, while the next session of the program opens."""
    assert min(spun(threads=4) for _ in range(5)) < 1e-3
