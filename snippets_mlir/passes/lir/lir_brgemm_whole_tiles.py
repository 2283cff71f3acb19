"""Give blocks of a dynamic number of rows whole register tiles.

    [#lir.loop<1, work ?0, inc 128, dim 2>,
     #lir.loop<14, work 128, inc 1, dim 2, inner of 1, jam 7>,      a product
     #lir.loop<15, work 128, inc 1, dim 2, inner of 1>]              what follows

becomes

    [#lir.loop<1, work ?0, inc 133, dim 2>,
     #lir.loop<14, work 133, inc 1, dim 2, inner of 1, jam 7>,
     #lir.loop<15, work 133, inc 1, dim 2, inner of 1>]

With tiles of 7 rows, two of 128 rows remain. They need smaller tiles, and each of those reads the
panel as often as a whole tile. A block gets a number of rows that is a multiple of the tiles of all
products in it: the next larger one if that is at most `MORE` times as many, else the largest
smaller one. The last block has the remainder. Rows are independent, so the results are the same. A
call that chooses the rows of a block does so among multiples of the tiles, here 133, 126, 119 and
so on, or takes fewer rows than a tile has.

Leaves blocks of a known number of rows, because their tile was chosen for its remainder, and blocks
that would lose more than a quarter of their rows, because each block reads the other operands
again. Refuses no kernel.
"""

from dataclasses import dataclass, replace
from math import lcm
from typing import ClassVar

from typing_extensions import override

from snippets_mlir.analysis.kernels.row_blocks import heights
from snippets_mlir.dialects.lir.choices import choice_of, set_choice
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.loops import LoopInfo
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.lir.kernel_passes import KernelPlanPass

MORE = 1.07
"""How many times its rows a block may have: 128 rows, a common number, are then one block."""

KEPT = 0.75
"""The least part of its rows that a block keeps."""


@dataclass(frozen=True)
class WholeTiles:
    """Blocks that get another number of rows.

    Attributes:
        loops: the new loops over blocks, and over the rows of one.
        tiles: rows of the tiles in each block.
    """

    loops: tuple[LoopInfo, ...]
    tiles: tuple[tuple[int, ...], ...]

    @property
    def chosen(self) -> tuple[int, int] | None:
        """The rows of a block if calls choose them, and of its tiles; None if they do not."""
        blocks = [loop for loop in self.loops if loop.inner_of is None]
        found = (
            (loop.increment, lcm(*tiles))
            for loop, tiles in zip(blocks, self.tiles, strict=True)
            if loop.step is not None
        )
        return next(found, None)

    def __str__(self) -> str:
        blocks = [loop for loop in self.loops if loop.inner_of is None]
        lines = [
            f"loop {loop.id} walks blocks of {loop.increment} rows: whole tiles of "
            f"{' and of '.join(map(str, heights))}"
            for loop, heights in zip(blocks, self.tiles, strict=True)
        ]
        return "\n".join(lines) or "no block leaves rows of a tile over"


def whole_rows(height: int, tiles: tuple[int, ...]) -> int:
    """The rows of a block of about `height` that all tiles divide; `height` if they are few."""
    together = lcm(*tiles)
    rows = -(-height // together) * together
    if rows > MORE * height:
        rows -= together
    return rows if rows >= KEPT * height else height


def _changed(
    block: LoopInfo, table: dict[int, LoopInfo]
) -> tuple[list[LoopInfo], tuple[int, ...]] | None:
    """The loops of blocks of fewer rows, and their tiles; None if nothing changes."""
    inner = [loop for loop in table.values() if loop.inner_of == block.id]
    if not block.dynamic or block.dim == 0 or block.inner_of is not None:
        return None
    if any((loop.work_amount, loop.increment) != (block.increment, 1) for loop in inner):
        return None
    tiles = tuple(sorted({loop.jam for loop in inner} - {1}))
    rows = whole_rows(block.increment, tiles)
    if rows == block.increment:
        return None
    whole = replace(block, increment=rows)
    return [whole, *(replace(loop, work_amount=rows) for loop in inner)], tiles


def plan_whole_tiles(table: dict[int, LoopInfo]) -> WholeTiles:
    """The blocks of a kernel with rows that are no multiple of its tiles."""
    found = [changed for loop in table.values() if (changed := _changed(loop, table)) is not None]
    loops = tuple(loop for changed, _ in found for loop in changed)
    return WholeTiles(loops, tuple(tiles for _, tiles in found))


@dataclass(frozen=True)
class LirBrgemmWholeTilesPass(KernelPlanPass[WholeTiles]):
    """Give blocks of a dynamic number of rows whole register tiles."""

    name = "lir-brgemm-whole-tiles"
    STAGES: ClassVar[Stages] = Stages(("marked",))

    @override
    def plan(self, unit: KernelOp) -> WholeTiles:
        return plan_whole_tiles(unit.loop_table)

    def carry_out(self, unit: KernelOp, plan: WholeTiles) -> None:
        """Write the rows of the blocks."""
        if plan.loops:
            changed = {loop.id: loop for loop in plan.loops}
            unit.set_loops(list((unit.loop_table | changed).values()))
        if plan.chosen is not None and (choice := choice_of(unit)) is not None:
            set_choice(unit, choice._replace(among=heights(*plan.chosen)))
