"""How many shapes of ONNX models are known at import, beside ONNX's own inference.

    python docs/dev/inferred_shapes.py MODEL.onnx [MODEL.onnx ...]

One line for each model: values that nodes compute, those with a known shape by ONNX's inference
(numbers, and names of sizes of inputs) and by `infer_shapes`, its time in ms, symbols, and the
equalities that a call has to fulfil. It is a tool of development: no test needs it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import onnx
from onnx import helper, shape_inference

from snippets_mlir.frontends.onnx.shapes import infer_shapes

SMALL = 4096


def known_to_onnx(model: onnx.ModelProto) -> set[str]:
    """The values whose shape ONNX's inference finds, without what the model declares."""
    graph, names = model.graph, {t.name for t in model.graph.initializer}
    given = [i for i in graph.input if i.name not in names]
    large = [t for t in graph.initializer if len(t.raw_data) > SMALL]
    types = [helper.make_tensor_value_info(t.name, t.data_type, list(t.dims)) for t in large]
    small = [t for t in graph.initializer if len(t.raw_data) <= SMALL]
    made = helper.make_graph(list(graph.node), "g", [*given, *types], list(graph.output), small)
    bare = helper.make_model(made, opset_imports=list(model.opset_import))
    inferred = shape_inference.infer_shapes(bare).graph
    params = {d.dim_param for i in given for d in i.type.tensor_type.shape.dim} - {""}
    return {
        info.name
        for info in (*inferred.value_info, *inferred.output)
        if info.type.tensor_type.HasField("shape")
        and all(
            d.HasField("dim_value") or d.dim_param in params
            for d in info.type.tensor_type.shape.dim
        )
    }


def main(paths: list[str]) -> None:
    """One line for each model."""
    print(f"{'model':24} {'values':>6} {'onnx':>6} {'known':>6} {'ms':>7} symbols equalities")
    for path in paths:
        model = onnx.load_model(path, load_external_data=False)
        values = {n for node in model.graph.node for n in node.output if n}
        infer_shapes(model)
        start = process_time()
        inferred = infer_shapes(model)
        seconds = process_time() - start
        known = sum(inferred.types[n].is_known for n in values)
        by_onnx = len(values & known_to_onnx(model))
        print(
            f"{Path(path).stem:24} {len(values):6} {by_onnx:6} {known:6} {seconds * 1e3:7.1f} "
            f"{len(inferred.symbols):7} {len(inferred.equalities):10}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
