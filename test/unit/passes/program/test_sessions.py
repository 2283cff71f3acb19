"""Sessions of onnxruntime: convex, and as few as can be."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from snippets_mlir.dialects.program.levels import levels
from snippets_mlir.passes.building.sessions import sessions_of
from snippets_mlir.passes.program.host_plan import is_engine_op
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

NODE = '{domain = "", version = 13 : i64}'


def function(body: str, results: str) -> FuncOp:
    """A function of one argument; its values all have the type tensor<2xf32>."""
    count = results.count("%")
    types = ", ".join(["tensor<2xf32>"] * count)
    text = (
        f"func.func @main(%x: tensor<2xf32>) -> ({types}) {{\n{body}\n"
        f"func.return {results} : {types}\n}}"
    )
    module = parse_module(text, make_context())
    assert isinstance(module, ModuleOp)
    (found,) = module.ops
    assert isinstance(found, FuncOp)
    found.detach()
    return found


def node(result: str, *operands: str) -> str:
    types = ", ".join(["tensor<2xf32>"] * len(operands))
    return f'{result} = onnx.node "N"({", ".join(operands)}) {NODE} : ({types}) -> tensor<2xf32>'


def kernel(result: str, *operands: str) -> str:
    """Stands for anything that is no node."""
    op = "abs" if len(operands) == 1 else "add"
    return f"{result} = snippets.{op} {', '.join(operands)} : tensor<2xf32>"


def build_regions(f: FuncOp) -> list[tuple[Operation, ...]]:
    return sessions_of(f.body.block.ops, is_engine_op)


def names(regions: list[tuple[Operation, ...]]) -> list[list[str | None]]:
    return [[op.results[0].name_hint for op in region] for region in regions]


def test_nodes_that_touch_are_one_region():
    f = function("\n".join([node("%a", "%x"), node("%b", "%a"), node("%c", "%b", "%a")]), "%c")
    assert names(build_regions(f)) == [["a", "b", "c"]]


def test_kernel_between_two_nodes_parts_them():
    body = [node("%a", "%x"), kernel("%k", "%a"), node("%b", "%k", "%a")]
    assert names(build_regions(function("\n".join(body), "%b"))) == [["a"], ["b"]]


def test_kernel_beside_two_nodes_does_not_part_them():
    body = [node("%a", "%x"), kernel("%k", "%a"), node("%b", "%a")]
    assert names(build_regions(function("\n".join(body), "%b, %k"))) == [["a", "b"]]


def test_nodes_that_do_not_touch_are_one_region():
    """A node that hangs on a kernel on the input runs with the first ones."""
    body = [node("%a", "%x"), kernel("%k", "%x"), node("%b", "%k"), node("%c", "%x")]
    assert names(build_regions(function("\n".join(body), "%a, %b, %c"))) == [["a", "b", "c"]]


def test_node_in_an_earlier_region_than_the_text_says():
    body = [node("%a", "%x"), kernel("%k", "%a"), node("%b", "%k"), node("%c", "%a")]
    assert names(build_regions(function("\n".join(body), "%b, %c"))) == [["a", "c"], ["b"]]


CONSTANT = "snippets.constant dense<1.0> : tensor<2xf32>"


def reaches(start: Operation, goal: set[Operation]) -> bool:
    """Whether a path of uses leads from `start` to an op of `goal`."""
    stack, seen = [start], {start}
    while stack:
        op = stack.pop()
        for use in (use for result in op.results for use in result.uses):
            if use.operation in goal:
                return True
            if use.operation not in seen:
                seen.add(use.operation)
                stack.append(use.operation)
    return False


def is_convex(region: set[Operation]) -> bool:
    """No path leaves `region` and comes back."""
    outside = {
        use.operation
        for op in region
        for result in op.results
        for use in result.uses
        if use.operation not in region
    }
    return not any(reaches(op, region) for op in outside)


@pytest.mark.parametrize("seed", range(40))
def test_regions_of_random_graphs_are_convex_and_maximal(seed: int):
    rng = random.Random(seed)
    values, body = ["%x"], list[str]()
    for index in range(rng.randrange(1, 24)):
        operands = rng.choices(values, k=rng.choice([1, 2]))
        kind = rng.choice(["node", "kernel", "constant"])
        result = f"%v{chr(97 + index)}"
        if kind == "constant":
            body.append(f"{result} = {CONSTANT}")
        else:
            body.append((node if kind == "node" else kernel)(result, *operands))
        values.append(result)
    f = function("\n".join(body), ", ".join(values))
    regions = [set(region) for region in build_regions(f)]
    nodes = {op for op in f.body.block.ops if op.name == "onnx.node"}
    assert sum(len(region & nodes) for region in regions) == len(nodes)
    assert all(is_convex(region) for region in regions)
    for i, first in enumerate(regions):
        for second in regions[i + 1 :]:
            assert not is_convex(first | second)


def test_levels_grow_along_values_only():
    body = [node("%a", "%x"), kernel("%k", "%a"), kernel("%l", "%k"), node("%b", "%l")]
    ops = function("\n".join(body), "%b").body.block.ops
    found = levels(ops, is_engine_op)
    assert list(found.values()) == [0, 1, 1, 2]
