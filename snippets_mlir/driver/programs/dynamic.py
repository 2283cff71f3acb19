"""Programs on tensors with dynamic dims.

A program is compiled for the mask of a call (which dims are 1), and filled in for its shapes.
Programs that need it are compiled for each shape. The last few masks and shapes are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from typing_extensions import override

from snippets_mlir.codegen.locks import KEEPING
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.programs.maker import Maker, Shapes, shapes_of
from snippets_mlir.driver.programs.session_calls import SessionCalls
from snippets_mlir.driver.programs.specs import Interface, specs_of
from snippets_mlir.driver.programs.tensors import TensorProgram
from snippets_mlir.runtime.arguments.arrays import Array
from snippets_mlir.runtime.calls.direct import DirectCall, direct_call
from snippets_mlir.runtime.calls.engine_call import EngineCall, engine_call
from snippets_mlir.runtime.calls.sized_call import SizedCall
from snippets_mlir.runtime.perf_counts import PerfCounts
from snippets_mlir.support.errors import CompileError, depth_of, errors_in, in_one_message

if TYPE_CHECKING:
    from snippets_mlir.driver.programs.origin import NamedShapes, Origin
    from snippets_mlir.runtime.form import Form
    from snippets_mlir.runtime.program import Program

MAX_SPECIALIZATIONS = 16


class DynamicProgram(TensorProgram):
    """A program with some sizes known only when it is called."""

    def __init__(
        self,
        interface: Interface,
        threads: int,
        origin: Callable[[], Origin],
        maker: Maker,
        from_cache: str | None = None,
        keep: Callable[[Shapes, Built], None] | None = None,
    ) -> None:
        """See `TensorProgram`; a maker for one session makes it now, `keep` caches other builds."""
        super().__init__(interface, threads, origin, maker, from_cache)
        self._keep = keep
        self._templates = maker
        self._builds: OrderedDict[Shapes, Built] = OrderedDict()
        self._directs: dict[Shapes, DirectCall | EngineCall | None] = {}
        self._checked: Form | None = None  # fits the announced outputs
        self._one: Built | None = None  # runs calls of all shapes
        self._sessions = SessionCalls(self.inputs)
        self._sized = SizedCall(self.inputs, self._template_for)
        if maker.is_one_session and (built := maker.built(None)) is not None:
            self._settle(built)

    @property
    def dynamic(self) -> bool:
        """Whether some size is known only when it is called."""
        return True

    @property
    def per_shape(self) -> str | None:
        """Why it needs code for each shape, or None when it does not."""
        return self._templates.reason

    def start_as(self, built: Built) -> None:
        """Use a build from before the first call for descriptions."""
        built.program.perf = self._perf
        self._latest = built

    def specialize(self, shapes: Mapping[str, Sequence[int]]) -> None:
        """Build it for input shapes, by name, before the first call with them."""
        self._built(tuple(tuple(shapes[spec.name]) for spec in self.inputs))

    def share_counters(self, perf: PerfCounts) -> None:
        """Let kernels count in `perf`."""
        super().share_counters(perf)
        for built in self._builds.values():
            built.program.perf = perf

    def build_for(self, given: Sequence[Array]) -> Built:
        """The build for the shapes of arrays."""
        return self._built(shapes_of(given))

    @override
    def known_builds(self) -> Sequence[Built]:
        with KEEPING:
            return [*self._builds.values()] if self._one is None else [self._one]

    def execute(self, values: Sequence[object], out: object) -> list[Array]:
        """Run on arrays in the order of `inputs`, as a call does; the results in a list."""
        given = self._given(values)
        shapes = shapes_of(given)
        known = shapes in self._builds or self._sized.has_run(shapes)
        built = self._built(shapes)
        is_kept = known and built is not self._one and not built.is_provisional
        if is_kept and shapes not in self._directs:
            self._add_direct(shapes, built)
        return self._run(built, given, out)

    def _add_direct(self, shapes: Shapes, built: Built) -> None:
        """Make the fast path of a build that is used a second time."""
        if built.any_shape:
            direct = engine_call(built.program, self.inputs, shapes)
        else:
            direct = direct_call(built.program, specs_of(built.program.arguments("outputs")))
        with KEEPING:
            if self._builds.get(shapes) is built:
                self._directs[shapes] = direct
                if self._latest is built:
                    self._direct = direct

    @override
    def _direct_for(self, arrays: Sequence[object]) -> DirectCall | EngineCall | SizedCall | None:
        """The fast path of the build for the shapes of arrays; this becomes the latest build.

        Without a build, the fast path of the templates.
        """
        try:
            shapes = tuple([cast("Array", array).shape for array in arrays])
            direct = self._directs.get(shapes)
        except (AttributeError, TypeError, CompileError):  # not arrays: a list, traced values
            return None
        if direct is not None:
            self._built(shapes)
            return direct
        return None if shapes in self._builds else self._sized

    def _template_for(self, shapes: Shapes) -> tuple[Program, Sequence[int]] | EngineCall | None:
        """The template for a call, if its form matches the announced interface, or its session."""
        if (session := self._templates.session_for(shapes)) is not None:
            return self._sessions.of(self._settled(session))
        found = self._templates.template(shapes)
        if found is None or (not self.from_entry and found[0].form is not self._checked):
            return None
        return found

    @override
    def _current(self) -> Built | None:
        """The build of the latest call; it is made now if the call needed none."""
        if (shapes := self._sized.latest) is not None:
            self._built(shapes)
        return self._latest

    def _built(self, shapes: Shapes) -> Built:
        """The build for the shapes of a call."""
        if self._one is None and (found := self._found(shapes)) is not None:
            return self._settled(found)
        return self._one or self._made(shapes)

    def _settled(self, built: Built) -> Built:
        """`built`; a thread may have found that calls of all shapes run as its session."""
        one = built.any_shape and self._templates.is_one_session
        return self._settle(built) if one else built

    @in_one_message
    def _made(self, shapes: Shapes) -> Built:
        """A new build for the shapes of a call."""
        before = self._templates.compilations
        with errors_in(self._file), depth_of("the program"):
            filled = self._templates.built(shapes)
        if self._templates.compilations > before:
            self._drop_sessions()
        if filled is not None:
            is_final = self._templates.is_one_session
            return self._settle(filled) if is_final else self._added(shapes, filled)
        with COMPILING, errors_in(self._file), depth_of("the program"):
            if (found := self._found(shapes)) is not None:  # another thread was faster
                return found
            built = self._origin.build(self._named(shapes))
            self.compilations += 1
            if self._keep is not None:
                self._keep(shapes, built)
            return self._added(shapes, built)

    def _file(self) -> str | None:
        return self._origin.source.model_file

    def _drop_sessions(self) -> None:
        """Let go of builds that are one session: a larger call has got kernels."""
        with KEEPING:  # builds are freed outside of it
            old = [shapes for shapes, built in self._builds.items() if built.any_shape]
            _dropped = [(self._builds.pop(s), self._directs.pop(s, None)) for s in old]
        self._sessions = SessionCalls(self.inputs)

    def _found(self, shapes: Shapes) -> Built | None:
        """The build that is kept for the shapes of a call; it becomes the latest one."""
        with KEEPING:
            found = self._builds.get(shapes)
            if found is None or found.is_provisional:
                return None
            self._builds.move_to_end(shapes)
            self._sized.latest = None
            self._latest, self._direct = found, self._directs.get(shapes)
            return found

    def _settle(self, built: Built) -> Built:
        """Be a program that runs calls of all shapes as one session."""
        built.program.perf = self._perf
        with KEEPING:
            self._one = self._latest = built
            self._direct = engine_call(built.program, self.inputs)
        return built

    def _added(self, shapes: Shapes, built: Built) -> Built:
        """Keep the latest build; `CompileError` if passes changed the announced interface."""
        if not built.any_shape and not self.from_entry:
            self._check(built.program, shapes)
        built.program.perf = self._perf
        if self._keep is not None:
            self.from_cache = None if self.compiled_times else "template"
        with KEEPING:  # builds are freed outside of it
            dropped = [self._builds.pop(shapes, None), self._directs.pop(shapes, None)]
            self._builds[shapes] = self._latest = built
            self._sized.latest = None
            self._direct = None
            if len(self._builds) > MAX_SPECIALIZATIONS:
                oldest, other = self._builds.popitem(last=False)
                dropped += [other, self._directs.pop(oldest, None)]
        return built

    def _check(self, program: Program, shapes: Shapes) -> None:
        """`CompileError` unless a program matches the announced interface.

        Of a form that was checked before, only the shapes of inputs depend on the call.
        """
        if program.form is self._checked and program.input_shapes() == shapes:
            return
        from snippets_mlir.driver.interface import check_interface

        inputs, outputs = (specs_of(program.arguments(side)) for side in ("inputs", "outputs"))
        check_interface((inputs, outputs), (self.inputs, self.outputs), shapes)
        self._checked = program.form

    def _named(self, shapes: Shapes) -> NamedShapes:
        return {s.name: shape for s, shape in zip(self.inputs, shapes, strict=True)}

    def replayed(self, stage: str) -> Any:
        """The module at `stage`, made again now; the caller has the lock of compilation."""
        built = self.built()
        with KEEPING:
            shapes = next((key for key, value in self._builds.items() if value is built), None)
        named = None if shapes is None else self._named(shapes)
        return self._origin.replayed(stage, built, self._templates.module(shapes or ()), named)
