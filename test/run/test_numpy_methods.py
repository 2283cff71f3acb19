# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
"""Methods of traced arrays take NumPy's options.

`test_numpy_jit_refused.py` has what they refuse.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from snippets_mlir import jit


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.ravel("F"),
        lambda x: x.T.flatten(order="F"),
        lambda x: x.reshape((-1, 2), order="F"),
        lambda x: x.reshape(-1, order="C"),
        lambda x: np.reshape(x, -1, order="F"),
        lambda x: np.ravel(x, order="F"),
        lambda x: x.copy("F").copy(order="K"),
        lambda x: x.astype("float64", "K", "safe", copy=False),
    ],
)
def test_methods_with_the_order_of_elements(function: Callable[[Any], Any]) -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    found, wanted = jit(function)(x), function(x)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    np.testing.assert_array_equal(found, wanted)
