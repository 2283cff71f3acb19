"""Tokenization of random graphs: same values, no cycle, nothing more to merge; and its cost."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest
from naive_tokens import function_blocks, mergeable_pairs, reachability
from sampled import alternating, sampled
from xdsl.dialects.builtin import ModuleOp, StringAttr, TensorType, f32
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from snippets_mlir.checkers.dominance import verify_dominance
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.rectifiers import ReluOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.graph.tokenize.machine_facts import Machine
from snippets_mlir.passes.graph.tokenize.plan import Tokenizer
from snippets_mlir.passes.graph.tokenize.refined_groups import MAX_OPS
from snippets_mlir.passes.graph.tokenize.snippets_tokenize import SnippetsTokenizePass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.attribute_names import SKIPPED
from snippets_mlir.support.parsing import parse_module

SHAPES = ((), (1,), (4,), (3, 1), (3, 4), (2, 3, 4))
UNARY = ("relu", "negative", "abs")
BINARY = ("add", "multiply", "maximum", "subtract")


def tensor(shape: tuple[int, ...]) -> str:
    return f"tensor<{''.join(f'{s}x' for s in shape)}f32>"


def random_module(rng: random.Random, size: int) -> str:
    """A graph of elementwise ops with reshapes and marked ops, which stay outside, between."""
    values: list[tuple[str, tuple[int, ...]]] = [(f"%x{i}", s) for i, s in enumerate(SHAPES)]
    header = ", ".join(f"{n}: {tensor(s)}" for n, s in values)
    lines = [
        "%s = snippets.scalar 1.5 : f32",
        "%k = snippets.constant dense<2.5> : tensor<3x4xf32>",
    ]
    values += [("%s", ()), ("%k", (3, 4))]
    for i in range(size):
        name, shape = rng.choice(values[-6:] if rng.random() < 0.6 else values)
        kind = rng.random()
        if kind < 0.2:
            target = (*shape, 1) if len(shape) < 3 else (math.prod(shape),)
            lines.append(f"%v{i} = snippets.reshape {name} : ({tensor(shape)}) -> {tensor(target)}")
        elif kind < 0.5:
            mark = ' {snippets.skipped = "no"}' if rng.random() < 0.3 else ""
            target = shape
            lines.append(f"%v{i} = snippets.{rng.choice(UNARY)} {name}{mark} : {tensor(shape)}")
        else:
            other, second = rng.choice(values)
            try:
                target = np.broadcast_shapes(shape, second)
            except ValueError:
                other, second, target = name, shape, shape
            types = f"({tensor(shape)}, {tensor(second)}) -> {tensor(target)}"
            lines.append(f"%v{i} = snippets.{rng.choice(BINARY)} {name}, {other} : {types}")
        values.append((f"%v{i}", target))
    results = rng.sample(values[-size:], min(4, size))
    names, types = ", ".join(n for n, _ in results), ", ".join(tensor(s) for _, s in results)
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @main({header}) -> ({types}) {{\n{body}\n  func.return {names} : {types}\n}}"


def run(module: ModuleOp, arrays: list[Array]) -> list[Array]:
    return list(Interpreter(module).run("main", arrays))


@pytest.mark.parametrize("seed", sampled(range(24), 2))
def test_random_graphs(seed: int):
    rng = random.Random(seed)
    ctx = make_context()
    module = parse_module(random_module(rng, rng.randint(5, 40)), ctx)
    numbers = np.random.default_rng(seed)
    arrays: list[Array] = [np.asarray(numbers.normal(size=s), np.float32) for s in SHAPES]
    arrays[-1][0, 0] = (np.nan, -0.0, np.inf, -np.inf)
    before = run(module, arrays)
    max_ops, max_ios = rng.choice((0, 0, 3)), rng.choice((0, 0, 4))
    SnippetsTokenizePass(max_ios=max_ios, max_ops=max_ops).apply(ctx, module)
    module.verify()
    verify_dominance(module)
    (block,) = function_blocks(module)
    reachability(block)  # asserts that nothing stands before what it needs
    subgraphs = [op for op in block.ops if isinstance(op, SubgraphOp)]
    assert subgraphs
    for subgraph in subgraphs:
        ops = [op for op in subgraph.body.block.ops if isinstance(op, ComputeOp)]
        assert not max_ops or len(ops) <= max_ops
        ios = len(subgraph.operands) + len(subgraph.results)
        assert not max_ios or ios <= max_ios or len(ops) == 1
    if not max_ops and not max_ios:
        assert not mergeable_pairs(block)
    for old, new in zip(before, run(module, arrays), strict=True):
        assert old.dtype == new.dtype
        assert old.tobytes() == new.tobytes(), "not bit-equal"


def test_the_checker_finds_what_could_merge():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
        %r = snippets.relu %a : tensor<4xf32>
        snippets.yield %r : tensor<4xf32>
      }
      %1 = snippets.subgraph (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
        %r = snippets.abs %a : tensor<4xf32>
        snippets.yield %r : tensor<4xf32>
      }
      func.return %1 : tensor<4xf32>
    }"""
    (block,) = function_blocks(parse_module(text, make_context()))
    assert len(mergeable_pairs(block)) == 1


