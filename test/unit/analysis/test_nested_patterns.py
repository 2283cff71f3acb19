"""Patterns as values: imperfect nests, several children, levels."""

from __future__ import annotations

from xdsl.dialects import affine
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from snippets_mlir.analysis.loops.nested_patterns import NestedMatch, NestedPattern
from snippets_mlir.passes.loops.affine.loop_matching import buckets_of
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

TEXT = """func.func @f() {
  affine.for %a = 0 to 1 {
    affine.for %b = 0 to 2 {
    }
    affine.for %c = 0 to 3 {
      affine.for %d = 0 to 4 {
      }
    }
  }
  affine.for %e = 0 to 5 {
  }
  func.return
}"""


def is_loop(op: Operation) -> bool:
    return isinstance(op, affine.ForOp)


def name(op: Operation) -> str:
    assert isinstance(op, affine.ForOp)
    return op.body.block.args[0].name_hint or ""


def shape(match: NestedMatch) -> str:
    """`a(b c)` for a match of %a with the children %b and %c."""
    inside = " ".join(shape(child) for child in match.children)
    return name(match.op) + (f"({inside})" if inside else "")


def module() -> ModuleOp:
    return parse_module(TEXT, make_context())


ONE = NestedPattern(is_loop)
TWO = NestedPattern(is_loop, (ONE,))
THREE = NestedPattern(is_loop, (TWO,))


def test_one_level_matches_inner_loops_first():
    assert [shape(m) for m in ONE.match(module())] == ["b", "d", "c", "a", "e"]


def test_two_levels_take_all_loops_inside():
    """Any depth: %d is inside of %a as well as of %c."""
    assert [shape(m) for m in TWO.match(module())] == ["c(d)", "a(b d c)"]


def test_three_levels():
    assert [shape(m) for m in THREE.match(module())] == ["a(c(d))"]


def test_one_match_for_each_nested_pattern():
    both = NestedPattern(is_loop, (ONE, ONE))
    assert [shape(m) for m in both.match(module())] == ["c(d)", "c(d)", "a(b d c)", "a(b d c)"]


def test_conditions_cut_whole_branches():
    without_c = NestedPattern(lambda op: is_loop(op) and name(op) != "c", (ONE,))
    assert [shape(m) for m in without_c.match(module())] == ["a(b d c)"]


def test_levels_of_a_match():
    (match,) = THREE.match(module())
    assert [(name(op), level) for op, level in match.walk()] == [("a", 0), ("c", 1), ("d", 2)]


def test_buckets_hold_nests_that_contain_one_another():
    """%b and %d share nothing; %a, around both, goes to the first."""
    buckets = buckets_of(ONE.match(module()))
    assert [[shape(m) for m in bucket] for bucket in buckets] == [["b", "a"], ["d", "c"], ["e"]]
