"""Live ranges of a kernel's values: intervals over loops, connectors, and the pressure."""

from __future__ import annotations

import pytest

from snippets_mlir.analysis.kernels.connectors import live_ranges
from snippets_mlir.analysis.kernels.live_ranges import body_of, live_sets
from snippets_mlir.analysis.kernels.register_files import RegisterFiles
from snippets_mlir.analysis.kernels.register_pressure import pressure
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

FILES = RegisterFiles(vectors=16, masks=0, general=12, vector_bits=256)
MASKS = RegisterFiles(vectors=32, masks=7, general=12, vector_bits=256)
T, V, I = "tensor<4x16xf32>", "#lir.port<[4, 16], sub [8]>", "#lir.port<[1, 1], sub [1]>"  # noqa: E741
ARRAY = "#lir.port<[4, 16], sub [8], loops [0: dim 1 ptr 16 fin -64, {}: dim 0 ptr 1 fin -16]>"


def kernel(body: str, element: str = "f32", loops: int = 3) -> KernelOp:
    """A kernel over rows; ops are written `name operands @loops`, one a line."""
    t = T.replace("f32", element)
    table = "#lir.loop<0, work 4, inc 1, dim 1, parallel>, " + ", ".join(
        f"#lir.loop<{i}, work 16, inc 8, dim 0>" for i in range(1, loops)
    )
    lines: list[str] = []
    for text in body.strip().splitlines():
        line, _, ids = text.strip().partition("@")
        inside = f"lir.loops = array<i64: {ids}>" if ids else "lir.loops = array<i64>"
        array = ARRAY.format(ids.split(", ")[-1]) if ids else ""
        if "lir.load " in line:
            line += f"{{count = 8 : i64, {inside}, lir.ports = [{array}, {V}]}} : {t}"
        elif "lir.store " in line:
            line += f"{{count = 8 : i64, {inside}, lir.ports = [{V}, {array}]}} : {t}"
        elif "snippets.broadcast " in line:
            line += f"{{{inside}, lir.ports = [{I}, {V}]}} : (tensor<{element}>) -> {t}"
        elif "snippets.scalar" in line:
            line += f" {{{inside}, lir.ports = [{I}]}}"
        elif "snippets." in line:
            count = line.count("%")
            line += f"{{{inside}, lir.ports = [{', '.join([V] * count)}]}} : {t}"
        elif "(" in line:
            line += " : " + ", ".join([t] * (line.partition("(")[2].count("%")))
        lines.append(line)
    text = (
        f'lir.kernel @k "looped" (%x: {t}) -> {t} loops [{table}] {{\n'
        + "\n".join(lines)
        + f"\nlir.result %s {{index = 0 : i64, lir.ports = [{V}]}} : {t}\n}}"
    )
    found = parse_module(text, make_context()).body.block.first_op
    assert isinstance(found, KernelOp)
    found.verify()
    return found


def intervals(op: KernelOp, files: RegisterFiles = FILES) -> dict[str, tuple[int, int]]:
    """Interval of each named value."""
    lives = live_ranges(body_of(op), files)
    return {v.name_hint: (r.start, r.end) for v, r in lives.of.items() if v.name_hint}


STRAIGHT = """
lir.loop_begin 0
lir.loop_begin 1
%a = lir.load %x @0, 1
%b = snippets.abs %a @0, 1
%c = snippets.add %a, %b @0, 1
%s = lir.store %c @0, 1
lir.loop_end 1
lir.loop_end 0
"""

SUM = """
%z = snippets.scalar 0.0 : f32
lir.loop_begin 0
%init = snippets.broadcast %z @0
%in = lir.loop_begin 1 (%init)
%a = lir.load %x @0, 1
%next = snippets.add %in, %a @0, 1
%out = lir.loop_end 1 (%next)
%r = snippets.abs %out @0
lir.loop_begin 2
%y = lir.load %x @0, 2
%d = snippets.add %y, %r @0, 2
%e = snippets.abs %d @0, 2
%s = lir.store %e @0, 2
lir.loop_end 2
lir.loop_end 0
"""


