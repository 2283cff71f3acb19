"""`snippets-run --resume`: settings for a program after some passes of the pipeline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from snippets_mlir.support.errors import CompileError

if TYPE_CHECKING:
    from snippets_mlir.driver.settings import Settings


def resumed(settings: Settings, source: Path | str, after: str | None) -> Settings:
    """The settings with the remaining passes, found as by `snippets-opt --resume`.

    Args:
        settings: the settings of the whole compilation.
        source: a file of MLIR text, or such text.
        after: the last pass that has run; None to read it from the text.

    Raises:
        CompileError: the file is not MLIR text, or no pass of the pipeline leads to its stage.
    """
    from snippets_mlir.driver.settings import default_context
    from snippets_mlir.passmanager.pipeline import parse_pipeline, spell
    from snippets_mlir.passmanager.resume import remaining, stage_of, stopped_after
    from snippets_mlir.support.parsing import parse_module

    text = source if isinstance(source, str) else _text_of(source)
    ctx = settings.context or default_context()
    module = parse_module(text, ctx, "<string>" if isinstance(source, str) else str(source))
    if stage_of(module) == "loops":
        return settings
    passes = parse_pipeline(settings.passes_for(module), ctx)
    left = remaining(passes, module, after or stopped_after(text, passes))
    return replace(settings, pipeline=spell(left), positioned=(), insert_passes=(), force_impl=())


def _text_of(path: Path) -> str:
    if path.suffix != ".mlir":
        raise CompileError(f"--resume: expected a .mlir file, found '{path}'")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompileError(f"--resume: cannot read '{path}': {error}") from error
