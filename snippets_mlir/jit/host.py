"""The CPU of this process, in LLVM's words."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm


@cache
def host_cpu() -> tuple[str, str, str]:
    """Triple, CPU name and feature string (`+avx2,-avx512f,...`) of the host."""
    features = llvm.get_host_cpu_features()
    return llvm.get_process_triple(), llvm.get_host_cpu_name(), str(features.flatten())


def target_name(triple: str, features: str) -> str:
    """Name of our target for a CPU with these features; `generic` when none fits better."""
    has = {f[1:] for f in features.split(",") if f.startswith("+")}
    if triple.startswith(("aarch64", "arm64")):
        return "aarch64-neon"
    if {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= has:
        return "x86-64-avx512"
    if {"avx2", "fma"} <= has:
        return "x86-64-avx2"
    return "generic"


def host_target_name() -> str:
    """Name of our target for the host."""
    triple, _, features = host_cpu()
    return target_name(triple, features)
