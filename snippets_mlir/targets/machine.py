"""Target machines: what the compiler knows of a CPU.

A machine is chosen by name and written on the module by `snippets-set-target`; later passes read
the name from the module and never look at the host. Source: the design guide's TargetMachine.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from typing import Literal

from snippets_mlir.analysis.register_files import RegisterFiles
from snippets_mlir.errors import CompileError


@dataclass(frozen=True)
class TargetMachine:
    """A CPU as the compiler sees it.

    Attributes:
        name: the name in `snippets.target` and `--target`.
        triple: LLVM target triple.
        cpu: LLVM CPU name.
        features: LLVM feature string.
        lanes: 32-bit elements in one vector register; it is the vector size of the loops.
        vector_registers: size of the vector register file.
        general_registers: size of the general-purpose register file.
        fma: whether a fused multiply-add is one instruction.
        mask_registers: registers for vectors of i1; 0 where vector registers hold them.
        reserved_registers: general-purpose registers that kernels cannot use: the stack's and the
            platform's, and those that hold what a kernel is called with: `args`, `begin`, `end`.
        permutes: whether one instruction looks up a vector of `lanes` f32 in a table of 32, the low
            bits of integers being the indices.
        f16_conversion: whether f16 and f32 are converted by one instruction.
        positioned: passes that the machine adds to the pipeline, as in `--insert-pass`.
        cache: bytes of the last-level cache, unless the module says another size.
        streams: which kernels may store past the caches: none, flat ones, or those of rows, too.
        prefetch_from: bytes of arrays from which kernels of rows ask for memory ahead; None for
            never.
    """

    name: str
    triple: str
    cpu: str
    features: str
    lanes: int
    vector_registers: int
    general_registers: int
    fma: bool
    mask_registers: int = 0
    reserved_registers: int = 4
    permutes: bool = False
    f16_conversion: bool = True
    positioned: tuple[str, ...] = ()
    cache: int = 32 << 20
    streams: Literal["none", "flat", "rows"] = "none"
    prefetch_from: int | None = None

    @property
    def register_files(self) -> RegisterFiles:
        """What the kernels' values and pointers can be in."""
        return RegisterFiles(
            self.vector_registers,
            self.mask_registers,
            self.general_registers - self.reserved_registers,
            self.lanes * 32,
        )


_X86 = "x86_64-unknown-linux-gnu"

TARGETS: dict[str, TargetMachine] = {
    m.name: m
    for m in (
        TargetMachine("generic", _X86, "x86-64-v2", "", 4, 16, 16, False, f16_conversion=False),
        TargetMachine(
            "x86-64-avx2",
            _X86,
            "x86-64-v3",
            "",
            8,
            16,
            16,
            fma=True,
            streams="rows",
            prefetch_from=32 << 10,
        ),
        TargetMachine(
            "x86-64-avx512",
            _X86,
            "x86-64-v4",
            "-prefer-256-bit",
            16,
            32,
            16,
            True,
            mask_registers=7,
            permutes=True,
            streams="flat",
            prefetch_from=32 << 10,
        ),
        TargetMachine(
            "aarch64-neon",
            "aarch64-unknown-linux-gnu",
            "generic",
            "+neon",
            lanes=4,
            vector_registers=32,
            general_registers=31,
            fma=True,
            reserved_registers=6,
        ),
    )
}


def machine(name: str) -> TargetMachine:
    """The machine called `name`; CompileError with close matches when there is none."""
    if (found := TARGETS.get(name)) is not None:
        return found
    parts = [known for known in TARGETS if name and name.lower() in known]
    close = get_close_matches(name, TARGETS) or parts
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?"
        if close
        else f"choose from {', '.join(TARGETS)}"
    )
    raise CompileError(f"unknown target {name!r}; {hint}")


def host_target() -> str:
    """Name of the machine this process runs on."""
    from platform import machine as architecture

    if architecture() in ("aarch64", "arm64"):
        return "aarch64-neon"
    flags = _cpu_flags()
    if {"avx512f", "avx512vl", "avx512bw", "avx512dq"} <= flags:
        return "x86-64-avx512"
    if {"avx2", "fma", "bmi2"} <= flags:
        return "x86-64-avx2"
    return "generic"


@cache
def host_cache() -> int:
    """Bytes of the last-level cache of the computer this process runs on; 0 when unknown."""
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


def _cpu_flags() -> set[str]:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("flags"):
                    return set(line.partition(":")[2].split())
    except OSError:
        pass
    return set()
