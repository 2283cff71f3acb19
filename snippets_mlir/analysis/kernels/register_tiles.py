"""The register tile of a matrix product: the rows and vectors of columns of one pass.

A step of the sum reads `vectors` vectors of the right operand. Then it broadcasts one element of
the left operand per row and multiplies it with all of them. So rows * vectors accumulators, the
vectors and one broadcast are live:

    rows * vectors + vectors + 1 <= registers

Beyond that LLVM copies accumulators in each step, which takes twice the time. If LLVM loads the
vectors of the next step of an iteration early (`TargetMachine.vectors_ahead`), both are live:

    rows * vectors + 2 * vectors <= registers

The tile with the lowest cost within the limit is chosen. The cost of a pass, in steps of the sum:

* rows * vectors products, one or two a cycle, or rows + vectors loads of `LOAD` cycles each;
* at least `LATENCY` cycles, because each accumulator waits for its own last product, and `SLACK`
  more if two products begin in a cycle, because they do not divide evenly;
* `PANEL` cycles for each vector of 64 bytes of the right operand, which comes from the second-level
  cache, and `ELEMENT` for each element of the left operand. Shorter vectors take proportionally
  less if the columns are outside, because one panel stays near. A step takes at least `FAR` cycles
  per 64 bytes of its vectors: low and wide tiles wait for the cache. Machines may have other
  numbers than `FAR`, for near panels and for others. One row, which reads each vector once, waits
  for memory anyway.

If products with the same left operand share a pass, each has a tile in it: `vectors` of each.

The count includes whole tiles and the rests of rows and columns (a lower and a narrower tile, whose
last vector may be partial), for the thread with the largest share. For an unknown number of rows
the rest is one row at a time. Among tiles with nearly equal costs, a tile without a rest of rows or
columns is chosen, because each kind of rest needs separate code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

LATENCY = 4
"""Cycles from a fused multiply-add to one that reads its result."""

SLACK = 1
"""Cycles that such a chain loses if the processor assigns two of its products to the same unit. 8
accumulators then reach 50 to 95 of 96 GFLOP/s on Zen 3, and 10 or 12 of them 70 to 95."""

LOAD = 0.57
"""Cycles of a load if a step waits for loads: 12 rows of one vector, on Zen 3."""

PANEL, ELEMENT = 0.3, 0.1
"""Additional cycles of a load beside the products."""

FAR = 4
"""Cycles per 64 bytes of a panel that does not stay in the first-level cache: 5 vectors of 32 bytes
take 10.5 cycles on Zen 3 if rows of them are apart. `TargetMachine.panel_line` and `apart_line` are
for others."""

WAYS = 8
"""Associativity of most first-level caches: this many rows that are a multiple of a page apart stay
in them. `TargetMachine.first_ways` is for others.
"""

PAGE, LINE = 4096, 64

SAME = 0.01
"""Tiles whose costs differ by less count as equal. Among those with the fewest variants the tile
with the most vectors is chosen, which needs the fewest broadcasts.
"""

MOST_VARIANTS, MUCH_CODE = 3, 0.04
"""A tile with more variants has to gain this much over one with fewer."""

PANELS = 2
"""The fewest panels of columns per thread."""

TALL = 128
"""Rows for each vector of columns from which the rows are outside."""

ANY_ROWS = 4
"""Rows of a tile for any number of rows of one thread: the rest is processed by 3 and 2 rows."""

SOME_ROWS = (7, 37, 128, 1024)
"""A tile for a dynamic number of rows is chosen for these: a small batch, short and long texts."""

MOST_VECTORS, IN_ONE_ROW = 8, 16
"""The most vectors of a tile. A tile of one row may have more: it reads a KiB of each line of the
right operand, which touches fewer pages, or the whole line if all its sums have registers."""


@dataclass(frozen=True)
class Product:
    """What the choice of a tile depends on.

    Attributes:
        rows: of the result; in a batch, of one matrix.
        vectors: whole and partial ones in a row of the result.
        width: registers of one vector.
        row_bytes: distance of the left operand's rows in memory; 0 if it is packed or unknown.
        threads: that share the loop over rows or columns; 1 if they only share outer loops.
        matrices: of a batch, whose rows or columns the threads share together.
        any_rows: whether the rows, or the rows of the last block, depend on the call; `rows` is
            then the largest of `SOME_ROWS`, or the rows of a block.
        products: computed side by side in one pass, with one left operand: each has a tile.
        turned: whether the right operand is transposed: the columns of a row are apart in memory.
        register: bytes of a register.
        apart: whether panels of columns would write lines that are apart (`result_rows.py`).
        ahead: whether the vectors of two steps are live.
        far: cycles per 64 bytes of a panel whose rows are neighbours, or copied.
        farther: cycles per 64 bytes of other panels.
        tall: whether the rows are outside if there are many of them.
        ways: associativity of the first-level cache.
        widest: vectors of a panel that is copied; 0 if any number of them fits the caches.
    """

    rows: int
    vectors: int
    width: int
    row_bytes: int
    threads: int = 1
    any_rows: bool = False
    products: int = 1
    matrices: int = 1
    turned: bool = False
    register: int = LINE
    apart: bool = False
    ahead: bool = False
    far: float = FAR
    farther: float = FAR
    tall: bool = True
    ways: int = WAYS
    widest: int = 0


@dataclass(frozen=True)
class Tile:
    """A register tile: rows, and vectors of columns."""

    rows: int
    vectors: int

    def __str__(self) -> str:
        return f"{self.rows} rows x {self.vectors} vectors"


def columns_outside(product: Product, tile: Tile) -> bool:
    """Whether the loop over columns is the outer one of the two.

    A panel of the right operand then stays in the cache while all rows use it. This does not apply
    if the threads get too few panels or share matrices of one panel, if there are so many rows that
    a block of them is worth as much (unless each tile of rows would read too much of the right
    operand, `Product.tall`), or if panels would write lines that are apart. A transposed
    operand is copied or packed by panels; otherwise its elements would be gathered one by one. For
    it the columns are outside if each thread gets a vector of them.
    """
    if product.turned and product.vectors * product.matrices >= product.threads:
        return True
    panels = product.vectors // tile.vectors * product.matrices
    one = product.vectors <= tile.vectors
    few = product.threads > 1 and (one or panels < PANELS * product.threads)
    many = product.tall and product.rows > TALL * product.vectors
    rows_first = few or product.apart or many
    return product.rows == 1 or not rows_first


def registers(tile: Tile, width: int, products: int = 1, *, ahead: bool = False) -> int:
    """The registers that are live in a step, `ahead`: of two steps; one row reads singly."""
    vectors = tile.vectors * products
    if tile.rows == 1:
        return (vectors + 2) * width
    read = 2 * vectors if ahead else vectors + 1
    return (tile.rows * vectors + read) * width


def _step(product: Product, tile: Tile, products: float, *, outside: bool, near: bool) -> float:
    """Cycles of a step of the sum; a machine begins `products` products per cycle.

    `near`: whether the rows of a panel are neighbours, or copied, so that lines take `far` cycles
    and not `farther`.
    """
    vectors = tile.vectors * product.products * product.width
    lines = vectors * product.register / LINE
    latency = LATENCY + SLACK * (products > 1)
    least = max(tile.rows * vectors / products, (tile.rows + vectors) * LOAD, latency)
    if product.rows > 1:
        least = max(least, (product.far if near else product.farther) * lines)
    return least + PANEL * (lines if outside else vectors) + ELEMENT * tile.rows


def cost(product: Product, tile: Tile, products: float) -> float:
    """Cycles of all threads in one step of the sum, if each took as long as the busiest one.

    That is the first one: a rest is the last unit of its matrix.
    """
    full_rows, rows = divmod(product.rows, tile.rows)
    full, vectors = divmod(product.vectors, tile.vectors)
    outside = columns_outside(product, tile)
    near = outside or full + bool(vectors) == 1

    def step(height: int, width: int) -> float:
        if not height or not width:
            return 0
        many, low = (rows, 1) if product.any_rows and height < tile.rows else (1, height)
        return many * _step(product, Tile(low, width), products, outside=outside, near=near)

    def panel(width: int) -> float:
        return full_rows * step(tile.rows, width) + step(rows, width)

    def row(height: int) -> float:
        return full * step(height, tile.vectors) + step(height, vectors)

    whole, rest = (panel(tile.vectors), panel(vectors)) if outside else (row(tile.rows), row(rows))
    wholes, units = (full, full + bool(vectors)) if outside else (full_rows, full_rows + bool(rows))
    matrices, more = divmod(-(-units * product.matrices // product.threads), units)
    share = matrices * (wholes * whole + rest) + min(more, wholes) * whole
    return share * product.threads / product.matrices


def variants(product: Product, tile: Tile) -> int:
    """Loops over the sum, including loops for the rests of rows and columns."""
    rows = 1 if product.any_rows else 1 + bool(product.rows % tile.rows)
    return rows * (1 + bool(product.vectors % tile.vectors))


def _tiles(product: Product, limit: int) -> Iterator[Tile]:
    most = (IN_ONE_ROW if product.rows == 1 else MOST_VECTORS) // product.products
    whole = Tile(1, product.vectors)
    if product.rows == 1 and registers(whole, product.width, product.products) <= limit:
        most = product.vectors
    elif product.widest:
        most = min(most, product.widest)
    for vectors in range(1, min(product.vectors, most) + 1):
        for rows in range(1, product.rows + 1):
            tile = Tile(rows, vectors)
            if registers(tile, product.width, product.products, ahead=product.ahead) > limit:
                break
            if rows > product.ways and product.row_bytes % PAGE == 0 and product.row_bytes:
                break
            yield tile


def best_tile(product: Product, limit: int, products: float = 1, height: int | None = None) -> Tile:
    """The tile with the lowest cost within `limit` registers; on a tie, the tile with more vectors.

    If the rows depend on the call, the cost per row counts, for any of `SOME_ROWS`, limited by the
    `rows` of a block. With `height`, a tile has that many rows.
    """
    heights = [min(rows, product.rows) for rows in SOME_ROWS]
    heights = heights if product.any_rows else [product.rows]
    several = [replace(product, rows=height) for height in heights]

    def mean(tile: Tile) -> float:
        return sum(cost(one, tile, products) / one.rows for one in several)

    fitting = (tile for tile in _tiles(product, limit) if height in (None, tile.rows))
    tiles = {tile: mean(tile) for tile in fitting} or {Tile(1, 1): 0.0}
    least = min(tiles.values())
    near = {tile for tile, found in tiles.items() if found <= least * (1 + SAME)}
    small = {tile for tile in tiles if variants(product, tile) <= MOST_VARIANTS}
    if small.isdisjoint(near):
        near |= {tile for tile in small if tiles[tile] <= least * (1 + MUCH_CODE)}
    return min(near, key=lambda tile: (variants(product, tile), -tile.vectors, tiles[tile]))
