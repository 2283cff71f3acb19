"""What a report says of the computer that it was measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any


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
    """The processor, the CPUs that the process may use, and the version of Python."""
    return {
        "cpu": cpu_name(),
        "cpus": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
    }
