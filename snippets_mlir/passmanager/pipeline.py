"""Parse pipelines from text, and run their passes.

`parse_pipeline` reads the form of `pipeline_text`, looks the names up in the context (upstream's
passes, ours, plugins'), and replaces the name of a pipeline by its passes. `run_passes` runs them
one after another. It ensures that every op has the context's class for its name, and that an error
names its pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import DiagnosticException

from snippets_mlir.passes.evaluator import giving
from snippets_mlir.passmanager.constants import interpreted
from snippets_mlir.passmanager.context import PassFactory, ToolContext, make_context, rehome
from snippets_mlir.passmanager.options import flag_names, make_pass
from snippets_mlir.passmanager.syntax import PassText, is_word, read_pipeline
from snippets_mlir.passmanager.unchanged import parts_of, same_parts
from snippets_mlir.passmanager.universe import FASTER_PASSES, PURE
from snippets_mlir.passmanager.verification import verify_after
from snippets_mlir.support.diagnostics import close_match, position_of
from snippets_mlir.support.errors import (
    CompileError,
    StageError,
    UndecidedError,
    depth_of,
    one_line,
)
from snippets_mlir.support.outside import place_outside
from snippets_mlir.support.spans import span

PassHook = Callable[[ModulePass, ModuleOp], None]

MAX_PIPELINES = 256
"""The most pipeline texts in a context's cache."""


def passes_of(ctx: Context) -> dict[str, PassFactory]:
    """The passes a context knows; a plain xDSL context knows the built-in ones."""
    return ctx.passes if isinstance(ctx, ToolContext) else make_context().passes


def named_pipelines() -> dict[str, str]:
    """Name to textual pipeline, from `passes/pipelines.py`."""
    from snippets_mlir.passes.pipelines import PIPELINES

    return PIPELINES


def parse_pipeline(spec: str, ctx: Context, *, source: str = "<pipeline>") -> list[ModulePass]:
    """The passes that a textual pipeline names, in order.

    Args:
        spec: xDSL's or mlir-opt's spelling; empty for no passes.
        ctx: where pass names are looked up.
        source: what to call the text in errors.

    Raises:
        CompileError: the text is malformed, or a pass, an option or a value is not known.
    """
    if not isinstance(ctx, ToolContext) or ctx.plugin_passes:
        return _resolve(spec, passes_of(ctx), source, ())
    if (found := ctx.pipelines.get(spec)) is None:
        found = tuple(_resolve(spec, ctx.passes, source, ()))
        if len(ctx.pipelines) >= MAX_PIPELINES:
            ctx.pipelines.clear()
        ctx.pipelines[spec] = found
    return list(found)


def _resolve(
    spec: str, known: dict[str, PassFactory], source: str, inside: tuple[str, ...]
) -> list[ModulePass]:
    def flags(name: str) -> Collection[str]:
        return flag_names(known[name]()) if name in known else ()

    passes: list[ModulePass] = []
    for written in read_pipeline(spec, flags, source):
        if written.name in known:
            passes.append(make_pass(known[written.name](), written, source))
        else:
            passes.extend(_expand(written, known, source, inside))
    return passes


def _expand(
    written: PassText, known: dict[str, PassFactory], source: str, inside: tuple[str, ...]
) -> list[ModulePass]:
    """The passes of a named pipeline."""
    name = written.name
    pipelines = named_pipelines()
    if name not in pipelines:
        hint = close_match(name, (*known, *pipelines))
        raise CompileError(
            f"unknown pass '{name}'{hint or '; see --list-passes'}",
            file=source,
            line=1,
            column=written.column,
        )
    if written.options:
        raise CompileError(
            f"pipeline '{name}' takes no options; it stands for '{pipelines[name]}'",
            file=source,
            line=1,
            column=written.column,
        )
    if name in inside:
        raise CompileError(f"pipeline '{name}' contains itself")
    return _resolve(pipelines[name], known, f"<pipeline {name}>", (*inside, name))


