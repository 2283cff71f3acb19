"""Writes `worked-kernel.md` and its pictures: one softmax at six stages, drawn by the compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.inspect.opt import assembly_text
from snippets_mlir.passes.lir.debug.control_flow_picture import control_flow_svg
from snippets_mlir.passes.lir.debug.domain_picture import domain_svg
from snippets_mlir.passes.lir.debug.kernel_view import KernelView, port_text, view_of
from snippets_mlir.passes.pipelines import LIR_TO_VECTOR, VECTOR_TO_LLVM
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

HERE = Path(__file__).parent
SOURCE = HERE / "examples/worked_softmax.mlir"
THREADS = 4
TARGET = f"snippets-set-target{{target=x86-64-avx2 threads={THREADS}}}"
LEFT_OUT = ("lir-jam-loops", "lir-unroll", "align-nontemporal-stores", "prefetch-rows")
"""Passes that repeat ops or move memory: without them every op stands once."""

_REGISTERS = ("lir-init-live-ranges", "lir-assign-registers")
_LABEL = re.compile(r"^(\.L\w+):$")


class Run:
    """The module after passes; each `to` runs those up to one, and keeps the module there."""

    def __init__(self) -> None:
        self.ctx = make_context()
        text = SOURCE.read_text(encoding="utf-8")
        self.module = parse_module(text, self.ctx, SOURCE.name)
        self._done = 0
        kept = [p for p in (*LIR_TO_VECTOR, *VECTOR_TO_LLVM) if p not in LEFT_OUT]
        self.names = [TARGET, "snippets-to-lir", *kept]

    def to(self, name: str) -> ModuleOp:
        """Run the passes up to the one called `name`."""
        end = self.names.index(name) + 1
        self.apply(self.module, ",".join(self.names[self._done : end]))
        self._done = end
        return self.module

    def apply(self, module: ModuleOp, passes: str) -> None:
        """Run passes on a module."""
        run_passes(module, self.ctx, parse_pipeline(passes, self.ctx))


def _kernel(module: ModuleOp) -> KernelView:
    return view_of(kernels_of(module)[0])


def _short(view: KernelView, *, pointers: bool = False) -> str:
    """The ops of a kernel, indented by their loops; with `pointers` the ports of memory."""
    lines: list[str] = []
    for op in view.ops:
        results = ", ".join(port.name for port in op.outputs)
        operands = ", ".join(port.name for port in op.inputs)
        text = f"{results} = {op.op.name} {operands}" if results else f"{op.op.name} {operands}"
        lines.append(f"{'  ' * len(op.loops)}{text}".rstrip())
        if pointers and op.op.name in ("lir.load", "lir.store"):
            port = op.inputs[0] if op.op.name == "lir.load" else op.outputs[0]
            moves = port_text(port.descriptor).partition("loops ")[2]
            lines.append(f"{'  ' * len(op.loops)}    {moves}")
    return "\n".join(lines)


def _loops(view: KernelView) -> Iterator[tuple[int, str]]:
    """The innermost loops in order: id, and the ops in it."""
    inner = [loop for loop in view.loops if any(op.loops[1:] == (loop,) for op in view.ops)]
    for loop in inner:
        ops = [op for op in view.ops if op.loops[1:] == (loop,)]
        yield loop, "\n".join(op.op.name for op in ops)


def _blocks(assembly: str) -> list[str]:
    """The innermost loops of the assembly, in order: from a label to the jump back to it."""
    found: list[str] = []
    block: list[str] = []
    label = ""
    for line in assembly.partition("subgraph_0.body:")[2].splitlines():
        if (match := _LABEL.match(line)) is not None:
            label, block = match[1], []
        elif line.startswith("\t") and not line.startswith("\t."):
            block.append(line.strip().replace("\t", " "))
            if line.rstrip().endswith(label) and re.match(r"\tj", line) and label:
                found.append("\n".join(block))
                label = ""
    return found


@cache
def pages() -> dict[str, str]:
    """The page and its pictures, by their paths in docs/."""
    run = Run()
    graph = print_module(run.module)
    linear = _short(_kernel(run.to("snippets-to-lir")))
    marked = _kernel(run.to("lir-fuse-loops"))
    accessed = _short(_kernel(run.to("lir-init-loops")), pointers=True)
    looped = _kernel(run.to("lir-clean-repeated-data-pointer-shifts"))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "registers.svg"
        copy = run.module.clone()
        run.apply(copy, f"{','.join(_REGISTERS)},lir-draw-registers{{path={path}}}")
        registers = path.read_text(encoding="utf-8")
    beside = list(_loops(looped))
    assembly = _blocks(assembly_text(run.to(run.names[-1])))
    rows = [
        f"<tr><td>loop {loop}<pre>{escape(ops)}</pre></td><td><pre>{escape(code)}</pre></td></tr>"
        for (loop, ops), code in zip(beside, assembly, strict=True)
    ]
    fused = "\n".join(f"{' '.join(map(str, op.loops)) or '-':8} {op.op.name}" for op in marked.ops)
    page = (HERE / "worked_kernel.template.md").read_text(encoding="utf-8")
    for name, text in {
        "graph": graph.strip(),
        "linear": linear,
        "marked": fused,
        "accessed": accessed,
        "assembly": "\n".join(rows),
    }.items():
        page = page.replace(f"{{{{{name}}}}}", text)
    return {
        "worked-kernel.md": page,
        "pictures/worked-loops.svg": control_flow_svg(looped),
        "pictures/worked-registers.svg": registers,
        "pictures/worked-threads.svg": domain_svg(looped.name, 64, 1, THREADS),
    }
