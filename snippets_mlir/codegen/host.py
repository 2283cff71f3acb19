"""The CPU of this process, in LLVM's terms."""

from __future__ import annotations

from functools import cache


@cache
def host_cpu() -> tuple[str, str, str]:
    """Triple, CPU name and feature string (`+avx2,-avx512f,...`) of the host; this loads LLVM."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), str(features.flatten())
