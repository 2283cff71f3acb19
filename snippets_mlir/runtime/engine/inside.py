"""Sessions of models with our kernels as operators: their data, and how to open them.

    {"name": "chain0", "inputs": 2, "symbol": "subgraph_0", "places": [1, 0], "domain": [0], ...}

is a node with two inputs, of which the kernel takes the second one first.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from snippets_mlir.codegen.stubs.interface import aligned_word
from snippets_mlir.runtime.engine.opening import Configure, open_optimized
from snippets_mlir.runtime.engine.operators import Operator, register
from snippets_mlir.runtime.engine.sessions import Session

if TYPE_CHECKING:
    from snippets_mlir.codegen.load import LoadedObject

FLOAT = 1
"""ONNX's number of float32."""


class OperatorData(TypedDict):
    """An operator as JSON-able data.

    Attributes:
        name: the type of its nodes.
        inputs: their number; the first input has the shape of the result.
        symbol: of the kernel.
        places: for each input, the number of its kernel argument.
        domain: the runtime slots whose product is the domain of the kernel.
        grain: of the kernel.
        aligned: of the kernel's step.
        inner: channels of a block.
        planes: inputs that have an element for each channel.
        scalars: inputs of one element.
    """

    name: str
    inputs: int
    symbol: str
    places: list[int]
    domain: list[int]
    grain: int
    aligned: list[int] | None
    inner: int
    planes: list[int]
    scalars: list[int]


def inside_session(
    model: bytes,
    operators: Sequence[OperatorData],
    code: LoadedObject,
    threads: int,
    folder: Path | None = None,
) -> Session:
    """The session of an optimized model with operators of `code`; see `open_optimized`."""
    return open_optimized(model, threads, folder, with_operators(operators, code, threads))


def with_operators(
    operators: Sequence[OperatorData], code: LoadedObject, threads: int
) -> Configure:
    """A function that gives onnxruntime's options the operators of `code`.

    ValueError for data that no compilation makes, KeyError if the code lacks a kernel.
    """
    made = [_operator(data, code, threads) for data in operators]

    def configure(_: Any, options: Any) -> None:
        register(options, made)

    configure.__dict__["code"] = code  # keep it alive as long as this function
    return configure


def _operator(data: OperatorData, code: LoadedObject, threads: int) -> Operator:
    return Operator(
        name=data["name"],
        types=(FLOAT,) * data["inputs"],
        result=FLOAT,
        kernel=code.address(data["symbol"]),
        grain=data["grain"],
        aligned=aligned_word(data["aligned"]),
        form="planes" if data["planes"] else "flat",
        inner=data["inner"],
        scalars=tuple(data["scalars"]),
        planes=tuple(data["planes"]),
        threads=threads,
        domain=tuple(data["domain"]),
        places=tuple(data["places"]),
    )
