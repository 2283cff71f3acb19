"""Tokens of three image models of the onnx package: few kernels, nothing left over, maximal."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import onnx
import pytest
from naive_tokens import function_blocks, mergeable_pairs
from sampled import ALL
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.graph import products
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.frontends.onnx import import_model
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes

MODELS = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
KERNELS = {"resnet50": 49 + 1, "inception_v2": 69 + 1, "densenet121": 121 + 58}
"""At most, of each model; 1 is for Softmax, 58 are for Concat."""
COMPILED = ("Add", "BatchNormalization", "Mul", "Relu", "Softmax", "Sum")


OPS = {
    "resnet50": {"relu": 49, "add": 16 + 53, "multiply": 53},
    "inception_v2": {"relu": 69, "add": 2 * 69, "multiply": 2 * 69},
    "densenet121": {"relu": 121, "add": 2 * 121, "multiply": 2 * 121},
}
CHOSEN = [name for name in OPS if ALL or name != "densenet121"]
"""The largest model takes as long as the others; `make fuzz` has it, too."""


@cache
def imported(name: str) -> ModuleOp:
    """A model, imported once while products are nodes; tests change copies."""
    assert not products.HELD
    return import_model(MODELS / f"light_{name}.onnx")


def tokenized(name: str, passes: str) -> ModuleOp:
    ctx, module = make_context(), imported(name).clone()
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    return module


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("name", CHOSEN)
def test_what_is_imported(name: str):
    """BatchNormalization, Relu, Sum, Add and Mul of the models are `snippets` ops."""
    names = Counter[str]()
    for op in imported(name).walk():
        names[op.op_type.data if isinstance(op, NodeOp) else op.name] += 1
        if op.name == "snippets.multiply":
            assert shape_of(op.operands[1])[1:] == (1, 1)
    assert {word: names[f"snippets.{word}"] for word in OPS[name]} == OPS[name]
    assert not names.keys() & {"BatchNormalization", "Relu", "Sum", "Add", "Mul", "Unsqueeze"}


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize("name", CHOSEN)
def test_kernels_without_marks(name: str):
    passes = "canonicalize,snippets-tokenize-concats,snippets-tokenize"
    module = tokenized(name, f"snippets-mark-skipped{{profile=none}},{passes}")
    (block,) = function_blocks(module)
    subgraphs = [op for op in block.ops if isinstance(op, SubgraphOp)]
    assert 0 < len(subgraphs) <= KERNELS[name]
    assert not [op for op in block.ops if isinstance(op, ComputeOp)], "an op is in no kernel"
    nodes = {op.op_type.data for op in block.ops if isinstance(op, NodeOp)}
    assert not nodes.intersection(COMPILED)
    assert not mergeable_pairs(block)
    relus = sum(op.name == "snippets.relu" for op in module.walk())
    source = onnx.ModelProto.FromString((MODELS / f"light_{name}.onnx").read_bytes())
    assert relus == sum(node.op_type == "Relu" for node in source.graph.node)


@pytest.mark.usefixtures("foreign_products")
@pytest.mark.parametrize(("name", "kernels"), [("resnet50", 1), ("inception_v2", 1)])
def test_onnxruntime_fuses_everything_but_softmax_in_these(name: str, kernels: int):
    module = tokenized(name, "snippets-mark-skipped,canonicalize,snippets-tokenize")
    assert sum(isinstance(op, SubgraphOp) for op in module.walk()) == kernels
