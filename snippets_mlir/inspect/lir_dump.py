"""Files of the linear IR around chosen passes: `snippets-opt --lir-dump=...`, `SNIPPETS_DUMP_LIR`.

    passes=lir-mark-loops,lir-fuse-loops dir=dump formats=control_flow files=all

* `passes` (required): `all`, `final`, or names of passes in the pipeline. `all` is every pass with
  kernels before or after it; `final` is the last state with kernels.
* `dir`: the folder, default `snippets_LIR_dump`; each kernel has a subfolder.
* `formats`: `control_flow` (default), `data_flow` or `all`.
* `files`: `xml` (default), `svg`, `html` or `all`.

Blanks separate the entries, and case does not matter. Files are named
`lir_<index>_<pass>_<format>_<in|out>.<suffix>`, where the index is the position of the pass in the
pipeline; the final state is `lir_<index>_final_<format>_out`. Source: the guide's
OV_SNIPPETS_DUMP_LIR.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from snippets_mlir.dialects.lir.kernels import kernels_of
from snippets_mlir.passes.lir.debug.files import FORMATS, GRAPHS, rendered, write_file
from snippets_mlir.passes.lir.debug.kernel_view import view_of
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError

VARIABLE = "SNIPPETS_DUMP_LIR"
HELP = (
    "expected 'passes=<all|final|pass,...> [dir=<folder>] [formats=<control_flow|data_flow|all>] "
    "[files=<xml|svg|html|all>]'"
)
_KEYS = ("passes", "dir", "formats", "files")
_LEAVES_KERNELS = "convert-lir-to-vector"


@dataclass(frozen=True)
class DumpSettings:
    """What to write.

    Attributes:
        passes: names of passes; empty for all.
        final: whether to write the last state in which there are kernels.
        folder: the target folder.
        graphs: `control_flow`, `data_flow` or both.
        files: suffixes.
    """

    passes: frozenset[str] | None
    final: bool
    folder: Path
    graphs: tuple[str, ...]
    files: tuple[str, ...]


def _choice(source: str, key: str, text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    if text.lower() == "all":
        return known
    if text.lower() not in known:
        hint = close_match(text.lower(), (*known, "all"))
        raise CompileError(
            f"{source}: {key}: expected {', '.join(known)} or all, found '{text}'{hint}"
        )
    return (text.lower(),)


def parse_settings(text: str, source: str, passes: Sequence[ModulePass]) -> DumpSettings:
    """Read the text of the module docstring.

    Args:
        text: the user's text.
        source: the option or variable, for errors.
        passes: the pipeline; `passes` names passes of it.

    Raises:
        CompileError: an entry is malformed, unknown, missing or names no pass.
    """
    written: dict[str, str] = {}
    for entry in text.split():
        key, equals, value = entry.partition("=")
        if not equals or not value or key.lower() not in _KEYS:
            raise CompileError(f"{source}: unexpected '{entry}'; {HELP}")
        if key.lower() in written:
            raise CompileError(f"{source}: '{key.lower()}' is given twice; {HELP}")
        written[key.lower()] = value
    if "passes" not in written:
        raise CompileError(f"{source}: 'passes' is missing; {HELP}")
    names = {name.lower() for name in written["passes"].split(",") if name}
    present = tuple(p.name for p in passes)
    for name in sorted(names - {"all", "final"} - set(present)):
        hint = close_match(name, (*present, "all", "final"))
        raise CompileError(f"{source}: pass '{name}' is not in the pipeline{hint}")
    return DumpSettings(
        None if "all" in names else frozenset(names - {"final"}),
        "final" in names or "all" in names,
        Path(written.get("dir", "snippets_LIR_dump")),
        _choice(source, "formats", written.get("formats", "control_flow"), GRAPHS),
        _choice(source, "files", written.get("files", "xml"), FORMATS),
    )


def settings_of(option: str | None, passes: Sequence[ModulePass]) -> DumpSettings | None:
    """The settings of an option, else of the environment variable, else None."""
    if option is not None:
        return parse_settings(option, "--lir-dump", passes)
    if text := os.environ.get(VARIABLE, ""):
        return parse_settings(text, VARIABLE, passes)
    return None


class LirDump:
    """The hooks that write the files."""

    def __init__(self, settings: DumpSettings) -> None:
        self.settings = settings
        self._position = 0

    def _wants(self, p: ModulePass) -> bool:
        return self.settings.passes is None or p.name in self.settings.passes

    def _write(self, module: ModuleOp, label: str, when: str) -> None:
        settings = self.settings
        for kernel in kernels_of(module):
            view = view_of(kernel)
            for graph in settings.graphs:
                for suffix in settings.files:
                    name = f"lir_{self._position:02}_{label}_{graph}_{when}.{suffix}"
                    path = settings.folder / view.name / name
                    write_file(path, rendered(view, graph, suffix))

    def before(self, p: ModulePass, module: ModuleOp) -> None:
        """Called before each pass, with the module."""
        if p.name == _LEAVES_KERNELS and self.settings.final:
            self._write(module, "final", "out")
        if self._wants(p):
            self._write(module, p.name, "in")

    def after(self, p: ModulePass, module: ModuleOp) -> None:
        """Called after each pass, with the module."""
        if self._wants(p):
            self._write(module, p.name, "out")
        self._position += 1

    def finish(self, module: ModuleOp) -> None:
        """Write the final state, if the pipeline ended with kernels."""
        if self.settings.final:
            self._write(module, "final", "out")
