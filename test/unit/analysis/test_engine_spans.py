"""In how many pieces onnxruntime computes operands that broadcast, as its times tell."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.engine.spans import spans

Shape = tuple[int, ...]


@pytest.mark.parametrize(
    ("first", "second", "pieces"),
    [
        ((172, 309), (309,), 172),
        ((172, 309), (172, 1), 172),
        ((172, 309), (1,), 1),
        ((172, 309), (), 1),
        ((172, 309), (172, 309), 1),
        ((172, 309, 1), (1,), 172 * 309),  # 330 us on a Zen 5; 4 us without the last dim
        ((172, 309, 1), (), 172 * 309),
        ((172, 309, 1), (1, 1, 1), 1),
        ((172, 309, 2), (309, 1), 172 * 309),
        ((128, 12, 64), (128, 1, 64), 128 * 12),
        ((12, 128, 128), (1, 128, 128), 12),
        ((16, 64, 56, 56), (1, 64, 1, 1), 16 * 64),
        ((1, 64), (32, 1), 32),
        ((0, 4), (4,), 1),
    ],
)
def test_pieces(first: Shape, second: Shape, pieces: int):
    assert spans([first, second]) == pieces
    assert spans([second, first]) == pieces


def test_one_operand_is_one_piece():
    assert spans([]) == 1
    assert spans([(3, 4)]) == 1
