"""`snippets-opt --emit-stage`: the module at stages of the pipeline, in one run.

    snippets-opt model.mlir --emit-stage=lir,asm
    snippets-opt model.mlir --emit-stage=all --emit-dir=stages

The stages are the same as for `Kernel.ir`: `graph` (the input), `subgraph` (before
`convert-snippets-to-lir`), `lir` (before `convert-lir-to-vector`), `vector` (before
`convert-scf-to-cf`), `llvm` (after the last pass), `program` (with the graph that runs), `llvm-ir`,
`asm`, and `obj`. The name of any pass of the pipeline (after its last run) is also a stage. `all`
is all stages except passes. The passes after the last stage do not run. Without given passes the
pipeline is `snippets-to-llvm`, or `program-to-llvm` for a `program.graph`. Machine code of a
program without kernels is empty. A directory gets a file for each stage: `lir.mlir`, `llvm-ir.ll`,
`asm.s`, `obj.o`, ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.driver.replay import LEVEL_ENDS, LEVELS, passes_until
from snippets_mlir.inspect.opt import as_program, assembly_text, llvm_text, object_bytes
from snippets_mlir.passmanager.resume import stop_comment
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.printing import print_module

STAGES = (*LEVELS, "obj")

_BEGINS = {"subgraph": "snippets-tokenize", "lir": "convert-snippets-to-lir"} | {
    "vector": "convert-lir-to-vector"
}
_SUFFIXES = {"llvm-ir": "ll", "asm": "s", "obj": "o"}
_COMMENTS = {"llvm-ir": ";", "asm": "#"}


@dataclass(frozen=True)
class Stage:
    """A stage that was asked for.

    Attributes:
        name: of the stage, or of a pass.
        passes: the number of passes before it.
    """

    name: str
    passes: int


def read_stages(text: str, names: Sequence[str]) -> list[Stage]:
    """The stages that `text` names, in pipeline order, each once.

    Args:
        text: names separated by commas, or `all`.
        names: the passes of the pipeline.

    Raises:
        CompileError: a stage is not known, with close matches, or the pipeline does not reach it.
    """
    wanted = [name for name in text.split(",") if name]
    if not wanted:
        raise CompileError(f"--emit-stage: expected {', '.join(STAGES)}, all or a pass")
    if "all" in wanted:
        wanted = [*STAGES, *wanted]
    found: dict[str, Stage] = {}
    for name in wanted:
        if name == "all":
            continue
        if name not in STAGES and name not in names:
            hint = close_match(name, (*STAGES, "all", *names))
            stages = ", ".join(STAGES)
            raise CompileError(
                f"--emit-stage: unknown stage '{name}'{hint}; stages are {stages}, all, "
                "and the passes of the pipeline"
            )
        _check_reached(name, names)
        found[name] = Stage(name, len(names) if name == "obj" else passes_until(name, names))
    order = {name: place for place, name in enumerate(STAGES)}
    return sorted(found.values(), key=lambda s: (s.passes, order.get(s.name, -1)))


def _check_reached(name: str, names: Sequence[str]) -> None:
    if name in LEVEL_ENDS and not {_BEGINS[name], LEVEL_ENDS[name]} & set(names):
        raise CompileError(
            f"--emit-stage: the pipeline does not reach stage '{name}'; "
            f"it has neither {_BEGINS[name]} nor {LEVEL_ENDS[name]}"
        )


def text_at(module: ModuleOp, stage: str, passes: Sequence[ModulePass]) -> str | bytes:
    """The module at a stage, after `passes`, as text from which `--resume` continues.

    Raises:
        CompileError: the passes have not lowered it to the level of LLVM.
    """
    lowered = any(p.name == LEVEL_ENDS["subgraph"] for p in passes)
    match stage:
        case "llvm-ir":
            return llvm_text(module, lowered=lowered)
        case "asm":
            return assembly_text(module, lowered=lowered)
        case "obj":
            return object_bytes(module, lowered=lowered)
        case "program":
            return print_module(as_program(module))
        case _:
            return print_module(module) + (stop_comment(passes) if passes else "")


class StageDumps:
    """The stages of one module, in the order in which passes reach them."""

    def __init__(self, text: str, passes: Sequence[ModulePass]) -> None:
        """`passes` is the pipeline; see `read_stages` for `text`."""
        self._passes = passes
        self._stages = read_stages(text, [p.name for p in passes])
        self._done = 0
        self.dumped: dict[str, str | bytes] = {}

    @property
    def passes(self) -> int:
        """The number of passes that have to run."""
        return self._stages[-1].passes

    def take(self, module: ModuleOp) -> None:
        """Keep the current module if it is at a stage; called around each pass."""
        for stage in self._stages:
            if stage.passes == self._done:
                self.dumped[stage.name] = text_at(module, stage.name, self._passes[: self._done])
        self._done += 1

    def joined(self) -> str | bytes:
        """All stages as one text with a comment above each; a single stage without a comment.

        Raises:
            CompileError: an object is requested together with texts.
        """
        if len(self.dumped) == 1:
            return next(iter(self.dumped.values()))
        parts: list[str] = []
        for name, text in self.dumped.items():
            if isinstance(text, bytes):
                raise CompileError("--emit-stage: stage 'obj' is binary; use --emit-dir=DIR")
            comment = _COMMENTS.get(name, "//")
            parts.append(f"{comment} -----// stage {name} //----- {comment}\n{text}")
        return "\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts)

    def files(self, directory: str) -> dict[str, str | bytes]:
        """The file of each stage in a directory, which is created."""
        folder = Path(directory)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CompileError(f"cannot write '{directory}': {error.strerror}") from error
        return {
            str(folder / f"{name}.{_SUFFIXES.get(name, 'mlir')}"): text
            for name, text in self.dumped.items()
        }
