"""`snippets_mlir.dask` where Dask is not installed; test/integrations has the rest."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from snippets_mlir.dask import map_blocks
from snippets_mlir.support.errors import CompileError


def test_without_dask_one_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(CompileError, match=r"pip install 'snippets-mlir\[dask\]'"):
        map_blocks(np.tanh, np.ones(3))
