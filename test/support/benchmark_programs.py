"""Programs of `benchmarks/`, called in this process with streams of their own."""

from __future__ import annotations

import importlib
import io
import os
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@dataclass
class Done:
    code: int | str | None
    out: str
    err: str


def run_benchmark(script: str, *arguments: str) -> Done:
    """Call a program's `main` with streams of its own."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        mock.patch.dict(os.environ),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
        module: Any = importlib.import_module(script)
        try:
            code = module.main(arguments)
        except SystemExit as stop:
            code = stop.code
    return Done(code, out.getvalue(), err.getvalue())
