"""What programs of the cache depend on in the computer, told without LLVM where that is possible.

LLVM's names of the CPU and of its features follow from what the system says of the CPU. LLVM itself
takes longer to load than a small model, and models that are one session need nothing else of it.
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
