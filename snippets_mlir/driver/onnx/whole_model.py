"""An ONNX model as one session: what a program is where no kernel pays.

inputs x, y  ->  execute: the model  ->  outputs z       one step, for calls of any shape
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.driver.built import Built
from snippets_mlir.driver.kernel_entry import OpaqueOp
from snippets_mlir.runtime.arrays import TensorSpec
from snippets_mlir.runtime.manifest import Manifest
from snippets_mlir.runtime.program import Program
from snippets_mlir.runtime.sessions import Session, open_session

if TYPE_CHECKING:
    import onnx


def model_session(model: object, threads: int, *, alone: bool = False) -> Session:
    """The whole model of a source in one session; its external data lies beside its file."""
    if isinstance(model, str | PathLike):
        return open_session(Path(cast("str", model)), threads, alone=alone)
    if isinstance(model, bytes | bytearray):
        return open_session(bytes(model), threads, alone=alone)
    return open_session(cast("onnx.ModelProto", model).SerializeToString(), threads, alone=alone)


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
) -> Built:
    """The program of a model as one session, which may be there already.

    `entry` is what the model's function is called.
    """
    session = session or model_session(model, threads, alone=True)
    # Without those that have a value, unless the caller gives it.
    session.inputs = tuple(spec.name for spec in inputs)
    manifest = whole_manifest(entry, threads, inputs, outputs)
    program = Program(manifest, {}, {}, [session], threads)
    return Built(program, None, "", (), opaque, {}, any_shape=True)
