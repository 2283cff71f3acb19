"""The target that our programs are compiled for, in every process of a run.

`run.py --target` sets one environment variable, which the processes that it starts inherit. Other
packages do not have these names: numba's own variables can limit it to a CPU; for the others, the
report states that they use all features of the computer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine

VARIABLE = "SNIPPETS_BENCHMARK_TARGET"
HOST = "host"

NUMBA: Mapping[str, Mapping[str, str]] = {
    "x86-64-avx2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": ""}
}
"""Variables that hold numba to a target. Without a list of features, if only an empty one, numba
adds those of the computer to the CPU that is named."""


def target() -> str:
    """The name of the target of this process; the computer's own unless a run says another one."""
    return os.environ.get(VARIABLE) or host_target()


def parsed(text: str) -> str:
    """The target that `text` names: `host`, or a target whose kernels this computer can run.

    Raises:
        ValueError: there is none, with the reason.
    """
    if text == HOST:
        return host_target()
    try:
        wanted, host = machine(text), machine(host_target())
    except CompileError as error:
        raise ValueError(str(error)) from None
    if wanted.triple != host.triple or wanted.lanes > host.lanes:
        raise ValueError(f"this computer ({host.name}) cannot run kernels for {text}")
    return text


def variables(name: str) -> dict[str, str]:
    """The environment of processes that measure programs for the target `name`."""
    held = NUMBA.get(name)
    return {VARIABLE: name, **(held if held and name != host_target() else {})}


def described(result: Mapping[str, Any]) -> str:
    """The target in a report; empty for results that do not name one."""
    name, host = result.get("target"), result.get("host_target")
    if name is None:
        return ""
    if name == host:
        return f"Ours is compiled for {name}, the computer's own target."
    held = "numba is held to the same instructions" if name in NUMBA else "numba is not held to it"
    return (
        f"Ours is compiled for {name}; the computer's own target is {host}. {held.capitalize()}; "
        "the other packages, and the copies, use what the computer has."
    )
