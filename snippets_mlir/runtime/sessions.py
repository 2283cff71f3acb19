"""Sessions of onnxruntime: whole models, and the regions between kernels.

A session has dynamic dims where its model has them, may be run from several threads at once, and
lives as long as the program. Threads that spin between two nodes start the next one early; they
stop when a run ends, because a kernel of ours may follow on the same cores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from snippets_mlir.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.runtime.arrays import Array

INSTALL_HINT = "install it with `pip install snippets-mlir[onnx]`"


@dataclass(frozen=True)
class Session:
    """One session, with arrays in the order of the model's inputs and outputs.

    Attributes:
        inputs: the names of what goes in.
        outputs: the names of what comes out.
        types: the types of what comes out, in ONNX's words: `tensor(float)`, `seq(tensor(int64))`.
        run_named: onnxruntime's `run(output names, {input name: array})`.
    """

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    types: tuple[str, ...]
    run_named: Callable[[Sequence[str], dict[str, Any]], list[Any]]

    def __call__(self, arrays: Sequence[Array]) -> list[Array]:
        """Run on `arrays`; new arrays come out.

        Raises:
            ValueError: onnxruntime refuses the arrays, for their shapes for example.
        """
        feed = {n: _dense(a) for n, a in zip(self.inputs, arrays, strict=True)}
        return self.run(feed)

    def run(self, feed: dict[str, Any]) -> list[Array]:
        """Run on dense arrays by name; raises as a call does."""
        try:
            return self.run_named(self.outputs, feed)
        except Exception as error:  # onnxruntime has an exception class per status code
            text = re.sub(r"\s+", " ", str(error)).strip()
            raise ValueError(f"onnxruntime: {text}") from None


def _dense(value: Any) -> Any:
    import numpy as np

    if not isinstance(value, np.ndarray):
        return value
    return np.require(cast("Array", value), requirements=["C", "A"])


def open_session(model: bytes | Path, threads: int = 1, *, alone: bool = False) -> Session:
    """A session for a model in a file or serialised.

    Args:
        model: the file, whose external data is found beside it, or the bytes.
        threads: how many threads a node may use.
        alone: whether no kernel runs beside it, so that its threads may spin after a run, too.

    Raises:
        CompileError: onnxruntime is missing, or rejects the model; the message names the node.
    """
    try:
        ort: Any = import_module("onnxruntime")  # it has no type information
    except ImportError:
        raise CompileError(
            f"the program holds ONNX nodes that onnxruntime must run; {INSTALL_HINT}"
        ) from None
    options = ort.SessionOptions()
    options.intra_op_num_threads = max(1, threads)
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    if not alone:
        options.add_session_config_entry("session.force_spinning_stop", "1")
    source = str(model) if isinstance(model, Path) else model
    try:
        session = ort.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has an exception class per status code
        raise CompileError(_rejected(model, str(error))) from None
    inputs = tuple(i.name for i in session.get_inputs())
    found = session.get_outputs()
    outputs, types = tuple(o.name for o in found), tuple(o.type for o in found)
    return Session(inputs, outputs, types, session.run)


def _rejected(model: bytes | Path, message: str) -> str:
    """The error text for a model that onnxruntime rejects, naming the node or all its op types."""
    import onnx

    proto = onnx.ModelProto()
    proto.ParseFromString(model.read_bytes() if isinstance(model, Path) else model)
    words = set(re.findall(r"[\w./:-]+", message))
    guilty = [n for n in proto.graph.node if n.name in words]
    guilty = guilty or [n for n in proto.graph.node if n.op_type in words] or [*proto.graph.node]
    shown = ", ".join(
        f"{n.domain + '.' if n.domain else ''}{n.op_type}" + (f" '{n.name}'" if n.name else "")
        for n in guilty[:4]
    )
    text = re.sub(r"\s+", " ", message).strip()
    return f"onnxruntime does not accept the ONNX node {shown}: {text}"
