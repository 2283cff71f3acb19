"""The lists that `snippets-opt` prints: passes, pipelines, dialects."""

from __future__ import annotations

import inspect
from argparse import Namespace
from collections.abc import Iterable

from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.passmanager.options import describe_options
from snippets_mlir.passmanager.pipeline import named_pipelines
from snippets_mlir.passmanager.universe import DIALECTS, PASSES, REPLACED_DIALECTS


def listing_of(args: Namespace, ctx: ToolContext) -> str:
    """The list that the command line requests."""
    if args.list_patterns:
        return list_patterns(ctx)
    if args.list_pipelines:
        return list_pipelines()
    if args.show_dialects:
        return list_dialects(ctx.registered_dialect_names)
    return list_passes(ctx, everything=args.list_all_passes)


def list_passes(ctx: ToolContext, *, everything: bool = False) -> str:
    """A line for each pass: name, options, what it does.

    Args:
        ctx: where the passes are registered.
        everything: whether to list xDSL's passes, too, after ours.
    """
    ours = [*PASSES, *sorted(ctx.plugin_passes)]
    upstream = sorted(set(ctx.passes).difference(ours)) if everything else []
    return "".join(f"{_pass_line(ctx, name)}\n" for name in (*ours, *upstream))


def _pass_line(ctx: ToolContext, name: str) -> str:
    try:
        cls = ctx.passes[name]()
    except ModuleNotFoundError as error:  # xDSL's passes that need packages of its extras
        return f"{name}  (needs {error.name})"
    options = describe_options(cls)
    head = name if options == "none" else f"{name}{{{options}}}"
    return f"{head}  {_summary(cls)}".rstrip()


def _summary(cls: type) -> str:
    own = cls.__doc__ or ""
    if not own or own.startswith(f"{cls.__name__}("):  # the docstring that @dataclass generates
        module = inspect.getmodule(cls)
        own = (module.__doc__ or "") if module else ""
    return next((line.strip() for line in own.splitlines() if line.strip()), "")


def list_patterns(ctx: ToolContext) -> str:
    """For each pass that consists of patterns: its name, then each pattern with its conditions and
    its effect.
    """
    from snippets_mlir.passes.patterns import PatternPass

    lines: list[str] = []
    for name in (*PASSES, *sorted(ctx.plugin_passes)):
        cls = ctx.passes[name]()
        if issubclass(cls, PatternPass):
            lines.append(name)
            for pattern in cls.PATTERNS:
                conditions = ", ".join(pattern.requirements())
                where = f" [{conditions}]" if conditions else ""
                lines.append(f"  {pattern.name}{where}  {_summary(pattern)}")
    return "".join(f"{line}\n" for line in lines)


def list_pipelines() -> str:
    """A line for each named pipeline: its name and its passes."""
    return "".join(f"{name}  {text}\n" for name, text in named_pipelines().items())


def list_dialects(names: Iterable[str]) -> str:
    """A line for each dialect: name, and whether it is ours."""

    def origin(name: str) -> str:
        if name in DIALECTS:
            return "  ours"
        return "  xDSL's, extended" if name in REPLACED_DIALECTS else ""

    return "".join(f"{name}{origin(name)}\n" for name in sorted(names))
