"""Random ONNX models whose values, nodes and graphs have names that only ONNX allows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, run_reference, value

import snippets_mlir
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

NAMES = (
    *("0", "00", "1", "387", "1e5", "0x10", "_1", "_1_2", "a", "a_1", "a_1_2", "A_0_0_0"),
    *("a b", "a_b", "a:b", "a.b", "a\nb", "a.1", "v387", "/m/0/Conv_output_0", "a" * 300),
    *(" ", "\n", "\t", "\0", "\x7f", "\x85", '"', "\\", "-", "--", ".", "$", "#1", "//", "loc("),
    *("%x", "@main", "^bb", "main", "none", "captures", "arg0", "out0", "func.return", "region"),
    *("é", "\u0301", "日本語", "日本誤", "日\n本", "\u200b", "\u2028", "\ufeff", "𝔘"),
)

Array = NDArray[Any]


def named_model(rng: random.Random) -> tuple[onnx.ModelProto, dict[str, Array]]:
    """Kernels, opaque nodes and an If with captures, and arrays for the inputs."""
    names = iter(rng.sample(NAMES, 15))
    x, y, weight, choice = (next(names) for _ in range(4))
    made: list[str] = []
    nodes: list[onnx.NodeProto] = []
    for op, count in (
        ("Add", 2),
        ("Sigmoid", 1),
        ("LpNormalization", 1),
        ("If", 0),
        ("Mul", 2),
        ("Sub", 2),
    ):
        known, label = [x, y, weight, *made], f"{rng.choice(NAMES)}{len(nodes)}"
        if op == "If":
            graphs = [
                helper.make_graph(
                    [helper.make_node(inner, [rng.choice(known)], [result])],
                    rng.choice(NAMES),
                    [],
                    [value(result, [4])],
                )
                for inner, result in (("Neg", next(names)), ("Exp", next(names)))
            ]
            branches: dict[str, Any] = {"then_branch": graphs[0], "else_branch": graphs[1]}
            node = helper.make_node(op, [choice], [next(names)], name=label, **branches)
        else:
            reads = [rng.choice(known[-3:]) for _ in range(count)]
            node = helper.make_node(op, reads, [next(names)], name=label)
        nodes.append(node)
        made += node.output
    returned = dict.fromkeys((made[-1], *rng.sample(made, 2)))
    sizes = ["n" if rng.random() < 0.3 else 4, 4]
    inputs = [value(x, sizes[:1]), value(y, [4]), value(choice, [], np.bool_)]
    outputs = [value(name, [4]) for name in returned]
    weights = {weight: np.arange(1, 5, dtype=np.float32)}
    arrays = [np.array(v, np.float32) for v in ([0.1, 0.5, -1, 2], [1, -1, 0, 3])]
    feeds = dict(zip((x, y, choice), (*arrays, np.array(rng.random() < 0.5)), strict=True))
    return model(nodes, inputs, outputs, weights, opset=17), feeds


def check_names(seed: int) -> None:
    """The model runs under its names, and is the same when its text is parsed."""
    made, feeds = named_model(random.Random(seed))
    wanted = run_reference(made, list(feeds.values()))
    found = snippets_mlir.compile(made).run(feeds)
    assert list(found) == [o.name for o in made.graph.output]
    for array, expected in zip(found.values(), wanted, strict=True):
        np.testing.assert_allclose(array, expected, 1e-5, 1e-6)
    module = import_model(made)
    text = print_module(module)
    for generic in (False, True):
        parsed = parse_module(print_module(module, generic=generic), make_context())
        assert parsed.is_structurally_equivalent(module)
        assert print_module(parsed) == text
