"""The description of the measured computer in a report."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from snippets_mlir.targets.host import host_target


def cpu_name() -> str:
    """The model name of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """The processor, its target, the CPUs that the process may use, and the version of Python."""
    return {
        "cpu": cpu_name(),
        "cpus": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "target": host_target(),
    }


def named(where: Mapping[str, Any]) -> str:
    """The processor and its CPUs, and the target, which older reports do not have."""
    target = f", {where['target']}" if "target" in where else ""
    return f"{where['cpu']}, {where['cpus']} CPUs{target}"
