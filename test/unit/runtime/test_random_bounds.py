"""The check of accesses of random nests of loops and conditions, against the nests in Python."""

from __future__ import annotations

import random
import re

import pytest
from sampled import sampled
from xdsl.dialects.func import FuncOp

from snippets_mlir.analysis.loops.access_bounds import accesses_of
from snippets_mlir.driver.settings import default_context
from snippets_mlir.runtime.memref_calls.access_extremes import outside
from snippets_mlir.support.parsing import parse_module


@pytest.mark.parametrize("seed", sampled(range(60), 3))
def test_calls_are_refused_exactly_where_an_index_is_outside(seed: int) -> None:
    draw = random.Random(seed)
    names = ["i", "j", "k"][: draw.randint(1, 3)]

    def term(depth: int) -> str:
        chosen = draw.choice([*names[:depth], "n", str(draw.randint(-3, 4))])
        form = draw.choice(["{}", "2 * {}", "-{}", "{} floordiv 2", "{} mod 3", "{} ceildiv 2"])
        return form.format(f"({chosen})" if chosen[0] == "-" else chosen)

    def expression(depth: int) -> str:
        return " + ".join(term(depth) for _ in range(draw.randint(1, 2)))

    def mapped(kind: str, text: str, depth: int) -> str:
        """`text` with its names as the dims and the symbol of a map, or of a set."""
        dims = ", ".join(names[:depth])
        operands = ", ".join(f"%{name}" for name in names[:depth])
        return f"affine_{kind}<({dims})[n] {text}>({operands})[%n]"

    bounds = [(expression(depth), expression(depth)) for depth in range(len(names))]
    steps = [draw.randint(1, 3) for _ in names]
    index, condition = expression(len(names)), expression(len(names))
    test, holds = draw.choice([">=", "=="]), draw.choice([None, True, False])

    loops = " ".join(
        f"affine.for %{name} = {mapped('map', f'-> ({low})', depth)} to "
        f"{mapped('map', f'-> ({high})', depth)} step {step} {{"
        for depth, (name, (low, high), step) in enumerate(zip(names, bounds, steps, strict=True))
    )
    if holds is not None:
        chosen = mapped("set", f": ({condition} {test} 0)", len(names))
        loops += f" affine.if {chosen} {{" + ("" if holds else "} else {")
    module = parse_module(
        f"""func.func @f(%a: memref<?xf32>, %n: index) {{
          %one = arith.constant 1.0 : f32
          {loops}
          %at = affine.apply {mapped("map", f"-> ({index})", len(names))}
          memref.store %one, %a[%at] : memref<?xf32>
          {"}" * (len(names) + (holds is not None))}
          func.return
        }}""",
        default_context(),
    )
    (called,) = module.ops
    assert isinstance(called, FuncOp)
    (access,) = accesses_of(called)
    for n in range(5):
        points = [
            point
            for point in _nest(names, bounds, steps, n)
            if holds is None
            or holds
            == (_eval(condition, point) >= 0 if test == ">=" else not _eval(condition, point))
        ]
        made = [_eval(index, point) for point in points]
        most = max(made, default=-1)
        for size in {0, max(most, 0), most + 1, 7}:
            found = outside(access, {(0, 0): size, (1, -1): n})
            wrong = [index for index in made if not 0 <= index < size]
            assert (found is None) == (not wrong)
            if found is not None:
                worst = min(made) if min(made) < 0 else most
                assert found == f"accesses index {worst} of dim 0, which has size {size}"


class _Number(int):
    """An integer whose `/` rounds up."""

    def __truediv__(self, other: int) -> int:  # type: ignore[override]
        return -(-int(self) // other)


Point = dict[str, int]


def _nest(names: list[str], bounds: list[tuple[str, str]], steps: list[int], n: int) -> list[Point]:
    """The values of the counters at each iteration of a nest of loops."""
    points: list[Point] = [{"n": _Number(n)}]
    for name, (low, high), step in zip(names, bounds, steps, strict=True):
        points = [
            {**p, name: _Number(i)}
            for p in points
            for i in range(_eval(low, p), _eval(high, p), step)
        ]
    return points


def _eval(text: str, point: Point) -> int:
    text = text.replace(" mod ", " % ").replace("floordiv", "//").replace(" ceildiv 2", " / 2")
    wrapped = re.sub(r"\((-\d+)\)|(?<![\w.])(\d+)(?= /)", r"_N(\1\2)", text)
    return int(eval(wrapped, {"_N": _Number, **point}))
