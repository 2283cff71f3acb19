"""Kernels as custom operators in sessions of onnxruntime, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.driver.building.build import build
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.runtime.engine.operators import DOMAIN, Operator, register
from snippets_mlir.support.parsing import parse_module

FLAT, SCALAR = "tensor<?xf32, #lir.sizes<?0>>", "tensor<f32>"
ROWS, ROW = "tensor<?x?xf32, #lir.sizes<?2, ?1>>", "tensor<?x1xf32, #lir.sizes<?2>>"
BLOCKS, BLOCK = "tensor<?x?x16xf32, #lir.sizes<?2, ?1>>", "tensor<?x1x16xf32, #lir.sizes<?2>>"
"""Types of a kernel's arguments, with the numbers of their runtime slots."""

_kept: list[object] = []


def operator(
    name: str, body: str, *types: str, inner: int = 1, threads: int = 1, **more: Any
) -> Operator:
    """An operator of a kernel whose code is never dropped.

    `body` computes `%r` from `%x0`, `%x1`, ... of the given tensor types; `%r` is of type `T`,
    which stands for the type of `%x0`.
    """
    arguments = ", ".join(f"%x{i}: {type}" for i, type in enumerate(types))
    lines = body.replace("T", types[0])
    text = f"func.func @main({arguments}) -> {types[0]} {{\n{lines}\nreturn %r : {types[0]}\n}}"
    settings = Settings.filled(num_threads=1, fallback="error")
    context = make_context()
    built = build(parse_module(text, context, name), "main", settings, context).program
    _kept.append(built)
    (step,) = built.manifest["steps"]
    names = {f"arg{i}": i for i in range(len(types))}
    numbers = {v["value"]: names[v["name"]] for v in built.manifest["inputs"]}
    order = [numbers[value] for value in step["inputs"]]  # fusion may change it
    factors = [int(term.removeprefix("?")) for term in str(step.get("domain")).split("*")]
    grain, aligned = step.get("grain"), aligned_word(step.get("aligned"))
    assert grain is not None
    made = Operator(
        name,
        (TensorProto.FLOAT,) * len(types),
        TensorProto.FLOAT,
        built.addresses[step.get("symbol", "")],
        grain,
        aligned,
        "planes" if types[0] in (ROWS, BLOCKS) else "flat",
        inner,
        tuple(i for i, type in enumerate(types) if type == SCALAR),
        tuple(i for i, type in enumerate(types) if type in (ROW, BLOCK)),
        threads,
        tuple(factors),
        tuple(order.index(i) for i in range(len(types))),
    )
    return made._replace(**more)


def binary(name: str, op: str, *types: str, **more: Any) -> Operator:
    """An operator that is one op of two operands of the dialect `snippets`."""
    body = f"%r = snippets.{op} %x0, %x1 : ({types[0]}, {types[1]}) -> T"
    return operator(name, body, *types, **more)


def node_model(name: str, inputs: int, shape: Sequence[int | str | None] | None = None) -> bytes:
    """A model of one node, whose inputs have any shape, or input 0 that of `shape`."""
    names = [f"x{i}" for i in range(inputs)]
    node = helper.make_node(name, names, ["y"], domain=DOMAIN)
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in (*names, "y")]
    values[0] = helper.make_tensor_value_info("x0", TensorProto.FLOAT, shape)
    graph = helper.make_graph([node], "g", values[:-1], values[-1:])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]
    made: onnx.ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return made.SerializeToString()


def options_of(operators: Sequence[Operator], threads: int = 1) -> Any:
    """Options of a session with operators, which leaves the graph as it is and logs nothing."""
    engine: Any = import_module("onnxruntime")
    options: Any = engine.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    options.graph_optimization_level = engine.GraphOptimizationLevel.ORT_DISABLE_ALL
    register(options, operators)
    return options


class Node:
    """A session of one node."""

    def __init__(
        self,
        made: Operator,
        options: Any = None,
        shape: Sequence[int | str | None] | None = None,
        model: bytes | None = None,
    ) -> None:
        """A model of the node alone, unless another one is given.

        `options`: those of the session, if the operator is in them already.
        """
        options = options or options_of([made], made.threads)
        model = model or node_model(made.name, len(made.types), shape)
        engine: Any = import_module("onnxruntime")
        self.session = engine.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def __call__(self, *arrays: NDArray[Any]) -> Array:
        (result,) = self.session.run(None, {f"x{i}": a for i, a in enumerate(arrays)})
        return result


def numbers(*shape: int) -> Array:
    """Numbers of both signs, and all that is not an ordinary one."""
    made = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-42]
    made.reshape(-1)[::7] = np.resize(special, made.reshape(-1)[::7].size)
    return made
