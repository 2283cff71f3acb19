"""The function of an execution graph, from the manifest of a build and its steps' times.

`execution_graph.py` shows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import (
    ArrayAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.builtin.dtypes import element_type_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import UNKNOWN, StringType
from snippets_mlir.dialects.snippets.shapes import DYNAMIC
from snippets_mlir.driver.networks.step_times import StepTime
from snippets_mlir.runtime.arguments.arrays import dtype_from_name
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.steps.table import copied_outputs
from snippets_mlir.support.value_names import ssa_name

if TYPE_CHECKING:
    from snippets_mlir.driver.building.built import Built
    from snippets_mlir.runtime.manifests.manifest import Step, Value

DOMAIN, VERSION = "snippets_mlir", 1


def execution_module(
    built: Built, rows: Sequence[StepTime], nodes: Sequence[tuple[str, ...]]
) -> ModuleOp:
    """The function for a build, in a module.

    Args:
        built: the build.
        rows: the times of its steps in one run.
        nodes: for each step, the names of its nodes in the model.
    """
    manifest = built.program.manifest
    inputs = [v["value"] for v in manifest["inputs"]]
    function = FuncOp(
        re.sub(r"\W", "_", manifest["entry"]),
        (
            [type_of(manifest["values"][v]) for v in inputs],
            [type_of(output) for output in manifest["outputs"]],
        ),
    )
    builder = _Builder(built, rows, nodes)
    with ImplicitBuilder(function.body) as arguments:
        for argument, described in zip(arguments, manifest["inputs"], strict=True):
            builder.define(described["value"], argument, described["name"])
        for index, step in enumerate(manifest["steps"]):
            builder.step(index, step)
        ReturnOp(*builder.outputs())
    return ModuleOp([function])


def type_of(value: Value) -> Attribute:
    """The type of a value of the manifest."""
    shape, dtype = value["shape"], value["dtype"]
    if dtype == "object":
        return UNKNOWN if shape is None else TensorType(StringType(), _sizes(shape))
    element = element_type_of(dtype_from_name(dtype))
    return UnrankedTensorType(element) if shape is None else TensorType(element, _sizes(shape))


def _sizes(shape: Sequence[int | None]) -> list[int]:
    return [DYNAMIC if size is None else size for size in shape]


class _Builder:
    def __init__(
        self, built: Built, rows: Sequence[StepTime], nodes: Sequence[tuple[str, ...]]
    ) -> None:
        self._nodes = nodes
        self._program = built.program
        self._manifest = built.program.manifest
        self._times = {row.step: row.nanoseconds for row in rows if row.step is not None}
        self._copies = [row.nanoseconds for row in rows if row.kind == "copy"]
        self._values: dict[int, SSAValue] = {}
        self._constants = {constant["value"] for constant in self._manifest["constants"]}
        self._names: set[str] = set()
        outputs = self._manifest["outputs"]
        by_value = {output["value"]: output for output in outputs}
        # An output may say more of its shape than its value.
        self._described = [by_value.get(v, d) for v, d in enumerate(self._manifest["values"])]
        self._copied = copied_outputs(self._program)
        kept = [output for i, output in enumerate(outputs) if i not in self._copied]
        self._claimed = {v: outputs[i]["name"] for v, i in self._program.storage.claims.items()}
        self._outputs = {output["value"]: output["name"] for output in kept} | self._claimed

    def define(self, value: int, made: SSAValue, name: str | None = None) -> None:
        self._values[value] = made
        made.name_hint = ssa_name(name or f"v{value}")

    def read(self, value: int) -> SSAValue:
        """A value for its reader; each reader of a constant has its own node for it."""
        if value not in self._constants:
            return self._values[value]
        (made,) = self._node("constant", f"constant_{value}", [], [value], {})
        made.name_hint = f"v{value}"
        return made

    def step(self, index: int, step: Step) -> None:
        nodes = self._nodes[index]
        executor = self._program.executors.get(index)
        kind = _implementation(step, executor)
        facts: dict[str, Attribute] = {}
        if nodes:
            facts["computes"] = _strings(nodes)
        if step["kind"] == "kernel":
            facts["kernel"] = StringAttr(step.get("symbol") or "")
            counts = {"domain": step.get("domain"), "threads": self._program.teams[index]}
            counts |= {"scratch": step.get("scratch")}
            facts |= {n: IntegerAttr(c, i64) for n, c in counts.items() if c is not None}
        if isinstance(executor, Session) and executor.tables:
            facts["tables"] = _strings([*executor.tables])
        facts["memory"] = _strings([self._memory(step, value) for value in step["outputs"]])
        facts |= _time(self._times.get(index))
        name = nodes[0] if nodes else step.get("node") or f"{kind}_{index}"
        made = self._node(kind, name, step["inputs"], step["outputs"], facts)
        for value, result in zip(step["outputs"], made, strict=True):
            self.define(value, result, self._outputs.get(value))

    def outputs(self) -> Iterator[SSAValue]:
        """The outputs, with a node for each copy."""
        copies = iter(self._copies)
        for index, output in enumerate(self._manifest["outputs"]):
            value, name = output["value"], output["name"]
            if index not in self._copied:
                yield self.read(value)
                continue
            facts = {"memory": _strings([f"output {name}"]), **_time(next(copies, None))}
            (made,) = self._node("copy", f"copy_to_{name}", [value], [value], facts)
            made.name_hint = ssa_name(name) or None
            yield made

    def _memory(self, step: Step, value: int) -> str:
        storage = self._program.storage
        if step["kind"] == "view":
            return f"of %{self._values[step['inputs'][0]].name_hint}"
        if (name := self._claimed.get(value)) is not None:
            return f"output {name}"
        if (slot := storage.slots.get(value)) is not None:
            return f"arena [{slot.offset}, {slot.offset + slot.size})"
        return "own"

    def _node(
        self,
        kind: str,
        name: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        facts: Mapping[str, Attribute],
    ) -> Sequence[SSAValue]:
        """Append a node; names are made unique."""
        base, count = name, 0
        while name in self._names:
            count += 1
            name = f"{base}_{count}"
        self._names.add(name)
        types = [type_of(self._described[v]) for v in outputs]
        return NodeOp(
            kind,
            [self.read(v) for v in inputs],
            types,
            version=VERSION,
            domain=DOMAIN,
            node_name=name,
            attributes=dict(facts),
        ).results


def _implementation(step: Step, executor: object) -> str:
    """The implementation of a step, named as in the registry of implementations."""
    if step["kind"] in ("check", "execute"):
        return "onnxruntime" if isinstance(executor, Session) else "reference"
    return "snippets" if step["kind"] == "kernel" else step["kind"]


def _strings(texts: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(text) for text in texts])


def _time(nanoseconds: int | None) -> dict[str, Attribute]:
    return {} if nanoseconds is None else {"time_ns": IntegerAttr(nanoseconds, i64)}
