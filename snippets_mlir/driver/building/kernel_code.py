"""The object code of the kernels of a module at the level of LLVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.cache import cached
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.driver.workers.sharing import Piece
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.runtime.manifests.manifest import Manifest
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import machine


def kernel_code(
    module: ModuleOp, manifest: Manifest, target: str, pieces: Sequence[Piece]
) -> Callable[[], LoadedObject | None]:
    """A function that compiles and loads the kernels of a module from LLVM text, which is printed
    now.

    It needs no IR, so it may run in a separate thread. It returns None if there are no kernels. If
    kernels were lowered apart, `pieces` are their objects, or wait for them.

    Raises:
        CompileError: a kernel is above the level of LLVM, or this computer cannot run the code.
    """
    called = [step for step in manifest["steps"] if step["kind"] == "kernel"]
    if not called:
        return lambda: None
    for step in called:
        if step.get("domain") is None:
            raise CompileError(
                f"the pipeline leaves kernel @{step.get('symbol')} above the level of LLVM; "
                "end it with the passes of vector-to-llvm"
            )
    m, host = machine(target), machine(host_target())
    if m.triple != host.triple or m.lanes > host.lanes:
        raise CompileError(
            f"this computer ({host.name}) cannot run kernels for {target}; "
            "snippets-opt -t asm shows them"
        )
    load = partial(LoadedObject, symbols={step["symbol"] for step in called if "symbol" in step})
    how = {"triple": m.triple, "cpu": m.cpu, "features": m.features}
    if not pieces:
        return partial(cached, emit_llvm(module), load, **how, kernels=True)
    return lambda: load([piece if isinstance(piece, bytes) else piece() for piece in pieces])
