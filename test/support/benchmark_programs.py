"""Programs of `benchmarks/`, called in this process with streams of their own."""

from __future__ import annotations

import importlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from warm_process import RUN_MODULE, run_warm

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@dataclass
class Done:
    code: int | str | None
    out: str
    err: str


def run_process(
    command: Sequence[str],
    *,
    input: str = "",  # as `subprocess.run`
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    check: bool = False,
    **_: object,
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run` of Python, in a process that has the compiler loaded."""
    python, *words = command
    assert python == sys.executable
    if words[0] == "-W":
        del words[:2]
    if words[0] == "-m":
        words[:1] = ["-c", RUN_MODULE]
    with chdir(cwd or Path.cwd()):
        done = run_warm(*words, input=input, env=env)
    ended = subprocess.CompletedProcess(command, *done)
    if check:
        ended.check_returncode()
    return ended


def run_benchmark(script: str, *arguments: str) -> Done:
    """Call a program's `main` with streams of its own; Python processes that it runs are warm."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        mock.patch.dict(os.environ),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setattr(subprocess, "run", run_process)
        patch.syspath_prepend(str(BENCHMARKS))  # pyright: ignore[reportUnknownMemberType]
        module: Any = importlib.import_module(script)
        try:
            code = module.main(arguments)
        except SystemExit as stop:
            code = stop.code
    return Done(code, out.getvalue(), err.getvalue())


def measure_here(patch: pytest.MonkeyPatch, only: str | None = None) -> None:
    """Let this process measure cells, all or those of one workload, on any of its cores.

    A sample is one call, and a block one sample: times are not what is tested.
    """
    timing: Any = importlib.import_module("timing")
    program: Any = importlib.import_module("run")
    worker: Any = importlib.import_module("worker")
    in_a_process = program.measured

    def measured(spec: dict[str, Any]) -> Any:
        if only is not None and list(spec["workloads"]) != [only]:
            return in_a_process(spec)
        return json.loads(json.dumps(worker.run(worker.Spec.read(json.dumps(spec)))))

    patch.setattr(timing, "_plan", lambda call, _: timing._Contender(call, 1, 1, []))  # pyright: ignore
    patch.setattr(worker, "use_cpus", lambda _: None)  # pyright: ignore
    patch.setattr(program, "measured", measured)
