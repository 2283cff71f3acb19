"""Properties of the computer that cached programs depend on, without LLVM where possible.

LLVM's names of the CPU and its features follow from the system's description of the CPU. LLVM
itself takes longer to load than a small model, and models that are one session need nothing else
from it.
"""

from __future__ import annotations

import sys
from functools import cache

from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.targets.host import cpu_facts, host_cache


@cache
def computer() -> tuple[str, ...]:
    """System, architecture, CPU with its features, and the size of its last-level cache."""
    from platform import machine

    return (sys.platform, machine(), *(cpu_facts() or host_cpu()), str(host_cache()))
