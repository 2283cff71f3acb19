"""Chains of elementwise nodes in a model that onnxruntime has optimized; each becomes one kernel.

    %x = nchwc.ReorderOutput(%c)
    %0 = Add(%x, 3)                              %y' = snippets.chain0(%c, 3, 6)
    %1 = Clip(%0, 0, 6)                ->        %d  = nchwc.Conv(%y', ...)
    %2 = Mul(%x, %1)
    %y = Div(%2, 6)
    %b = nchwc.ReorderInput(%y)
    %d = nchwc.Conv(%b, ...)

onnxruntime keeps images in a blocked layout between convolutions, and reorders them for nodes that
it supports only in the plain layout. The result of an elementwise node does not depend on the order
of the elements. So a chain whose images all come from the blocked layout runs on the blocked
images, and the changes of layout around it vanish.

A chain has one result: a node is in the chain of its readers if all of them are in the same chain.
Its operands are

* tensors of the result's shape,
* *planes*: a number for each channel of each image, `[n, c, 1, 1]` beside `[n, c, h, w]`, as
  squeeze-and-excitation blocks have,
* constants of one element. Some are arguments of the kernel, so that chains that differ only in
  numbers share a kernel. Others are part of the kernel: bounds of Clip, and exponents, since x^2 is
  a product and x^1.7 needs a logarithm.

A node is in no chain if its type is not float32, if its rank is unknown, or if its operands may not
have these shapes in every call. `Chain.text` prints a chain.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import onnx

from snippets_mlir.analysis.fusion.kinds_of_onnx import OPERATOR_KINDS
from snippets_mlir.codegen.stubs.ort_interface import MOST_DIMS, MOST_INPUTS
from snippets_mlir.dialects.snippets.pattern_kinds import PatternKind
from snippets_mlir.dialects.snippets.registry import derived, records
from snippets_mlir.dialects.snippets.rules import ALL_RULES
from snippets_mlir.dialects.snippets.rules.rule import Literal
from snippets_mlir.driver.onnx.inside.chain import Chain, Operands
from snippets_mlir.driver.onnx.inside.pools import blocked_pool
from snippets_mlir.driver.onnx.inside.values import (
    TO_BLOCKED,
    Values,
    changes_layout,
    operator_of,
    without_repeats,
)
from snippets_mlir.frontends.onnx.readers import graphs_of, is_mapped
from snippets_mlir.frontends.onnx.shapes.element_types import source_of

FLOAT = onnx.TensorProto.FLOAT
ELEMENTWISE = (PatternKind.ELEMWISE, PatternKind.BROADCAST)


def chains_of(values: Values, only: Collection[int] | None = None) -> list[Chain]:
    """The chains of an optimized graph, in the order of their results.

    A chain of one node is left out, unless it removes changes of layout, directly or in chains
    after it. With `only`, chains consist of any number of these nodes, and of no pools.
    """
    if only is not None:
        others = {i for i in range(len(values.graph.node)) if i not in only}
        return _in_layouts(connected(values, others), values)
    found = sorted((*connected(values), *_pools(values)), key=lambda chain: chain.nodes[-1])
    chains = [c for c in _in_layouts(found, values) if c.blocked or not c.pool]
    read = {n for c in chains if c.blocked for n in (*c.operands.tensors, *c.operands.planes)}
    return [c for c in chains if len(c.nodes) > 1 or c.vanishing > 0 or c.result in read]


def _pools(values: Values) -> list[Chain]:
    """The nodes that the engine also has on blocked images."""
    return [
        Chain((place,), Operands((node.input[0],), (), ()), node.output[0], pool=operator)
        for place, node in enumerate(values.graph.node)
        if (operator := blocked_pool(node, values))
    ]


def connected(values: Values, others: Collection[int] = ()) -> list[Chain]:
    """Chains of any number of nodes, in plain layout; nodes of `others` are in none."""
    operands = _elementwise(values, others)
    groups = _grouped(values, operands)
    chains = [_chain(members, operands, values) for members in groups]
    return [chain for chain in chains if chain is not None]


def _elementwise(values: Values, others: Collection[int]) -> dict[int, Operands]:
    """The nodes that can be in a chain, by position."""
    found: dict[int, Operands] = {}
    for place, node in enumerate(values.graph.node):
        known = None if place in others else _operands(node, values)
        if known is not None:
            values.keep_type(node.output[0], known.tensors[0])
            found[place] = known
    return found


def _operands(node: onnx.NodeProto, values: Values) -> Operands | None:
    """The operands of a node, None if it can be in no chain."""
    if OPERATOR_KINDS.get(operator_of(node)) not in ELEMENTWISE or not is_mapped(node):
        return None
    if len(node.output) != 1 or graphs_of(node) or not _keeps_type(node):
        return None
    names = without_repeats(name for name in node.input if name)
    computed = tuple(name for name in names if name not in values.constants)
    constant = tuple(name for name in names if name in values.constants)
    if not computed or any(values.element(name) != FLOAT for name in names):
        return None
    planes = _planes(computed, values)
    tensors = tuple(name for name in computed if name not in planes)
    if not _have_one_shape(tensors, values):
        return None
    rank = values.rank(tensors[0])
    if rank is None or rank > MOST_DIMS:
        return None
    if any(values.number(n) is None or len(values.constants[n].dims) > rank for n in constant):
        return None
    # Bounds and the like stay in the kernel.
    is_argument = len(node.input) == 2 and operator_of(node) not in _shorter_for_numbers()
    return Operands(tensors, planes, constant if is_argument else ())


@derived
def _shorter_for_numbers() -> frozenset[tuple[str, str]]:
    """Operators that are long formulas, except for some constants by our rules."""
    long = {r.name: r.onnx for r in records() if r.floats is not None and r.onnx is not None}
    rules = (rule for rule in ALL_RULES if rule.root in long)  # parses only their patterns
    shorter = [r for r in rules if any(isinstance(a, Literal) for a in r.pattern.arguments)]
    return frozenset((long[r.root].domain, long[r.root].operator) for r in shorter)


def _keeps_type(node: onnx.NodeProto) -> bool:
    """Whether the result of a node has the element type of an operand: no comparison, no cast."""
    source = source_of(node.op_type, 0)
    return source is not None and source[0] == "input"


def _planes(names: Sequence[str], values: Values) -> tuple[str, ...]:
    """The operands of a node with a number for each channel of each image."""
    shapes = {name: values.shape(name) for name in names}
    images = [s for s in shapes.values() if s is not None and len(s) == 4]
    large = next((s for s in images if s[2:] != (1, 1)), None)
    if large is None:
        return ()
    return tuple(n for n, s in shapes.items() if s is not None and s == (*large[:2], 1, 1))


def _have_one_shape(names: Sequence[str], values: Values) -> bool:
    """Whether there are tensors, all of one shape; the shape of a single tensor may be unknown."""
    shapes = {values.shape(name) for name in names}
    return len(names) == 1 or (len(shapes) == 1 and None not in shapes)


def _grouped(values: Values, operands: dict[int, Operands]) -> list[list[int]]:
    """The nodes of each chain, in the order of their results."""
    last: dict[int, int] = {}  # node -> the node that makes the result of its chain
    for place in reversed(operands):
        last[place] = place
        result = values.graph.node[place].output[0]
        readers = values.readers.get(result, ())
        if result in values.results or not readers or not all(r in operands for r in readers):
            continue
        if any(result in operands[r].planes for r in readers):
            continue
        chains = {last[r] for r in readers}
        if len(chains) == 1:
            (last[place],) = chains
    found: dict[int, list[int]] = {}
    for place in operands:
        found.setdefault(last[place], []).append(place)
    return [found[place] for place in sorted(found)]


def _chain(members: list[int], operands: dict[int, Operands], values: Values) -> Chain | None:
    """The chain of these nodes; None if they are not a chain, which no single node shows."""
    inside = {values.graph.node[i].output[0] for i in members}
    tensors = without_repeats(n for i in members for n in operands[i].tensors if n not in inside)
    planes = without_repeats(n for i in members for n in operands[i].planes)
    scalars = without_repeats(n for i in members for n in operands[i].scalars)
    if {*planes} & {*tensors, *inside} or not _have_one_shape(tensors, values):
        return None
    if len(tensors) + len(planes) + len(scalars) > MOST_INPUTS:
        return None
    result = values.graph.node[members[-1]].output[0]
    return Chain(tuple(members), Operands(tensors, planes, scalars), result)


def _in_layouts(chains: list[Chain], values: Values) -> list[Chain]:
    """The same chains, on blocked images if that saves changes of layout.

    A chain may be blocked if its images are plain copies of blocked images, or results of chains
    that may be blocked. A chain without savings may make another chain possible.
    """
    may = _supplied({chain.result: chain for chain in chains}, values)
    while True:
        saved = {result: _vanishing(chain, may, values) for result, chain in may.items()}
        losing = next((result for result, count in saved.items() if count < 0), None)
        if losing is None:
            break
        may = _supplied({r: c for r, c in may.items() if r != losing}, values)
    return [replace(c, blocked=c.result in may, vanishing=saved.get(c.result, 0)) for c in chains]


def _supplied(chains: dict[str, Chain], values: Values) -> dict[str, Chain]:
    """The chains whose images all exist in the blocked layout."""
    found: dict[str, Chain] = {}
    for result, chain in chains.items():
        images = (*chain.operands.tensors, *chain.operands.planes)
        if all(name in values.plain or name in found for name in images):
            found[result] = chain
    return found


def _vanishing(chain: Chain, may: dict[str, Chain], values: Values) -> int:
    """How many changes of layout vanish if a chain is blocked like the chains of `may`."""
    inside = {place for one in may.values() for place in one.nodes}
    own = set(chain.nodes)
    before = sum(
        name in values.plain and all(r in inside for r in values.readers[name])
        for name in (*chain.operands.tensors, *chain.operands.planes)
    )
    readers = [r for r in values.readers.get(chain.result, ()) if r not in own]
    after = [r for r in readers if changes_layout(values.graph.node[r], TO_BLOCKED)]
    plain = [r for r in readers if r not in after and r not in inside]
    return before + len(after) - bool(plain or chain.result in values.results)
