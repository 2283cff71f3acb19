"""An ONNX model as one session: the form of a program if no kernel pays off.

inputs x, y  ->  execute: the model  ->  outputs z       one step, for calls of any shape
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.reports.kernel_entry import KernelEntry, OpaqueOp
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.engine.opening import SPIN_US, Configure, open_session
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    import onnx

    from snippets_mlir.codegen.load import LoadedObject
    from snippets_mlir.driver.sources.load import Source

BRIEFLY = "200"
"""Microseconds that threads of a session spin before they sleep, if the next call may run kernels:
as long as threads of kernels do.
"""


def model_session(
    model: object,
    threads: int,
    *,
    alone: bool = False,
    spin: str = SPIN_US,
    configure: Configure | None = None,
) -> Session:
    """The whole model of a source in one session; its external data is beside its file.

    `spin` and `configure` are as for `open_session`.
    """
    if isinstance(model, str | PathLike):
        source = Path(cast("str", model))
    elif isinstance(model, bytes | bytearray):
        source = bytes(model)
    else:
        source = cast("onnx.ModelProto", model).SerializeToString()
    return open_session(source, threads, alone=alone, spin=spin, configure=configure)


def session_beside_kernels(model: object, threads: int) -> Session:
    """As `model_session`, for some calls of a program; other calls run its kernels.

    Its threads spin after a run, as those of a model that is one session do, but not long: the next
    call may run kernels on the same cores.
    """
    return model_session(model, threads, alone=True, spin=BRIEFLY)


def require_loadable(source: Source, *, by_onnx: bool = False) -> None:
    """Have ONNX's checker see the model of a source.

    A model that the checker refuses is accepted if onnxruntime loads it, unless `by_onnx`: it may
    have attributes and operators of a later opset than the model's, for example.

    Raises:
        CompileError: the model is not valid; the message comes from the checker.
    """
    try:
        source.prepared.require_sound()
    except CompileError as refusal:
        if by_onnx:
            raise
        try:
            model_session(source.session_model, 1)
        except CompileError:
            raise refusal from None
        source.prepared.take_as_sound()


def require_fitting(source: Source) -> None:
    """Have onnxruntime see a model with a node whose inputs fit in no call, whatever their sizes.

    Without this, such a model is refused by its first call.

    Raises:
        CompileError: onnxruntime refuses the model; the message names node and shapes.
    """
    from snippets_mlir.frontends.onnx.shapes.single_nodes import models_of_engine_nodes

    prepared = source.prepared
    nodes = models_of_engine_nodes(prepared.inferred)
    if prepared.contradicts_itself or not all(map(_opens, nodes)):
        model_session(source.session_model, 1)


def _opens(model: onnx.ModelProto) -> bool:
    try:
        model_session(model, 1)
    except CompileError:
        return False
    return True


@dataclass(frozen=True)
class KernelsInside:
    """Kernels that a session has as operators.

    Attributes:
        code: has to live as long as the session.
        passes: the textual pipeline that made them.
        kernels: an entry for each node that calls one.
    """

    code: LoadedObject
    passes: str
    kernels: tuple[KernelEntry, ...]


def _described(specs: Sequence[TensorSpec], first: int) -> list[dict[str, Any]]:
    return [
        {
            "name": spec.name,
            "value": first + i,
            "shape": None if spec.shape is None else [*spec.shape],
            "dtype": spec.dtype.name,
        }
        for i, spec in enumerate(specs)
    ]


def whole_manifest(
    entry: str, threads: int, inputs: Sequence[TensorSpec], outputs: Sequence[TensorSpec]
) -> Manifest:
    """The manifest of a program of one step."""
    described = [*_described(inputs, 0), *_described(outputs, len(inputs))]
    # What a model says about its outputs may be wrong; onnxruntime gives them as they are.
    anything = [{"shape": None, "dtype": v["dtype"]} for v in described[len(inputs) :]]
    manifest = {
        "version": 1,
        "entry": entry,
        "target": None,
        "threads": threads,
        "values": [
            *({"shape": v["shape"], "dtype": v["dtype"]} for v in described[: len(inputs)]),
            *anything,
        ],
        "inputs": described[: len(inputs)],
        "outputs": described[len(inputs) :],
        "constants": [],
        "steps": [
            {
                "kind": "execute",
                "ops": ["onnx.model"],
                "inputs": [*range(len(inputs))],
                "outputs": [*range(len(inputs), len(described))],
            }
        ],
    }
    return cast("Manifest", manifest)


def whole_program(
    model: object,
    entry: str,
    threads: int,
    inputs: Sequence[TensorSpec],
    outputs: Sequence[TensorSpec],
    opaque: tuple[OpaqueOp, ...] = (),
    session: Session | None = None,
    inside: KernelsInside | None = None,
) -> Built:
    """The program of a model as one session, which may be there already.

    `entry` is the name of the model's function. `inside` are its kernels.
    """
    session = session or model_session(model, threads, alone=True)
    # Without those that have a value, unless the caller gives it.
    session.inputs = tuple(spec.name for spec in inputs)
    manifest = whole_manifest(entry, threads, inputs, outputs)
    program = Program(manifest, {}, {}, [session], threads)
    if inside is None:
        return Built(program, None, "", (), opaque, {}, any_shape=True)
    return Built(program, inside.code, inside.passes, inside.kernels, opaque, {}, any_shape=True)