# --- growth


def chain(x: SSAValue, count: int) -> Iterator[Operation]:
    for _ in range(count):
        yield (op := ReluOp(x))
        x = op.result


def skipped(x: SSAValue) -> ReluOp:
    op = ReluOp(x)
    op.attributes[SKIPPED] = StringAttr("here")
    return op


def residual(x: SSAValue, count: int) -> Iterator[Operation]:
    """Sums of a value and of what an op outside makes of it."""
    for _ in range(count // 3):
        yield (outside := skipped(x))
        yield (total := AddOp(x, outside))
        yield (op := ReluOp(total))
        x = op.result


def dense(x: SSAValue, count: int) -> Iterator[Operation]:
    """Layers that add up the eight layers before, after an op outside."""
    last = [x]
    for _ in range(count // 9):
        total = last[0]
        for value in [*last[1:], *last][:8]:
            yield (op := AddOp(total, value))
            total = op.result
        yield (outside := skipped(total))
        last = [*last, outside.result][-9:]


def reshaped(x: SSAValue, count: int) -> Iterator[Operation]:
    """Sums of a value and its reshape: groups with views between their ops."""
    for _ in range(count // 3):
        yield (view := ReshapeOp(x, (4,)))
        yield (total := AddOp(x, view))
        yield (op := ReluOp(total))
        x = op.result


@cache
def block_of(build: Callable[[SSAValue, int], Iterator[Operation]], count: int) -> Block:
    block = Block(arg_types=[TensorType(f32, [4])])
    block.add_ops(build(block.args[0], count))
    last = block.last_op
    assert last is not None
    block.add_op(ReturnOp(*last.results))
    return block


def cost(block: Block, **limits: int) -> tuple[int, int, float]:
    """Nodes looked at, groups, and seconds."""
    start = time.perf_counter()
    most = limits.get("max_ios", 0), limits.get("max_ops", 0)
    tokenizer = Tokenizer(list(block.ops), most, Machine(), copies=False)
    tokens = tokenizer.run()
    return tokenizer.graph.visited, len(tokens.groups), time.perf_counter() - start


LIMITS: list[dict[str, int]] = [{}, {"max_ios": 6}, {"max_ops": 50}]


@pytest.mark.parametrize(
    ("build", "limits"), alternating([chain, residual, dense, reshaped], LIMITS)
)
def test_cost_grows_with_the_graph(
    build: Callable[[SSAValue, int], Iterator[Operation]], limits: dict[str, int]
):
    least = 100 if build is dense else 50
    small, _, first = cost(block_of(build, least), **limits)
    large, groups, second = cost(block_of(build, 10 * least), **limits)
    print(f"{build.__name__} {limits}: {small} -> {large} nodes, {second / first:.1f} x the time")
    assert large <= 15 * small
    if build is chain:
        assert groups == (10 * least // 50 if "max_ops" in limits else 1)
    elif build is reshaped:
        assert groups * (MAX_OPS + MAX_OPS // 2) >= 9 * least  # a third of the ops are views
    else:
        assert groups > least // 2
