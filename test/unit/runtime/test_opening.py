"""What the opening of a session runs in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from onnx import helper
from onnx_models import model, value

from snippets_mlir.runtime.engine import opening
from snippets_mlir.runtime.engine.rejected_models import rejection


@pytest.mark.parametrize(
    ("threads", "alone", "stops"), [(4, False, 1), (4, True, 0), (1, False, 0)]
)
def test_threads_beside_kernels_sleep(
    threads: int, alone: bool, stops: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would spin for 2 ms each, while the next session of the program opens."""
    refused: list[BaseException] = []
    stop = opening._stop_spinning  # pyright: ignore[reportPrivateUsage]

    def watched(run: Callable[..., object]) -> None:
        def noted(*given: object) -> object:
            try:
                return run(*given)
            except Exception as error:
                refused.append(error)
                raise

        stop(noted)

    monkeypatch.setattr(opening, "_stop_spinning", watched)
    relu = model([helper.make_node("Relu", ["x"], ["y"])], [value("x", (4,))], ["y"], {})
    session = opening.open_session(relu.SerializeToString(), threads, alone=alone)
    assert len(refused) == stops
    found = session([np.array([-1, 0, 1, 2], np.float32)])[0]
    np.testing.assert_array_equal(found, [0, 0, 1, 2])


def test_a_model_that_is_given_up_is_not_read_to_say_why(tmp_path: Path) -> None:
    message = "[ONNXRuntimeError] : 12 : MODEL_LOAD_CANCELED : Graph transformation canceled"
    assert rejection(tmp_path / "no file", message) == message
