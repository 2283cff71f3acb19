"""Runs a module before and after passes over its subgraphs: interpreted, and compiled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

import snippets_mlir
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = np.ndarray[Any, np.dtype[Any]]


def after(text: str, pipeline: str) -> ModuleOp:
    """The module that the passes make of `text`."""
    ctx = make_context()
    module = parse_module(text, ctx)
    run_passes(module, ctx, parse_pipeline(pipeline, ctx))
    module.verify()
    return module


def interpreted(module: ModuleOp | str, arrays: Sequence[Array]) -> list[Array]:
    """The outputs of `main` by the interpreter."""
    if isinstance(module, str):
        module = parse_module(module, make_context())
    return list(Interpreter(module).run("main", list(arrays)))


def compiled(module: ModuleOp, arrays: Sequence[Array]) -> list[Array]:
    """The outputs of `main`, all of whose ops have to be in kernels."""
    program = snippets_mlir.compile(module, fallback="error")
    names = [spec.name for spec in program.inputs]
    return list(program.run(dict(zip(names, arrays, strict=True))).values())


def same_bits(found: Array, expected: Array) -> bool:
    """Equal dtypes, shapes and bits; any NaN equals any NaN."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return False
    nan = (found != found) & (expected != expected)
    return np.where(nan, 0, found).tobytes() == np.where(nan, 0, expected).tobytes()
