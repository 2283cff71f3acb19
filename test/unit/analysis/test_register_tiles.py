"""The register tile of a product stays in the registers, and wastes little."""

from __future__ import annotations

from dataclasses import replace

import pytest

from snippets_mlir.analysis.kernels.register_tiles import (
    MOST_VARIANTS,
    SOME_ROWS,
    Product,
    Tile,
    best_tile,
    columns_outside,
    cost,
    registers,
    variants,
)


@pytest.mark.parametrize("limit", [16, 32])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("rows", [1, 2, 5, 6, 7, 13, 512])
@pytest.mark.parametrize("vectors", [1, 3, 4, 7, 64])
def test_the_law_of_registers(rows: int, vectors: int, width: int, limit: int) -> None:
    tile = best_tile(Product(rows, vectors, width, 0, 2), limit)
    assert registers(tile, width) <= limit
    assert tile.rows <= rows
    assert tile.vectors <= vectors


def test_tiles_of_large_products() -> None:
    assert best_tile(Product(512, 32, 1, 2048, 2), 32) == Tile(6, 4)
    assert best_tile(Product(512, 66, 1, 2048, 2, register=32), 16, products=2) == Tile(4, 3)


def test_low_and_wide_tiles_wait_for_the_cache() -> None:
    """A tile of 2 rows and 5 vectors would read 160 bytes for 10 products, five cycles of them."""
    product = Product(3318, 50, 1, 606 * 4, 2, register=32)
    assert best_tile(product, 16, products=2) == Tile(6, 2)
    assert cost(product, Tile(2, 5), 2) > 1.5 * cost(product, Tile(6, 2), 2)


def test_what_is_left_of_rows_and_columns_is_one_pass_each() -> None:
    whole, more = (cost(Product(rows, 64, 1, 0), Tile(6, 2), 2) for rows in (600, 605))
    assert more < 606 / 600 * whole
    few = cost(Product(600, 5, 1, 0), Tile(4, 4), 1)  # four vectors and one
    assert few < cost(Product(600, 8, 1, 0), Tile(4, 4), 1)


def test_a_tile_with_much_code_has_to_gain_by_it() -> None:
    product = Product(100, 13, 1, 400, 2, register=32)
    assert variants(product, best_tile(product, 16, 2)) <= MOST_VARIANTS


def test_rows_a_page_apart_are_few() -> None:
    assert best_tile(Product(4096, 2, 1, 4096), 32).rows <= 8
    assert best_tile(Product(4096, 2, 1, 4095), 32).rows > 8
    assert 8 < best_tile(Product(4096, 2, 1, 4096, ways=12), 32).rows <= 12


def test_two_products_in_a_cycle_want_more_accumulators_than_they_have_to() -> None:
    """8 would be enough for a latency of 4 cycles, and 128 rows are 32 tiles of 4 of them."""
    product = Product(rows=128, vectors=16, width=1, row_bytes=256, threads=2, register=32)
    assert best_tile(product, 16, 2) == Tile(6, 2)
    assert best_tile(replace(product, threads=1), 16, 1) == Tile(4, 3)


def test_a_thread_with_a_vector_left_over_has_less_to_do() -> None:
    """22 panels of 3 vectors, the last one of one: 33 vectors for one thread, 31 for the other."""
    product = Product(1024, 64, 1, 4096, 2, far=2)
    alone = replace(product, threads=1)
    full, rest = (cost(Product(1024, v, 1, 4096, 1, far=2), Tile(8, 3), 2) for v in (3, 1))
    assert cost(alone, Tile(8, 3), 2) == pytest.approx(21 * full + rest)
    assert cost(product, Tile(8, 3), 2) == pytest.approx(2 * 11 * full)
    assert best_tile(product, 32, 2) == Tile(6, 4)


def test_vectors_of_two_steps_need_registers() -> None:
    assert registers(Tile(9, 3), 1) == 31
    assert registers(Tile(9, 3), 1, ahead=True) == 33
    assert registers(Tile(1, 16), 1, ahead=True) == 18
    product = Product(504, 3, 1, 5120, 1)
    assert best_tile(product, 32, 2) == Tile(9, 3)
    assert best_tile(replace(product, ahead=True), 32, 2) == Tile(8, 3)


def test_panels_that_many_rows_use_are_near() -> None:
    """A tile of 4 vectors reads 256 bytes for 12 cycles of products."""
    product = Product(512, 32, 1, 2048, 2)
    assert best_tile(product, 32, 2).vectors < 4
    assert best_tile(replace(product, far=2), 32, 2) == Tile(6, 4)
    assert best_tile(replace(product, vectors=13, rows=732, far=2), 32, 2).vectors < 4  # not copied


def test_a_panel_is_as_wide_as_a_copy_may_be() -> None:
    product = Product(512, 32, 1, 2048, 2, far=2)
    assert best_tile(replace(product, widest=2), 32, 2).vectors == 2


def test_one_row_has_several_accumulators() -> None:
    assert best_tile(Product(1, 64, 1, 0), 32) == Tile(1, 16)