def test_intervals_include_the_last_use() -> None:
    assert intervals(kernel(STRAIGHT)) == {"a": (2, 4), "b": (3, 4), "c": (4, 5)}
    # At position 4 both operands and the result are live.
    assert pressure(kernel(STRAIGHT), FILES).vectors == 3


def test_what_a_loop_carries_is_one_register() -> None:
    op = kernel(SUM)
    lives = live_ranges(body_of(op), FILES)
    found = intervals(op)
    assert {found[name] for name in ("init", "in", "next", "out")} == {(2, 7)}
    assert not lives.copies
    # `r` is defined before loop 2 and used in it: it lives to the loop's end, at position 13.
    assert found["r"] == (7, 13)
    assert lives.ranges[0].immediate
    assert found["z"] == (0, 14)


def test_a_value_that_begins_two_accumulators_is_copied() -> None:
    op = kernel(
        """
%z = snippets.scalar 0.0 : f32
lir.loop_begin 0
%init = snippets.broadcast %z @0
%p, %q = lir.loop_begin 1 (%init, %init)
%a = lir.load %x @0, 1
%pn = snippets.add %p, %a @0, 1
%qn = snippets.multiply %q, %a @0, 1
%pf, %qf = lir.loop_end 1 (%pn, %qn)
%m = snippets.add %pf, %qf @0
lir.loop_begin 2
%s = lir.store %m @0, 2
lir.loop_end 2
lir.loop_end 0
"""
    )
    lives = live_ranges(body_of(op), FILES)
    assert [(marker.name, index) for marker, index in lives.copies] == [("lir.loop_begin", 1)]
    assert lives.of[op.block.ops.__iter__().__next__().results[0]].immediate


def test_values_that_change_places_are_copied() -> None:
    op = kernel(
        """
lir.loop_begin 0
lir.loop_begin 1
%a = lir.load %x @0, 1
%b = snippets.abs %a @0, 1
%p, %q = lir.loop_begin 2 (%a, %b)
%pf, %qf = lir.loop_end 2 (%q, %p)
%m = snippets.add %pf, %qf @0, 1
%s = lir.store %m @0, 1
lir.loop_end 1
lir.loop_end 0
"""
    )
    lives = live_ranges(body_of(op), FILES)
    assert {(marker.name, index) for marker, index in lives.copies} == {
        ("lir.loop_end", 0),
        ("lir.loop_end", 1),
    }


@pytest.mark.parametrize(("element", "registers"), [("f32", 3), ("f64", 6), ("i8", 3)])
def test_wide_values_take_several_registers(element: str, registers: int) -> None:
    assert pressure(kernel(STRAIGHT, element), FILES).vectors == registers


def test_masks_have_a_file_of_their_own_where_the_machine_has_one() -> None:
    op = kernel(
        STRAIGHT.replace("abs", "logical_not").replace("snippets.add", "snippets.logical_or"), "i1"
    )
    assert (pressure(op, FILES).vectors, pressure(op, FILES).masks) == (3, 0)
    assert (pressure(op, MASKS).vectors, pressure(op, MASKS).masks) == (0, 3)
    assert pressure(op, MASKS).fits(MASKS)
    assert not pressure(op, MASKS).fits(RegisterFiles(32, 2, 12, 512))


def test_auxiliary_registers_are_counted() -> None:
    assert pressure(kernel(STRAIGHT), FILES, {"snippets.add": 2}).vectors == 5
    assert pressure(kernel(STRAIGHT), FILES, {"snippets.multiply": 2}).vectors == 3


def test_live_sets() -> None:
    op = kernel(STRAIGHT)
    sets = live_sets(live_ranges(body_of(op), FILES))
    names = [[r.values[0].name_hint for r in live] for live in sets]
    assert names == [[], [], ["a"], ["a", "b"], ["a", "b", "c"], ["c"], [], [], []]
