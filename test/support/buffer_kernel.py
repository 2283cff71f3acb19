"""A kernel with two buffers, one over the other, that the checkers of the linear IR accept."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

T = "tensor<4x21xf32>"
WHOLE = "#lir.port<[4, 21], sub [8]>"
ROW = "#lir.port<[1, 21], sub [8]>"


def moving(loop: int, row: int = 21, ptr: int = 1, fin: int = -21) -> str:
    """The port of an array of 4 rows under loop 0 and an inner loop."""
    outer = "0: dim 1 fixed" if row == 0 else f"0: dim 1 ptr {row} fin {-4 * row}"
    shape = "[1, 21]" if row == 0 else "[4, 21]"
    return f"#lir.port<{shape}, sub [8], loops [{outer}, {loop}: dim 0 ptr {ptr} fin {fin}]>"


# x -> exp -> buffer b -> abs -> buffer c, over b -> negative -> out
KERNEL = f"""
lir.kernel @k "looped" (%x: {T}) -> {T} loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>,
    #lir.loop<1, work 21, inc 8, dim 0>, #lir.loop<2, work 21, inc 8, dim 0>,
    #lir.loop<3, work 21, inc 8, dim 0>] attributes {{lir.scratch = 128 : i64}} {{
  lir.loop_begin 0
  lir.loop_begin 1
  %0 = lir.load %x {{count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [{moving(1)}, {WHOLE}]}} : {T}
  %1 = snippets.exp %0 {{lir.loops = array<i64: 0, 1>, lir.ports = [{WHOLE}, {WHOLE}]}} : {T}
  %2 = lir.store %1 {{count = 8 : i64, lir.loops = array<i64: 0, 1>, lir.ports = [{WHOLE}, {moving(1, 0)}]}} : {T}
  lir.loop_end 1
  %b = lir.buffer %2 {{size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [{ROW}, {ROW}]}} : {T}
  lir.loop_begin 2
  %3 = lir.load %b {{count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [{moving(2, 0)}, {WHOLE}]}} : {T}
  %4 = snippets.abs %3 {{lir.loops = array<i64: 0, 2>, lir.ports = [{WHOLE}, {WHOLE}]}} : {T}
  %5 = lir.store %4 {{count = 8 : i64, lir.loops = array<i64: 0, 2>, lir.ports = [{WHOLE}, {moving(2, 0)}]}} : {T}
  lir.loop_end 2
  %c = lir.buffer %5 {{size = 84 : i64, reg_group = 0 : i64, cluster = 0 : i64, offset = 0 : i64, lir.loops = array<i64: 0>, lir.ports = [{ROW}, {ROW}]}} : {T}
  lir.loop_begin 3
  %6 = lir.load %c {{count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [{moving(3, 0)}, {WHOLE}]}} : {T}
  %7 = snippets.negative %6 {{lir.loops = array<i64: 0, 3>, lir.ports = [{WHOLE}, {WHOLE}]}} : {T}
  %8 = lir.store %7 {{count = 8 : i64, lir.loops = array<i64: 0, 3>, lir.ports = [{WHOLE}, {moving(3)}]}} : {T}
  lir.loop_end 3
  lir.loop_end 0
  lir.result %8 {{index = 0 : i64, lir.ports = [{WHOLE}]}} : {T}
}}
"""  # noqa: E501

LINES = KERNEL.splitlines(keepends=True)


def line(start: str) -> str:
    """The line of the kernel that begins so."""
    (found,) = [text for text in LINES if text.strip().startswith(start)]
    return found


LOAD_B, STORE_C, BUFFER_C = line("%3 ="), line("%5 ="), line("%c =")
TABLE_2 = "#lir.loop<2, work 21, inc 8, dim 0>"
LATE_READER = LOAD_B.replace("%3", "%9").replace("0, 2>", "0, 3>").replace("2: dim", "3: dim")


def parse(text: str) -> ModuleOp:
    return parse_module(text, make_context(), "t")
