"""The execution graph of a program: a node for each step, with its implementation, the place of
its results and its time.

    print(program.execution_graph())
    program.execution_graph().write("graph.onnx")      Netron opens it

It is a function of `onnx.node` ops of the domain `snippets_mlir`, so the same graph is MLIR text
and a model in ONNX's own format. The operator is the implementation: `snippets` (a kernel),
`onnxruntime`, `reference` (NumPy), `copy` (of an output that no step writes in place), `view` and
`constant`, which run nothing:

    %y = onnx.node "snippets"(%x) {domain = "snippets_mlir", version = 1 : i64,
           node_name = "snippets.negative", attributes = {computes = ["snippets.negative"],
           kernel = "subgraph_0", domain = 15 : i64, threads = 1 : i64,
           memory = ["output y"], time_ns = 420 : i64}}
         : (tensor<3x5xf32>) -> tensor<3x5xf32>

A step is named after the first node of the model that it computes, as in `node_profile`; `computes`
has all of them. The function's attribute `snippets.optimised_out` names the nodes of no step.

`memory` is the location of each result: `arena [0, 64)`, `output NAME`, `of %VALUE` (a view), or
`own` (memory of the step's executor). `time_ns` exists after a run, for steps that ran. Each reader
of a constant has a `constant` of its own, so that no edge of a drawing crosses the whole model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp

from snippets_mlir.driver.networks.execution_nodes import execution_module
from snippets_mlir.driver.networks.node_states import named_steps
from snippets_mlir.driver.networks.step_times import StepTime, described_steps
from snippets_mlir.runtime.engine.opening import INSTALL_HINT
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

if TYPE_CHECKING:
    from snippets_mlir.driver.building.built import Built
    from snippets_mlir.driver.programs.tensors import TensorProgram

OPTIMISED_OUT = "snippets.optimised_out"
"""The attribute of the function, and the metadata of the model, with the nodes of no step."""


@dataclass(frozen=True)
class ExecutionGraph:
    """The graph; see the module docstring.

    Attributes:
        module: its one function.
    """

    module: ModuleOp

    def __str__(self) -> str:
        return print_module(self.module)

    def onnx(self) -> bytes:
        """As a serialised ONNX model.

        Raises:
            CompileError: the package `onnx` is not installed, or an input is not a tensor.
        """
        try:
            from snippets_mlir.emit.onnx_model import emit_onnx_with_types
        except ModuleNotFoundError as error:
            raise CompileError(f"an ONNX file needs the package onnx; {INSTALL_HINT}") from error

        function = self.module.body.block.first_op
        assert isinstance(function, FuncOp)
        left = function.attributes.get(OPTIMISED_OUT)
        model = emit_onnx_with_types(function)
        return model if left is None else _with_facts(model, OPTIMISED_OUT, f"{left}")

    def write(self, file: str) -> None:
        """Write it to a file: `.mlir` or `.onnx`.

        Raises:
            CompileError: the name ends otherwise, or the file cannot be written; as `onnx`.
        """
        match Path(file).suffix:
            case ".mlir":
                content = f"{self}\n".encode()
            case ".onnx":
                content = self.onnx()
            case suffix:
                raise CompileError(
                    f"execution graph: expected a file .mlir or .onnx, found {suffix or file!r}"
                )
        try:
            Path(file).write_bytes(content)
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=file) from None


def _with_facts(model: bytes, key: str, text: str) -> bytes:
    """The model with one more entry in its metadata."""
    import onnx

    proto = onnx.load_model_from_string(model)
    onnx.helper.set_model_props(proto, {key: text})
    return proto.SerializeToString()


def execution_graph(
    compiled: TensorProgram, built: Built, rows: Sequence[StepTime] = ()
) -> ExecutionGraph:
    """The execution graph of a build; `rows` are the times of its steps in one run."""
    nodes, left = named_steps(compiled, [nodes for nodes, *_ in described_steps(built)])
    module = execution_module(built, rows, nodes)
    if left:
        function = module.body.block.first_op
        assert isinstance(function, FuncOp)
        function.attributes[OPTIMISED_OUT] = ArrayAttr(map(StringAttr, left))
    return ExecutionGraph(module)
