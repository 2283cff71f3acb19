"""The arena of ONNX models compared with the peak of live bytes, without fusion.

    python benchmarks/arenas.py model.onnx [model2.onnx ...] [--shape x=1x3x320x320]

Every node of a model is a step here, so there are more values than in a compiled program. Columns:
values, the peak of live MiB in the order of the model, then the arena divided by that for each pool
on an in-order queue, and for offsets on an out-of-order queue, and milliseconds of processor time
to place the offsets in order. Values of unknown size and outputs are not in the arena. A shape is
used for the inputs of that name in all models.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx

from snippets_mlir.analysis.memory.graph_lives import graph_lives
from snippets_mlir.analysis.memory.happens_before import InOrder, Paths
from snippets_mlir.analysis.placement import place
from snippets_mlir.dialects.program.graph import GraphOp, find_graph
from snippets_mlir.dialects.program.ids import root_of
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.frontends.onnx import import_graph, prepare_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError

HEAD = "| model | values | live MiB | offsets | records | none | out of order | ms |"


def graph_of(path: Path, shapes: Mapping[str, Sequence[int]]) -> GraphOp:
    """The model as a graph with a node for each of its nodes."""
    model = onnx.load(path, load_external_data=False)  # pyright: ignore[reportUnknownMemberType]
    names = {value.name for value in model.graph.input}
    given = {name: shape for name, shape in shapes.items() if name in names}
    module = import_graph(prepare_model(model, input_shapes=given or None)).module
    context = make_context()
    run_passes(module, context, parse_pipeline("convert-host-to-program", context))
    graph = find_graph(module)
    assert graph is not None
    return graph


def row(name: str, graph: GraphOp) -> str:
    """The row of a model."""
    lives = graph_lives(graph)
    outputs = {root_of(value) for value in graph.output.values}
    sizes = [0 if v in outputs else value_bytes(v) or 0 for v in lives.values]
    in_order = InOrder.of(lives.lives)
    start = time.process_time()
    offsets = place(sizes, lives.lives, in_order)
    spent = time.process_time() - start
    plans = [
        offsets,
        place(sizes, lives.lives, in_order, pool="records"),
        place(sizes, lives.lives, in_order, pool="none"),
        place(sizes, lives.lives, Paths.of(lives.steps).conflicts(lives.lives)),
    ]
    ratios = " | ".join(f"{plan.arena / max(plan.live, 1):.3f}" for plan in plans)
    live = offsets.live / 2**20
    return f"| {name} | {len(sizes)} | {live:.2f} | {ratios} | {1000 * spent:.1f} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; a model that cannot be imported is a line with the reason."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--shape", action="append", default=[], metavar="NAME=1x3")
    options = parser.parse_args(arguments)
    shapes = {
        name: [int(size) for size in text.split("x") if size]
        for name, _, text in (shape.rpartition("=") for shape in options.shape)
    }
    print(HEAD)
    print("|---|" + "---:|" * 7)
    for path in options.models:
        try:
            print(row(path.stem, graph_of(path, shapes)), flush=True)
        except CompileError as error:
            print(f"{path.stem}: {error.message}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
