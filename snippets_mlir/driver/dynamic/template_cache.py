"""The templates of one dynamic program: compiled once for each mask and class, the last few kept.

The key of the first template of a mask is the mask alone. That template says which sizes its code
depends on (`size_classes.py`); the key of templates for other classes is the mask and the classes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.codegen.stubs.objects import OF_TEMPLATES
from snippets_mlir.dialects.builtin.dims import TooManySizesError
from snippets_mlir.driver.building.build import build
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.cache.program_cache import keep_program, mask_key, read_program
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.dynamic.call_classes import Classes
from snippets_mlir.driver.dynamic.templates import (
    Mask,
    Shapes,
    Template,
    dynamic_places,
    is_complete,
    mask_of,
    template_for,
    template_from,
)
from snippets_mlir.driver.dynamic.undecided import reason_of
from snippets_mlir.driver.settings import Settings
from snippets_mlir.driver.sources.load import Source, verify
from snippets_mlir.passmanager.context import ToolContext
from snippets_mlir.runtime.arguments.arrays import TensorSpec
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.errors import CompileError, UndecidedError

MAX_TEMPLATES = 16


Key = tuple[Mask, Classes]
"""The key of a template in the cache; the first one of a mask, of whatever classes, by ()."""


def _shapes_key(key: str, shapes: Shapes) -> str:
    """The name of the program for the shapes of one call."""
    return mask_key(key, [-1, *(size for shape in shapes for size in (len(shape), *shape))])


@dataclass(frozen=True)
class _Entry:
    template: Template
    built: Built


class Templates:
    """Compiles a program once for each mask and class.

    Attributes:
        compilations: how often code was generated.
        is_one_session: no; see `OnnxPrograms`.
    """

    is_one_session = False

    def __init__(
        self,
        source: Source,
        inputs: tuple[TensorSpec, ...],
        settings: Settings,
        ctx: ToolContext,
        key: str | None,
    ) -> None:
        """`key` is the name of the program in the cache on disk, None if it is not kept."""
        self._source = source
        self._settings = settings
        self._ctx = ctx
        self._key = key
        self._places = dynamic_places(inputs)
        self._unranked = next((spec.name for spec in inputs if spec.shape is None), None)
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()
        self._refused: dict[Mask, str] = {}
        self.compilations = 0

    @property
    def reason(self) -> str | None:
        """Why calls with some mask need code for each shape, or None if no mask does."""
        return next(iter(self._refused.values()), None)

    @property
    def lines(self) -> tuple[str, ...]:
        """A line for each candidate for a kernel beside onnxruntime."""
        from snippets_mlir.driver.onnx.cuts.remarks import lines_of

        return lines_of(self._source, self._settings)

    def built(self, shapes: Shapes | None) -> Built | None:
        """The program for a call with inputs of `shapes`.

        None when the program needs code for each shape (`reason` says why), or when these shapes
        do not fit together: compiling for them raises the error; and for a static program.
        """
        if shapes is None:
            return None
        mask = mask_of(self._places, shapes)
        entry = self._suited(mask, shapes, self._entry)
        entry = entry or self._suited(mask, shapes, lambda key: self._stored(key, shapes))
        if entry is None and (own := self._stored_for(mask, shapes)) is not None:
            return own
        entry = entry or self._compiled(mask, shapes)
        values = None if entry is None else entry.template.values(shapes)
        return None if entry is None or values is None else self._filled(entry, values)

    def template(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """The template for a call, and the values of its symbols; None: `built` has more to do."""
        entry = self._suited(mask_of(self._places, shapes), shapes, self._entry)
        values = None if entry is None else entry.template.values(shapes)
        return None if entry is None or values is None else (entry.built.program, values)

    def session_for(self, shapes: Shapes) -> None:
        """None: calls run kernels."""

    def _suited(
        self, mask: Mask, shapes: Shapes, found: Callable[[Key], _Entry | None]
    ) -> _Entry | None:
        """The template for the mask and the classes of a call, if it exists.

        The first one of the mask for shapes that do not fit it.
        """
        first = self._entry((mask, ())) or found((mask, ()))
        values = None if first is None else first.template.values(shapes)
        if first is None or values is None:
            return first
        classes = first.template.classes_of(values)
        return first if classes == first.template.classes else found((mask, classes))

    def _entry(self, key: Key) -> _Entry | None:
        """A template, if it exists; it becomes the latest one."""
        with KEEPING:
            if (entry := self._entries.get(key)) is not None:
                self._entries.move_to_end(key)
            return entry

    def _kept(self, key: Key, entry: _Entry) -> _Entry:
        """Keep a template and return it, or the template of a faster thread."""
        dropped: list[_Entry] = []  # outside of the lock
        with KEEPING:
            kept = self._entries.setdefault(key, entry)
            if len(self._entries) > MAX_TEMPLATES:
                dropped.append(self._entries.popitem(last=False)[1])
        return kept

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """The compiled module for calls with inputs of `shapes`; None without a template."""
        mask = mask_of(self._places, shapes)
        if self._suited(mask, shapes, self._entry) is None:
            return None
        source = self._source
        return template_for(source.module, source.entry, self._places, mask, shapes)[1]

    def _stored(self, key: Key, shapes: Shapes) -> _Entry | None:
        """A template from the cache on disk."""
        mask, classes = key
        if self._key is None or mask in self._refused:
            return None
        stored = read_program(mask_key(self._key, (*mask, *classes)), self._settings.threads)
        if stored is None:
            return None
        built, header = stored
        if (data := header.get("template")) is None:
            return None
        template = template_from(data)
        if not template.is_for(self._places, mask, built.program.manifest):
            return None
        if (values := template.values(shapes)) is None:
            return None
        entry = _Entry(template, built)
        try:
            self._filled(entry, values)
        except Exception:  # sizes that other code wrote: the template is compiled anew
            return None
        return self._kept(key, entry)

    def _stored_for(self, mask: Mask, shapes: Shapes) -> Built | None:
        """The program for exactly these shapes from the cache on disk; see `keep`."""
        if self._key is None:
            return None
        stored = read_program(_shapes_key(self._key, shapes), self._settings.threads)
        if stored is None or (reason := stored[1].get("reason")) is None:
            return None
        self._refused.setdefault(mask, reason)
        return stored[0]

    def keep(self, shapes: Shapes, built: Built) -> None:
        """Store a program for exactly these shapes, with the reason why there is no template."""
        reason = self._refused.get(mask_of(self._places, shapes))
        if self._key is not None and reason is not None:
            keep_program(_shapes_key(self._key, shapes), built, self._ctx, reason=reason)

    def _compiled(self, mask: Mask, shapes: Shapes) -> _Entry | None:
        """Compile the template of a mask; None if this is not possible."""
        if self._unranked is not None:
            self._refused[mask] = f"the rank of input {self._unranked!r} is dynamic"
            return None
        with COMPILING:
            if (found := self._suited(mask, shapes, self._entry)) is not None:
                return found  # another thread was faster
            if mask in self._refused:
                return None
            source = self._source
            try:
                template, module = template_for(
                    source.module, source.entry, self._places, mask, shapes
                )
                if template.values(shapes) is None:
                    return None
                verify(module)
                built = build(module, source.entry, self._settings, self._ctx, stubs=OF_TEMPLATES)
            except (CompileError, TooManySizesError) as error:
                self._refused[mask] = str(error)
                return None
            except UndecidedError as error:
                self._refused[mask] = reason_of(error)
                return None
            if not is_complete(built.program.manifest):
                self._refused[mask] = "onnxruntime's ops are prepared for the shapes of a call"
                return None
            self.compilations += 1
            classes = template.classes if self._entry((mask, ())) else ()
            entry = self._kept((mask, classes), _Entry(template, built))
        if self._key is not None:
            name = mask_key(self._key, (*mask, *classes))
            keep_program(name, built, self._ctx, template=asdict(template))
        return entry

    def _filled(self, entry: _Entry, values: list[int]) -> Built:
        return replace(entry.built, program=entry.built.program.filled(values))
