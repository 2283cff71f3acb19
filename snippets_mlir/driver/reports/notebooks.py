"""Notebook output for a program and a kernel: the report, and the picture of the loops."""

from __future__ import annotations

from html import escape

from snippets_mlir.driver.compiled import Compiled, Kernel
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.support.errors import CompileError

PLACED = "lir-allocate-buffers"
"""The pass after which loops and buffers are final; later passes decompose ops."""


def html_of(compiled: Compiled) -> str:
    """The interface, the lines of `snippets-run --report`, and the picture of each kernel, once."""
    lines = [repr(compiled), *report_of(compiled)]
    pictures = [
        f"<details><summary>kernel {escape(kernel.name)}</summary>{svg}</details>"
        for kernel in {kernel.name: kernel for kernel in compiled.kernels}.values()
        if (svg := svg_of(kernel)) is not None
    ]
    report = escape("\n".join(lines))
    return "\n".join([f"<pre style='white-space: pre-wrap'>{report}</pre>", *pictures])


def report_of(compiled: Compiled) -> list[str]:
    """The kernels, the ops in no kernel, the candidates of the cost model, and the reasons if
    the program, or the optimized models of its sessions, are not in the cache.
    """
    kernels, opaque = compiled.kernels, compiled.opaque
    lines = [f"{len(kernels)} kernel(s), {len(opaque)} op(s) in no kernel"]
    lines += [line for kernel in kernels for line in kernel.entry.lines()]
    lines += [f"opaque {op}" for op in opaque]
    if (reason := compiled.uncached_reason) is not None:
        lines.append(f"not kept in the cache: {reason}")
    if (reason := compiled.unoptimized_reason) is not None:
        lines.append(f"sessions are optimized at each load: {reason}")
    return lines + [f"candidate {line}" for line in compiled.cuts]


def svg_of(kernel: Kernel) -> str | None:
    """The picture of a kernel whose loops and buffers are final, or of the end of the linear IR.

    None if nothing has been compiled yet.
    """
    from snippets_mlir.dialects.lir.kernels import kernels_of
    from snippets_mlir.driver.settings import default_context
    from snippets_mlir.passes.lir.debug.control_flow_picture import control_flow_svg
    from snippets_mlir.passes.lir.debug.kernel_view import view_of
    from snippets_mlir.support.parsing import parse_module

    try:
        text = kernel.ir(PLACED)
    except CompileError:
        return None
    except ValueError:  # a pipeline of the caller's without that pass
        text = kernel.ir("lir")
    with COMPILING:
        found = kernels_of(parse_module(text, default_context()))
    return control_flow_svg(view_of(found[0])) if found else None
