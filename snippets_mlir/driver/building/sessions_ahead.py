"""Sessions of a program that open in a thread while its kernels compile.

    passes on the whole module      | passes on kernels              | manifest, executors
    --------------------------------+--------------------------------+--------------------
    this thread    [ ............. ] [ kernel ][ kernel ][ kernel ]   [ takes the session ]
    another one                      [ a session opens ]

The host function is final when the passes on single kernels begin. A copy of it then shows which
parts onnxruntime runs. In the end an executor takes the session if its model is the same, byte for
byte; otherwise it opens its own.

A session copies its weights and converts them into the form that its nodes read. The copy of the
function takes some milliseconds, so smaller sessions open at the end. It is made after LLVM has its
first kernels, unless sessions take long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import OpResult, SSAValue
from xdsl.traits import ConstantLike

from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.onnx.types import ValueType
from snippets_mlir.dialects.program.host import find_entry, host_ops
from snippets_mlir.dialects.program.laws import value_bytes
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.emit.program_nodes import ENGINE, executed_nodes, function_of_node
from snippets_mlir.passes.program.convert_host_to_program import graph_of
from snippets_mlir.runtime.engine.executors import open_region
from snippets_mlir.runtime.engine.sessions import Session
from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.emit.onnx_model import Region

LARGE = 4 << 20
"""Sessions with at least this many bytes of weights open ahead: onnxruntime reads about this much
in 10 ms.
"""


HUGE = 64 << 20
"""Sessions with at least this many bytes of weights open before any kernel is compiled. Smaller
weights are read while LLVM compiles the first batch, which the copy would otherwise delay.
"""


class SessionsAhead:
    """The sessions of one program that are being opened."""

    def __init__(self, threads: int, weights: Mapping[str, Any], later: Later) -> None:
        """Open nothing yet.

        Args:
            threads: of each session.
            weights: ONNX tensors at hand, by name.
            later: begins work in a thread.
        """
        self._threads, self._weights, self._later = threads, weights, later
        self._waiting: list[tuple[Region, Callable[[], Session]]] = []

    def begin(self, module: ModuleOp, entry: str) -> Callable[[], None] | None:
        """Open the sessions of the host function of `module`; its kernels need not exist yet.

        Returns: a function that does this after LLVM has a batch of kernels, None if nothing is
        left to do.
        """
        function = find_entry(module, entry)
        if not isinstance(function, FuncOp) or (size := _bytes_of_weights(function)) < LARGE:
            return None
        if size < HUGE:
            return lambda: self._begin(function)
        self._begin(function)
        return None

    def _begin(self, function: FuncOp) -> None:
        from snippets_mlir.emit.onnx_model import emit_region

        with suppress(CompileError):  # it is met again in the end
            for node in executed_nodes(graph_of(function.clone(), lowered=True)):
                learns = any(isinstance(value.type, ValueType) for value in node.inputs)
                if node.kind != ENGINE or learns:
                    continue
                region = emit_region(function_of_node("region", node), self._weights)
                work = partial(open_region, region, self._threads, self._weights)
                self._waiting.append((region, self._later(work)))

    def take(self, region: Region) -> Session | None:
        """The session of a region, once; None if none was opened, or onnxruntime refuses it."""
        for place, (known, session) in enumerate(self._waiting):
            if known == region:
                del self._waiting[place]
                with suppress(CompileError):
                    return session()
                return None
        return None


def _bytes_of_weights(function: FuncOp) -> int:
    """Bytes of the constants that nodes of onnxruntime read."""
    read: set[SSAValue] = set()
    for op in host_ops(function):
        if isinstance(op, NodeOp):
            read.update(op.operands)
    constants = (v for v in read if _is_constant(v))
    return sum(value_bytes(value) or 0 for value in constants)


def _is_constant(value: SSAValue) -> bool:
    return isinstance(value, OpResult) and value.op.has_trait(ConstantLike)
