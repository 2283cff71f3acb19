"""The tables of the reference for OptimizeDomain (2.16) and SplitDimensionM (2.7)."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.parallel_domain import GuideDomain, guide_domain, split_dimension


@pytest.mark.parametrize(
    ("shapes", "threads", "expected"),
    [
        ([(1, 64, 56, 56)] * 2, 8, GuideDomain(1, (1, 1, 64, 3136), 1)),
        ([(14, 15, 1, 17), (14, 15, 16, 17)], 1, GuideDomain(0, (14, 15, 16, 17), 2)),
        ([(14, 15, 16, 17)] * 2, 20, GuideDomain(1, (1, 14, 15, 272), 1)),
        ([(14, 15, 16, 17)] * 2, 1, GuideDomain(1, (1, 14, 15, 272), 2)),
        ([(1, 1, 8, 8)] * 2, 4, GuideDomain(0, (1, 1, 8, 8), 1)),
    ],
)
def test_guide_domain(shapes: list[tuple[int, ...]], threads: int, expected: GuideDomain) -> None:
    """Collapsed dims, master shape and tile rank."""
    assert guide_domain(shapes, threads, 256) == expected


@pytest.mark.parametrize(
    ("batch", "rows", "threads", "expected"),
    [
        (1, 128, 8, (8, 16)),
        (1, 384, 8, (8, 48)),
        (12, 128, 16, (4, 32)),
        (2, 197, 16, None),
        (3, 100, 16, (10, 10)),
        (1, 1024, 24, (32, 32)),
        (1, 4096, 56, (128, 32)),
        (16, 128, 16, None),
        (5, 60, 16, (6, 10)),
        (2, 12, 16, (12, 1)),
        (7, 128, 16, (4, 32)),
    ],
)
def test_split_dimension(
    batch: int, rows: int, threads: int, expected: tuple[int, int] | None
) -> None:
    """The parts of M, or that it stays whole."""
    assert split_dimension(batch, rows, threads) == expected
