"""`--dump-program DIR`: the program of a model at each stage, in files.

    00_topology.mlir  01_fused.mlir  02_selected.mlir  03_planned.mlir  04_scheduled.mlir

A file has the whole module as its graph reaches the stage; `--resume` continues from it. Stages
that the program does not reach have no file. A function gets a graph only when it is lowered, so it
usually has one file: the program that the runtime gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.program.graph import STAGES, find_graph
from snippets_mlir.passmanager.resume import stop_comment
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

if TYPE_CHECKING:
    from snippets_mlir.driver import Compiled

LOWERED = "convert-snippets-to-lir"
"""A pipeline with this pass makes the program that runs."""


class ProgramDumps:
    """The files of one program; made as its stages are reached."""

    def __init__(self, directory: str) -> None:
        self._folder = Path(directory)
        self.stages: list[str] = []

    def take(self, module: ModuleOp, passes: Sequence[ModulePass] = ()) -> None:
        """Write the module, which `passes` made, if its graph is at a stage that is new.

        Raises:
            CompileError: the file cannot be written.
        """
        graph = find_graph(module)
        if graph is None or (stage := graph.stage.data) in self.stages:
            return
        self.stages.append(stage)
        file = self._folder / f"{STAGES.index(stage):02}_{stage}.mlir"
        text = print_module(module) + (stop_comment(passes) if passes else "")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise CompileError(f"cannot write it: {error.strerror}", file=str(file)) from None

    def finish(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Write the program that the runtime gets, made from the module after all `passes`.

        Raises:
            CompileError: there is no program, or its subgraphs are not lowered.
        """
        if not self.stages or any(p.name == LOWERED for p in passes):
            from snippets_mlir.inspect.opt import as_program

            self.take(as_program(module))


def dump_program(compiled: Compiled, directory: str) -> None:
    """Write the stages of a compiled program; the passes run again for this.

    Raises:
        CompileError: it is a function on memrefs, or a file cannot be written.
    """
    from snippets_mlir.driver.compiling import COMPILING
    from snippets_mlir.driver.programs.described import DescribedProgram

    if not isinstance(compiled, DescribedProgram):
        raise CompileError("--dump-program: a function on memrefs has no program.graph")
    dumps = ProgramDumps(directory)
    passes = [name for name in compiled.pass_names() if "program" in name]
    with COMPILING:
        for stage in ("graph", *passes, "program"):
            dumps.take(compiled.replayed(stage))
