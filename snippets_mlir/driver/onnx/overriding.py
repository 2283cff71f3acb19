"""ONNX models called with arrays in place of the default values of inputs.

    inputs x, w    initializer w = 1      m.inputs is x; m.overridable is w
    m.run({"x": x})                       computes with 1, which the code may have folded
    m.run({"x": x, "w": w})               another program, of inputs x and w

An initializer that is not an input is a constant and cannot be replaced.
"""

from __future__ import annotations

from snippets_mlir.driver.interface import interface_of_source
from snippets_mlir.driver.programs.kinds import program_of
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arguments.arrays import TensorSpec


def _without(source: Source, names: frozenset[str]) -> Source:
    from snippets_mlir.frontends.onnx.edits import ModelEdit

    return source.edited(ModelEdit(free=names))


def overridable_of(source: Source) -> tuple[TensorSpec, ...]:
    """The inputs that have a value; empty for a source that is not an ONNX model."""
    if source.model is None or source.edit is not None:
        return ()
    from snippets_mlir.frontends.onnx.edits import overridable_inputs

    names = frozenset(info.name for info in overridable_inputs(source.prepared.model))
    if not names:
        return ()
    inputs, _ = interface_of_source(_without(source, names))
    return tuple(spec for spec in inputs if spec.name in names)


def without_values(
    source: Source, names: frozenset[str], settings: Settings, ctx: ToolContext
) -> TensorProgram:
    """The program in which `names` are ordinary inputs."""
    return program_of(_without(source, names), settings, ctx)
