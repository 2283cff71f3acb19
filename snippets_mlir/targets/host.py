"""The computer of this process: the only module that queries it; it loads no compiler."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import cache

AVX2 = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})
"""The features of LLVM's x86-64-v3, as /proc/cpuinfo spells them (`abm` is LZCNT)."""

AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
"""The features of LLVM's x86-64-v4."""


def host_target() -> str:
    """Name of the target machine that fits the computer best."""
    from platform import machine as architecture

    return target_for(architecture(), cpu_flags())


def target_for(architecture: str, flags: AbstractSet[str]) -> str:
    """Name of the target machine for a CPU with these flags; `generic` when none fits better.

    Args:
        architecture: as `platform.machine` says it.
        flags: as /proc/cpuinfo says them.
    """
    if architecture in ("aarch64", "arm64"):
        return "aarch64-neon"
    if flags >= AVX512:
        return "x86-64-avx512"
    if flags >= AVX2:
        return "x86-64-avx2"
    return "generic"


def host_tune() -> str:
    """What of `TargetMachine.tunes` fits the computer; empty for none."""
    return tune_for(cpu_flags())


def tune_for(flags: AbstractSet[str]) -> str:
    """What of `TargetMachine.tunes` fits a CPU with these flags; empty for none.

    AVX512-FP16 came with Sapphire Rapids. Of the CPUs before, those with one and with two units for
    multiply-adds of 64 bytes have the same flags.
    """
    return "sapphirerapids" if flags >= AVX512 | {"avx512_fp16"} else ""


@cache
def cpu_flags() -> frozenset[str]:
    """The flags of the CPU; empty when the system does not say."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return frozenset(line.partition(":")[2].split())
    except OSError:
        pass
    return frozenset()


@cache
def host_cache() -> int:
    """Bytes of the last-level cache; 0 when unknown."""
    sizes: list[int] = []
    for index in range(8):
        try:
            with open(f"/sys/devices/system/cpu/cpu0/cache/index{index}/size") as file:
                text = file.read().strip()
        except OSError:
            break
        if text.endswith("K") and text[:-1].isdecimal():
            sizes.append(int(text[:-1]) << 10)
    return max(sizes, default=0)