def spell(passes: Sequence[ModulePass]) -> str:
    """The text of a pipeline, which `parse_pipeline` reads back to equal passes."""
    return ",".join(_spell_pass(p) for p in passes)


def _spell_pass(p: ModulePass) -> str:
    spec = p.spec()
    options = [
        f"{name.replace('_', '-')}={','.join(map(_spell_value, values))}" if values else name
        for name, values in spec.parameters.items()
    ]
    return f"{spec.name}{{{' '.join(options)}}}" if options else spec.name


def _spell_value(value: str | float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and not is_word(value):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)


def run_passes(
    module: ModuleOp,
    ctx: Context,
    passes: Sequence[ModulePass],
    *,
    verify_each: bool = False,
    before: PassHook | None = None,
    after: PassHook | None = None,
) -> None:
    """Run passes on a module, in place.

    Args:
        module: a module that verifies.
        ctx: the context it was parsed in.
        passes: from `parse_pipeline`.
        verify_each: whether to check the module, including SSA dominance, after each pass that
            changed it.
        before: called with each pass and the module it gets.
        after: called with each pass and the module it made, after the checks.

    Raises:
        CompileError: a pass refuses the module or leaves one that does not verify, or a pass of
            xDSL or of a plugin raises anything (which is the cause of the error). If the error has
            no place in the text, the message begins with the pass.
        UndecidedError: dynamic dimensions leave a question of a pass open, whoever wrote it.
    """
    with giving(interpreted):
        _run(module, ctx, passes, verify_each, before, after)


def _run(
    module: ModuleOp,
    ctx: Context,
    passes: Sequence[ModulePass],
    verify_each: bool,
    before: PassHook | None,
    after: PassHook | None,
) -> None:
    in_text = _staged(module)
    verified: list[object] = []
    for p in passes:
        if before is not None:
            with _stages_at(p, in_text):  # it may request the plan of the pass
                before(p, module)
        try:
            with (
                _stages_at(p, in_text),
                depth_of(f"pass '{p.name}': the program"),
                span(p.name, "pass"),
            ):
                p.apply(ctx, module)
        except CompileError as error:
            if error.line is not None or p.name in error.message:
                raise
            raise CompileError(f"pass '{p.name}': {error.message}", file=error.file) from error
        except DiagnosticException as error:
            raise CompileError(
                f"pass '{p.name}' failed: {one_line(str(error))}", **position_of(module)
            ) from error
        except Exception as error:
            place = place_outside(error)
            ours = place is None and type(p).__module__.startswith("snippets_mlir.")
            ours = ours and p.name not in FASTER_PASSES
            if ours or isinstance(error, UndecidedError):
                error.add_note(f"while running pass '{p.spec()}'")
                raise
            where = f" at {place}" if place is not None else ""
            raise CompileError(
                f"pass '{p.name}' failed{where}: {type(error).__name__}: {error}",
                **position_of(module),
            ) from error
        if getattr(p, "MIXES_CLASSES", True):
            rehome(module, ctx)
        if verify_each and not same_parts(verified, parts := parts_of(module)):
            verify_after(p, module)
            verified = parts
        if after is not None:
            after(p, module)


@contextmanager
def _stages_at(p: ModulePass, in_text: Collection[str]) -> Generator[None]:
    """Make errors about a stage name the pass, and the way to that stage."""
    try:
        yield
    except StageError as error:
        from snippets_mlir.passmanager.stage_errors import at_pass

        raise at_pass(error, p, in_text) from error


def _staged(module: ModuleOp) -> frozenset[str]:
    """The names of the kernels and graphs with a stage in the text of a module."""
    staged = [op for op in module.ops if op.name in ("lir.kernel", "program.graph")]
    named = (op.properties.get("sym_name") for op in staged)
    return frozenset(name.data for name in named if isinstance(name, StringAttr))


def has_side_effects(p: ModulePass) -> bool:
    """Whether a pass prints, counts or writes files; True for an unknown pass."""
    return bool(getattr(p, "SIDE_EFFECTS", p.name not in PURE))
