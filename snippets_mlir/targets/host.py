"""The computer of this process. Only this module queries it; it does not load the compiler."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache

AVX2 = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})
"""The features of LLVM's x86-64-v3, as /proc/cpuinfo spells them (`abm` is LZCNT)."""

AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
"""The features of LLVM's x86-64-v4."""


FACTS = frozenset(
    {"vendor_id", "cpu family", "model", "stepping", "flags"}
    | {"CPU implementer", "CPU architecture", "CPU variant", "CPU part", "Features"}
)
"""The entries of /proc/cpuinfo about the kind of CPU, on x86-64 and on aarch64."""

FEATURES = ("flags:", "Features:")
"""The prefixes of the entries of /proc/cpuinfo that list features."""


def host_target() -> str:
    """The name of the best target machine that this computer supports."""
    from platform import machine as architecture

    return target_for(architecture(), cpu_flags())


def target_for(architecture: str, flags: AbstractSet[str]) -> str:
    """The name of the best target machine for a CPU with these flags; `generic` if it has too few.

    Args:
        architecture: as returned by `platform.machine`.
        flags: as listed in /proc/cpuinfo.
    """
    if architecture in ("aarch64", "arm64"):
        return "aarch64-neon"
    if flags >= AVX512:
        return "x86-64-avx512"
    if flags >= AVX2:
        return "x86-64-avx2"
    return "generic"


def host_tune() -> str:
    """The entry of `TargetMachine.tunes` that fits the computer; empty for none."""
    return tune_for(cpu_flags())


def tune_for(flags: AbstractSet[str]) -> str:
    """The entry of `TargetMachine.tunes` that fits a CPU with these flags; empty for none.

    AVX512-FP16 came with Sapphire Rapids. Earlier CPUs with one and with two units for
    multiply-adds of 64 bytes have the same flags.
    """
    return "sapphirerapids" if flags >= AVX512 | {"avx512_fp16"} else ""


def cpu_flags() -> frozenset[str]:
    """The flags of the CPU; empty if the system does not list them."""
    lines = (fact.partition(":") for fact in cpu_facts())
    return frozenset(flag for name, _, flags in lines if name == "flags" for flag in flags.split())


@cache
def cpu_facts() -> tuple[str, ...]:
    """The facts of /proc/cpuinfo about the kind of CPU, `name:value`; empty without features.

    On x86-64 these are the facts of the first CPU, which end with the flags; on other architectures
    the facts of all CPUs, which may differ.
    """
    facts: dict[str, None] = {}
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name.strip() in FACTS:
                facts[f"{name.strip()}:{value.strip()}"] = None
            if name.strip() == "flags":
                break
    return tuple(facts) if any(fact.startswith(FEATURES) for fact in facts) else ()


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
