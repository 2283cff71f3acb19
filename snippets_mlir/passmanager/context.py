"""The context in which our tools parse: the dialects and passes of upstream, ours and plugins.

Everything is registered by name and imported on first use. If `REPLACED_DIALECTS` has a row, our
dialect replaces the upstream one of the same name. `rehome` changes the class of ops that an
upstream pass made to this context's class for their name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes

from snippets_mlir.passmanager import universe
from snippets_mlir.support.outside import DIALECTS, OPS, PlugIn
from snippets_mlir.support.walking import ops_inside

PassFactory = Callable[[], type[ModulePass]]


@dataclass
class ToolContext(Context):
    """A context that also knows the passes, so that plugins add to both in one place."""

    passes: dict[str, PassFactory] = field(default_factory=dict[str, PassFactory])
    """Pass name to a function that imports its class."""

    plugin_passes: set[str] = field(default_factory=set[str])
    """The names among `passes` from plugins."""

    positioned: list[str] = field(default_factory=list[str])
    """Passes that plugins put at positions of every pipeline; see
    `snippets_mlir.passmanager.positions`."""

    plugins: list[PlugIn] = field(default_factory=list[PlugIn])
    """The plugins that were loaded into it, in order."""

    pipelines: dict[str, tuple[ModulePass, ...]] = field(
        default_factory=dict[str, "tuple[ModulePass, ...]"]
    )
    """The parsed pipelines by text; not those with plugins, whose passes may have a state."""

    def clone(self) -> ToolContext:
        """A copy that shares the classes; later registrations are separate."""
        plain = super().clone()
        copy = ToolContext(
            passes=dict(self.passes),
            plugin_passes=set(self.plugin_passes),
            positioned=list(self.positioned),
            plugins=list(self.plugins),
        )
        for name in Context.__dataclass_fields__:
            setattr(copy, name, getattr(plain, name))
        return copy

    def get_optional_op(
        self, name: str, *, dialect_stack: Sequence[str] = ()
    ) -> type[Operation] | None:
        """The class of an op, including classes that plug-ins registered."""
        self._register_outside(name.partition(".")[0])
        known = self._get_known_op(name)
        if name in OPS and known is not OPS[name]:
            self._loaded_ops[name] = OPS[name]
        return super().get_optional_op(name, dialect_stack=dialect_stack)

    def get_optional_dialect(self, name: str) -> Dialect | None:
        """A dialect, including dialects of ops that plug-ins registered."""
        self._register_outside(name)
        return super().get_optional_dialect(name)

    def load_attr_or_type(self, attr: type[Attribute]) -> None:
        """Load a class of a dialect; a class is a type if it inherits from the mark of types.

        Upstream uses `issubclass`, which asks all classes of types about each attribute.
        """
        is_type = TypeAttribute in attr.__mro__
        found = self._loaded_types if is_type else self._loaded_attrs
        known = cast("dict[str, type[Attribute]]", found)
        if attr.name in known:
            super().load_attr_or_type(attr)  # the error
        known[attr.name] = attr

    def _register_outside(self, dialect: str) -> None:
        if dialect in DIALECTS and dialect not in self._registered_dialects:
            self.register_dialect(dialect, DIALECTS[dialect])


def make_context(*, allow_unregistered: bool = False) -> ToolContext:
    """A context with all of xDSL's dialects and passes and all of ours.

    Args:
        allow_unregistered: accept ops, types and attributes of unknown dialects, as opaque.
    """
    ctx = ToolContext(allow_unregistered)
    ours = universe.factories({**universe.REPLACED_DIALECTS, **universe.DIALECTS})
    for name, factory in {**get_all_dialects(), **ours}.items():
        ctx.register_dialect(name, factory)
    ctx.passes.update(get_all_passes())
    ctx.passes.update(universe.factories({**universe.FASTER_PASSES, **universe.PASSES}))
    return ctx


def rehome(module: ModuleOp, ctx: Context) -> int:
    """Give every op the class that the context has for its name.

    Returns:
        The number of replaced ops. Operands, results, attributes, regions, names and locations
            stay.
    """
    wanted: dict[type[Operation], type[Operation] | None] = {UnregisteredOp: None}
    strangers: list[tuple[Operation, type[Operation]]] = []
    for op in ops_inside(module):
        cls = type(op)
        if cls not in wanted:
            found = None if isinstance(op, UnregisteredOp) else ctx.get_optional_op(op.name)
            wanted[cls] = None if found is cls else found
        if (home := wanted[cls]) is not None:
            strangers.append((op, home))
    for op, home in strangers:
        _rebuild(op, home)
    return len(strangers)


def _rebuild(op: Operation, cls: type[Operation]) -> None:
    from xdsl.rewriter import Rewriter

    new = cls.create(
        operands=op.operands,
        result_types=[result.type for result in op.results],
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
        successors=op.successors,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
    )
    new.location = op.location
    for old_result, new_result in zip(op.results, new.results, strict=True):
        new_result.name_hint = old_result.name_hint
    Rewriter.replace_op(op, new)
