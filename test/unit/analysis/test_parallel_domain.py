"""The table of the reference for OptimizeDomain (2.16)."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.kernels.parallel_domain import GuideDomain, guide_domain


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
