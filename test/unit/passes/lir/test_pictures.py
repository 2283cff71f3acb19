"""The pictures of registers and domains: complete, and what runs."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.passes.lir.debug.domain_picture import domain_svg, ranges
from snippets_mlir.passes.lir.debug.kernel_view import view_of
from snippets_mlir.passes.lir.debug.live_range_picture import held_values
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

SOFTMAX = """func.func @main(%x: tensor<3x50xf32>) -> tensor<3x50xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<3x50xf32>
  func.return %0 : tensor<3x50xf32>
}"""
ASSIGNED = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-assign-registers") + 1]
START = "snippets-set-target{target=x86-64-avx2},snippets-to-lir"


def test_a_register_holds_one_value_at_a_time(tmp_path: Path):
    ctx = make_context()
    module = parse_module(SOFTMAX, ctx)
    path = tmp_path / "registers.svg"
    passes = f"{START},{','.join(ASSIGNED)},lir-draw-registers{{path={path}}}"
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    view = view_of(kernels_of(module)[0])
    held = held_values(view)
    vectors = [one for one in held if one.register.startswith("vec")]
    assert len(vectors) > 20
    for a in vectors:
        for b in vectors:
            if a is not b and a.register == b.register:
                assert a.end <= b.start or b.end <= a.start, (a, b)
    titles = [e.text for e in ElementTree.parse(path).iter() if e.tag.endswith("title")]
    assert titles[1:] == [f"{h.register}: {h.name}, ops {h.start} to {h.end}" for h in held]
    boxes = [box for group in drawn(path, "g") for box in group if box.tag.endswith("rect")]
    spans = sorted((number(b, "x"), number(b, "y"), number(b, "height")) for b in boxes)
    assert len(spans) == len(held)
    for (x, y, height), (other_x, below, _) in pairwise(spans):
        assert x != other_x or y + height <= below


def drawn(path: Path, kind: str) -> list[ElementTree.Element]:
    return [e for e in ElementTree.parse(path).iter() if e.tag.endswith("}" + kind)]


def number(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "0"))


@pytest.mark.parametrize("kind", ["control", "data"])
def test_texts_are_inside_of_the_picture(tmp_path: Path, kind: str):
    """The attention has a buffer of few bytes, and ports with long texts; the ground is white."""
    ctx = make_context()
    text = Path(__file__).parents[4] / "docs/examples/attention.mlir"
    module = parse_module(text.read_text(encoding="utf-8"), ctx)
    until = LIR_TO_VECTOR[: LIR_TO_VECTOR.index("lir-allocate-buffers") + 1]
    path = tmp_path / "picture.svg"
    picture = f"lir-serialize-{kind}-flow{{path={path} format=svg}}"
    run_passes(module, ctx, parse_pipeline(f"{START},{','.join(until)},{picture}", ctx))
    (svg,) = drawn(path, "svg")
    ground = drawn(path, "rect")[0]
    assert (ground.get("width"), ground.get("fill")) == (svg.get("width"), "#ffffff")
    texts = drawn(path, "text")
    assert len(texts) > 50
    for element in texts:
        size = number(element, "font-size") or number(svg, "font-size")
        shown = "".join([element.text or "", *(child.tail or "" for child in element)])
        assert number(element, "x") + 0.6 * size * len(shown) <= number(svg, "width"), shown


def test_registers_have_to_be_assigned(tmp_path: Path):
    ctx = make_context()
    module = parse_module(SOFTMAX, ctx)
    until = ASSIGNED[: ASSIGNED.index("lir-insert-loops") + 1]
    passes = f"{START},{','.join(until)},lir-draw-registers{{path={tmp_path / 'x.svg'}}}"
    with pytest.raises(CompileError, match="@subgraph_0 has no registers; run lir-init-live"):
        run_passes(module, ctx, parse_pipeline(passes, ctx))


@pytest.mark.parametrize(
    ("domain", "grain", "threads", "expected"),
    [
        (64, 1, 4, [(0, 16), (16, 32), (32, 48), (48, 64)]),
        (10, 1, 4, [(0, 3), (3, 6), (6, 8), (8, 10)]),
        (100, 16, 3, [(0, 48), (48, 80), (80, 100)]),
        (2, 1, 3, [(0, 1), (1, 2), (2, 2)]),
    ],
)
def test_ranges(domain: int, grain: int, threads: int, expected: list[tuple[int, int]]):
    assert ranges(domain, grain, threads) == expected
    text = "".join(ElementTree.fromstring(domain_svg("k", domain, grain, threads)).itertext())
    assert all(f"{begin} to {end}" in text for begin, end in expected)