def test_one_row_is_read_whole_where_all_its_sums_have_registers() -> None:
    assert best_tile(Product(1, 28, 1, 0), 32) == Tile(1, 28)
    assert best_tile(Product(1, 30, 1, 0), 32) == Tile(1, 30)
    assert best_tile(Product(1, 31, 1, 0), 32).vectors <= 16
    assert best_tile(Product(1, 28, 1, 0, 2), 32) == Tile(1, 14)  # two threads have a half each


def test_what_no_tile_fits_is_done_one_by_one() -> None:
    assert best_tile(Product(4, 4, 1, 0), 2) == Tile(1, 1)


def test_panels_that_are_far_away_want_high_tiles() -> None:
    """Each tile reads the right operand anew: more rows, fewer vectors for a product."""
    product = Product(512, 7, 1, 8000, 2, farther=5)
    assert best_tile(product, 32, 2).vectors == 2
    assert best_tile(replace(product, farther=4), 32, 2) == Tile(8, 3)
    near = replace(product, vectors=64, far=2)
    assert best_tile(near, 32, 2) == best_tile(replace(near, farther=4), 32, 2)


def test_many_rows_are_outside_unless_the_right_operand_is_large() -> None:
    tall = Product(3400, 25, 1, 2400)
    assert not columns_outside(tall, Tile(8, 3))
    assert columns_outside(replace(tall, tall=False), Tile(8, 3))
    assert not columns_outside(replace(tall, vectors=7, threads=2, tall=False), Tile(8, 3))


def test_columns_are_outside_if_each_thread_gets_panels() -> None:
    tile = Tile(6, 4)
    assert columns_outside(Product(64, 16, 1, 0, 2), tile)
    assert not columns_outside(Product(64, 12, 1, 0, 2), tile)
    assert columns_outside(Product(64, 12, 1, 0, 1), tile)
    assert columns_outside(Product(1, 4, 1, 0, 2), tile)
    assert not columns_outside(Product(4096, 16, 1, 0, 2), tile)


def test_rows_are_outside_if_threads_share_matrices_of_one_panel() -> None:
    tile = Tile(6, 4)
    assert not columns_outside(Product(64, 4, 1, 0, 2, matrices=13), tile)
    assert columns_outside(Product(64, 8, 1, 0, 2, matrices=13), tile)
    assert columns_outside(Product(64, 4, 1, 0, 1, matrices=13), tile)
    assert columns_outside(Product(64, 4, 1, 0, 2, turned=True, matrices=13), tile)


def test_columns_that_lie_apart_are_outside_if_each_thread_gets_a_vector() -> None:
    tile = Tile(6, 4)
    assert columns_outside(Product(64, 12, 1, 0, 2, turned=True), tile)
    assert columns_outside(Product(4096, 2, 1, 0, 2, turned=True), tile)
    assert columns_outside(Product(4096, 1, 1, 0, 2, turned=True, matrices=2), tile)
    assert not columns_outside(Product(64, 1, 1, 0, 2, turned=True), tile)
    assert best_tile(Product(64, 4, 1, 0, 2, turned=True), 32).vectors == 2  # a panel each


def test_a_tile_for_any_number_of_rows_wastes_few():
    many = Product(SOME_ROWS[-1], 48, 1, 0, 2)
    tile = best_tile(replace(many, any_rows=True), 32)
    assert tile.rows < best_tile(many, 32).rows

    def waste(rows: int, of: Tile) -> float:
        here = replace(many, rows=rows, any_rows=True)
        return cost(here, of, 1) / cost(here, best_tile(here, 32), 1)

    assert all(waste(rows, tile) < 1.35 for rows in SOME_ROWS)
    assert waste(7, best_tile(many, 32)) > waste(7, tile)


def test_blocks_of_which_the_last_may_be_short_waste_few_rows():
    """13 rows leave 11 of 128, which go one at a time."""
    block = Product(128, 4, 1, 0, 1)
    tile = best_tile(replace(block, any_rows=True), 32)
    assert best_tile(block, 32) == Tile(13, 2)
    assert 128 % tile.rows <= 2
    assert 37 % tile.rows <= 2


def test_of_tiles_that_cost_the_same_one_that_leaves_nothing_over():
    """9 x 3 costs 0.7 % less for 36 rows of 64 vectors, but leaves a vector over."""
    product = Product(36, 64, 1, 0)
    assert best_tile(product, 32) == Tile(6, 4)
    assert (variants(product, Tile(9, 3)), variants(product, Tile(6, 4))) == (2, 1)
    assert cost(product, Tile(9, 3), 1) < cost(product, Tile(6, 4), 1)
    assert variants(Product(37, 65, 1, 0), Tile(6, 4)) == 4


def test_a_tile_of_a_given_height():
    product = Product(SOME_ROWS[-1], 64, 1, 0, 2, any_rows=True)
    assert best_tile(product, 32, height=4) == Tile(4, 4)
    assert best_tile(product, 4, height=4) == Tile(1, 1)  # none fits
