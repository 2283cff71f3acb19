"""Regions that an executor runs, from text and from ONNX models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx_models import run_reference
from xdsl.dialects.func import FuncOp

from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.runtime.engine.executors import make_executor
from snippets_mlir.support.parsing import parse_module


def function_of(text: str) -> FuncOp:
    (function,) = parse_module(text, make_context()).ops
    assert isinstance(function, FuncOp)
    return function


def run(made: onnx.ModelProto, arrays: Sequence[Any], threads: int = 1) -> list[Any]:
    """Import, print, parse, and run what must be one region."""
    (function,) = import_model(made).ops
    assert isinstance(function, FuncOp)
    found = make_executor(function_of(str(function)), threads)(arrays)
    for array, expected in zip(found, run_reference(made, arrays), strict=True):
        np.testing.assert_allclose(array, expected, 1e-5)
    return found
