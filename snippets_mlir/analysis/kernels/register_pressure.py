"""Register pressure: the number of registers of the live values of a `lir.kernel` at each
position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.live_ranges import LiveRange, body_of
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.dialects.lir.kernel import KernelOp


@dataclass(frozen=True)
class Pressure:
    """The most registers that live values take at one place.

    Attributes:
        vectors: in the vector file.
        masks: in the mask file; 0 on machines without one.
    """

    vectors: int
    masks: int

    def fits(self, files: RegisterFiles) -> bool:
        """Whether no value has to leave its register."""
        return self.vectors <= files.vectors and self.masks <= files.masks


def changes_of(ranges: Iterable[LiveRange], file: str, first: int, last: int) -> list[int]:
    """By how much the registers in use of `file` change at each position from `first` on.

    Scalars are not counted: each use of a scalar is an immediate if no register is left for it.

    Args:
        ranges: the live ranges.
        file: "vec" or "mask".
        first: the first position.
        last: the last one; ranges that live on are subtracted after it.
    """
    changes = [0] * (last - first + 2)
    for r in ranges:
        if r.file == file and not r.immediate and r.start <= last and r.end >= first:
            changes[max(r.start, first) - first] += r.units
            changes[min(r.end, last) - first + 1] -= r.units
    return changes


def pressure(
    kernel: KernelOp, files: RegisterFiles, auxiliary: Mapping[str, int] | None = None
) -> Pressure:
    """The largest number of registers that are live at one place of `kernel`, scalars aside.

    Args:
        kernel: at stage `looped` or later.
        files: the target's register files.
        auxiliary: additional vector registers that the emitter of an op needs.
    """
    lives = live_ranges(body_of(kernel), files)
    last = len(lives.position) - 1
    vectors, masks = (changes_of(lives.ranges, file, 0, last) for file in ("vec", "mask"))
    for op, position in lives.position.items():
        if auxiliary and (count := auxiliary.get(op.name, 0)):
            vectors[position] += count
            vectors[position + 1] -= count
    return Pressure(max(accumulate(vectors)), max(accumulate(masks)))
