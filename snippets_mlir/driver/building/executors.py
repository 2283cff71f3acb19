"""The executors of a program, which run its `execute` steps.

The type of a value between two steps may be unknown when the program is compiled: the result of an
operator of onnxruntime's own domain, a sequence, a tensor without a rank. Such a value is passed on
unchanged. The session that computes it determines its element type, and a run of the session its
shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.ir import Attribute, SSAValue

from snippets_mlir.dialects.onnx.types import ValueType
from snippets_mlir.driver.building.parts import Executed
from snippets_mlir.emit.manifest import described
from snippets_mlir.emit.program_nodes import ENGINE
from snippets_mlir.runtime.engine.executors import make_executor
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.manifests.manifest import Manifest

if TYPE_CHECKING:
    from snippets_mlir.emit.onnx_model import Region
    from snippets_mlir.runtime.engine.executors import Executor


def make_executors(
    executed: Sequence[Executed],
    manifest: Manifest,
    threads: int,
    weights: Mapping[str, Any] | None,
    opened: Callable[[Region], Session | None] | None,
) -> list[Executor]:
    """The executors of the `execute` steps of a manifest, in their order.

    Types found on the way go into `manifest`, and to the regions that read the values. For
    `weights` and `opened` see `make_executor`.
    """
    steps = [step for step in manifest["steps"] if step["kind"] == "execute"]
    learnt: dict[SSAValue, Attribute] = {}
    executors: list[Executor] = []
    for part, step in zip(executed, steps, strict=True):
        engine = step.get("impl") == ENGINE
        executor = make_executor(
            part.function(learnt), threads, weights, engine=engine, opened=opened
        )
        executors.append(executor)
        types: Sequence[str] = executor.types if isinstance(executor, Session) else ()
        for value, number, words in zip(part.writes, step["outputs"], types, strict=False):
            if isinstance(value.type, ValueType):
                from snippets_mlir.emit.onnx_attributes import named_type

                learnt[value] = named_type(words)
                _describe(manifest, number, learnt[value])
    return executors


def _describe(manifest: Manifest, number: int, type_: Attribute) -> None:
    """Write the type of a value into a manifest."""
    known = described(type_)
    for value in (manifest["values"][number], *manifest["outputs"]):
        if value.get("value", number) == number:
            value["shape"], value["dtype"] = known["shape"], known["dtype"]
