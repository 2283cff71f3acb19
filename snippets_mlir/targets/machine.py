"""The target machines, by name.

A machine is chosen by name and written on the module by `snippets-set-target`; later passes read
the name from the module and never look at the host. Source: the design guide's TargetMachine.
"""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches

from snippets_mlir.analysis.kernels.result_rows import RowsFirst
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.outside import PARTS
from snippets_mlir.targets.target_machine import CORE, TargetMachine

CORE_WITHOUT_FMA = replace(CORE, issue=1.7)
"""Multiply-adds are two instructions or more, and each overwrites one of its operands."""


SAPPHIRE_RAPIDS = {
    "products": 2,
    "narrow": 1 << 10,
    "terms_in_turn": 4,
    "vectors_ahead": True,
    "panel_line": 2,
    "rows_first": RowsFirst(64 << 10, 96, whole=True, near=1 << 20, called=256 << 10),
    "panel_ahead": 8,
    "packed_to": 1 << 20,
    "left_block": 512 << 10,
}
"""Two units for multiply-adds of 64 bytes: products wait for the second-level cache and for their
own front end, where a Zen 4 with one unit waits for that unit (docs/kernel-measurements.md)."""


ZEN_5 = SAPPHIRE_RAPIDS | {
    "first_ways": 12,
    "panel_ahead": 0,
    "rows_first": RowsFirst(64 << 10, 16, whole=True, called=256 << 10),
    "apart_line": 5,
    "tall_right": 64 << 10,
}
"""Two such units, too, but half of the second-level cache: what is not copied comes from farther
away, and the next panel is worth more than the next rows of this one."""


_X86 = "x86_64-unknown-linux-gnu"

_OWN = "snippets_mlir.targets.emitters.own"

TARGETS: dict[str, TargetMachine] = {
    m.name: m
    for m in (
        TargetMachine(
            "generic",
            _X86,
            "x86-64-v2",
            "",
            lanes=4,
            vector_registers=16,
            general_registers=16,
            fma=False,
            f16_conversion=False,
            narrow=64,
            side_by_side=1,
            core=CORE_WITHOUT_FMA,
            own_emitters=f"{_OWN}:GENERIC",
        ),
        TargetMachine(
            "x86-64-avx2",
            _X86,
            "x86-64-v3",
            "",
            8,
            16,
            16,
            fma=True,
            whole_operands=True,
            streams="flat",
            prefetch_from=32 << 10,
            rematerialize_from=1 << 20,
            rereads=2,
            log_softmax_from=1 << 20,
            narrow=128,
            packed_to=256 << 10,
            rows_first=RowsFirst(8 << 20),
            tiles_from=256 << 10,
            terms_in_turn=4,
            side_by_side=1,
            image_copy=2,
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
            products=1,
            streams="flat",
            prefetch_from=32 << 10,
            rematerialize_from=1 << 20,
            softmax_from=2 << 20,
            log_softmax_from=512 << 10,
            packed_to=256 << 10,
            own_emitters=f"{_OWN}:AVX512",
            tunes={"sapphirerapids": SAPPHIRE_RAPIDS, "znver5": ZEN_5},
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
            own_emitters=f"{_OWN}:NEON",
        ),
    )
}


def register_target(machine: TargetMachine) -> None:
    """Register `machine`, so that it can be chosen by its name.

    Raises:
        CompileError: there is another target of that name.
    """
    if TARGETS.setdefault(machine.name, machine) is not machine:
        raise CompileError(f"there is already a target {machine.name!r}")
    PARTS.setdefault(f"target {machine.name!r}", None)


def machine(name: str) -> TargetMachine:
    """The machine called `name`; CompileError with close matches if there is none."""
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
