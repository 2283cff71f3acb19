"""The savings of chains in a call, by the constants of the cost model (`targets/engine.py`).

    Add, Clip, Mul, Div on blocked images, 2 changes of layout less:
        3 nodes less, each of which reads an image and writes one, and 2 changes of layout less

The times come from the rows `onnxruntime` and `inside` of the registry. The session is not cut.
`guessed` estimates the savings for a model before onnxruntime has optimized it, from its own nodes:
images between convolutions count as blocked, and nodes that onnxruntime computes within a
convolution are in no chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod

from snippets_mlir.analysis.engine.chains import ChainWork
from snippets_mlir.analysis.engine.costs import EngineCosts
from snippets_mlir.dialects.snippets.counterparts import Engine
from snippets_mlir.dialects.snippets.registry import derived, records
from snippets_mlir.driver.onnx.cuts.rows import ENGINE_KIND
from snippets_mlir.driver.onnx.inside.chain import Chain
from snippets_mlir.driver.onnx.inside.chains import connected
from snippets_mlir.driver.onnx.inside.values import Values
from snippets_mlir.frontends.onnx.shapes.dims import evaluate
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.targets.implementations.offers import chain_time

INSIDE_KIND = "inside"
"""The kind of implementation for a kernel inside a session."""

_CONVOLUTION = "Conv"


@derived
def activations() -> frozenset[str]:
    """Operators that onnxruntime computes within a convolution before them."""
    return frozenset(operator for operator, engine in _known() if "conv" in engine.joins)


@derived
def blocked_forms() -> frozenset[str]:
    """Operators that onnxruntime also has in the blocked layout."""
    return frozenset(operator for operator, engine in _known() if engine.blocked)


def _known() -> Iterator[tuple[str, Engine]]:
    """Operators that are ops of ours, and onnxruntime's treatment of them."""
    for record in records():
        if record.onnx is not None and record.engine is not None:
            yield record.onnx.operator, record.engine


@dataclass(frozen=True)
class Times:
    """Nanoseconds of a call for a chain.

    Attributes:
        engine: onnxruntime's time for its nodes and for the changes of layout that vanish.
        inside: the time of the single node that calls a kernel.
    """

    engine: float
    inside: float

    @property
    def saved(self) -> float:
        """Nanoseconds that the kernel saves in a run; negative if it loses."""
        return self.engine - self.inside

    def __str__(self) -> str:
        """`a kernel saves 12.0 us (onnxruntime 14.0 us, inside 2.0 us)`."""
        engine, inside = (f"{time / 1e3:.1f} us" for time in (self.engine, self.inside))
        return f"a kernel saves {self.saved / 1e3:.1f} us (onnxruntime {engine}, inside {inside})"


def times_of(
    chain: Chain,
    values: Values,
    sizes: Mapping[str, int],
    threads: int,
    costs: EngineCosts,
) -> Times:
    """The time of a call for a chain.

    Args:
        chain: the chain.
        values: those of its graph.
        sizes: the values of the model's symbols in the call.
        threads: of the session.
        costs: the machine's.
    """
    touched = 4 * _elements(values.shape(chain.operands.tensors[0]), sizes)
    work = ChainWork(len(chain.nodes), chain.vanishing, touched, threads, costs)
    return Times(chain_time(ENGINE_KIND, work), chain_time(INSIDE_KIND, work))


def _elements(shape: Shape | None, sizes: Mapping[str, int]) -> int:
    """The number of elements of a tensor; 0 if it is unknown."""
    try:
        found = () if shape is None else [evaluate(s, sizes) for s in shape if s is not None]
    except (KeyError, ArithmeticError):
        return 0
    return prod(found) if found else 0


def guessed(values: Values, sizes: Mapping[str, int], threads: int, costs: EngineCosts) -> float:
    """The possible savings of chains in a model before its optimization, with these `values`."""
    absorbed = _absorbed(values)
    total = 0.0
    for chain in connected(values, absorbed):
        nodes = tuple(i for i in chain.nodes if not _is_gate_of_own(i, values))
        layouts = _layouts(chain, values, absorbed)
        guess = replace(chain, nodes=nodes or chain.nodes[:1], vanishing=layouts)
        total += times_of(guess, values, sizes, threads, costs).saved
    return total


def _absorbed(values: Values) -> set[int]:
    """Convolutions, and the nodes that onnxruntime computes within them."""
    found: set[int] = set()
    for place, node in enumerate(values.graph.node):
        alone = [
            maker
            for name in node.input
            if (maker := values.makers.get(name)) in found and len(values.readers[name]) == 1
        ]
        joins = node.op_type in activations() or node.op_type in ("BatchNormalization", "Sum")
        joins |= node.op_type == "Add" and not any(n in values.constants for n in node.input)
        if node.op_type == _CONVOLUTION or (alone and joins):
            found.add(place)
    return found


def _is_gate_of_own(place: int, values: Values) -> bool:
    """Whether a node is the Sigmoid of `x * sigmoid(x)`, which is one node of the engine."""
    node = values.graph.node[place]
    if node.op_type != "Sigmoid":
        return False
    readers = [values.graph.node[r] for r in values.readers.get(node.output[0], ())]
    return len(readers) == 1 and readers[0].op_type == "Mul" and node.input[0] in readers[0].input


def _stays_blocked(place: int, values: Values) -> bool:
    """Whether the engine also has a node in the blocked layout (NchwcTransformer).

    The operands have to be images of the same shape.
    """
    node = values.graph.node[place]
    if node.op_type not in blocked_forms():
        return False
    shapes = {values.shape(name) for name in node.input}
    return len(node.input) == 1 or (len(shapes) == 1 and None not in shapes)


def _layouts(chain: Chain, values: Values, absorbed: set[int]) -> int:
    """How many changes of layout may be around a chain."""
    if all(_stays_blocked(place, values) for place in chain.nodes):
        return 0
    images = (*chain.operands.tensors, *chain.operands.planes)
    before = sum(values.makers.get(name) in absorbed for name in images)
    readers = values.readers.get(chain.result, ())
    after = any(values.graph.node[r].op_type == _CONVOLUTION for r in readers)
    return before + after if before else 0
