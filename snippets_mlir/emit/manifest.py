"""The program of a host function as JSON: what the runtime executes, step by step.

    func.func @main(%x: tensor<4xf32> {snippets.name = "x"}) -> tensor<4xf32> {
      %c = snippets.constant dense<2.0> : tensor<4xf32>
      %0 = lir.call @k0(%x, %c) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      func.return %0 : tensor<4xf32>
    }

becomes

    {"version": 2, "entry": "main", "target": "x86-64-avx2", "threads": 2,
     "values": [{"shape": [4], "dtype": "float32"}, ...],
     "inputs": [{"name": "x", "value": 0, "shape": [4], "dtype": "float32"}],
     "outputs": [{"name": "out0", "value": 2, "shape": [4], "dtype": "float32"}],
     "constants": [{"value": 1, "data": "AAAAQA..."}],
     "steps": [{"kind": "kernel", "symbol": "k0", "inputs": [0, 1], "outputs": [2],
                "domain": 4, "grain": 1, "scratch": 0, "cost": 47}]}

A step is a `kernel` (a `lir.call`), a `view` (a `snippets.reshape`, `squeeze` or `unsqueeze`: the
same elements under another shape) or `execute` (any other op, as the text of a function that holds
it: the executors of the runtime run it; `ops` are the names of its ops, of nodes of ONNX those in
the model). The `dims` of a view are, for each of its dims, the dim of the source that has the same
size; null for sizes that the shape says. The module may be at any level where the host function
holds no `snippets.subgraph` any more; facts that a kernel does not carry yet (`domain`, `grain`,
`scratch`, `cost`) are null. `scratch` is how many bytes each thread needs; it has to be a multiple
of 64. `cost` estimates the picoseconds for an element. `aligned`, where a kernel has it, is the
input that is best on a cache line where a range begins, and the bytes of its elements
(`dialects/lir/aligned.py`). In a template (`driver/dynamic/templates.py`) sizes may have symbols,
and `clusters` are the sizes of a kernel's clusters of buffers. A kernel with counters names them in
`counters`, as `{"label", "clock", "position"}`; `counter_words` is the length of a thread's row.
One with the segfault detector names its memory accesses, each with its loops, in `sites`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.builtin.dims import size_data
from snippets_mlir.dialects.builtin.dtypes import numpy_dtype
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import StringType, ValueType
from snippets_mlir.dialects.snippets.attributes import PanelsAttr, ResourceAttr
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.dialects.snippets.folding import dense_of_scalar
from snippets_mlir.dialects.snippets.layout import LayoutOp, is_view, view_dims
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.dialects.snippets.values.evaluate import constant_array
from snippets_mlir.emit.host import (
    Unit,
    body_of,
    find_host_function,
    function_of,
    interface_names,
    is_constant,
    units_of,
)
from snippets_mlir.emit.kernel_steps import integer_of, kernel_facts
from snippets_mlir.support.errors import CompileError

VERSION = 2
THREADS = "snippets.threads"


def symbol_name(op: Operation) -> str | None:
    """The symbol that `op` defines, or None."""
    name = op.get_attr_or_prop("sym_name")
    return name.data if isinstance(name, StringAttr) else None


def described(type_: Attribute) -> dict[str, Any]:
    """`{"shape", "dtype"}` of a type; a dynamic dim is null, and so is a shape of unknown rank.

    Strings are `object`, as NumPy and ONNX Runtime hold them, and so are ONNX's values that are no
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


@dataclass
class _Builder:
    """The manifest while it grows: each SSA value of the host function gets a number."""

    symbols: Mapping[str, Operation]
    with_text: bool
    ids: dict[SSAValue, int] = field(default_factory=dict[SSAValue, int])
    values: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    constants: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    steps: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def define(self, value: SSAValue) -> int:
        self.ids[value] = len(self.values)
        self.values.append(described(value.type))
        return self.ids[value]

    def add(self, unit: Unit) -> None:
        match unit.ops:
            case (ConstantOp() | ScalarOp() as op,):
                data = constant_data(op) if self.with_text else {}
                self.constants.append({"value": self.define(op.result), **data})
            case (CallOp() as op,):
                self.steps.append(self.kernel_step(op))
            case (LayoutOp() as op,) if is_view(op):
                step: dict[str, Any] = {"kind": "view", "inputs": [self.ids[op.operand]]}
                if (dims := view_dims(op)) is not None:
                    step["dims"] = dims
                self.steps.append({**step, "outputs": [self.define(op.result)]})
            case _:
                self.steps.append(self.execute_step(unit))

    def kernel_step(self, op: CallOp) -> dict[str, Any]:
        return {
            **kernel_facts(op, self.symbols),
            "inputs": [self.ids[v] for v in op.inputs],
            "outputs": [self.define(v) for v in op.outputs],
        }

    def execute_step(self, unit: Unit) -> dict[str, Any]:
        name = f"region_{sum(s['kind'] == 'execute' for s in self.steps)}"
        text = {"text": str(function_of(name, unit))} if self.with_text else {}
        return {
            "kind": "execute",
            "ops": [called(op) for op in unit.ops if not is_constant(op)],
            **text,
            "inputs": [self.ids[v] for v in unit.reads],
            "outputs": [self.define(v) for v in unit.writes],
        }


def called(op: Operation) -> str:
    """What an op of a step is called: a node of ONNX by its name in the model or its operator."""
    if not isinstance(op, NodeOp):
        return op.name
    return op.node_name.data if op.node_name is not None else op.op_type.data


def constant_data(op: ConstantOp | ScalarOp) -> dict[str, Any]:
    """`{"data": base64 of the little-endian elements}`, or `{"resource": {file, key, sha256}}`,
    with the `element` type that the tensor is converted to if it is stored in another one, and the
    `columns` of its last dim if it is not all of them.

    Panels of a matrix have `panels`, the data being that of the matrix.
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


def build_manifest(
    module: ModuleOp,
    *,
    entry: str | None = None,
    units: Sequence[Unit] | None = None,
    with_text: bool = True,
) -> dict[str, Any]:
    """The program of `module`'s host function, as a dict that `json.dumps` takes.

    `units` are the steps and constants in an order in which they can run (several ops in one unit
    are executed together); without it every op is a unit, in the order of the text.
    `with_text` false leaves the text of the `execute` steps and the data of constants out: a
    program in memory has executors and arrays instead.
    """
    function = find_host_function(module, entry)
    block = body_of(function)
    symbols = {name: op for op in module.ops if (name := symbol_name(op)) is not None}
    inputs, outputs = interface_names(function)
    builder = _Builder(symbols, with_text)
    for argument in block.args:
        builder.define(argument)
    for unit in units_of(function) if units is None else units:
        builder.add(unit)
    terminator = block.last_op
    assert terminator is not None
    target, threads = module.attributes.get("snippets.target"), module.attributes.get(THREADS)
    return {
        "version": VERSION,
        "entry": function.sym_name.data,
        "target": target.data if isinstance(target, StringAttr) else None,
        "threads": integer_of(threads),
        "values": builder.values,
        "inputs": _interface(inputs, block.args, builder),
        "outputs": _interface(outputs, terminator.operands, builder),
        "constants": builder.constants,
        "steps": builder.steps,
    }


def _interface(
    names: Sequence[str], values: Sequence[SSAValue], builder: _Builder
) -> list[dict[str, Any]]:
    return [
        {"name": name, "value": builder.ids[value], **described(value.type)}
        for name, value in zip(names, values, strict=True)
    ]
