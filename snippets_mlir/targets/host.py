"""The computer of this process. Only this module queries it; it does not load the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import cache

AVX2 = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})
"""The features of LLVM's x86-64-v3, as /proc/cpuinfo spells them (`abm` is LZCNT)."""

AVX512 = AVX2 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
"""The features of LLVM's x86-64-v4."""


ZEN_5 = 26
"""AMD's family."""

WIDE_ZEN_5 = (*range(0x20), *range(0x40, 0x50), *range(0x70, 0x78))
"""Models of it with units of 64 bytes: servers, desktops, and the largest for laptops. The units of
the others have 32 bytes, and take two cycles for an instruction of AVX-512."""


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
    return tune_for(cpu_facts())


def tune_for(facts: Sequence[str]) -> str:
    """The entry of `TargetMachine.tunes` that fits a CPU; empty for none.

    AVX512-FP16 came with Sapphire Rapids. Intel's earlier CPUs with one and with two units for
    multiply-adds of 64 bytes have the same flags; AMD's differ by family and model.

    Args:
        facts: as returned by `cpu_facts`.
    """
    if not (flags := _flags(facts)) >= AVX512:
        return ""
    if "avx512_fp16" in flags:
        return "sapphirerapids"
    family, model = (_number(facts, name) for name in ("cpu family", "model"))
    amd = "vendor_id:AuthenticAMD" in facts
    return "znver5" if amd and family == ZEN_5 and model in WIDE_ZEN_5 else ""


def cpu_flags() -> frozenset[str]:
    """The flags of the CPU; empty if the system does not list them."""
    return _flags(cpu_facts())


def _flags(facts: Sequence[str]) -> frozenset[str]:
    lines = (fact.partition(":") for fact in facts)
    return frozenset(flag for name, _, flags in lines if name == "flags" for flag in flags.split())


def _number(facts: Sequence[str], name: str) -> int:
    """The number of a fact; -1 if there is none."""
    found = (value for fact in facts for key, _, value in [fact.partition(":")] if key == name)
    return next((int(value) for value in found if value.isdecimal()), -1)


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
