"""The origin of a program on tensors: source and settings, from which its IR is made again.

A dynamic program whose pipeline has a pass that changes the interface is compiled from the result
of that pass (`Front`): `lowered` is that program, `settings` has the rest of the passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snippets_mlir.driver.building.build import Report
    from snippets_mlir.driver.building.built import Built
    from snippets_mlir.driver.interface import Front
    from snippets_mlir.driver.programs.specs import Interface
    from snippets_mlir.driver.settings import Settings
    from snippets_mlir.driver.sources.load import Source
    from snippets_mlir.passmanager.context import ToolContext

NamedShapes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Origin:
    """See the module.

    Attributes:
        source: the caller's source.
        asked: the caller's settings.
        ctx: the context of dialects and passes.
        front: the passes that gave a dynamic program its interface; None: it has the source's
            interface.
    """

    source: Source
    asked: Settings
    ctx: ToolContext
    front: Front | None = None

    @classmethod
    def of(cls, source: Source, settings: Settings, ctx: ToolContext) -> Origin:
        """With the front of a dynamic program, whose passes run here."""
        front = None
        if source.is_dynamic and not settings.is_default:
            from snippets_mlir.driver.interface import dynamic_front

            front = dynamic_front(source, settings, ctx)
        return cls(source, settings, ctx, front)

    @property
    def settings(self) -> Settings:
        """The settings under which `lowered` is compiled."""
        if self.front is None:
            return self.asked
        given = {"positioned": (), "insert_passes": (), "force_impl": ()}  # they are in the text
        return replace(self.asked, pipeline=self.front.rest, **given)

    @property
    def lowered(self) -> Source:
        """The compiled source: after the passes of `front`, if there are any."""
        return self.source if self.front is None else self.front.source

    def passes(self, passes: str) -> str:
        """The whole pipeline of a build with `passes`."""
        return passes if self.front is None else f"{self.front.passes},{passes}"

    def build(self, shapes: NamedShapes | None) -> Built:
        """Compile the program for input shapes, or a static one."""
        from snippets_mlir.driver.building.build import build

        module, settings = self._module_for(shapes)
        return build(module, self.source.entry, settings, self.ctx)

    def _module_for(self, shapes: NamedShapes | None) -> tuple[Any, Settings]:
        """The module to compile for input shapes, and the settings."""
        source, settings = self.lowered, self.settings
        if source.model is None or not settings.asks_registry:
            return source.module_for(shapes), settings
        from snippets_mlir.driver.onnx.asked import asked_model

        asked = asked_model(source.prepared_for(shapes), settings)
        return asked.module, asked.settings

    def report(self) -> Report:
        """The kernels and opaque ops of a program that nothing was built of yet."""
        from snippets_mlir.driver.building.build import held_by_graph

        module = self.lowered.module_for(None)
        return held_by_graph(module, self.source.entry, self.settings, self.ctx)

    def reference(self, interface: Interface, passes: str) -> tuple[Source, str | None]:
        """See `Compiled.reference`, for a program with `interface` made by `passes`."""
        if self.front is not None:
            return self.front.source, self.front.last
        if self.source.is_dynamic:
            return self.source, None
        from snippets_mlir.driver.interface import reference_source

        return reference_source(self.source, passes, interface, self.ctx)

    def replayed(self, stage: str, built: Built, module: Any, shapes: NamedShapes | None) -> Any:
        """The module at `stage` of the way to `built`.

        Args:
            stage: see `Compiled.ir`.
            built: the build.
            module: the module that it was compiled from, if not `lowered` for `shapes`.
            shapes: its input shapes; None for a static program.
        """
        from snippets_mlir.driver.replay import replay

        if self.front is not None and self.front.has(stage):
            return self.front.replayed(self.source, stage, self.ctx)
        passes = built.passes
        if stage == "program" and built.any_shape:
            module, passes = self._module_of_session(shapes), ""
        elif module is None:
            module, _ = self._module_for(shapes)
        return replay(module, self.source.entry, self.ctx, passes, stage)

    def _module_of_session(self, shapes: NamedShapes | None) -> Any:
        """The model as onnxruntime gets it: all of its nodes stay with onnxruntime."""
        from snippets_mlir.frontends.onnx import import_graph

        prepared = self.lowered.prepared_for(shapes)
        nodes = range(len(prepared.model.graph.node))
        return import_graph(
            prepared, kept=dict.fromkeys(nodes, "one session runs the model")
        ).module
