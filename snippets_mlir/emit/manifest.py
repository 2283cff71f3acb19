"""The contents of a manifest: the program as JSON, which the runtime executes step by step.

    func.func @main(%x: tensor<4xf32> {snippets.name = "x"}) -> tensor<4xf32> {
      %c = snippets.constant dense<2.0> : tensor<4xf32>
      %0 = lir.call @k0(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }

becomes a `program.graph` (`convert-host-to-program`), and that

    {"version": 2, "entry": "main", "target": "x86-64-avx2", "threads": 2, "arena": 0,
     "values": [{"shape": [4], "dtype": "float32"}, ..., {..., "mem": ["output", 0, null]}],
     "inputs": [{"name": "x", "value": 0, "shape": [4], "dtype": "float32"}],
     "outputs": [{"name": "out0", "value": 2, "shape": [4], "dtype": "float32"}],
     "constants": [{"value": 1, "data": "AAAAQA..."}],
     "steps": [{"kind": "kernel", "symbol": "k0", "inputs": [0, 1], "outputs": [2],
                "domain": 4, "grain": 1, "scratch": 0, "cost": 47, "space": 4}]}

`program_manifest.py` writes it, and documents the additions of a graph; this file has its parts.

A step is a `kernel` (a `lir.call`), a `view` (the same elements under another shape), a `check` of
indices (a `snippets.check_indices`, with its `axis` and whether it counts `from_end`) or `execute`
(any other node, as the text of a function that holds it: the executors of the runtime run it; `ops`
are the names of its ops, for ONNX nodes their names in the model). The `dims` of a view list, for
each of its dims, the dim of the source that has the same size, or null for sizes that the shape
states. Facts that a kernel does not carry yet (`domain`, `grain`, `scratch`, `cost`, `space`) are
null. `scratch` is the number of bytes for each thread; it has to be a multiple of 64. `cost`
estimates the picoseconds for each of `space` elements (`analysis/kernels/kernel_cost.py`).
`aligned`, if a kernel has it, is the input that should be on a cache line at the begin of a range,
and the bytes of its elements (`dialects/lir/aligned.py`). In a template
(`driver/dynamic/templates.py`) sizes may have symbols, and `clusters` are the sizes of a kernel's
clusters of buffers. A kernel with counters names them in `counters`, as `{"label", "clock",
"position"}`; `counter_words` is the length of a thread's row. A kernel with the segfault detector
names its memory accesses, each with its loops, in `sites`.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Operation

from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.builtin.size_text import size_data
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import StringType, ValueType
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.support.errors import CompileError

VERSION = 2
SESSIONS_ALONE = "snippets.sessions_alone"
"""On a module: sessions of onnxruntime share no work, each runs on the thread that calls it."""


def symbol_name(op: Operation) -> str | None:
    """The symbol that `op` defines, or None."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def described(type_: Attribute) -> dict[str, Any]:
    """`{"shape", "dtype"}` of a type; a dynamic dim is null, and so is a shape of unknown rank.

    Strings are `object`, as NumPy and onnxruntime hold them, and so are ONNX's values that are no
    tensors, or of unknown type, without a shape.

    Raises `CompileError` for any other type.
    """
    if isinstance(type_, ValueType):
        return {"shape": None, "dtype": "object"}
    if not isinstance(type_, TensorType | UnrankedTensorType):
        raise CompileError(f"expected a tensor, found {type_}")
    tensor = cast("TensorType[Attribute] | UnrankedTensorType", type_)
    shape = None
    if isinstance(tensor, TensorType):
        shape = [None if s == DYNAMIC else size_data(s) for s in shape_of(tensor)]
    if isinstance(tensor.element_type, StringType):
        return {"shape": shape, "dtype": "object"}
    return {"shape": shape, "dtype": numpy_dtype(tensor.element_type).name}


def called(op: Operation) -> str:
    """The name of an op of a step, for reports.

    For a node of ONNX, its name in the model, or else its operator; for any other op, the name of
    its result in the text, or else the name of the op.
    """
    if not isinstance(op, NodeOp):
        return (op.results[0].name_hint if op.results else None) or op.name
    return op.node_name.data if op.node_name is not None else op.op_type.data


def constant_data(op: ConstantOp | ScalarOp) -> dict[str, Any]:
    """`{"data": base64 of the little-endian elements}`, or `{"resource": {file, key, sha256}}`,
    with the `element` type that the tensor is converted to if it is stored in another one, and the
    `columns` of its last dim if it is not all of them.

    Panels of a matrix also have `panels`; the data is then the matrix's.
    """
    value = op.value
    if isinstance(value, PanelsAttr):
        form = {
            "matrix": described(value.type),
            "width": value.width.data,
            "transposed": isinstance(value.transposed, UnitAttr),
        }
        matrix = ConstantOp(cast(Any, value.source), value.type)
        return {**constant_data(matrix), "panels": form}
    if isinstance(value, ResourceAttr):
        named: dict[str, Any] = {
            "file": value.file.data,
            "key": value.key.data,
            "sha256": value.sha256.data,
        }
        if value.converted is not None:
            named["element"] = str(value.converted)
        if value.columns is not None:
            named["columns"] = list(value.columns)
        return {"resource": named}
    if not isinstance(value, DenseIntOrFPElementsAttr):
        value = dense_of_scalar(value, op.result.type)
    return {"data": b64encode(constant_array(value).tobytes()).decode()}
